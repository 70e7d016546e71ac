"""What entries of BibTeX take over from others: `crossref` and BibLaTeX's `xdata`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from .bibtex_syntax import Entry

MOST = 8
"""Entries that one takes over from, in all."""

_SHARED = frozenset(
    "year date month day publisher address location organization institution school editor series "
    "volume volumes edition issn isbn eventtitle eventdate venue language langid".split()
)
"""Fields of a whole that its parts have as well."""

_PERIODICALS = frozenset(("periodical", "suppperiodical"))
_PARTS = frozenset(
    "inproceedings conference incollection inbook bookinbook suppbook suppcollection "
    "inreference".split()
)


class Crossrefs:
    """Completes entries by what they take over.

    Args:
        entries: All of a file; also one that comes later is found.
        room: Characters that may be taken over altogether, as a small file could otherwise stand
            for a large one.
    """

    def __init__(self, entries: Iterable[Entry], room: int) -> None:
        self._entries: dict[str, Entry] = {}
        self._room = room
        self.missing: list[tuple[int, str]] = []
        """Entries, by line and key, with a reference to one that is not in the file."""
        for entry in entries:
            if entry.key:
                self._entries.setdefault(entry.key.lower(), entry)

    def complete(self, entry: Entry) -> dict[str, str]:
        """Return the fields of an entry with those that it takes over; its own come first."""
        if "crossref" not in entry.fields and "xdata" not in entry.fields:
            return entry.fields
        fields = dict(entry.fields)
        for data in self._named(entry, "xdata"):
            self._take(fields, data.fields)
        for whole in self._named(entry, "crossref"):
            self._take(fields, dict(_of_whole(whole, entry.type)))
        return fields

    def _named(self, entry: Entry, field: str) -> Iterator[Entry]:
        """Yield the entries that a field names, then those that these name in theirs."""
        seen, row = {id(entry)}, [entry]
        for one in row:  # it grows
            names = filter(None, re.split(r"[\s,]+", one.fields.get(field, "")))
            for name in islice(names, MOST):
                found = self._entries.get(name.lower())
                if found is None and one is entry:
                    self.missing.append((entry.line, entry.key))
                elif found is not None and id(found) not in seen and len(row) <= MOST:
                    seen.add(id(found))
                    row.append(found)
                    yield found

    def _take(self, fields: dict[str, str], others: dict[str, str]) -> None:
        for name, value in others.items():
            if not fields.get(name) and self._room > 0:
                self._room -= len(value)
                fields[name] = value


def _of_whole(whole: Entry, part_type: str) -> Iterator[tuple[str, str]]:
    """Yield the fields that a part has of a whole, the title under the name that it has there."""
    fields = whole.fields
    if whole.type in _PERIODICALS:
        titles = {"journaltitle": "title", "shortjournal": "shorttitle", "number": "number"}
    elif part_type in _PARTS:
        titles = {"booktitle": "booktitle", "number": "number"}
        if not fields.get("booktitle"):
            titles |= {"booktitle": "title", "booksubtitle": "subtitle"}
        if whole.type in ("book", "mvbook"):
            titles["bookauthor"] = "author"
            if part_type == "inbook":
                titles["author"] = "author"
    else:
        titles = {name: name for name in ("journal", "journaltitle", "author")}
    for name, other in titles.items():
        if other in fields:
            yield name, fields[other]
    for name, value in fields.items():
        if name in _SHARED:
            yield name, value
