"""The papers and reading lists of a library: `papers.jsonl` and what is looked up in it."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Set
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import CannotUndoError
from .files import UNREADABLE, GrowingFile, keep_aside, read_file, replace_file
from .paper import Paper, ReadingList
from .text import clean, clean_line

if TYPE_CHECKING:
    from .identity import IdentityIndex

Record = Paper | ReadingList
Name = tuple[str, str]
"""What a line is about: "paper" or "list", and its key."""


class Span(NamedTuple):
    """Lines of the file, by the bytes they take, and a checksum to know them again by."""

    start: int
    end: int
    checksum: int


class Catalogue:
    """Papers by key and reading lists by their anchor's key, in the order they came.

    The file has one JSON object a line; a later line replaces an earlier one of the same key, and
    one that says `"gone": true` takes it away. Changes are staged first and stored together by
    `commit`. As nothing is ever overwritten, any commit can be taken back.
    """

    def __init__(self, path: Path) -> None:
        self._file = GrowingFile(path, torn_counts=True)
        self.papers: dict[str, Paper] = {}
        self.lists: dict[str, ReadingList] = {}
        self._anchors_of: dict[str, list[str]] = {}
        self._implied: set[str] = set()
        self._staged: dict[Name, Record | None] = {}
        self._load()

    def _load(self) -> None:
        lines, torn = self._file.load()  # first: what is known stays where this fails
        self.papers, self.lists, self._anchors_of, self._implied = {}, {}, {}, set()
        self.__dict__.pop("identity", None)
        self._lines = 0
        self._damaged: list[int] = []
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

    def stage_replacing(self, paper: Paper) -> bool:
        """Replace a paper by a record with its key; tell whether it is different."""
        if self.papers.get(paper.key) == paper:
            return False
        self._put(paper)
        return True

    def stage_undoing(self, span: Span, *, again: bool = False) -> set[str]:
        """Put what lines are about back to how it was before them.

        Args:
            span: The lines.
            again: Whether to put in place what they say, instead.

        Returns:
            The keys of the papers that are different then.

        Raises:
            CannotUndoError: The file does not hold these lines any more.
            OSError: The file cannot be read.
        """
        data = read_file(self._file.path)
        lines = data[span.start : span.end]
        if zlib.crc32(lines) != span.checksum:
            raise CannotUndoError(
                f"{self._file.path} was changed since; what came in then cannot be taken back."
            )
        after = states_of(lines.split(b"\n"))
        names = after.keys()
        before = dict.fromkeys(names) | states_of(data[: span.start].split(b"\n"), names)
        for name, record in (after if again else before).items():
            self._put(record, name)
        self.__dict__.pop("identity", None)  # which knows of no identifier that is taken away
        return {key for kind, key in names if kind == "paper"}

    def begin(self) -> None:
        """Store that there is nothing yet; the caller holds the library's lock.

        Raises:
            OSError: It could not be stored.
        """
        self._file.append(b"")

    def commit(self) -> Span | None:
        """Store what was staged, all of it or nothing; the caller holds the library's lock.

        Returns:
            The lines that were written, if any.

        Raises:
            OSError: Nothing of it is stored, and none of it is visible any more.
        """
        staged, self._staged = self._staged, {}
        if not staged:
            return None
        lines = b"".join(_line(record, name) for name, record in staged.items())
        try:
            start = self._file.append(lines)
        except OSError:
            self._load()
            raise
        return Span(start, start + len(lines), zlib.crc32(lines))

    def drop_staged(self) -> None:
        """Forget what was staged."""
        if self._staged:
            self._staged = {}
            self._load()

    def rewrite(self) -> Path | None:
        """Write the file anew without the lines that cannot be read; the caller holds the lock.

        Returns:
            Where the file before is kept; None where every line could be read.

        Raises:
            OSError: The file before is in its place.
        """
        if not self._damaged:
            return None
        records: list[tuple[Name, Record]] = [
            *((("paper", key), paper) for key, paper in self.papers.items()),
            *((("list", anchor), one) for anchor, one in self.lists.items()),
        ]
        lines = b"".join(_line(record, name) for name, record in records)
        aside = keep_aside(self._file.path, read_file(self._file.path))
        try:
            replace_file(self._file.path, lines)
        finally:
            self._load()  # a failed sync may have left either file under the name
        return aside

    @property
    def path(self) -> Path:
        """The file."""
        return self._file.path

    @property
    def size(self) -> int:
        """Length of the file."""
        return self._file.size

    def roll_back(self, span: Span) -> None:
        """Take back the lines that were stored last; the caller holds the lock.

        Raises:
            OSError: They may still be there.
        """
        self._file.cut_back(span.start)
        self._load()

    def _put(self, record: Record | None, name: Name | None = None) -> None:
        if record is not None:
            name = _name(record)
        assert name is not None
        self._staged[name] = record
        self._show(name, record)

    def _show(self, name: Name, record: Record | None) -> None:
        if isinstance(record, ReadingList) or name[0] == "list":
            assert not isinstance(record, Paper)
            self._show_list(name[1], record)
        elif record is not None:
            self.papers[record.key] = record
            self._implied.discard(record.key)
            if "identity" in self.__dict__:
                self.identity.add(record)
        else:
            self.__dict__.pop("identity", None)
            self.papers.pop(name[1], None)
            if name[1] in self.lists:
                self._imply(name[1])

    def _show_list(self, anchor: str, record: ReadingList | None) -> None:
        before = self.lists.get(anchor)
        for key in before.papers if before else ():
            self._anchors_of[key].remove(anchor)
        if record is None:
            self.lists.pop(anchor, None)
            if anchor in self._implied:
                self._implied.remove(anchor)
                del self.papers[anchor]
            return
        self.lists[anchor] = record
        if anchor not in self.papers:
            self._imply(anchor)
        for key in record.papers:
            self._anchors_of.setdefault(key, []).append(anchor)

    def _imply(self, anchor: str) -> None:
        """A list outlives the line of its anchor: what is lost is the anchor's title alone."""
        self.papers[anchor] = Paper(anchor, source=self.lists[anchor].source)
        self._implied.add(anchor)

    def _take_in(self, lines: Iterable[bytes]) -> set[str]:
        touched: set[str] = set()
        self.__dict__.pop("identity", None)
        for line in lines:
            self._lines += 1
            if not line.strip():
                continue
            try:
                name, record = _parse(line)
            except UNREADABLE:
                self._damaged.append(self._lines)
                continue
            self._show(name, record)
            touched.update(record.papers if isinstance(record, ReadingList) else [name[1]])
        return touched


def _name(record: Record) -> Name:
    return ("paper", record.key) if isinstance(record, Paper) else ("list", record.anchor)


def _line(record: Record | None, name: Name) -> bytes:
    kind, key = name
    gone = {"key" if kind == "paper" else "list": key, "gone": True}
    stored = gone if record is None else _to_json(record)
    return json.dumps(stored, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"


def _parse(line: bytes) -> tuple[Name, Record | None]:
    """Return what a line is about and what it says; None takes away."""
    stored = json.loads(line)
    kind, key = ("list", stored["list"]) if "list" in stored else ("paper", stored["key"])
    if not key or not isinstance(key, str | int):
        raise TypeError("its key is none")
    name = kind, str(key)
    return name, None if stored.get("gone") is True else _from_json(stored)


def states_of(lines: Iterable[bytes], names: Set[Name] | None = None) -> dict[Name, Record | None]:
    """Return what lines say last of each thing, or of some."""
    states: dict[Name, Record | None] = {}
    for line in lines:
        try:
            name, record = _parse(line)
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
        if not isinstance(stored["papers"], list):
            raise TypeError("its papers are no list")
        papers = tuple(map(str, stored["papers"]))
        return ReadingList(str(stored["list"]), papers, _optional(stored, "source"))
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
