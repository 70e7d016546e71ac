"""Commands on the program itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import command

if TYPE_CHECKING:
    from ..reading import ReadingScreen


@command("import", "Import files; again: end it", "i", "Program")
def _import(screen: ReadingScreen, _: int) -> None:
    screen.taking_in.ask()


@command("help", "Show all keys", "?", "Program")
def _help(screen: ReadingScreen, _: int) -> None:
    screen.show_help()


@command("palette", "Find a command by its name", ": ctrl+p", "Program")
def _palette(screen: ReadingScreen, _: int) -> None:
    screen.app.action_command_palette()


@command("theme", "Change the theme", "T", "Program")
def _theme(screen: ReadingScreen, _: int) -> None:
    screen.app.search_themes()


@command("refresh", "Read the library's files anew", "ctrl+l", "Program")
def _refresh(screen: ReadingScreen, _: int) -> None:
    screen.reload()


@command("suspend", "Back to the shell; `fg` returns", "ctrl+z", "Program")
def _suspend(screen: ReadingScreen, _: int) -> None:
    screen.app.action_suspend_process()


@command("quit", "Quit; everything is saved", "q ctrl+q ctrl+c", "Program")
def _quit(screen: ReadingScreen, _: int) -> None:
    screen.leave()
