"""The dialogs of an import: which file, and what became of its entries."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from anchorlight.store.files import reason
from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widgets import Input, Static

from .text import fit, printable, strip_of
from .widgets.lines import Lines

if TYPE_CHECKING:
    from anchorlight.store.importing import FileReport

_CSS = """
FileDialog, ReportDialog { align: center middle; background: $background 60%; }
#dialog {
    width: 80%; max-width: 100; height: 80%; max-height: 32; padding: 0 1;
    background: $background; border: round $primary;
    border-title-color: $primary; border-subtitle-color: $muted;
    Input { background: $panel; border: none; margin-bottom: 1; }
    Static { width: 1fr; height: auto; color: $muted; margin-top: 1; }
}
FileDialog.-narrow #dialog, ReportDialog.-narrow #dialog { width: 100%; height: 100%; }
FileDialog.-narrow Static { margin-top: 0; text-wrap: nowrap; text-overflow: ellipsis; }
"""
_WIDTHS = [(0, "-narrow"), (70, "-medium")]
_MOST_FILES = 2000


class Wanted(NamedTuple):
    """What the reader wants to import, and how."""

    path: Path
    joins_list: bool
    """Whether the papers join the reading list that is open."""
    takes_notes: bool


class Row(NamedTuple):
    """Something that can be chosen."""

    name: str
    path: Path
    is_folder: bool


def rows_of(typed: str) -> tuple[list[Row], str]:
    """Return what a typed path can become, and why there is nothing."""
    folder_part, _, start = typed.rpartition("/")
    folder = Path(f"{folder_part}/" if folder_part or typed.startswith("/") else ".").expanduser()
    rows: list[Row] = []
    files = 0
    try:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda one: one.name.casefold())[:_MOST_FILES]:
                is_folder = entry.is_dir()
                files += not is_folder
                hidden = entry.name.startswith(".") and not start.startswith(".")
                if start.casefold() in entry.name.casefold() and not hidden:
                    rows.append(Row(entry.name, Path(entry.path), is_folder))
    except OSError as error:
        return [], f"{printable(str(folder))} cannot be listed: {reason(error)}."
    rows.sort(
        key=lambda row: (not row.name.casefold().startswith(start.casefold()), not row.is_folder)
    )
    if not start and files:
        rows.append(Row("everything that lies here", folder, is_folder=False))
    return rows, "" if rows else "Nothing here is called like that."


class FileList(Lines):
    """The files and folders that fit what is typed."""

    def __init__(self) -> None:
        super().__init__(id="files")
        self._rows: Sequence[Row] = ()
        self._problem = ""

    def fill(self, rows: Sequence[Row], problem: str) -> None:
        """Show files, or why there are none."""
        self._rows, self._problem = rows, problem
        self.show(len(rows))

    @property
    def chosen(self) -> Row | None:
        """The row under the cursor."""
        return self._rows[self.index] if self._rows else None

    def draw_empty(self, y: int, width: int) -> Strip:
        """Say why there is nothing."""
        text = fit(f" {self._problem}", width) if y == 0 else ""
        return strip_of([Segment(text, self.inks.muted)], width, self.inks.text)

    def draw(self, index: int, width: int) -> Strip:
        """Draw a file, or a folder with its slash."""
        row, ground = self._rows[index], self.ground(index)
        ink = (self.inks.primary if row.is_folder else self.inks.text) + ground
        name = fit(f" {printable(row.name)}{'/' if row.is_folder else ''}", width)
        return strip_of([Segment(name, ink)], width, ink)


class FileDialog(ModalScreen[Wanted | None]):
    """Chooses what to import; the answer is None where the reader changed their mind.

    Args:
        folder: Where to begin.
        open_list: The title of the reading list that the papers can join; empty if there is none.
    """

    CSS = _CSS
    HORIZONTAL_BREAKPOINTS = _WIDTHS

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "Cancel", show=False, priority=True),
        Binding("enter", "choose", "Choose", show=False, priority=True),
        Binding("tab", "complete", "Complete", show=False, priority=True),
        Binding("down", "step(1)", show=False, priority=True),
        Binding("up", "step(-1)", show=False, priority=True),
        Binding("pagedown", "step(10)", show=False, priority=True),
        Binding("pageup", "step(-10)", show=False, priority=True),
        Binding("ctrl+l", "toggle_list", show=False, priority=True),
        Binding("ctrl+n", "toggle_notes", show=False, priority=True),
    ]

    def __init__(self, folder: Path, open_list: str) -> None:
        super().__init__()
        self._start = _as_typed(folder)
        self._open_list = fit(printable(open_list), 40)
        self._joins_list = self._takes_notes = False
        self._asked = 0
        self._files = FileList()

    def compose(self) -> ComposeResult:
        """Lay out the path over the files that fit it."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = Content("import")
            dialog.border_subtitle = Content("tab complete · enter choose · esc cancel")
            yield Input(self._start, id="path", compact=True, select_on_focus=False)
            yield self._files
            yield Static(id="how")

    def on_mount(self) -> None:
        """Show how things stand."""
        self._tell_how()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the files that fit what is typed now."""
        self._asked += 1
        self.run_worker(self._list(event.value, self._asked))

    async def _list(self, typed: str, number: int) -> None:
        rows, problem = await asyncio.to_thread(rows_of, typed)
        if number == self._asked:
            self._files.fill(rows, problem)

    def _tell_how(self) -> None:
        ways = [f"ctrl+n  with notes of other programs: {'yes' if self._takes_notes else 'no'}"]
        if self._open_list:
            ways.append(f"ctrl+l  into “{self._open_list}”: {'yes' if self._joins_list else 'no'}")
        self.query_one("#how", Static).update(Content("\n".join(ways)))

    def action_toggle_list(self) -> None:
        """Put the papers into the list that is open, or not."""
        self._joins_list = bool(self._open_list) and not self._joins_list
        self._tell_how()

    def action_toggle_notes(self) -> None:
        """Take the notes of other programs, or not."""
        self._takes_notes = not self._takes_notes
        self._tell_how()

    def action_step(self, amount: int) -> None:
        """Go to another file while the box has the keys."""
        self._files.step(amount)

    def action_complete(self) -> None:
        """Type the rest of what is under the cursor."""
        if row := self._files.chosen:
            self._type(row)

    def _type(self, row: Row) -> None:
        box = self.query_one(Input)
        box.value = _as_typed(row.path) if row.is_folder else _as_typed(row.path).rstrip("/")
        box.cursor_position = len(box.value)

    def action_choose(self) -> None:
        """Go into a folder, or give the answer."""
        typed = self.query_one(Input).value.strip()
        row = self._files.chosen
        if row and row.is_folder:
            self._type(row)
            return
        path = row.path if row else Path(typed).expanduser()
        if row or typed:
            self.dismiss(Wanted(path, self._joins_list, self._takes_notes))

    @on(Lines.Chosen)
    def _clicked(self) -> None:
        self.action_choose()


def _as_typed(path: Path) -> str:
    """Return a path as a person types it, a folder with its slash."""
    full, home = str(path.absolute()), str(Path.home())
    if full == home or full.startswith(f"{home}/"):
        full = f"~{full[len(home) :]}"
    return full if full.endswith("/") or not path.is_dir() else f"{full}/"


class ReportList(Lines):
    """What became of the entries of each file."""

    has_cursor = False

    def __init__(self, reports: Iterable[FileReport]) -> None:
        super().__init__(id="reports")
        self._rows = [row for report in reports for row in _told(report)]
        self.show(len(self._rows))

    def draw(self, index: int, width: int) -> Strip:
        """Draw a line of the report."""
        text, kind = self._rows[index]
        inks = self.inks
        ink = {"file": inks.strong, "refused": inks.error, "told": inks.muted}.get(kind, inks.text)
        return strip_of([Segment(fit(f" {printable(text)}", width), ink)], width, inks.text)


def _told(report: FileReport) -> Iterable[tuple[str, str]]:
    from anchorlight.store.importing import ENDED_EARLY  # there by now: it made the report

    yield Path(report.path).name, "file"
    yield (
        (
            f"  {report.format}: {report.added} added, {report.updated} updated, "
            f"{report.unchanged} unchanged; {len(report.refused)} refused"
        ),
        "counts",
    )
    if not report.is_whole:
        yield f"  {ENDED_EARLY}", "told"
    for guess in report.guesses:
        yield f"  {guess}", "told"
    for one in report.refused:
        yield f"  × {one.told}", "refused"
    yield "", "counts"


class ReportDialog(ModalScreen[None]):
    """What became of the entries, file by file."""

    CSS = _CSS
    HORIZONTAL_BREAKPOINTS = _WIDTHS

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,q", "dismiss", "Close", show=False, priority=True),
        Binding("down,j", "scroll(1)", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("pagedown,space", "scroll(10)", show=False),
        Binding("pageup", "scroll(-10)", show=False),
    ]

    def __init__(self, reports: Iterable[FileReport]) -> None:
        super().__init__()
        self._list = ReportList(reports)

    def compose(self) -> ComposeResult:
        """Lay out the report."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = Content("imported")
            dialog.border_subtitle = Content("↑ ↓ scroll · esc close · U undoes it")
            yield self._list

    def action_scroll(self, amount: int) -> None:
        """Scroll by lines."""
        self._list.scroll_to_line(self._list.top + amount)
