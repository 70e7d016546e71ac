"""The reading screen: it joins panes, commands and library. Everything slow goes to the gateway."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, TypeVar

from anchorlight.store import Entry, Library, Rows, StoreError
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.getters import query_one
from textual.screen import Screen
from textual.widget import Widget

from .commands import COMMANDS, all_commands
from .filtering import Filtering
from .flow import Flow
from .gateway import Gateway, Overtaken
from .marking import Marking
from .noting import Noting
from .saving import Saving
from .sorting import Sorting
from .taking_in import TakingIn
from .view import (
    COUNTING_SECONDS,
    Opening,
    Place,
    View,
    empty_lines,
    key_hints,
    load,
    place_line,
)
from .widgets.lines import Lines
from .widgets.paper_list import PaperList
from .widgets.reading_pane import ReadingPane
from .widgets.sidebar import Sidebar
from .widgets.status_line import StatusLine

if TYPE_CHECKING:
    from .widgets.filter_box import FilterBox
    from .widgets.note_editor import NoteEditor

WIDE, MEDIUM, TINY = 110, 70, (40, 10)
"""Cells from which the sidebar stays, from which two panes show, below which nothing does."""

POLL_SECONDS = 1.0
"""How often other programs' changes are looked for, and a new place is stored."""

MANY = 20
"""So many papers that changed are no longer looked through beside the index, but indexed."""

HOLD_SECONDS = 0.05
"""How long a key's echo waits for its answer, to be painted together."""

_PANES = ("sidebar", "papers", "paper", "note")
_MOST_COUNT = 9999
T = TypeVar("T")


class ReadingScreen(Screen[None], inherit_bindings=False):
    """Sidebar, list, reading pane and note, over one place in the library."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (MEDIUM, "-medium"), (WIDE, "-wide")]  # noqa: RUF012
    AUTO_FOCUS = "#papers"

    sidebar = query_one("#sidebar", Sidebar)
    papers = query_one("#papers", PaperList)
    paper = query_one("#paper", ReadingPane)
    heading = query_one("#heading", StatusLine)
    status = query_one("#status", StatusLine)
    editor: NoteEditor
    box: FilterBox
    filter_state: StatusLine

    def __init__(
        self, gateway: Gateway, keys: Mapping[str, tuple[str, ...]], opening: Opening | None
    ) -> None:
        # The class for the terminal's width from the start: else everything is styled twice.
        columns = get_terminal_size().columns
        width = [name for least, name in self.HORIZONTAL_BREAKPOINTS if columns >= least][-1]
        super().__init__(classes=f"at-papers {width}")
        self._opening = opening
        self.furnished = asyncio.Event()
        """Set once the box and the editor are there: no key is handled before."""
        self.gateway = gateway
        self.keys = keys
        self._commands = {key: name for name, chosen in keys.items() for key in chosen}
        self.view: View | None = None
        self.wanted = Place("")
        """The place that was asked for last; `view` shows it as soon as it is loaded."""
        self.marking = Marking(self)
        self.noting = Noting(self)
        self.filtering = Filtering(self)
        self.sorting = Sorting(self)
        self.saving = Saving(self)
        self.taking_in = TakingIn(self)
        self.flow = Flow(self)
        self._count = 0
        self._had_keys: Widget | None = None
        self._moved = False
        self._unreadable = False
        self._told: set[str] = set()
        """Sentences on what is wrong that were said."""
        self._folder = "."
        self.read_only = ""
        """Why nothing can be written, or an empty string."""
        self.shown = asyncio.Event()
        """Set while what was asked for last is on the screen: commands wait a little for that."""
        self._held: asyncio.TimerHandle | None = None
        self._batch = ExitStack()
        self._background = ""
        self._leaving = False

    def compose(self) -> ComposeResult:
        """Lay out the panes."""
        with Horizontal(id="body"):
            yield Sidebar()
            with Vertical(id="main"):
                yield StatusLine(id="heading", heading=True)
                yield PaperList(self._paper_moved, self._bring)
                yield ReadingPane()
        yield StatusLine()

    async def _furnish(self) -> None:
        """Add what the first picture does not need, and what is slow to import and to style."""
        from textual.widgets import Static

        from .widgets.filter_box import FilterBox, FilterRow
        from .widgets.note_editor import NoteEditor

        self.editor, self.box = NoteEditor(), FilterBox()
        self.filter_state = StatusLine(id="filter-state")
        row = FilterRow(Static("/", id="filter-sign"), self.box, self.filter_state)
        await self.query_one("#main").mount(self.editor)
        await self.mount(row, before="#status")
        self.furnished.set()
        # A watcher is called at once; a message would come after the picture of the key alone.
        self.watch(self.box, "value", self.filtering.typed, init=False)
        if self.view:
            self._show_filter(self.view)

    # Showing a place

    def on_mount(self) -> None:
        """Show the first place, if it is known already."""
        self.call_after_refresh(self._furnish)
        if self._opening:
            self.show_first(self._opening)
        else:
            self.status.say("opening the library …")

    def show_first(self, opening: Opening) -> None:
        """Show the first place."""
        self.read_only, self._folder = opening.read_only, opening.folder
        self.wanted = opening.view.place
        self.sorting.recall(opening.orders)
        self._show(opening.view)
        self.call_after_refresh(self.paper.scroll_to_line, opening.scroll)

    def begin(self, problems: Sequence[str]) -> None:
        """Say what is wrong, then look after the index and other programs."""
        self._told.update(problems)
        if problems:
            more = f" (and {len(problems) - 1} more: anchorlight doctor)" if problems[1:] else ""
            self.complain(problems[0] + more)
        self.set_interval(POLL_SECONDS, lambda: self.run_worker(self._poll()))
        self.run_worker(self._refresh_index())

    def go(self, place: Place) -> None:
        """Show a place, as soon as it is loaded."""
        place = self.sorting.sorted(place)
        self.wanted = place
        self._hold()
        self.run_worker(self.show_place(place))
        self._moved = True

    async def show_place(self, place: Place) -> None:
        """Show a place, unless another is asked for while it is loaded."""
        try:
            selected = frozenset(self.papers.selected)
            view = await self.gateway.latest("view", lambda library: load(library, place, selected))
        except Overtaken:
            return
        except StoreError as error:
            self._release()
            self.complain_of(error)
            return
        self.wanted = view.place
        self._show(view)

    def _show(self, view: View) -> None:
        self.view = view
        self.papers.selected &= view.selected
        self.papers.update(view.entries, view.index, view.parts, empty_lines(view))
        self.sidebar.update(view.overview, view.place.name)
        self.show_paper()
        self._show_filter(view)
        self._release()

    def _hold(self) -> None:
        """Paint what a key did together with what was asked for by it, where that comes soon.

        Textual paints 60 times a second: the echo of a key would put off its answer by two frames.
        """
        self.shown.clear()
        if not self._held:
            self._batch.enter_context(self.app.batch_update())
        else:
            self._held.cancel()
        self._held = asyncio.get_running_loop().call_later(HOLD_SECONDS, self._paint)

    def _release(self) -> None:
        """Say that what was asked for last is on the screen, or never will be."""
        self.shown.set()
        self._paint()

    def _paint(self) -> None:
        if self._held:
            self._held.cancel()
            self._held = None
            self._batch.close()

    def _show_filter(self, view: View) -> None:
        """Let the box show what the list is filtered by, where the reader did not type it."""
        if not self.furnished.is_set():
            return
        if view.place.query and not self.has_class("filtering"):
            self.filtering.put(view.place.query)
            self.add_class("filtering")
        self.filter_state.place(*view.filter_state())

    def show_paper(self) -> None:
        """Show the current paper in the reading pane."""
        entry, view = self.current, self.view
        if view:
            self.paper.update(entry, view.parts, view.also_in(entry) if entry else ())
        self._tell_place()

    def replace_entry(self, entry: Entry) -> None:
        """Show a paper in its new state, wherever it is shown."""
        if self.view:
            self.view = self.view.with_entry(entry)
            self.papers.refresh()
            if self.current and self.current.paper.key == entry.paper.key:
                self.show_paper()

    async def take_in(self, entries: Sequence[Entry]) -> None:
        """Show papers in the state that is stored now, and the counts that follow from it."""
        for entry in entries:
            self.replace_entry(entry)
        try:
            overview = await self.gateway.latest(
                "overview", lambda library: library.overview(patience=COUNTING_SECONDS)
            )
        except Overtaken:
            return
        if self.view:
            self.view = replace(self.view, overview=overview)
            self.sidebar.update(overview, self.view.place.name)
            self._tell_place()

    def _tell_place(self) -> None:
        view = self.view
        if not view:
            return
        here = place_line(view, self.papers.index, plain=self.has_class("tiny"))
        if self.papers.selected:
            here.append(f"{len(self.papers.selected)} selected")
        here += filter(None, (self._background, str(self._count or "")))
        title = "Whole library" if view.place.everywhere else view.title
        self.heading.place(title, [f"{view.size} paper{'s' if view.size != 1 else ''}"])
        self.status.place(" · ".join(here), key_hints(self.keys))

    @property
    def current(self) -> Entry | None:
        """The current paper."""
        return self.papers.current

    @property
    def unread_here(self) -> int:
        """Unread papers among those shown."""
        return self.view.unread if self.view else 0

    @property
    def place(self) -> Place:
        """Where the reader is."""
        here = self.view.place if self.view else self.wanted
        return replace(here, key=self.current.paper.key if self.current else here.key)

    # Keys and panes

    def press(self, key: str, character: str | None) -> bool:
        """Do what a key stands for, and tell whether it stands for anything here.

        While something is typed into the box or the editor, keys are no commands. This is no
        binding of Textual's, since those are looked up only after a key went through the focused
        pane: keys that come in a burst, as over a slow line, would reach the wrong one.
        """
        name = self._commands.get(key) or self._commands.get(character or "")
        leaves = name == "quit" and len(key) > 1  # as ctrl+q does, also while something is typed
        if not isinstance(self.focused, Lines | None):
            if not leaves or key == "ctrl+c":
                return False
        elif not isinstance(self._had_keys, Lines | None) and not leaves:
            return True  # the window is too small for what is being typed into
        if name:
            self.do(name)
            return True
        digit = character or ""
        if digit.isascii() and digit.isdigit():
            self._count = min(self._count * 10 + int(digit), _MOST_COUNT)
            self._tell_place()
            return True
        return False

    def do(self, name: str) -> None:
        """Do a command, with the count typed before it."""
        count, self._count = self._count or 1, 0
        if not self._leaving:
            self.status.hush()
        if COMMANDS[name].when(self):
            COMMANDS[name].run(self, count)
        self._tell_place()

    @property
    def lines(self) -> Lines:
        """The pane that moving keys act on."""
        return self.focused if isinstance(self.focused, Lines) else self.papers

    def focus_pane(self, direction: int, *, around: bool = False) -> None:
        """Give the keys to a neighbouring pane."""
        panes: list[Lines] = [self.sidebar, self.papers, self.paper]
        at = panes.index(self.lines) + direction
        if around:
            at %= len(panes)
        if 0 <= at < len(panes):
            self.show_pane(str(panes[at].id))
            self.set_focus(panes[at])

    def show_pane(self, name: str) -> None:
        """Let a pane be seen on screens too small for all of them."""
        for pane in _PANES:
            self.set_class(pane == name, f"at-{pane}")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Small screens show the pane that has the keys."""
        if event.widget.id in _PANES:
            self.show_pane(event.widget.id)

    def on_resize(self, event: events.Resize) -> None:
        """Fall back to one line where nothing else fits."""
        tiny = event.size.width < TINY[0] or event.size.height < TINY[1]
        if tiny and not self.has_class("tiny"):
            self._had_keys = self.focused  # what is hidden loses them
        elif self._had_keys and not tiny:
            self.call_after_refresh(self.set_focus, self._had_keys)
            self._had_keys = None
        self.set_class(tiny, "tiny")
        self._tell_place()

    def clear(self) -> None:
        """Clear the selection, else the filter, else go back to the list."""
        if self.marking.deselect():
            return
        if self.focused is not self.papers:
            self.set_focus(self.papers)
        elif self.place.query:
            self.filtering.clear()

    # Messages of the panes

    def _bring(self, first: int, last: int, then: Callable[[], None] | None) -> None:
        """Bring papers of the list into memory, and do something then."""
        if then:
            self._hold()
        self.run_worker(self._brought(self.papers.entries, first, last, then))

    async def _brought(
        self, entries: Rows, first: int, last: int, then: Callable[[], None] | None
    ) -> None:
        await self.gateway.read(lambda _: entries.load(first, last))
        if then:
            if entries is self.papers.entries:
                then()
            self._release()

    def _paper_moved(self) -> None:
        self._moved = True
        self.show_paper()

    @on(Lines.Chosen, "#papers")
    def _paper_chosen(self) -> None:
        self.focus_pane(1)

    @on(Lines.Moved, "#sidebar")
    def _list_moved(self, event: Lines.Moved) -> None:
        if name := self.sidebar.name_at(event.index):
            self.flow.open(name)

    @on(Lines.Chosen, "#sidebar")
    def _list_chosen(self) -> None:
        self.focus_pane(1)

    def on_note_editor_edited(self, event: NoteEditor.Edited) -> None:
        """Store the note."""
        self.run_worker(self.noting.store(event.key, event.text, event.base))

    def action_filter_move(self, amount: int) -> None:
        """Move in the list while the box has the keys."""
        self.papers.step(amount)

    def action_keep_filter(self) -> None:
        """Leave the filter box with the list filtered."""
        self.filtering.keep()

    def action_clear_filter(self) -> None:
        """Leave the filter box and show the whole list."""
        self.filtering.clear()

    def action_widen_filter(self) -> None:
        """Look in the whole library, or in this list again."""
        self.filtering.widen()

    def action_save_search(self) -> None:
        """Save what is typed into the box as a list."""
        self.saving.save()

    def action_leave_note(self) -> None:
        """Close the editor."""
        self.noting.leave()

    # The library's files

    async def _poll(self, *, anyway: bool = False) -> None:
        try:
            changed, notices = await self.gateway.latest(
                "poll", lambda library: (library.refresh(), library.notices)
            )
        except Overtaken:
            return
        except StoreError as error:
            if not self._unreadable:  # said once; what was read before is still shown
                self._unreadable = True
                self.complain_of(error)
            return
        self._unreadable = False
        if new := [notice for notice in notices if notice not in self._told]:
            self._told.update(new)
            self.complain(" ".join(new))
        if changed or anyway:
            await self.show_place(replace(self.wanted, key=self.place.key))
        if self._moved:
            self._moved = False
            await self._store_session()
        if not self._background and await self._ask(lambda library: library.unindexed) > MANY:
            await self._refresh_index()

    def reload(self) -> None:
        """Show the same place from the files anew."""
        self.run_worker(self._poll(anyway=True))

    async def _refresh_index(self) -> None:
        if not await self._ask(lambda library: library.unindexed):
            return
        loop = asyncio.get_running_loop()

        def told(done: int, total: int) -> None:
            loop.call_soon_threadsafe(self._indexed, done * 100 // total)

        def refresh(library: Library) -> None:
            library.refresh_index(told)
            library.overview()  # what saved searches find is looked up here, while nobody waits

        self.tell_background("indexing …")
        await self.gateway.index(refresh)
        self.tell_background("")
        if self.view and self.view.is_partial:
            await self.show_place(replace(self.wanted, key=self.place.key))
        if problem := await self._ask(lambda library: library.index_problem):
            self.complain(f"{problem} Searching goes on in the plain text.")

    def _indexed(self, percent: int) -> None:
        """Tell how far the index is; what is filtered may find more by now."""
        self.tell_background(f"indexing {percent} % …")
        if self.view and self.view.found:
            self.reload()

    def tell_background(self, what: str) -> None:
        """Tell in the status line what goes on meanwhile; nothing ends it."""
        self._background = what
        self._tell_place()

    async def _ask(self, work: Callable[[Library], T]) -> T:
        return await self.gateway.read(work)

    async def _store_session(self) -> None:
        place = self.place
        session: dict[str, Any] = {
            "list": place.name,
            "paper": place.key,
            "filter": place.query,
            "everywhere": place.everywhere,
            "orders": self.sorting.orders,
            "scroll": self.paper.top,
            "theme": self.app.theme,
        }
        try:
            await self.gateway.write(lambda library: library.write_session(session))
        except StoreError as error:
            self.complain_of(error)

    # The program

    def show_help(self) -> None:
        """Show all keys."""
        from .dialogs import HelpDialog

        self.app.push_screen(HelpDialog(all_commands(), self.keys))

    def settle_duplicates(self) -> None:
        """Show papers that may be one, for the reader to decide."""
        from .settling import SettlingScreen

        def answered(joined: str | None) -> None:
            if joined is not None:
                self._moved = True
                here = self.place
                self.run_worker(self.show_place(replace(here, key=joined or here.key)))

        titles = self.view.titles if self.view else {}
        self.app.push_screen(SettlingScreen(self.gateway, titles), answered)

    def open_web(self) -> None:
        """Open the paper's page in the browser."""
        link = self.current.paper.link if self.current else None
        if link and link.startswith(("https://", "http://")):
            self.app.open_url(link)
            self.status.say(f"opened {link}")
        else:
            self.status.say("No web page is known for this paper.")

    def complain(self, sentence: str) -> None:
        """Say what went wrong; it stays until the reader does something."""
        # There is one library here, and its files' names are enough to tell them apart.
        self.status.say(sentence.replace(f"{self._folder}/", ""), error=True)

    def complain_of(self, error: StoreError) -> None:
        """Say what went wrong in the library."""
        self.complain(" ".join(filter(None, (error.message, error.hint))))

    def leave(self, *, at_once: bool = False) -> None:
        """Save everything and quit.

        Args:
            at_once: Whether nobody can answer any more: what cannot be stored goes into a file.
        """
        if not self._leaving:
            self._leaving = True
            self.status.say("saving …")
            self.run_worker(self._leave(at_once))

    async def _leave(self, at_once: bool) -> None:
        if not await self.noting.store_unsaved():
            if not at_once:
                self._leaving = False  # stay: what was typed is still in the editor
                return
            self.noting.rescue()
        await self.taking_in.finish()
        await self._store_session()
        await self.gateway.close()
        self.app.exit()
