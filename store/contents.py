"""What the lines of `papers.jsonl` say together, taken in one after the other.

Papers are not kept but read again by where their lines stand; what is small of each is in
columns. These can be stored, so that opening again reads only the lines that came since.
"""

from __future__ import annotations

import errno
import json
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from pathlib import Path

from .columns import Columns, blake2b, digest_of
from .files import UNREADABLE, GrowingFile
from .lines import Name, Record, line_of, parse
from .paper import Paper, ReadingList
from .sidecar import BadSidecarError, Sidecar, write_sidecar

_AT_HAND = 2048
"""How many papers are kept that were read last; of a smaller library all are, from the beginning,
so that nothing has to be read again."""

_PIECE = 1 << 22
"""About how many bytes of the file are taken in at a time."""

_WORTH_PAPERS = 1000
"""The columns of no more papers than this are never stored: reading all lines is as quick."""

_WORTH_LINES = 500
"""As many lines more than the stored columns cover are read again without harm."""

_TICK = 2_000_000_000
"""A file written to less than this long, in nanoseconds, before the columns were stored may have
been written to afterwards without its time telling so."""


class Contents:
    """Papers by key and reading lists by their anchor's key, in the order they came.

    Args:
        path: The file.
        columns_path: Where columns may be stored, if anywhere.
        trusting: Whether to take the file for what it was where its size, time and place on the
            disk are the same; otherwise all of it is read and compared.
        version: Where the version of the columns begins.

    Raises:
        OSError: The file is there and cannot be read.
    """

    def __init__(
        self, path: Path, columns_path: Path | None, *, trusting: bool, version: int = 0
    ) -> None:
        self.file = GrowingFile(path, torn_counts=True)
        self.columns = Columns(version)
        self.lists: dict[str, ReadingList] = {}
        self.damaged: list[int] = []
        """The numbers of the lines that cannot be read, counted from 1."""
        self.is_stale = False
        """Whether the file is known to say something else, so that it has to be read anew."""
        self._lines = 0
        self._torn = b""
        self._renewed: dict[str, None] = {}  # anchors, the list that came or changed last at last
        self._anchors_of: dict[str, list[str]] | None = None
        self._implied: set[str] = set()
        self._staged: dict[str, Paper] = {}
        self._at_hand: OrderedDict[int, Paper] = OrderedDict()
        self._columns_path = columns_path
        self._sidecar: Sidecar | None = None
        self._covered = 0  # lines that the stored columns cover
        self._must_keep = True
        self._pieces: list[tuple[int, str]] = []  # where each ends, and a digest of it
        self._digest = blake2b()  # of what follows them
        try:
            if not self._resume(trusting=trusting):
                self.file.start()
            while True:
                start = self.file.size
                lines, torn = self.file.read_on(_PIECE)
                if not lines:
                    break
                self.take_in(lines, start)
            if torn:
                self._torn = torn
                self._take_line(torn, start, self._lines + 1)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the files."""
        self.file.close()
        if self._sidecar:
            self._sidecar.close()

    # Reading

    def paper_at(self, number: int) -> Paper:
        """Return the paper that has a number.

        Raises:
            KeyError: No paper has it.
            OSError: Its line cannot be read, or is not what it was.
        """
        columns = self.columns
        key = columns.keys[number] if 0 <= number < len(columns) else ""
        if not key:
            raise KeyError(number)
        if (staged := self._staged.get(key)) is not None:
            return staged
        if key in self._implied:
            return Paper(key, source=self.lists[key].source)
        at = columns.offsets[number]
        if (known := self._at_hand.get(at)) is not None:
            self._at_hand.move_to_end(at)
            return known
        line = self.file.read(at, columns.lengths[number])
        try:
            _, paper = parse(line) if digest_of(line) == columns.digests[number] else (None, None)
        except UNREADABLE:  # such as one so deep that it could be read only from nearer the ground
            paper = None
        if not isinstance(paper, Paper):
            self.is_stale = True
            raise OSError(errno.EIO, "it was changed by another program", str(self.file.path))
        self._at_hand[at] = paper
        if len(self._at_hand) > _AT_HAND:
            self._at_hand.popitem(last=False)
        return paper

    def anchors_of(self, key: str) -> tuple[str, ...]:
        """Return the anchors in whose reading lists a paper stands."""
        if self._anchors_of is None:
            self._anchors_of = {}
            for anchor in self._renewed:
                for paper in self.lists[anchor].papers:
                    self._anchors_of.setdefault(paper, []).append(anchor)
        return tuple(self._anchors_of.get(key, ()))

    # Taking in

    def take_in(self, lines: Sequence[bytes], start: int) -> set[str]:
        """Take in whole lines that begin at a place, and return the keys they concern."""
        touched: set[str] = set()
        self._digest.update(b"\n".join([*lines, b""]))
        for line in lines:
            self._lines += 1
            touched.update(self._take_line(line, start, self._lines))
            start += len(line) + 1
        return touched

    def _take_line(self, line: bytes, at: int, number: int) -> Iterable[str]:
        if not line or line.isspace():
            return ()
        try:
            name, record = parse(line)
        except UNREADABLE:
            self.damaged.append(number)
            return ()
        self._show(name, record)
        if isinstance(record, Paper):
            paper = self.columns.number(record.key)
            self._forget(paper)
            self.columns.place(paper, at, line)
            if len(self._at_hand) < _AT_HAND:
                self._at_hand[at] = record
        return record.papers if isinstance(record, ReadingList) else (name[1],)

    def poll(self) -> set[str] | None:
        """Take in what another program wrote and return the keys it concerns.

        Returns:
            None where the whole file has to be read anew.

        Raises:
            OSError: The file is gone or cannot be read; what was read of it before still holds.
        """
        if self.is_stale:
            self.file.path.stat()  # a file that is gone is no empty one
            return None
        start = self.file.size
        lines = self.file.poll()
        if lines and self._torn:  # which was taken in when it had no end yet
            if lines[0] != self._torn:
                lines = None
            else:
                self._close_off()
                start += len(lines.pop(0)) + 1
        if lines is None:
            self.is_stale = True
            return None
        return self.take_in(lines, start)

    def _close_off(self) -> None:
        self._digest.update(self._torn + b"\n")
        self._lines += 1
        self._torn = b""

    def stage(self, name: Name, record: Record | None) -> None:
        """Show a record, or that there is none, that is not in the file yet."""
        self._show(name, record)
        if isinstance(record, Paper):
            self._staged[record.key] = record

    def store(self, changes: Sequence[tuple[Name, Record | None]]) -> tuple[int, bytes]:
        """Write what was staged; the caller holds the library's lock.

        Returns:
            Where the lines begin, and the lines.

        Raises:
            OSError: Nothing of it is stored.
        """
        lines = [line_of(record, name) for name, record in changes]
        data, before = b"".join(lines), self.file.size
        at = start = self.file.append(data)
        self._look_between(before, start)
        last = {name: index for index, (name, _) in enumerate(changes)}
        for index, (line, (name, record)) in enumerate(zip(lines, changes, strict=True)):
            self._lines += 1
            self._digest.update(line)
            if record is not None and last[name] == index:  # what is gone is so since it was staged
                self._take_line(line[:-1], at, self._lines)
            at += len(line)
        return start, data

    def _look_between(self, before: int, start: int) -> None:
        """See to what lay behind the lines read when others were appended: a line without end."""
        try:
            between = self.file.read(before, start - before) if start > before else b""
        except OSError:
            between = b"?"
        if between != (self._torn + b"\n" if self._torn else b""):
            self.is_stale = True
        if self._torn:
            self._close_off()

    def _show(self, name: Name, record: Record | None) -> None:
        if isinstance(record, Paper):
            self._implied.discard(record.key)
            self._staged.pop(record.key, None)
            self.columns.show(record)
        elif name[0] == "list":
            self._show_list(name[1], record)
        else:
            self._take_away(name[1])

    def _take_away(self, key: str) -> None:
        self._staged.pop(key, None)
        if key in self.columns:
            self._forget(self.columns.number(key))
            self.columns.take_away(key)
        if key in self.lists:
            self._imply(key)

    def _show_list(self, anchor: str, record: ReadingList | None) -> None:
        self._anchors_of = None
        self._renewed.pop(anchor, None)
        self.columns.version += 1
        if record is None:
            self.lists.pop(anchor, None)
            if anchor in self._implied:
                self._implied.remove(anchor)
                self.columns.take_away(anchor)
            return
        self.lists[anchor] = record
        self._renewed[anchor] = None
        if anchor not in self.columns:
            self._imply(anchor)

    def _imply(self, anchor: str) -> None:
        """A list outlives the line of its anchor: what is lost is the anchor's title alone."""
        self.columns.show(Paper(anchor))
        self._implied.add(anchor)

    def _forget(self, number: int) -> None:
        if self.columns.lengths[number]:
            self._at_hand.pop(self.columns.offsets[number], None)

    # Storing columns

    def keep_columns(self) -> None:
        """Store the columns, where that is worth it and nothing is staged.

        That they cannot be stored is no failure: they are made anew then.
        """
        uncovered = self._lines - self._covered
        if (
            not self._columns_path
            or self.columns.count <= _WORTH_PAPERS
            or not (self._must_keep or uncovered > _WORTH_LINES)
            or self._torn
            or self.is_stale
        ):
            return
        size, pieces = self.file.size, list(self._pieces)
        if not pieces or size > pieces[-1][0]:
            pieces.append((size, self._digest.hexdigest()))
        try:
            stamp = self.file.stamp
            if stamp is None or stamp[2] != size:
                return  # a line is being written
            if not self._holds(pieces):
                self.is_stale = True
                return
            if self.file.stamp != stamp:
                return
            lists = [[one.anchor, one.source, one.papers] for one in self.lists.values()]
            facts = {
                "count": len(self.columns),
                "size": size,
                "stamp": stamp,
                "pieces": pieces,
                "lines": self._lines,
                "damaged": self.damaged,
                "renewed": list(self._renewed),
                "implied": sorted(self._implied),
            }
            sections = self.columns.sections()
            sections |= {"last": self.file.last, "lists": json.dumps(lists).encode()}
            write_sidecar(self._columns_path, facts, sections)
        except (OSError, ValueError):
            return
        self._pieces, self._digest = pieces, blake2b()
        self._covered, self._must_keep = self._lines, False
        if self._sidecar:  # everything in it has been read by now
            self._sidecar.close()
            self._sidecar = None

    def _holds(self, pieces: Iterable[tuple[int, str]]) -> bool:
        """Tell whether the file still has what was read of it."""
        at = 0
        for end, told in pieces:
            digest = blake2b()
            while at < end and (chunk := self.file.read(at, min(1 << 20, end - at))):
                digest.update(chunk)
                at += len(chunk)
            if digest.hexdigest() != told:
                return False
        return True

    def _resume(self, *, trusting: bool) -> bool:
        """Begin with the stored columns, and tell whether they are what the file says."""
        if not self._columns_path:
            return False
        try:
            sidecar = Sidecar(self._columns_path)
        except BadSidecarError:
            return False
        try:
            self._take_stored(sidecar, trusting=trusting)
        except (OSError, *UNREADABLE):
            sidecar.close()
            return False
        self._sidecar = sidecar
        return True

    def _take_stored(self, sidecar: Sidecar, *, trusting: bool) -> None:
        facts = sidecar.facts
        pieces = [(int(end), str(digest)) for end, digest in facts["pieces"]]
        if not self.file.start(facts["size"], sidecar.section("last")):
            raise BadSidecarError("it is about another file")
        stamp = self.file.stamp
        is_same = (
            trusting
            and stamp is not None
            and list(stamp) == facts["stamp"]
            and stamp[1] < sidecar.written - _TICK
        )
        if not is_same and not self._holds(pieces):
            raise BadSidecarError("it is about another file")
        columns = Columns(self.columns.version + 1)
        columns.load(facts["count"], sidecar.section, self.paper_at)
        lists = {
            anchor: ReadingList(anchor, tuple(papers), source)
            for anchor, source, papers in json.loads(sidecar.section("lists"))
        }
        implied, renewed = set(facts["implied"]), dict.fromkeys(facts["renewed"])
        self.damaged, self._lines = list(facts["damaged"]), facts["lines"]
        self.columns, self.lists, self._implied, self._renewed = columns, lists, implied, renewed
        self._covered, self._must_keep, self._pieces = self._lines, not is_same, pieces
