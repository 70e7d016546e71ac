"""What the reader did: status, stars, tags and notes, in TinyDB. The reader's own work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tinydb import TinyDB

from .journal import Document, JournalStorage, JournalTable
from .paper import Mark, Status
from .text import clean_line, clean_note, fold

MOST_TAG = 64
"""Characters of a tag at most."""

CONFLICT = "\n\n---- also written elsewhere ----\n\n"
"""Stands between two texts of a note that were written at the same time."""


@dataclass(frozen=True, slots=True)
class Change:
    """What to do to a mark; None leaves as it is."""

    status: Status | None = None
    starred: bool | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()

    def applied(self, mark: Document) -> Document:
        """Return a mark's document after the change."""
        after = dict(mark)
        if self.status is not None:
            after["status"] = self.status.value
        if self.starred is not None:
            after["starred"] = self.starred
        before = list(mark.get("tags") or ())
        tags: dict[str, str] = {}
        for tag in (*before, *map(clean_tag, self.add_tags)):
            tags.setdefault(fold(tag), tag)
        removed = {"", *(fold(clean_tag(tag)) for tag in self.remove_tags)}
        kept = [tag for name, tag in tags.items() if name not in removed]
        if kept != before:
            after["tags"] = kept
        return after

    def shown_on(self, mark: Mark) -> Mark:
        """Return a mark after the change, as it will be once stored."""
        tags = self.applied({"tags": list(mark.tags)}).get("tags", ())
        return replace(
            mark,
            status=self.status or mark.status,
            starred=mark.starred if self.starred is None else self.starred,
            tags=tuple(tags),
        )


def clean_tag(tag: str) -> str:
    """Return a tag in its one spelling: no `#` in front, no comma behind, blanks as hyphens."""
    return clean_line(tag).lstrip("#").strip(" ,;").replace(" ", "-")[:MOST_TAG]


class Marks:
    """Marks and notes by a paper's key. Callers hold the library's lock while writing."""

    def __init__(self, path: Path, *, may_rename: bool = True) -> None:
        self._database = _Database(path, storage=JournalStorage, may_rename=may_rename)
        storage = self._database.storage
        assert isinstance(storage, JournalStorage)
        self._storage = storage
        marks, notes = self._database.table("marks"), self._database.table("notes")
        assert isinstance(marks, JournalTable)
        assert isinstance(notes, JournalTable)
        self._marks, self._notes = marks, notes

    @property
    def notices(self) -> list[str]:
        """What was found damaged, a sentence each."""
        return self._storage.notices

    def close(self) -> None:
        """Close the files; everything is stored already."""
        self._database.close()

    def compact(self) -> None:
        """Fold the journal into `marks.json`, if there is anything in it."""
        if self._storage.journal_bytes:
            self._storage.compact()

    def poll(self) -> set[str]:
        """Take in another program's writes and return the keys they concern."""
        return set().union(*self._storage.poll().values())

    def mark(self, key: str) -> Mark:
        """Return the mark of a paper."""
        document = self._storage.table("marks").get(key)
        if not document:
            return Mark()
        try:
            status = Status(document.get("status", "unread"))
        except ValueError:  # a status that a newer version knows
            status = Status.UNREAD
        return Mark(
            status=status,
            starred=bool(document.get("starred")),
            tags=tuple(str(tag) for tag in document.get("tags") or ()),
            changed=document.get("changed"),
        )

    def note(self, key: str) -> str:
        """Return the note on a paper, empty where there is none."""
        document = self._storage.table("notes").get(key)
        return str(document.get("text", "")) if document else ""

    def marked(self) -> Iterable[str]:
        """Return the keys that have a mark."""
        return self._storage.table("marks").keys()

    def noted(self) -> Iterable[str]:
        """Return the keys that have a note."""
        return self._storage.table("notes").keys()

    def change(
        self, changes: Mapping[str, Change], now: str, notes: Mapping[str, str] | None = None
    ) -> None:
        """Apply changes to papers' marks, and put notes in place, all in one write.

        Raises:
            OSError: Nothing of it is stored.
        """
        documents: dict[str, Document | None] = {}
        known = self._storage.table("marks")
        for key, change in changes.items():
            before = known.get(key, {})
            after = change.applied(before)
            if after != before:
                documents[key] = {**after, "changed": now}
        texts: dict[str, Document | None] = {
            key: {"text": clean_note(text), "changed": now} for key, text in (notes or {}).items()
        }
        wanted = {"marks": documents, "notes": texts}
        if tables := {name: table for name, table in wanted.items() if table}:
            self._storage.append(tables)

    def write_note(self, key: str, text: str, now: str, base: str | None = None) -> str:
        """Store a note and return it as it stands now.

        Args:
            key: The paper.
            text: The new text; an empty one removes the note.
            now: The time.
            base: The text that the writer started from, if known. Where the note was changed
                elsewhere since, both texts are kept.

        Raises:
            OSError: Nothing of it is stored.
        """
        text = clean_note(text)
        current = self.note(key)
        if base is not None and current not in (base, text, "") and not text.startswith(current):
            text = current + CONFLICT + text if text.strip() else current
        if text == current:
            return current
        document: dict[str, Any] | None = {"text": text, "changed": now} if text.strip() else None
        self._notes.put({key: document})
        return text if document else ""


class _Database(TinyDB):
    table_class = JournalTable
