"""A file of what was derived from another one, so that opening need not derive it again.

Named sections of bytes behind a head that tells where each is, with checksums. Whatever is wrong
with such a file, it counts as none: nothing in it cannot be made anew.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .files import UNREADABLE, replace_file

_MAGIC = b"ALcolum1"
"""Its last character is the version of the format."""

_START = struct.Struct("<8sII")
"""The magic number, and length and checksum of the head."""


class BadSidecarError(ValueError):
    """There is no such file, or it is damaged, of another version or of another machine."""


def write_sidecar(path: Path, facts: Mapping[str, Any], sections: Mapping[str, bytes]) -> None:
    """Store sections, and facts that JSON can hold, in place of what was there.

    Raises:
        OSError: They could not be stored.
    """
    places = {name: [len(data), zlib.crc32(data)] for name, data in sections.items()}
    head = json.dumps({"order": sys.byteorder, "facts": facts, "sections": places}).encode()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    start = _START.pack(_MAGIC, len(head), zlib.crc32(head))
    replace_file(path, b"".join((start, head, *sections.values())), durably=False)


class Sidecar:
    """A stored file, held open so that its sections can be read when they are needed.

    Raises:
        BadSidecarError: It cannot be used.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise BadSidecarError(str(error)) from error
        self._is_open = True
        try:
            self._take_head()
        except (OSError, struct.error, *UNREADABLE) as error:
            self.close()
            raise BadSidecarError(str(error)) from error

    def _take_head(self) -> None:
        status = os.fstat(self._handle)
        magic, length, checksum = _START.unpack(self._read(0, _START.size))
        at = _START.size + length
        if magic != _MAGIC or at > status.st_size:
            raise BadSidecarError("it is of another kind")
        head = self._read(_START.size, length)
        if zlib.crc32(head) != checksum:
            raise BadSidecarError("its head is damaged")
        told = json.loads(head)
        if told["order"] != sys.byteorder:
            raise BadSidecarError("it is of another machine")
        self.facts: dict[str, Any] = told["facts"]
        self.written: int = status.st_mtime_ns
        """When it was written, in nanoseconds since 1970 by the clock of its file system."""
        self._places: dict[str, tuple[int, int, int]] = {}
        for name, (size, checksum) in told["sections"].items():
            self._places[name] = at, size, checksum
            at += size
        if at != status.st_size:
            raise BadSidecarError("it is cut")

    def section(self, name: str) -> bytes:
        """Return a section.

        Raises:
            BadSidecarError: It is damaged, or cannot be read.
        """
        try:
            at, size, checksum = self._places[name]
            data = self._read(at, size)
        except (KeyError, OSError) as error:
            raise BadSidecarError(f"{name}: {error}") from error
        if zlib.crc32(data) != checksum:
            raise BadSidecarError(f"its {name} are damaged")
        return data

    def _read(self, at: int, size: int) -> bytes:
        if not self._is_open:
            raise BadSidecarError("it is closed")
        data = os.pread(self._handle, size, at)
        if len(data) != size:
            raise BadSidecarError("it is cut")
        return data

    def close(self) -> None:
        """Close the file; no section can be read any more."""
        if self._is_open:
            self._is_open = False
            os.close(self._handle)
