"""The best papers for a query: BM25F over all of them at once, then exactly over the best.

A byte of score for each document lies in two bytes of one long integer, so that multiplying it by
a term's weight and adding those of all terms is a handful of operations, however many documents
there are. The sums are off by less than a bound that is known, so the best papers are among those
within it; these are scored anew, exactly as Whoosh does.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest
from typing import NamedTuple

from ..analysis import stem
from ..bits import bits_where, flags_of, numbers_in
from ..query import Phrase, Text, Word
from .matching import Near, fields_of, matching_in, term_of
from .placed import PlacedSegment
from .scoring import CODE_STEPS, FIELD_WEIGHTS, Saturation, rarity
from .segment import Field

_MOST_WANTED = 64
"""Terms in fields that count; of more, those that weigh most."""

_FEW = 40
"""A term in fewer than one document in so many is added to these one by one."""

_ALL_BITS = bytes.maketrans(b"\1", b"\xff")
_UP_TO = [bytes(range(byte + 1)) for byte in range(256)]
_LANE = (1 << 16) - 1
_BYTE = 255


class _Wanted(NamedTuple):
    """A term in a field, or a part of a query that stands for many terms, and what it weighs.

    That one of many terms occurs counts as if it did once, in a document of average length.
    """

    field: str
    term: bytes
    part: Text | None
    weight: float


class Collection:
    """The segments of an index, and what scoring needs to know of all of them together."""

    def __init__(self, segments: Sequence[PlacedSegment]) -> None:
        self.segments = segments
        self.size = sum(one.arrays.size for one in segments)
        self.saturation = {name: Saturation(self._average(name)) for name in FIELD_WEIGHTS}
        self.drift = {name: self._drift(name) for name in FIELD_WEIGHTS}
        """By how much of itself a segment's byte of score can be off, by field."""

    def fields(self, name: str) -> Iterator[tuple[PlacedSegment, Field]]:
        """Yield the segments in which a field holds any word."""
        for one in self.segments:
            if field := one.arrays.fields.get(name):
                yield one, field

    def _average(self, name: str) -> float:
        return sum(field.total for _, field in self.fields(name)) / max(self.size, 1)

    def _drift(self, name: str) -> float:
        average = self.saturation[name].average
        averages = (field.total / one.arrays.size for one, field in self.fields(name))
        return max((max(one / average, average / one) - 1 for one in averages), default=0.0)


class Ranking:
    """Scores the documents of an index for the parts of a query.

    Args:
        collection: The index.
        parts: The parts whose words count.
        near: Gives the words that a fuzzy one can mean.
    """

    def __init__(self, collection: Collection, parts: Iterable[Text], near: Near) -> None:
        self._collection = collection
        self._segments = collection.segments
        self._near = near
        wanted = {one for part in parts for one in self._wanted(part)}
        self._all = nlargest(
            _MOST_WANTED, wanted, key=lambda one: (one.weight, one.term, one.field)
        )

    def best(self, among: int, limit: int) -> list[tuple[int, float]]:
        """Return papers and their scores, the best first and at most `limit`, without score 0."""
        documents = [one.documents(among) for one in self._segments]
        if sum(one.bit_count() for one in documents) > 2 * limit and self._all:
            documents = self._likely(documents, limit)
        scored = [
            (self._segments[at].paper(document), score)
            for at, some in enumerate(documents)
            for document, score in self._scores(self._segments[at], some)
            if score
        ]
        return nlargest(limit, scored, key=lambda one: (one[1], -one[0]))

    def _wanted(self, part: Text) -> Iterator[_Wanted]:
        for name in fields_of(part):
            for word in _words_of(part):
                if isinstance(word, Word):
                    term = term_of(word)
                    places = ((field, field.terms.find(term)) for _, field in self._fields(name))
                    frequency = sum(field.frequency(at) for field, at in places if at >= 0)
                    if frequency:
                        yield _Wanted(name, term, None, self._weight(name, frequency))
                if not isinstance(word, Word) or word.prefix:
                    sets = (self._set(one, field, word) for one, field in self._fields(name))
                    if frequency := sum(found.bit_count() for found in sets):
                        yield _Wanted(name, b"", word, self._weight(name, frequency))

    def _fields(self, name: str) -> Iterator[tuple[PlacedSegment, Field]]:
        return self._collection.fields(name)

    def _weight(self, name: str, frequency: int) -> float:
        return FIELD_WEIGHTS[name] * rarity(frequency, self._collection.size)

    def _set(self, segment: PlacedSegment, field: Field, part: Text) -> int:
        return matching_in(field, part, segment.arrays.size, self._near)

    # All documents at once

    def _likely(self, documents: Sequence[int], limit: int) -> list[int]:
        """Return documents among which are the best ones.

        The high bytes of the sums tell enough: what is within the bound of the highest one that as
        many documents reach as are wanted is kept.
        """
        weights, scale = self._scaled()
        highs = [
            self._high_bytes(segment, some, weights) if some else b""
            for segment, some in zip(self._segments, documents, strict=True)
        ]
        all_high = b"".join(highs)
        least = bisect_left(
            range(_BYTE), -limit + 1, key=lambda byte: -len(all_high.translate(None, _UP_TO[byte]))
        )
        least = max(int((least << 8) - 2 * self._error(weights, scale)) >> 8, 0)
        chosen = bytes(byte >= least for byte in range(256))
        return [
            bits_where(high.translate(chosen)) & some
            for high, some in zip(highs, documents, strict=True)
        ]

    def _high_bytes(self, segment: PlacedSegment, documents: int, weights: Sequence[int]) -> bytes:
        """Return the higher byte of the sum of every document, 0 for those that do not count."""
        size = segment.arrays.size
        sums = self._sums(segment, weights)
        high = sums[1::2] if sys.byteorder == "little" else sums[::2]
        counting = flags_of(documents, size).translate(_ALL_BITS)
        masked = int.from_bytes(high, "little") & int.from_bytes(counting, "little")
        return masked.to_bytes(size, "little")

    def _scaled(self) -> tuple[list[int], float]:
        """Return the terms' weights as small numbers, whose sums fit two bytes, and their scale."""
        whole = sum(one.weight for one in self._all)
        scale = (_LANE // _BYTE - 1.5 * len(self._all)) / whole
        return [max(round(one.weight * scale), 1) for one in self._all], scale

    def _sums(self, segment: PlacedSegment, weights: Sequence[int]) -> bytes:
        """Return the sums of weighted bytes of score, two bytes for every document."""
        size = segment.arrays.size
        few, total = array("H", bytes(2 * size)), 0
        for one, weight in zip(self._all, weights, strict=True):
            field = segment.arrays.fields.get(one.field)
            if not field:
                continue
            if one.part:
                once = bytes([0, round(CODE_STEPS)]).ljust(256, b"\0")
                found = self._set(segment, field, one.part)
                total += _lanes(flags_of(found, size).translate(once)) * weight
            elif (at := field.terms.find(one.term)) >= 0:
                if field.frequency(at) * _FEW < size:
                    for document, byte in field.score_pairs(at):
                        few[document] += byte * weight
                else:
                    total += _lanes(field.score_bytes(at)) * weight
        total += int.from_bytes(few.tobytes(), sys.byteorder)
        return total.to_bytes(2 * size, sys.byteorder)

    def _error(self, weights: Sequence[int], scale: float) -> float:
        """Return how far a sum can be from the exact score in the same unit."""
        error = 0.0
        for one, weight in zip(self._all, weights, strict=True):
            exact = one.weight * scale
            error += abs(weight - exact) * _BYTE + exact
            if not one.part:  # the byte is by the average length in the segment alone
                error += exact * _BYTE * self._collection.drift[one.field]
        return error

    # Exactly

    def _scores(self, segment: PlacedSegment, documents: int) -> Iterable[tuple[int, float]]:
        chosen = numbers_in(documents)
        scores = dict.fromkeys(chosen, 0.0)
        for one in self._all if chosen else ():
            field = segment.arrays.fields.get(one.field)
            if not field:
                continue
            if one.part:
                found = self._set(segment, field, one.part)
                for document in numbers_in(found & documents):
                    scores[document] += one.weight
                continue
            at = field.terms.find(one.term)
            if at < 0:
                continue
            having, counts = field.postings(at)
            row = self._collection.saturation[one.field].row
            for document in numbers_in(field.set_of(at) & documents):
                count = counts[bisect_left(having, document)]
                scores[document] += one.weight * row(count)[field.lengths[document]]
        return scores.items()


def _words_of(part: Text) -> Iterable[Text]:
    """Yield the words of a phrase one by one, anything else as it is."""
    if not isinstance(part, Phrase):
        yield part
        return
    for index, word in enumerate(part.words):
        if part.prefix and index == len(part.words) - 1:
            yield Word(word, stem(word), part.field, prefix=True)
        else:
            yield Word(word, word if part.stemmed else "", part.field)


def _lanes(bytes_of_score: bytes | bytearray | memoryview) -> int:
    """Return a byte for each document as one integer with two bytes for each."""
    lanes = bytearray(2 * len(bytes_of_score))
    lanes[0 if sys.byteorder == "little" else 1 :: 2] = bytes_of_score
    return int.from_bytes(lanes, sys.byteorder)
