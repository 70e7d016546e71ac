"""The records of arXiv as its snapshot of metadata has them, one JSON object a line."""

from __future__ import annotations

import re
from functools import lru_cache

from ..dates import date_of
from ..identity import arxiv_version, normal_ids
from ..latex import to_text
from ..names import Name, from_list, stored
from ..paper import Paper
from ..text import clean_line
from .fields import abstract_of, date_beyond_year, details_of, known_by
from .found import FoundPaper
from .json_values import Record, items, line, members, text

_PLAIN_NAME = re.compile(r"[A-Z][\w.-]*(?: [A-Z][\w.-]*)* [A-Z][a-z]{3,}", re.ASCII)
"""One that is stored in natural order: no particle, no generation, a family name of one word."""

_PARAGRAPH = re.compile(r"\n[^\S\n]+|\n\s*\n")


def recognises(record: Record) -> bool:
    """Tell whether a record is one of arXiv's."""
    return "authors_parsed" in record or ("categories" in record and "update_date" in record)


def found(record: Record) -> FoundPaper:
    """Return the paper in a record.

    Raises:
        RefusedError: Nothing tells it from others.
    """
    versions = [members(version) for version in items(record.get("versions"))]
    first = text(versions[0].get("created")) if versions else ""
    date = date_of(first or text(record.get("update_date")))
    abstract, is_cut = abstract_of(to_text(unfolded(text(record.get("abstract")))))
    authors, are_all = _authors(record)
    paper = Paper(
        key="",
        title=clean_line(to_text(line(record.get("title")))) or None,
        authors=authors,
        authors_complete=are_all,
        year=date.year,
        venue=line(record.get("journal-ref")) or None,
        abstract=abstract,
        truncated=is_cut,
        ids=normal_ids((("arxiv", text(record.get("id"))), ("doi", text(record.get("doi"))))),
        type="article",
        date=date_beyond_year(date),
        details=details_of({"number": text(record.get("report-no"))}),
        version=arxiv_version(f"0{text(versions[-1].get('version'))}") if versions else None,
    )
    return FoundPaper(known_by(paper))


def unfolded(abstract: str) -> str:
    """Return an abstract of arXiv with a line a paragraph: further ones begin with blanks."""
    paragraphs = _PARAGRAPH.split(abstract.strip())
    return "\n\n".join(filter(None, (" ".join(part.split()) for part in paragraphs)))


def _authors(record: Record) -> tuple[tuple[str, ...], bool]:
    parsed = [parts for parts in items(record.get("authors_parsed")) if isinstance(parts, list)]
    if not parsed:
        return from_list(to_text(line(record.get("authors"))))
    names = (tuple(map(text, parts[:3])) for parts in parsed)
    return tuple(filter(None, (_stored(*name) for name in names if name))), True


@lru_cache(maxsize=1 << 16)
def _stored(family: str, given: str = "", suffix: str = "") -> str:
    """Return a name as it is stored: quickly where it is plain, as there are millions."""
    plain = f"{given} {family}"
    if not suffix and _PLAIN_NAME.fullmatch(plain):
        return plain
    return stored(Name(family, given, suffix))
