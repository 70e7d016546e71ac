"""What a reader finds in a file, one thing after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..change import Change
from ..paper import Paper


class RefusedError(ValueError):
    """An entry, or a whole file, cannot be taken, for the reason given.

    Args:
        reason: Why.
        line: Where that was noticed.
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


class Refusal(NamedTuple):
    """An entry that could not be taken."""

    line: int | None
    entry: str | None
    """What a person finds it by: a key, a title, a number."""
    reason: str

    @property
    def told(self) -> str:
        """What and why, as one says it: `line 3: doe2020: it has no end`."""
        line = f"line {self.line}" if self.line else ""
        return ": ".join(filter(None, (line, self.entry, self.reason)))


class Guess(NamedTuple):
    """Something that the file does not tell for certain, and what it was taken for."""

    text: str


class Kind(NamedTuple):
    """The format that the file turns out to be of, where one reader knows several."""

    name: str


@dataclass(frozen=True, slots=True)
class FoundPaper:
    """A paper, with what the file says the reader did to it."""

    paper: Paper
    """Its key is the one that the file has for it, or empty."""
    change: Change | None = None
    note: str = ""
    anchors: tuple[str, ...] = ()
    """The keys, in the file or the library, of the anchors in whose lists it stands."""


@dataclass(frozen=True, slots=True)
class FoundList:
    """A reading list."""

    anchor: Paper
    papers: tuple[Paper, ...]


Found = FoundPaper | FoundList | Refusal | Guess | Kind
