"""Writers of the files that papers go out in: each a module with a function `write`.

A writer takes entries and yields pieces of text. One whose format cannot hold every paper has a
function `holds` besides, and is given only those.
"""

from __future__ import annotations

from typing import NamedTuple

from ...names import from_bibtex

GROUPS = ("list", "status", "tag", "year")
"""How a review can be divided; a list is not."""


class Options(NamedTuple):
    """How papers are written; only reviews, and lists of their kind, ask for it."""

    heading: str = ""
    """What the papers have in common: an anchor's title, a query."""
    group: str = "list"
    """How a review is divided, one of `GROUPS`."""
    style: str = "apa"
    """How a review cites, one of `citations.STYLES`."""
    abstracts: bool = False
    """Whether a review quotes the openings of abstracts."""
    notes: bool = True
    """Whether the reader's notes are written, where the format has a place for them."""
    unicode: bool = False
    """Whether BibTeX has letters beyond ASCII as they are, instead of LaTeX's commands."""


def people_in(joined: str) -> tuple[str, ...]:
    """Return the stored names in a detail such as "editor", which has them joined by " and "."""
    return from_bibtex(joined)[0] if joined else ()
