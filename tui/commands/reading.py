"""Commands that read on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import command, on_paper

if TYPE_CHECKING:
    from ..reading import ReadingScreen


@command("read-on", "Read on: scroll, then mark read and go to the next unread", "space", "Read")
def _read_on(screen: ReadingScreen, _: int) -> None:
    screen.flow.read_on()


@command("next-unread", "Next unread paper", "n", "Read")
def _next_unread(screen: ReadingScreen, count: int) -> None:
    for _ in range(count):
        screen.flow.to_unread(1)


@command("previous-unread", "Previous unread paper", "p", "Read")
def _previous_unread(screen: ReadingScreen, count: int) -> None:
    for _ in range(count):
        screen.flow.to_unread(-1)


@command("back", "Back through what was read", "ctrl+o", "Read")
def _back(screen: ReadingScreen, _: int) -> None:
    screen.flow.travel(-1)


@command("forward", "Forward through what was read", "ctrl+n", "Read")
def _forward(screen: ReadingScreen, _: int) -> None:
    screen.flow.travel(1)


@command("open-web", "Open the paper's web page", "o", "Read", when=on_paper)
def _open_web(screen: ReadingScreen, _: int) -> None:
    screen.open_web()
