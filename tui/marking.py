"""Marking papers: status, stars, tags, selection, and taking it back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from anchorlight.store import Change, Entry, Library, Mark, Rows, StoreError

if TYPE_CHECKING:
    from anchorlight.store.history import Step

    from .reading import ReadingScreen


class Marking:
    """Changes marks: shown at once, stored behind, taken back where that fails."""

    def __init__(self, screen: ReadingScreen) -> None:
        self._screen = screen

    @property
    def targets(self) -> list[str]:
        """Keys of the papers that commands act on: the selected ones, or the current one."""
        papers = self._screen.papers
        current = [papers.current.paper.key] if papers.current else []
        return sorted(papers.selected) or current

    def _in_memory(self, keys: Sequence[str]) -> list[Entry]:
        entries = {one.paper.key: one for one in self._screen.papers.entries.in_memory()}
        return [entries[key] for key in keys if key in entries]

    @property
    def all_starred(self) -> bool:
        """Whether all of these papers are known to be starred."""
        keys = self.targets
        entries = self._in_memory(keys)
        return len(entries) == len(keys) and all(one.mark.starred for one in entries)

    def mark(self, change: Change, *, move_on: bool = False) -> None:
        """Change the marks of the selected papers, or of the current one."""
        screen, targets = self._screen, self.targets
        if not targets:
            return
        befores = {}
        for entry in self._in_memory(targets):
            befores[entry.paper.key] = entry.mark
            screen.replace_entry(replace(entry, mark=change.applied(entry.mark)))
        self.deselect()
        if move_on and len(targets) == 1:
            screen.papers.step(1)
        screen.run_worker(self._store(dict.fromkeys(targets, change), befores))

    async def _store(self, changes: dict[str, Change], befores: dict[str, Mark]) -> None:
        screen = self._screen
        try:
            entries = await screen.gateway.write(lambda library: library.mark(changes))
        except StoreError as error:
            for entry in screen.papers.entries.in_memory():
                if before := befores.get(entry.paper.key):
                    screen.replace_entry(replace(entry, mark=before))
            screen.complain_of(error)
            return
        await screen.take_in(entries)

    def edit_tags(self) -> None:
        """Ask for the tags of the selected papers, or of the current one."""
        from .dialogs import TagsDialog

        screen, keys = self._screen, self.targets
        entries = self._in_memory(keys)
        title, common = f"{len(keys)} papers", []
        if entries and len(entries) == len(keys):  # else nobody knows what they share
            first = entries[0]
            common = [
                tag for tag in first.mark.tags if all(tag in one.mark.tags for one in entries)
            ]
            title = first.paper.display_title if len(keys) == 1 else title
        known = [row.title for row in screen.view.overview.tags] if screen.view else []

        def answered(tags: Sequence[str] | None) -> None:
            if tags is not None:
                removed = tuple(tag for tag in common if tag not in tags)
                self.mark(Change(add_tags=tuple(tags), remove_tags=removed))

        screen.app.push_screen(TagsDialog(title, common, known), answered)

    def select(self, count: int) -> None:
        """Select papers from the current one on, or take them out of the selection."""
        papers = self._screen.papers
        self._toggle(papers.index, papers.index + count)
        papers.step(count)

    def _toggle(self, first: int, last: int) -> None:
        papers = self._screen.papers
        if papers.entries.are_ready(first, last):
            papers.selected ^= {entry.paper.key for entry in papers.entries[first:last]}
            papers.refresh()
        else:
            self._screen.run_worker(self._toggle_beyond(papers.entries, first, last))

    async def _toggle_beyond(self, rows: Rows, first: int, last: int) -> None:
        """Do so for papers that are not in memory."""
        papers, numbers = self._screen.papers, rows.numbers[first:last]
        keys = await self._screen.gateway.read(lambda library: library.keys(numbers))
        if rows is papers.entries:
            papers.selected ^= {*keys}
            papers.refresh()

    def select_all(self) -> None:
        """Select all papers shown, or none if all are."""
        papers = self._screen.papers
        if len(papers.selected) == papers.count:
            self.deselect()
        else:
            papers.selected.clear()
            self._toggle(0, papers.count)

    def deselect(self) -> bool:
        """Select nothing; tell whether anything was selected."""
        papers = self._screen.papers
        had = bool(papers.selected)
        papers.selected.clear()
        papers.refresh()
        return had

    def undo(self) -> None:
        """Take back the last thing done, in this sitting or before."""
        self._screen.run_worker(
            self._go_back_over(lambda library: library.undo(), "taken back", "take back")
        )

    def redo(self) -> None:
        """Do again what was taken back."""
        self._screen.run_worker(
            self._go_back_over(lambda library: library.redo(), "done again", "do again")
        )

    async def _go_back_over(
        self, way: Callable[[Library], Step | None], did: str, to_do: str
    ) -> None:
        screen = self._screen
        try:
            step = await screen.gateway.write(way)
        except StoreError as error:
            screen.complain_of(error)
            return
        if step is None:
            screen.status.say(f"Nothing to {to_do}.")
            return
        await screen.show_place(replace(screen.place, key=next(iter(step.keys), screen.place.key)))
        when = datetime.fromisoformat(step.when).astimezone()
        of = "" if when.date() == datetime.now().date() else f" of {when.day} {when:%B}"
        screen.status.say(f"{step.what}{of} {did}")
