"""Tables of papers as text: a row a paper, told by the names of the columns (RFC 4180 and kin)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from .. import markup
from ..dates import Date, date_of
from ..identity import normal_ids
from ..names import from_list
from ..paper import Paper
from ..text import clean_line, clean_note
from .cells import restored
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
from .found import Found, FoundPaper, Guess, Refusal, RefusedError
from .input import Input
from .item_types import item_type
from .table_rows import rows
from .web_page import refuse_web_page

_DELIMITERS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
_COLUMNS = {
    "title": "title documenttitle articletitle itemtitle papertitle primarytitle ti titles "
    "publicationtitleoriginal",
    "abstract": "abstract abstractnote abstracts ab summary description",
    "authors": "authorfullnames af authors author authornames creators creator au authorlist "
    "firstauthors",
    "editor": "editors editor bookeditors",
    "translator": "translator translators",
    "container-author": "bookauthor bookauthors",
    "year": "year publicationyear py pubyear yearofpublication",
    "date": "date publicationdate published coverdate",
    "doi": "doi itemdoi doilink digitalobjectidentifier di",
    "url": "url link urls itemurl articleurl openurllink",
    "venue": "sourcetitle publicationtitle journal journalbook journaltitle so t2 venue "
    "secondarytitle conferencename booktitle publication containertitle source",
    "tags": "manualtags automatictags tags",
    "keywords": "authorkeywords keywords keyword de",
    "note": "notes note comments mynotes",
    "extra": "extra",
    "pmid": "pmid pubmedid pm",
    "pmcid": "pmcid",
    "arxiv": "arxivid arxiv",
    "type": "itemtype documenttype contenttype typeofreference publicationtype type dt",
    "files": "fileattachments files fileattachments1 fileattachments2 file pdflink linkattachments",
    "key": "citationkey citekey bibtexkey key",
    "volume": "volume journalvolume vl vol",
    "issue": "issue journalissue numberissue is",
    "number": "number artno articlenumber reportnumber",
    "page": "pages page pagerange",
    "first": "startpage pagestart firstpage bp",
    "last": "endpage pageend lastpage ep",
    "publisher": "publisher pu",
    "publisher-place": "place placepublished publisherplace",
    "edition": "edition",
    "collection-title": "series bookseriestitle seriestitle",
    "language": "language languageoforiginaldocument la",
    "ISSN": "issn sn",
    "ISBN": "isbn isbns",
    "container-title-short": "journalabbreviation abbreviatedsourcetitle ji",
    "title-short": "shorttitle",
    "number-of-pages": "numpages",
    "event-title": "conferencetitle meetingname",
}
"""The names of columns by what they mean, without blanks and signs, the best one first."""

_MEANINGS = {
    name: (meaning, rank)
    for meaning, names in _COLUMNS.items()
    for rank, name in enumerate(names.split())
}
_DETAILS = (
    "volume", "issue", "number", "publisher", "publisher-place", "edition", "collection-title",
    "language", "ISSN", "ISBN", "container-title-short", "title-short", "number-of-pages",
    "event-title",
)  # fmt: skip
_ROLES = ("editor", "translator", "container-author")
_KNOWN_BY = frozenset({"title", "abstract", "doi"})
_NUMBER_OF_AUTHOR = re.compile(r"\s*\(\d{5,}\)")
"""Scopus puts it behind each full name."""

_SOURCE = re.compile(r"(.{1,200}?) \((\d{4})\) ")
"""How Embase says where and when: "Cancer (2004) 102:4 (253-258)"."""

_ZOTERO_KEY = re.compile(r"[2-9A-NP-Z]{8}")
_COMMA = re.compile(r",(?![^()]{0,200}\))")
_PYTHON_LIST = re.compile(r"\[\s*(['\"]).*\1\s*\]", re.DOTALL)


class _Head(NamedTuple):
    """The first row."""

    delimiter: str
    columns: list[tuple[str, int]]
    """What each column means, empty where that is not known, and how good it is for that."""
    is_doubtful: bool = False
    """Whether another delimiter would make as much sense."""

    @property
    def known(self) -> frozenset[str]:
        """What there are columns for."""
        return frozenset(meaning for meaning, _ in self.columns if meaning)


def looks_like(head: str) -> bool:
    """Tell whether a file begins with the names of columns of which several are known."""
    if head.lstrip("\ufeff").lstrip()[:1] in ("", *"{[<@%"):
        return False
    known = _head_of(head).known
    return len(known) >= 2 and not _KNOWN_BY.isdisjoint(known)


def read(source: Input) -> Iterator[Found]:
    """Yield what is in a table, a paper a row.

    Raises:
        OSError: It cannot be read.
        RefusedError: Its columns tell no titles, abstracts or DOIs.
    """
    refuse_web_page(source.head())
    text = source.text().lstrip("\ufeff")
    head = _head_of(text)
    if _KNOWN_BY.isdisjoint(head.known):
        raise RefusedError("no column is called title, abstract or DOI", 1)
    if head.is_doubtful:
        yield Guess(f"its columns are taken to be parted by {_DELIMITERS[head.delimiter]}")
    short = 0
    for line, row, problem in islice(rows(text, head.delimiter), 1, None):
        if not problem and not any(map(str.strip, row)):
            continue
        short += not problem and len(row) < len(head.columns)
        cells = _cells(head.columns, row)
        try:
            if problem:
                raise RefusedError(problem)
            if any(map(str.strip, row[len(head.columns) :])):
                raise RefusedError(f"it has {len(row)} cells for {len(head.columns)} columns")
            yield _Row(cells).found()
        except RefusedError as error:
            name = next((cells[name][0] for name in ("title", "doi") if name in cells), "")
            yield Refusal(line, clean_line(name)[:80] or None, str(error))
    if short:
        yield Guess(f"{short} of its rows have fewer cells than there are columns")


def _head_of(text: str) -> _Head:
    """Return the first row, parted by what makes most of its columns known."""
    heads = []
    for delimiter in _DELIMITERS:
        row = next(rows(text, delimiter), None)
        heads.append(_Head(delimiter, [_meaning(name) for name in row.cells] if row else []))
    best, second = sorted(heads, key=lambda head: len(head.known), reverse=True)[:2]
    is_doubtful = len(best.columns) > 1 and len(best.known) == len(second.known)
    return best._replace(is_doubtful=is_doubtful)


def _meaning(name: str) -> tuple[str, int]:
    return _MEANINGS.get("".join(filter(str.isalnum, name.lower())), ("", 0))


def _cells(columns: Sequence[tuple[str, int]], row: Sequence[str]) -> dict[str, list[str]]:
    """Return the cells that are not empty by what they mean, the best ones first."""
    ranked: dict[str, list[tuple[int, str]]] = {}
    for (meaning, rank), cell in zip(columns, row, strict=False):
        if meaning and cell.strip():
            ranked.setdefault(meaning, []).append((rank, restored(cell)))
    return {
        meaning: [cell for _, cell in sorted(cells, key=itemgetter(0))]
        for meaning, cells in ranked.items()
    }


class _Row:
    """What the cells of a row say."""

    def __init__(self, cells: Mapping[str, Sequence[str]]) -> None:
        self._cells = cells
        self._extra = extra_of(self._cell("extra"))
        key = clean_line(self._cell("key"))
        self._zotero = key if _ZOTERO_KEY.fullmatch(key) else ""
        self._key = self._extra.key if self._zotero else citation_key(key) or self._extra.key

    def _cell(self, meaning: str) -> str:
        return next(iter(self._cells.get(meaning, ())), "")

    def found(self) -> FoundPaper:
        """Return the paper.

        Raises:
            RefusedError: Nothing tells it from others.
        """
        kind, details = item_type(self._cell("type")), self._details()
        date, venue = self._date_and_venue()
        abstract, is_cut = abstract_of(readable(self._cell("abstract")))
        authors, are_all = from_list(_people(self._cell("authors"), is_zotero=bool(self._zotero)))
        paper = Paper(
            key=self._key,
            title=readable_line(self._cell("title")) or None,
            authors=authors,
            authors_complete=are_all,
            year=date.year,
            venue=venue_of(venue, kind, details),
            abstract=abstract,
            truncated=is_cut,
            ids=normal_ids(self._ids()),
            url=clean_line(self._cell("url")) or None,
            type=kind,
            date=date_beyond_year(date),
            details=details,
            files=tuple(_parted(self._cells.get("files", ()))),
        )
        notes = [clean_note(markup.to_text(note)).strip() for note in self._cells.get("note", ())]
        tags = (
            *_parted(self._cells.get("tags", ())),
            *_parted(self._cells.get("keywords", ()), by_comma=True),
        )
        note = "\n\n".join(filter(None, [*notes, self._extra.note]))
        return FoundPaper(known_by(paper), tagged(tags), note)

    def _details(self) -> dict[str, str]:
        details = {name: self._cell(name) for name in _DETAILS}
        first, last = self._cell("first").strip(), self._cell("last").strip()
        pages = f"{first}–{last}" if last and last != first else first
        details["page"] = self._cell("page") or pages
        details |= {role: " and ".join(from_list(self._cell(role))[0]) for role in _ROLES}
        return details_of(details)

    def _date_and_venue(self) -> tuple[Date, str]:
        date, year = date_of(self._cell("date")), date_of(self._cell("year"))
        date = date if date.year or not year.year else year
        venue = readable_line(self._cell("venue"))
        if not date.year and (found := _SOURCE.match(venue)):
            return date_of(found[2]), found[1]
        return date, "" if venue == "Scopus" else venue  # this is where the record is from

    def _ids(self) -> Iterator[tuple[str, str]]:
        yield "doi", self._cell("doi")
        yield "arxiv", self._cell("arxiv")
        yield "pmid", number_in(self._cell("pmid"))
        yield "pmcid", pmcid_of(self._cell("pmcid"))
        yield "zotero", self._zotero
        yield from ids_in(self._cell("url"), self._cell("number"))
        yield from self._extra.ids


def _people(cell: str, *, is_zotero: bool) -> str:
    """Return names without what services add to them.

    Zotero, and Scopus where it numbers authors, part them by semicolons alone; PubMed ends initials
    without full stops in one.
    """
    names, numbers = _NUMBER_OF_AUTHOR.subn("", cell.strip())
    if names and (is_zotero or numbers):
        return f"{names};"
    return names.removesuffix(".") if names.count(".") == 1 else names


def _parted(cells: Sequence[str], *, by_comma: bool = False) -> Iterator[str]:
    """Yield what stands in cells that may hold several texts."""
    for cell in cells:
        text = cell.strip()
        if _PYTHON_LIST.fullmatch(text):
            text = re.sub(r"(['\"])\s*,\s*(['\"])", ";", text.strip("[] ")[1:-1])
        mark = next((mark for mark in ";|\n" if mark in text), None)
        pieces = text.split(mark) if mark else _COMMA.split(text) if by_comma else [text]
        yield from filter(None, map(clean_line, pieces))
