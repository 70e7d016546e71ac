from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import closing, nullcontext, suppress
from pathlib import Path

import pytest
from anchorlight.store import NotSavedError, files
from anchorlight.store.files import (
    GrowingFile,
    Lock,
    is_leftover,
    keep_aside,
    read_file,
    reason,
    remove_file,
    replace_file,
    set_aside,
    sync_folder,
    why,
)

from .helpers import contents, full


@pytest.fixture
def growing(tmp_path: Path) -> Iterator[GrowingFile]:
    file = GrowingFile(tmp_path / "log", torn_counts=True)
    file.load()
    yield file
    file.close()


def test_a_file_is_replaced_whole_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for data in (b"one", b"", b"three"):
        replace_file(path, data)
        assert path.read_bytes() == data
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("call", ["fsync", "replace", "pwrite", "open"])
def test_a_failed_replacement_leaves_the_file_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "file"
    replace_file(path, b"before")
    with monkeypatch.context() as patch:
        patch.setattr(os, call, full)
        with pytest.raises(OSError, match="No space"):
            replace_file(path, b"after")
    assert path.read_bytes() == b"before"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_replacement_in_pieces_is_completed_before_it_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pwrite = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda handle, data, at: pwrite(handle, data[:2], at))
    replace_file(tmp_path / "file", b"longer than two")
    assert (tmp_path / "file").read_bytes() == b"longer than two"


def test_a_replacement_is_on_the_disk_before_it_has_its_name_and_the_name_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(handle: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        fsync(handle)

    def renamed(source: Path, target: Path) -> None:
        done.append("name")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", renamed)
    replace_file(tmp_path / "file", b"data")
    assert done == ["file", "name", "folder"]


def test_what_a_killed_write_leaves_is_known_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill runs nothing any more, not even what cleans up."""
    monkeypatch.setattr(os, "replace", full)
    monkeypatch.setattr(os, "unlink", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(tmp_path / "marks.json", b"data")
    (left,) = tmp_path.iterdir()
    assert is_leftover(left)
    for name in ("marks.json", "marks.tmp", ".hidden", "marks.json.damaged-20260115T120000"):
        assert not is_leftover(tmp_path / name)


def test_a_file_is_private_to_its_owner(tmp_path: Path) -> None:
    replace_file(tmp_path / "file", b"data")
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    data = bytes(range(256)) * 70_000
    (tmp_path / "file").write_bytes(data)
    assert read_file(tmp_path / "file") == data
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "none")
    with pytest.raises(IsADirectoryError) as caught:
        read_file(tmp_path)
    assert caught.value.filename == str(tmp_path)


def test_what_is_kept_aside_stays_in_its_place_too(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"whole and damaged")
    names = {keep_aside(tmp_path / "file", data).name for data in (b"damaged", b"more")}
    assert len(names) == 2
    assert sorted(contents(tmp_path).values(), key=str) == [
        b"damaged", b"more", b"whole and damaged"
    ]  # fmt: skip
    assert all(name.startswith("file.damaged-") for name in names)


def test_removing_what_is_not_there_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    remove_file(tmp_path / "file")
    remove_file(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "is_failure"),
    [(errno.EINVAL, False), (errno.EACCES, False), (errno.EIO, True), (errno.ENOSPC, True)],
)
def test_only_systems_that_cannot_sync_a_folder_are_forgiven(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, is_failure: bool
) -> None:
    def fail(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r".") if is_failure else nullcontext():
        sync_folder(tmp_path)


def test_a_damaged_file_set_aside_never_covers_another(tmp_path: Path) -> None:
    names = set()
    for data in (b"one", b"two", b"three"):
        (tmp_path / "file").write_bytes(data)
        aside = set_aside(tmp_path / "file")
        assert aside.read_bytes() == data
        assert aside.name.startswith("file.damaged-")
        names.add(aside.name)
    assert {path.name for path in tmp_path.iterdir()} == names
    assert len(names) == 3


def test_a_reason_has_no_decoration() -> None:
    assert reason(OSError(errno.ENOSPC, "No space left on device")) == "No space left on device"
    assert reason(OSError("odd")) == "odd"
    assert reason(OSError()) == "OSError"
    assert why(OSError(errno.ENOSPC, "No space left on device")) == "No space left on device."
    assert why(NotSavedError("Not saved: x.")) == "Not saved: x."


def test_a_file_that_is_not_there_has_no_lines(growing: GrowingFile) -> None:
    assert growing.load() == ([], b"")
    assert growing.poll() == []
    assert not growing.path.exists()


def test_appended_lines_are_read_again(growing: GrowingFile) -> None:
    growing.append(b"a\n")
    growing.append(b"b\nc\n")
    assert growing.size == 6
    assert growing.poll() == []
    assert growing.load() == ([b"a", b"b", b"c"], b"")


def test_another_reader_sees_what_was_appended_once(growing: GrowingFile) -> None:
    other = GrowingFile(growing.path, torn_counts=True)
    other.load()
    assert other.poll() == []
    growing.append(b"a\n")
    assert other.poll() is None  # a new file: to be loaded
    assert other.load() == ([b"a"], b"")
    growing.append(b"b\n")
    assert other.poll() == [b"b"]
    assert other.poll() == []
    other.close()


def test_a_line_that_is_still_being_written_is_waited_for(growing: GrowingFile) -> None:
    growing.append(b"a\n")
    with growing.path.open("ab") as file:
        file.write(b"half")
    assert growing.poll() == []
    with growing.path.open("ab") as file:
        file.write(b" whole\n")
    assert growing.poll() == [b"half whole"]


def test_a_file_that_is_gone_is_no_empty_one(growing: GrowingFile) -> None:
    growing.append(b"a\n")
    growing.path.unlink()
    with pytest.raises(FileNotFoundError):
        growing.poll()


@pytest.mark.parametrize("how", ["replaced", "shorter"])
def test_a_file_that_was_replaced_is_to_be_loaded(growing: GrowingFile, how: str) -> None:
    growing.append(b"a\n")
    if how == "replaced":
        replace_file(growing.path, b"b\n")
    else:
        growing.path.write_bytes(b"")
    assert growing.poll() is None


def test_a_long_file_is_read_in_pieces_of_whole_lines(growing: GrowingFile) -> None:
    lines = [b"%07d" % number * 40 for number in range(9000)]
    growing.path.write_bytes(b"\n".join([*lines, b"torn"]))
    assert growing.start()
    found: list[bytes] = []
    pieces = 0
    while (read := growing.read_on(1 << 20))[0]:
        found += read[0]
        pieces += 1
        assert growing.size == sum(len(line) + 1 for line in found)
    assert (found, read[1]) == (lines, b"torn")
    assert pieces > 1
    growing.append(b"next\n")
    assert growing.load() == ([*lines, b"torn", b"next"], b"")


def test_reading_begins_where_it_ended_before(growing: GrowingFile) -> None:
    growing.append(b"a\nb\n")
    size, last = growing.size, growing.last
    growing.append(b"c\n")
    assert growing.start(size, last)
    assert growing.poll() == [b"c"]
    growing.path.write_bytes(b"a\nB\nc\n")
    assert not growing.start(size, last)
    assert growing.size == 0
    growing.path.write_bytes(b"a\n")
    assert not growing.start(size, last)
    growing.path.unlink()
    assert not growing.start(size, last)
    assert growing.start()
    assert growing.read_on() == ([], b"")
    with pytest.raises(OSError, match="closed"):
        growing.read(0, 1)


def test_a_torn_line_is_closed_off_by_the_next(growing: GrowingFile) -> None:
    growing.path.write_bytes(b"a\ntorn")
    assert growing.load() == ([b"a"], b"torn")
    growing.append(b"b\n")
    assert growing.path.read_bytes() == b"a\ntorn\nb\n"
    assert growing.poll() == []
    assert growing.load() == ([b"a", b"torn", b"b"], b"")


def test_a_torn_line_that_does_not_count_is_cut_off_and_kept(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"a\ntorn")
    with closing(GrowingFile(log, torn_counts=False)) as file:
        assert file.load() == ([b"a"], b"torn")
        assert file.tail == 4
        assert log.read_bytes() == b"a\ntorn"
        file.append(b"b\n")
        assert file.tail == 0
    assert log.read_bytes() == b"a\nb\n"
    (aside,) = tmp_path.glob("log.damaged-*")
    assert aside.read_bytes() == b"torn"


def test_a_torn_line_that_cannot_be_kept_is_not_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"a\ntorn")
    with closing(GrowingFile(log, torn_counts=False)) as file:
        file.load()
        monkeypatch.setattr(os, "replace", full)
        with pytest.raises(OSError, match="No space"):
            file.append(b"b\n")
    assert contents(tmp_path) == {"log": b"a\ntorn"}


def test_what_was_appended_is_taken_back(growing: GrowingFile) -> None:
    growing.append(b"a\n")
    start = growing.append(b"b\n")
    growing.cut_back(start)
    assert growing.size == start == 2
    assert growing.path.read_bytes() == b"a\n"
    growing.append(b"c\n")
    assert growing.load() == ([b"a", b"c"], b"")


def test_taking_back_loses_nothing_that_was_there_before(growing: GrowingFile) -> None:
    growing.path.write_bytes(b"a\ntorn")
    growing.load()
    growing.cut_back(growing.append(b"b\n"))
    assert growing.path.read_bytes() == b"a\ntorn\n"
    assert growing.load() == ([b"a", b"torn"], b"")


@pytest.mark.parametrize("call", ["write", "sync", "half a write"])
def test_a_failed_append_counts_as_not_written(
    growing: GrowingFile, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    growing.append(b"a\n")
    pwrite = os.pwrite

    def half(handle: int, data: bytes, at: int) -> int:
        return pwrite(handle, data[:3], at) if len(data) > 6 else full()

    with monkeypatch.context() as patch:
        if call == "sync":
            patch.setattr(files, "_sync", full)
        else:
            patch.setattr(os, "pwrite", full if call == "write" else half)
        with pytest.raises(OSError, match="No space"):
            growing.append(b"b lost\n")
    assert growing.path.read_bytes() == b"a\n"
    assert growing.poll() == []
    growing.append(b"c\n")
    assert growing.path.read_bytes() == b"a\nc\n"


def test_a_write_in_pieces_is_completed(
    growing: GrowingFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    pwrite = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda handle, data, at: pwrite(handle, data[:2], at))
    growing.append(b"long line\n")
    assert growing.path.read_bytes() == b"long line\n"


def test_the_lock_is_refused_in_one_sentence_when_another_holds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LOCK_SECONDS", 0.0)
    lock = Lock(tmp_path / "lock")
    with (
        Lock(tmp_path / "lock").held(),
        pytest.raises(NotSavedError, match="another program"),
        lock.held(),
    ):
        raise AssertionError("held twice")
    with lock.held():
        pass


def test_the_lock_is_released_after_an_error(tmp_path: Path) -> None:
    lock = Lock(tmp_path / "lock")
    with pytest.raises(ValueError, match="x"), lock.held():
        raise ValueError("x")
    with Lock(tmp_path / "lock").held():
        pass


def test_a_lock_that_cannot_be_made_is_a_failed_save(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotSavedError), Lock(tmp_path / "file" / "lock").held():
        raise AssertionError("held")


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EINVAL])
def test_a_file_system_without_locks_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    assert Lock(tmp_path / "lock").problem == ""
    monkeypatch.setattr("fcntl.flock", no_locks)
    lock = Lock(tmp_path / "lock")
    assert str(tmp_path) in lock.problem
    assert "knows no locks" in lock.problem
    with pytest.raises(NotSavedError, match="lock"), lock.held():
        raise AssertionError("held")
    unlocked = Lock(tmp_path / "lock", needed=False)
    assert unlocked.problem == ""
    with unlocked.held():
        pass


def test_a_lock_that_another_holds_is_no_problem(tmp_path: Path) -> None:
    with Lock(tmp_path / "lock").held():
        assert Lock(tmp_path / "lock").problem == ""
    (tmp_path / "folder").mkdir()
    assert "cannot be locked" in Lock(tmp_path / "folder").problem


@pytest.mark.parametrize("needed", [True, False])
def test_a_folder_that_is_gone_is_not_made_again_to_lock_it(tmp_path: Path, needed: bool) -> None:
    with suppress(NotSavedError), Lock(tmp_path / "gone" / "lock", needed=needed).held():
        assert not needed
    assert not (tmp_path / "gone").exists()


def test_a_lock_whose_file_was_deleted_keeps_others_out_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for the file that was deleted would wait beside those who lock the new one."""
    monkeypatch.setattr(files, "LOCK_SECONDS", 0.05)
    flock, waited = fcntl.flock, []

    def deleted_meanwhile(handle: int, how: int) -> None:
        flock(handle, how)
        if not waited:
            waited.append(handle)
            (tmp_path / "lock").unlink()
            (tmp_path / "lock").touch()

    with monkeypatch.context() as patch:
        patch.setattr("fcntl.flock", deleted_meanwhile)
        lock = Lock(tmp_path / "lock")
        with lock.held(), pytest.raises(NotSavedError), Lock(tmp_path / "lock").held():
            raise AssertionError("held twice")
    assert waited
