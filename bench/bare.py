"""The floor: a bare Textual app with an OptionList, empty or of N rows."""

import sys

from textual.app import App, ComposeResult
from textual.widgets import OptionList, Static


class Bare(App[None]):
    """Shows that it is ready, and a list."""

    ENABLE_COMMAND_PALETTE = False

    def compose(self) -> ComposeResult:
        """Show the word that is waited for, and the list."""
        rows = int(sys.argv[1]) if len(sys.argv) > 1 else 0
        yield Static("READY")
        yield OptionList(*(f"row {number}" for number in range(rows)))

    def on_mount(self) -> None:
        """Give the list the keys."""
        self.query_one(OptionList).focus()


Bare().run()
