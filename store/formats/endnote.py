"""EndNote's tagged format (also refer's): a percent sign and one character, records from `%0`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..dates import date_of
from ..identity import normal_ids
from ..paper import Paper
from .fields import (
    abstract_of,
    date_beyond_year,
    details_of,
    doi_alone,
    ids_in,
    known_by,
    readable,
    tagged,
    venue_of,
)
from .found import Found, FoundPaper
from .input import Input
from .item_types import item_type
from .tagged import Grammar, Record, one_line, people, read_as, serial_numbers, words

_TAG = r"%(?P<tag>[0-9A-Z?@!#$&(+<=>\[\]^~*])"
_GRAMMAR = Grammar(re.compile(_TAG + r"(?:\s(?P<value>.*)|$)"), "0", "", ("T", "B", "X", "A"))
_WITHOUT_TYPES = _GRAMMAR._replace(start="")
"""For files as refer wrote them: an empty line parts the records."""

_START = re.compile(r"^%0(?: [A-Za-z].*)?$", re.MULTILINE)
_PARTS = frozenset(("chapter", "paper-conference"))
_WHOLES = frozenset(("book", "report", "thesis"))


def looks_like(head: str) -> bool:
    """Tell whether a file that begins like this begins with such a record, or tells its type."""
    first = [line for line in head.split("\n", 50) if line.strip()][:3]
    all_tagged = bool(first) and all(re.match(_TAG + r"(?:\s|$)", line) for line in first)
    return all_tagged or (_START.search(head) is not None and "\n%T " in head)


def read(source: Input) -> Iterator[Found]:
    """Yield one paper a record.

    Raises:
        RefusedError: There is no record.
    """
    has_types = _START.search(source.text())
    yield from read_as(source, _GRAMMAR if has_types else _WITHOUT_TYPES, _found)


def _found(record: Record) -> FoundPaper:
    kind = item_type(record.line_of("0")) if record.line_of("0") != "Generic" else None
    year, day = date_of(record.line_of("D")), record.line_of("8")
    dates = [date_of(day), date_of(f"{day} {year.year or ''}"), year]
    date = next((one for one in dates if one.year and one.year == year.year), year)
    abstract, cut = abstract_of(readable(record.paragraphs_of("X")))
    authors, complete = people(record.texts_of("A"))
    container = record.text_of(*(("B", "J", "S") if kind in _PARTS else ("J", "B")))
    serial = record.text_of(*(("S", "B") if kind in _WHOLES else ("S",)))
    details = {
        "volume": record.line_of("V"),
        "issue": record.line_of("N") if kind not in _WHOLES else "",
        "number": record.line_of("N") if kind in _WHOLES else "",
        "page": record.line_of("P"),
        "publisher": record.text_of("I"),
        "publisher-place": record.text_of("C"),
        "edition": record.text_of("7"),
        "language": record.line_of("G"),
        "genre": record.line_of("9") if kind in _WHOLES else "",
        "editor": " and ".join(people(record.texts_of("E"))[0]),
        "collection-title": serial if serial != container else "",
        **serial_numbers(record.lines_of("@")),
    }
    paper = Paper(
        key="",
        title=one_line(record.text_of("T", "Q", "!")),
        authors=authors,
        authors_complete=complete,
        year=date.year,
        venue=venue_of("" if kind in _WHOLES else one_line(container) or "", kind, details),
        abstract=abstract,
        truncated=cut,
        ids=normal_ids(_ids(record)),
        url=next((url for url in record.lines_of("U") if "://" in url), None),
        type=kind,
        date=date_beyond_year(date),
        details=details_of(details),
        files=tuple(record.lines_of(">")),
    )
    note = "\n\n".join(record.notes_of("Z", "O"))
    return FoundPaper(known_by(paper), tagged(words(record.lines_of("K"))), note)


def _ids(record: Record) -> Iterator[tuple[str, str]]:
    for text in record.lines_of("R"):
        yield "doi", doi_alone(text)
    yield from ids_in(*record.lines_of("R", "U", "J"))
    if "pubmed" in record.line_of("W", "~").lower() and record.line_of("M").isdecimal():
        yield "pmid", record.line_of("M")
