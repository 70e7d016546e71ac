"""What the reader did: status, stars, tags and notes, in TinyDB. The reader's own work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

from tinydb import TinyDB

from .apart import is_apart, joined_pairs, keys_in, pair_name, pairs_in, stored_pair
from .catalogue import Span
from .change import Change, changed_document, joined_marks, mark_of
from .copies import Copies
from .history import History, Step
from .journal import JournalStorage, JournalTable
from .notes import NoteState, kept_both
from .paper import Mark
from .searches import joined_searches, queries_in, saved
from .snapshot import Document

_Documents = dict[str, Document | None]


class Marks:
    """Marks and notes by a paper's key. Callers hold the library's lock while writing.

    Args:
        path: The file.
        copies: Where its last good copies are kept, if they are.
    """

    def __init__(self, path: Path, copies: Copies | None = None) -> None:
        self._database = _Database(path, storage=JournalStorage, copies=copies)
        storage = self._database.storage
        assert isinstance(storage, JournalStorage)
        self._storage = storage
        self.history = History(lambda: storage.table("history"))

    @property
    def notices(self) -> list[str]:
        """What was found damaged, a sentence each."""
        return self._storage.notices

    @property
    def is_damaged(self) -> bool:
        """Whether a file is not as it should be; `compact` mends it."""
        return self._storage.is_damaged

    def close(self) -> None:
        """Close the files; everything is stored already."""
        self._database.close()

    def compact(self) -> None:
        """Fold the journal into `marks.json`, if there is anything in it.

        Raises:
            OSError: The files before are still in place.
        """
        if not self._storage.is_folded:
            self._storage.compact()

    def poll(self) -> set[str]:
        """Take in another program's writes and return the keys they concern."""
        changed = self._storage.poll()
        return changed.get("marks", set()) | changed.get("notes", set())

    def mark(self, key: str) -> Mark:
        """Return the mark of a paper."""
        return mark_of(self._storage.table("marks").get(key))

    def note(self, key: str) -> str:
        """Return the note on a paper, empty where there is none."""
        note = self._storage.table("notes").get(key)
        text = note.get("text") if note else ""
        return text if isinstance(text, str) else ""

    def note_state(self, key: str) -> NoteState:
        """Return the note on a paper and its earlier texts."""
        table = self._storage.table
        return NoteState.of(table("notes").get(key), table("earlier").get(key))

    def marked(self) -> Iterable[str]:
        """Return the keys that have a mark."""
        return self._storage.table("marks").keys()

    def noted(self) -> Iterable[str]:
        """Return the keys that have a note."""
        return self._storage.table("notes").keys()

    @property
    def searches(self) -> dict[str, str]:
        """The queries of the saved searches by name, in the order of the names."""
        return queries_in(self._storage.table("searches"))

    @property
    def apart(self) -> set[tuple[str, str]]:
        """The pairs of papers that the reader called different, each with its keys in order."""
        return pairs_in(self._storage.table("apart"))

    @property
    def papers_bytes(self) -> int:
        """How long `papers.jsonl` was when it was last written to, as far as is known."""
        size = self._storage.table("library").get("papers", {}).get("bytes")
        return size if isinstance(size, int) else 0

    def accept_papers(self, size: int) -> None:
        """Take `papers.jsonl` for whole as long as it is now.

        Raises:
            OSError: That is not stored.
        """
        self._storage.append({"library": {"papers": {"bytes": size}}})

    def change(
        self,
        what: str,
        now: str,
        changes: Mapping[str, Change],
        notes: Mapping[str, str] | None = None,
        papers: Span | None = None,
    ) -> None:
        """Apply changes to papers' marks, and put notes in place, in one write and one step.

        Args:
            what: What this is, for the reader who undoes it; empty where that is not to be.
            now: The time.
            changes: Changes to marks.
            notes: Texts of notes.
            papers: The lines of `papers.jsonl` that belong to it.

        Raises:
            OSError: Nothing of it is stored.
        """
        marks, back, states = self._changed(changes, notes or {}, now)
        self._store(marks, states, Step(what, now, changes=back, papers=papers))

    def go_on(
        self,
        number: str,
        what: str,
        now: str,
        changes: Mapping[str, Change],
        notes: Mapping[str, str],
        papers: Span | None,
    ) -> str:
        """Do what `change` does, in the step that was done last where that can be.

        Args:
            number: The step's number; empty for a new one.
            what: What both are together.
            now: The time.
            changes: Changes to marks.
            notes: Texts of notes.
            papers: The lines of `papers.jsonl` that belong to both together.

        Returns:
            The number of the step that it is in; empty where it is in none.

        Raises:
            OSError: Nothing of it is stored.
        """
        found = self.history.last_done()
        last = found[1] if found and found[0] == number else None
        joins = (
            last is not None
            and (not papers or not last.papers or papers.start == last.papers.start)
            and last.has_room_for(changes, notes)
        )
        if not last or not joins:
            self.change(what, now, changes, notes, papers)
            found = self.history.last_done()
            return found[0] if found and what else ""
        marks, back, states = self._changed(changes, notes, now)
        step = replace(
            last, what=what, changes={**last.changes, **back}, papers=papers or last.papers
        )
        self._store(marks, states, step, number, papers)
        return number

    def span_of(self, number: str) -> Span | None:
        """Return the lines of `papers.jsonl` that a step wrote, if it was done last."""
        found = self.history.last_done()
        return found[1].papers if found and found[0] == number else None

    def write_note(
        self, key: str, text: str, now: str, base: str | None = None, *, amends: bool = False
    ) -> str:
        """Store a note and return it as it stands now.

        Args:
            key: The paper.
            text: The new text; a blank one removes the note.
            now: The time.
            base: The text that the writer started from, if known. Where the note was changed
                elsewhere since, both texts are kept.
            amends: Whether it goes on from what was stored last, in the same sitting.

        Raises:
            OSError: Nothing of it is stored.
        """
        before = self.note_state(key)
        text = kept_both(before.text, text, base)
        state = before.rewritten(text, now, amends=amends)
        if state.text != before.text:
            last = self.history.last_done() if amends else None
            goes_on = last is not None and tuple(last[1].notes) == (key,) == last[1].keys
            self._store({}, {key: state}, None if goes_on else Step("note", now))
        return state.text

    def write_search(self, name: str, query: str, now: str) -> bool:
        """Save a search, or remove it where the query is empty; tell whether that is any change.

        Raises:
            OSError: Nothing of it is stored.
        """
        if self.searches.get(name, "") == query:
            return False
        what = "saved search" if query else "removal of a saved search"
        self._store({}, {}, Step(what, now), searches=self._searched({name: query}, now))
        return True

    def _searched(self, queries: Mapping[str, str], now: str) -> dict[str, Document]:
        known = self._storage.table("searches")
        return {name: saved(query, known.get(name, {}), now) for name, query in queries.items()}

    def keep_apart(self, first: str, second: str, now: str) -> bool:
        """Call two papers different; tell whether that is any change.

        Raises:
            OSError: Nothing of it is stored.
        """
        name = pair_name(first, second)
        if is_apart(self._storage.table("apart").get(name)):
            return False
        self._store({}, {}, Step("papers kept apart", now), apart=self._kept({name: True}, now))
        return True

    def _kept(self, pairs: Mapping[str, bool], now: str) -> dict[str, Document]:
        known = self._storage.table("apart")
        return {name: stored_pair(one, known.get(name, {}), now) for name, one in pairs.items()}

    def go_back_over(self, number: str, step: Step, now: str, written: Span | None = None) -> None:
        """Put in place what a step holds, and in the step what leads back.

        Args:
            number: The step's number.
            step: The step.
            now: The time.
            written: The lines of `papers.jsonl` that this wrote.

        Raises:
            OSError: Nothing of it is stored.
        """
        marks, back, states = self._changed(step.changes, step.notes, now)
        over = Step(step.what, step.when, not step.undone, back, papers=step.papers)
        searches, apart = self._searched(step.searches, now), self._kept(step.apart, now)
        self._store(marks, states, over, number, written, searches, apart)

    def history_without(self, number: str) -> None:
        """Forget a step.

        Raises:
            OSError: It is still there.
        """
        self._storage.append({"history": {number: None}})

    def join(self, other: Marks, keys: Mapping[str, str], moved: Mapping[str, str], what: str,
             now: str, papers: Span | None) -> set[str]:  # fmt: skip
        """Take in another library's saved searches, and what the reader did to its papers there.

        Of each field the newer counts.

        Args:
            other: The marks of the other library.
            keys: The papers' keys here, by their keys there.
            moved: Keys of papers that other papers take the place of, by these papers' keys.
            what: What this is, for the reader who undoes it.
            now: The time.
            papers: The lines of `papers.jsonl` that belong to it.

        Returns:
            The keys of the papers whose marks or notes are different now.

        Raises:
            OSError: Nothing of it is stored.
        """
        known = self._storage.table("marks")
        sources = chain(
            ((other, *pair) for pair in keys.items()), ((self, *pair) for pair in moved.items())
        )
        marks: dict[str, Document] = {}
        states: dict[str, NoteState] = {}
        back: dict[str, Change] = {}
        for source, there, here in sources:
            if document := source._storage.table("marks").get(there):
                before = marks.get(here, known.get(here, {}))
                joined = joined_marks(before, document) if before else document
                if joined != before:
                    marks[here] = joined
                    back[here] = Change.between(mark_of(joined), self.mark(here))
            state = states.get(here, self.note_state(here))
            joined_state = state.joined(source.note_state(there))
            if joined_state != state:
                states[here] = joined_state
        searches = self._joined_searches(other)
        apart = self._joined_pairs(other, keys)
        if marks or states or papers or searches or apart:
            step = Step(what, now, changes=back, papers=papers)
            self._store(marks, states, step, searches=searches, apart=apart)
        return {*marks, *states}

    def _joined_searches(self, other: Marks) -> dict[str, Document]:
        """Return what of another library's saved searches is newer than what is here."""
        known = self._storage.table("searches")
        joined = {
            name: joined_searches(known.get(name, {}), theirs)
            for name, theirs in other._storage.table("searches").items()
        }
        return {name: one for name, one in joined.items() if one and one != known.get(name)}

    def _joined_pairs(self, other: Marks, keys: Mapping[str, str]) -> dict[str, Document]:
        """Return what another library knows later of papers that are called different."""
        known = self._storage.table("apart")
        joined: dict[str, Document] = {}
        for there, theirs in other._storage.table("apart").items():
            first, second = (keys.get(key, key) for key in keys_in(there) or ("", ""))
            name = pair_name(first, second)
            mine = joined.get(name, known.get(name, {}))
            if first != second and (one := joined_pairs(mine, theirs)) and one != mine:
                joined[name] = one
        return joined

    def _changed(
        self, changes: Mapping[str, Change], notes: Mapping[str, str], now: str
    ) -> tuple[dict[str, Document], dict[str, Change], dict[str, NoteState]]:
        """Return the marks that changes make different, what leads back, and the notes."""
        known = self._storage.table("marks")
        marks, back, states = {}, {}, {}
        for key, change in changes.items():
            if changed := changed_document(known.get(key, {}), change, now):
                marks[key], back[key] = changed
        for key, text in notes.items():
            state = self.note_state(key)
            if text != state.text:
                states[key] = state.rewritten(text, now)
        return marks, back, states

    def _store(
        self,
        marks: Mapping[str, Document],
        states: Mapping[str, NoteState],
        step: Step | None,
        number: str | None = None,
        written: Span | None = None,
        searches: Mapping[str, Document] | None = None,
        apart: Mapping[str, Document] | None = None,
    ) -> None:
        """Store what is different, and the step that leads back over it, in one write.

        What leads back to notes, searches and pairs is put into the step here.
        """
        notes: _Documents = {}
        earlier: _Documents = {}
        for key, state in states.items():
            notes[key], texts = state.documents()
            if texts != self._storage.table("earlier").get(key):
                earlier[key] = texts
        history: _Documents = {}
        if step and step.what and (marks or states or searches or apart or step.papers or number):
            if states or searches or apart:
                queries = self.searches if searches else {}
                pairs = self._storage.table("apart")
                step = replace(
                    step,
                    notes={**step.notes, **{key: self.note(key) for key in states}},
                    searches={name: queries.get(name, "") for name in searches or ()},
                    apart={name: is_apart(pairs.get(name)) for name in apart or ()},
                )
            history = {number: step.to_document()} if number else self.history.adding(step)
        wanted: dict[str, Mapping[str, Document | None]] = {
            "marks": marks,
            "notes": notes,
            "earlier": earlier,
            "searches": searches or {},
            "apart": apart or {},
            "history": history,
        }
        if written := written or (step.papers if step and not number else None):
            wanted["library"] = {"papers": {"bytes": written.end}}
        if tables := {name: table for name, table in wanted.items() if table}:
            self._storage.append(tables)


class _Database(TinyDB):
    table_class = JournalTable
