"""What happens to an index in a long life: full disks, other programs, ended processes, damage."""

from __future__ import annotations

import errno
import gc
import os
import random
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from anchorlight.store import Library, search
from anchorlight.store.index import TextIndex, building, inverting
from anchorlight.store.index.arrays import ArrayWriter
from anchorlight.store.query import Fuzzy, Word
from anchorlight.store.search import Asking
from whoosh.index import TOC

from .index.corpus import a_text
from .test_search import Corpus


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    corpus = Corpus(tmp_path / "index")
    yield corpus
    corpus.search.close()


def names(corpus: Corpus, pattern: str = "*") -> set[str]:
    """Return the index's files but for the lock."""
    return {path.name for path in corpus.folder.glob(pattern)} - {"MAIN_WRITELOCK"}


def no_space(*_: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


# A full disk


@pytest.mark.parametrize("of", ["segment", "table", "list"])
def test_on_a_full_disk_the_index_goes_on_with_what_it_holds(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch, of: str
) -> None:
    corpus.search.refresh()
    before = names(corpus)
    corpus.change("a", a_text(title="tpu"))

    def write_list(toc: TOC, storage: Any, name: str) -> None:
        (corpus.folder / f"_{name}_{toc.generation}.toc.1.5").write_bytes(b"half")
        no_space()

    with monkeypatch.context() as patch:
        if of == "list":
            patch.setattr(TOC, "write", write_list)
        else:
            patch.setattr(ArrayWriter, "_write" if of == "segment" else "finish", no_space)
        corpus.search.refresh()
    assert "No space left" in corpus.search.problem
    assert names(corpus) == before
    assert corpus.found("tpu") == {"a"}
    assert corpus.found("gpu") == {"b", "c"}
    assert corpus.search.pending == 1
    corpus.search.refresh()
    assert corpus.search.problem == ""
    assert corpus.search.pending == 0
    assert corpus.found("tpu") == {"a"}


def test_an_index_that_could_not_be_written_once_is_not_built_anew(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus.search.refresh()
    segments = names(corpus, "*.seg")
    with monkeypatch.context() as patch:
        patch.setattr(TextIndex, "update", no_space)
        corpus.change("a", a_text(title="tpu"))
        corpus.search.refresh()
    corpus.change("a", a_text(title="gpu memory"))
    corpus.search.refresh()
    assert segments <= names(corpus, "*.seg")


# Other programs


def test_what_another_program_commits_while_the_lock_is_awaited_is_taken_in(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus.search.refresh()
    writing = TextIndex.writing
    others: list[search.Search] = [corpus.new()]

    def after_the_other(index: TextIndex) -> Any:
        if others:
            with closing(others.pop()) as other:
                other.refresh()
        return writing(index)

    corpus.change("a", a_text(title="tpu"))
    monkeypatch.setattr(TextIndex, "writing", after_the_other)
    corpus.search.refresh()
    assert corpus.search.problem == ""
    assert corpus.search.pending == 0
    assert corpus.found("tpu") == {"a"}


def test_an_index_that_another_program_built_anew_is_taken_for_another(corpus: Corpus) -> None:
    corpus.search.refresh()
    with closing(corpus.new()) as other:
        other.rebuild()  # as many commits as ours
    corpus.change("a", a_text(title="tpu"))
    corpus.search.refresh()
    assert corpus.search.problem == ""
    assert corpus.search.pending == 0
    assert corpus.found("tpu") == {"a"}
    assert len(names(corpus, "*.toc")) == 1


def test_an_index_that_another_program_writes_to_is_not_replaced(corpus: Corpus) -> None:
    corpus.search.refresh()
    index = TextIndex(corpus.folder)
    index.open(search.State(corpus.papers.digests, {}))
    with closing(index), index.writing() as alone, closing(corpus.new()) as other:
        assert alone
        before = names(corpus)
        other.rebuild()
        assert names(corpus) == before
        corpus.search, ours = other, corpus.search
        assert corpus.found("gpu") == {"a", "b", "c"}
        corpus.search = ours


def test_an_index_that_changes_between_list_and_segments_is_opened_all_the_same(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus.search.refresh()
    listed = TextIndex._listed
    segments = names(corpus, "*.seg")
    others: list[search.Search] = [corpus.search]

    def then_another_commits(index: TextIndex) -> Any:
        found = listed(index)
        if others:
            for key in "ad":
                corpus.change(key, a_text(title="tpu"))
            others.pop().refresh()
        return found

    monkeypatch.setattr(TextIndex, "_listed", then_another_commits)
    index = TextIndex(corpus.folder)
    index.open(search.State(corpus.papers.digests, {}))
    assert index.committed.matching(Word("training", "")) == 0b10
    assert not segments & names(corpus, "*.seg")
    index.close()


def test_what_another_program_committed_is_seen_while_it_goes_on(corpus: Corpus) -> None:
    corpus.search.refresh()
    with closing(corpus.new()) as other:
        corpus.change("a", a_text(title="tpu"))
        other.refresh()
        assert other._index
        with other._index.writing():
            corpus.search.refresh()
    assert corpus.search.pending == 0
    assert corpus.found("tpu") == {"a"}


# Threads


def test_papers_can_be_numbered_anew_while_the_index_is_written(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    update = TextIndex.update

    def and_meanwhile(self: TextIndex, *args: Any) -> None:
        monkeypatch.setattr(TextIndex, "update", update)
        corpus.papers.keys = "dcbae"
        corpus.papers.by_number = {
            3 - number: fields for number, fields in corpus.papers.by_number.items()
        }
        corpus.search.renew()
        assert corpus.found("gpu") == {"a", "b", "c"}
        update(self, *args)
        assert corpus.found("gpu") == {"a", "b", "c"}

    monkeypatch.setattr(TextIndex, "update", and_meanwhile)
    corpus.search.refresh()
    assert corpus.search.problem == ""
    assert corpus.found("gpu") == {"a", "b", "c"}
    assert corpus.search.pending == 0


def test_a_note_that_is_saved_while_the_index_is_opened_is_not_missed(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus.search.refresh()
    corpus.search.close()
    corpus.search = corpus.new()
    own = corpus.papers.own

    def and_then(numbers: Any = None) -> Any:
        found = own(numbers)
        monkeypatch.undo()
        corpus.change("c", a_text(note="tpu"))
        return found

    monkeypatch.setattr(corpus.papers, "own", and_then)
    for _ in range(2):
        corpus.search.refresh()
        assert corpus.found("tpu") == {"c"}
        assert corpus.found("gpu") == {"a", "b"}
        assert corpus.search.pending == 0


def test_words_of_a_state_are_not_taken_for_those_of_the_next(corpus: Corpus) -> None:
    corpus.search.refresh()
    asked = corpus.search._committed
    assert asked
    corpus.change("d", a_text(title="xylophone"))
    corpus.search.refresh()
    assert asked.matching(Fuzzy("xylophane", 1)) == 0
    assert corpus.found("xylophane~") == {"d"}


def test_searching_goes_on_while_the_index_changes(corpus: Corpus) -> None:
    """The papers that change never match; the others always do."""
    corpus.search.refresh()
    wrong: list[set[str]] = []
    ended: list[bool] = []

    def read() -> None:
        while not ended:
            for query in ("gpu", "gpi~", "gp*", '"gpu training"'):
                found = corpus.found(query) - {"d", "e"}
                if found != ({"b"} if " " in query else {"a", "b", "c"}):
                    wrong.append(found)
            corpus.search.ranked((Word("gpu", "gpu"),), 0b111)

    readers = [Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(60):
        corpus.change("d", a_text(title=f"other w{number}"))
        corpus.search.refresh()
        if number % 7 == 3:
            corpus.search.renew()
        if number % 20 == 9:
            corpus.search.rebuild()
    ended.append(True)
    for reader in readers:
        reader.join()
    assert not wrong
    assert corpus.search.problem == ""


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="only Linux lists what is mapped")
def test_files_are_let_go_as_soon_as_nobody_asks_them(corpus: Corpus) -> None:
    def mapped() -> set[str]:
        lines = Path("/proc/self/maps").read_text().splitlines()
        return {line.rsplit("/", 1)[1] for line in lines if str(corpus.folder) in line}

    gc.collect()
    gc.disable()
    try:
        for number in range(5):
            corpus.change("d", a_text(title=f"other w{number}"))
            corpus.search.refresh()
            assert corpus.found("gpu") == {"a", "b", "c"}
            assert corpus.ranked("gpu") == ["a", "b", "c"]
            assert mapped() == names(corpus, "*.seg")
        corpus.search.close()
        assert mapped() == set()
    finally:
        gc.enable()


# Processes


@pytest.fixture
def built_apart(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """Have even few papers indexed by processes of their own, and note these."""
    monkeypatch.setattr(search, "FEW", 0)
    started = []
    popen = subprocess.Popen

    def start(*args: Any, **options: Any) -> Any:
        started.append(popen(*args, **options))
        return started[-1]

    monkeypatch.setattr(building.subprocess, "Popen", start)
    return started


def well(library: Library, tmp_path: Path) -> bool:
    """Tell whether the small library answers as it should, and nothing unfinished is left."""
    found = [entry.paper.key for entry in library.search("memory").entries]
    return found == ["moe", "pipe"] and not list(tmp_path.glob("cache/*/unfinished-*"))


def test_processes_that_built_are_ended(
    library: Library, tmp_path: Path, built_apart: list[subprocess.Popen[bytes]]
) -> None:
    library.refresh_index()
    assert library.unindexed == 0
    assert built_apart
    assert all(one.returncode is not None for one in built_apart)
    assert well(library, tmp_path)


def test_a_process_that_is_killed_is_told_and_made_up_for(
    library: Library,
    tmp_path: Path,
    built_apart: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write = building._Worker.write

    def killed(worker: Any, *args: Any) -> None:
        worker.kill()
        worker._process.wait()
        write(worker, *args)

    with monkeypatch.context() as patch:
        patch.setattr(building._Worker, "write", killed)
        library.refresh_index()
    assert "process" in library.index_problem
    assert all(one.returncode is not None for one in built_apart)
    assert well(library, tmp_path)
    library.refresh_index()
    assert library.unindexed == 0
    assert library.index_problem == ""
    assert well(library, tmp_path)


def test_processes_that_cannot_be_started_leave_nothing_behind(
    library: Library,
    tmp_path: Path,
    built_apart: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = building.subprocess.Popen

    def only_one(*args: Any, **options: Any) -> Any:
        if built_apart:
            raise FileNotFoundError(errno.ENOENT, "No such file or directory", sys.executable)
        return start(*args, **options)

    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(building.subprocess, "Popen", only_one)
    library.refresh_index()
    assert "No such file" in library.index_problem
    assert [one.returncode is not None for one in built_apart] == [True]
    assert well(library, tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes to wait at")
def test_closing_ends_a_build_that_is_under_way(
    library: Library,
    tmp_path: Path,
    built_apart: list[subprocess.Popen[bytes]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    source = library._search._texts.source
    monkeypatch.setattr(
        library._search._texts, "source", lambda some: source(some)._replace(path=pipe)
    )
    write = building.Workers.write

    def then_close(*args: Any) -> None:
        closer = Thread(target=library._search.close)
        closer.start()
        try:
            write(*args)
        finally:
            closer.join()

    monkeypatch.setattr(building.Workers, "write", then_close)
    library.refresh_index()  # for ever, if nobody ended the process that waits at the pipe
    assert all(one.returncode is not None for one in built_apart)
    assert library.index_problem == ""
    assert well(library, tmp_path)


def test_processes_import_nothing_from_where_the_reader_is(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "json.py").write_text("raise SystemExit")
    (elsewhere / "mmap.py").write_text("raise SystemExit")
    monkeypatch.chdir(elsewhere)
    monkeypatch.setattr(search, "FEW", 0)
    library.refresh_index()
    assert library.index_problem == ""
    assert library.unindexed == 0


_PROGRAM = """
import os, sys
from pathlib import Path
from anchorlight.store import Library, search
from anchorlight.store.index import building

class Pipe:
    def __init__(self, process):
        self.pid, pipe = process.pid, process.stdin
        self.write, self.close, self._flush = pipe.write, pipe.close, pipe.flush

    def flush(self):
        self._flush()
        print(self.pid, flush=True)

def told(worker, path, source, job):
    path.write_bytes(b"half")
    worker._process.stdin = Pipe(worker._process)
    write(worker, path, source._replace(path=Path(sys.argv[3])), job)

write, building._Worker.write = building._Worker.write, told
search.FEW = 0
library = Library(Path(sys.argv[1]), Path(sys.argv[2]))
library.refresh_index(processes=1)
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells when others end")
def test_when_the_program_is_killed_its_processes_end_and_the_next_one_goes_on(
    library: Library, tmp_path: Path, folder: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-c", _PROGRAM, str(folder), str(tmp_path / "cache"), str(pipe)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout
        child = os.pidfd_open(int(program.stdout.readline()))
        program.send_signal(signal.SIGKILL)
    try:
        assert select.select([child], [], [], 60)[0]  # readable when it ended
    finally:
        os.close(child)
    library.refresh_index()
    assert library.unindexed == 0
    assert library.index_problem == ""
    assert well(library, tmp_path)


# Damage


@pytest.fixture
def no_small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have sets and scores lie ready in the smallest segment."""
    monkeypatch.setattr(inverting, "_SMALL", 0)


@pytest.mark.usefixtures("no_small_segments", "no_open_files")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", ["*.seg", "*.toc"])
@pytest.mark.parametrize("how", ["flip", "zeros", "cut"])
def test_no_damage_to_a_file_outlives_the_next_refresh(
    corpus: Corpus, tmp_path: Path, kind: str, how: str
) -> None:
    corpus.search.refresh()
    corpus.search.close()
    whole = tmp_path / "whole"
    shutil.copytree(corpus.folder, whole)
    chance = random.Random(7)
    for _ in range(25):
        shutil.rmtree(corpus.folder)
        shutil.copytree(whole, corpus.folder)
        (file,) = corpus.folder.glob(kind)
        data = bytearray(file.read_bytes())
        at = chance.randrange(len(data))
        if how == "flip":
            data[at] ^= 1 << chance.randrange(8)
        elif how == "zeros":
            data[at : at + 40] = bytes(len(data[at : at + 40]))
        else:
            del data[at:]
        file.write_bytes(data)
        with closing(corpus.new()) as again:
            corpus.search = again
            with_damage(again)
            again.refresh()
            assert again.problem == "", at
            assert again.pending == 0, at
            assert corpus.found("gpu") == {"a", "b", "c"}, at
            assert corpus.found("g*") == {"a", "b", "c"}, at
            assert corpus.found('"gpu training"') == {"b"}, at
            assert corpus.ranked("gpu") == ["a", "b", "c"], at
            assert names(corpus, "unfinished-*") == set()


def with_damage(again: search.Search) -> None:
    """Ask before anything was checked: any answer, but no error."""
    try:
        again.open()
    except search.IndexUnusableError:
        return
    for part in (Word("gpu", "gpu"), Word("g", "g", prefix=True), Fuzzy("gqu", 1)):
        again.matching(part, 0b1111, Asking())
        again.ranked((part,), 0b1111)
        again.suggestion((part,))


def test_a_paper_without_a_line_stays_scanned(corpus: Corpus) -> None:
    digests = type(corpus.papers).digests.fget
    assert digests

    def without_the_first(papers: Any) -> Any:
        found = digests(papers)
        found[0] = 0
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(corpus.papers), "digests", property(without_the_first))
        for _ in range(2):
            corpus.search.refresh()
            assert corpus.search.pending == 1
            assert corpus.found("gpu") == {"a", "b", "c"}
            assert corpus.search.problem == ""


def test_papers_that_go_and_come_back_are_found(
    open_library: Callable[..., Library], put_papers: Callable[..., Any], tmp_path: Path
) -> None:
    library = open_library()
    put_papers(library, {"key": "one", "title": "Memory"})
    library.refresh_index()
    put_papers(library, {"key": "two", "title": "Memory too"})
    library.refresh_index()
    for step, count in ((library.undo, 1), (library.redo, 2), (library.undo, 1)):
        step()
        for _ in range(2):
            assert len(library.search("memory").entries) == count
            library.refresh_index()
            assert library.unindexed == 0
            assert library.index_problem == ""
    committed = library._search._committed
    assert committed
    assert not [one for one in committed.placed if 0 in one.arrays.array("lines", "Q")]
