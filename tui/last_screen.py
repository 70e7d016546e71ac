"""The screen of the last session, on the terminal before anything slow is imported.

Importing Textual takes longer than all else at a start. Until it is there the reader looks at the
screen as it was left, and what is typed waits for the program. The picture is of no consequence:
where anything about it is in doubt there is none. Only `os` and `sys` are imported up here, since
`re`, `typing` or `pathlib` alone would take as long as the rest of this file.
"""

from __future__ import annotations

import os
import sys

from .version import VERSION

TYPE_CHECKING = False  # as `typing` has it, without importing it
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType
    from typing import Any

_WHICH = (
    "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "ANCHORLIGHT_CONFIG",
    "ANCHORLIGHT_LIBRARY",
)  # fmt: skip
"""What decides which config file and which library are opened."""

_LOOK = ("TERM", "COLORTERM", "NO_COLOR", "TEXTUAL_COLOR_SYSTEM")
"""What decides how the terminal is spoken to."""

_PLACES = 32
"""Pictures that are kept at most: ways of calling the program that share a place take turns."""

_MOST_BYTES = 1 << 20
"""How much of a file is looked at; a large terminal's picture takes a tenth of that."""

_ENTER = "\x1b[?2026h\x1b[?1049h\x1b[?25l\x1b[?7l"
_SHOWN = "\x1b[m\x1b[?2026l"
# Everything that Textual may have switched on by then: a signal can come in between.
_LEAVE = (
    "\x1b[?2026l\x1b[?2004l\x1b[?2048l\x1b[?1000l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1004l"
    "\x1b[<u\x1b[0m\x1b[?7h\x1b[?1049l\x1b[?25h"
)


class LastScreen:
    """The picture of the last session that was started with the same words, and the terminal.

    As a context it paints the picture, if there is one, and puts the terminal back at the end,
    unless Textual has done so.

    Args:
        words: The words behind the program's name.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self._words = list(words)
        self._before: list[Any] | None = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> LastScreen:
        try:
            self._paint()
        except BaseException:
            self.take_down()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.take_down()

    # The file

    def keep(self, lines: Sequence[str]) -> None:
        """Keep a picture of the terminal's size for the next start; no lines: keep none.

        A picture that `_paint` would refuse is not kept, and one that cannot be is not missed.

        Args:
            lines: The screen's lines from the top, as printable text and SGR sequences.
        """
        from contextlib import suppress

        temporary = ""
        try:
            columns, rows = os.get_terminal_size(1)
            path = self._path()
            if len(lines) != rows or not all(map(_is_harmless, lines)):
                os.unlink(path)
                return
            folder = os.path.dirname(path)
            os.makedirs(os.path.dirname(folder), exist_ok=True)
            if not os.path.isdir(folder):
                os.mkdir(folder, 0o700)
            temporary = f"{path}.{os.getpid()}"
            handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with open(handle, "wb") as file:
                file.write("\n".join([self._made_for(columns, rows), *lines]).encode())
            os.replace(temporary, path)
        except (OSError, ValueError):
            with suppress(OSError):
                os.unlink(temporary)

    def load(self) -> list[str] | None:
        """Return the lines of the picture, or None where it is not for this call or not harmless.

        Raises:
            OSError: There is none, or no terminal.
            ValueError: It is no text.
        """
        columns, rows = os.get_terminal_size(1)
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        handle = os.open(self._path(), flags)
        try:
            status = os.fstat(handle)
            # Kind and permissions in one: a plain file for its owner alone.
            if status.st_mode != 0o100600 or status.st_uid != os.geteuid():
                return None
            text = os.read(handle, _MOST_BYTES).decode()
        finally:
            os.close(handle)
        made_for, *lines = text.split("\n")
        if made_for != self._made_for(columns, rows) or len(lines) != rows:
            return None
        return lines if all(map(_is_harmless, lines)) else None

    def _path(self) -> str:
        """Return where the picture is kept: a place that follows from the call."""
        import binascii

        place = binascii.crc32(self._call().encode()) % _PLACES
        return os.path.join(_cache_folder(), "screens", f"{place:02}")

    def _call(self) -> str:
        """Return what decides what is opened, as one line of ASCII."""
        named = [os.environ.get(name) for name in _WHICH]
        # What follows a `=` or stands alone: a folder, told from here unless it begins so.
        folders = [word.partition("=")[2] or word for word in (*self._words, *filter(None, named))]
        is_relative = not all(folder.startswith(("/", "~", "-")) for folder in folders)
        return ascii((self._words, named, os.getcwd() if is_relative else ""))

    def _made_for(self, columns: int, rows: int) -> str:
        """Return all that must be the same for a picture to be painted, as one line of ASCII."""
        look = [os.environ.get(name) for name in _LOOK]
        return f"{VERSION} {columns}x{rows} {look!a} {self._call()}"

    # The terminal

    @property
    def is_shown(self) -> bool:
        """Whether the picture, or what came in its place, is on the terminal."""
        return self._before is not None

    @property
    def attributes(self) -> list[Any] | None:
        """The terminal's attributes as they were before, while the picture is shown."""
        return self._before

    def _paint(self) -> None:
        try:
            import termios
        except ImportError:  # not a system with terminals of this kind
            return
        # Our driver takes the terminal over; where another one is asked for it could not.
        if not (os.isatty(0) and os.isatty(1) and os.isatty(2)) or "TEXTUAL_DRIVER" in os.environ:
            return
        try:
            lines = self.load()
            before = termios.tcgetattr(0)
        except (OSError, ValueError, termios.error):
            return
        if lines is None:
            return
        self._before = before
        self._watch_signals()
        try:
            termios.tcsetattr(0, termios.TCSANOW, _attentive(before))
            picture = [f"\x1b[{y};1H\x1b[m{line}" for y, line in enumerate(lines, 1)]
            _write("".join([_ENTER, *picture, _SHOWN]))
        except (OSError, termios.error):
            self.take_down()

    def hand_over(self) -> None:
        """Say that the terminal is put back already."""
        self._before = None

    def take_down(self) -> None:
        """Put the terminal back as it was found, once; what was typed for the program is lost."""
        if self._before is None:
            return
        import termios
        from contextlib import suppress

        with suppress(OSError, termios.error):  # the terminal is gone
            _write(_LEAVE)
            termios.tcsetattr(0, termios.TCSAFLUSH, self._before)
        self._before = None

    def _watch_signals(self) -> None:
        import signal

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            before = signal.getsignal(number)
            if before not in (signal.SIG_IGN, None):
                self._handlers[number] = before
                signal.signal(number, self._on_signal)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        """Put the terminal back, then let the signal do what it would have done."""
        import signal

        self.take_down()
        signal.signal(number, self._handlers[number])
        os.kill(os.getpid(), number)


def _cache_folder() -> str:
    """Return the reader's own folder for what can be made anew, as `config.cache_folder` does."""
    standard = "~/Library/Caches" if sys.platform == "darwin" else "~/.cache"
    named = os.environ.get("XDG_CACHE_HOME", "").strip() or standard
    return os.path.join(os.path.expanduser(named), "anchorlight")


def _is_harmless(line: str) -> bool:
    """Tell whether a line is nothing but printable text and SGR sequences."""
    text, *rest = line.split("\x1b[")
    if not text.isprintable():
        return False
    for piece in rest:
        colours, end, text = piece.partition("m")
        if not end or colours.strip("0123456789;") or not text.isprintable():
            return False
    return True


def _attentive(attributes: list[Any]) -> list[Any]:
    """Return attributes with which keys wait, unechoed, for the program; ctrl+c ends it still."""
    import termios

    changed = [*attributes[:6], list(attributes[6])]
    changed[0] &= ~(
        termios.IXON | termios.IXOFF | termios.ICRNL | termios.INLCR | termios.IGNCR
    )  # fmt: skip
    changed[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN)
    changed[6][termios.VMIN], changed[6][termios.VTIME] = 1, 0
    # Stopping would leave the shell with this picture; the program knows how to.
    nothing = bytes([os.fpathconf(0, "PC_VDISABLE") & 0xFF])
    changed[6][termios.VSUSP] = changed[6][termios.VQUIT] = nothing
    return changed


def _write(text: str) -> None:
    """Write to the terminal where Textual does and in the same bytes, all of it."""
    stream = sys.__stderr__
    data = text.encode(stream.encoding if stream else "utf-8", "backslashreplace")
    while data:
        data = data[os.write(2, data) :]
