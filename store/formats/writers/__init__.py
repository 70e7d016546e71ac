"""Writers of the files that papers go out in: each a module with a function `write`.

A writer takes entries and yields pieces of text. One whose format cannot hold every paper has a
function `holds` besides, and is given only those.
"""

from __future__ import annotations

from typing import NamedTuple

from ...names import parts


class Options(NamedTuple):
    """How papers are written; only reviews, and lists of their kind, ask for it."""

    heading: str = ""
    """What the papers have in common: an anchor's title, a query."""
    group: str = "list"
    """How a review is divided, one of `review.GROUPS`."""
    style: str = "apa"
    """How a review cites, one of `citations.STYLES`."""
    abstracts: bool = False
    """Whether a review quotes the openings of abstracts."""
    notes: bool = True
    """Whether the reader's notes are written, where the format has a place for them."""


def family_first(stored: str, body: str) -> str:
    """Return a stored name as tables and RIS have it: family name, given name, suffix.

    Args:
        stored: The name.
        body: How a name that is not to be parted is written, `{}` standing for it.
    """
    name = parts(stored)
    if name.literal:
        return body.format(name.family)
    return ", ".join(filter(None, (name.family, name.given, name.suffix)))
