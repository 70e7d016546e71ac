"""The Web of Science's plain text: two-letter tags, records from `PT` to `ER`, `EF` at the end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..dates import date_of
from ..identity import normal_ids
from ..names import Name, stored
from ..paper import Paper
from .fields import abstract_of, date_beyond_year, details_of, known_by, readable, tagged, venue_of
from .found import Found, FoundPaper
from .input import Input
from .tagged import (
    Grammar,
    Record,
    one_line,
    pages,
    people,
    read_as,
    serial_numbers,
    words,
)

_GRAMMAR = Grammar(
    re.compile(r"(?P<tag>[A-Z][A-Z0-9])(?: (?P<value>.*)|\s*$)"), "PT", "ER", ("TI", "AB")
)
_START = re.compile(r"^PT [A-Z]\s*$", re.MULTILINE)
_TYPES = {"J": "article-journal", "B": "book", "S": "chapter", "P": "patent"}
_CONFERENCES = frozenset(("proceedings paper", "meeting abstract"))


def looks_like(head: str) -> bool:
    """Tell whether a line of a file's beginning tells the type of a record."""
    return _START.search(head) is not None


def read(source: Input) -> Iterator[Found]:
    """Yield one paper a record.

    Raises:
        RefusedError: There is no record.
    """
    yield from read_as(source, _GRAMMAR, _found)


def _found(record: Record) -> FoundPaper:
    kind = _type(record)
    year = date_of(record.line_of("PY"))
    exact = date_of(f"{record.line_of('PD')} {record.line_of('PY')}")
    date = exact if record.line_of("PD") and exact.year == year.year else year
    abstract, cut = abstract_of(readable(record.paragraphs_of("AB")))
    authors, complete = _authors(record)
    container = one_line(record.text_of("SO"))
    details = {
        "container-title-short": record.text_of("JI", "J9"),
        "volume": record.line_of("VL"),
        "issue": record.line_of("IS"),
        "page": pages(record.line_of("BP"), record.line_of("EP")),
        "number": record.line_of("AR"),
        "publisher": record.text_of("PU"),
        "publisher-place": record.text_of("PI"),
        "language": record.line_of("LA"),
        "event-title": record.text_of("CT"),
        "event-place": record.text_of("CL"),
        "editor": " and ".join(people(record.lines_of("BE") or record.lines_of("ED"))[0]),
        "collection-title": record.text_of("SE"),
        **serial_numbers(record.lines_of("SN", "EI", "BN")),
    }
    paper = Paper(
        key="",
        title=one_line(record.text_of("TI")),
        authors=authors,
        authors_complete=complete,
        year=date.year,
        venue=venue_of(container or "", kind, details),
        abstract=abstract,
        truncated=cut,
        ids=normal_ids(_ids(record)),
        type=kind,
        date=date_beyond_year(date),
        details=details_of(details),
    )
    return FoundPaper(known_by(paper), tagged(words(record.texts_of("DE", "ID"))))


def _type(record: Record) -> str | None:
    words_of_type = {word.strip().lower() for word in record.text_of("DT").split(";")}
    if words_of_type & _CONFERENCES:
        return "paper-conference"
    if "book chapter" in words_of_type:
        return "chapter"
    return _TYPES.get(record.line_of("PT"))


def _authors(record: Record) -> tuple[tuple[str, ...], bool]:
    """Return the full names, where there is one for every author, and the bodies behind them."""
    short = record.lines_of("AU") or record.lines_of("BA")
    full = record.lines_of("AF") or record.lines_of("BF")
    authors, complete = people(full if len(full) >= len(short) else short)
    bodies = (stored(Name(name, literal=True)) for name in record.texts_of("CA"))
    return (*authors, *bodies), complete


def _ids(record: Record) -> Iterator[tuple[str, str]]:
    yield "doi", record.line_of("DI", "D2")
    yield "pmid", record.line_of("PM")
    yield "wos", record.line_of("UT").removeprefix("WOS:")
