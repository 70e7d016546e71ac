"""Every command of the reading screen, declared once.

A declaration gives a command's name, help, keys, group and when it is possible. Bindings, the
palette, the key help, the config file's keys and the table in the manual all follow from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..reading import ReadingScreen

Run = Callable[["ReadingScreen", int], None]
When = Callable[["ReadingScreen"], bool]

GROUPS = ("Move", "Read", "Mark", "Find", "Note", "Program")
"""Groups in the order that the help shows them."""


@dataclass(frozen=True, slots=True)
class Command:
    """Something the reader can ask for.

    Attributes:
        name: Its name in the config file.
        title: What it does, in a few words.
        keys: Its keys unless the config file says otherwise, in Textual's names.
        group: Where the help lists it.
        run: Does it; takes the screen and the count typed before the key (1 if none).
        when: Whether it is possible now.
    """

    name: str
    title: str
    keys: tuple[str, ...]
    group: str
    run: Run
    when: When


COMMANDS: dict[str, Command] = {}
"""All commands by name, in the order they were declared."""


def always(_: ReadingScreen) -> bool:
    """Tell that a command is always possible."""
    return True


def on_paper(screen: ReadingScreen) -> bool:
    """Tell whether there is a paper to act on."""
    return screen.current is not None


def command(
    name: str, title: str, keys: str, group: str, *, when: When = always
) -> Callable[[Run], Run]:
    """Declare the decorated function as a command; `keys` are parted by blanks."""

    def declare(run: Run) -> Run:
        COMMANDS[name] = Command(name, title, tuple(keys.split()), group, run, when)
        return run

    return declare


def all_commands() -> Iterable[Command]:
    """Return every command, in the order of the help."""
    from . import finding, marking, moving, notes, program, reading  # noqa: F401 - they declare

    return sorted(COMMANDS.values(), key=lambda one: GROUPS.index(one.group))
