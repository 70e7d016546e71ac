"""CSL-JSON, the format of citation processors, as Zotero, Mendeley, pandoc and others write it."""

from __future__ import annotations

from collections.abc import Iterator

from ..dates import Date, date_from_parts, date_of
from ..identity import normal_ids
from ..names import Name, from_list, parts, stored
from ..paper import Paper
from ..text import clean_note
from .extra import extra_of
from .fields import (
    abstract_of,
    citation_key,
    date_beyond_year,
    details_of,
    ids_in,
    known_by,
    number_in,
    pmcid_of,
    readable,
    readable_line,
    tagged,
    venue_of,
)
from .found import FoundPaper
from .item_types import CSL_TYPES, item_type
from .json_values import Record, items, line, lines, members, text

_SIGNS = frozenset(
    "container-title issued DOI citation-key event-title publisher-place collection-title "
    "accessed".split()
)
_OTHER_NAMES = {
    "event": "event-title", "journalAbbreviation": "container-title-short",
    "shortTitle": "title-short",
}  # fmt: skip
_TEXTS = (
    "volume", "issue", "page", "number", "publisher", "publisher-place", "edition",
    "collection-title", "collection-number", "event-title", "event-place", "language", "genre",
    "medium", "number-of-pages", "number-of-volumes", "chapter-number", "section", "part-number",
    "part-title", "volume-title", "version", "status", "title-short", "container-title-short",
    "original-title", "original-publisher", "original-publisher-place", "reviewed-title",
    "reviewed-genre", "archive", "archive_location", "archive-place", "jurisdiction", "authority",
    "scale", "dimensions", "division", "supplement-number", "ISSN", "ISBN",
)  # fmt: skip
_NAMES = (
    "editor", "translator", "container-author", "collection-editor", "editorial-director",
    "director", "composer", "illustrator", "interviewer", "recipient", "reviewed-author",
    "script-writer", "producer", "contributor", "original-author", "guest", "host", "curator",
)  # fmt: skip
_DATES = ("accessed", "original-date", "available-date", "event-date", "submitted")
_AS_TEXT = ("literal", "raw", "edtf")
_PARTICLES = ("dropping-particle", "non-dropping-particle", "family")
_OTHERS = frozenset({"others", "et al", "et al."})


_NOT_OURS = _SIGNS | {"id", "author"}
"""What a record of ours with its key, perhaps of a type of CSL, does not have."""


def recognises(record: Record) -> bool:
    """Tell whether a record is an item of CSL."""
    if not _SIGNS.isdisjoint(record) or text(record.get("type")) in CSL_TYPES:
        return not ("key" in record and ("ids" in record or _NOT_OURS.isdisjoint(record)))
    authors = record.get("author")
    return ("id" in record and "title" in record) or isinstance(authors, list | str)


def found(record: Record) -> FoundPaper:
    """Return the paper in a record, with its keywords as tags and its note.

    Raises:
        RefusedError: Nothing tells it from others.
    """
    record = {_OTHER_NAMES.get(name, name): value for name, value in record.items()}
    extra = extra_of(text(record.get("note")))
    word = line(record.get("type"))
    kind = word if word in CSL_TYPES else item_type(word)
    details = _details(record)
    date = date_in(record.get("issued"))
    abstract, is_cut = abstract_of(readable(text(record.get("abstract"))))
    authors, are_all = names_in(record.get("author"))
    names = [citation_key(text(record.get(name))) for name in ("id", "citation-key")]
    paper = Paper(
        key=next(filter(None, (*names, extra.key)), ""),
        title=plain_line(record.get("title")) or None,
        authors=authors,
        authors_complete=are_all,
        year=date.year,
        venue=venue_of(plain_line(record.get("container-title")), kind, details),
        abstract=abstract,
        truncated=is_cut,
        ids=normal_ids((*_ids(record), *extra.ids)),
        url=line(record.get("URL")) or None,
        type=kind,
        date=date_beyond_year(date),
        details=details,
        files=lines(record.get("file")),
    )
    notes = (clean_note(readable(text(record.get("annote")))).strip(), extra.note)
    change = tagged(_keywords(record.get("keyword")))
    return FoundPaper(known_by(paper), change, "\n\n".join(filter(None, notes)))


def plain_line(value: object) -> str:
    """Return a text without its markup, as one line."""
    return readable_line(line(value))


def date_in(value: object) -> Date:
    """Return the date that a variable of CSL tells: in parts, as text, or as a range of both."""
    if not isinstance(value, dict):
        return date_of(text(value))
    ends = [date_from_parts(items(parts)) for parts in items(value.get("date-parts"))[:2]]
    date = ends[0] if ends else Date("", None)
    if len(ends) == 2 and ends[1].text:
        date = Date(f"{date.text}/{ends[1].text}", date.year)
    if not date.text:
        date = date_of(next(filter(None, (text(value.get(name)) for name in _AS_TEXT)), ""))
    is_about = value.get("circa") and date.text and not date.text.startswith("circa")
    return Date(f"circa {date.text}", date.year) if is_about else date


def names_in(value: object) -> tuple[tuple[str, ...], bool]:
    """Return the names that a variable of CSL tells, and whether they are all."""
    if isinstance(value, str):
        return from_list(value)
    names: list[str] = []
    is_whole = True
    for one in items(value):
        name = _name(one)
        if name.family.lower() in _OTHERS and not name.given:
            is_whole = False
        elif told := stored(name):
            names.append(told)
    return tuple(names), is_whole


def _name(value: object) -> Name:
    if isinstance(value, str):
        return parts(value)
    told_of = members(value)
    whole = line(told_of.get("literal")) or line(told_of.get("name"))
    family = " ".join(filter(None, (line(told_of.get(part)) for part in _PARTICLES)))
    given, suffix = line(told_of.get("given")), line(told_of.get("suffix"))
    if family or not whole:
        return Name(family, given, suffix) if family else Name(given, "", suffix)
    return Name(whole, literal=" " in whole)


def _details(record: Record) -> dict[str, str]:
    pairs = {name: plain_line(_listed(record.get(name))) for name in _TEXTS if name in record}
    pairs |= {
        name: " and ".join(names_in(record.get(name))[0]) for name in _NAMES if name in record
    }
    pairs |= {name: date_in(record.get(name)).text for name in _DATES if name in record}
    return details_of(pairs)


def _listed(value: object) -> str:
    return " ".join(lines(value))


def _ids(record: Record) -> Iterator[tuple[str, str]]:
    yield "doi", line(record.get("DOI"))
    yield "pmid", number_in(line(record.get("PMID")))
    yield "pmcid", pmcid_of(line(record.get("PMCID")))
    name = line(record.get("id"))
    if "zotero.org/" in name:
        yield "zotero", name.rpartition("/")[2]
    yield from ids_in(name, *(line(record.get(part)) for part in ("URL", "number", "note")))


def _keywords(value: object) -> Iterator[str]:
    for words in lines(value):
        yield from words.split(";" if ";" in words else ",")
