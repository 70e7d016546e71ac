"""A real pseudo-terminal with a program in it, and an emulator that knows what is on its screen."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Callable, Sequence

import pyte

PATIENCE_SECONDS = 20.0
"""How long a test waits for a picture before it fails; nothing waits longer than it must."""

# What the emulator would print as text: keyboard protocols, and strings for the terminal itself.
_STRIP = re.compile(
    rb"\x1b\[[<>=?][0-9;:]*[uq]|\x1b\[\?[0-9;]*\$p|\x1b\[>[0-9;]*[mcq]"
    rb"|\x1b[_P^X\]][^\x1b\x07]*(?:\x1b\\|\x07)|\x1b\[\?2026[hl]|\x1b\[[0-9;]*t"
)
_UNFINISHED = re.compile(rb"\x1b(?:\[[0-9;:<>=?$ ]*|[_P^X\]][^\x1b\x07]*\x1b?)?$")


class Terminal:
    """Runs a program and shows its screen.

    Args:
        argv: The program.
        env: Its environment.
        size: Columns and rows.
    """

    def __init__(
        self, argv: Sequence[str], env: dict[str, str], size: tuple[int, int] = (120, 40)
    ) -> None:
        self._screen = pyte.Screen(*size)
        self._stream = pyte.Stream(self._screen)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = b""
        self.output = b""
        self.code: int | None = None
        self.attributes: list[object] = []
        """The terminal's attributes as the program left them, once it has ended."""
        self._pid, self._handle = pty.fork()
        if self._pid == 0:
            os.execvpe(argv[0], list(argv), env)
        self.resize(*size)

    def resize(self, columns: int, rows: int) -> None:
        """Give the terminal another size, as a window manager does."""
        fcntl.ioctl(self._handle, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self._screen.resize(rows, columns)

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    @property
    def lines(self) -> list[str]:
        """What is on the screen, line by line, in full width."""
        return list(self._screen.display)

    def send(self, keys: str) -> None:
        """Type keys, as bytes a terminal sends."""
        os.write(self._handle, keys.encode())

    def signal(self, number: signal.Signals) -> None:
        """Send the program a signal."""
        os.kill(self._pid, number)

    def wait(self, wanted: str | Callable[[str], bool]) -> str:
        """Wait until a text is on the screen, or a condition on it holds."""
        holds = wanted if callable(wanted) else lambda text: wanted in text
        end = time.monotonic() + PATIENCE_SECONDS
        while not holds(self.text):
            if time.monotonic() > end or not self._read(end - time.monotonic()):
                raise AssertionError(f"never seen: {wanted!r}\n{self.text}")
        return self.text

    def end(self) -> int:
        """Wait for the program to end and return its exit code."""
        end = time.monotonic() + PATIENCE_SECONDS
        while self._read(end - time.monotonic()):
            if time.monotonic() > end:
                raise AssertionError(f"the program does not end\n{self.text}")
        return self._reap()

    def _reap(self) -> int:
        if self.code is None:
            _, status = os.waitpid(self._pid, 0)
            self.code = os.waitstatus_to_exitcode(status)
            self.attributes = termios.tcgetattr(self._handle)
            os.close(self._handle)
        return self.code

    def hang_up(self) -> int:
        """Close the terminal, as closing its window does, and return the program's exit code."""
        os.close(self._handle)
        end = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < end:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
                return self.code
            select.select([], [], [], 0.02)
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        self.code = -signal.SIGKILL
        raise AssertionError("the program outlives its terminal")

    def kill(self) -> None:
        """End the program at once, if it still runs."""
        if self.code is None:
            os.kill(self._pid, signal.SIGKILL)
            self._reap()

    def _read(self, seconds: float) -> bool:
        """Take in what the program wrote; tell whether it still runs."""
        if not select.select([self._handle], [], [], max(seconds, 0))[0]:
            return True
        try:
            data = os.read(self._handle, 1 << 16)
        except OSError:  # Linux says this way that the other end is closed
            data = b""
        self.output += data
        if not data:
            return False
        data = self._rest + data
        unfinished = _UNFINISHED.search(data, max(len(data) - 512, 0))
        self._rest = data[unfinished.start() :] if unfinished else b""
        data = data[: unfinished.start()] if unfinished else data
        self._stream.feed(self._decoder.decode(_STRIP.sub(b"", data)))
        return True
