"""Commands on the note of a paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import command, on_paper

if TYPE_CHECKING:
    from ..reading import ReadingScreen


@command("note", "Edit the note; it saves by itself, Esc is done", "e", "Note", when=on_paper)
def _note(screen: ReadingScreen, _: int) -> None:
    screen.noting.edit()


@command("note-editor", "Edit the note in $VISUAL or $EDITOR", "E", "Note", when=on_paper)
def _note_editor(screen: ReadingScreen, _: int) -> None:
    screen.noting.edit_outside()
