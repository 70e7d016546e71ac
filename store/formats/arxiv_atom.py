"""The feeds that arXiv answers with, in its old and its new serialisation of Atom."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..dates import date_of
from ..identity import arxiv_version, normal_ids
from ..latex import to_text
from ..names import parts, stored
from ..paper import Paper
from ..text import clean_line
from .arxiv_snapshot import unfolded
from .fields import abstract_of, date_beyond_year, known_by
from .found import Found, FoundPaper, Refusal, RefusedError
from .input import Input
from .web_page import refuse_web_page
from .xml_text import Node, nodes

_FEED = re.compile(r"<(?:[\w-]+:)?(?:feed|entry)[\s>]")


def looks_like(head: str) -> bool:
    """Tell whether a file that begins like this is a feed of arXiv."""
    begin = head.lstrip()
    return begin.startswith("<") and "arxiv" in head.lower() and _FEED.search(head) is not None


def read(source: Input) -> Iterator[Found]:
    """Yield what is in a feed.

    Raises:
        OSError: It cannot be read.
        RefusedError: Nothing of it, or nothing more, can be taken.
    """
    refuse_web_page(source.head())
    for number, entry in enumerate(nodes(source.text(), lambda place: place.name == "entry"), 1):
        try:
            yield _found(entry)
        except RefusedError as error:
            name = clean_line(entry.first("title"))[:80]
            yield Refusal(entry.line, name or f"entry {number}", str(error))


def _found(entry: Node) -> FoundPaper:
    address = entry.first("id")
    if "/api/errors" in address or (entry.first("title") == "Error" and "/abs/" not in address):
        said = clean_line(entry.first("summary"))[:200]
        raise RefusedError(f"arXiv answers: “{said or 'Error'}”")
    date = date_of(entry.first("published") or entry.first("updated"))
    abstract, is_cut = abstract_of(to_text(unfolded(entry.first("summary"))))
    names = [clean_line(name.text) for name in entry.all("author", "name")]
    paper = Paper(
        key="",
        title=clean_line(to_text(clean_line(entry.first("title")))) or None,
        authors=tuple(stored(parts(name)) for name in names if name),
        year=date.year,
        venue=clean_line(entry.first("journal_ref")) or None,
        abstract=abstract,
        truncated=is_cut,
        ids=normal_ids((("arxiv", address), ("doi", entry.first("doi")))),
        type="article",
        date=date_beyond_year(date),
        files=tuple(_texts(entry)),
        version=arxiv_version(address),
    )
    return FoundPaper(known_by(paper))


def _texts(entry: Node) -> Iterator[str]:
    for link in entry.all("link"):
        if link.attributes.get("title") == "pdf" and (href := link.attributes.get("href")):
            yield clean_line(href)
