"""All words of an index, to find those that are spelled nearly like another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ..query import Fuzzy
from .segment import Segment


class Vocabulary:
    """Words by their length: a near one is nearly as long."""

    def __init__(self, segments: Iterable[Segment]) -> None:
        words: set[str] = set()
        for segment in segments:
            for field in segment.fields.values():
                words.update(field.words())
        self._last: tuple[Fuzzy | None, tuple[str, ...]] = None, ()
        self._by_length: defaultdict[int, list[str]] = defaultdict(list)
        for word in words:
            self._by_length[len(word)].append(word)

    def near(self, fuzzy: Fuzzy) -> Sequence[str]:
        """Return the words that a fuzzy one can mean."""
        last = self._last  # every field and segment asks for the same one
        if last[0] != fuzzy:
            found = self.distances(fuzzy.word, fuzzy.edits)
            last = self._last = fuzzy, tuple(word for word, _ in found)
        return last[1]

    def distances(self, word: str, edits: int) -> list[tuple[str, int]]:
        """Return words at most so many edits away, and how many (optimal string alignment)."""
        from rapidfuzz.distance import OSA
        from rapidfuzz.process import extract

        return [
            (str(one), int(distance))
            for length in range(len(word) - edits, len(word) + edits + 1)
            for one, distance, _ in extract(
                word, self._by_length.get(length, ()), scorer=OSA.distance,
                score_cutoff=edits, limit=None,
            )
        ]  # fmt: skip
