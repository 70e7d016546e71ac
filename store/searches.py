"""Searches that the reader saved as lists, as they are stored: a query and its time, by name.

One that was removed stays as an empty query, so that joining with a copy of the library that
still has it tells which of both was later.
"""

from __future__ import annotations

from collections.abc import Mapping

from .change import after_time
from .snapshot import Document
from .text import clean_line, fold

MOST_NAME = 80
"""Characters of a name at most."""

PREFIX = "search:"
"""What stands before the name of a saved search to make it that of a list."""


def clean_name(name: str) -> str:
    """Return a name as it is stored: one line, not too long."""
    return clean_line(name)[:MOST_NAME].rstrip()


def queries_in(table: Mapping[str, Document]) -> dict[str, str]:
    """Return the queries of saved searches by name, in the order of the names."""
    found = {name: _query(document) for name, document in table.items()}
    return {name: found[name] for name in sorted(found, key=_place) if name and found[name]}


def saved(query: str, before: Document, now: str) -> Document:
    """Return a search as it is stored.

    Args:
        query: What it looks for; an empty text removes it.
        before: How it was stored before.
        now: The time.
    """
    return {"query": query, "changed": after_time(now, _changed(before))}


def joined_searches(mine: Document, theirs: Document) -> Document:
    """Return the newer of two states of a search, whichever is asked first."""
    return max(mine, theirs, key=lambda one: (_changed(one), _query(one)))


def _place(name: str) -> tuple[str, str]:
    return fold(name), name


def _query(document: Document) -> str:
    query = document.get("query")
    return query if isinstance(query, str) else ""


def _changed(document: Document) -> str:
    changed = document.get("changed")
    return changed if isinstance(changed, str) else ""
