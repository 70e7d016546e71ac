from __future__ import annotations

import os
from pathlib import Path

import pytest
from anchorlight.store.session import read_session, write_session


def test_a_session_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    session = {"list": "anchor:x", "row": 7, "query": "naïve [/b]"}
    write_session(path, session)
    assert read_session(path) == (session, "")
    assert [path.name for path in tmp_path.iterdir()] == ["session.json"]


def test_there_need_not_be_a_session(tmp_path: Path) -> None:
    assert read_session(tmp_path / "session.json") == ({}, "")


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff", b"7", b"[" * 100_000])
def test_a_damaged_session_is_set_aside_with_a_notice(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "session.json"
    path.write_bytes(data)
    session, notice = read_session(path)
    (aside,) = tmp_path.iterdir()
    assert session == {}
    assert aside.read_bytes() == data
    assert str(path) in notice
    assert aside.name in notice


def test_a_session_that_cannot_be_read_is_told_and_left(tmp_path: Path) -> None:
    path = tmp_path / "session.json"
    path.mkdir()
    session, notice = read_session(path)
    assert session == {}
    assert str(path) in notice
    assert path.is_dir()


def test_a_failed_write_keeps_the_session_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "session.json"
    write_session(path, {"row": 1})

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            write_session(path, {"row": 2})
    assert read_session(path) == ({"row": 1}, "")
    assert [path.name for path in tmp_path.iterdir()] == ["session.json"]
