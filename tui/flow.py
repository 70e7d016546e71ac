"""The way through the papers: reading on, unread ones, back and forward, other lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anchorlight.store import Change, Status

from .view import FIRST_UNREAD, Place

if TYPE_CHECKING:
    from .reading import ReadingScreen

_MOST_STEPS = 200


class Flow:
    """Decides which paper comes next, and remembers which ones came before."""

    def __init__(self, screen: ReadingScreen) -> None:
        self._screen = screen
        self._trail: list[Place] = []
        self._at = 0

    def open(self, name: str, key: str = "") -> None:
        """Open a list, unfiltered."""
        self._screen.filtering.forget()
        self._screen.marking.deselect()
        self._screen.go(Place(name, key))

    def open_neighbour(self, amount: int) -> None:
        """Open a list above or below in the sidebar."""
        screen, names = self._screen, self._screen.sidebar.names()
        if screen.wanted.name in names:
            at = names.index(screen.wanted.name) + amount
            self.open(names[min(max(at, 0), len(names) - 1)])

    def read_on(self) -> None:
        """Scroll the paper; at its end mark it read and go to the next unread one."""
        screen, entry = self._screen, self._screen.current
        if not screen.paper.at_end:
            screen.paper.page_down()
            return
        if entry and entry.mark.status not in (Status.READ, Status.SKIPPED):
            screen.marking.deselect()
            screen.marking.mark(Change(status=Status.READ))
        self.to_unread(1)

    def to_unread(self, direction: int) -> None:
        """Go to the next unread paper, in this list or in the next one that has any."""
        papers = self._screen.papers
        last = papers.count if direction > 0 else -1
        for index in range(papers.index + direction, last, direction):
            entry = papers.entries.ready(index)
            if entry is None:
                self._screen.run_worker(self._to_unread_beyond(index, direction))
                return
            if entry.mark.status is Status.UNREAD:
                self._go_to(index)
                return
        self._nothing_unread(direction)

    async def _to_unread_beyond(self, start: int, direction: int) -> None:
        """Go to the next unread paper among those that are not in memory."""
        screen, rows = self._screen, self._screen.papers.entries
        index = await screen.gateway.read(
            lambda library: library.next_unread(rows.numbers, start, direction)
        )
        if rows is not screen.papers.entries:
            return  # the reader went elsewhere
        if index is None:
            self._nothing_unread(direction)
        else:
            self._go_to(index)

    def _go_to(self, index: int) -> None:
        self._remember()
        self._screen.papers.move_to(index)

    def _nothing_unread(self, direction: int) -> None:
        if direction < 0:
            self._screen.status.say("No unread paper before this one.")
        else:
            self._to_next_list()

    def _to_next_list(self) -> None:
        screen = self._screen
        here = screen.wanted.name
        anchors = [name for name in screen.sidebar.names() if name.startswith("anchor:")]
        start = anchors.index(here) + 1 if here in anchors else 0
        for name in (*anchors[start:], *anchors[:start]):
            unread = screen.unread_here if name == here else screen.sidebar.unread(name)
            if unread:
                self._remember()
                self.open(name, FIRST_UNREAD)
                return
        screen.status.say("Everything is read.")

    def _remember(self) -> None:
        here = Place(self._screen.place.name, self._screen.place.key)
        self._trail = self._trail[: self._at]
        if not self._trail or self._trail[-1] != here:
            self._trail = [*self._trail, here][-_MOST_STEPS:]
        self._at = len(self._trail)

    def travel(self, direction: int) -> None:
        """Go back or forward through the papers that were read."""
        if direction < 0 and self._at == len(self._trail):
            self._remember()
            self._at -= 1
        at = self._at + direction
        if not 0 <= at < len(self._trail):
            end = "back" if direction < 0 else "on"
            self._screen.status.say(f"Nothing further {end}.")
            return
        self._at = at
        self.open(self._trail[at].name, self._trail[at].key)
