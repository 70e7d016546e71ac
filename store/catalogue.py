"""The papers and reading lists of a library: `papers.jsonl` and what is looked up in it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .files import UNREADABLE, GrowingFile
from .paper import Paper, ReadingList
from .text import clean, clean_line

if TYPE_CHECKING:
    from .identity import IdentityIndex

Record = Paper | ReadingList


class Catalogue:
    """Papers by key and reading lists by their anchor's key, in the order they came.

    The file has one JSON object a line; a later line replaces an earlier one of the same key.
    Changes are staged first and stored together by `commit`.
    """

    def __init__(self, path: Path) -> None:
        self._file = GrowingFile(path, torn_counts=True)
        self.papers: dict[str, Paper] = {}
        self.lists: dict[str, ReadingList] = {}
        self._anchors_of: dict[str, list[str]] = {}
        self._staged: dict[tuple[str, str], Record] = {}
        self._load()

    def _load(self) -> None:
        self.papers, self.lists, self._anchors_of = {}, {}, {}
        self.__dict__.pop("identity", None)
        self._lines = 0
        self._damaged: list[int] = []
        lines, torn = self._file.load()
        self._take_in([*lines, torn] if torn else lines)

    def poll(self) -> set[str]:
        """Take in what another program wrote and return the keys it concerns."""
        lines = self._file.poll()
        if lines is not None:
            return self._take_in(lines)
        before = self.papers
        self._load()
        return before.keys() | self.papers.keys()

    @property
    def notices(self) -> list[str]:
        """What was found damaged, a sentence each."""
        if not self._damaged:
            return []
        several = len(self._damaged) > 1
        numbers = ", ".join(map(str, self._damaged[:5])) + (" …" if self._damaged[5:] else "")
        return [
            f"{self._file.path}: line{'s' if several else ''} {numbers} cannot be read and "
            f"{'were' if several else 'was'} passed over."
        ]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @cached_property
    def identity(self) -> IdentityIndex:
        """What tells whether a record is a paper that is here already; made when first asked."""
        from .identity import IdentityIndex

        index = IdentityIndex()
        for paper in self.papers.values():
            index.add(paper)
        return index

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
        from .identity import merged, new_key

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

    def begin(self) -> None:
        """Store that there is nothing yet; the caller holds the library's lock.

        Raises:
            OSError: It could not be stored.
        """
        self._file.append(b"")

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

    @property
    def size(self) -> int:
        """Length of the file, for `roll_back`."""
        return self._file.size

    def roll_back(self, size: int) -> None:
        """Take back what was stored since the file had a size; the caller holds the lock."""
        self._file.cut_back(size)
        self._load()

    def _put(self, record: Record) -> None:
        kind, key = ("paper", record.key) if isinstance(record, Paper) else ("list", record.anchor)
        self._staged[kind, key] = record
        self._show(record)

    def _show(self, record: Record) -> None:
        if isinstance(record, Paper):
            self.papers[record.key] = record
            if "identity" in self.__dict__:
                self.identity.add(record)
            return
        before = self.lists.get(record.anchor)
        for key in before.papers if before else ():
            self._anchors_of[key].remove(record.anchor)
        self.lists[record.anchor] = record
        # A list outlives the line of its anchor: what is lost is the anchor's title alone.
        self.papers.setdefault(record.anchor, Paper(record.anchor, source=record.source))
        for key in record.papers:
            self._anchors_of.setdefault(key, []).append(record.anchor)

    def _take_in(self, lines: Iterable[bytes]) -> set[str]:
        touched: set[str] = set()
        for line in lines:
            self._lines += 1
            if not line.strip():
                continue
            try:
                record = _from_json(json.loads(line))
            except (*UNREADABLE, AttributeError):
                self._damaged.append(self._lines)
                continue
            self._show(record)
            touched.update([record.key] if isinstance(record, Paper) else record.papers)
        return touched


def _to_json(record: Record) -> dict[str, Any]:
    """Return a record as it is stored: what is unknown is left out."""
    if isinstance(record, ReadingList):
        return {
            "list": record.anchor,
            "papers": list(record.papers),
            **({"source": record.source} if record.source else {}),
        }
    stored: dict[str, Any] = {"key": record.key}
    for name in ("title", "year", "venue", "abstract", "url", "version", "source", "added"):
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
    year, authors = stored.get("year"), stored.get("authors", ())
    if isinstance(authors, str):
        authors = [authors]
    abstract = stored.get("abstract")
    return Paper(
        key=str(stored["key"]),
        title=_optional(stored, "title"),
        authors=tuple(clean_line(str(name)) for name in authors),
        authors_complete=bool(stored.get("authors_complete", True)),
        year=int(year) if year is not None else None,
        venue=_optional(stored, "venue"),
        abstract=clean(str(abstract)) if abstract is not None else None,
        truncated=bool(stored.get("truncated", False)),
        ids={str(scheme): str(value) for scheme, value in stored.get("ids", {}).items()},
        url=_optional(stored, "url"),
        version=int(stored["version"]) if stored.get("version") else None,
        source=_optional(stored, "source"),
        added=_optional(stored, "added"),
    )


def _optional(stored: Mapping[str, Any], name: str) -> str | None:
    value = stored.get(name)
    return clean_line(str(value)) if value is not None else None
