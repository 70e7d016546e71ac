"""Two papers that are one: what becomes of their records, marks, notes and reading lists.

The one that is kept is completed by what the other one knows better, and is known from then on by
everything that the other was known by: its key, its identifiers, and what its files say.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .catalogue import Catalogue
from .change import Change
from .identity import merged
from .known import called, names_of
from .notes import CONFLICT
from .paper import Entry, Mark, Paper, ReadingList, Status

_FURTHEST = (Status.UNREAD, Status.QUEUED, Status.SKIPPED, Status.READING, Status.READ)
"""Later ones say more: what was skipped was at least looked at."""


def joined_entry(keep: Entry, other: Entry) -> Entry:
    """Return what two papers are as one, under the key of the one that is kept."""
    both = {keep.paper.key, other.paper.key}
    return Entry(
        joined_paper(keep.paper, other.paper),
        joined_mark(keep.mark, other.mark),
        joined_note(keep.note, other.note),
        tuple(one for one in dict.fromkeys((*keep.anchors, *other.anchors)) if one not in both),
    )


def joined_paper(keep: Paper, other: Paper) -> Paper:
    """Return a paper completed by one that is the same, and known by all that both were."""
    joined = merged(keep, other)
    names = [f"key:{other.key}", *names_of(other), called(other), *names_of(keep)]
    if joined.title != keep.title:
        names.append(called(keep))
    known = {"", *names_of(joined)} - {*joined.also}
    also = (name for name in (*joined.also, *names) if name not in known)
    return replace(joined, also=tuple(dict.fromkeys(also)))


def joined_mark(keep: Mark, other: Mark) -> Mark:
    """Return the further status, a star if there is one, and the tags of both."""
    status = max(keep.status, other.status, key=_FURTHEST.index)
    return Change(status, keep.starred or other.starred, add_tags=other.tags).applied(keep)


def joined_note(keep: str, other: str) -> str:
    """Return two notes as one, every part of them once."""
    parts = dict.fromkeys((*keep.split(CONFLICT), *other.split(CONFLICT)))
    return CONFLICT.join(part for part in parts if part.strip())


def stage_joining(catalogue: Catalogue, keep: str, other: str) -> set[str]:
    """Stage that two papers are one, and return the keys of the papers that this concerns.

    Every reading list has the one that is kept in the other's place, once. A list of which the
    other is the anchor goes over to the one that is kept.

    Raises:
        KeyError: One of them is not there.
        OSError: One of them cannot be read.
    """
    joined = joined_paper(catalogue.papers[keep], catalogue.papers[other])
    touched = {keep, other}
    theirs = catalogue.lists.get(other)
    for reading_list in list(catalogue.lists.values()):
        if other in reading_list.papers and reading_list.anchor != other:
            catalogue.stage_list(_replaced(reading_list, keep, other))
    if theirs:
        mine = catalogue.lists.get(keep, ReadingList(keep, source=theirs.source))
        both = replace(mine, papers=(*mine.papers, *theirs.papers))
        touched.update(theirs.papers)
        catalogue.stage_gone("list", other)
        catalogue.stage_list(_replaced(both, keep, other))
    catalogue.stage_gone("paper", other)
    catalogue.stage_replacing(joined)
    return touched


def _replaced(reading_list: ReadingList, keep: str, other: str) -> ReadingList:
    papers: Iterable[str] = (keep if one == other else one for one in reading_list.papers)
    papers = dict.fromkeys(one for one in papers if one != reading_list.anchor)
    return replace(reading_list, papers=tuple(papers))
