from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import NotSavedError
from anchorlight.store.exporting import FORMATS, export_to

from .helpers import full


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "a paper’s.md"
    export_to(path, iter(["one\n", "二\r\n"]))
    assert path.read_bytes() == "one\n二\r\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_there_is_replaced_only_if_told(tmp_path: Path) -> None:
    path = tmp_path / "a.ris"
    path.write_text("old", "utf-8")
    path.chmod(0o640)
    with pytest.raises(NotSavedError, match=r"there is a .*a\.ris already") as failed:
        export_to(path, ["new"])
    assert failed.value.hint
    assert path.read_text("utf-8") == "old"
    export_to(path, ["new"], overwrite=True)
    assert path.read_text("utf-8") == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_comes_while_it_is_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.ris"

    def pieces() -> Iterator[str]:
        yield "mine"
        path.write_text("theirs", "utf-8")

    with pytest.raises(NotSavedError, match="already"):
        export_to(path, pieces())
    assert path.read_text("utf-8") == "theirs"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_one(tmp_path: Path) -> None:
    target, link = tmp_path / "target.csv", tmp_path / "link.csv"
    target.write_text("old", "utf-8")
    link.symlink_to(target)
    export_to(link, ["new"], overwrite=True)
    assert link.is_symlink()
    assert target.read_text("utf-8") == "new"


def test_what_fails_on_the_way_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.ris"
    path.write_text("old", "utf-8")

    def pieces() -> Iterator[str]:
        yield "begun"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        export_to(path, pieces(), overwrite=True)
    assert path.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("call", ["fsync", "replace", "open"])
def test_a_full_disk_is_told_and_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "a.ris"
    path.write_text("old", "utf-8")
    monkeypatch.setattr(os, call, full)
    with pytest.raises(NotSavedError, match=r"a\.ris: No space left on device"):
        export_to(path, ["new"], overwrite=True)
    monkeypatch.undo()
    assert path.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_file_systems_without_links_do_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(*_: object) -> Any:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", unable)
    export_to(tmp_path / "a.ris", ["new"])
    assert (tmp_path / "a.ris").read_text("utf-8") == "new"
    assert len(list(tmp_path.iterdir())) == 1


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(NotSavedError, match="is no file"):
        export_to(tmp_path, ["new"], overwrite=True)
    with pytest.raises(NotSavedError, match="No such file or directory"):
        export_to(tmp_path / "nowhere" / "a.ris", ["new"])


def test_text_that_is_no_unicode_is_written_as_what_it_can_be(tmp_path: Path) -> None:
    export_to(tmp_path / "a.ris", ["a\udcffb"])
    assert (tmp_path / "a.ris").read_text("utf-8") == "a?b"


def test_every_format_has_a_title_and_an_ending() -> None:
    assert all(one.title and one.ending.startswith(".") for one in FORMATS.values())
