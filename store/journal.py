"""TinyDB on files that survive a crash: a snapshot, and a journal of the changes since.

`marks.json` is what plain TinyDB would have written, `marks.journal` holds one line a change:
a checksum, then `{"seq": number, "set": {table: {id: document or null}}}`. Opening is snapshot
plus replay. A line counts once it is synced to the disk; lines that the snapshot already holds
are recognised by their number. Whenever the snapshot is written, a copy of it is kept; a snapshot
that is damaged later loses nothing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from tinydb.storages import Storage
from tinydb.table import Table

from .copies import Copies
from .files import (
    UNREADABLE,
    GrowingFile,
    Stamp,
    keep_aside,
    read_file,
    reason,
    replace_file,
    stamp,
)
from .snapshot import Document, Snapshot, Tables, decode, encode, take_strange_fields

Changes = Mapping[str, Mapping[str, Document | None]]
"""New documents by table and id; None removes one."""

COMPACT_BYTES = 1 << 18
"""A journal longer than this, and than a quarter of the snapshot, is folded into it; any, when a
copy is due."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _line(record: object) -> bytes:
    body = _encode(record).encode("utf-8", "backslashreplace")
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _parse(line: bytes) -> tuple[int, dict[str, dict[str, Document | None]]] | None:
    """Return a line's number and changes, or None where it is damaged."""
    checksum, _, body = line.partition(b" ")
    try:
        if int(checksum, 16) != zlib.crc32(body):
            return None
        record = json.loads(body)
        seq, changes = record["seq"], record["set"]
        if not isinstance(seq, int) or not _is_changes(changes) or take_strange_fields(changes):
            return None
        return seq, changes
    except UNREADABLE:
        return None


def _is_changes(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(documents, dict)
        and all(document is None or isinstance(document, dict) for document in documents.values())
        for documents in value.values()
    )


class JournalStorage(Storage):
    """A TinyDB storage whose every change costs one short synced line.

    Args:
        path: The snapshot; the journal lies beside it.
        copies: Where copies of the snapshot are kept, if they are.

    Raises:
        OSError: A file is there and cannot be read.
    """

    def __init__(self, path: Path, *, copies: Copies | None = None) -> None:
        self._path = path
        self._copies = copies
        self._journal = GrowingFile(path.with_suffix(".journal"), torn_counts=False)
        self._tables: Tables = {}
        self._seq = 0
        self._snapshot_bytes = 0
        self._snapshot_stamp: Stamp = None
        self._bad_snapshot = self._bad_journal = self._rewrite = False
        self._torn = 0
        self._notices: dict[str, None] = {}
        self.load()

    @property
    def notices(self) -> list[str]:
        """What was found damaged, a sentence each."""
        return list(self._notices)

    def load(self) -> None:
        """Read journal and snapshot anew.

        In this order: changes that are folded meanwhile are in the snapshot then, and known by
        their numbers.

        Raises:
            OSError: A file is there and cannot be read.
        """
        lines, torn = self._journal.load()
        try:
            self._tables, self._seq = self._read_snapshot()
        except OSError:
            self._journal.close()  # so that the next poll loads again
            raise
        is_empty = self._journal.is_there and not (self._journal.size or torn)
        if is_empty and not (self._snapshot_stamp or self._bad_snapshot):
            self._bad_snapshot = True  # the journal is emptied only once there is a snapshot
            self._tell(f"{self._path} is missing, and there is no copy of it.")
        self._torn, self._bad_journal = len(torn), False
        self._replay(lines)

    def read(self) -> dict[str, dict[str, Any]] | None:
        """Return all tables; TinyDB's own tables copy what they change."""
        return dict(self._tables) or None

    def write(self, data: dict[str, dict[str, Any]]) -> None:
        """Replace all tables at once, as TinyDB asks when tables are dropped."""
        self._tables = {name: {str(key): dict(doc) for key, doc in table.items()}
                        for name, table in data.items()}  # fmt: skip
        self.compact()

    def close(self) -> None:
        """Close the files; nothing waits to be written."""
        self._journal.close()

    def table(self, name: str) -> dict[str, Document]:
        """Return the live documents of a table by id. Not to be changed by the caller."""
        return self._tables.get(name, {})

    @property
    def seq(self) -> int:
        """The number of the last change."""
        return self._seq

    def renumber(self, seq: int) -> None:
        """Go on from another number; to be followed by `compact`."""
        self._seq, self._rewrite = seq, True

    @property
    def is_damaged(self) -> bool:
        """Whether a file is not as it should be; `compact` mends it."""
        return self._bad_snapshot or self._bad_journal or self._torn > 0

    @property
    def is_folded(self) -> bool:
        """Whether the snapshot alone holds everything, and is as it should be."""
        return not (self._journal.size or self._rewrite or self.is_damaged)

    def poll(self) -> dict[str, set[str]]:
        """Take in what another program wrote.

        Returns:
            The ids that may have changed, by table.

        Raises:
            OSError: The files cannot be read; what was read of them before still holds.
        """
        is_same = stamp(self._path) == self._snapshot_stamp
        try:
            lines = self._journal.poll() if is_same else None
        except FileNotFoundError:
            if not self._path.exists():  # so it is the folder that is gone, or all in it
                raise
            self._journal.close()
            self._rewrite = True
            self._tell(f"{self._journal.path} is gone; what it held is written anew.")
            return {}
        if lines is not None:
            if self._torn:
                self._look_at_end()
            return self._replay(lines)
        before, seq = self._tables, self._seq
        self.load()
        if self._seq < seq:  # no program goes back: what is there now is less than was stored
            self._tables, self._seq, self._rewrite = before, seq, True
            self._tell(f"{self._path} or its journal was cut or replaced; it is written anew.")
            return {}
        changed: dict[str, set[str]] = {}
        for name in before.keys() | self._tables.keys():
            old, new = before.get(name, {}), self._tables.get(name, {})
            changed[name] = {id_ for id_ in old.keys() | new.keys() if old.get(id_) != new.get(id_)}
        return changed

    def append(self, changes: Changes) -> None:
        """Store changes durably, all of them or none; the caller holds the lock and has polled.

        Raises:
            OSError: Nothing of it counts as stored.
        """
        line = _line({"seq": self._seq + 1, "set": changes})
        if self._rewrite:
            self.compact()
        elif self._is_long():
            with suppress(OSError):  # a longer journal is no harm
                self.compact()
        try:
            self._journal.append(line)
        except OSError:
            # What reached the disk is unknown after a failed sync: the next write starts afresh.
            self._rewrite = True
            raise
        if cut_off := self._journal.cut_off:
            self._torn = 0
            self._tell_torn()
            self._tell(f"{self._journal.path} had an end that is kept as {cut_off.name}.")
        self._seq += 1
        self._apply(changes)

    def _is_long(self) -> bool:
        if self._journal.size > max(COMPACT_BYTES, self._snapshot_bytes // 4):
            return True
        return self._copies is not None and self._copies.is_due and self._journal.size > 0

    def compact(self) -> None:
        """Fold the journal into the snapshot; the caller holds the lock and has polled.

        Raises:
            OSError: The files before are still in place and whole.
        """
        data = encode(self._tables, self._seq)
        if self._bad_snapshot:
            self._keep_aside(self._path)
        replace_file(self._path, data)
        self._snapshot_stamp = stamp(self._path)
        self._snapshot_bytes, self._bad_snapshot = len(data), False
        if self._copies:
            try:
                self._copies.keep(data)
            except OSError as error:
                self._tell(f"No copy of {self._path} could be kept: {reason(error)}.")
        journal = self._journal.path
        if self._journal.tail:
            self._tell_torn()
        if self._bad_journal or self._journal.tail:
            self._keep_aside(journal)
        try:
            replace_file(journal, b"")
        finally:
            self._journal.load()  # a failed sync may have left either file under the name
        self._bad_journal = self._rewrite = False
        self._torn = 0

    def _look_at_end(self) -> None:
        """Tell of an unfinished line: one that is as it was before is not being written now."""
        before, self._torn = self._torn, self._journal.tail
        if self._torn and self._torn == before:
            self._tell_torn()

    def _tell_torn(self) -> None:
        self._tell(f"{self._journal.path}: an unfinished entry was passed over.")

    def _keep_aside(self, path: Path) -> None:
        """Keep a damaged file under another name before it is replaced."""
        with suppress(FileNotFoundError):
            aside = keep_aside(path, read_file(path))
            self._tell(f"{path} as it was is kept as {aside.name}.")

    def _tell(self, sentence: str) -> None:
        self._notices[sentence] = None

    def _read_snapshot(self) -> tuple[Tables, int]:
        """Return the tables, from the last good copy where the snapshot is not as it should be."""
        self._bad_snapshot = False
        self._snapshot_stamp = stamp(self._path)
        try:
            data = read_file(self._path)
        except FileNotFoundError:
            found, what = Snapshot({}, 0), f"{self._path} is missing"
        else:
            self._snapshot_bytes = len(data)
            found = decode(data)
            if not found.problem:
                return found.tables, found.seq
            self._bad_snapshot, what = True, f"{self._path} is damaged ({found.problem})"
        copies = self._copies.good() if self._copies else ()
        copy, kept = max(copies, key=lambda one: one[1].seq, default=(None, None))
        if copy and kept:
            self._bad_snapshot = True
            if kept.seq >= found.seq:
                self._tell(f"{what}; its copy of {copy.when} and its journal are used instead.")
                return kept.tables, kept.seq
            self._tell(f"{what}; what could be read of it is used, and its copy of {copy.when}.")
            return _laid_over(kept, found), found.seq
        if self._bad_snapshot:
            self._tell(f"{what}; what could be read of it and of its journal is used.")
        return found.tables, found.seq

    def _replay(self, lines: list[bytes]) -> dict[str, set[str]]:
        changed: dict[str, set[str]] = {}
        damaged = missing = 0
        for line in lines:
            if not line:
                continue
            record = _parse(line)
            if record is None:
                damaged += 1
                continue
            seq, changes = record
            if seq > self._seq:
                missing += seq - self._seq - 1
                self._seq = seq
                self._apply(changes)
                for name, documents in changes.items():
                    changed.setdefault(name, set()).update(documents)
        self._bad_journal |= damaged > 0
        missing -= damaged
        if damaged:
            self._tell(
                f"{self._journal.path}: {damaged} damaged "
                f"{'entry was' if damaged == 1 else 'entries were'} passed over."
            )
        if missing > 0:
            self._tell(
                f"{missing} {'change' if missing == 1 else 'changes'} from before "
                f"{self._journal.path} {'is' if missing == 1 else 'are'} in no file any more."
            )
        return changed

    def _apply(self, changes: Changes) -> None:
        for name, documents in changes.items():
            table = self._tables.setdefault(name, {})
            for id_, document in documents.items():
                if document is None:
                    table.pop(id_, None)
                else:
                    table[id_] = document


def _laid_over(older: Snapshot, newer: Snapshot) -> Tables:
    """Return what two snapshots hold; of a document that is in both, the newer state."""
    tables = {name: dict(documents) for name, documents in older.tables.items()}
    for name, documents in newer.tables.items():
        known = tables.setdefault(name, {})
        known.update({id_: document for id_, document in documents.items() if document})
    return tables


class JournalTable(Table):
    """A TinyDB table with text ids whose changes go to the journal one by one."""

    document_id_class = str  # type: ignore[assignment]

    def _read_table(self) -> dict[str, Mapping[Any, Any]]:
        storage = self._storage
        assert isinstance(storage, JournalStorage)
        return dict(storage.table(self.name))

    def _update_table(self, updater: Callable[[dict[Any, Any]], None]) -> None:
        """Let TinyDB change a copy, and store what is different in it afterwards."""
        before = self._read_table()
        after = {id_: dict(document) for id_, document in before.items()}
        updater(after)
        self.put(
            {
                id_: after.get(id_)
                for id_ in before.keys() | after.keys()
                if before.get(id_) != after.get(id_)
            }
        )

    def put(self, documents: Mapping[str, Document | None]) -> None:
        """Store documents by id, or remove those that are None, at a cost of their size alone.

        Raises:
            OSError: Nothing of it counts as stored.
        """
        storage = self._storage
        assert isinstance(storage, JournalStorage)
        if documents:
            storage.append({self.name: documents})
            self.clear_cache()
