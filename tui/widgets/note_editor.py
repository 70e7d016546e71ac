"""The editor for the note on a paper. It saves by itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from anchorlight.store.notes import CONFLICT
from anchorlight.store.text import clean_note
from textual import events, on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import TextArea

from ..text import printable

SAVE_SECONDS = 0.6
"""Pause in typing after which a note is saved."""


class NoteEditor(TextArea):
    """Edits a note and asks for it to be saved after each pause and on leaving."""

    DEFAULT_CSS = """
    NoteEditor#note {
        height: 2fr; min-height: 5; padding: 0 1;
        border: none; border-top: solid $primary; border-title-color: $primary;
        background: $background; color: $foreground;
        &:focus { border: none; border-top: solid $primary; }
        .text-area--cursor-line { background: $background; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        # The screen's action runs at once, so that a key right behind Esc acts on the list.
        Binding("escape", "screen.leave_note", "Done", show=False, priority=True),
        Binding("tab", "insert_tab", "Insert a tab", show=False, priority=True),
        Binding("ctrl+h", "delete_left", "Delete left", show=False),
    ]

    @dataclass
    class Edited(Message):
        """The note is to be saved."""

        editor: NoteEditor
        key: str
        text: str
        base: str

    def __init__(self) -> None:
        super().__init__(id="note", soft_wrap=True, show_line_numbers=False)
        self.highlight_cursor_line = False
        self.key = ""
        self.base = ""
        self._about = ""
        self._pause: Timer | None = None

    def open(self, key: str, text: str, about: str = "") -> None:
        """Edit the note on a paper, from its end.

        Args:
            key: The paper.
            text: The note as it is stored.
            about: What the paper is called, where it cannot be seen beside the editor.
        """
        self.key, self.base, self._about = key, text, printable(about)
        self.load_text(text)
        self.move_cursor(self.document.end)
        self.tell("")

    def tell(self, state: str) -> None:
        """Say in the frame what became of the note."""
        parts = ("note", printable(state), self._about)
        self.border_title = Content(" · ".join(filter(None, parts)))
        self.border_subtitle = Content("esc done")

    @property
    def unsaved(self) -> bool:
        """Whether the editor holds what is not stored."""
        return bool(self.key) and self.text != self.base

    def saved(self, sent: str, stored: str, at: datetime) -> None:
        """Take note of what is stored now; an editor that nothing was typed into since shows it."""
        if self.text != sent:
            self.base = sent  # what was written elsewhere is not in what is typed on
            return
        if stored.strip() != sent.strip():
            self._go_on_in(stored)
        self.base = self.text
        self.tell(f"saved {at:%H:%M}")

    def _go_on_in(self, stored: str) -> None:
        """Show what is stored now, with the cursor where it was in its part of the note."""
        row, column = self.cursor_location
        at = sum(len(line) + 1 for line in self.text.split("\n")[:row]) + column
        before = self.text[:at].rpartition(CONFLICT)[2]
        part = before + self.text[at:].partition(CONFLICT)[0]
        start = (CONFLICT + stored).find(CONFLICT + part)
        at = start + len(before) if start >= 0 else len(stored)
        self.load_text(stored)
        self.move_cursor((stored.count("\n", 0, at), at - stored.rfind("\n", 0, at) - 1))

    def save(self) -> None:
        """Ask for what is new to be saved, now."""
        if self._pause:
            self._pause.stop()
            self._pause = None
        if self.unsaved:
            self.tell("saving …")
            self.post_message(self.Edited(self, self.key, self.text, self.base))

    def action_insert_tab(self) -> None:
        """Insert a tab; Textual's own way of it would take Esc for itself."""
        self.insert("\t")

    @on(TextArea.Changed)
    def _typed(self) -> None:
        if not self.unsaved:
            return
        if self._pause:
            self._pause.stop()
        self.tell("unsaved")
        self._pause = self.set_timer(SAVE_SECONDS, self.save)

    async def _on_paste(self, event: events.Paste) -> None:
        """A paste arrives whole, without control characters."""
        event.prevent_default()
        event.stop()
        if result := self._replace_via_keyboard(clean_note(event.text), *self.selection):
            self.move_cursor(result.end_location)
