"""RIS, as reference managers read it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...names import parts
from ...paper import Entry, Paper
from ...text import ELLIPSIS, clean, clean_line
from . import Options, people_in

_TYPES = {
    "article": "UNPB", "article-journal": "JOUR", "article-magazine": "MGZN",
    "article-newspaper": "NEWS", "bill": "BILL", "book": "BOOK", "chapter": "CHAP",
    "classic": "CLSWK", "dataset": "DATA", "entry-dictionary": "DICT",
    "entry-encyclopedia": "ENCYC", "figure": "FIGURE", "graphic": "ART", "hearing": "HEAR",
    "legal_case": "CASE", "legislation": "STAT", "manuscript": "MANSCPT", "map": "MAP",
    "motion_picture": "MPCT", "musical_score": "MUSIC", "pamphlet": "PAMP",
    "paper-conference": "CONF", "patent": "PAT", "periodical": "SER",
    "personal_communication": "PCOMM", "post": "ICOMM", "post-weblog": "BLOG", "report": "RPRT",
    "software": "COMP", "song": "SOUND", "speech": "SLIDE", "standard": "STAND",
    "thesis": "THES", "webpage": "ELEC",
}  # fmt: skip
"""Types of RIS by those of CSL; every other one is GEN."""

_WHOLES = frozenset(("book", "report", "thesis", "dataset", "software", "standard"))
_PARTS = frozenset(("chapter", "paper-conference", "entry-dictionary", "entry-encyclopedia"))
_DATE = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])(?:-\d\d)?")
_PAGES = re.compile(r"([^–—]+)[–—]([^–—]+)")


def write(entries: Iterable[Entry], options: Options) -> Iterator[str]:
    """Yield one record a paper."""
    for entry in entries:
        fields = ((tag, clean_line(value)) for tag, value in _fields(entry))
        lines = [f"{tag}  - {value}" for tag, value in fields if value]
        lines += [f"{tag}  - {text}" for tag, text in _texts(entry, options) if text]
        yield "\n".join((*lines, "ER  - ", "", ""))


def _fields(entry: Entry) -> Iterator[tuple[str, str]]:
    paper = entry.paper
    yield "TY", _TYPES.get(paper.type or "", "GEN")
    yield "ID", paper.key
    yield "TI", paper.title or ""
    yield from (("AU", _family_first(author)) for author in paper.authors)
    yield "AU", "" if paper.authors_complete else "et al."
    yield "PY", str(paper.year or paper.date or "")
    if paper.date and paper.year:
        yield "DA", paper.date.replace("-", "/") if _DATE.fullmatch(paper.date) else paper.date
    yield from _container(paper)
    yield from _details(paper)
    yield from _identifiers(paper)
    yield from (("L1", file) for file in paper.files)
    yield from (("KW", tag) for tag in entry.mark.tags)


def _details(paper: Paper) -> Iterator[tuple[str, str]]:
    details = paper.details
    first, last = _pages(details.get("page", ""))
    is_report = paper.type == "report"
    yield from (
        ("VL", details.get("volume", "")),
        ("IS", details.get("issue", "")),
        ("SP", first or (details.get("number-of-pages", "") if paper.type in _WHOLES else "")),
        ("EP", last),
        ("M1" if is_report else "C7", details.get("number", "")),
        ("PB", details.get("publisher", "")),
        ("CY", details.get("publisher-place", "")),
        ("ET", details.get("edition", "")),
        ("M3", _genre(paper)),
        ("LA", details.get("language", "")),
        ("NV", details.get("number-of-volumes", "")),
        ("J2", details.get("container-title-short", "")),
        ("T3", details.get("collection-title", "")),
    )
    for tag, variable in (("A2", "editor"), ("A3", "collection-editor")):
        for name in people_in(details.get(variable, "")):
            yield tag, _family_first(name)
    for number in (*details.get("ISSN", "").split(", "), *details.get("ISBN", "").split(", ")):
        yield "SN", number


def _identifiers(paper: Paper) -> Iterator[tuple[str, str]]:
    ids = paper.ids
    yield "DO", ids.get("doi", "")
    yield "U1", f"{ids['pmid']}[pmid]" if "pmid" in ids else ""
    yield "U2", f"{ids['pmcid']}[pmcid]" if "pmcid" in ids else ""
    yield "UR", paper.url or ""
    yield "UR", f"https://arxiv.org/abs/{ids['arxiv']}" if "arxiv" in ids else ""


def _genre(paper: Paper) -> str:
    if paper.type == "article":
        return "Preprint"
    return paper.details.get("genre", "") if paper.type in _WHOLES else ""


def _container(paper: Paper) -> Iterator[tuple[str, str]]:
    if paper.type in _WHOLES:
        if paper.venue != paper.details.get("publisher"):
            yield "PB" if not paper.details.get("publisher") else "T2", paper.venue or ""
    else:
        yield "T2" if paper.type in _PARTS else "JO", paper.venue or ""


def _family_first(stored: str) -> str:
    """Return a name as RIS has it; a comma at its end tells that it is of a body."""
    name = parts(stored)
    if name.literal:
        return f"{name.family},"
    return ", ".join(filter(None, (name.family, name.given, name.suffix)))


def _pages(text: str) -> tuple[str, str]:
    found = _PAGES.fullmatch(text)
    return (found[1].strip(), found[2].strip()) if found else (text, "")


def _texts(entry: Entry, options: Options) -> Iterator[tuple[str, str]]:
    """Yield what may have several lines: paragraphs of the abstract, and the reader's note."""
    paper = entry.paper
    paragraphs = map(clean_line, re.split(r"\n\s*\n", paper.abstract or ""))
    if abstract := "\n\n".join(_continued(part) for part in paragraphs if part):
        yield "AB", f"{abstract}{ELLIPSIS if paper.truncated else ''}"
    if options.notes:
        yield "N1", "\n".join(map(_continued, clean(entry.note).strip().split("\n")))


def _continued(line: str) -> str:
    """Return a line so that it is not taken for one with a tag."""
    return f"  {line}" if re.match(r"[A-Z][A-Z0-9]\s+-", line) else line
