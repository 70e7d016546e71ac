"""What a reader found in a file."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..change import Change
from ..paper import Paper


@dataclass(frozen=True, slots=True)
class Refusal:
    """An entry that could not be taken."""

    line: int | None
    entry: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class FoundPaper:
    """A paper in a file, with what the file says the reader did to it."""

    paper: Paper
    change: Change | None = None
    note: str = ""
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundList:
    """A reading list in a file."""

    anchor: Paper
    papers: tuple[Paper, ...]


@dataclass(slots=True)
class Parsed:
    """Everything a reader found in one file."""

    format: str
    lists: list[FoundList] = field(default_factory=list)
    papers: list[FoundPaper] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    guesses: list[str] = field(default_factory=list)
