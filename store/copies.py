"""The last good copies of the marks: one at every rewriting of `marks.json`, thinned with age."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from .files import read_file, remove_file, replace_file
from .snapshot import Snapshot, decode

BACKUPS = "backups"
"""The folder of copies in a library's folder."""

PERIODS = (("%Y%m%dT%H", 6), ("%Y%m%d", 7), ("%G-%V", 5))
"""Of how many hours, days and weeks the last copy is kept."""

MOST_BYTES = 4 << 20
"""How large all copies may be together; two are kept in any case."""

_NAME = re.compile(r"marks-(\d{8}T\d{6})\.json\.gz")
_STAMP = "%Y%m%dT%H%M%S"


class Copy(NamedTuple):
    """A copy of the marks, and when it was made (UTC)."""

    path: Path
    made: datetime

    @property
    def when(self) -> str:
        """The time as a sentence has it, in the reader's own zone."""
        try:
            return f"{self.made.astimezone():%Y-%m-%d %H:%M}"
        except (OverflowError, ValueError):  # at either end of what a calendar knows
            return f"{self.made:%Y-%m-%d %H:%M} UTC"

    def read(self) -> Snapshot:
        """Return what it holds.

        Raises:
            ValueError: It is damaged.
            OSError: It cannot be read.
        """
        import gzip

        data = read_file(self.path)
        try:
            snapshot = decode(gzip.decompress(data))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(str(error)) from None
        if snapshot.problem:
            raise ValueError(snapshot.problem)
        return snapshot


class Copies:
    """The folder of copies.

    Args:
        folder: Where they lie; made when the first is.
        clock: Gives the time.
    """

    def __init__(self, folder: Path, clock: Callable[[], datetime]) -> None:
        self._folder = folder
        self._clock = clock
        self._last = clock()

    @property
    def is_due(self) -> bool:
        """Whether a program has been running for an hour since it last kept one."""
        return abs(self._clock() - self._last) >= timedelta(hours=1)

    def all(self) -> list[Copy]:
        """Return the copies, the newest first.

        Raises:
            OSError: It cannot be told which there are.
        """
        try:
            names = os.listdir(self._folder)
        except (FileNotFoundError, NotADirectoryError):
            return []
        found = filter(None, (copy_at(self._folder / name) for name in names))
        return sorted(found, key=lambda copy: copy.made, reverse=True)

    def good(self) -> Iterator[tuple[Copy, Snapshot]]:
        """Yield the copies that are whole, the newest first.

        Raises:
            OSError: Not one was, and one could not be read at all.
        """
        unreadable: OSError | None = None
        found = False
        for copy in self.all():
            try:
                yield copy, copy.read()
                found = True
            except ValueError:
                continue
            except OSError as error:
                unreadable = error
        if unreadable and not found:
            raise unreadable

    def keep(self, data: bytes) -> None:
        """Keep a snapshot, and throw away what is kept long enough.

        Raises:
            OSError: It is not kept.
        """
        import gzip

        self._last = self._clock()
        self._folder.mkdir(mode=0o700, exist_ok=True)
        made = self._last.astimezone(UTC)
        path = self._folder / f"marks-{made:{_STAMP}}.json.gz"
        replace_file(path, gzip.compress(data, 6, mtime=0))
        copies = self.all()
        kept = {copy.path for copy in thinned(copies, [_size(copy.path) for copy in copies])}
        for copy in copies:
            if copy.path not in kept | {path}:
                remove_file(copy.path)


def thinned(copies: Sequence[Copy], sizes: Sequence[int]) -> list[Copy]:
    """Return the copies to keep, of those given, newest first: fewer the older they are."""
    kept = set(copies[:2])
    for period, most in PERIODS:
        newest: dict[str, Copy] = {}
        for copy in copies:
            newest.setdefault(f"{copy.made:{period}}", copy)
        kept.update(list(newest.values())[:most])
    left, chosen = MOST_BYTES, []
    for number, (copy, size) in enumerate(zip(copies, sizes, strict=True)):
        if copy in kept and (size <= left or number < 2):
            left -= size
            chosen.append(copy)
    return chosen


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def copy_at(path: Path) -> Copy | None:
    """Return the copy that a file is by its name, or None where it is none."""
    if name := _NAME.fullmatch(path.name):
        try:
            return Copy(path, datetime.strptime(name[1], _STAMP).replace(tzinfo=UTC))
        except ValueError:  # no time of any clock
            return None
    return None
