"""The parts of a query that ask for facts instead of words: years, marks, lists, identifiers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set

from .analysis import tokens
from .paper import Entry, ReadingList
from .query import Added, Fact, Has, Identifier, InList, Is, Years
from .text import fold


def having(
    fact: Fact,
    entries: Iterable[Entry],
    lists: Mapping[str, ReadingList],
    anchor_title: Callable[[str], str],
) -> Set[str]:
    """Return the keys of the papers that a fact holds for."""
    if isinstance(fact, InList):
        wanted = fold(fact.anchor)
        return {
            key
            for anchor, reading_list in lists.items()
            if fold(anchor).startswith(wanted) or _in_title(fact.anchor, anchor_title(anchor))
            for key in reading_list.papers
        }
    return {entry.paper.key for entry in entries if _holds(fact, entry)}


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


def _holds(fact: Fact, entry: Entry) -> bool:
    paper = entry.paper
    match fact:
        case Years(first, last):
            year = paper.year
            return year is not None and (first or 0) <= year <= (last or 9999)
        case Added(first, last):
            added = paper.added or ""
            return bool(added) and (first or "") <= added and (last is None or added < last)
        case Is(values):
            return any(
                entry.mark.starred if value == "starred" else entry.mark.status == value
                for value in values
            )
        case Has(values):
            return any(_has(value, entry) for value in values)
        case Identifier(value, prefix):
            wanted = value.casefold()
            known = [paper.key.casefold(), *(one.casefold() for one in paper.ids.values())]
            return any(one.startswith(wanted) if prefix else one == wanted for one in known)
        case InList():
            return False


def _has(thing: str, entry: Entry) -> bool:
    paper = entry.paper
    match thing:
        case "abstract":
            return bool(paper.abstract)
        case "note":
            return bool(entry.note)
        case "tag":
            return bool(entry.mark.tags)
        case "url":
            return bool(paper.link)
        case "pdf":
            return "arxiv" in paper.ids or (paper.url or "").lower().endswith(".pdf")
        case _:
            return thing in paper.ids
