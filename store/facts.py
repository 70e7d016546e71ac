"""The parts of a query that ask for facts instead of words: years, marks, lists, identifiers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .analysis import tokens
from .bits import bits_where, union
from .catalogue import Catalogue
from .columns import HAS_BITS, SEPARATOR, milliseconds
from .lists import Lists
from .marked import Marked
from .naming import present_key
from .paper import Status
from .query import Added, Fact, Has, Identifier, InList, Is, Years
from .text import fold

if TYPE_CHECKING:
    from .columns import Columns


class Facts:
    """Answers them for all papers at once.

    Args:
        catalogue: The papers.
        marked: What follows from the marks.
        lists: The reading lists.
    """

    def __init__(self, catalogue: Catalogue, marked: Marked, lists: Lists) -> None:
        self._catalogue = catalogue
        self._marked = marked
        self._lists = lists
        self._answers: dict[Fact, int] = {}
        self._version = -1

    def having(self, fact: Fact) -> int:
        """Return the papers that a fact holds for."""
        columns = self._catalogue.columns
        match fact:
            case Is(values):
                return union(map(self._is, values))
            case InList(anchor):
                return union(
                    self._lists.members(f"anchor:{one}").papers for one in self._anchors(anchor)
                )
            case Has(values):
                return union(map(self._has, values))
        if self._version != columns.version:
            self._answers, self._version = {}, columns.version
        if fact not in self._answers:
            self._answers[fact] = _looked_up(fact, columns) & columns.here
        return self._answers[fact]

    def _is(self, value: str) -> int:
        return self._marked.starred if value == "starred" else self._marked.having(Status(value))

    def _has(self, thing: str) -> int:
        if thing == "note":
            return self._marked.noted
        if thing == "tag":
            return union(self._marked.tags.values())
        bit = HAS_BITS[thing]
        is_set = bytes(1 if byte & bit else 0 for byte in range(256))
        return bits_where(self._catalogue.columns.has.translate(is_set))

    def _anchors(self, words: str) -> Iterable[str]:
        wanted, present = fold(words), present_key(self._catalogue, words)
        for anchor in self._catalogue.lists:
            if (
                anchor == present
                or fold(anchor).startswith(wanted)
                or _in_title(words, self._lists.title(anchor))
            ):
                yield anchor


def _looked_up(fact: Years | Added | Identifier, columns: Columns) -> int:
    """Return the papers a fact holds for, by going through a column."""
    match fact:
        case Years(first, last):
            low, high = max(first or 0, 1), last or 9999
            return bits_where(bytes(low <= year <= high for year in columns.years))
        case Added(first, last):
            low = milliseconds(first) if first else 1
            high = milliseconds(last) if last else 1 << 62
            return bits_where(bytes(low <= added < high for added in columns.added))
        case Identifier(value, prefix):
            wanted = SEPARATOR + value.casefold() + ("" if prefix else SEPARATOR)
            return bits_where(bytes(wanted in names for names in columns.names()))


def _in_title(words: str, title: str) -> bool:
    """Tell whether all words occur in a title, each as a word or the beginning of one."""
    wanted, there = tokens(words), tokens(title)
    return bool(wanted) and all(
        any(
            word.stem == one.stem or one.exact.startswith(word.exact) or word.exact == one.joined
            for one in there
        )
        for word in wanted
    )
