"""PubMed's own format (MEDLINE): tags of up to four letters, a record from one PMID to the next."""

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
from .tagged import Grammar, Record, one_line, people, read_as, serial_numbers, words

_GRAMMAR = Grammar(
    re.compile(r"(?=[A-Z ]{4}-)(?P<tag>[A-Z]{2,4}) *-(?P<value>.*)"),
    "PMID", "", ("TI", "BTI", "AB"),
)  # fmt: skip
_START = re.compile(r"^PMID- *\d", re.MULTILINE)
_TYPES = {
    "preprint": "article", "book chapter": "chapter", "book": "book", "dataset": "dataset",
    "technical report": "report", "news": "article-newspaper",
}  # fmt: skip
_LABELLED = re.compile(r"(\S+) \[(doi|pmc)\]", re.IGNORECASE)


def looks_like(head: str) -> bool:
    """Tell whether a line of a file's beginning gives the number of a PubMed record."""
    return _START.search(head) is not None


def read(source: Input) -> Iterator[Found]:
    """Yield one paper a record.

    Raises:
        RefusedError: There is no record.
    """
    yield from read_as(source, _GRAMMAR, _found)


def _found(record: Record) -> FoundPaper:
    date = date_of(record.line_of("DP") or record.line_of("DEP", "DA"))
    abstract, cut = abstract_of(readable(record.paragraphs_of("AB", "OAB")))
    authors, complete = people(record.texts_of("FAU") or record.texts_of("AU"))
    bodies = [stored(Name(name, literal=True)) for name in record.texts_of("CN")]
    title, book = one_line(record.text_of("TI")), one_line(record.text_of("BTI"))
    kind = _type(record, is_part=bool(title and book))
    container = record.text_of("JT", "TA") or (book if title else "")
    details = {
        "container-title-short": record.line_of("TA") if record.line_of("JT") else "",
        "volume": record.line_of("VI"),
        "issue": record.line_of("IP"),
        "page": record.line_of("PG"),
        "language": ", ".join(record.lines_of("LA")),
        "publisher": record.text_of("PB"),
        "publisher-place": record.text_of("PL"),
        "edition": record.line_of("EN"),
        "editor": " and ".join(people(record.texts_of("FED") or record.texts_of("ED"))[0]),
        "collection-title": record.text_of("CTI"),
        **serial_numbers(record.lines_of("IS", "ISBN")),
    }
    paper = Paper(
        key="",
        title=_without_stop(title or book or one_line(record.text_of("TT"))),
        authors=(*authors, *bodies),
        authors_complete=complete,
        year=date.year,
        venue=venue_of(one_line(container or "") or "", kind, details),
        abstract=abstract,
        truncated=cut,
        ids=normal_ids(_ids(record)),
        type=kind,
        date=date_beyond_year(date),
        details=details_of(details),
    )
    subjects = (subject.partition("/")[0] for subject in record.lines_of("MH"))
    keywords = words(word.replace("*", "") for word in (*record.texts_of("OT"), *subjects))
    return FoundPaper(known_by(paper), tagged(keywords), "\n\n".join(record.notes_of("GN")))


def _type(record: Record, *, is_part: bool) -> str | None:
    kinds = [kind.lower() for kind in record.texts_of("PT")]
    told = next((_TYPES[kind] for kind in kinds if kind in _TYPES), None)
    if told:
        return told
    if record.line_of("JT", "TA"):
        return "article-journal"
    return "chapter" if is_part else "book" if record.line_of("BTI") else None


def _without_stop(title: str | None) -> str | None:
    """Return a title without the full stop that PubMed puts behind every one."""
    is_stop = title and title.endswith(".") and not title.endswith("..")
    return title[:-1] if title and is_stop else title


def _ids(record: Record) -> Iterator[tuple[str, str]]:
    yield "pmid", record.line_of("PMID")
    yield "pmcid", record.line_of("PMC")
    for text in record.lines_of("LID", "AID"):
        if found := _LABELLED.fullmatch(text):
            yield ("doi" if found[2].lower() == "doi" else "pmcid"), found[1]
