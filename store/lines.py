"""Papers and reading lists as lines of `papers.jsonl`, one JSON object each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Set
from typing import Any

from .files import UNREADABLE
from .paper import Paper, ReadingList
from .text import clean, clean_line

Record = Paper | ReadingList
Name = tuple[str, str]
"""What a line is about: "paper" or "list", and its key."""


_PLAIN = (
    "title", "year", "venue", "abstract", "url", "type", "date", "version", "source", "added",
)  # fmt: skip
"""Fields of a paper that are stored as they are, unless they are None."""


_FEW = 32
"""Of so many things a line is looked for by their keys before it is read."""


def name_of(record: Record) -> Name:
    """Return what a record's line is about."""
    return ("paper", record.key) if isinstance(record, Paper) else ("list", record.anchor)


def line_of(record: Record | None, name: Name) -> bytes:
    """Return the line that says a record, or that there is none any more."""
    kind, key = name
    gone = {"key" if kind == "paper" else "list": key, "gone": True}
    stored = gone if record is None else _to_json(record)
    return _bytes(json.dumps(stored, ensure_ascii=False)) + b"\n"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def parse(line: bytes) -> tuple[Name, Record | None]:
    """Return what a line is about and what it says; None takes away.

    Raises:
        One of UNREADABLE: The line is damaged.
    """
    stored = json.loads(line)
    kind, key = ("list", stored["list"]) if "list" in stored else ("paper", stored["key"])
    if not key or not isinstance(key, str | int):
        raise TypeError("its key is none")
    name = kind, str(key)
    return name, None if stored.get("gone") is True else _from_json(stored)


def states_of(lines: Iterable[bytes], names: Set[Name] | None = None) -> dict[Name, Record | None]:
    """Return what lines say last of each thing, or of some."""
    states: dict[Name, Record | None] = {}
    few = [] if names is None or len(names) > _FEW else [_bytes(key) for _, key in names]
    for line in lines:
        if few and not (b"\\" in line or any(key in line for key in few)):
            continue  # reading every line to find some takes seconds
        try:
            name, record = parse(line)
        except UNREADABLE:
            continue
        if names is None or name in names:
            states[name] = record
    return states


def _to_json(record: Record) -> dict[str, Any]:
    """Return a record as it is stored: what is unknown is left out."""
    if isinstance(record, ReadingList):
        return {
            "list": record.anchor,
            "papers": list(record.papers),
            **({"source": record.source} if record.source else {}),
        }
    stored: dict[str, Any] = {"key": record.key}
    for name in _PLAIN:
        if (value := getattr(record, name)) is not None:
            stored[name] = value
    if record.authors:
        stored["authors"] = list(record.authors)
    if not record.authors_complete:
        stored["authors_complete"] = False
    if record.truncated:
        stored["truncated"] = True
    if record.ids:
        stored["ids"] = dict(record.ids)
    if record.details:
        stored["details"] = dict(record.details)
    if record.files:
        stored["files"] = list(record.files)
    if record.also:
        stored["also"] = list(record.also)
    return stored


def _from_json(stored: Mapping[str, Any]) -> Record:
    if "list" in stored:
        if not isinstance(stored["papers"], list):
            raise TypeError("its papers are no list")
        papers = tuple(map(str, stored["papers"]))
        return ReadingList(str(stored["list"]), papers, _optional(stored, "source"))
    year = stored.get("year")
    abstract = stored.get("abstract")
    return Paper(
        key=str(stored["key"]),
        title=_optional(stored, "title"),
        authors=_texts(stored, "authors"),
        authors_complete=bool(stored.get("authors_complete", True)),
        year=int(year) if year is not None else None,
        venue=_optional(stored, "venue"),
        abstract=clean(str(abstract)) if abstract is not None else None,
        truncated=bool(stored.get("truncated", False)),
        ids=_table(stored, "ids"),
        url=_optional(stored, "url"),
        type=_optional(stored, "type"),
        date=_optional(stored, "date"),
        details=_table(stored, "details"),
        files=_texts(stored, "files"),
        also=_texts(stored, "also"),
        version=int(stored["version"]) if stored.get("version") else None,
        source=_optional(stored, "source"),
        added=_optional(stored, "added"),
    )


def _optional(stored: Mapping[str, Any], name: str) -> str | None:
    value = stored.get(name)
    return clean_line(str(value)) if value is not None else None


def _texts(stored: Mapping[str, Any], name: str) -> tuple[str, ...]:
    values = stored.get(name, ())
    return tuple(clean_line(str(one)) for one in ((values,) if isinstance(values, str) else values))


def _table(stored: Mapping[str, Any], name: str) -> dict[str, str]:
    return {str(at): str(value) for at, value in stored.get(name, {}).items() if value}
