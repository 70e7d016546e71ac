"""A file of named arrays that is mapped into memory and never changed.

The arrays are found by a table at the file's end, which also holds a checksum of all before it.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import zlib
from pathlib import Path
from typing import Any, Literal

_MAGIC = b"ANCHORLIGHT ARRAYS 1\n"

_PIECE = 1 << 20
"""Bytes that are read at a time."""


class Damaged(ValueError):  # noqa: N818 - says what is the matter with a file
    """A file is not as it was written."""


class ArrayWriter:
    """Writes arrays one after the other, and the table at the end.

    Args:
        path: The file to make.
        facts: What else the table is to hold.
    """

    def __init__(self, path: Path, facts: dict[str, Any]) -> None:
        self._file = path.open("xb")
        self._table: dict[str, tuple[int, int]] = {}
        self._facts = facts
        self._sum = zlib.crc32(_MAGIC)
        self._file.write(_MAGIC)  # stays in the buffer yet, so it cannot fail

    def add(self, name: str, data: bytes | bytearray) -> None:
        """Write an array of bytes under a name."""
        self._write(b"\0" * (-self._file.tell() % 8))
        self._table[name] = self._file.tell(), len(data)
        self._write(data)

    def finish(self) -> None:
        """Write the table, without which the file counts for nothing."""
        table = {"order": sys.byteorder, "sum": self._sum, "arrays": self._table, **self._facts}
        data = json.dumps(table).encode("ascii")
        start = self._file.tell()
        self._file.write(data)
        self._file.write(_tail(start, data))

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, data: bytes | bytearray) -> None:
        self._sum = zlib.crc32(data, self._sum)
        self._file.write(data)


def _tail(start: int, table: bytes) -> bytes:
    return start.to_bytes(8, "little") + zlib.crc32(table).to_bytes(4, "little")


class ArrayFile:
    """A file of arrays, mapped into memory.

    Attributes:
        facts: What else its table holds.

    Raises:
        Damaged: The file is not whole.
        OSError: It cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_checked = False
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size < len(_MAGIC) + 12:
                raise Damaged(f"{path.name} is too short")
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._view = memoryview(self._map)
        self._end = int.from_bytes(self._view[-12:-4], "little")
        table = bytes(self._view[self._end : -12])
        if bytes(self._view[: len(_MAGIC)]) != _MAGIC or self._view[-12:] != _tail(
            self._end, table
        ):
            raise Damaged(f"{path.name} is not whole")
        self.facts: dict[str, Any] = json.loads(table)
        if self.facts["order"] != sys.byteorder:
            raise Damaged(f"{path.name} was written on another kind of machine")

    def array(self, name: str, kind: Literal["B", "H", "I", "Q"] = "B") -> memoryview:
        """Return an array by its name, an empty one where there is none."""
        start, length = self.facts["arrays"].get(name, (0, 0))
        return self._view[start : start + length].cast(kind)

    def check(self) -> None:
        """Compare the file with its checksum, once.

        It is read, not mapped: pages that nobody searches are not to stay in memory.

        Raises:
            Damaged: It is not as it was written.
            OSError: It cannot be read.
        """
        if self._is_checked:
            return
        found, left = 0, self._end
        with self._path.open("rb", buffering=0) as file:
            while left and (data := file.read(min(left, _PIECE))):
                found = zlib.crc32(data, found)
                left -= len(data)
        if left or found != self.facts["sum"]:
            raise Damaged(f"{self._path.name} is not as it was written")
        self._is_checked = True

    def forget(self, name: str) -> None:
        """Give back the memory of an array, which stays readable from the system's cache."""
        start, length = self.facts["arrays"].get(name, (0, 0))
        start = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        if length > mmap.PAGESIZE and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED, start, length - mmap.PAGESIZE)
