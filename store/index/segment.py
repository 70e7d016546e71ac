"""One segment of the index: a file of arrays that is mapped into memory and never changed.

Arrays are found by a table at the file's end. For each field there are its terms (sorted UTF-8
lines), which documents each occurs in and how often, the sets of documents for common terms and
for beginnings of words (ready as bits), a byte of score for each document for very common terms,
and the words of every document in order, in which phrases are looked up.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import sys
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ..bits import bits_of
from .scoring import Saturation

MAGIC = b"ANCHORLIGHT SEGMENT 1\n"
STEM_MARK = "="
"""Stands before a stem, so that stems and words as typed share a field without mixing."""

MOST_DOCUMENTS = 1 << 15
"""Documents in a segment: few enough for two bytes each, and for a build to stay small."""

BEGINNING = 3
"""Letters up to which the sets of beginnings lie ready."""


_PIECE = 1 << 20
"""Bytes that are read at a time."""


class Damaged(ValueError):  # noqa: N818 - says what is the matter with a file
    """A segment's file is not what a segment writes."""


class SegmentWriter:
    """Writes the arrays of a segment one after the other, and the table at the end.

    Args:
        path: The file to make.
        facts: What else the table is to hold.
    """

    def __init__(self, path: Path, facts: dict[str, Any]) -> None:
        self._file = path.open("xb")
        self._table: dict[str, tuple[int, int]] = {}
        self._facts = facts
        self._sum = zlib.crc32(MAGIC)
        self._file.write(MAGIC)  # stays in the buffer yet, so it cannot fail

    def add(self, name: str, data: bytes | bytearray) -> None:
        """Write an array of bytes under a name."""
        self._write(b"\0" * (-self._file.tell() % 8))
        self._table[name] = self._file.tell(), len(data)
        self._write(data)

    def finish(self) -> None:
        """Write the table, without which the file is no segment."""
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


class Lines:
    """Sorted lines of a segment, searched where they lie."""

    def __init__(self, segment: Segment, name: str) -> None:
        self._text = segment.array(f"{name}.text")
        self._starts = segment.array(f"{name}.starts", "I")

    def __len__(self) -> int:
        return max(len(self._starts) - 1, 0)

    def __getitem__(self, at: int) -> bytes:
        return bytes(self._text[self._starts[at] : self._starts[at + 1] - 1])

    def place(self, line: bytes, low: int = 0) -> int:
        """Return where a line stands, or would."""
        return bisect_left(range(len(self)), line, low, key=self.__getitem__)

    def find(self, line: bytes) -> int:
        """Return where a line stands, or -1."""
        at = self.place(line)
        return at if at < len(self) and self[at] == line else -1

    def span(self, beginning: bytes) -> tuple[int, int]:
        """Return the places from and before which lines begin like this."""
        start = self.place(beginning)
        return start, self.place(beginning + b"\xff", start)

    def text(self, start: int = 0, stop: int | None = None) -> str:
        """Return lines as one text, each ending in a newline."""
        if not len(self):
            return ""
        stop = len(self) if stop is None else stop
        return str(self._text[self._starts[start] : self._starts[stop]], "utf-8")


class Postings(NamedTuple):
    """Where a term occurs.

    Attributes:
        documents: Numbers of the documents, ascending.
        counts: How often it occurs in each, at most 255.
    """

    documents: memoryview
    counts: memoryview


class Field:
    """The postings of one field of a segment."""

    def __init__(self, segment: Segment, name: str) -> None:
        self._segment = segment
        self._name = name
        self.terms = Lines(segment, f"{name}.terms")
        self.total = int(segment.facts["totals"][name])
        """Terms in all documents together."""
        self.lengths = segment.array(f"{name}.lengths")
        """A byte for each document: its number of terms, as Whoosh rounds it."""
        self._firsts = segment.array(f"{name}.firsts", "I")
        self._counted = segment.array(f"{name}.counted", "H")
        self._documents = segment.array(f"{name}.documents", "H")
        self._counts = segment.array(f"{name}.counts")
        self._sets: dict[int | str, int] = {}

    def frequency(self, at: int) -> int:
        """Return how many documents a term occurs in, by its place."""
        return int(self._counted[at])

    def postings(self, at: int) -> Postings:
        """Return where a term occurs, by its place."""
        first = self._firsts[at]
        last = first + self._counted[at]
        return Postings(self._documents[first:last], self._counts[first:last])

    def set_of(self, at: int) -> int:
        """Return the documents a term occurs in, by its place."""
        first = self._firsts[at]
        found = self._sets.get(first)
        if found is None:
            slot = self._common.get(first)
            if slot is None:
                found = bits_of(self.postings(at).documents, self._segment.size)
            else:
                found = self._ready("common_sets", slot)
            self._keep(first, found)
        return found

    def set_beginning(self, beginning: str) -> int:
        """Return the documents with a word that begins like this."""
        found = self._sets.get(beginning)
        if found is None:
            found = self._find_beginning(beginning)
            self._keep(beginning, found)
        return found

    def _find_beginning(self, beginning: str) -> int:
        line = beginning.encode()
        if len(beginning) <= BEGINNING and (at := self._beginnings.find(line)) >= 0:
            return self._ready("beginning_sets", at)
        start, stop = self.terms.span(line)
        if start == stop:
            return 0
        # The postings of words that follow each other do so too.
        first, last = self._firsts[start], self._firsts[stop - 1] + self._counted[stop - 1]
        return bits_of(self._documents[first:last], self._segment.size)

    def set_of_any(self, places: Iterable[int]) -> int:
        """Return the documents that any of these terms occurs in, by their places."""
        documents: set[int] = set()
        found = 0
        for at in places:
            if self._firsts[at] in self._common:
                found |= self.set_of(at)
            else:
                documents.update(self.postings(at).documents)
        return found | bits_of(documents, self._segment.size)

    def words(self) -> Iterator[str]:
        """Yield every word of the field, without stems."""
        return (one for one in self.terms.text().split("\n") if one and one[0] != STEM_MARK)

    def matching(self, pattern: str, beginning: str) -> list[int]:
        """Return the places of the words that begin like this and match a regular expression.

        Args:
            pattern: An expression that matches no newline.
            beginning: The letters, at least one, that all matching words begin with.
        """
        start, stop = self.terms.span(beginning.encode())
        text = self.terms.text(start, stop)
        found, at, line = [], 0, start
        for match in re.finditer(rf"^(?:{pattern})$", text, re.MULTILINE):
            line += text.count("\n", at, match.start())
            at = match.start()
            found.append(line)
        return found

    def score_bytes(self, at: int) -> bytes | bytearray | memoryview:
        """Return a term's byte of score for each document, 0 where it does not occur."""
        slot = self._coded.get(self._firsts[at])
        size = self._segment.size
        if slot is not None:
            return self._codes[slot * size : (slot + 1) * size]
        found = bytearray(size)
        for document, byte in self.score_pairs(at):
            found[document] = byte
        return found

    def score_pairs(self, at: int) -> Iterator[tuple[int, int]]:
        """Return the documents a term occurs in, each with its byte of score."""
        documents, counts = self.postings(at)
        lengths = map(self.lengths.__getitem__, documents)
        return zip(documents, self._saturation.bytes_of(counts, lengths), strict=True)

    @cached_property
    def _saturation(self) -> Saturation:
        return Saturation(self.total / self._segment.size)

    # Words in order

    def numbers(self, at: int) -> memoryview:
        """Return what stands for a term where the words of a document are in order.

        For a stem these are the numbers of all its words.
        """
        return self._numbers[self._number_starts[at] : self._number_starts[at + 1]]

    def order(self) -> tuple[memoryview, memoryview]:
        """Return the numbers of all documents' words in order, and where each document begins."""
        return self._order, self._order_starts

    def forget_order(self) -> None:
        """Give back the memory of the words in order, the most of a segment by far."""
        self._segment.forget(f"{self._name}.order")

    @cached_property
    def _numbers(self) -> memoryview:
        return self._segment.array(f"{self._name}.numbers", "I")

    @cached_property
    def _number_starts(self) -> memoryview:
        return self._segment.array(f"{self._name}.number_starts", "I")

    @cached_property
    def _order(self) -> memoryview:
        return self._segment.array(f"{self._name}.order", "I")

    @cached_property
    def _order_starts(self) -> memoryview:
        return self._segment.array(f"{self._name}.order_starts", "I")

    # Sets that lie ready

    @cached_property
    def _common(self) -> dict[int, int]:
        return self._slots("common")

    @cached_property
    def _coded(self) -> dict[int, int]:
        return self._slots("coded")

    def _slots(self, name: str) -> dict[int, int]:
        firsts = self._segment.array(f"{self._name}.{name}", "I")
        return {first: slot for slot, first in enumerate(firsts)}

    @cached_property
    def _codes(self) -> memoryview:
        return self._segment.array(f"{self._name}.codes")

    @cached_property
    def _beginnings(self) -> Lines:
        return Lines(self._segment, f"{self._name}.beginnings")

    def _ready(self, name: str, slot: int) -> int:
        length = self._segment.size // 8 + 1
        sets = self._segment.array(f"{self._name}.{name}")
        return int.from_bytes(sets[slot * length : (slot + 1) * length], "little")

    def _keep(self, what: int | str, found: int) -> None:
        if len(self._sets) > 500:
            self._sets.clear()
        self._sets[what] = found


class Segment:
    """A segment's file, mapped into memory.

    Raises:
        Damaged: The file is no whole segment.
        OSError: It cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_checked = False
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size < len(MAGIC) + 12:
                raise Damaged(f"{path.name} is too short")
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._view = memoryview(self._map)
        start = int.from_bytes(self._view[-12:-4], "little")
        table = bytes(self._view[start:-12])
        if bytes(self._view[: len(MAGIC)]) != MAGIC or self._view[-12:] != _tail(start, table):
            raise Damaged(f"{path.name} is no whole segment")
        self.facts: dict[str, Any] = json.loads(table)
        if self.facts["order"] != sys.byteorder:
            raise Damaged(f"{path.name} was written on another kind of machine")
        self.size = int(self.facts["size"])
        """Documents in it."""
        self._end = start

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

    @cached_property
    def fields(self) -> dict[str, Field]:
        """The fields that hold any word, by name."""
        return {name: Field(self, name) for name in self.facts["totals"]}

    @cached_property
    def keys(self) -> list[str]:
        """The papers' keys, by document."""
        return str(self.array("keys"), "utf-8").split("\n") if self.size else []

    @cached_property
    def own(self) -> dict[int, int]:
        """Digests of tags and notes, by the documents that have any."""
        return {at: digest for at, digest in enumerate(self.array("own", "Q")) if digest}

    def array(self, name: str, kind: Literal["B", "H", "I", "Q"] = "B") -> memoryview:
        """Return an array by its name, an empty one where there is none."""
        start, length = self.facts["arrays"].get(name, (0, 0))
        return self._view[start : start + length].cast(kind)

    def forget(self, name: str) -> None:
        """Give back the memory of an array, which stays readable from the system's cache."""
        start, length = self.facts["arrays"].get(name, (0, 0))
        start = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        if length > mmap.PAGESIZE and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED, start, length - mmap.PAGESIZE)
