"""TinyDB on files that survive a crash: a snapshot, and a journal of the changes since.

`marks.json` is what plain TinyDB would have written, `marks.journal` holds one line a change:
a checksum, then `{"seq": number, "set": {table: {id: document or null}}}`. Opening is snapshot
plus replay. A line counts once it is synced to the disk; lines that the snapshot already holds
are recognised by their number.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tinydb.storages import Storage
from tinydb.table import Table

from .files import UNREADABLE, GrowingFile, replace_file, set_aside

Document = dict[str, Any]
Changes = Mapping[str, Mapping[str, Document | None]]
"""New documents by table and id; None removes one."""

COMPACT_BYTES = 1 << 18
"""A journal longer than this is folded into the snapshot."""

_META = "_journal"


def _encode(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _line(record: object) -> bytes:
    body = _encode(record)
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _parse(line: bytes) -> tuple[int, dict[str, dict[str, Document | None]]] | None:
    """Return a line's number and changes, or None where it is damaged."""
    checksum, _, body = line.partition(b" ")
    try:
        if int(checksum, 16) != zlib.crc32(body):
            return None
        record = json.loads(body)
        seq, changes = record["seq"], record["set"]
        if not isinstance(seq, int) or not _is_changes(changes):
            return None
        return seq, changes
    except (ValueError, KeyError, TypeError, RecursionError):
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
        may_rename: Whether a damaged snapshot may be set aside.

    Raises:
        OSError: A file is there and cannot be read.
    """

    def __init__(self, path: Path, *, may_rename: bool = True) -> None:
        self._path = path
        self._may_rename = may_rename
        self._journal = GrowingFile(path.with_suffix(".journal"), torn_counts=False)
        self._tables: dict[str, dict[str, Document]] = {}
        self._seq = 0
        self._rewrite = False
        self._damaged = 0
        self.notices: list[str] = []
        """What was found damaged, a sentence each."""
        self.load()

    def load(self) -> None:
        """Read snapshot and journal anew."""
        self._tables, self._seq = self._read_snapshot()
        lines, torn = self._journal.load()
        self._replay(lines, closing=torn)

    def read(self) -> dict[str, dict[str, Any]] | None:
        """Return all tables; TinyDB's own tables copy what they change."""
        tables = {name: table for name, table in self._tables.items() if name != _META}
        return tables or None

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
    def journal_bytes(self) -> int:
        """Length of the journal."""
        return self._journal.size

    def poll(self) -> dict[str, set[str]]:
        """Take in what another program wrote.

        Returns:
            The ids that may have changed, by table.
        """
        lines = self._journal.poll()
        if lines is not None:
            return self._replay(lines)
        before = self._tables
        self.load()
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
        if self._rewrite or self._journal.size > COMPACT_BYTES:
            self.compact()
        try:
            self._journal.append(line)
        except OSError:
            # What reached the disk is unknown after a failed sync: the next write starts afresh.
            self._rewrite = True
            raise
        self._seq += 1
        self._apply(changes)

    def compact(self) -> None:
        """Fold the journal into the snapshot; the caller holds the lock and has polled.

        Raises:
            OSError: The files before are still in place and whole.
        """
        snapshot = {**self._tables, _META: {"1": {"seq": self._seq}}}
        replace_file(self._path, json.dumps(snapshot, ensure_ascii=False, indent=1).encode())
        if self._damaged:
            set_aside(self._journal.path)
            self._damaged = 0
        replace_file(self._journal.path, b"")
        self._journal.load()
        self._rewrite = False

    def _read_snapshot(self) -> tuple[dict[str, dict[str, Document]], int]:
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return {}, 0
        try:
            tables = json.loads(data)
            seq = int(tables.pop(_META, {"1": {"seq": 0}})["1"]["seq"])
            if not _is_changes(tables):
                raise TypeError("a document is not an object")
            return {name: dict(table) for name, table in tables.items()}, seq
        except (*UNREADABLE, AttributeError) as error:
            done = f" and was set aside as {set_aside(self._path).name}" if self._may_rename else ""
            self.notices.append(
                f"{self._path} is damaged ({error}){done}; what its journal holds was kept."
            )
            return {}, 0

    def _replay(self, lines: list[bytes], closing: bytes = b"") -> dict[str, set[str]]:
        changed: dict[str, set[str]] = {}
        damaged = 0
        for line in lines:
            if not line:
                continue
            record = _parse(line)
            if record is None:
                damaged += 1
                continue
            seq, changes = record
            if seq > self._seq:
                self._seq = seq
                self._apply(changes)
                for name, documents in changes.items():
                    changed.setdefault(name, set()).update(documents)
        self._damaged += damaged
        damaged += bool(closing)
        if damaged:
            self.notices.append(
                f"{self._journal.path}: {damaged} unfinished or damaged "
                f"{'entry was' if damaged == 1 else 'entries were'} passed over."
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
