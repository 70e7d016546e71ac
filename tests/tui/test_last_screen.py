"""The picture of the last session: when it is found, and when it is refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from anchorlight.tui import last_screen
from anchorlight.tui.config import cache_folder
from anchorlight.tui.last_screen import LastScreen
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from .conftest import Running

LINES = ["\x1b[1;38;2;1;2;3m über \x1b[0m│", "日本 ★", ""]


@pytest.fixture(autouse=True)
def resize(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    """Give the terminal a size: three lines unless it is called."""

    def resize(columns: int, rows: int) -> None:
        size = os.terminal_size((columns, rows))
        monkeypatch.setattr(os, "get_terminal_size", lambda _: size)

    resize(20, len(LINES))
    return resize


def loaded(*words: str) -> list[str] | None:
    """Return the lines of the picture, or None where there is none."""
    try:
        return LastScreen(words).load()
    except (OSError, ValueError):
        return None


def kept(*words: str) -> Path:
    """Keep a picture and return its file."""
    LastScreen(words).keep(LINES)
    (path,) = (cache_folder() / "screens").iterdir()
    return path


def test_what_was_kept_is_found_again_by_its_owner_alone() -> None:
    path = kept()
    assert loaded() == LINES
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_newer_picture_takes_the_place_of_the_one_before_and_none_removes_it() -> None:
    kept()
    newer = ["a", "b", "c"]
    LastScreen([]).keep(newer)
    assert loaded() == newer
    LastScreen([]).keep([])
    assert loaded() is None
    assert not list((cache_folder() / "screens").iterdir())


def test_every_library_has_a_picture_of_its_own(tmp_path: Path) -> None:
    one, two = ["a", "b", "c"], ["d", "e", "f"]
    LastScreen(["--library", "/one"]).keep(one)
    LastScreen(["--library", "/two"]).keep(two)
    assert loaded("--library", "/one") == one
    assert loaded("--library", "/two") == two
    assert loaded() is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TERM", "dumb"), ("COLORTERM", "another"), ("NO_COLOR", "1"), ("HOME", "/another"),
        ("ANCHORLIGHT_LIBRARY", "/another"), ("ANCHORLIGHT_CONFIG", "/another\n"),
        ("XDG_DATA_HOME", "/another"), ("XDG_CONFIG_HOME", "/another"),
    ],
)  # fmt: skip
def test_a_picture_for_another_call_or_terminal_is_none(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    kept()
    monkeypatch.setenv(name, value)
    # Also where both have the same place in the folder.
    monkeypatch.setattr(last_screen, "_PLACES", 1)
    LastScreen([]).keep(LINES)
    assert loaded() == LINES
    monkeypatch.delenv(name)
    assert loaded() is None


@pytest.mark.parametrize("size", [(21, 3), (20, 4), (20, 2)])
def test_a_picture_of_another_size_is_none(
    resize: Callable[[int, int], None], size: tuple[int, int]
) -> None:
    kept()
    resize(*size)
    assert loaded() is None


def test_a_picture_of_another_version_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    kept()
    monkeypatch.setattr(last_screen, "VERSION", "0.0.0")
    assert loaded() is None


@pytest.mark.parametrize("words", [["--library", "here"], ["--library=here"]])
def test_a_relative_folder_is_another_one_from_elsewhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str]
) -> None:
    kept(*words)
    assert loaded(*words) == LINES
    monkeypatch.chdir(tmp_path)
    assert loaded(*words) is None


@pytest.mark.parametrize("words", [[], ["--library", "/there"], ["--library=~/there"]])
def test_an_absolute_folder_is_the_same_from_everywhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str]
) -> None:
    kept(*words)
    monkeypatch.chdir(tmp_path)
    assert loaded(*words) == LINES


@pytest.mark.parametrize(
    "line",
    [
        "\x1b]0;title\x07", "\x1b]52;c;aGk=\x07", "\x1b[2J", "\x1b[6n", "\x1b[?1049l", "\x1b[5i",
        "\x1b[>4;1m", "\x1b[38:2:1:2:3m", "\x1b[1", "\x1b[", "\x1b", "\x1bc", "\x1bP+q\x1b\\",
        "\x9b31m", "\x07", "\r", "\t", "\x08", "\x7f", "\x85", "\u202e", "\u200b", "\ufeff",
        "a\x1b[0mb\x1b[0m\x07", "\x1b[0\x1b[0m",
    ],
)  # fmt: skip
def test_a_picture_with_anything_but_text_and_colours_is_refused(line: str) -> None:
    path = kept()
    good = path.read_text()
    for at in range(len(LINES)):
        lines = [*LINES[:at], line, *LINES[at + 1 :]]
        path.write_text("\n".join([good.split("\n")[0], *lines]), newline="")
        assert loaded() is None
        LastScreen([]).keep(lines)  # nor is it kept: what was there is gone
        assert not path.exists()
        kept()
    assert loaded() == LINES


@given(st.binary(max_size=60))
def test_no_bytes_in_place_of_the_picture_do_any_harm(data: bytes) -> None:
    path = kept()
    head = path.read_bytes().partition(b"\n")[0]
    for content in (data, head + b"\n" + data, head + b"\n\n\n" + data):
        path.write_bytes(content)
        for line in loaded() or ():
            # What Rich knows of escape sequences leaves nothing but text.
            assert Text.from_ansi(line).plain.isprintable()


def test_a_file_that_others_can_read_or_that_is_none_is_refused(tmp_path: Path) -> None:
    path = kept()
    path.chmod(0o644)
    assert loaded() is None
    path.chmod(0o600)
    assert loaded() == LINES
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert loaded() is None
    path.unlink()
    os.mkfifo(path, 0o600)  # nobody writes to it: it is not waited for
    assert loaded() is None
    path.unlink()
    path.mkdir(0o600)
    assert loaded() is None


def test_a_file_of_somebody_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    kept()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert loaded() is None


def test_a_picture_that_cannot_be_kept_is_not_missed() -> None:
    cache_folder().parent.mkdir(parents=True, exist_ok=True)
    cache_folder().write_text("in the way")
    LastScreen([]).keep(LINES)
    assert loaded() is None


def test_no_more_than_a_few_pictures_are_kept() -> None:
    for number in range(100):
        LastScreen(["--library", f"/{number}"]).keep(LINES)
    assert len(list((cache_folder() / "screens").iterdir())) <= 32


def test_without_a_terminal_nothing_is_painted(capfd: pytest.CaptureFixture[str]) -> None:
    kept()
    with LastScreen([]) as shown:
        assert not shown.is_shown
    assert capfd.readouterr() == ("", "")


def test_the_folder_is_that_of_the_index() -> None:
    assert last_screen._cache_folder() == str(cache_folder())


async def test_the_screen_is_kept_in_its_colours(
    running: Running, resize: Callable[[int, int], None]
) -> None:
    resize(120, 40)
    async with running() as program:
        await program.press("s")
        lines = program.app._picture()
        plain = [Text.from_ansi(line).plain.rstrip() for line in lines]
        assert "\n".join(plain) == program.shown()
        assert "starred" not in plain[-1]
    LastScreen([]).keep(lines)
    assert loaded() == lines
    assert "\x1b[" in lines[0]


async def test_under_a_dialog_the_reading_screen_is_kept(running: Running) -> None:
    async with running() as program:
        before = program.app._picture()
        await program.press("?")
        assert program.app._picture() == before
        await program.press("escape", "e")
        assert program.app._picture() == []


async def test_what_is_not_printable_leaves_its_room(running: Running) -> None:
    from anchorlight.tui.picture import _printable

    assert _printable("日\u3000本\xa0x\u200d") == "日  本 x"
