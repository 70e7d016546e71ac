"""Single cases in which two things go wrong at once, or something at a bad moment."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import Change, Library, NotSavedError, Status, StoreError, files, journal
from anchorlight.store.archive import back_up, restore
from anchorlight.store.journal import JournalStorage

from .layer import Fault, Layer
from .programs import state_of
from .scenes import Bench, filled, release, without_copies

STAR = {"moe": Change(starred=True), "bare": Change(starred=True)}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A bench whose libraries are let go of in the end."""
    bench = Bench(tmp_path / "bench", tmp_path / "files", locks=True)
    for folder in (bench.folder, bench.files):
        folder.mkdir()
    opened: list[Library] = []
    usual = bench.opened

    def open_one(*args: Any, **options: Any) -> Library:
        opened.append(usual(*args, **options))
        return opened[-1]

    bench.opened = open_one  # type: ignore[method-assign]
    yield bench
    for library in opened:
        release(library)


def failing_once(calls: Callable[..., Any], number: int, error: int) -> Callable[..., Any]:
    """Return a call of the system that fails once: at the call of a number."""
    left = [number]

    def call(*args: Any, **more: Any) -> Any:
        left[0] -= 1
        if left[0] == -1:
            raise OSError(error, os.strerror(error))
        return calls(*args, **more)

    return call


# A fold that fails


@pytest.mark.parametrize("number", range(3))
def test_a_change_is_not_lost_where_a_folder_cannot_be_synced_while_folding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    path = tmp_path / "marks.json"
    with closing(JournalStorage(path)) as storage:
        storage.append({"notes": {"a": {"text": "one"}}})
        with monkeypatch.context() as patch:
            patch.setattr(journal, "COMPACT_BYTES", 0)
            patch.setattr(files, "sync_folder", failing_once(files.sync_folder, number, errno.EIO))
            storage.append({"notes": {"b": {"text": "two"}}})
    with closing(JournalStorage(path)) as storage:
        assert storage.table("notes") == {"a": {"text": "one"}, "b": {"text": "two"}}


# Writers and readers at the same moment


def test_a_line_that_is_being_written_while_a_library_is_opened_is_no_damage(bench: Bench) -> None:
    filled(bench)
    path = bench.home / "marks.journal"
    before = path.read_bytes()
    writer = bench.opened()
    writer.write_note("bare", "a note")
    line = path.read_bytes()[len(before) :]
    os.truncate(path, len(before) + 20)  # as another program finds it in the midst of the write
    with (bench.home / "lock").open("r+b") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        library = bench.opened(may_write=False)
        with path.open("r+b") as file:
            file.seek(len(before))
            file.write(line)
    library.refresh()
    assert library.entry("bare").note == "a note"
    assert library.notices == []


def test_a_line_that_was_seen_and_taken_back_hides_none_that_came_after(tmp_path: Path) -> None:
    """A reader reads a line before its sync fails; another writer's line comes in its place."""
    path = tmp_path / "marks.json"
    with (
        closing(JournalStorage(path)) as failing,
        closing(JournalStorage(path)) as writer,
        closing(JournalStorage(path)) as reader,
        pytest.MonkeyPatch.context() as patch,
    ):
        failing.append({"notes": {"a": {"text": "one"}}})
        for storage in (writer, reader):
            storage.poll()

        def sync(_: int) -> None:
            reader.poll()
            raise OSError(errno.EIO, "Input/output error")

        patch.setattr(files, "_sync", sync)
        with pytest.raises(OSError, match="Input/output"):
            failing.append({"notes": {"b": {"text": "never stored"}}})
        patch.undo()
        writer.poll()
        writer.append({"notes": {"c": {"text": "stored by another"}}})
        reader.poll()
        assert reader.table("notes").keys() == {"a", "c"}
        reader.append({"notes": {"d": {"text": "stored by the reader"}}})
        reader.compact()
    with closing(JournalStorage(path)) as storage:
        assert storage.table("notes").keys() == {"a", "c", "d"}


def test_what_changed_is_searched_also_where_a_refresh_failed_half_way(bench: Bench) -> None:
    filled(bench)
    library = bench.opened()
    library.refresh_index()
    another = bench.opened()
    another.write_note("bare", "zebra")
    with Layer(bench.home) as layer:
        papers = next(
            number
            for number, call in enumerate(_calls_of(library.refresh, layer))
            if call == ("stat", "papers.jsonl")
        )
    another.write_note("moe", "zebra")
    with Layer(bench.home) as layer:
        layer.arm(Fault(("stat",), papers, errno.EIO))
        with pytest.raises((OSError, StoreError)):
            library.refresh()
    library.refresh()
    found = [entry.paper.key for entry in library.search("zebra").entries]
    library.close()
    assert sorted(found) == ["bare", "moe"]


def _calls_of(act: Callable[[], object], layer: Layer) -> list[tuple[str, str]]:
    layer.arm(None)
    act()
    return [(call.kind, call.name) for call in layer.armed_calls if call.kind == "stat"]


def test_a_part_of_a_note_that_came_back_is_not_taken_for_one_that_was_replaced(
    bench: Bench,
) -> None:
    """It was replaced here before the copy was made, and written there again after that."""
    filled(bench)
    library = bench.opened()
    library.write_note("bare", "one")
    library.write_note("bare", "two")
    shutil.copytree(bench.home, bench.folder / "other")
    other = bench.opened(bench.folder / "other")
    other.write_note("bare", "one", "")  # keeps both, as the writer did not know of the other
    assert "one" in other.entry("bare").note
    library.merge(bench.folder / "other")
    note = library.entry("bare").note
    assert "two" in note
    assert "one" in note


# An undo that is cut in two


def test_an_undo_that_was_cut_in_two_can_be_done_again_and_taken_back(bench: Bench) -> None:
    """Its papers were on the disk when the power went off, its marks were not."""
    filled(bench)
    library = bench.opened()
    record = {"key": "new", "title": "A New Paper", "note": "a note", "status": "read"}
    library.import_files([bench.file("one.jsonl", record)])
    before = state_of(library)
    data = (bench.home / "marks.journal").read_bytes()
    library.undo()
    release(library)
    (bench.home / "marks.journal").write_bytes(data)
    library = bench.opened()
    while state_of(library) != before and library.redo():
        pass
    if state_of(library) != before:
        library.undo()
        assert "new" not in state_of(library)
        library.redo()
    assert state_of(library) == before


# Restoring that is interrupted


def test_a_change_between_a_restoring_that_failed_and_its_end_is_not_lost(bench: Bench) -> None:
    """Another program goes on writing after restoring failed half way."""
    filled(bench)
    back_up(bench.home, bench.folder / "all.zip")
    library = bench.opened()
    with Layer(bench.home) as layer:
        layer.arm(Fault(("replace",), 8, errno.EIO))
        with pytest.raises(StoreError):
            restore(bench.home, bench.folder / "all.zip")
    assert (bench.home / "restoring").exists()
    library.write_note("bare", "acknowledged")
    again = bench.opened()
    assert again.entry("bare").note == "acknowledged"


def test_what_a_killed_restoring_left_does_not_get_into_the_next(bench: Bench) -> None:
    """The number of a process is soon given to another, in a container at once."""
    filled(bench)
    library = bench.opened()
    expected = state_of(library)
    library.close()
    left = bench.home / f".restoring.{os.getpid()}"
    left.mkdir()
    (left / "papers.jsonl").write_bytes(b'{"key": "stale", "title": "Of Another Library"}\n')
    (left / ".marks.json.1-1.tmp").write_bytes(b"half")
    (copy,) = (bench.home / "backups").glob("marks-*.json.gz")
    restore(bench.home, copy)
    assert state_of(bench.opened()).keys() == expected.keys()


def test_what_another_program_puts_into_a_folder_of_ours_keeps_nobody_out(bench: Bench) -> None:
    """As the desktop of a Mac does, or a program that keeps folders alike."""
    filled(bench)
    (bench.home / "restoring").mkdir()
    (bench.home / "restoring" / ".DS_Store").write_bytes(b"")
    bench.opened()


def test_a_library_that_is_half_restored_is_not_shown_as_if_it_were_whole(bench: Bench) -> None:
    filled(bench)
    back_up(bench.home, bench.folder / "all.zip")
    library = bench.opened()
    library.mark({"bare": Change(status=Status.SKIPPED)})
    library.import_files([bench.file("one.jsonl", {"key": "late", "title": "A Late Paper"})])
    library.close()
    with Layer(bench.home) as layer:
        layer.arm(Fault(("replace",), 8, errno.EIO, lasts=True))
        with pytest.raises(StoreError):
            restore(bench.home, bench.folder / "all.zip")
    assert (bench.home / "restoring").exists()
    reader = bench.opened(may_write=False)
    shown = state_of(reader)
    is_before = shown["bare"]["status"] == "skipped"
    assert ("late" in shown) == is_before or reader.notices


def test_a_file_that_cannot_be_moved_into_place_is_not_thrown_away(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file system on the network may say that a file is not there which is."""
    filled(bench)
    library = bench.opened()
    expected = state_of(library)
    back_up(bench.home, bench.folder / "all.zip")
    library.write_note("bare", "written after the backup")
    library.close()
    replace, staged = os.replace, bench.home / "restoring" / "marks.json"

    def missing(source: Path, target: Path) -> None:
        if source == staged:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        replace(source, target)

    with monkeypatch.context() as patch, suppress(StoreError):
        patch.setattr(os, "replace", missing)
        restore(bench.home, bench.folder / "all.zip")
    assert state_of(bench.opened()) == expected


# Files that are gone


def test_marks_that_are_gone_are_never_taken_for_none(bench: Bench) -> None:
    without_copies(bench)
    bench.opened().close()
    shutil.rmtree(bench.home / "backups")
    assert (bench.home / "marks.journal").read_bytes() == b""
    (bench.home / "marks.json").unlink()
    library = bench.opened()
    assert library.notices


def test_copies_that_cannot_be_listed_are_not_taken_for_none(bench: Bench) -> None:
    filled(bench)
    (bench.home / "marks.json").write_bytes(b"garbage")
    with Layer(bench.home) as layer, suppress(StoreError):
        layer.arm(Fault(("scandir",), 0, errno.EACCES))
        bench.opened()
    assert layer.fired
    again = bench.opened()
    assert again.entry("quant").note == "what quant is about"


def test_a_copy_that_cannot_be_read_now_is_not_taken_for_damaged(bench: Bench) -> None:
    filled(bench)
    (bench.home / "marks.json").write_bytes(b"garbage")
    with Layer(bench.home) as layer:
        (copy,) = (bench.home / "backups").glob("marks-*.json.gz")
        name = str(copy.relative_to(bench.home))
        opened = [call.name for call in _opened_by(lambda: bench.opened(may_write=False), layer)]
        layer.arm(Fault(("open",), opened.index(name), errno.EIO))
        with suppress(StoreError):
            bench.opened()
    again = bench.opened()
    assert again.entry("quant").note == "what quant is about"


def _opened_by(act: Callable[[], object], layer: Layer) -> list[Any]:
    layer.arm(None)
    act()
    return [call for call in layer.armed_calls if call.kind == "open"]


# Whatever is asked of it, none but our own errors come out


def test_a_folder_that_cannot_be_listed_cannot_be_imported(bench: Bench) -> None:
    filled(bench)
    library = bench.opened()
    bench.file("one.jsonl", {"key": "one", "title": "One"})
    with Layer(bench.files) as layer:
        layer.arm(Fault(("scandir",), 0, errno.EACCES))
        with suppress(StoreError):
            library.import_files([bench.files])
    assert layer.fired


def test_a_clock_that_stands_at_its_beginning_prevents_no_backup(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small computer without a battery starts in 1970."""
    filled(bench)
    monkeypatch.setattr(time, "time", lambda: 0.0)
    back_up(bench.home, bench.folder / "all.zip")
    assert (bench.folder / "all.zip").exists()


def test_a_lock_that_cannot_be_had_is_given_up_in_the_end(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some file systems tell another number of a file that is open than of its name."""
    filled(bench)
    library = bench.opened()
    monkeypatch.setattr(files, "LOCK_SECONDS", 0.02)
    fstat, count = os.fstat, [0]

    def other(handle: int) -> os.stat_result:
        count[0] += 1
        assert count[0] < 100, "it never ends"
        status = fstat(handle)
        return os.stat_result((status.st_mode, status.st_ino + 1, *status[2:]))

    monkeypatch.setattr(os, "fstat", other)
    with pytest.raises(NotSavedError):
        library.mark(STAR)
