"""Commands that mark papers: the selected ones, or the current one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anchorlight.store import Change, Status

from . import command, on_paper

if TYPE_CHECKING:
    from ..reading import ReadingScreen


@command("mark-read", "Mark read and move on", "r", "Mark", when=on_paper)
def _read(screen: ReadingScreen, _: int) -> None:
    screen.marking.mark(Change(status=Status.READ), move_on=True)


@command("mark-unread", "Mark unread", "u", "Mark", when=on_paper)
def _unread(screen: ReadingScreen, _: int) -> None:
    screen.marking.mark(Change(status=Status.UNREAD))


@command("queue", "Queue for later", "w", "Mark", when=on_paper)
def _queue(screen: ReadingScreen, _: int) -> None:
    screen.marking.mark(Change(status=Status.QUEUED), move_on=True)


@command("skip", "Skip and move on", "x", "Mark", when=on_paper)
def _skip(screen: ReadingScreen, _: int) -> None:
    screen.marking.mark(Change(status=Status.SKIPPED), move_on=True)


@command("star", "Star, or take the star away", "s", "Mark", when=on_paper)
def _star(screen: ReadingScreen, _: int) -> None:
    screen.marking.mark(Change(starred=not screen.marking.all_starred))


@command("tags", "Edit tags", "t", "Mark", when=on_paper)
def _tags(screen: ReadingScreen, _: int) -> None:
    screen.marking.edit_tags()


@command("select", "Select, or take out of the selection", "v", "Mark", when=on_paper)
def _select(screen: ReadingScreen, count: int) -> None:
    screen.marking.select(count)


@command("select-all", "Select all shown, or none", "V", "Mark", when=on_paper)
def _select_all(screen: ReadingScreen, _: int) -> None:
    screen.marking.select_all()


@command("undo", "Undo the last mark, note, import or merge", "U", "Mark")
def _undo(screen: ReadingScreen, _: int) -> None:
    screen.marking.undo()


@command("redo", "Do again what was undone", "ctrl+r", "Mark")
def _redo(screen: ReadingScreen, _: int) -> None:
    screen.marking.redo()
