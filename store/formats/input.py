"""A file that is read: its first part, to tell what it is, then all of it, or line by line."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from .decode import Decoded, decode
from .found import RefusedError

HEAD_BYTES = 1 << 16
"""How much is looked at to tell the format."""

LARGEST_TEXT = 1 << 28
"""Bytes of the largest file that is read as one piece; JSON Lines are read line by line."""

LONGEST_LINE = 1 << 24
"""Bytes of the longest line of a file that is read line by line."""

_ARCHIVES = {b"PK\x03\x04": "zip", b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ": "xz",
             b"7z\xbc\xaf": "7z", b"(\xb5/\xfd": "zstd"}  # fmt: skip


class Input:
    """The content of a file, or of a stream.

    Args:
        stream: Where the bytes come from; it need not be seekable.
        path: The file's path; what else is known of its papers may lie beside it.
        size: Bytes that there are, where that is known.

    Raises:
        OSError: It cannot be read.
    """

    def __init__(self, stream: BinaryIO, path: Path, size: int | None = None) -> None:
        self.path = path
        self.size = size
        self.done = 0
        """Bytes that were read so far."""
        self._stream = stream
        self._head = self._read(HEAD_BYTES)
        self._decoded: Decoded | None = None

    @classmethod
    def of(cls, content: str | bytes, name: str = "test") -> Input:
        """Return a content that is at hand as an input."""
        data = content.encode() if isinstance(content, str) else content
        return cls(io.BytesIO(data), Path(name), len(data))

    def _read(self, size: int) -> bytes:
        parts = []
        while size > 0 and (part := self._stream.read(size)):  # a pipe gives less than asked for
            parts.append(part)
            size -= len(part)
            self.done += len(part)
        return b"".join(parts)

    def head(self) -> str:
        """Return the text of the first part, perhaps cut in the middle of a line.

        Raises:
            RefusedError: This is no text.
        """
        for magic, name in _ARCHIVES.items():
            if self._head.startswith(magic):
                raise RefusedError(
                    f"this is a {name} archive: unpack it, then import what is in it"
                )
        return self._checked(decode(self._head, is_whole=len(self._head) < HEAD_BYTES)).text

    def text(self) -> str:
        """Return the whole text, its lines ending in line feeds.

        Raises:
            OSError: It cannot be read.
            RefusedError: It is too large, or no text.
        """
        return self._whole().text

    @property
    def guess(self) -> str:
        """How the encoding was guessed, once `text` was asked for; empty where it was not."""
        return self._decoded.guess if self._decoded else ""

    def _whole(self) -> Decoded:
        if self._decoded is None:
            too_large = self.size is not None and self.size > LARGEST_TEXT
            rest = b"" if too_large else self._read(LARGEST_TEXT + 1 - len(self._head))
            if too_large or len(self._head) + len(rest) > LARGEST_TEXT:
                raise RefusedError(
                    f"it is larger than {LARGEST_TEXT >> 20} MB: only JSON Lines are read at that "
                    "size; split it"
                )
            self._decoded = self._checked(decode(self._head + rest))
            self._head = b""
        return self._decoded

    @staticmethod
    def _checked(decoded: Decoded) -> Decoded:
        if decoded.problem:
            raise RefusedError(decoded.problem)
        return decoded

    def lines(self) -> Iterator[tuple[int, str | None]]:
        """Yield lines with their numbers, counted from 1; None is one that is too long.

        A large file is not held as a whole and taken for UTF-8, a byte that is none for a
        replacement character.

        Raises:
            OSError: It cannot be read.
            RefusedError: It is no text.
        """
        if self._decoded or (self.size is not None and self.size <= LONGEST_LINE):
            yield from enumerate(self.text().split("\n"), 1)
            return
        chunk, self._head = self._head.removeprefix(codecs.BOM_UTF8), b""
        rest: list[bytes] = []  # what there is of a line, and how long it is
        number, size = 0, 0
        while chunk:
            *lines, last = chunk.split(b"\n")
            for line in lines:
                number += 1
                is_short = size + len(line) <= LONGEST_LINE
                yield number, _line(b"".join((*rest, line))) if is_short else None
                rest, size = [], 0
            size += len(last)
            rest = [*rest, last] if size <= LONGEST_LINE else []
            chunk = self._read(1 << 20)
        if size:
            yield number + 1, _line(b"".join(rest)) if size <= LONGEST_LINE else None


def _line(line: bytes) -> str:
    return line.removesuffix(b"\r").decode("utf-8", "replace")
