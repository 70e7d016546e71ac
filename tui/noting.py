"""Writing notes: the editor under the paper, or the reader's own."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from anchorlight.store import StoreError

if TYPE_CHECKING:
    from .reading import ReadingScreen


class Noting:
    """Opens and closes the editor, and stores what is typed in it."""

    def __init__(self, screen: ReadingScreen) -> None:
        self._screen = screen
        self._before = ""

    @property
    def is_open(self) -> bool:
        """Whether the editor is shown."""
        return self._screen.has_class("noting")

    def edit(self) -> None:
        """Open the editor under the paper."""
        screen = self._screen
        if entry := screen.current:
            self._before = entry.note
            screen.editor.open(entry.paper.key, entry.note)
            self._show_editor()

    def _show_editor(self) -> None:
        self._screen.add_class("noting")
        self._screen.show_pane("note")
        self._screen.set_focus(self._screen.editor)

    def leave(self) -> None:
        """Close the editor and read on; what was typed is stored behind."""
        screen, editor = self._screen, self._screen.editor
        if editor.text != self._before:
            self._remember(editor.key, self._before, editor.text)
        editor.save()
        screen.remove_class("noting")
        screen.set_focus(screen.papers)

    def _remember(self, key: str, before: str, after: str) -> None:
        from .undo import note_step

        self._screen.marking.history.add(note_step(key, before, after))

    async def store(self, key: str, text: str, base: str) -> bool:
        """Store a note; tell whether that went well. What was not stored stays in the editor."""
        screen, editor = self._screen, self._screen.editor
        try:
            entry = await screen.gateway.write(lambda library: library.write_note(key, text, base))
        except StoreError as error:
            screen.complain_of(error)
            if editor.key == key:
                editor.tell("not saved")
                if not self.is_open:
                    self._show_editor()
            return False
        if editor.key == key:
            editor.saved(text, entry.note, datetime.now())
            if entry.note.strip() != text.strip():
                screen.complain("The note was also changed elsewhere: both texts are kept.")
        await screen.take_in([entry])
        return True

    async def store_unsaved(self) -> bool:
        """Store what the editor holds, if it is new; tell whether nothing is left unsaved."""
        if not self._screen.furnished.is_set() or not self._screen.editor.unsaved:
            return True
        editor = self._screen.editor
        return await self.store(editor.key, editor.text, editor.base)

    def edit_outside(self) -> None:
        """Edit the note in the reader's own editor."""
        from .outside import edit_outside

        screen, entry = self._screen, self._screen.current
        if not entry:
            return
        text, problem = edit_outside(screen.app, entry.note)
        if problem:
            screen.complain(problem)
        elif text != entry.note:
            key, before = entry.paper.key, entry.note
            self._remember(key, before, text)
            screen.run_worker(self.store(key, text, before))
