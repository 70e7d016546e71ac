"""The screen of the last session, shown while Textual is imported, and the terminal afterwards."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .conftest import Start
from .terminal import Terminal

pytestmark = pytest.mark.terminal

FIRST = "MemFine: Memory-Aware"
INTERRUPT = "\x03"

# What stands in for Textual where its import is to wait or to fail.
_WAITS = """
import importlib, sys
open({gate!r}).readline()
sys.path.remove({folder!r})
del sys.modules["textual"]
importlib.import_module("textual")
"""
_FAILS = "raise ImportError('no such luck')"


@pytest.fixture
def fresh() -> list[object]:
    """The attributes of a terminal that nothing has touched."""
    ends = pty.openpty()
    try:
        return termios.tcgetattr(ends[0])
    finally:
        for end in ends:
            os.close(end)


class Gate:
    """What the import of Textual waits at, in programs started with `env`."""

    def __init__(self, folder: Path, stand_in: str) -> None:
        self.env = {"PYTHONPATH": str(folder)}
        fifo = str(folder / "gate")
        os.mkfifo(fifo)
        self._handle = os.open(fifo, os.O_RDWR)
        code = stand_in.format(gate=fifo, folder=str(folder))
        (folder / "textual").mkdir()
        (folder / "textual" / "__init__.py").write_text(code)

    def open(self) -> None:
        """Let the import go on."""
        os.write(self._handle, b"\n")

    def close(self) -> None:
        """Remove the gate."""
        os.close(self._handle)


@pytest.fixture
def gate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Gate]]:
    """Make a gate from what stands in for Textual."""
    made: list[Gate] = []

    def make(stand_in: str = _WAITS) -> Gate:
        made.append(Gate(tmp_path_factory.mktemp("gate"), stand_in))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def left(start: Start) -> None:
    """A session that was left at the third paper."""
    terminal = start()
    terminal.wait(FIRST)
    terminal.send("jj")
    terminal.wait("3 of 20")
    terminal.send("q")
    assert terminal.end() == 0


def assert_as_found(terminal: Terminal, fresh: list[object]) -> None:
    """Fail unless the program that ended left the terminal as it found it."""
    assert terminal.attributes == fresh
    on = {b"7": True, b"25": True}
    modes: dict[bytes, bool] = {}
    for names, switch in re.findall(rb"\x1b\[\?([0-9;]+)([hl])", terminal.output):
        modes |= dict.fromkeys(names.split(b";"), switch == b"h")
    assert modes == {name: on.get(name, False) for name in modes}
    entered = terminal.output.count(b"\x1b[?1049h")
    assert entered == terminal.output.count(b"\x1b[?1049l") == 1
    pushed = re.findall(rb"\x1b\[>[0-9]+u", terminal.output)
    assert len(pushed) <= terminal.output.count(b"\x1b[<u")


@pytest.mark.usefixtures("left")
def test_the_last_screen_is_there_before_textual_and_gives_way_to_it_without_a_gap(
    start: Start, gate: Callable[..., Gate], fresh: list[object]
) -> None:
    waiting = gate()
    terminal = start(env=waiting.env)
    terminal.wait("3 of 20")
    assert FIRST in terminal.text
    assert b"\x1b[?1004h" not in terminal.output  # Textual has not come yet
    waiting.open()

    def is_live(text: str) -> bool:
        assert FIRST in text  # at every boundary between two reads
        return b"\x1b[?1004h" in terminal.output and "4 of 20" in text

    terminal.send("j")
    terminal.wait(is_live)
    assert not re.search(rb"\x1b\[[0-3]?[JK]", terminal.output)
    terminal.send("q")
    assert terminal.end() == 0
    assert_as_found(terminal, fresh)


@pytest.mark.usefixtures("left")
def test_keys_typed_at_the_picture_act_in_order_and_are_not_echoed(
    start: Start, gate: Callable[..., Gate], fresh: list[object]
) -> None:
    waiting = gate()
    terminal = start(env=waiting.env)
    terminal.wait("3 of 20")
    terminal.send("/memory\rg")
    terminal.send("s")
    waiting.open()
    terminal.wait(lambda text: "filter: memory" in text and "1 of " in text and "★" in text)
    _, painted, after = terminal.output.partition(b"\x1b[?2026l")
    assert painted
    assert after.startswith(b"\x1b[?1000h")  # Textual's first word: nothing typed came between
    terminal.send("q")
    assert terminal.end() == 0
    assert_as_found(terminal, fresh)


@pytest.mark.usefixtures("left")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_during_the_import_leaves_the_terminal_as_found(
    start: Start, gate: Callable[..., Gate], fresh: list[object], number: signal.Signals
) -> None:
    terminal = start(env=gate().env)
    terminal.wait("3 of 20")
    terminal.signal(number)
    # Python ends by the signal itself where it came while a dataclass was being made.
    codes = (130, -number) if number == signal.SIGINT else (-number,)
    assert terminal.end() in codes
    assert_as_found(terminal, fresh)


@pytest.mark.usefixtures("left")
def test_a_window_closed_during_the_import_ends_the_program(
    start: Start, gate: Callable[..., Gate]
) -> None:
    terminal = start(env=gate().env)
    terminal.wait("3 of 20")
    assert terminal.hang_up() == -signal.SIGHUP


@pytest.mark.usefixtures("left")
def test_a_library_that_takes_long_to_open_says_so_in_place_of_the_picture(
    start: Start, environment: dict[str, str], fresh: list[object]
) -> None:
    library = Path(environment["ANCHORLIGHT_LIBRARY"])
    marks = library / "marks.json"
    marks.write_bytes(b"{")  # to be mended, under the lock
    with (library / "lock").open("rb+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        terminal = start()
        terminal.wait("3 of 20")
        terminal.wait("opening the library")
        assert FIRST not in terminal.text
    terminal.wait("marks.json is damaged")
    assert FIRST in terminal.text
    terminal.send("q")
    assert terminal.end() == 0
    assert_as_found(terminal, fresh)


@pytest.mark.usefixtures("left")
def test_ctrl_c_during_the_import_ends_the_program(
    start: Start, gate: Callable[..., Gate], fresh: list[object]
) -> None:
    terminal = start(env=gate().env)
    terminal.wait("3 of 20")
    terminal.send("jj" + INTERRUPT)
    assert terminal.end() in (130, -signal.SIGINT)
    assert_as_found(terminal, fresh)


@pytest.mark.usefixtures("left")
def test_ctrl_z_typed_at_the_picture_waits_for_the_program(
    start: Start, gate: Callable[..., Gate], fresh: list[object]
) -> None:
    waiting = gate()
    terminal = start(env=waiting.env)
    terminal.wait("3 of 20")
    terminal.send("/a\x1ab")  # a box takes no notice of it
    waiting.open()
    terminal.wait("filter: ab")
    terminal.send("\r")
    terminal.send("q")
    assert terminal.end() == 0
    assert_as_found(terminal, fresh)


@pytest.mark.usefixtures("left")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_to_the_program_that_took_over_leaves_the_terminal_as_found(
    start: Start, fresh: list[object], number: signal.Signals
) -> None:
    terminal = start()
    terminal.send("j")
    terminal.wait("4 of 20")
    terminal.signal(number)
    assert terminal.end() == 0
    assert_as_found(terminal, fresh)


@pytest.mark.usefixtures("left")
def test_an_error_in_an_import_is_told_on_the_screen_that_was_there(
    start: Start, gate: Callable[..., Gate], fresh: list[object]
) -> None:
    terminal = start(env=gate(_FAILS).env)
    assert terminal.end() == 1
    assert b"3 of 20" in terminal.output
    assert b"no such luck" in terminal.output.partition(b"\x1b[?1049l")[2]
    assert_as_found(terminal, fresh)


@pytest.mark.usefixtures("left")
def test_a_library_that_cannot_be_opened_is_told_on_the_screen_that_was_there(
    start: Start, environment: dict[str, str], fresh: list[object]
) -> None:
    library = Path(environment["ANCHORLIGHT_LIBRARY"])
    library.rename(library.with_name("away"))
    library.write_text("no folder")
    terminal = start()
    assert terminal.end() == 2
    assert b"3 of 20" in terminal.output
    assert b"anchorlight: " in terminal.output.partition(b"\x1b[?1049l")[2]
    assert_as_found(terminal, fresh)


@pytest.mark.usefixtures("left")
def test_the_readers_editor_finds_the_terminal_as_it_was(
    start: Start, tmp_path: Path, fresh: list[object]
) -> None:
    script = tmp_path / "editor.sh"
    script.write_text('#!/bin/sh\nprintf EDITING\nread answer\nprintf \'%s\' "$answer" > "$1"\n')
    script.chmod(0o700)
    terminal = start(env={"EDITOR": str(script)})
    terminal.wait("3 of 20")
    terminal.send("E")
    terminal.wait("EDITING")
    terminal.send("forty-two\n")
    terminal.wait("3 of 20")
    terminal.wait(lambda text: "✎" in text)
    terminal.send("q")
    assert terminal.end() == 0
    assert terminal.attributes == fresh
    assert terminal.output.count(b"\x1b[?1049h") == terminal.output.count(b"\x1b[?1049l") == 2


@pytest.mark.usefixtures("left")
@pytest.mark.parametrize(
    ("words", "size", "changed"),
    [
        ((), (100, 40), {}),
        ((), (120, 30), {}),
        ((), (120, 40), {"TERM": "xterm"}),
        ((), (120, 40), {"NO_COLOR": "1"}),
        ((), (120, 40), {"ANCHORLIGHT_LIBRARY": "/nowhere"}),
        (("--library", "/nowhere"), (120, 40), {}),
        (("list",), (120, 40), {}),
    ],
)
def test_nothing_is_painted_for_another_call_or_terminal(
    start: Start,
    gate: Callable[..., Gate],
    words: tuple[str, ...],
    size: tuple[int, int],
    changed: dict[str, str],
) -> None:
    terminal = start(*words, size=size, env=gate(_FAILS).env | changed)
    terminal.end()
    assert FIRST.encode() not in terminal.output
    assert b"\x1b[?" not in terminal.output


def test_a_session_left_in_a_note_leaves_no_screen(start: Start, gate: Callable[..., Gate]) -> None:
    terminal = start()
    terminal.wait(FIRST)
    terminal.send("e")
    terminal.wait("─note")
    terminal.signal(signal.SIGTERM)
    assert terminal.end() == 0
    again = start(env=gate(_FAILS).env)
    again.end()
    assert FIRST.encode() not in again.output
    assert b"\x1b[?" not in again.output
