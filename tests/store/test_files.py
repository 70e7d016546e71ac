from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from anchorlight.store import NotSavedError, files
from anchorlight.store.files import GrowingFile, Lock, reason, replace_file, set_aside
from filelock import FileLock


def full(*_: object) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


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


@pytest.mark.parametrize("call", ["fsync", "replace"])
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


def test_a_torn_line_is_closed_off_by_the_next(growing: GrowingFile) -> None:
    growing.path.write_bytes(b"a\ntorn")
    assert growing.load() == ([b"a"], b"torn")
    growing.append(b"b\n")
    assert growing.path.read_bytes() == b"a\ntorn\nb\n"
    assert growing.poll() == []
    assert growing.load() == ([b"a", b"torn", b"b"], b"")


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
        FileLock(tmp_path / "lock"),
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
    with FileLock(tmp_path / "lock", timeout=0):
        pass


def test_a_lock_that_cannot_be_made_is_a_failed_save(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotSavedError), Lock(tmp_path / "file" / "lock").held():
        raise AssertionError("held")
