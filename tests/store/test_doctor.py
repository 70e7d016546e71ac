from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import CannotOpenError, Change, Library, NotSavedError, Status
from anchorlight.store.archive import back_up, copies_in, restore
from anchorlight.store.doctor import LEFTOVER_SECONDS, Check, examine, named
from anchorlight.store.folder import FORMAT

from .conftest import CHECKOUT, SMALL, Clock
from .helpers import Open, contents, full, is_kept, state

Examine = Callable[..., dict[str, Check]]
FILES = ["library.json", "papers.jsonl", "marks.json", "marks.journal", "session.json", "index"]


@pytest.fixture
def examined(folder: Path, tmp_path: Path, clock: Clock) -> Examine:
    """Examine the library in `folder`, and return what was found by name."""

    def examine_it(*, dry_run: bool = False) -> dict[str, Check]:
        def open_it(may_write: bool) -> Library:
            return Library(folder, tmp_path / "cache", clock=clock, may_write=may_write)

        found = examine(open_it, dry_run=dry_run)
        names = [check.name for check in found]
        assert len(names) == len(set(names))
        assert all(check.detail for check in found)
        assert not [check for check in found if check.mended and not check.ok]
        return {check.name: check for check in found}

    return examine_it


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with marks, a note, a session and two copies, and beside it its index."""
    place = tmp_path_factory.mktemp("made")
    clock = Clock()
    library = Library(place / "library", place / "cache", clock=clock)
    (place / "papers.jsonl").write_text("".join(json.dumps(record) + "\n" for record in SMALL))
    library.import_files([place / "papers.jsonl"])
    library.mark({"moe": Change(Status.READ, starred=True)})
    library.write_note("moe", "A note")
    library.write_session({"row": 1})
    library._marks.compact()
    clock.now += timedelta(minutes=90)
    library.mark({"pipe": Change(Status.READ)})
    library._marks.compact()
    library.mark({"quant": Change(Status.QUEUED)})
    library.refresh_index()
    library.close()
    assert (place / "library" / "marks.journal").read_bytes() == b""
    return place


@pytest.fixture
def closed(made: Path, folder: Path, tmp_path: Path, clock: Clock) -> Path:
    """The same library in its place, closed."""
    shutil.copytree(made / "library", folder)
    shutil.copytree(made / "cache", tmp_path / "cache")
    clock.now += timedelta(minutes=90)
    return folder


def bad(found: dict[str, Check]) -> list[str]:
    return [name for name, check in found.items() if not check.ok]


def mended(found: dict[str, Check]) -> list[str]:
    return [name for name, check in found.items() if check.mended]


def test_a_sound_library_is_sound(closed: Path, examined: Examine, folder: Path) -> None:
    before = contents(folder)
    for dry_run in (True, False, True):
        found = examined(dry_run=dry_run)
        assert list(found) == [*FILES, "backups"]
        assert bad(found) == mended(found) == []
    assert "4 papers" in found["papers.jsonl"].detail
    assert "3 papers marked, 1 with notes" in found["marks.json"].detail
    assert "4 of 4 papers" in found["index"].detail
    assert "copies of the marks" in found["backups"].detail
    assert contents(folder) == before


def test_a_new_library_is_sound(open_library: Open, examined: Examine, folder: Path) -> None:
    open_library().close()
    for dry_run in (True, False):
        found = examined(dry_run=dry_run)
        assert bad(found) == mended(found) == []
    assert "0 papers" in found["papers.jsonl"].detail


def test_there_is_nothing_to_examine_where_there_is_no_library(
    examined: Examine, folder: Path
) -> None:
    for dry_run in (True, False):
        with pytest.raises(CannotOpenError):
            examined(dry_run=dry_run)
    assert not folder.exists()


def test_marks_on_papers_that_are_gone_are_counted(
    closed: Path, examined: Examine, folder: Path
) -> None:
    path = folder / "papers.jsonl"
    lines = [line for line in path.read_bytes().splitlines(True) if b'"moe"' not in line]
    path.write_bytes(b"".join(lines))
    assert "1 on papers that are not here" in examined(dry_run=True)["marks.json"].detail


# Damage

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda data: data[: len(data) * 2 // 3],
    "nul": lambda data: b"\x00" * len(data),
    "not utf-8": lambda data: data[:40] + b"\xff\xfe\xff" + data[43:],
    "null": lambda _: b"null",
    "list": lambda _: b"[]",
    "twice": lambda data: data + data,
}
CASES = [
    *(("marks.json", damage) for damage in DAMAGE),
    *(("library.json", damage) for damage in DAMAGE),
    *(("session.json", damage) for damage in ("cut", "nul", "null", "list", "twice", "empty")),
    *(("papers.jsonl", damage) for damage in ("cut", "nul", "not utf-8", "null", "list", "empty")),
    *(("marks.journal", damage) for damage in ("nul", "null", "list", "not utf-8")),
]


def damaged(folder: Path, name: str, damage: str) -> bytes:
    path = folder / name
    data = path.read_bytes() if name != "marks.journal" else b"0" * 60 + b"\n"
    data = DAMAGE[damage](data)
    path.write_bytes(data)
    return data


@pytest.mark.parametrize(("name", "damage"), CASES)
def test_damage_is_found_and_not_touched_by_looking(
    closed: Path, examined: Examine, folder: Path, name: str, damage: str
) -> None:
    damaged(folder, name, damage)
    (folder / "lock").unlink()
    before = contents(folder)
    found = examined(dry_run=True)
    assert bad(found) == [name]
    assert name in found[name].detail
    assert mended(found) == []
    assert contents(folder) == before
    assert not (folder / "lock").exists()
    again = examined(dry_run=True)
    assert again == found


@pytest.mark.parametrize(("name", "damage"), CASES)
def test_damage_is_mended_told_and_kept(
    closed: Path, examined: Examine, open_library: Open, folder: Path, name: str, damage: str
) -> None:
    data = damaged(folder, name, damage)
    found = examined()
    nothing_left = name == "papers.jsonl" and damage in ("nul", "null", "list", "empty")
    is_lost = nothing_left or (name == "papers.jsonl" and damage == "cut")
    assert bad(found) == ([name] if is_lost else [])
    assert (name in mended(found)) is not is_lost
    assert name in found[name].detail
    assert is_kept(folder, data) or not data
    once_more = examined()
    assert bad(once_more) == ([name] if nothing_left else [])
    assert mended(once_more) == []
    library = open_library()
    if name != "papers.jsonl":
        marks = {key: entry.mark.status for key, entry in state(library)[0].items()}
        assert marks == {
            "moe": Status.READ, "pipe": Status.READ, "quant": Status.QUEUED,
            "bare": Status.UNREAD,
        }  # fmt: skip
        assert library.entry("moe").note == "A note"
    assert [notice for notice in library.notices if "holds no papers" not in notice] == []


def test_several_files_are_mended_together(closed: Path, examined: Examine, folder: Path) -> None:
    names = ["library.json", "papers.jsonl", "marks.json", "marks.journal", "session.json"]
    kept = [damaged(folder, name, "not utf-8" if name != "session.json" else "cut") for name in
            names]  # fmt: skip
    assert sorted(bad(examined(dry_run=True))) == sorted(names)
    found = examined()
    assert bad(found) == []
    assert sorted(mended(found)) == sorted(names)
    assert all(is_kept(folder, data) for data in kept)
    asides = [check for name, check in found.items() if ".damaged-" in name]
    assert len(asides) == 5
    assert all(check.ok for check in asides)
    assert bad(examined(dry_run=True)) == []


def test_a_missing_snapshot_is_mended_from_its_copy(
    closed: Path, examined: Examine, folder: Path, open_library: Open
) -> None:
    (folder / "marks.json").unlink()
    found = examined(dry_run=True)
    assert bad(found) == ["marks.json"]
    assert "missing" in found["marks.json"].detail
    assert not (folder / "marks.json").exists()
    found = examined()
    assert mended(found) == ["marks.json"]
    assert open_library().entry("moe").note == "A note"


def test_papers_that_are_fewer_than_they_were_are_told_and_then_accepted(
    closed: Path, examined: Examine, folder: Path
) -> None:
    path = folder / "papers.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(True)[:-1]))
    found = examined(dry_run=True)
    assert bad(found) == ["papers.jsonl"]
    assert "shorter" in found["papers.jsonl"].detail
    found = examined()  # the file is in order then, but what was in it is not back
    assert (bad(found), mended(found)) == (["papers.jsonl"], [])
    assert bad(examined(dry_run=True)) == []


def test_a_damaged_copy_is_told_and_set_aside(
    closed: Path, examined: Examine, folder: Path
) -> None:
    copies = copies_in(folder)
    data = copies[0].path.read_bytes()[:-9]
    copies[0].path.write_bytes(data)
    before = contents(folder)
    found = examined(dry_run=True)
    assert bad(found) == ["backups"]
    assert copies[0].path.name in found["backups"].detail
    assert contents(folder) == before
    found = examined()
    assert mended(found) == ["backups"]
    assert copies[0].path.name in found["backups"].detail
    assert copies[0] not in copies_in(folder)
    assert is_kept(folder / "backups", data)
    assert bad(examined(dry_run=True)) == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("no_open_files")
@pytest.mark.parametrize("damage", ["empty file", "no file", "cut", "other version"])
def test_a_damaged_index_is_told_and_built_anew(
    closed: Path, examined: Examine, tmp_path: Path, folder: Path, damage: str
) -> None:
    (index,) = (tmp_path / "cache").iterdir()
    (toc,) = index.glob("*.toc")
    segment = next(iter(index.glob("*.seg")))
    match damage:
        case "empty file":
            toc.write_bytes(b"")
        case "no file":
            segment.unlink()
        case "cut":
            segment.write_bytes(segment.read_bytes()[:50])
        case "other version":
            (index / "version").write_text("0")
    before = contents(folder)
    found = examined(dry_run=True)
    assert bad(found) == ["index"]
    assert contents(folder) == before
    found = examined()
    assert mended(found) == ["index"]
    assert "4 of 4" in examined(dry_run=True)["index"].detail


def test_an_index_that_is_not_there_is_built(
    closed: Path, examined: Examine, tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path / "cache")
    found = examined(dry_run=True)
    assert bad(found) == []
    assert "not there yet" in found["index"].detail
    assert not (tmp_path / "cache").exists()
    assert "4 of 4" in examined()["index"].detail


def test_a_library_of_the_first_format_is_only_looked_at_by_a_dry_run(
    examined: Examine, folder: Path
) -> None:
    shutil.copytree(CHECKOUT / "tests" / "libraries" / "1", folder)
    before = contents(folder)
    found = examined(dry_run=True)
    assert bad(found) == []
    assert contents(folder) == before
    assert not (folder / "lock").exists()
    found = examined()
    assert bad(found) == []
    assert f'"format": {FORMAT}'.encode() in (folder / "library.json").read_bytes()
    assert "3 papers marked, 2 with notes" in found["marks.json"].detail


def test_a_half_restored_library_is_told_and_finished(
    closed: Path, examined: Examine, folder: Path, tmp_path: Path
) -> None:
    back_up(folder, tmp_path / "backup.zip")
    replace = os.replace

    def not_from_restoring(source: Any, target: Any) -> None:
        if Path(source).parent.name == "restoring":
            full()
        replace(source, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", not_from_restoring)
        with pytest.raises(NotSavedError):
            restore(folder, tmp_path / "backup.zip")
    before = contents(folder)
    found = examined(dry_run=True)
    assert any("half restored" in check.detail for check in found.values() if not check.ok)
    assert contents(folder) == before
    assert bad(examined()) == []
    assert bad(examined(dry_run=True)) == []
    assert not (folder / "restoring").exists()


# What is left behind


@pytest.mark.parametrize("where", [".", "backups"])
def test_an_old_unfinished_file_is_removed_and_a_young_one_left(
    closed: Path, examined: Examine, folder: Path, where: str
) -> None:
    old, young = (folder / where / f".marks.json.{name}.tmp" for name in ("1-2", "3-4"))
    others = [folder / where / name for name in (".hidden", "x.tmp", ".marks.json.tmp.old")]
    hour_ago = time.time() - LEFTOVER_SECONDS
    for path, when in (
        (old, hour_ago - 60), (young, hour_ago + 60), *((one, hour_ago - 60) for one in others)
    ):  # fmt: skip
        path.write_bytes(b"half")
        os.utime(path, (when, when))
    (folder / where / ".folder.tmp").mkdir()
    os.utime(folder / where / ".folder.tmp", (0, 0))
    before = contents(folder)
    found = examined(dry_run=True)
    assert bad(found) == [old.name]
    assert "killed" in found[old.name].detail
    assert contents(folder) == before
    found = examined()
    assert mended(found) == [old.name]
    assert not old.exists()
    assert young.exists()
    assert all(path.exists() for path in others)
    assert bad(examined(dry_run=True)) == []


def test_what_a_killed_restoring_left_is_removed(
    closed: Path, examined: Examine, folder: Path
) -> None:
    left = folder / ".restoring.1234"
    left.mkdir()
    (left / "papers.jsonl").write_bytes(b"staged")
    for path in (left / "papers.jsonl", left):
        os.utime(path, (0, 0))
    assert bad(examined(dry_run=True)) == [left.name]
    examined()
    assert not left.exists()


def test_what_was_set_aside_is_named_and_left(
    closed: Path, examined: Examine, folder: Path
) -> None:
    aside = folder / "marks.json.damaged-20260101T000000"
    aside.write_bytes(b"x")
    for dry_run in (True, False):
        found = examined(dry_run=dry_run)
        assert found[aside.name].ok
        assert not found[aside.name].mended
    assert aside.read_bytes() == b"x"


# What cannot be mended


def test_a_library_that_cannot_be_written_is_looked_at_only(
    closed: Path, examined: Examine, folder: Path, make_unwritable: Callable[[Path], None]
) -> None:
    damaged(folder, "marks.json", "cut")
    damaged(folder, "session.json", "cut")
    before = contents(folder)
    make_unwritable(folder)
    found = examined()
    assert {"marks.json", "session.json"} <= set(bad(found))
    assert mended(found) == []
    assert "cannot be written" in found["library.json"].detail
    assert contents(folder) == before


def test_a_library_of_a_newer_version_is_looked_at_only(
    closed: Path, examined: Examine, folder: Path
) -> None:
    path = folder / "library.json"
    path.write_text(path.read_text().replace(f'"format": {FORMAT}', '"format": 99'))
    damaged(folder, "marks.json", "cut")
    before = contents(folder)
    found = examined()
    assert bad(found) == ["marks.json"]
    assert "newer" in found["library.json"].detail
    assert contents(folder) == before


@pytest.mark.parametrize("call", ["replace", "fsync", "pwrite"])
@pytest.mark.parametrize("name", ["papers.jsonl", "marks.json", "session.json"])
def test_damage_that_cannot_be_mended_is_told_as_such(
    closed: Path, examined: Examine, folder: Path, monkeypatch: pytest.MonkeyPatch, call: str,
    name: str,
) -> None:  # fmt: skip
    data = damaged(folder, name, "cut")
    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        found = examined()
    if name != "session.json":  # that is only renamed
        assert name in bad(found)
        assert name not in mended(found)
        assert (folder / name).read_bytes() == data
    assert is_kept(folder, data)
    examined()
    assert bad(examined()) == []


@pytest.mark.parametrize("what", ["session", "copy"])
def test_what_cannot_be_set_aside_is_told_as_such(
    closed: Path, examined: Examine, folder: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    if what == "session":
        name = "session.json"
        (folder / name).write_bytes(b"{")
    else:
        name = "backups"
        copies_in(folder)[0].path.write_bytes(b"no copy")
    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", full)
        found = examined()
    assert name in bad(found)


def test_a_check_is_bad_where_a_notice_names_its_file() -> None:
    notices = ["/x/marks.json is damaged; its copy is used instead.", "/x/session.json: y."]
    where = Path("/x")
    assert named(where / "marks.json", "fine", notices) == Check("marks.json", False, notices[0])
    assert named(where / "session.json", "x", notices) == Check("session.json", False, notices[1])
    assert named(where / "papers.jsonl", "fine", notices) == Check("papers.jsonl", True, "fine")


@pytest.mark.parametrize("name", ["session.json", "marks.journal", "papers.jsonl"])
def test_a_folder_that_is_called_as_a_file_makes_no_file_bad(
    open_library: Open, tmp_path: Path, clock: Clock, name: str
) -> None:
    folder = tmp_path / name / "library"
    library = open_library(folder)
    library.close()
    (folder / "library.json").write_text("{")

    def open_it(may_write: bool) -> Library:
        return Library(folder, tmp_path / "cache", clock=clock, may_write=may_write)

    found: list[Any] = [check.name for check in examine(open_it, dry_run=True) if not check.ok]
    assert found == ["library.json"]
