"""The texts of papers, as searching and indexing need them: by number, from any thread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple

from .catalogue import Catalogue
from .columns import Columns
from .marks import Marks
from .match import Fields, fields_of
from .paper import Entry, Paper


class Own(NamedTuple):
    """What the reader added to a paper that can be searched."""

    tags: str
    note: str


class Source(NamedTuple):
    """Where other processes read papers.

    Attributes:
        path: The file of papers.
        spans: Offset and length of papers' lines, by number.
        own: What the reader added, by the number of papers that have any.
    """

    path: Path
    spans: Mapping[int, tuple[int, int]]
    own: Mapping[int, Own]


class Texts:
    """Reads them.

    Args:
        catalogue: The papers.
        marks: What the reader added.
        guard: Held while reading.
    """

    def __init__(
        self, catalogue: Catalogue, marks: Marks, guard: AbstractContextManager[object]
    ) -> None:
        self._catalogue = catalogue
        self._marks = marks
        self._guard = guard

    @property
    def columns(self) -> Columns:
        """What is known of the papers without reading them."""
        return self._catalogue.columns

    def fields(self, number: int) -> Fields:
        """Return the texts of a paper that are searched, as far as it can be read."""
        with self._guard:
            try:
                paper = self._catalogue.paper_at(number)
            except (KeyError, OSError):
                paper = Paper(self.columns.keys[number])
            return self._fields_of(paper)

    def _fields_of(self, paper: Paper) -> Fields:
        return fields_of(Entry(paper, self._marks.mark(paper.key), self._marks.note(paper.key)))

    def document(self, number: int) -> tuple[str, int, Fields]:
        """Return a paper's key, the digest of its line and its texts, all of one moment.

        Raises:
            KeyError: There is no such paper.
            OSError: It cannot be read.
        """
        with self._guard:
            columns, paper = self.columns, self._catalogue.paper_at(number)
            return paper.key, columns.digests[number], self._fields_of(paper)

    def own(self, numbers: Iterable[int] | None = None) -> dict[int, Own]:
        """Return what the reader added to those of some papers, or of all, that have any."""
        with self._guard:
            if numbers is None:  # a mark may be on a paper that is not here
                numbers = self.columns.numbers({*self._marks.marked(), *self._marks.noted()})
            found = {}
            for number in numbers:
                key = self.columns.keys[number]
                own = Own(" ".join(self._marks.mark(key).tags), self._marks.note(key))
                if any(own):
                    found[number] = own
            return found

    def source(self, numbers: Iterable[int]) -> Source:
        """Return where other processes read papers."""
        with self._guard:
            columns = self.columns
            spans = {one: (columns.offsets[one], columns.lengths[one]) for one in numbers}
        return Source(self._catalogue.path, spans, self.own())
