"""Papers of Semantic Scholar: of its searches, batches, citations, and its data sets."""

from __future__ import annotations

from collections.abc import Iterator

from ..dates import date_of
from ..identity import normal_ids
from ..names import parts, stored
from ..paper import Paper
from .fields import (
    abstract_of,
    date_beyond_year,
    details_of,
    known_by,
    pmcid_of,
    readable,
    readable_line,
    venue_of,
)
from .found import FoundPaper, RefusedError
from .item_types import item_type
from .json_values import Record, items, line, lines, members, text

_SIGNS = frozenset({"paperid", "externalids", "corpusid", "citingpaper", "citedpaper"})

_SCHEMES = {
    "arxiv": "arxiv", "doi": "doi", "pubmed": "pmid", "pubmedcentral": "pmcid", "mag": "mag",
    "dblp": "dblp", "acl": "acl", "corpusid": "corpusid",
}  # fmt: skip


def recognises(record: Record) -> bool:
    """Tell whether a record is one of Semantic Scholar."""
    if not _SIGNS.isdisjoint(map(str.lower, record)):
        return True
    authors = record.get("authors")
    return isinstance(authors, list) and any(isinstance(author, dict) for author in authors)


def found(record: Record) -> FoundPaper:
    """Return the paper in a record, be it the one that cites or the one that is cited.

    Raises:
        RefusedError: There is none, or nothing tells it from others.
    """
    record = _lowered(record)  # the data sets are written in small letters
    for side in ("citingpaper", "citedpaper"):
        if side in record:
            record = _lowered(members(record[side]))
            if not record:
                raise RefusedError("there is no paper on this side of the citation")
    journal = members(record.get("journal"))
    place = members(record.get("publicationvenue"))
    venue = line(record.get("venue")) or line(place.get("name")) or line(journal.get("name"))
    kind = _type(record, venue)
    details = details_of(
        {
            "volume": text(journal.get("volume")),
            "page": text(journal.get("pages")),
            "ISSN": text(place.get("issn")),
        }
    )
    date = date_of(text(record.get("publicationdate")) or text(record.get("year")))
    abstract, is_cut = abstract_of(readable(text(record.get("abstract"))))
    authors, are_all = _authors(record)
    paper = Paper(
        key="",
        title=readable_line(line(record.get("title"))) or None,
        authors=authors,
        authors_complete=are_all,
        year=date.year,
        venue=venue_of(venue, kind, details),
        abstract=abstract,
        truncated=is_cut,
        ids=normal_ids(_ids(record)),
        url=line(record.get("url")) or None,
        type=kind,
        date=date_beyond_year(date),
        details=details,
        files=lines(members(record.get("openaccesspdf")).get("url")),
    )
    return FoundPaper(known_by(paper))


def _lowered(record: Record) -> Record:
    return {name.lower(): value for name, value in record.items()}


def _type(record: Record, venue: str) -> str | None:
    kinds = {item_type(word) for word in lines(record.get("publicationtypes"))}
    if venue.lower() in ("arxiv.org", "arxiv", "biorxiv", "medrxiv"):
        return "article"
    order = ("paper-conference", "book", "chapter", "dataset", "article-journal")
    return next((kind for kind in order if kind in kinds), None)


def _authors(record: Record) -> tuple[tuple[str, ...], bool]:
    names = [line(members(author).get("name")) for author in items(record.get("authors"))]
    return tuple(stored(parts(name)) for name in names if name), all(names)


def _ids(record: Record) -> Iterator[tuple[str, str]]:
    others = _lowered(members(record.get("externalids")))
    for name, scheme in _SCHEMES.items():
        value = line(others.get(name))
        yield scheme, pmcid_of(value) if scheme == "pmcid" else value
    yield "corpusid", line(record.get("corpusid"))
    yield "s2", line(record.get("paperid"))
