"""A segment placed among the papers of a library: which document is which paper now."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from functools import cached_property

from ..bits import bits_of, numbers_in
from .codec import ArraySegment
from .segment import Segment


class Lines:
    """Digests of the lines that papers have now, and where each is.

    Args:
        digests: By the paper's number; 0 where a paper has no line.
    """

    def __init__(self, digests: array[int]) -> None:
        self.digests = digests
        self._numbers: dict[int, int] | None = None

    def number(self, digest: int) -> int | None:
        """Return the paper with a line, if there still is one."""
        if self._numbers is None:
            self._numbers = {one: number for number, one in enumerate(self.digests)}
        return self._numbers.get(digest) if digest else None

    def first(self, digest: int) -> int | None:
        """Return the first paper with a line, without preparing to be asked for all."""
        wanted, raw = array("Q", [digest]).tobytes(), self._raw
        at = raw.find(wanted)
        while at % 8 > 0 and at >= 0:  # a place across two digests
            at = raw.find(wanted, at + 1)
        return at // 8 if at >= 0 else None

    @cached_property
    def _raw(self) -> bytes:
        return self.digests.tobytes()


class PlacedSegment:
    """The documents of a segment that are papers as they are now.

    Args:
        segment: What Whoosh's list says of it.
        arrays: Its file.
        lines: The papers' lines.
        own: Digests of tags and notes, by the number of papers that have any.
    """

    def __init__(
        self, segment: ArraySegment, arrays: Segment, lines: Lines, own: Mapping[int, int]
    ) -> None:
        self.segment = segment
        self.arrays = arrays
        self._numbers: list[int] | None = None
        """The paper of every document, where they do not follow each other; -1 is none."""
        self._base = 0
        deleted = bits_of(segment.deleted_docs(), arrays.size)
        self.live = self._place(lines) & ~deleted & ~self._outdated(own)
        """The documents that are papers as they are now."""

    def _place(self, lines: Lines) -> int:
        size = self.arrays.size
        mine = self.arrays.array("lines", "Q")
        first = lines.first(mine[0])
        if first is not None and first + size <= len(lines.digests):
            now = memoryview(lines.digests)[first : first + size]
            self._base = first
            if now == mine:
                return (1 << size) - 1
            same = [at for at, (one, two) in enumerate(zip(now, mine, strict=True)) if one == two]
            if 2 * len(same) > size:
                return bits_of(same, size)
        self._base = 0
        found = (lines.number(digest) for digest in mine)
        self._numbers = [-1 if number is None else number for number in found]
        return bits_of([at for at, number in enumerate(self._numbers) if number >= 0], size)

    def _outdated(self, own: Mapping[int, int]) -> int:
        """Return the documents whose tags or note are not what they were."""
        mine, size = self.arrays.own, self.arrays.size
        if self._numbers is None:  # few papers have any: only these are looked at
            now = {number - self._base: digest for number, digest in own.items()}
            chosen = [at for at in {*mine, *now} if 0 <= at < size]
        else:
            now = {at: own.get(number, 0) for at, number in enumerate(self._numbers)}
            chosen = [*range(size)]
        return bits_of([at for at in chosen if mine.get(at, 0) != now.get(at, 0)], size)

    def papers(self, documents: int) -> int:
        """Return the papers that documents are, all of them live ones."""
        if self._numbers is None:
            return documents << self._base
        numbers = [self._numbers[document] for document in numbers_in(documents)]
        return bits_of(numbers, max(numbers) + 1) if numbers else 0

    def paper(self, document: int) -> int:
        """Return the paper that a document is."""
        return document + self._base if self._numbers is None else self._numbers[document]

    def documents(self, papers: int) -> int:
        """Return the live documents among papers."""
        if self._numbers is None:
            return (papers >> self._base) & self.live
        live = numbers_in(self.live)
        return bits_of(
            [document for document in live if papers >> self._numbers[document] & 1],
            self.arrays.size,
        )
