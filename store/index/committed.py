"""A committed state of the index: asked by any thread, while a newer one may be in the making."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from ..bits import union
from ..query import Fuzzy, Text, Word
from .matching import matching
from .placed import PlacedSegment
from .ranking import Collection, Ranking
from .vocabulary import Vocabulary

_MOST_REMEMBERED = 300
"""Answers that are kept, of the newest parts of queries."""


class Committed:
    """Segments, and what is worked out and remembered of just these.

    Args:
        placed: The segments, placed among the papers.
    """

    def __init__(self, placed: Iterable[PlacedSegment] = ()) -> None:
        self.placed = tuple(placed)
        self._answers: dict[Text, int] = {}

    @cached_property
    def known(self) -> int:
        """The papers that the index holds as they are."""
        return union(one.papers(one.live) for one in self.placed)

    def matching(self, part: Text) -> int:
        """Return the papers that match a part of a query, among those that `known` holds."""
        found = self._answers.get(part)
        if found is None:
            found = union(
                one.papers(matching(one.arrays, part, self._near) & one.live) for one in self.placed
            )
            if len(self._answers) > _MOST_REMEMBERED:
                self._answers.clear()
            self._answers[part] = found
        return found

    def best(self, parts: Iterable[Text], among: int, limit: int) -> list[tuple[int, float]]:
        """Return the papers that fit parts of a query best, with their scores (BM25F).

        Args:
            parts: The parts.
            among: The papers that count.
            limit: How many are wanted.
        """
        return Ranking(self._collection, parts, self._near).best(among, limit)

    def nearest(self, word: str) -> str:
        """Return the word nearest to one that does not occur, the commonest of several, or none."""
        near = self.vocabulary.distances(word, 2 if len(word) > 4 else 1)

        def rank(one: tuple[str, int]) -> tuple[int, int, str]:
            return one[1], -self.matching(Word(one[0], "")).bit_count(), one[0]

        return min(near, key=rank)[0] if near else ""

    def _near(self, fuzzy: Fuzzy) -> Sequence[str]:
        return self.vocabulary.near(fuzzy)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """All words that occur."""
        return Vocabulary(one.arrays for one in self.placed)

    @cached_property
    def _collection(self) -> Collection:
        return Collection(self.placed)
