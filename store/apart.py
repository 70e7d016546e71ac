"""Pairs of papers that the reader called different, as they are stored: whether, and since when.

One that was taken back stays as such, so that joining with a copy of the library that still has
it tells which of both was later.
"""

from __future__ import annotations

from collections.abc import Mapping

from .change import after_time
from .snapshot import Document

_BETWEEN = "\t"
"""Stands between the keys of a pair, none of which can hold it."""


def pair_name(first: str, second: str) -> str:
    """Return the name of a pair, whichever paper is named first."""
    return _BETWEEN.join(sorted((first, second)))


def keys_in(name: str) -> tuple[str, str] | None:
    """Return the keys of a pair by its name; None where it is none."""
    first, between, second = name.partition(_BETWEEN)
    return (first, second) if between and first != second else None


def is_apart(document: Document | None) -> bool:
    """Tell whether a stored pair is called different."""
    return document is not None and document.get("apart") is True


def pairs_in(table: Mapping[str, Document]) -> set[tuple[str, str]]:
    """Return the pairs that are called different, each with its keys in order."""
    named = (keys_in(name) for name, document in table.items() if is_apart(document))
    return {pair for pair in named if pair}


def stored_pair(apart: bool, before: Document, now: str) -> Document:
    """Return a pair as it is stored.

    Args:
        apart: Whether the papers are called different.
        before: How it was stored before.
        now: The time.
    """
    return {"apart": apart, "changed": after_time(now, _changed(before))}


def joined_pairs(mine: Document, theirs: Document) -> Document:
    """Return the newer of two states of a pair, whichever is asked first."""
    return max(mine, theirs, key=lambda one: (_changed(one), is_apart(one)))


def _changed(document: Document) -> str:
    changed = document.get("changed")
    return changed if isinstance(changed, str) else ""
