"""One segment of the index, a file of arrays that is never changed.

For each field there are its terms (sorted UTF-8
lines), which documents each occurs in and how often, the sets of documents for common terms and
for beginnings of words (ready as bits), a byte of score for each document for very common terms,
and the words of every document in order, in which phrases are looked up.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ..bits import bits_of
from .arrays import ArrayFile
from .scoring import Saturation, spread

STEM_MARK = "="
"""Stands before a stem, so that stems and words as typed share a field without mixing."""

MOST_DOCUMENTS = 1 << 15
"""Documents in a segment: few enough for two bytes each, and for a build to stay small."""

BEGINNING = 3
"""Letters up to which the sets of beginnings lie ready."""


class Lines:
    """Sorted lines of a segment, searched where they lie."""

    def __init__(self, file: ArrayFile, name: str) -> None:
        self._text = file.array(f"{name}.text")
        self._starts = file.array(f"{name}.starts", "I")

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

    def __init__(self, file: ArrayFile, name: str, size: int) -> None:
        self._file = file
        self._name = name
        self._size = size
        self.terms = Lines(file, f"{name}.terms")
        self.total = int(file.facts["totals"][name])
        """Terms in all documents together."""
        self.lengths = file.array(f"{name}.lengths")
        """A byte for each document: its number of terms, as Whoosh rounds it."""
        self._firsts = file.array(f"{name}.firsts", "I")
        self._counted = file.array(f"{name}.counted", "H")
        self._documents = file.array(f"{name}.documents", "H")
        self._counts = file.array(f"{name}.counts")
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
                found = bits_of(self.postings(at).documents, self._size)
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
        return bits_of(self._documents[first:last], self._size)

    def set_of_any(self, places: Iterable[int]) -> int:
        """Return the documents that any of these terms occurs in, by their places."""
        documents: set[int] = set()
        found = 0
        for at in places:
            if self._firsts[at] in self._common:
                found |= self.set_of(at)
            else:
                documents.update(self.postings(at).documents)
        return found | bits_of(documents, self._size)

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
        size = self._size
        if slot is not None:
            return self._codes[slot * size : (slot + 1) * size]
        return spread(self.score_pairs(at), size)

    def score_pairs(self, at: int) -> Iterator[tuple[int, int]]:
        """Return the documents a term occurs in, each with its byte of score."""
        documents, counts = self.postings(at)
        return self._saturation.pairs(documents, counts, self.lengths)

    @cached_property
    def _saturation(self) -> Saturation:
        return Saturation(self.total / self._size)

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
        self._file.forget(f"{self._name}.order")

    @cached_property
    def _numbers(self) -> memoryview:
        return self._file.array(f"{self._name}.numbers", "I")

    @cached_property
    def _number_starts(self) -> memoryview:
        return self._file.array(f"{self._name}.number_starts", "I")

    @cached_property
    def _order(self) -> memoryview:
        return self._file.array(f"{self._name}.order", "I")

    @cached_property
    def _order_starts(self) -> memoryview:
        return self._file.array(f"{self._name}.order_starts", "I")

    # Sets that lie ready

    @cached_property
    def _common(self) -> dict[int, int]:
        return self._slots("common")

    @cached_property
    def _coded(self) -> dict[int, int]:
        return self._slots("coded")

    def _slots(self, name: str) -> dict[int, int]:
        firsts = self._file.array(f"{self._name}.{name}", "I")
        return {first: slot for slot, first in enumerate(firsts)}

    @cached_property
    def _codes(self) -> memoryview:
        return self._file.array(f"{self._name}.codes")

    @cached_property
    def _beginnings(self) -> Lines:
        return Lines(self._file, f"{self._name}.beginnings")

    def _ready(self, name: str, slot: int) -> int:
        length = self._size // 8 + 1
        sets = self._file.array(f"{self._name}.{name}")
        return int.from_bytes(sets[slot * length : (slot + 1) * length], "little")

    def _keep(self, what: int | str, found: int) -> None:
        if len(self._sets) > 500:
            self._sets.clear()
        self._sets[what] = found


class Segment:
    """A segment's file.

    Attributes:
        size: Documents in it.

    Raises:
        Damaged: The file is no whole segment.
        OSError: It cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._file = ArrayFile(path)
        self.array, self.check = self._file.array, self._file.check
        self.size = int(self._file.facts["size"])

    @cached_property
    def fields(self) -> dict[str, Field]:
        """The fields that hold any word, by name."""
        return {name: Field(self._file, name, self.size) for name in self._file.facts["totals"]}

    @cached_property
    def keys(self) -> list[str]:
        """The papers' keys, by document."""
        return str(self.array("keys"), "utf-8").split("\n") if self.size else []

    @cached_property
    def own(self) -> dict[int, int]:
        """Digests of tags and notes, by the documents that have any."""
        return {at: digest for at, digest in enumerate(self.array("own", "Q")) if digest}
