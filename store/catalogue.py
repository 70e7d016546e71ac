"""The papers and reading lists of a library: `papers.jsonl` and what is looked up in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from .files import GrowingFile
from .identity import IdentityIndex, merged, new_key
from .paper import Paper, ReadingList
from .text import clean, clean_line

Record = Paper | ReadingList


class Catalogue:
    """Papers by key and reading lists by their anchor's key, in the order they came.

    The file has one JSON object a line; a later line replaces an earlier one of the same key.
    Changes are staged first and stored together by `commit`.
    """

    def __init__(self, path: Path) -> None:
        self._file = GrowingFile(path)
        self.papers: dict[str, Paper] = {}
        self.lists: dict[str, ReadingList] = {}
        self.identity = IdentityIndex()
        self._anchors_of: dict[str, list[str]] = {}
        self._staged: dict[tuple[str, str], Record] = {}
        self.notices: list[str] = []
        """What was found damaged, a sentence each."""
        self._load()

    def _load(self) -> None:
        self.papers, self.lists, self.identity = {}, {}, IdentityIndex()
        self._anchors_of = {}
        lines, torn = self._file.load()
        self._take_in([*lines, torn] if torn else lines)

    def poll(self) -> bool:
        """Take in what another program wrote; tell whether there was anything."""
        lines = self._file.poll()
        if lines is None:
            self._load()
            return True
        self._take_in(lines)
        return bool(lines)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def anchors_of(self, key: str) -> tuple[str, ...]:
        """Return the anchors in whose reading lists a paper stands."""
        return tuple(self._anchors_of.get(key, ()))

    # Staging: what an import adds becomes visible and durable together

    def stage_paper(self, record: Paper, now: str, key: str | None = None) -> tuple[str, str]:
        """Add a paper, or complete the one that it is the same as.

        Args:
            record: The paper; its own key, if any, is used where it is free.
            now: The time, for a paper that is new.
            key: The paper it is known to be, where identity was decided otherwise.

        Returns:
            The paper's key, and "added", "updated" or "unchanged".
        """
        key = key or self.identity.match(record)
        if key is None:
            wanted = clean_line(record.key)
            if not wanted or wanted in self.papers:
                wanted = new_key(record, self.papers)
            self._put(replace(record, key=wanted, added=record.added or now))
            return wanted, "added"
        known = self.papers[key]
        paper = merged(known, record)
        if paper is known:
            return key, "unchanged"
        self._put(paper)
        return key, "updated"

    def stage_list(self, reading_list: ReadingList) -> bool:
        """Add or replace a reading list; tell whether it is different."""
        if self.lists.get(reading_list.anchor) == reading_list:
            return False
        self._put(reading_list)
        return True

    def commit(self) -> None:
        """Store what was staged, all of it or nothing; the caller holds the library's lock.

        Raises:
            OSError: Nothing of it is stored, and none of it is visible any more.
        """
        staged, self._staged = self._staged, {}
        if not staged:
            return
        lines = b"".join(
            json.dumps(_to_json(record), ensure_ascii=False).encode() + b"\n"
            for record in staged.values()
        )
        try:
            self._file.append(lines)
        except OSError:
            self._load()
            raise

    def _put(self, record: Record) -> None:
        kind, key = ("paper", record.key) if isinstance(record, Paper) else ("list", record.anchor)
        self._staged[kind, key] = record
        self._show(record)

    def _show(self, record: Record) -> None:
        if isinstance(record, Paper):
            self.papers[record.key] = record
            self.identity.add(record)
            return
        before = self.lists.get(record.anchor)
        for key in before.papers if before else ():
            self._anchors_of[key].remove(record.anchor)
        self.lists[record.anchor] = record
        for key in record.papers:
            self._anchors_of.setdefault(key, []).append(record.anchor)

    def _take_in(self, lines: Iterable[bytes]) -> None:
        damaged = []
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                self._show(_from_json(json.loads(line)))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                damaged.append(number)
        if damaged:
            several = len(damaged) > 1
            self.notices.append(
                f"{self._file.path}: line{'s' if several else ''} "
                f"{', '.join(map(str, damaged[:5]))}{' …' if len(damaged) > 5 else ''} "
                f"cannot be read and {'were' if several else 'was'} passed over."
            )


def _to_json(record: Record) -> dict[str, Any]:
    """Return a record as it is stored: what is unknown is left out."""
    if isinstance(record, ReadingList):
        return {
            "list": record.anchor,
            "papers": list(record.papers),
            **({"source": record.source} if record.source else {}),
        }
    stored: dict[str, Any] = {"key": record.key}
    for name in ("title", "year", "venue", "abstract", "url", "source", "added"):
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
    return stored


def _from_json(stored: Mapping[str, Any]) -> Record:
    if "list" in stored:
        return ReadingList(
            str(stored["list"]), tuple(map(str, stored["papers"])), _optional(stored, "source")
        )
    year = stored.get("year")
    abstract = stored.get("abstract")
    return Paper(
        key=str(stored["key"]),
        title=_optional(stored, "title"),
        authors=tuple(clean_line(str(name)) for name in stored.get("authors", ())),
        authors_complete=bool(stored.get("authors_complete", True)),
        year=int(year) if year is not None else None,
        venue=_optional(stored, "venue"),
        abstract=clean(str(abstract)) if abstract is not None else None,
        truncated=bool(stored.get("truncated", False)),
        ids={str(scheme): str(value) for scheme, value in stored.get("ids", {}).items()},
        url=_optional(stored, "url"),
        source=_optional(stored, "source"),
        added=_optional(stored, "added"),
    )


def _optional(stored: Mapping[str, Any], name: str) -> str | None:
    value = stored.get(name)
    return clean_line(str(value)) if value is not None else None
