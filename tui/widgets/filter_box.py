"""The one box for filtering and searching."""

from __future__ import annotations

from typing import ClassVar

from anchorlight.store.text import clean_line
from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.reactive import Reactive
from textual.widgets import Input


class FilterRow(Horizontal):
    """The box with a sign in front of it and what was found behind."""

    DEFAULT_CSS = """
    FilterRow { height: 1; background: $panel; }
    FilterRow #filter-sign { width: 3; color: $primary; content-align: center middle; }
    FilterRow #filter {
        width: 1fr; background: $panel; border: none; padding: 0; color: $foreground;
        &:focus { background: $panel; background-tint: $foreground 0%; }
    }
    FilterRow #filter-state { width: 44; }
    """


class FilterBox(Input):
    """A line to type a query into; the list follows every key."""

    # The screen's actions run at once, so that a key right behind Esc or Enter acts on the list.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "screen.clear_filter", "Clear", show=False, priority=True),
        Binding("enter", "screen.keep_filter", "Keep", show=False, priority=True),
        Binding("tab", "screen.widen_filter", "Whole library", show=False, priority=True),
        Binding("down", "screen.filter_move(1)", "Next", show=False, priority=True),
        Binding("up", "screen.filter_move(-1)", "Previous", show=False, priority=True),
        Binding("ctrl+s", "screen.save_search", "Save as a list", show=False, priority=True),
        Binding("ctrl+h", "delete_left", "Delete left", show=False),
    ]

    virtual_size: Reactive[Size] = Reactive(Size(0, 0))
    """The size of what is typed. Unlike its base's it changes no layout: the box is as it is."""

    def __init__(self) -> None:
        super().__init__(id="filter", compact=True, select_on_focus=False, max_length=2000)

    def _on_paste(self, event: events.Paste) -> None:
        """All lines of a paste arrive, joined by blanks."""
        event.prevent_default()
        event.stop()
        if text := clean_line(event.text):
            self.replace(text, *self.selection)
