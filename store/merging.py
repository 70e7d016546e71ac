"""Joins a library that went its own way, such as the copy on another machine, into this one.

Every rule here gives the same whichever library is joined into which, and the same again when it
is done twice: papers are joined field by field, of a mark's fields the newer counts, notes that
neither side saw the other replace are both kept.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from .catalogue import Catalogue
from .copies import BACKUPS, Copies
from .errors import CannotOpenError
from .files import reason
from .folder import FORMAT, version_of
from .identity import can_be_one
from .joining import joined_paper, stage_joining
from .known import names_of
from .marks import Marks
from .paper import Paper, ReadingList
from .text import strip_ellipsis


@dataclass(frozen=True, slots=True)
class MergeReport:
    """What joining a library brought.

    Attributes:
        papers: Papers of the other library.
        added: Those that are new here.
        completed: Those that know more now.
        marked: Papers whose marks or notes are different now.
        notices: What was wrong with the other library's files.
    """

    papers: int
    added: int
    completed: int
    marked: int
    notices: tuple[str, ...] = ()


class Other:
    """Another library, only read.

    Raises:
        CannotOpenError: There is none, or it is the one that it is to be joined into.
    """

    def __init__(self, folder: Path, into: Path, clock: Callable[[], datetime]) -> None:
        try:
            if (version := version_of(folder)) > FORMAT:
                raise CannotOpenError(
                    f"{folder} was written by a newer Anchorlight (format {version}, this one "
                    f"knows {FORMAT})."
                )
            if folder.samefile(into):
                raise CannotOpenError(f"{folder} is this library itself.")
            self.papers = Catalogue(folder / "papers.jsonl")
            with ExitStack() as undoing:
                undoing.callback(self.papers.close)
                self.marks = Marks(folder / "marks.json", Copies(folder / BACKUPS, clock))
                undoing.callback(self.marks.close)
                self.marks.poll()
                undoing.pop_all()
        except OSError as error:
            where = error.filename or folder
            raise CannotOpenError(f"Cannot read {where}: {reason(error)}.") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.papers.close()
        self.marks.close()

    @property
    def notices(self) -> tuple[str, ...]:
        """What was found damaged, a sentence each."""
        return (*self.papers.notices, *self.marks.notices)

    def stage_into(self, catalogue: Catalogue, now: str) -> Joined:
        """Stage this library's papers and reading lists in another's catalogue."""
        joined = Joined()
        for there, paper in self.papers.papers.items():
            here = _took_in(paper, catalogue) or catalogue.known.match(paper)
            here = here or _same_key(paper, catalogue)
            if here is None:
                here, _ = catalogue.stage_paper(paper, now)
                joined.added.add(here)
            else:
                known = catalogue.papers[here]
                was_joined = f"key:{there}" in known.also  # what it was joined to counts first then
                both = joined_paper(known, paper) if was_joined else joined_papers(known, paper)
                if catalogue.stage_replacing(both):
                    joined.completed.add(here)
            joined.keys[there] = here
        for key in {*self.marks.marked(), *self.marks.noted()} - joined.keys.keys():
            joined.keys[key] = key  # of a paper that is gone there
        for anchor, reading_list in self.papers.lists.items():
            anchor = joined.keys[anchor]
            theirs = replace(
                reading_list,
                anchor=anchor,
                papers=tuple(
                    dict.fromkeys(joined.keys.get(key, key) for key in reading_list.papers)
                ),
            )
            mine = catalogue.lists.get(anchor)
            catalogue.stage_list(joined_lists(mine, theirs) if mine else theirs)
        self._stage_joined(catalogue, joined)
        return joined

    def _stage_joined(self, catalogue: Catalogue, joined: Joined) -> None:
        """Make those papers one that were made one there, if they still are the same ones."""
        for here in dict.fromkeys(joined.keys.values()):
            paper = catalogue.papers.get(here, Paper(here))
            for name in paper.also:
                kind, _, former = name.partition(":")
                mine = catalogue.papers.get(former) if kind == "key" else None
                if not mine or former in self.papers.papers:
                    continue
                if {*names_of(mine)} & {*names_of(paper)}:
                    joined.completed |= stage_joining(catalogue, here, former)
                    joined.moved[former] = here


class Joined:
    """What became of another library's papers: their keys here, and which are new or different."""

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}
        self.added: set[str] = set()
        self.completed: set[str] = set()
        self.moved: dict[str, str] = {}
        """Papers that were joined to others there, by their keys here and those of the others."""


def _took_in(paper: Paper, catalogue: Catalogue) -> str | None:
    """A paper that others were joined to has their identifiers: its own key tells which it is."""
    known = catalogue.papers.get(paper.key) if paper.also else None
    return paper.key if known and {*names_of(known)} & {*names_of(paper)} else None


def _same_key(paper: Paper, catalogue: Catalogue) -> str | None:
    """A copy's paper has the same key, also where little else is known of it."""
    known = catalogue.papers.get(paper.key)
    return paper.key if known and can_be_one(known, paper) else None


def joined_papers(one: Paper, two: Paper) -> Paper:
    """Return two records of a paper as one that has the key of the first.

    Field by field the one that tells more counts: a whole text before a cut one, a longer before a
    shorter; the texts of a preprint's later version before all.
    """

    def best(name: str, rank: Callable[[Any, Paper], Any]) -> Paper:
        known = [paper for paper in (one, two) if getattr(paper, name)]
        return max(
            known,
            key=lambda paper: (paper.version or 0, rank(getattr(paper, name), paper)),
            default=one,
        )

    title = best("title", lambda text, _: (not strip_ellipsis(text)[1], len(text), text)).title
    authors = best("authors", lambda names, paper: (paper.authors_complete, len(names), names))
    abstract = best("abstract", lambda text, paper: (not paper.truncated, len(text), text))
    longest = {
        name: getattr(best(name, lambda text, _: (len(text), text)), name)
        for name in ("venue", "url", "type", "date")
    }
    years = [paper.year for paper in (one, two) if paper.year is not None]
    return replace(
        one,
        title=title,
        authors=authors.authors,
        authors_complete=authors.authors_complete,
        year=max(years, default=None),
        abstract=abstract.abstract,
        truncated=abstract.truncated,
        ids={
            scheme: max(paper.ids[scheme] for paper in (one, two) if scheme in paper.ids)
            for scheme in sorted({*one.ids, *two.ids})
        },
        details={
            name: max(
                (paper.details[name] for paper in (one, two) if name in paper.details),
                key=lambda text: (len(text), text),
            )
            for name in sorted({*one.details, *two.details})
        },
        files=tuple(sorted({*one.files, *two.files})),
        also=tuple(sorted({*one.also, *two.also})),
        version=max(one.version or 0, two.version or 0) or None,
        source=min(filter(None, (one.source, two.source)), default=None),
        added=min(filter(None, (one.added, two.added)), default=None),
        **longest,
    )


def joined_lists(one: ReadingList, two: ReadingList) -> ReadingList:
    """Return two states of a reading list as one: the longer, and behind it the rest."""
    longer, shorter = sorted((one, two), key=lambda it: (len(it.papers), it.papers), reverse=True)
    return ReadingList(
        one.anchor,
        tuple(dict.fromkeys((*longer.papers, *shorter.papers))),
        min(filter(None, (one.source, two.source)), default=None),
    )
