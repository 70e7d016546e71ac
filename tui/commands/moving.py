"""Commands that move about in lists and between panes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import command

if TYPE_CHECKING:
    from ..reading import ReadingScreen


@command("down", "Down one line", "j down", "Move")
def _down(screen: ReadingScreen, count: int) -> None:
    screen.lines.step(count)


@command("up", "Up one line", "k up", "Move")
def _up(screen: ReadingScreen, count: int) -> None:
    screen.lines.step(-count)


@command("half-page-down", "Down half a page", "ctrl+d", "Move")
def _half_page_down(screen: ReadingScreen, count: int) -> None:
    screen.lines.step(max(screen.lines.page // 2, 1) * count)


@command("half-page-up", "Up half a page", "ctrl+u", "Move")
def _half_page_up(screen: ReadingScreen, count: int) -> None:
    screen.lines.step(-max(screen.lines.page // 2, 1) * count)


@command("page-down", "Down a page", "pagedown ctrl+f", "Move")
def _page_down(screen: ReadingScreen, count: int) -> None:
    screen.lines.step(screen.lines.page * count)


@command("page-up", "Up a page", "pageup ctrl+b", "Move")
def _page_up(screen: ReadingScreen, count: int) -> None:
    screen.lines.step(-screen.lines.page * count)


@command("first", "To the first line", "g home", "Move")
def _first(screen: ReadingScreen, _: int) -> None:
    screen.lines.to_end(last=False)


@command("last", "To the last line", "G end", "Move")
def _last(screen: ReadingScreen, _: int) -> None:
    screen.lines.to_end(last=True)


@command("pane-right", "To the pane at the right", "l right enter", "Move")
def _pane_right(screen: ReadingScreen, _: int) -> None:
    screen.focus_pane(1)


@command("pane-left", "To the pane at the left", "h left", "Move")
def _pane_left(screen: ReadingScreen, _: int) -> None:
    screen.focus_pane(-1)


@command("pane-next", "To the next pane", "tab", "Move")
def _pane_next(screen: ReadingScreen, _: int) -> None:
    screen.focus_pane(1, around=True)


@command("pane-previous", "To the pane before", "shift+tab", "Move")
def _pane_previous(screen: ReadingScreen, _: int) -> None:
    screen.focus_pane(-1, around=True)


@command("next-list", "Open the next list", "J", "Move")
def _next_list(screen: ReadingScreen, count: int) -> None:
    screen.flow.open_neighbour(count)


@command("previous-list", "Open the list before", "K", "Move")
def _previous_list(screen: ReadingScreen, count: int) -> None:
    screen.flow.open_neighbour(-count)
