from __future__ import annotations

import errno
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from anchorlight.store import CannotOpenError, Change, Library, Mark, Paper, ReadOnlyError, Status
from anchorlight.store.files import Lock
from anchorlight.store.folder import FORMAT, FolderState
from anchorlight.store.folder import prepare as prepare_with

from .conftest import CHECKOUT
from .helpers import Open, contents, full, state

NOW = "2026-01-15T12:00:00.000+00:00"
FIRST = "2026-01-15T12:00:00+00:00"
"""When everything in the library of format 1 was written."""


def prepare(folder: Path, now: str, *, may_write: bool = True) -> FolderState:
    return prepare_with(folder, now, Lock(folder / "lock"), may_write=may_write)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "lock")


def test_a_new_library_gets_an_id_and_a_date(folder: Path) -> None:
    state = prepare(folder, NOW)
    facts = json.loads((folder / "library.json").read_bytes())
    assert facts == {"format": FORMAT, "id": state.library_id, "created": NOW}
    assert state.is_new
    assert not state.read_only
    assert not state.notices
    assert names(folder) == ["library.json"]


def test_a_library_is_found_again(folder: Path) -> None:
    first = prepare(folder, NOW)
    second = prepare(folder, "later")
    assert second.library_id == first.library_id
    assert second.is_new  # nothing was stored in it yet
    assert not second.read_only
    assert names(folder) == ["library.json"]
    (folder / "papers.jsonl").touch()
    assert not prepare(folder, "later").is_new


def test_two_libraries_have_two_ids(tmp_path: Path) -> None:
    assert prepare(tmp_path / "a", NOW).library_id != prepare(tmp_path / "b", NOW).library_id


@pytest.mark.parametrize("name", ["papers.jsonl", "marks.json"])
def test_a_folder_with_papers_or_marks_is_no_new_library(folder: Path, name: str) -> None:
    folder.mkdir()
    (folder / name).write_text("")
    assert not prepare(folder, NOW).is_new


def test_a_newer_format_is_read_only(folder: Path) -> None:
    folder.mkdir()
    (folder / "library.json").write_text(json.dumps({"format": FORMAT + 1, "id": "abc"}))
    state = prepare(folder, NOW)
    assert state.library_id == "abc"
    assert "newer" in state.read_only
    assert names(folder) == ["library.json"]


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"null", b"[]", b"{}", b'{"id": "abc"}', b'{"id": "abc", "format": "x"}',
        b'{"id": "../../x", "format": 1}', b'{"id": "", "format": 1}', b"\xff\x00",
        b'{"id": "abc", "format": 1e999}', b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_damaged_library_file_is_set_aside_and_made_anew(folder: Path, data: bytes) -> None:
    folder.mkdir()
    (folder / "library.json").write_bytes(data)
    state = prepare(folder, NOW)
    (aside,) = folder.glob("library.json.damaged-*")
    assert aside.read_bytes() == data
    (notice,) = state.notices
    assert "library.json" in notice
    assert aside.name in notice
    assert not state.is_new
    assert prepare(folder, NOW).library_id == state.library_id


def test_a_place_where_nothing_can_be_made_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotOpenError, match="library"):
        prepare(tmp_path / "file" / "library", NOW)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(CannotOpenError, match="link") as caught:
        prepare(tmp_path / "link", NOW)
    assert "--library" in caught.value.hint


def test_a_library_file_that_cannot_be_read_cannot_be_opened(folder: Path) -> None:
    (folder / "library.json").mkdir(parents=True)
    with pytest.raises(CannotOpenError, match=r"library\.json"):
        prepare(folder, NOW)


@pytest.mark.parametrize("damaged", [False, True])
def test_a_folder_that_cannot_be_written_is_read_only_and_left_alone(
    folder: Path, make_unwritable: Callable[[Path], None], damaged: bool
) -> None:
    prepare(folder, NOW)
    if damaged:
        (folder / "library.json").write_text("{")
    before = (folder / "library.json").read_bytes()
    make_unwritable(folder)
    state = prepare(folder, NOW)
    assert str(folder) in state.read_only
    assert bool(state.notices) is damaged
    assert names(folder) == ["library.json"]
    assert (folder / "library.json").read_bytes() == before


@pytest.mark.parametrize("damaged", [False, True])
def test_a_folder_that_is_only_to_be_read_is_left_alone(folder: Path, damaged: bool) -> None:
    first = prepare(folder, NOW)
    if damaged:
        (folder / "library.json").write_text("[")
    (folder / "lock").unlink(missing_ok=True)
    before = contents(folder)
    state = prepare(folder, NOW, may_write=False)
    assert str(folder) in state.read_only
    assert [str(folder / "library.json") in notice for notice in state.notices] == [True] * damaged
    assert damaged or state.library_id == first.library_id
    assert contents(folder) == before
    assert not (folder / "lock").exists()


def test_no_library_is_made_where_nothing_may_be_written(folder: Path) -> None:
    with pytest.raises(CannotOpenError, match="no library"):
        prepare(folder, NOW, may_write=False)
    assert not folder.exists()


def test_a_library_file_that_another_program_made_anew_meanwhile_is_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir()
    path = folder / "library.json"
    path.write_text("{")
    held = Lock.held

    @contextmanager
    def waited_for(lock: Lock) -> Iterator[None]:
        with held(lock):
            path.write_text(json.dumps({"format": FORMAT, "id": "theirs"}))
            yield

    monkeypatch.setattr(Lock, "held", waited_for)
    state = prepare(folder, NOW)
    assert (state.library_id, state.notices) == ("theirs", [])
    assert names(folder) == ["library.json"]


@pytest.mark.parametrize("call", ["pwrite", "replace", "fsync"])
def test_a_damaged_library_file_that_cannot_be_mended_is_as_it_was(
    folder: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    folder.mkdir()
    path = folder / "library.json"
    path.write_text("{")
    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(CannotOpenError, match="No space") as caught:
            prepare(folder, NOW)
    assert str(folder) in caught.value.message
    assert names(folder) == ["library.json"]
    assert path.read_text() == "{"


# Locks


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS])
def test_a_folder_without_locks_is_read_only_unless_it_need_not_have_any(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    prepare(folder, NOW)

    def no_locks(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", no_locks)
    state = prepare(folder, NOW)
    assert "knows no locks" in state.read_only
    assert str(folder) in state.read_only
    unlocked = prepare_with(folder, NOW, Lock(folder / "lock", needed=False))
    assert unlocked.read_only == ""


def test_a_lock_that_another_holds_is_no_reason_to_open_read_only(folder: Path) -> None:
    prepare(folder, NOW)
    with Lock(folder / "lock").held():
        assert prepare(folder, NOW).read_only == ""


# A library of format 1, as the first version left it


@pytest.fixture
def old(folder: Path) -> Path:
    shutil.copytree(CHECKOUT / "tests" / "libraries" / "1", folder)
    return folder


PAPERS = {
    "moe": Paper(
        "moe", "Memory-Aware Scheduling for MoE Training", ("Lu Zhao", "Rong Shi"), year=2025,
        venue="arXiv cs.DC",
        abstract="Training mixture of experts models meets a memory bottleneck on GPUs.",
        ids={"arxiv": "2511.21431"}, version=2, source="v1.jsonl", added=FIRST,
    ),
    "quant": Paper(
        "quant", "Quantization of Language Models", ("Mia Müller",), year=2019, venue="NeurIPS",
        abstract="We study the optimization of integer arithmetic.",
        url="https://example.org/quant.pdf", source="v1.jsonl", added=FIRST,
    ),
    "bare": Paper(
        "bare", abstract="Only a few opening words of this record were ever known to us",
        truncated=True, source="v1.jsonl", added=FIRST,
    ),
    "anchor": Paper("anchor", "An Anchor of Our Own", source="v1.jsonl", added=FIRST),
    "listed": Paper(
        "listed", "A Paper in a List", ("Ann Lee",), year=2020, source="v1.jsonl", added=FIRST
    ),
}  # fmt: skip
MARKS = {
    "moe": Mark(Status.READ, starred=True, tags=("moe", "GPU"), changed=FIRST),
    "quant": Mark(Status.SKIPPED, changed=FIRST),
    "bare": Mark(Status.QUEUED, changed=FIRST),
    "anchor": Mark(),
    "listed": Mark(),
}
NOTES = {
    "moe": "Compare with the planner of *Mimose*.\n\n- single GPU\n",
    "quant": "Ein Einwand: é 東京",
}
SESSION = {"list": "anchor:anchor", "paper": "listed", "filter": "", "panes": {}}


def check_old(library: Library) -> None:
    entries, lists = state(library)
    assert {key: entry.paper for key, entry in entries.items()} == PAPERS
    assert list(entries) == list(PAPERS)
    assert {key: entry.mark for key, entry in entries.items()} == MARKS
    assert {key: entry.note for key, entry in entries.items() if entry.note} == NOTES
    assert [(one.anchor, one.papers) for one in lists.values()] == [("anchor", ("listed",))]
    assert library.session == SESSION
    for key, text in NOTES.items():
        assert [(one.text, one.changed) for one in library.note_versions(key)] == [(text, FIRST)]
    assert [entry.paper.key for entry in library.search("東京").entries] == ["quant"]


def test_everything_of_a_library_of_format_1_is_there(old: Path, open_library: Open) -> None:
    before = contents(old)
    library = open_library()
    check_old(library)
    (notice,) = library.notices
    assert f"from format 1 to {FORMAT}" in notice
    assert json.loads((old / "library.json").read_bytes()) == {
        "format": FORMAT, "id": "6ed296106a186c34f892850bb210c71f", "created": FIRST
    }  # fmt: skip
    (kept,) = (old / "backups").glob(f"before-format-{FORMAT}-*.zip")
    assert str(kept) in notice
    with zipfile.ZipFile(kept) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == {
            name: before[name]
            for name in ("library.json", "session.json", "marks.journal", "marks.json")
        }
    assert (old / "papers.jsonl").read_bytes() == before["papers.jsonl"]


def test_a_library_of_format_1_is_brought_up_to_date_once(old: Path, open_library: Open) -> None:
    open_library().close()
    for _ in range(2):
        again = open_library()
        check_old(again)
        assert again.notices == []
        assert all(check.ok for check in again.checks())
        again.close()
    assert len(list((old / "backups").glob("before-*"))) == 1


def test_what_is_done_in_a_library_of_format_1_can_be_undone(old: Path, open_library: Open) -> None:
    library = open_library()
    assert library.undo() is None
    library.mark({"moe": Change(Status.SKIPPED, starred=False, remove_tags=("GPU",))})
    library.write_note("moe", "Other words")
    library.write_note("quant", "")
    library.close()
    again = open_library()
    mark = again.entry("moe").mark
    assert (mark.status, mark.starred, mark.tags) == (Status.SKIPPED, False, ("moe",))
    assert [one.text for one in again.note_versions("moe")] == [NOTES["moe"], "Other words"]
    assert [one.text for one in again.note_versions("quant")] == [NOTES["quant"]]
    steps = [again.undo() for _ in range(3)]
    assert [step.what for step in steps if step] == ["note", "note", "tags"]
    assert again.undo() is None
    entries, _ = state(again)
    assert {key: entry.note for key, entry in entries.items() if entry.note} == NOTES
    assert entries["moe"].mark.status is Status.READ
    assert entries["moe"].mark.starred
    assert set(entries["moe"].mark.tags) == {"moe", "GPU"}
    assert again.redo()
    assert again.entry("moe").mark.tags == ("moe",)


def test_a_library_of_format_1_is_read_without_any_change(old: Path, open_library: Open) -> None:
    before = contents(old)
    library = open_library(may_write=False)
    check_old(library)
    assert library.notices == []
    assert str(old) in library.read_only
    with pytest.raises(ReadOnlyError):
        library.mark({"moe": Change(starred=False)})
    with pytest.raises(ReadOnlyError):
        library.undo()
    library.write_session({})
    library.close()
    assert contents(old) == before
    assert not (old / "lock").exists()


@pytest.mark.parametrize("call", ["replace", "fsync", "mkdir"])
def test_a_library_of_format_1_that_cannot_be_brought_up_to_date_is_read_only(
    old: Path, open_library: Open, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    before = contents(old)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        library = open_library()
        check_old(library)
        assert "format 1" in library.read_only
        assert "No space left on device" in library.read_only
        library.close()
    after = contents(old)
    assert {name: after[name] for name in before} == before
    assert after.keys() - before.keys() <= {"backups"}
    again = open_library()
    check_old(again)
    assert not again.read_only


def test_a_library_of_format_1_in_a_folder_that_cannot_be_written_is_read_only(
    old: Path, open_library: Open, make_unwritable: Callable[[Path], None]
) -> None:
    before = contents(old)
    make_unwritable(old)
    library = open_library()
    check_old(library)
    assert "cannot be written" in library.read_only
    library.close()
    assert contents(old) == before


def test_a_damaged_library_of_format_1_is_kept_as_it_was_before_it_is_mended(
    old: Path, open_library: Open
) -> None:
    damaged = (old / "marks.json").read_bytes()[:-40]
    (old / "marks.json").write_bytes(damaged)
    journal = (old / "marks.journal").read_bytes() + b"half a li"
    (old / "marks.journal").write_bytes(journal)
    library = open_library()
    assert any("marks.json is damaged" in notice for notice in library.notices)
    assert any("marks.journal" in notice for notice in library.notices)
    assert library.entry("bare").mark.status is Status.QUEUED
    assert library.entry("quant").note == NOTES["quant"]
    (kept,) = (old / "backups").glob(f"before-format-{FORMAT}-*.zip")
    with zipfile.ZipFile(kept) as archive:
        assert archive.read("marks.json") == damaged
        assert archive.read("marks.journal") == journal
    assert len(library) == 5
