"""Writing notes: the editor under the paper, or the reader's own."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from anchorlight.store import StoreError

from .view import short_title

if TYPE_CHECKING:
    from .reading import ReadingScreen


class Noting:
    """Opens and closes the editor, and stores what is typed in it."""

    def __init__(self, screen: ReadingScreen) -> None:
        self._screen = screen
        self._goes_on = False
        self._failed = ""

    @property
    def is_open(self) -> bool:
        """Whether the editor is shown."""
        return self._screen.has_class("noting")

    def edit(self) -> None:
        """Open the editor under the paper."""
        screen = self._screen
        if screen.read_only:
            screen.complain(f"Notes cannot be saved: {screen.read_only}")
        elif entry := screen.current:
            self._goes_on = False
            about = short_title(entry.paper.display_title) if screen.has_class("-narrow") else ""
            screen.editor.open(entry.paper.key, entry.note, about)
            self._show_editor()

    def _show_editor(self) -> None:
        self._screen.add_class("noting")
        self._screen.show_pane("note")
        self._screen.set_focus(self._screen.editor)

    def leave(self) -> None:
        """Close the editor and read on; what was typed is stored behind."""
        screen, editor = self._screen, self._screen.editor
        editor.save()
        screen.remove_class("noting")
        screen.set_focus(screen.papers)

    async def store(self, key: str, text: str, base: str) -> bool:
        """Store a note; tell whether that went well. What was not stored stays in the editor."""
        screen, editor = self._screen, self._screen.editor
        goes_on = self._goes_on and editor.key == key
        self._goes_on = editor.key == key
        try:
            entry = await screen.gateway.write(
                lambda library: library.write_note(key, text, base, amends=goes_on)
            )
        except StoreError as error:
            screen.complain(f"{error.message} (esc again: into a file)")
            if editor.key == key:
                again, self._failed = self._failed == text, text
                editor.tell("not saved")
                if not self.is_open and again:
                    screen.complain(self.rescue())
                elif not self.is_open:
                    self._show_editor()
            return False
        if self._failed:
            self._failed = ""
            screen.status.hush()
        if editor.key == key:
            editor.saved(text, entry.note, datetime.now())
            if entry.note.strip() != text.strip():
                screen.complain("The note was also changed elsewhere: both texts are kept.")
        await screen.take_in([entry])
        return True

    def rescue(self) -> str:
        """Put what cannot be stored into a file of its own, and return a sentence saying where."""
        import tempfile

        editor = self._screen.editor
        try:
            with tempfile.NamedTemporaryFile(
                "w", prefix=f"anchorlight-{editor.key}-", suffix=".md", delete=False,
                encoding="utf-8",
            ) as file:  # fmt: skip
                file.write(editor.text)
        except OSError as error:
            return f"The note could not be put into a file either: {error.strerror}."
        editor.base, self._failed = editor.text, ""
        return f"The note is not in the library; its text is in {file.name}"

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
            screen.run_worker(self.store(key, text, before))
