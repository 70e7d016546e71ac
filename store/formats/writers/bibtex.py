"""BibTeX as plain BibTeX and pdflatex take it: classic entry types and fields, one text an entry.

What these have no place for stands in fields that they pass over and our reader knows: `doi`,
`eprint`, `entrysubtype` (the CSL type where the entry type does not tell it), other identifiers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from ...dates import Date, date_of
from ...paper import Entry, Paper
from ...text import clean_line
from ..bibtex_syntax import MONTHS
from ..bibtex_types import DETAILS, GENRES, ID_FIELDS, NAMES, SUBTYPES, csl_type, number_variable
from . import Options
from .latex_escape import escape

_ENTRY_TYPES = {
    "article-journal": "article", "article-magazine": "article", "article-newspaper": "article",
    "paper-conference": "inproceedings", "book": "book", "chapter": "incollection",
    "thesis": "phdthesis", "report": "techreport", "manuscript": "unpublished",
    "pamphlet": "booklet",
}  # fmt: skip
_CONTAINERS = {"article": "journal", "misc": "howpublished", "booklet": "howpublished"}
_PUBLISHERS = {"techreport": "institution", "phdthesis": "school", "mastersthesis": "school"}
_FIELDS = {variable: name for name, variable in reversed(DETAILS.items())}
_SUBTYPES = {kind: name for name, kind in SUBTYPES.items()}
_DATE = re.compile(r"(\d{4})(?:-(0[1-9]|1[0-2])(?:-(\d\d))?)?", re.ASCII)
_NO_KEY = re.compile(r"[\s,{}#%\\\"'()=~$^`|<>]+")
_VERBATIM = re.compile(r"[^!-~]|[{}\\]")


def write(entries: Iterable[Entry], options: Options) -> Iterator[str]:
    """Yield papers as entries of BibTeX, each a text that ends in an empty line.

    The reader's notes are written as `annote`, which styles do not print.
    """
    taken: set[str] = set()
    for entry in entries:
        key = _key(entry.paper, taken, options.unicode)
        kind, fields = _fields(entry, options.unicode, options.notes)
        lines = (
            f"  {name} = {value}," for name, value in fields.items() if value not in ("", "{}")
        )
        yield "\n".join((f"@{kind}{{{key},", *lines, "}\n\n"))


def _key(paper: Paper, taken: set[str], unicode: bool) -> str:
    """Return the paper's key as BibTeX takes it, numbered where it is another's, case or not."""
    key = clean_line(paper.key)
    key = key if unicode else unicodedata.normalize("NFKD", key)
    key = _NO_KEY.sub("", key if unicode else key.encode("ascii", "ignore").decode())
    base = free = key or "paper"
    number = 1
    while free.lower() in taken:
        number += 1
        free = f"{base}-{number}"
    taken.add(free.lower())
    return free


def _fields(entry: Entry, unicode: bool, notes: bool) -> tuple[str, dict[str, str]]:
    """Return the entry type, and the fields as they are written; those without a value are "{}"."""

    def text(value: str, *, braces: bool = False) -> str:
        return f"{{{escape(value, unicode=unicode, braces=braces)}}}"

    paper, details = entry.paper, dict(entry.paper.details)
    kind = _ENTRY_TYPES.get(paper.type or ("article-journal" if paper.venue else ""), "misc")
    genre = details.pop("genre", "")
    if kind == "phdthesis":
        if genre == GENRES["mastersthesis"]:
            kind = "mastersthesis"
        genre = "" if genre == GENRES[kind] else genre or "Thesis"
    publisher = details.pop("publisher", "")
    venue = paper.venue or "" if paper.venue != publisher else ""
    told = csl_type(kind, "", venue, is_on_arxiv="arxiv" in paper.ids)
    subtype = paper.type if paper.type and told != paper.type else ""
    number = number_variable(paper.type or told, in_series="collection-title" in details)
    authors = (
        *paper.authors,
        *(() if paper.authors_complete or not paper.authors else ("others",)),
    )
    return kind, {
        "author": text(" and ".join(authors), braces=True),
        "title": f"{{{_title(paper.title or '', unicode)}}}",
        "entrysubtype": f"{{{_verbatim(_SUBTYPES.get(subtype, subtype))}}}",
        "type": text(genre),
        _CONTAINERS.get(kind, "booktitle"): text(venue),
        **{name: text(details.get(at, ""), braces=True) for name, at in NAMES.items()},
        _PUBLISHERS.get(kind, "publisher"): text(publisher),
        **{name: text(details[at]) for at, name in _FIELDS.items() if at in details},
        "number": text(details.get(number, "")),
        "issue": text(details.get("issue", "") if number != "issue" else ""),
        "pages": text(details.get("page", "")),
        **{name: text(value) if name != "month" else value for name, value in _date(paper)},
        **{name: f"{{{_verbatim(value)}}}" for name, value in _identifiers(paper)},
        "abstract": text((paper.abstract or "") + ("…" if paper.truncated else "")),
        "keywords": text((";" if "," in "".join(entry.mark.tags) else ", ").join(entry.mark.tags)),
        "note": text(details.get("note", "")),
        "annote": text(entry.note if notes else ""),
    }


def _title(title: str, unicode: bool) -> str:
    """Return a title with braces around the words that styles would put in lower case wrongly."""
    words = clean_line(title).split()
    shown = escape("\n".join(words), unicode=unicode).split("\n") if words else []
    return " ".join(
        f"{{{latex}}}" if _loses_case(word) else latex
        for word, latex in zip(words, shown, strict=True)
    )


def _loses_case(word: str) -> bool:
    capitals = [char.isupper() for char in word if char.isalnum()]
    return any(capitals[1:]) or (any(capitals) and any(map(str.isdigit, word)))


def _date(paper: Paper) -> Iterator[tuple[str, str]]:
    year = str(paper.year or "")
    date = paper.date or year
    if (found := _DATE.fullmatch(date)) and found[1] == year:
        yield "year", year
        if found[2]:
            yield "month", MONTHS[int(found[2]) - 1]
        yield "day", (found[3] or "").lstrip("0")
    elif date_of(date) == Date(date, paper.year):
        yield "year", date
    else:
        yield "year", year
        yield "date", date


def _identifiers(paper: Paper) -> Iterator[tuple[str, str]]:
    for scheme, identifier in paper.ids.items():
        if scheme == "arxiv":
            yield "eprint", identifier + (f"v{paper.version}" if paper.version else "")
            yield "archiveprefix", "arXiv"
        elif scheme in ID_FIELDS:
            yield scheme, identifier
    yield "url", paper.url or ""


def _verbatim(value: str) -> str:
    return _VERBATIM.sub(lambda found: quote(found[0]), value)
