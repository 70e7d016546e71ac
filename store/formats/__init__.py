"""Readers of the files that papers come in. Each turns a text into papers, lists and refusals.

A reader is a module with two functions: `looks_like(head)` tells whether the beginning of a file
is of its format, and `read(input)` yields what is in it. It never raises on what a file holds: an
entry that it cannot take is refused with line and reason and costs no other entry, so that what is
read and what is refused is what is in the file. Readers clean what they find (`text.clean`) and
put identifiers in normal form (`identity.normal_ids`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from importlib import import_module
from typing import Protocol, cast

from .found import Found, Guess, Kind, Refusal, RefusedError
from .input import Input
from .web_page import refuse_web_page

TITLES = {
    "seed": "related papers",
    "bibtex": "BibTeX and BibLaTeX",
    "json": "JSON",
    "jsonl": "Anchorlight's own JSON",
    "csl-json": "CSL-JSON",
    "crossref": "Crossref",
    "zotero-json": "Zotero's JSON",
    "zotero-rdf": "Zotero's RDF",
    "openalex": "OpenAlex",
    "semantic-scholar": "Semantic Scholar",
    "arxiv": "arXiv's Atom",
    "arxiv-snapshot": "arXiv's snapshot",
    "ris": "RIS",
    "nbib": "PubMed",
    "endnote": "EndNote",
    "wos": "Web of Science",
    "csv": "table",
}
"""What the formats are called, by the names that `--format` and reports use."""

OWN = frozenset({"seed", "jsonl"})
"""Those that we write ourselves, whose notes are the reader's own."""

_BY_BEGINNING = {
    "seed": "seed",
    "json": "documents",
    "arxiv": "arxiv_atom",
    "zotero-rdf": "zotero_rdf",
}
_BY_A_LINE = {
    "bibtex": "bibtex",
    "ris": "ris",
    "nbib": "nbib",
    "wos": "wos",
    "endnote": "endnote",
    "csv": "csv_table",
}
"""Those that anything may stand before, so that a text in one may quote a line of another."""

_MODULES = _BY_BEGINNING | _BY_A_LINE
"""The readers, in the order in which they are asked; each module is imported when it is."""


class Reader(Protocol):
    """What a module of a format has."""

    def looks_like(self, head: str) -> bool:
        """Tell whether a file that begins like this is of the format."""

    def read(self, source: Input) -> Iterator[Found]:
        """Yield what is in a file.

        Raises:
            OSError: It cannot be read.
            RefusedError: Nothing of it can be taken.
        """


def read(source: Input, name: str = "") -> Iterator[Found]:
    """Yield what is in a file, first the format that it is of.

    Args:
        source: The file.
        name: The format, one of `TITLES`; told by the content where it is empty.

    Raises:
        OSError: It cannot be read.
    """
    try:
        name = name or _recognised(source.head())
        yield Kind(name)
        yield from _found_in(source, name)
    except RefusedError as error:
        yield Refusal(error.line, None, str(error))
    if source.guess:
        yield Guess(source.guess)


def _found_in(source: Input, name: str) -> Iterator[Found]:
    if name in _MODULES:
        return _reader(name).read(source)
    from .documents import read_as  # it reads every schema of JSON

    return read_as(name, source)


def _reader(name: str) -> Reader:
    return cast(Reader, import_module(f"{__name__}.{_MODULES[name]}"))


def _recognised(head: str) -> str:
    refuse_web_page(head)
    for name in _BY_BEGINNING:
        if _reader(name).looks_like(head):
            return name
    fitting = [name for name in _BY_A_LINE if _reader(name).looks_like(head)]
    if not fitting:
        raise RefusedError(f"its format is not known; say --format, one of {', '.join(TITLES)}")
    return (
        fitting[0]
        if len(fitting) == 1
        else min(fitting, key=lambda name: _lines_to_tell(name, head))
    )


def _lines_to_tell(name: str, head: str) -> int:
    """Return after how many lines a text looks like a format that it looks like as a whole."""
    ends = [found.end() for found in re.finditer(r"[^\n]*\n?", head)]
    looks_like = _reader(name).looks_like
    return bisect_left(ends, True, key=lambda end: looks_like(head[:end]))
