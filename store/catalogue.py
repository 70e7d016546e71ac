"""The papers and reading lists of a library: `papers.jsonl` and what is looked up in it."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from .columns import Columns
from .contents import Contents
from .errors import CannotUndoError
from .files import keep_aside, read_file, replace_file
from .lines import Name, Record, line_of, name_of, states_of
from .paper import Paper, ReadingList
from .sidecar import Sidecar, write_sidecar
from .text import clean_line

if TYPE_CHECKING:
    from .known import KnownPapers


_WORTH_PAPERS = 1000
"""What fewer papers than this are known by is found out anew each time."""


class Span(NamedTuple):
    """Lines of the file, by the bytes they take, and a checksum to know them again by."""

    start: int
    end: int
    checksum: int


class Papers(Mapping[str, Paper]):
    """Papers by key, in the order they came, each read when it is asked for.

    Getting one raises OSError where its line cannot be read.
    """

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def __getitem__(self, key: str) -> Paper:
        return self._contents.paper_at(self._contents.columns.number(key))

    def __iter__(self) -> Iterator[str]:
        return filter(None, self._contents.columns.keys)

    def __len__(self) -> int:
        return self._contents.columns.count

    def __contains__(self, key: object) -> bool:
        return key in self._contents.columns


class Catalogue:
    """Papers by key and reading lists by their anchor's key, in the order they came.

    The file has one JSON object a line; a later line replaces an earlier one of the same key, and
    one that says `"gone": true` takes it away. Changes are staged first and stored together by
    `commit`. As nothing is ever overwritten, any commit can be taken back.

    Args:
        path: The file.
        columns_path: Where what is known of every paper may be stored, so that a large file opens
            without being read.

    Raises:
        OSError: The file is there and cannot be read.
    """

    def __init__(self, path: Path, columns_path: Path | None = None) -> None:
        self.path = path
        self._columns_path = columns_path
        self._known_path = columns_path and columns_path.with_suffix(".known")
        self._staged: list[tuple[Name, Record | None]] = []
        self._places: dict[Name, int] = {}
        self._contents = Contents(path, columns_path, trusting=True)
        self.papers: Mapping[str, Paper] = Papers(self._contents)
        """Papers by key, each read when it is asked for, where OSError tells that it cannot be."""

    def _load(self) -> None:
        before = self._contents
        before.is_stale = True  # also where this fails; what is known stays then
        version = before.columns.version + 1
        self._contents = Contents(self.path, self._columns_path, trusting=False, version=version)
        self.papers = Papers(self._contents)
        before.close()
        self.__dict__.pop("_known", None)

    def poll(self) -> set[str]:
        """Take in what another program wrote and return the keys it concerns.

        Raises:
            OSError: The file is gone or cannot be read; what was read of it before still holds.
        """
        touched = self._contents.poll()
        if touched is None:
            before = set(self.papers)
            self._load()
            return before.union(self.papers)
        self._know(touched)
        return touched

    @property
    def lists(self) -> dict[str, ReadingList]:
        """Reading lists by their anchor's key, in the order they came. Not to be changed."""
        return self._contents.lists

    @property
    def columns(self) -> Columns:
        """What is known of every paper without reading it."""
        return self._contents.columns

    def paper_at(self, number: int) -> Paper:
        """Return the paper that has a number in the columns.

        Raises:
            KeyError: No paper has it.
            OSError: Its line cannot be read, or is not what it was.
        """
        return self._contents.paper_at(number)

    def keep_columns(self) -> None:
        """Store what is known of every paper, where that is worth it. Takes a while; never fails.

        It is worth it in a large library that has been read without it, or has grown since.
        """
        if not self._staged:
            self._contents.keep_columns()

    @property
    def notices(self) -> list[str]:
        """What was found damaged, a sentence each."""
        damaged = self._contents.damaged
        if not damaged:
            return []
        several = len(damaged) > 1
        numbers = ", ".join(map(str, damaged[:5])) + (" …" if damaged[5:] else "")
        return [
            f"{self.path}: line{'s' if several else ''} {numbers} cannot be read and "
            f"{'were' if several else 'was'} passed over."
        ]

    def close(self) -> None:
        """Close the files."""
        self._contents.close()

    @property
    def known(self) -> KnownPapers:
        """What tells whether a record is a paper that is here already.

        Raises:
            OSError: A paper cannot be read.
        """
        self.get_to_know(None)
        return self._known

    def get_to_know(self, most: int | None) -> bool:
        """Read papers that have to be read to know them again; tell whether that is done.

        Args:
            most: How many; None is all, which takes a while where nothing was stored.

        Raises:
            OSError: A paper cannot be read.
        """
        if "_known" not in self.__dict__ or not self._known.is_complete:
            self._known.read_on(most)
        return self._known.is_complete

    @cached_property
    def _known(self) -> KnownPapers:
        from .known import KnownPapers

        if self._known_path:
            known = KnownPapers(self.columns, self.paper_at)
            with suppress(ValueError), closing(Sidecar(self._known_path)) as sidecar:
                known.load(sidecar)
                return known
        return KnownPapers(self.columns, self.paper_at)

    def keep_known(self) -> None:
        """Store what papers are known by, where that is worth it; never fails."""
        known = self.__dict__.get("_known")
        if not known or not known.is_complete or known.added < _WORTH_PAPERS or self._staged:
            return
        if self._known_path:
            with suppress(OSError):
                write_sidecar(self._known_path, {}, known.sections())
                known.added = 0

    def _know(self, keys: Iterable[str]) -> None:
        if "_known" in self.__dict__:
            self._known.take_in(self.columns.numbers(keys))

    def anchors_of(self, key: str) -> tuple[str, ...]:
        """Return the anchors in whose reading lists a paper stands."""
        return self._contents.anchors_of(key)

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

        key = key or self.known.match(record)
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

    def stage_gone(self, kind: str, key: str) -> None:
        """Take away a "paper", or the "list" of one."""
        self._put(None, (kind, key))

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
        data = read_file(self.path)
        lines = data[span.start : span.end]
        if zlib.crc32(lines) != span.checksum:
            raise CannotUndoError(
                f"{self.path} was changed since; what came in then cannot be taken back."
            )
        after = states_of(lines.split(b"\n"))
        names = after.keys()
        before = dict.fromkeys(names) | states_of(data[: span.start].split(b"\n"), names)
        for name, record in (after if again else before).items():
            self._put(record, name)
        return {key for kind, key in names if kind == "paper"}

    def begin(self) -> None:
        """Store that there is nothing yet; the caller holds the library's lock.

        Raises:
            OSError: It could not be stored.
        """
        self._contents.file.append(b"")

    def commit(self, before: Span | None = None) -> Span | None:
        """Store what was staged, all of it or nothing; the caller holds the library's lock.

        Args:
            before: Lines that were written earlier.

        Returns:
            The lines that were written, if any, together with those before where they follow them.

        Raises:
            OSError: Nothing of it is stored, and none of it is visible any more.
        """
        staged = self._take_staged()
        if not staged:
            return None
        try:
            start, lines = self._contents.store(staged)
        except OSError:
            self._load()
            raise
        if before and before.end == start:
            return Span(before.start, start + len(lines), zlib.crc32(lines, before.checksum))
        return Span(start, start + len(lines), zlib.crc32(lines))

    def _take_staged(self) -> list[tuple[Name, Record | None]]:
        staged, self._staged, self._places = self._staged, [], {}
        return staged

    def drop_staged(self) -> None:
        """Forget what was staged."""
        if self._take_staged():
            self._load()

    def rewrite(self) -> Path | None:
        """Write the file anew without the lines that cannot be read; the caller holds the lock.

        Returns:
            Where the file before is kept; None where every line could be read.

        Raises:
            OSError: The file before is in its place.
        """
        if not self._contents.damaged:
            return None
        records: list[tuple[Name, Record]] = [
            *((("paper", key), paper) for key, paper in self.papers.items()),
            *((("list", anchor), one) for anchor, one in self.lists.items()),
        ]
        lines = b"".join(line_of(record, name) for name, record in records)
        aside = keep_aside(self.path, read_file(self.path))
        try:
            replace_file(self.path, lines)
        finally:
            self._load()  # a failed sync may have left either file under the name
        return aside

    @property
    def size(self) -> int:
        """Length of the file."""
        return self._contents.file.size

    def roll_back(self, size: int) -> None:
        """Take back the lines that were stored last, from a place on; the caller holds the lock.

        Raises:
            OSError: They may still be there.
        """
        self._contents.file.cut_back(size)
        self._load()

    def _put(self, record: Record | None, name: Name | None = None) -> None:
        if record is not None:
            name = name_of(record)
        assert name is not None
        place = self._places.get(name)
        if place is not None and (self._staged[place][1] is None) == (record is None):
            self._staged[place] = name, record
        else:  # what goes and comes back is then behind what came between, as it is when read
            self._places[name] = len(self._staged)
            self._staged.append((name, record))
        self._contents.stage(name, record)
        if isinstance(record, Paper) and "_known" in self.__dict__:
            self._known.add(self.columns.number(record.key), record)
