from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import (
    BadArchiveError,
    CannotOpenError,
    Change,
    Library,
    NotSavedError,
    Status,
)
from anchorlight.store.archive import MEMBERS, back_up, copies_in, restore
from anchorlight.store.files import Lock
from anchorlight.store.folder import FORMAT
from anchorlight.store.snapshot import decode
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import CHECKOUT, Clock
from .helpers import Open, Put, contents, full, state


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the files of a library, each with its bytes."""
    return {name: (folder / name).read_bytes() for name in MEMBERS if (folder / name).exists()}


def members_of(archive: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(archive) as file:
        return {name: file.read(name) for name in file.namelist()}


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


@pytest.fixture
def used(library: Library, clock: Clock) -> Library:
    """The small library with marks, a note, a list and a session, partly in its journal still."""
    library.mark({"moe": Change(Status.READ, starred=True, add_tags=("GPU",))})
    library.write_note("moe", "A note é")
    library.write_session({"row": 3})
    library._marks.compact()
    clock.now += timedelta(minutes=30)
    library.mark({"pipe": Change(Status.SKIPPED)})
    library.write_note("quant", "Another")
    return library


@pytest.fixture
def archive(used: Library, tmp_path: Path) -> Path:
    back_up(used.folder, tmp_path / "backup.zip")
    return tmp_path / "backup.zip"


# Backing up


def test_a_backup_holds_every_file_but_index_lock_and_copies(used: Library, tmp_path: Path) -> None:
    (used.folder / "marks.json.damaged-20260101T000000").write_bytes(b"\x00damaged")
    used.refresh_index()
    before = contents(used.folder)
    back_up(used.folder, tmp_path / "backup.zip")
    members = members_of(tmp_path / "backup.zip")
    marks = decode(members.pop("marks.json"))
    assert marks.tables == used._marks._storage.read()
    assert marks.seq == used._marks._storage.seq
    files = files_of(used.folder)
    del files["marks.json"], files["marks.journal"]
    assert members == files | {"marks.json.damaged-20260101T000000": b"\x00damaged"}
    assert files_of(used.folder).keys() == set(MEMBERS)
    assert any(name.startswith("backups/marks-") for name in before)
    assert contents(used.folder) == before
    assert (tmp_path / "backup.zip").stat().st_mode & 0o777 == 0o600


def test_a_backup_of_a_library_needs_no_lock_and_no_closing(
    used: Library, open_library: Open, tmp_path: Path
) -> None:
    with Lock(used.folder / "lock").held():
        back_up(used.folder, tmp_path / "backup.zip")
    restore(tmp_path / "new", tmp_path / "backup.zip")
    assert state(open_library(tmp_path / "new")) == state(used)


@pytest.mark.parametrize("name", ["library.json", "marks.json", "papers.jsonl", "session.json"])
def test_files_that_are_missing_are_no_trouble_for_a_backup(
    used: Library, tmp_path: Path, name: str
) -> None:
    (used.folder / name).unlink()
    target = tmp_path / "backup.zip"
    if name == "library.json":
        with pytest.raises(CannotOpenError, match="no library"):
            back_up(used.folder, target)
        assert not target.exists()
        return
    notices = back_up(used.folder, target)
    assert members_of(target).keys() == {"marks.json", *MEMBERS} - {"marks.journal", name} | (
        {"marks.json"}
    )
    assert [name in notice for notice in notices] == [True] * (name == "marks.json")


def test_a_backup_of_a_damaged_library_holds_what_opening_it_would_show(
    used: Library, open_library: Open, tmp_path: Path
) -> None:
    before = state(used)
    used.close()
    path = used.folder / "marks.json"
    path.write_bytes(path.read_bytes()[:40])
    (notice,) = back_up(used.folder, tmp_path / "backup.zip")
    assert "marks.json is damaged" in notice
    assert restore(tmp_path / "new", tmp_path / "backup.zip").notices == []
    assert state(open_library(tmp_path / "new")) == before


def test_what_of_a_backup_is_damaged_is_told_and_the_rest_restored(
    used: Library, archive: Path, open_library: Open, tmp_path: Path
) -> None:
    members = members_of(archive)
    journal = b'00000000 {"seq": 99, "set": {}}\n'
    archive.write_bytes(zipped(members | {"marks.journal": journal}))
    (notice,) = restore(tmp_path / "new", archive).notices
    assert "marks.journal: 1 damaged entry" in notice
    assert state(open_library(tmp_path / "new")) == state(used)


def test_papers_that_cannot_be_read_at_all_are_told(archive: Path, tmp_path: Path) -> None:
    members = members_of(archive)
    archive.write_bytes(zipped(members | {"papers.jsonl": b"\x00 garbage\nand more\n"}))
    (notice,) = restore(tmp_path / "new", archive).notices
    assert str(archive) in notice
    assert "No line of the papers" in notice


def test_a_library_that_is_half_restored_is_not_backed_up(used: Library, tmp_path: Path) -> None:
    (used.folder / "restoring").mkdir()
    with pytest.raises(NotSavedError, match="half restored"):
        back_up(used.folder, tmp_path / "backup.zip")


def test_a_copy_of_the_marks_is_known_whatever_it_is_called(
    used: Library, open_library: Open, tmp_path: Path
) -> None:
    used.close()
    copy = tmp_path / "renamed.gz"
    copy.write_bytes(copies_in(used.folder)[0].path.read_bytes())
    restore(used.folder, copy)
    assert open_library().entry("moe").note == "A note é"


@pytest.mark.parametrize("what", ["file", "folder", "archive"])
def test_a_backup_overwrites_nothing(used: Library, tmp_path: Path, what: str) -> None:
    target = tmp_path / "backup.zip"
    if what == "folder":
        target.mkdir()
    else:
        target.write_bytes(b"mine" if what == "file" else zipped({"library.json": b"{}"}))
    before = contents(tmp_path)
    with pytest.raises(NotSavedError, match=r"backup\.zip"):
        back_up(used.folder, target)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("call", ["open", "pwrite", "fsync", "replace"])
def test_a_backup_that_cannot_be_written_leaves_nothing(
    used: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    before = contents(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(NotSavedError, match="No space left on device"):
            back_up(used.folder, tmp_path / "backup.zip")
    assert contents(tmp_path) == before
    with pytest.raises(NotSavedError, match="nowhere"):
        back_up(used.folder, tmp_path / "nowhere" / "backup.zip")


def test_there_is_no_backup_of_no_library(tmp_path: Path) -> None:
    with pytest.raises(CannotOpenError, match="no library"):
        back_up(tmp_path, tmp_path / "backup.zip")
    assert list(tmp_path.iterdir()) == []


# Restoring


def test_a_library_is_restored_where_there_was_none(
    used: Library, archive: Path, open_library: Open, tmp_path: Path
) -> None:
    before = state(used)
    new = tmp_path / "deep" / "new"
    assert restore(new, archive).kept is None
    assert new.stat().st_mode & 0o777 == 0o700
    again = open_library(new)
    assert state(again) == before
    assert again.session == {"row": 3}
    assert again.notices == []
    assert not again.read_only
    assert all(check.ok for check in again.checks())
    step = again.undo()
    assert step
    assert step.what == "note"
    assert again.entry("quant").note == ""


def test_a_library_is_restored_over_another_and_back(
    used: Library, archive: Path, open_library: Open, put_papers: Put
) -> None:
    backed_up = state(used)
    put_papers(used, {"key": "new", "title": "New", "anchors": ["moe"]})
    used.mark({"moe": Change(Status.QUEUED)})
    used.write_note("moe", "Later")
    used.write_session({"row": 9})
    later = state(used)
    used.close()
    before = files_of(used.folder)
    kept = restore(used.folder, archive).kept
    assert kept
    assert kept.parent == used.folder / "backups"
    assert kept.name.startswith("before-restore-")
    assert members_of(kept) == before
    again = open_library()
    assert state(again) == backed_up
    assert again.session == {"row": 3}
    assert again.notices == []
    again.close()
    back = restore(used.folder, kept)
    assert back
    assert back != kept
    restored = open_library()
    assert state(restored) == later
    assert restored.session == {"row": 9}


def test_nothing_but_the_files_of_a_library_is_touched_by_restoring(
    used: Library, archive: Path
) -> None:
    used.close()
    (used.folder / "mine.txt").write_text("mine")
    before = contents(used.folder)
    kept = restore(used.folder, archive).kept
    assert kept
    after = contents(used.folder)
    assert after.pop(kept.relative_to(used.folder).as_posix())
    ours = {*MEMBERS, *(name for name in after | before if name.startswith("backups/marks-"))}
    assert {name: data for name, data in after.items() if name not in ours} == {
        name: data for name, data in before.items() if name not in ours
    }
    assert "mine.txt" in after


@pytest.mark.parametrize("had", ["no papers", "no marks", "no session", "nothing"])
def test_an_archive_without_papers_leaves_them_and_one_without_marks_none(
    used: Library, open_library: Open, tmp_path: Path, had: str
) -> None:
    members = {
        "no papers": {"papers.jsonl"},
        "no marks": {"marks.json", "marks.journal"},
        "no session": {"session.json"},
        "nothing": set(MEMBERS) - {"library.json"},
    }[had]
    source = tmp_path / "part.zip"
    kept = {name: data for name, data in files_of(used.folder).items() if name not in members}
    source.write_bytes(zipped(kept))
    before = state(used)
    used.close()
    restore(used.folder, source)
    again = open_library()
    entries, _ = state(again)
    if "marks.json" in members:
        assert {key: entry.paper for key, entry in entries.items()} == {
            key: entry.paper for key, entry in before[0].items()
        }
        assert not any(entry.mark.changed or entry.note for entry in entries.values())
    else:
        assert state(again) == before


def test_an_open_program_sees_what_was_restored(
    used: Library, archive: Path, put_papers: Put
) -> None:
    backed_up = state(used)
    put_papers(used, {"key": "new", "title": "New"})
    used.mark({"moe": Change(Status.QUEUED), "new": Change(starred=True)})
    restore(used.folder, archive)
    assert used.refresh()
    assert state(used) == backed_up
    used.mark({"bare": Change(Status.READ)})
    assert used.entry("bare").mark.status is Status.READ
    assert used.entry("moe").mark.status is Status.READ


def test_an_archive_of_the_first_format_is_restored_and_brought_up_to_date(
    open_library: Open, folder: Path, tmp_path: Path
) -> None:
    old = CHECKOUT / "tests" / "libraries" / "1"
    source = tmp_path / "old.zip"
    source.write_bytes(zipped({path.name: path.read_bytes() for path in old.iterdir()}))
    restore(folder, source)
    library = open_library()
    assert len(library) == 5
    assert library.entry("bare").mark.status is Status.QUEUED
    assert library.entry("quant").note == "Ein Einwand: é 東京"
    assert library.session["list"] == "anchor:anchor"
    assert json.loads((folder / "library.json").read_bytes())["format"] == FORMAT


def test_what_was_kept_before_a_new_format_is_restored_with_the_papers(
    open_library: Open, folder: Path
) -> None:
    """It holds no papers, as nothing was going to happen to them: they stay."""
    shutil.copytree(CHECKOUT / "tests" / "libraries" / "1", folder)
    library = open_library()
    before = state(library)
    library.mark({"moe": Change(Status.UNREAD, starred=False)})
    library.write_note("quant", "")
    library.close()
    (kept,) = (folder / "backups").glob("before-format-*.zip")
    restore(folder, kept)
    again = open_library()
    assert len(again) == 5
    assert state(again) == before


# Copies of the marks


def test_a_copy_of_the_marks_is_restored_and_the_papers_stay(
    used: Library, open_library: Open, put_papers: Put
) -> None:
    (copy,) = copies_in(used.folder)
    put_papers(used, {"key": "new", "title": "New"})
    used.close()
    papers = (used.folder / "papers.jsonl").read_bytes()
    kept = restore(used.folder, copy.path).kept
    assert kept
    again = open_library()
    entries, _ = state(again)
    assert entries.keys() == {"moe", "pipe", "quant", "bare", "new"}
    assert (entries["moe"].mark.status, entries["moe"].note) == (Status.READ, "A note é")
    assert entries["pipe"].mark.status is Status.UNREAD
    assert entries["quant"].note == ""
    assert again.session == {"row": 3}
    assert (used.folder / "papers.jsonl").read_bytes() == papers
    assert not [notice for notice in again.notices if "missing" not in notice]


def test_what_was_there_before_a_copy_was_restored_is_kept_and_can_be_restored(
    used: Library, open_library: Open
) -> None:
    (copy,) = copies_in(used.folder)
    before = state(used)
    used.close()
    files = files_of(used.folder)
    kept = restore(used.folder, copy.path).kept
    assert kept
    assert files.items() >= members_of(kept).items()
    assert {"marks.json", "marks.journal"} <= members_of(kept).keys()
    restore(used.folder, kept)
    again = open_library()
    assert len(again) == 4
    assert state(again) == before


def test_a_copy_is_restored_where_there_is_no_library(
    used: Library, open_library: Open, tmp_path: Path
) -> None:
    (copy,) = copies_in(used.folder)
    assert restore(tmp_path / "new", copy.path).kept is None
    library = open_library(tmp_path / "new")
    assert len(library) == 0
    assert library._marks.note("moe") == "A note é"
    assert any("no papers" in notice for notice in library.notices)


def test_what_is_written_after_restoring_survives_damage_of_the_marks(
    used: Library, open_library: Open, clock: Clock
) -> None:
    """Copies of what was there before must not be taken for newer than what was restored."""
    (copy,) = copies_in(used.folder)
    for number in range(10):
        used.mark({"bare": Change(starred=number % 2 == 0)})
    used.close()
    restore(used.folder, copy.path)
    again = open_library()
    again.mark({"bare": Change(Status.READING)})
    (used.folder / "marks.json").write_bytes(b"")  # as in a crash: nothing was folded
    after = open_library()
    assert after.entry("bare").mark.status is Status.READING
    assert not after.entry("bare").mark.starred
    assert after.entry("moe").note == "A note é"
    assert after.entry("quant").note == ""


# What is no archive


def bad_archives(archive: Path) -> dict[str, bytes]:
    whole = archive.read_bytes()
    members = members_of(archive)
    facts = json.loads(members["library.json"])
    return {
        "empty": b"",
        "text": b"no archive",
        "nul": b"\x00" * len(whole),
        "truncated": whole[:-30],
        "truncated early": whole[: len(whole) // 2],
        "damaged inside": whole[:60] + bytes(byte ^ 1 for byte in whole[60:90]) + whole[90:],
        "foreign": zipped({"word/document.xml": b"<x/>"}),
        "holds nothing": zipped({}),
        "no facts": zipped({name: data for name, data in members.items() if "library" not in name}),
        "damaged facts": zipped(members | {"library.json": b"{"}),
        "facts of another kind": zipped(members | {"library.json": b'{"format": null}'}),
        "newer": zipped(members | {"library.json": json.dumps(facts | {"format": 99}).encode()}),
    }


@pytest.mark.parametrize(
    "how",
    ["empty", "text", "nul", "truncated", "truncated early", "damaged inside", "foreign",
     "holds nothing", "no facts", "damaged facts", "facts of another kind", "newer",
     ],
)  # fmt: skip
@pytest.mark.parametrize("over", ["a library", "nothing"])
def test_what_is_no_archive_is_refused_and_nothing_changed(
    used: Library, archive: Path, tmp_path: Path, how: str, over: str
) -> None:
    source = tmp_path / "bad.zip"
    source.write_bytes(bad_archives(archive)[how])
    target = used.folder if over == "a library" else tmp_path / "new"
    before = contents(tmp_path)
    with pytest.raises(BadArchiveError) as caught:
        restore(target, source)
    assert str(source) in caught.value.message
    assert contents(tmp_path) == before


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "marks in it"])
def test_a_damaged_copy_is_refused_and_nothing_changed(
    used: Library, tmp_path: Path, damage: str
) -> None:
    (copy,) = copies_in(used.folder)
    whole = copy.path.read_bytes()
    copy.path.write_bytes(
        {
            "cut": whole[:-9],
            "flipped": whole[:30] + bytes([whole[30] ^ 255]) + whole[31:],
            "empty": b"",
            "marks in it": gzip.compress(b'{"marks": []}'),
        }[damage]
    )
    before = contents(tmp_path)
    with pytest.raises(BadArchiveError, match=copy.path.name):
        restore(used.folder, copy.path)
    assert contents(tmp_path) == before


@pytest.mark.parametrize("what", ["none", "folder"])
def test_an_archive_that_cannot_be_read_is_refused(
    used: Library, tmp_path: Path, what: str
) -> None:
    source = tmp_path / "backup.zip"
    if what == "folder":
        source.mkdir()
    before = contents(tmp_path)
    with pytest.raises(BadArchiveError, match=r"backup\.zip"):
        restore(used.folder, source)
    assert contents(tmp_path) == before


def test_a_library_in_another_programs_hands_is_not_restored(
    used: Library, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anchorlight.store.files.LOCK_SECONDS", 0.0)
    before = contents(used.folder)
    with (
        Lock(used.folder / "lock").held(),
        pytest.raises(NotSavedError, match="another program"),
    ):
        restore(used.folder, archive)
    assert contents(used.folder) == before


@settings(max_examples=60)
@given(data=st.data())
def test_a_changed_byte_of_an_archive_is_refused_or_harmless(
    small: tuple[Path, dict[str, bytes]], data: st.DataObject
) -> None:
    source, members = small
    whole = bytearray(zipped_small(members))
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] = data.draw(st.integers(0, 255))
    source.write_bytes(whole)
    check_refused_or_harmless(source, members)


def test_an_archive_that_tells_wrong_things_of_its_parts_is_refused_or_harmless(
    small: tuple[Path, dict[str, bytes]],
) -> None:
    source, members = small
    whole = zipped_small(members)
    directory = whole.rindex(b"PK\x01\x02")
    for at in (*range(30), *range(directory, directory + 46)):
        for value in (0, 14, 255):  # 14 is another way of packing
            source.write_bytes(whole[:at] + bytes([value]) + whole[at + 1 :])
            check_refused_or_harmless(source, members)


@pytest.fixture
def small(tmp_path: Path) -> tuple[Path, dict[str, bytes]]:
    facts = {"format": FORMAT, "id": "abc", "created": "2026-01-15T12:00:00.000+00:00"}
    return tmp_path / "small.zip", {"library.json": json.dumps(facts).encode()}


def zipped_small(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 15, 12, 0, 0)), data, 8)
    return buffer.getvalue()


def check_refused_or_harmless(source: Path, members: dict[str, bytes]) -> None:
    folder = source.parent / "small"
    try:
        restore(folder, source)
    except BadArchiveError:
        assert not folder.exists()
        return
    assert (folder / "library.json").read_bytes() == members["library.json"]
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    "name", ["../../x", "/tmp/x", "../marks.json", "backups/x", "./papers.jsonl", "lock", "C:\\x",
             "sub/library.json", "marks.json/x", "x\n", "library.json.damaged-20260115T120000"],
)  # fmt: skip
def test_other_names_in_an_archive_are_ignored(
    used: Library, archive: Path, tmp_path: Path, open_library: Open, name: str
) -> None:
    source = tmp_path / "more.zip"
    source.write_bytes(zipped({name: b"evil"} | members_of(archive) | {f"{name}2": b"evil"}))
    expected = state(used)
    target = tmp_path / "deep" / "deeper" / "new"
    before = contents(tmp_path)
    restore(target, source)
    after = contents(tmp_path)
    assert {name for name in after if not name.startswith("deep")} == set(before)
    assert b"evil" not in after.values()
    assert not Path("/tmp/x").exists()
    assert state(open_library(target)) == expected


# Interruptions

Told = tuple[dict[str, Any], dict[str, Any]]


class KilledError(BaseException):
    """Stands for the end of the program; nothing that it would do after it is done."""


class Killer:
    """Ends the program at one of its calls that change a name, and at every one after it."""

    CALLS = ("replace", "rename", "rmdir", "mkdir", "unlink", "ftruncate", "pwrite")

    def __init__(self, patch: pytest.MonkeyPatch, at: int) -> None:
        self.count = 0
        self._at = at
        for name in self.CALLS:
            patch.setattr(os, name, self._ending(name, getattr(os, name)))

    def _ending(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def ending(*args: Any, **more: Any) -> Any:
            if name in ("replace", "rename", "rmdir"):
                self.count += 1
            if self.count >= self._at:
                raise KilledError(name)
            return call(*args, **more)

        return ending


@pytest.mark.parametrize("over", ["a library", "nothing"])
@pytest.mark.parametrize("from_what", ["archive", "copy"])
def test_restoring_that_is_interrupted_anywhere_is_finished_or_was_not_begun(
    library: Library, put_papers: Put, open_library: Open, tmp_path: Path, clock: Clock,
    over: str, from_what: str,
) -> None:  # fmt: skip
    library.mark({"moe": Change(Status.READ)})
    library.write_note("moe", "then")
    library._marks.compact()
    (copy,) = copies_in(library.folder)
    source = tmp_path / "backup.zip"
    if from_what == "archive":
        back_up(library.folder, source)
    else:
        source = tmp_path / copy.path.name
        source.write_bytes(copy.path.read_bytes())
    clock.now += timedelta(hours=1)
    put_papers(library, {"key": "new", "title": "New"})
    library.write_note("moe", "now")
    library.close()
    now = files_of(library.folder)
    outcomes = list[str]()
    for at in range(1, 60):
        folder = tmp_path / f"restored {at}"
        if over == "a library":
            folder.mkdir()
            for name, data in now.items():
                (folder / name).write_bytes(data)
        with pytest.MonkeyPatch.context() as patch:
            killer = Killer(patch, at)
            try:
                restore(folder, source)
                outcomes.append("whole")
            except KilledError:
                pass
        if killer.count < at:
            break
        again = open_library(folder)
        notes = again._marks.note("moe")
        keys = set(state(again)[0])
        if notes == "then":
            outcomes.append("finished")
            new = set() if from_what == "archive" else {"new"}
            old = {"moe", "pipe", "quant", "bare"}
            assert keys == (old | new if over == "a library" or from_what == "archive" else set())
            assert not again.read_only
        else:
            outcomes.append("not begun")
            if over == "a library":
                assert (notes, len(keys)) == ("now", 5)
                assert again.notices == []
            else:
                assert (notes, keys) == ("", set())
        assert not (folder / "restoring").exists()
        again.mark(dict.fromkeys(keys & {"pipe"}, Change(starred=True)))
        again.close()
    else:
        raise AssertionError("it was interrupted every time")
    assert outcomes == sorted(outcomes, key=["not begun", "finished", "whole"].index)
    assert set(outcomes) == {"not begun", "finished", "whole"}
    assert outcomes.count("not begun") >= 3
    assert outcomes.count("finished") >= 3


@pytest.fixture
def half_restored(used: Library, archive: Path, put_papers: Put) -> Told:
    """Interrupt the restoring of `used` when its papers are in place, and tell what it holds."""
    expected = state(used)
    put_papers(used, {"key": "new", "title": "New"})
    used.mark({"moe": Change(Status.QUEUED)})
    used.close()
    replace, calls = os.replace, []

    def not_the_second(source: Any, target: Any) -> None:
        if Path(source).parent.name == "restoring":
            calls.append(target)
            if len(calls) > 1:
                full()
        replace(source, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", not_the_second)
        with pytest.raises(NotSavedError, match="No space"):
            restore(used.folder, archive)
    assert len(list((used.folder / "restoring").iterdir())) == 4
    return expected


def test_what_is_half_restored_is_finished_before_the_next_restoring(
    half_restored: Told, folder: Path, open_library: Open, tmp_path: Path, archive: Path
) -> None:
    new = tmp_path / "new.zip"
    new.write_bytes(zipped({"library.json": (folder / "library.json").read_bytes()}))
    kept = restore(folder, new).kept
    assert kept
    assert not (folder / "restoring").exists()
    restore(folder, kept)
    assert state(open_library()) == half_restored


def test_a_half_restored_library_that_cannot_be_finished_is_not_opened(
    half_restored: Told, folder: Path, open_library: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(CannotOpenError, match="half restored") as caught:
            open_library()
    assert "No space left on device" in caught.value.message
    assert state(open_library()) == half_restored


def test_a_file_of_somebody_else_among_those_to_be_restored_keeps_nobody_out(
    half_restored: Told, folder: Path, open_library: Open
) -> None:
    """Some systems put a file of their own into every folder that they show."""
    (folder / "restoring" / ".DS_Store").write_bytes(b"theirs")
    assert state(open_library()) == half_restored


def test_a_half_restored_library_is_told_to_be_one_where_nothing_may_be_written(
    half_restored: Told, folder: Path, open_library: Open
) -> None:
    before = contents(folder)
    reader = open_library(may_write=False)
    assert any("half restored" in notice for notice in reader.notices)
    reader.close()
    assert contents(folder) == before
    assert state(open_library()) == half_restored


@pytest.mark.parametrize("call", ["fsync", "pwrite", "mkdir", "rename"])
@pytest.mark.parametrize("over", ["a library", "nothing"])
def test_restoring_that_fails_is_told_and_leaves_what_was_there(
    used: Library, archive: Path, tmp_path: Path, open_library: Open,
    monkeypatch: pytest.MonkeyPatch, call: str, over: str,
) -> None:  # fmt: skip
    used.mark({"moe": Change(Status.QUEUED)})
    used.close()
    target = used.folder if over == "a library" else tmp_path / "new"
    before = files_of(target)
    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(NotSavedError, match="No space left on device"):
            restore(target, archive)
    assert files_of(target) == before
    assert not target.exists() or not list(target.glob(".*"))
    restore(target, archive)
    assert open_library(target).entry("moe").mark.status is Status.READ


def test_what_was_restored_is_not_told_to_have_failed_where_only_its_copy_did(
    used: Library, archive: Path, open_library: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = state(used)
    used.mark({"moe": Change(Status.QUEUED)})
    used.close()
    replace = os.replace

    def no_copy(source: Any, target: Any) -> None:
        if Path(target).name.startswith("marks-"):
            full()
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", no_copy)
        assert restore(used.folder, archive).kept
    assert state(open_library()) == expected


def test_what_a_killed_restoring_left_is_never_taken_for_a_part_of_the_next(
    used: Library, archive: Path, open_library: Open, put_papers: Put
) -> None:
    """A program in a container often has the number that the killed one had."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "rename", lambda *_: (_ for _ in ()).throw(KilledError))
        with pytest.raises(KilledError):
            restore(used.folder, archive)
    put_papers(used, {"key": "new", "title": "New"})
    used.close()
    restore(used.folder, copies_in(used.folder)[0].path)
    assert len(open_library()) == 5
