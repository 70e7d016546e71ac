"""Works of OpenAlex, alone or in the lists that it answers with."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from ..dates import date_of
from ..identity import normal_ids
from ..names import parts, stored
from ..paper import Paper
from .fields import (
    abstract_of,
    date_beyond_year,
    details_of,
    ids_in,
    known_by,
    number_in,
    pmcid_of,
    readable,
    readable_line,
    venue_of,
)
from .found import FoundPaper
from .item_types import item_type
from .json_values import Record, items, line, members, text


def recognises(record: Record) -> bool:
    """Tell whether a record is a work of OpenAlex."""
    return (
        text(record.get("id")).startswith("https://openalex.org/")
        or "abstract_inverted_index" in record
        or "authorships" in record
        or ("open_access" in record and "doi" in record)
    )


def found(record: Record) -> FoundPaper:
    """Return the paper in a record.

    Raises:
        RefusedError: Nothing tells it from others.
    """
    place = members(record.get("primary_location"))
    source = members(place.get("source")) or members(record.get("host_venue"))
    kind = _type(record, line(source.get("type")))
    biblio = members(record.get("biblio"))
    details = details_of(
        {
            "volume": text(biblio.get("volume")),
            "issue": text(biblio.get("issue")),
            "page": _pages(line(biblio.get("first_page")), line(biblio.get("last_page"))),
            "publisher": text(source.get("host_organization_name") or source.get("publisher")),
            "ISSN": text(source.get("issn_l") or source.get("issn")),
            "language": text(record.get("language")),
        }
    )
    date = date_of(text(record.get("publication_date")) or text(record.get("publication_year")))
    abstract, is_cut = abstract_of(readable(_abstract(record)))
    authors, are_all = _authors(record)
    address = line(place.get("landing_page_url"))
    paper = Paper(
        key="",
        title=readable_line(line(record.get("title")) or line(record.get("display_name"))) or None,
        authors=authors,
        authors_complete=are_all,
        year=date.year,
        venue=venue_of(line(source.get("display_name")), kind, details),
        abstract=abstract,
        truncated=is_cut,
        ids=normal_ids(_ids(record)),
        url=None if "doi.org/" in address else address or None,
        type=kind,
        date=date_beyond_year(date),
        details=details,
        files=_files(record),
    )
    return FoundPaper(known_by(paper))


def _type(record: Record, source: str) -> str | None:
    kind = item_type(line(record.get("type")))
    if kind == "article" or (kind == "article-journal" and source == "repository"):
        return "article"
    return "paper-conference" if kind == "article-journal" and source == "conference" else kind


def _pages(first: str, last: str) -> str:
    return f"{first}–{last}" if last and first != last else first


def _abstract(record: Record) -> str:
    """Put the words of an index in order, whatever positions they are said to have."""
    index = members(record.get("abstract_inverted_index"))
    index = members(index.get("InvertedIndex")) or index
    places = (
        (place, word)
        for word, places in index.items()
        for place in items(places)
        if isinstance(place, int) and not isinstance(place, bool)
    )
    return " ".join(word for _, word in sorted(places)) or text(record.get("abstract"))


def _authors(record: Record) -> tuple[tuple[str, ...], bool]:
    authorships = [members(one) for one in items(record.get("authorships"))]
    names = [
        line(members(one.get("author")).get("display_name")) or line(one.get("raw_author_name"))
        for one in authorships
    ]
    are_all = all(names) and record.get("is_authors_truncated") is not True
    return tuple(stored(parts(name)) for name in names if name), are_all


def _ids(record: Record) -> Iterator[tuple[str, str]]:
    ids = members(record.get("ids"))
    yield "openalex", line(record.get("id") or ids.get("openalex")).rpartition("/")[2]
    yield "doi", line(record.get("doi") or ids.get("doi"))
    for scheme in ("mag", "pmid"):
        yield scheme, number_in(line(ids.get(scheme)))
    yield "pmcid", pmcid_of(line(ids.get("pmcid")))
    for place in items(record.get("locations")):
        address = line(members(place).get("landing_page_url"))
        yield from ((scheme, name) for scheme, name in ids_in(address) if scheme == "arxiv")


def _files(record: Record) -> tuple[str, ...]:
    places = (record.get(name) for name in ("best_oa_location", "primary_location"))
    addresses = (line(members(place).get("pdf_url")) for place in places)
    open_access = line(members(record.get("open_access")).get("oa_url"))
    told = chain(addresses, [open_access] if open_access.endswith(".pdf") else [])
    return tuple(dict.fromkeys(filter(None, told)))
