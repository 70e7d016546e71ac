"""What the reader does to a library: marks, notes, saved searches; and takes back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .catalogue import Span
from .change import Change
from .errors import CannotUndoError, NoSuchPaperError, NotSavedError
from .paper import Entry
from .reading import Reading
from .searches import clean_name
from .text import clean_line

if TYPE_CHECKING:
    from .history import Step


class Writing(Reading):
    """A library to write to."""

    def _known(self, key: str) -> None:
        if key not in self._catalogue.papers:
            raise NoSuchPaperError(f"Not saved: the library holds no paper “{key}” any more.")

    def mark(self, changes: dict[str, Change]) -> list[Entry]:
        """Change papers' marks, durably and in one write, and return their new state.

        Raises:
            NoSuchPaperError: There is no such paper.
            NotSavedError: Nothing of it is stored.
            ReadOnlyError: The library cannot be written.
        """
        with self._writing() as now:
            for key in changes:
                self._known(key)
            tagged = [key for key, one in changes.items() if one.add_tags or one.remove_tags]
            what = "tags" if tagged else "mark"
            many = f"{what if tagged else 'marks'} on {len(changes)} papers"
            self._marks.change(what if len(changes) == 1 else many, now, changes)
            self._changed(changes, texts=bool(tagged))
            return [self.entry(key) for key in changes]

    def write_note(
        self, key: str, text: str, base: str | None = None, *, amends: bool = False
    ) -> Entry:
        """Store the note on a paper, durably, and return the paper's new state.

        Args:
            key: The paper.
            text: The new text; an empty one removes the note.
            base: The text that the writer started from. Where another program changed the note
                since, both texts are kept.
            amends: Whether it goes on from what was stored last in one sitting, to be undone
                together with that.

        Raises:
            NoSuchPaperError: There is no such paper.
            NotSavedError: Nothing of it is stored.
            ReadOnlyError: The library cannot be written.
        """
        with self._writing() as now:
            self._known(key)
            self._marks.write_note(key, text, now, base, amends=amends)
            self._changed([key])
            return self.entry(key)

    def append_note(self, key: str, text: str) -> Entry:
        """Add lines to the note on a paper, whatever it says by then, and return its new state.

        Raises:
            NoSuchPaperError: There is no such paper.
            NotSavedError: Nothing of it is stored.
            ReadOnlyError: The library cannot be written.
        """
        with self._writing() as now:
            self._known(key)
            note = self._marks.note(key)
            self._marks.write_note(key, f"{note}\n{text}" if note else text, now)
            self._changed([key])
            return self.entry(key)

    def save_search(self, name: str, query: str) -> str:
        """Save a query as a list, `search:NAME`, durably, and return its name.

        Args:
            name: The name; where it is empty, the query is. One that was saved under it before is
                replaced.
            query: What to look for, in the whole library.

        Raises:
            NotSavedError: Nothing of it is stored, or there is nothing to search for.
            ReadOnlyError: The library cannot be written.
        """
        from .parser import parse

        query = clean_line(query)
        name = clean_name(name) or clean_name(query)
        if parse(query, now=self._clock()).node is None:
            raise NotSavedError("Not saved: there is nothing to search for.")
        with self._writing() as now:
            self._marks.write_search(name, query, now)
        return name

    def remove_search(self, name: str) -> bool:
        """Remove a saved search, durably, and tell whether there was one.

        Raises:
            NotSavedError: Nothing of it is stored.
            ReadOnlyError: The library cannot be written.
        """
        with self._writing() as now:
            return self._marks.write_search(name, "", now)

    @contextmanager
    def _papers_stored(self, before: Span | None = None) -> Iterator[Span | None]:
        """Store the papers that are staged, and take them back where what goes with them fails.

        Args:
            before: Lines that the new ones go on from: where they follow them, both are one span.
        """
        size = self._catalogue.size
        span = self._catalogue.commit(before)
        try:
            yield span
        except OSError:
            if span:
                self._catalogue.roll_back(max(size, span.start))
            raise

    def undo(self) -> Step | None:
        """Take back the last step that was done, and return it; None where there is none.

        Raises:
            CannotUndoError: What it needs is not there any more.
            NotSavedError: Nothing is stored; the step is still done.
            ReadOnlyError: The library cannot be written.
        """
        return self._go_back_over(self._marks.history.last_done)

    def redo(self) -> Step | None:
        """Do again what was undone last, and return it; None where there is nothing.

        Raises:
            CannotUndoError: What it needs is not there any more.
            NotSavedError: Nothing is stored; the step is still undone.
            ReadOnlyError: The library cannot be written.
        """
        return self._go_back_over(self._marks.history.first_undone)

    def _go_back_over(self, which: Callable[[], tuple[str, Step] | None]) -> Step | None:
        with self._writing() as now:
            found = which()
            if not found:
                return None
            number, step = found
            touched = {*step.changes, *step.notes}
            if step.papers:
                try:
                    touched |= self._catalogue.stage_undoing(step.papers, again=step.undone)
                except CannotUndoError:
                    self._marks.history_without(number)  # so that those before can be reached
                    raise
            with self._papers_stored() as span:
                self._marks.go_back_over(number, step, now, span)
            self._changed(touched)
            return step
