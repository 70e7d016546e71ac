"""What the proofs let happen to a library: scenes of steps, and all that is to be seen in one."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import Change, Library, Status, journal, search
from anchorlight.store.archive import back_up, restore

from ..conftest import CHECKOUT, SMALL, Clock

MEMORY = "/dev/shm"

View = dict[str, Any]
"""All that a library holds."""

NOTHING: View = {
    "papers": {}, "changed": {}, "notes": {}, "lists": [], "steps": [], "session": {},
}  # fmt: skip

Tree = dict[str, bytes | None]
"""What a folder holds: bytes by name, None for a folder; folders come before what is in them."""

LISTED = (
    {"key": "new", "title": "A Paper of Its Own", "status": "read", "tags": ["fresh"],
     "note": "from the file"},
    {"key": "other", "title": "Another Paper of the File", "starred": True},
    {"key": "moe", "title": "Memory-Aware Scheduling for MoE Training", "year": 2025,
     "venue": "A Journal of Its Own", "ids": {"arxiv": "2511.21431"}, "tags": ["again"]},
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """Something that must not be: in which way it is wrong, where, and what was found."""

    kind: str
    where: str
    detail: str

    def __str__(self) -> str:
        return f"{self.where}: {self.detail}"


def check(findings: Iterable[Finding], *kinds: str) -> None:
    """Let a test fail that tells of what was found of some kinds, if anything was."""
    __tracebackhide__ = True
    found = [f"({one.kind}) {one}"[:900] for one in findings if one.kind in kinds]
    if found:
        pytest.fail("\n".join([f"{len(found)} findings:", *found[:6]]), pytrace=False)


def everything(library: Library) -> View:
    """Return all that a library holds, as plain values."""
    entries = library.listing("all")
    keys = [entry.paper.key for entry in entries]
    return {
        "papers": {
            entry.paper.key: entry.to_json() | {"changed": None} for entry in entries
        },
        "changed": {entry.paper.key: entry.mark.changed for entry in entries},
        "notes": {key: library.note_versions(key) for key in keys if library.note_versions(key)},
        "lists": [progress.key for progress in library.overview().anchors],
        "steps": [
            (step.what, step.undone) for _, step in library._marks.history._backwards()
        ],
    }  # fmt: skip


def memory(library: Library) -> View:
    """Return all that a program shows that has a library open."""
    return everything(library) | {"session": library.session}


READER = ("status", "starred", "tags", "note")
"""What of a paper is the reader's."""


def brought_papers_alone(view: View, before: View, after: View) -> bool:
    """Tell whether papers came, or went, without the marks that belong to them.

    Papers and marks are two files. What was cut short in or behind the first, without anybody
    having been told that it is done, may have left some papers; doing it again brings the rest.
    """

    def record(of: View, key: str) -> View | None:
        paper = of["papers"].get(key)
        return paper and {name: value for name, value in paper.items() if name not in READER}

    def reader(of: View, key: str) -> View:
        told = {name: of["papers"][key][name] for name in READER}
        return told | {"notes": of["notes"].get(key), "changed": of["changed"].get(key)}

    keys = {*before["papers"], *after["papers"], *view["papers"]}
    known = view["papers"].keys() & before["papers"].keys()
    return (
        view["steps"] == before["steps"]
        and set(view["lists"]) <= {*before["lists"], *after["lists"]}
        and all(record(view, key) in (record(before, key), record(after, key)) for key in keys)
        and all(reader(view, key) == reader(before, key) for key in known)
    )


def difference(expected: object, found: object, where: str = "") -> list[str]:
    """Return in what two values differ, a line each."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return [
            line
            for key in dict.fromkeys((*expected, *found))
            for line in difference(expected.get(key), found.get(key), f"{where}/{key}")
        ]
    return [] if expected == found else [f"{where} is {found!r}, not {expected!r}"]


def tree_of(folder: Path) -> Tree:
    """Return what a folder holds."""
    found: Tree = {}
    for root, folders, files in os.walk(folder):
        base = Path(root).relative_to(folder)
        found.update({str(base / name): None for name in folders})
        found.update({str(base / name): (Path(root) / name).read_bytes() for name in files})
    return found


def put_tree(tree: Mapping[str, bytes | None], folder: Path) -> None:
    """Let a folder hold nothing but this."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, data in tree.items():
        if data is None:
            (folder / name).mkdir()
        else:
            (folder / name).write_bytes(data)


class Bench:
    """A folder with a library and what lies beside it.

    Args:
        folder: The folder, in which all but `files` is the library's own affair.
        files: Where the files to import lie.
        locks: Whether the library locks its folder.
    """

    def __init__(self, folder: Path, files: Path, *, locks: bool = False) -> None:
        self.folder = folder
        self.home = folder / "library"
        self.files = files
        self.locks = locks
        self.clock = Clock()
        self.library: Library | None = None

    def opened(self, home: Path | None = None, **options: Any) -> Library:
        return Library(
            home or self.home,
            self.files / "cache",
            clock=self.clock,
            needs_locks=self.locks,
            **options,
        )

    def open(self, **options: Any) -> None:
        assert self.library is None
        self.library = self.opened(**options)

    def close(self) -> None:
        if self.library is not None:  # one without papers counts as false
            self.library.close()
        self.library = None

    @property
    def now(self) -> Library:
        assert self.library is not None
        return self.library

    def file(self, name: str, *records: object) -> Path:
        path = self.files / name
        if not path.exists():
            path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        return path

    def seen(self, aside: Path) -> tuple[View, list[str]]:
        """Return what a program sees that opens the library now, and what it is told.

        It opens a copy, so that nothing is put right by looking.
        """
        if not self.home.exists():
            return NOTHING, []
        put_tree(tree_of(self.home), aside)
        library = self.opened(aside)
        try:
            return memory(library), library.notices
        finally:
            release(library)


@contextlib.contextmanager
def place(compact_bytes: int) -> Iterator[Path]:
    """Give a folder, that is no disk where there is such a place, and sync nothing.

    Args:
        compact_bytes: How long a journal may become.
    """
    with (
        tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(journal, "COMPACT_BYTES", compact_bytes)
        patch.setattr(search.Search, "rebuild", lambda *_: None)
        patch.setattr(os, "fsync", lambda _: None)
        patch.setattr(os, "fdatasync", lambda _: None, raising=False)
        yield Path(folder)


def release(library: Library) -> None:
    """Let go of a library's files and nothing else, as the system does for a killed program."""
    library._marks.close()
    library._catalogue.close()


@dataclass(frozen=True)
class Step:
    """One thing that is done.

    Attributes:
        name: What it is.
        act: Does it.
        others: Whether another program does it, which nothing fails for.
        repeatable: Whether doing it again changes nothing.
    """

    name: str
    act: Callable[[Bench], object]
    others: bool = False
    repeatable: bool = True


@dataclass(frozen=True)
class Scene:
    """A library, and what is done to it.

    Attributes:
        name: What it is called.
        prepare: Makes what is there before.
        steps: What is done, in order.
        compact_bytes: How long the journal may become.
        notices: Parts of what may be told on opening it afterwards.
        new: What is not in another scene as well.
        again: What can be done again after a crash in its midst.
        opens: How a program opens it.
    """

    name: str
    prepare: Callable[[Bench], object]
    steps: tuple[Step, ...]
    compact_bytes: int = 1 << 18
    notices: tuple[str, ...] = ()
    new: tuple[Step, ...] = ()
    again: Step | None = None
    opens: Callable[[Bench], object] = Bench.open


# What is there before


def filled(bench: Bench) -> None:
    """A library with four papers, a copy of its marks, and a journal."""
    library = bench.opened()
    library.import_files([bench.file("small.jsonl", *SMALL)])
    library.mark({"moe": Change(starred=True), "pipe": Change(status=Status.READ)})
    library.write_note("quant", "what quant is about")
    library.close()  # folds, and keeps a copy
    library = bench.opened()
    library.mark({"moe": Change(add_tags=("gpu", "memory"))})
    library.write_note("pipe", "what pipe is about")
    library.write_session({"list": "all"})
    release(library)


def without_copies(bench: Bench) -> None:
    """As much, but no copy."""
    filled(bench)
    shutil.rmtree(bench.home / "backups", ignore_errors=True)


def with_others(bench: Bench) -> None:
    """Beside it lies another library, a copy that went its own way."""
    filled(bench)
    shutil.copytree(bench.home, bench.folder / "other")
    bench.clock.now = bench.clock.now.replace(hour=13)
    library = bench.opened(bench.folder / "other")
    library.mark({"moe": Change(status=Status.SKIPPED), "bare": Change(add_tags=("there",))})
    library.write_note("quant", "what quant is about, and more")
    library.write_note("bare", "a note there")
    library.import_files([bench.file("more.jsonl", *LISTED)])
    release(library)
    bench.clock.now = bench.clock.now.replace(hour=12)
    library = bench.opened()
    library.write_note("bare", "a note here")
    release(library)


def old(bench: Bench) -> None:
    """A library of the first format."""
    shutil.copytree(CHECKOUT / "tests/libraries/1", bench.home)


def torn(bench: Bench) -> None:
    """The last writes to both logs were cut short."""
    filled(bench)
    with (bench.home / "marks.journal").open("ab") as file:
        file.write(b'12345678 {"seq": 9, "set": {"notes": {"moe"')
    with (bench.home / "papers.jsonl").open("ab") as file:
        file.write(b'{"key": "half", "title": "A Paper of Which')


def bad_line(bench: Bench) -> None:
    """A line of the journal is damaged, one whose change another line makes again."""
    filled(bench)
    path = bench.home / "marks.journal"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines, b"damaged line\n"]))


def bad_snapshot(bench: Bench) -> None:
    """The marks are damaged; there is a copy."""
    filled(bench)
    (bench.home / "marks.json").write_bytes(b"\x00" * 500)


def bad_snapshot_alone(bench: Bench) -> None:
    """The marks are damaged at one place, and there is no copy; the rest of them can be read."""
    without_copies(bench)
    path = bench.home / "marks.json"
    data = path.read_bytes()
    assert data.count(b'"pipe": {') >= 1
    path.write_bytes(data.replace(b'"pipe": {', b'"pipe": [', 1))
    (bench.home / "marks.journal").write_bytes(b"")


def bad_others(bench: Bench) -> None:
    """What tells the library's format, and where the reader was, is damaged."""
    filled(bench)
    (bench.home / "library.json").write_bytes(b"garbage")
    (bench.home / "session.json").write_bytes(b"garbage")


def bad_papers(bench: Bench) -> None:
    """A line of the papers is damaged."""
    filled(bench)
    with (bench.home / "papers.jsonl").open("ab") as file:
        file.write(b"garbage\n")


def nothing(bench: Bench) -> None:
    """There is no library yet."""


# What is done


def step(name: str, act: Callable[[Library], object]) -> Step:
    return Step(name, lambda bench: act(bench.now))


OPEN = Step("open", Bench.open)
CLOSE = Step("close", Bench.close)
MARK = step("mark", lambda it: it.mark({"quant": Change(status=Status.READING, starred=True)}))
STAR = step("star", lambda it: it.mark({"quant": Change(starred=True)}))
LATER = {
    "bare": Change(add_tags=("later",)),
    "pipe": Change(add_tags=("later",), starred=True),
}
TAG = step("tag", lambda it: it.mark(LATER))
NOTE = step("note", lambda it: it.write_note("moe", "a note on moe", ""))
AMEND = step("amend", lambda it: it.write_note("moe", "a note on moe, amended", amends=True))
REWRITE = step("rewrite", lambda it: it.write_note("quant", "another text for quant"))
EMPTY = step("empty", lambda it: it.write_note("quant", ""))
UNDO = Step("undo", lambda bench: bench.now.undo(), repeatable=False)
REDO = Step("redo", lambda bench: bench.now.redo(), repeatable=False)
SESSION = step("session", lambda it: it.write_session({"list": "starred", "paper": "moe"}))
REFRESH = step("refresh", Library.refresh)
MEND = step("mend", Library.mend)
IMPORT = Step("import", lambda bench: bench.now.import_files([bench.file("listed.jsonl", *LISTED)]))
MERGE = Step("merge", lambda bench: bench.now.merge(bench.folder / "other"))


def open_with_seeds(bench: Bench) -> None:
    bench.open(seeds=bench.file("seeds.jsonl", *SMALL))


OPEN_SEEDS = Step("open with seeds", open_with_seeds)


def _back_up(bench: Bench) -> None:
    target = bench.folder / "all.zip"
    if not os.path.lexists(target):  # which is no call that could fail here
        back_up(bench.home, target)


BACK_UP = Step("back up", _back_up)
RESTORE = Step(
    "restore",
    lambda bench: restore(bench.home, bench.folder / "all.zip", needs_locks=False),
)


def by_another(name: str, *acts: Callable[[Library], object], closes: bool = False) -> Step:
    def act(bench: Bench) -> None:
        library = bench.opened()
        for one in acts:
            one(library)
        if closes:
            library.close()
        else:
            release(library)

    return Step(f"another program: {name}", act, others=True)


SCENES = (
    Scene(
        "reading",
        filled,
        (OPEN, MARK, NOTE, AMEND, SESSION, IMPORT, TAG, UNDO, UNDO, REDO, REWRITE, EMPTY, CLOSE),
        new=(OPEN, MARK, AMEND, SESSION, IMPORT, CLOSE),
    ),
    Scene(
        "reading, folding each time",
        filled,
        (OPEN, MARK, NOTE, IMPORT, UNDO, REDO, EMPTY, CLOSE),
        compact_bytes=0,
        new=(NOTE, IMPORT, UNDO, REDO),
    ),
    Scene("a first start", nothing, (OPEN, IMPORT, CLOSE, OPEN, NOTE, CLOSE), new=(OPEN, IMPORT)),
    Scene(
        "a first start with seeds",
        nothing,
        (OPEN_SEEDS, MARK, CLOSE, OPEN, TAG, CLOSE),
        new=(OPEN_SEEDS,),
        opens=open_with_seeds,
    ),
    Scene(
        "two programs",
        filled,
        (
            OPEN,
            by_another("marks", lambda it: it.mark({"bare": Change(starred=True)})),
            TAG,
            by_another("folds", lambda it: it.write_note("bare", "a note by another"), closes=True),
            by_another("goes on", lambda it: it.write_note("pipe", "pipe by another")),
            REFRESH,
            by_another("folds again", lambda it: it.write_note("bare", "again"), closes=True),
            by_another("goes on again", lambda it: it.write_note("pipe", "pipe again")),
            NOTE,
            by_another("undoes", Library.undo),
            MARK,
            CLOSE,
        ),
        new=(TAG, REFRESH, NOTE, MARK),
    ),
    Scene(
        "backup and restoring",
        filled,
        (BACK_UP, OPEN, MARK, NOTE, CLOSE, RESTORE, OPEN, TAG, CLOSE),
        new=(BACK_UP, RESTORE),
        again=RESTORE,
    ),
    Scene("merging", with_others, (OPEN, MERGE, UNDO, REDO, TAG, CLOSE), new=(MERGE,)),
    Scene("an older format", old, (OPEN, STAR, CLOSE), new=(OPEN,)),
    Scene(
        "torn lines",
        torn,
        (OPEN, MARK, IMPORT, CLOSE),
        notices=("papers.jsonl: line",),
        new=(OPEN, MARK, IMPORT),
    ),
    Scene("a damaged line in the journal", bad_line, (OPEN, MARK, CLOSE), new=(OPEN,)),
    Scene("damaged marks", bad_snapshot, (OPEN, MARK, CLOSE), new=(OPEN,)),
    Scene("damaged marks without a copy", bad_snapshot_alone, (OPEN, MARK, CLOSE), new=(OPEN,)),
    Scene(
        "other files damaged",
        bad_others,
        (OPEN, MARK, CLOSE),
        notices=("session.json is damaged",),
        new=(OPEN,),
    ),
    Scene(
        "mending",
        bad_papers,
        (OPEN, MARK, MEND, NOTE, CLOSE),
        notices=("papers.jsonl: line",),
        new=(MEND,),
    ),
)
