"""BM25F, as Whoosh computes it (`whoosh.scoring.BM25F`): a weighted sum over terms and fields.

Robertson, Zaragoza: The Probabilistic Relevance Framework, BM25 and Beyond (2009), with Whoosh's
inverse document frequency, log(N / (n + 1)) + 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import log

from whoosh.util.numeric import byte_to_length

K1, B = 1.2, 0.75

FIELD_WEIGHTS = {
    "title": 3.0, "tags": 2.0, "authors": 2.0, "abstract": 1.0, "venue": 1.0, "note": 0.6,
}  # fmt: skip
"""How much a word counts in each field: title above abstract above note."""

CODE_STEPS = 255 / (K1 + 1)
"""Steps of a byte of score: `saturation` is below K1 + 1."""

_LENGTHS = [byte_to_length(byte) for byte in range(256)]


def rarity(frequency: int, size: int) -> float:
    """Return a term's inverse document frequency among so many documents."""
    return log(size / (frequency + 1)) + 1


class Saturation:
    """The part of a score that depends on the document, for one field.

    Args:
        average: The average length of the field.
    """

    def __init__(self, average: float) -> None:
        self.average = average or 1
        self._rows: dict[int, list[float]] = {}
        self._bytes: dict[int, bytes] = {}

    def row(self, count: int) -> list[float]:
        """Return it for a term that occurs so often, by the document's length byte."""
        row = self._rows.get(count)
        if row is None:
            norms = (K1 * ((1 - B) + B * length / self.average) for length in _LENGTHS)
            row = self._rows[count] = [count * (K1 + 1) / (count + norm) for norm in norms]
        return row

    def pairs(
        self, documents: Sequence[int], counts: Iterable[int], length_bytes: Sequence[int]
    ) -> Iterator[tuple[int, int]]:
        """Yield documents, each with it as a byte that is never 0.

        Args:
            documents: The documents that a term occurs in.
            counts: How often it does, in each of these.
            length_bytes: The length byte of every document of the segment.
        """
        rows = self._bytes
        for document, count in zip(documents, counts, strict=True):
            if count not in rows:
                rows[count] = bytes(max(round(one * CODE_STEPS), 1) for one in self.row(count))
            yield document, rows[count][length_bytes[document]]


def spread(pairs: Iterable[tuple[int, int]], size: int) -> bytearray:
    """Return a byte for each of so many documents, 0 for those that are not among the pairs."""
    found = bytearray(size)
    for document, byte in pairs:
        found[document] = byte
    return found
