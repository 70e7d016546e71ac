"""RIS: two-letter tags, records from `TY  - ` to `ER  - `, in the dialects of its many writers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..dates import Date, date_of
from ..identity import arxiv_version, normal_ids
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

TYPES = {
    "ABST": "article-journal", "ADVS": "motion_picture", "AGGR": "dataset", "ANCIENT": "classic",
    "ART": "graphic", "BILL": "bill", "BLOG": "post-weblog", "BOOK": "book", "CASE": "legal_case",
    "CHAP": "chapter", "CHART": "figure", "CLSWK": "classic", "COMP": "software",
    "CONF": "paper-conference", "CPAPER": "paper-conference", "CTLG": "book", "DATA": "dataset",
    "DBASE": "dataset", "DICT": "entry-dictionary", "EBOOK": "book", "ECHAP": "chapter",
    "EDBOOK": "book", "EJOUR": "article-journal", "ELEC": "webpage",
    "ENCYC": "entry-encyclopedia", "FIGURE": "figure", "GOVDOC": "report", "HEAR": "hearing",
    "ICOMM": "post", "INPR": "article-journal", "JFULL": "periodical", "JOUR": "article-journal",
    "LEGAL": "legislation", "MANSCPT": "manuscript", "MAP": "map", "MGZN": "article-magazine",
    "MPCT": "motion_picture", "MULTI": "webpage", "MUSIC": "musical_score",
    "NEWS": "article-newspaper", "PAMP": "pamphlet", "PAT": "patent",
    "PCOMM": "personal_communication", "PREPRINT": "article", "RPRT": "report",
    "SER": "periodical", "SLIDE": "speech", "SOUND": "song", "STAND": "standard",
    "STAT": "legislation", "STD": "standard", "THES": "thesis", "UNPB": "manuscript",
    "VIDEO": "motion_picture",
}  # fmt: skip
"""CSL types by those of RIS; GEN tells none."""

_TELLING = ("TI", "T1", "CT", "BT", "AB", "N2", "DO")
_GRAMMAR = Grammar(
    re.compile(r"(?P<tag>[A-Z][A-Z0-9])(?: {2,}| ?\t\s*)-(?P<value>.*)"), "TY", "ER", _TELLING
)
_LOOSE = _GRAMMAR._replace(tag=re.compile(r"(?P<tag>[A-Z][A-Z0-9])\s+-(?P<value>.*)"))
"""For files that write one blank where two belong; elsewhere "AI - a threat" is no tag."""

_STRICT_START = re.compile(r"^TY(?: {2,}| ?\t\s*)-", re.MULTILINE)
_START = re.compile(r"^TY\s+-\s*(?:[A-Za-z]|$)", re.MULTILINE)

_PARTS = frozenset(("chapter", "paper-conference", "entry-dictionary", "entry-encyclopedia"))
_WHOLES = frozenset(("book", "report", "thesis", "dataset", "software", "standard"))
"""Types that come out by themselves: a secondary title is that of a series."""
_PREPRINTS = frozenset((None, "manuscript", "webpage"))

_ADDRESS = re.compile(r"(?:https?|ftp)://\S+", re.IGNORECASE)
_PMID = re.compile(r"^(\d+)\[pmid\]$|(?:pubmed\.ncbi\.nlm\.nih\.gov|/pubmed)/(\d+)", re.IGNORECASE)
_VOLUME_ISSUE = re.compile(r"(\w+)\s*\(([^()]+)\)")
_PAGE_COUNT = re.compile(r"(?:pp?\.?\s*)?(\d+)\s*(?:p|pp|pages)?\.?", re.IGNORECASE)


def looks_like(head: str) -> bool:
    """Tell whether a line of a file's beginning tells the type of a record."""
    return _START.search(head) is not None


def read(source: Input) -> Iterator[Found]:
    """Yield one paper a record.

    Raises:
        RefusedError: There is no record.
    """
    is_strict = _STRICT_START.search(source.text())
    yield from read_as(source, _GRAMMAR if is_strict else _LOOSE, _found)


def _found(record: Record) -> FoundPaper:
    kind = _type(record)
    container, details = _container(record, kind), _details(record, kind)
    date, year = _date(record)
    abstract, cut = abstract_of(readable(record.paragraphs_of("AB", "N2")))
    authors, complete = people(_authors(record, "AU", "A1"))
    title_tags = ("TI", "T1", "CT", *(() if kind in _PARTS else ("BT",)), "ST", "TT")
    identifiers = list(_ids(record))
    ids = normal_ids(identifiers)
    if "arxiv" in ids and kind in _PREPRINTS:
        kind = "article"
    if short := one_line(record.line_of("J2", "JA", "JI")):
        details["container-title-short"] = short if short != container else ""
    paper = Paper(
        key="",
        title=one_line(record.text_of(*title_tags)),
        authors=authors,
        authors_complete=complete,
        year=year,
        venue=venue_of(container or "", kind, details),
        abstract=abstract,
        truncated=cut,
        ids=ids,
        url=_url(record),
        type=kind,
        date=date,
        details=details_of(details),
        files=tuple(record.lines_of("L1")),
        version=next((v for scheme, one in identifiers if (v := _version(scheme, one))), None),
    )
    return FoundPaper(known_by(paper), tagged(words(record.lines_of("KW"))), _note(record))


def _version(scheme: str, identifier: str) -> int | None:
    return arxiv_version(identifier) if scheme == "arxiv" else None


def _type(record: Record) -> str | None:
    told = record.line_of("TY")
    if told.upper() in ("GEN", "OTHER", ""):
        return None
    if told == "UNPB" and record.line_of("M3").lower() == "preprint":
        return "article"
    return TYPES.get(told.upper()) or item_type(told)


def _authors(record: Record, *tags: str) -> list[str]:
    return list(record.texts_of(tags[0]) or record.texts_of(*tags[1:]))


def _container(record: Record, kind: str | None) -> str | None:
    """Return the journal, book or proceedings that a paper stands in."""
    if kind in _WHOLES:
        return None
    if kind in _PARTS:
        is_endnotes = record.line_of("TY") == "CPAPER"  # its T2 is the conference
        tags: tuple[str, ...] = ("BT", *(("C3",) if is_endnotes else ()), "T2", "JF", "JO")
    else:
        tags = ("JF", "T2", "JO", "JA", "J2", "BT")
    return one_line(record.text_of(*tags))


def _details(record: Record, kind: str | None) -> dict[str, str]:
    volume, issue = record.line_of("VL", "VO"), record.line_of("IS", "CP")
    if not issue and (both := _VOLUME_ISSUE.fullmatch(volume)):
        volume, issue = both[1], both[2]
    page = pages(record.line_of("SP"), record.line_of("EP"))
    details = {
        "volume": volume,
        "issue": issue,
        "page": page,
        "number": record.line_of("C7"),
        "publisher": one_line(record.text_of("PB", "PU")) or "",
        "publisher-place": one_line(record.text_of("CY", "PP", "PI")) or "",
        "edition": record.line_of("ET"),
        "language": record.line_of("LA"),
        "number-of-volumes": record.line_of("NV"),
        "editor": " and ".join(people(record.texts_of("ED", "A2"))[0]) if kind != "thesis" else "",
        "collection-editor": " and ".join(people(record.texts_of("A3"))[0])
        if kind in ("book", "chapter")
        else "",
        "collection-title": one_line(record.text_of("T3", *(("T2",) if kind in _WHOLES else ())))
        or "",
        **serial_numbers(record.lines_of("SN")),
    }
    if details["edition"][:5].strip("0123456789") == "/":  # PubMed: when it was put online
        details["edition"] = ""
    if kind in _WHOLES:
        if (count := _PAGE_COUNT.fullmatch(page)) and not record.line_of("EP"):
            details["page"], details["number-of-pages"] = "", count[1]
        details["number"] = record.line_of("M1") if kind == "report" else ""
        genre = record.line_of("M3")
        details["genre"] = "" if doi_alone(genre) else genre
        if kind in ("report", "standard", "dataset"):
            details["number"], details["issue"] = details["number"] or issue, ""
    return details


def _date(record: Record) -> tuple[str | None, int | None]:
    """Return the date where it tells more than the year, and the year: what tells the most."""
    told = [date_of(text) for text in record.lines_of("PY", "Y1", "DA", "YR") if text.strip("/")]
    year = next((date.year for date in told if date.year), None)
    if year and (day := record.line_of("DA")) and date_of(day).year is None:
        told.append(date_of(f"{day} {year}"))  # Jun, or Jun 12
    fitting = [date for date in told if date.year == year]
    best = max(fitting, key=_told, default=Date("", None))
    return date_beyond_year(best), year


def _told(date: Date) -> tuple[bool, int]:
    """Return how much a date tells: a month more than words, and these more than a year."""
    return re.fullmatch(r"[\d/-]{5,}", date.text) is not None, len(date.text)


def _ids(record: Record) -> Iterator[tuple[str, str]]:
    for text in record.lines_of("DO"):
        yield "doi", text
    alone = [text for text in record.texts_of("M3", "N1") if doi_alone(text)]
    yield from (("doi", text) for text in alone)
    yield from ids_in(*record.lines_of("UR", "L2", "JO", "JF", "T2", "M1", "AN", "DO", "PB"))
    number = record.line_of("AN")
    base = f"{record.line_of('DB')} {record.line_of('DP')}".lower()
    if number.isdecimal() and any(name in base.split() for name in ("pubmed", "medline", "nlm")):
        yield "pmid", number
    elif number.startswith("WOS:"):
        yield "wos", number.removeprefix("WOS:")
    if "embase" in base and (medline := record.line_of("C5")).isdecimal():
        yield "pmid", medline
    for text in record.lines_of("U1", "U2", "C2", "UR"):
        if found := _PMID.search(text):
            yield "pmid", found[1] or found[2]
        elif found := re.fullmatch(r"(PMC\d+)(?:\[pmcid\])?", text, re.IGNORECASE):
            yield "pmcid", found[1].upper()


def _url(record: Record) -> str | None:
    """Return the first address; a full text is one where there is no other."""
    for text in record.lines_of("UR", "L2"):
        text = f"https:{text}" if text.startswith("//") else text
        if found := _ADDRESS.match(text):
            return found[0]
    return None


def _note(record: Record) -> str:
    notes = record.notes_of("N1", "RN")
    return "\n\n".join(note for note in notes if not doi_alone(note))
