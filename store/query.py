"""What can be asked: the parts that a query consists of, as `parser` reads them from a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .paper import Status

TEXT_FIELDS = ("title", "abstract", "authors", "venue", "tags", "note")
"""Fields that hold words; a word without a field is looked for in all of them."""

FIELD_NAMES = {
    "title": "title", "abstract": "abstract", "author": "authors", "authors": "authors",
    "venue": "venue", "tag": "tags", "tags": "tags", "note": "note", "notes": "note",
}  # fmt: skip
"""Fields by the names that may stand before a colon."""

HAS = ("abstract", "arxiv", "doi", "note", "pdf", "tag", "url")
"""What `has:` can ask for."""

IS = ("starred", *(status.value for status in Status))
"""What `is:` can ask for."""

FILTERS = ("year", "anchor", "id", "is", "has", "added")
"""Names before a colon that ask for facts instead of words."""

FIELDS = (*sorted(FIELD_NAMES), *FILTERS)
"""Every name that may stand before a colon."""


@dataclass(frozen=True)
class Word:
    """A word, found in its inflected forms; with `prefix` also as the beginning of others."""

    text: str
    stem: str
    """Empty where only the word as typed counts."""
    field: str | None = None
    prefix: bool = False


@dataclass(frozen=True)
class Phrase:
    """Words next to each other: as typed, or in any inflected form when `stemmed`."""

    words: tuple[str, ...]
    field: str | None = None
    stemmed: bool = False
    prefix: bool = False
    """Whether the last word may be only the beginning of one."""


@dataclass(frozen=True)
class Pattern:
    """A word with `*` (any letters) and `?` (one letter), beginning with a letter."""

    pattern: str
    field: str | None = None

    @property
    def literal(self) -> str:
        """The letters before the first wildcard."""
        return re.split(r"[*?]", self.pattern, maxsplit=1)[0]

    def regex(self) -> re.Pattern[str]:
        """Return the pattern as a regular expression over a whole word."""
        first, *others = (
            "".join("." if char == "?" else re.escape(char) for char in part)
            for part in self.pattern.split("*")
        )
        # What stands between two stars is best found where it first stands; looking further back
        # again, as plain `.*` does, takes forever on a very long word.
        inner = "".join(f"(?>.*?{part})" for part in others[:-1])
        return re.compile(first + inner + (f".*{others[-1]}" if others else ""))


@dataclass(frozen=True)
class Fuzzy:
    """A word at most `edits` insertions, deletions, changes or swaps of letters away."""

    word: str
    edits: int
    field: str | None = None


Text = Word | Phrase | Pattern | Fuzzy


@dataclass(frozen=True)
class Years:
    """Published from `first` to `last`, both included; None is open."""

    first: int | None
    last: int | None


@dataclass(frozen=True)
class Added:
    """Came into the library from `first` to before `last` (ISO 8601, UTC); None is open."""

    first: str | None
    last: str | None


@dataclass(frozen=True)
class Is:
    """Has one of these statuses, or is starred."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class Has:
    """Has one of these things."""

    values: tuple[str, ...]


@dataclass(frozen=True)
class InList:
    """Stands in the reading list of an anchor whose key or title begins like this."""

    anchor: str


@dataclass(frozen=True)
class Identifier:
    """Has this identifier or key; with `prefix` one that begins like this."""

    value: str
    prefix: bool = False


Fact = Years | Added | Is | Has | InList | Identifier


@dataclass(frozen=True)
class And:
    """All of these."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Or:
    """Any of these."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Not:
    """Everything but this."""

    part: Node


Node = And | Or | Not | Text | Fact


@dataclass(frozen=True)
class Query:
    """What was typed, understood.

    Attributes:
        text: What was typed.
        node: The tree, or None where nothing in it can be searched for.
        hint: One sentence on what was not understood, or an empty string.
    """

    text: str
    node: Node | None
    hint: str = ""

    def highlights(self) -> tuple[Text, ...]:
        """Return the parts whose matches are worth showing: words that are not excluded."""
        return tuple(dict.fromkeys(_positive(self.node))) if self.node else ()


def _positive(node: Node) -> Iterator[Text]:
    match node:
        case And(parts) | Or(parts):
            for part in parts:
                yield from _positive(part)
        case Word() | Phrase() | Pattern() | Fuzzy():
            yield node
        case _:
            return
