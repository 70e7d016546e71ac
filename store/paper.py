"""The records a library holds: papers, reading lists, and what the reader did to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from .names import natural
from .text import opening

TOLD = frozenset(("title", "called", "opening", "short", "record"))
"""Kinds of names that stand for what a record says, and for nothing that a reader would type."""


class Status(StrEnum):
    """How far the reader got with a paper."""

    UNREAD = "unread"
    QUEUED = "queued"
    READING = "reading"
    READ = "read"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Paper:
    """One bibliographic record. Anything may be missing; nothing here is the reader's own."""

    key: str
    """Permanent name inside a library; empty until the library has given one."""
    title: str | None = None
    """A title known only in part ends in an ellipsis."""
    authors: tuple[str, ...] = ()
    """In the notation of `store.names`; `names` has them as they are shown."""
    authors_complete: bool = True
    year: int | None = None
    venue: str | None = None
    abstract: str | None = None
    truncated: bool = False
    """Whether the abstract is known to be cut short; it then lacks its ellipsis."""
    ids: Mapping[str, str] = field(default_factory=dict)
    """Identifiers in normal form, by scheme: `arxiv`, `doi`, ..."""
    url: str | None = None
    type: str | None = None
    """What it is, by the item types of CSL 1.0.2 ("article-journal", "paper-conference", ...)."""
    date: str | None = None
    """When it came out where more than the year is known: ISO 8601 ("1993-05", "1910/1917"), or as
    it was written where that is no date ("circa 1850")."""
    details: Mapping[str, str] = field(default_factory=dict)
    """What else a citation needs, by the variables of CSL 1.0.2 ("volume", "issue", "page",
    "publisher", ...); names, as of "editor", joined by " and "."""
    files: tuple[str, ...] = ()
    """Where its texts lie: addresses, or paths as they were given."""
    also: tuple[str, ...] = ()
    """What records that were joined to it are known by: `doi:10.1/x`, `key:zhao2025`, or by a
    name of `known.py` for what they say."""
    version: int | None = None
    """Which version of a preprint the texts are, where known (the 2 of 2104.04473v2)."""
    source: str | None = None
    """Where the record came from, such as the name of the imported file."""
    added: str | None = None
    """When the record came into the library (ISO 8601, UTC)."""

    @property
    def display_title(self) -> str:
        """The title, or a stand-in that cannot be taken for one."""
        if self.title:
            return self.title
        if self.abstract:
            return f"“{opening(self.abstract)}”"
        name = next(iter(self.ids.values()), None) or self.source
        return f"(untitled: {name})" if name else "(untitled)"

    @property
    def names(self) -> tuple[str, ...]:
        """The authors in order, as they are shown: "Jan van der Berg"."""
        return tuple(map(natural, self.authors))

    @property
    def byline(self) -> str:
        """Authors, the first three of many."""
        names = ", ".join(map(natural, self.authors[:3]))
        more = len(self.authors) > 3 or not self.authors_complete
        return f"{names}, et al." if names and more else names

    @property
    def former_names(self) -> tuple[str, ...]:
        """Keys and identifiers that stood for papers that were joined to it."""
        kinds = (one.partition(":") for one in self.also)
        return tuple(name for kind, _, name in kinds if name and kind not in TOLD)

    @property
    def place(self) -> str:
        """Where in its venue it stands: "12 (3), 10–20"."""
        volume, issue, page = (self.details.get(name, "") for name in ("volume", "issue", "page"))
        number = f"{volume} ({issue})" if volume and issue else volume or issue
        return ", ".join(filter(None, (number, page)))

    @property
    def link(self) -> str | None:
        """The best address known for the paper."""
        if self.url:
            return self.url
        if arxiv := self.ids.get("arxiv"):
            return f"https://arxiv.org/abs/{arxiv}"
        if doi := self.ids.get("doi"):
            return f"https://doi.org/{doi}"
        return None


@dataclass(frozen=True, slots=True)
class ReadingList:
    """An anchor's related papers, in order."""

    anchor: str
    """The key of the anchor."""
    papers: tuple[str, ...] = ()
    source: str | None = None
    """The name of the file the list came from."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What the reader did to a paper."""

    status: Status = Status.UNREAD
    starred: bool = False
    tags: tuple[str, ...] = ()
    changed: str | None = None
    """When any of it last changed (ISO 8601, UTC)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A paper as a list shows it: the record with the reader's marks and note."""

    paper: Paper
    mark: Mark = Mark()
    note: str = ""
    anchors: tuple[str, ...] = ()
    """Keys of the anchors in whose reading lists the paper stands."""

    def to_json(self) -> dict[str, Any]:
        """Return the PAPER object of the command line: unknown values are null, never missing."""
        paper, mark = self.paper, self.mark
        return {
            "key": paper.key,
            "title": paper.title,
            "authors": list(paper.names),
            "names": list(paper.authors),
            "authors_complete": paper.authors_complete,
            "year": paper.year,
            "date": paper.date,
            "venue": paper.venue,
            "type": paper.type,
            "abstract": paper.abstract,
            "truncated": paper.truncated,
            "ids": {scheme: paper.ids.get(scheme) for scheme in ("arxiv", "doi")} | {**paper.ids},
            "url": paper.link,
            "details": dict(paper.details),
            "files": list(paper.files),
            "also": list(paper.also),
            "version": paper.version,
            "source": paper.source,
            "added": paper.added,
            "status": mark.status.value,
            "starred": mark.starred,
            "tags": list(mark.tags),
            "changed": mark.changed,
            "note": self.note or None,
            "anchors": list(self.anchors),
        }


class Progress(NamedTuple):
    """A list of the sidebar with its counts."""

    key: str
    title: str
    papers: int
    unread: int
    left: int = 0
    """Papers that could not be looked at yet, as the index is being built: there may be more."""


class Overview(NamedTuple):
    """Everything the sidebar shows."""

    anchors: Sequence[Progress]
    lists: Sequence[Progress]
    tags: Sequence[Progress]
    searches: Sequence[Progress] = ()

    @property
    def all(self) -> tuple[Progress, ...]:
        """Every list, in the order of the sidebar."""
        return (*self.anchors, *self.lists, *self.searches, *self.tags)
