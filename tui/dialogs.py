"""The dialogs: key help, tags, the order of a list, and the name of a saved search."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from anchorlight.store.text import clean_line
from rich.cells import cell_len
from rich.segment import Segment
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Input, Static

from .commands import Command
from .keymap import shown
from .text import fit, printable, strip_of
from .widgets.lines import Lines


class KeyList(Lines):
    """All commands with their keys, by group."""

    has_cursor = False

    def __init__(self, commands: Iterable[Command], keys: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__(id="keys")
        self._commands = list(commands)
        self._keys = keys
        self._rows: list[tuple[str, str]] = []
        self.search("")

    def search(self, wanted: str) -> None:
        """Show the commands that a text occurs in."""
        self._rows = []
        group = ""
        for one in self._commands:
            keys = "  ".join(map(shown, self._keys[one.name]))
            if wanted.casefold() not in f"{one.title} {one.name} {one.group} {keys}".casefold():
                continue
            if one.group != group:
                if group:
                    self._rows.append(("", ""))
                self._rows.append(("", one.group.upper()))
                group = one.group
            self._rows.append((keys or "—", one.title))
        self.show(len(self._rows))

    def step(self, amount: int) -> None:
        """Scroll by lines."""
        self.scroll_to_line(self.top + amount)

    def draw_empty(self, y: int, width: int) -> Strip:
        """Say that nothing fits."""
        text = "  No command fits." if y == 0 else ""
        return strip_of([Segment(text, self.inks.muted)], width, self.inks.text)

    def draw(self, index: int, width: int) -> Strip:
        """Draw a command, or the heading of a group."""
        keys, title = self._rows[index]
        text = self.inks.text
        if not keys:
            return strip_of([Segment(f" {title}", self.inks.muted)], width, text)
        room = min(20, width // 3)
        keys = fit(keys, room)
        segments = [
            Segment(f"   {keys}{' ' * (room - cell_len(keys))}", self.inks.primary),
            Segment(fit(title, width - room - 4), text),
        ]
        return strip_of(segments, width, text)


_CSS = """
HelpDialog, TagsDialog, SortDialog, NameDialog {
    align: center middle; background: $background 60%;
}
#dialog {
    width: 80%; max-width: 100; height: 80%; max-height: 44; padding: 0 1;
    background: $background; border: round $primary;
    border-title-color: $primary; border-subtitle-color: $muted;
    &.small { height: auto; max-height: 12; }
    Input { background: $panel; border: none; margin-bottom: 1; }
    &.orders { width: 36; }
    Static { width: 1fr; height: auto; color: $muted; }
    #tags-of { color: $foreground; text-style: bold; margin-bottom: 1; max-height: 3; }
}
"""


class HelpDialog(ModalScreen[None]):
    """The keys, searchable."""

    CSS = _CSS

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Close", show=False, priority=True),
        Binding("down", "scroll(1)", show=False),
        Binding("up", "scroll(-1)", show=False),
        Binding("pagedown", "scroll(10)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
    ]

    def __init__(self, commands: Iterable[Command], keys: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__()
        self._list = KeyList(commands, keys)

    def compose(self) -> ComposeResult:
        """Lay out the search box over the list."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = Content("keys")
            dialog.border_subtitle = Content("↑ ↓ scroll · esc close")
            yield Input(placeholder="type to search", id="help-search", compact=True)
            yield self._list

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the list."""
        self._list.search(event.value)

    def action_scroll(self, amount: int) -> None:
        """Scroll the list while the box has the keys."""
        self._list.step(amount)


class TagsDialog(ModalScreen[list[str] | None]):
    """Edits tags as one line of words; the answer is None where the reader changed their mind."""

    CSS = _CSS

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Cancel", show=False, priority=True),
        Binding("enter", "save", "Save", show=False, priority=True),
    ]

    def __init__(self, title: str, tags: Iterable[str], known: Iterable[str]) -> None:
        super().__init__()
        self._title = title
        self._tags = " ".join(tags)
        self._known = " ".join(f"#{tag}" for tag in known)

    def compose(self) -> ComposeResult:
        """Lay out a line to type into, and the tags there are."""
        with Vertical(id="dialog", classes="small") as dialog:
            dialog.border_title = Content("tags")
            dialog.border_subtitle = Content("enter save · esc cancel")
            yield Static(Content(printable(self._title)), id="tags-of")
            value = f"{self._tags} " if self._tags else ""
            yield Input(
                value, placeholder="words, parted by blanks", id="tags-box", compact=True,
                select_on_focus=False,
            )  # fmt: skip
            known = f"in use: {self._known}" if self._known else "no tags yet"
            yield Static(Content(printable(known)), id="tags-known")

    def action_save(self) -> None:
        """Give the answer."""
        self.dismiss(clean_line(self.query_one(Input).value).split())


class OrderList(Lines):
    """The orders a list can have, each with its letter; that of now is marked."""

    def __init__(self, orders: Mapping[str, tuple[str, str]], now: str) -> None:
        super().__init__(id="orders")
        self._rows = [(letter, name, what) for letter, (name, what) in orders.items()]
        self._now = now
        self.styles.height = len(self._rows)
        self.show(len(self._rows), [name for _, name, _ in self._rows].index(now))

    @property
    def chosen(self) -> str:
        """The order under the cursor."""
        return self._rows[self.index][1]

    def draw(self, index: int, width: int) -> Strip:
        """Draw an order behind its letter."""
        letter, name, what = self._rows[index]
        inks, ground = self.inks, self.ground(index)
        ink = (inks.strong if name == self._now else inks.text) + ground
        segments = [
            Segment(" ▸ " if name == self._now else "   ", inks.primary + ground),
            Segment(f"{letter}  ", inks.primary + ground),
            Segment(fit(what, width - 6), ink),
        ]
        return strip_of(segments, width, ink)


class SortDialog(ModalScreen[str | None]):
    """Chooses the order of a list by a letter; the answer is None where it is to stay.

    Args:
        orders: The orders and what they mean, by their letters.
        now: The order of now.
    """

    CSS = _CSS

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Cancel", show=False),
        Binding("enter", "choose", "Choose", show=False),
        Binding("down,j", "step(1)", show=False),
        Binding("up,k", "step(-1)", show=False),
    ]

    def __init__(self, orders: Mapping[str, tuple[str, str]], now: str) -> None:
        super().__init__()
        self._list = OrderList(orders, now)
        self._letters = {letter: name for letter, (name, _) in orders.items()}

    def compose(self) -> ComposeResult:
        """Lay out the orders."""
        with Vertical(id="dialog", classes="small orders") as dialog:
            dialog.border_title = Content("order of this list")
            dialog.border_subtitle = Content("letter or enter · esc")
            yield self._list

    def action_step(self, amount: int) -> None:
        """Go to another order."""
        self._list.step(amount)

    def on_key(self, event: events.Key) -> None:
        """Give the answer that a letter stands for."""
        if name := self._letters.get(event.key):
            event.stop()
            self.dismiss(name)

    def action_choose(self) -> None:
        """Give the answer under the cursor."""
        self.dismiss(self._list.chosen)

    @on(Lines.Chosen)
    def _clicked(self) -> None:
        self.action_choose()


class NameDialog(ModalScreen[str | None]):
    """Asks for the name of a search; an empty one is the query itself, None is not to save it."""

    CSS = _CSS

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Cancel", show=False, priority=True),
        Binding("enter", "save", "Save", show=False, priority=True),
    ]

    def __init__(self, query: str) -> None:
        super().__init__()
        self._query = printable(query)

    def compose(self) -> ComposeResult:
        """Lay out a line to type into under the query."""
        with Vertical(id="dialog", classes="small") as dialog:
            dialog.border_title = Content("save search")
            dialog.border_subtitle = Content("enter save · esc cancel")
            yield Static(Content(self._query), id="tags-of")
            yield Input(placeholder="a name, unless it is the query", compact=True)
            yield Static(Content("It becomes a list in the sidebar, of the whole library."))

    def action_save(self) -> None:
        """Give the answer."""
        self.dismiss(clean_line(self.query_one(Input).value))
