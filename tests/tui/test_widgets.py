"""Hostile text in every widget: shown as written, in exactly its columns, and never acted on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from anchorlight.store import Library, Overview, Progress, Rows, Status
from anchorlight.store.parser import parse
from anchorlight.tui.commands import all_commands
from anchorlight.tui.dialogs import KeyList
from anchorlight.tui.keymap import keys_of
from anchorlight.tui.themes import DARK, own_variables
from anchorlight.tui.widgets.paper_list import PaperList
from anchorlight.tui.widgets.reading_pane import ReadingPane
from anchorlight.tui.widgets.sidebar import Sidebar
from anchorlight.tui.widgets.status_line import StatusLine
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.geometry import Size

from .conftest import Running
from .driving import check_screen, do, paste
from .hostile import BRACKETS, HOSTILE, any_text, check_strip, few, hostile_entry

VARIABLES = own_variables(DARK) | DARK.to_color_system().generate() | DARK.variables
WIDTHS = (200, 100, 64, 60, 41, 40, 39, 20, 10, 5, 2, 1)


def bare(kind: type[Any], width: int, height: int = 12, **made_with: Any) -> Any:
    """Return a widget of some size that can draw itself without a running app."""

    class Bare(kind):  # type: ignore[misc]
        app = SimpleNamespace(theme_variables=VARIABLES)
        size = Size(width, height)
        has_focus = False

        def refresh(self, *_: object, **__: object) -> Any:
            return self

        def set_timer(self, *_: object, **__: object) -> None:
            return None

    return Bare(**made_with)


def drawn(widget: Any) -> str:
    """Return what a widget shows, each line checked."""
    lines = [widget.render_line(y) for y in range(widget.size.height)]
    return "\n".join(check_strip(line, widget.size.width) for line in lines)


def unwrapped(text: str) -> str:
    """Return text without the blanks that wrapping and margins put in."""
    return "".join(text.split())


widths = st.sampled_from(WIDTHS)


@few
@given(any_text, widths, st.sampled_from(Status))
def test_the_list_keeps_its_columns(text: str, width: int, status: Status) -> None:
    papers = bare(PaperList, width, on_moved=lambda: None, bring=lambda *_: None)
    papers.update(Rows.of([hostile_entry(text, status=status)] * 20), 1, parse(text).highlights())
    papers.selected = {"k"}
    drawn(papers)
    papers.update(Rows.of([]), 0, (), (text, text))
    drawn(papers)


@few
@given(any_text, widths)
def test_the_pane_keeps_its_columns(text: str, width: int) -> None:
    pane = bare(ReadingPane, width, 60)
    pane.update(hostile_entry(text), parse(text).highlights(), (text,))
    drawn(pane)


@few
@given(any_text, widths)
def test_sidebar_and_lines_keep_their_columns(text: str, width: int) -> None:
    rows = [Progress(f"anchor:{text}", text, 20, 3)]
    sidebar = bare(Sidebar, width)
    searches = [Progress(f"search:{text}", text, 9, 1), Progress("search:b", text, 0, 0, 7)]
    lists = [Progress("all", text, 10**6, 1)]
    sidebar.update(Overview(rows, lists, rows, searches), f"anchor:{text}")
    drawn(sidebar)
    for heading in (True, False):
        line = bare(StatusLine, width, 1, heading=heading)
        line.place(text, ["keys"])
        drawn(line)
        line.say(text)
        drawn(line)
        line.say(text, error=True)
        drawn(line)


@few
@given(any_text, widths)
def test_the_key_list_keeps_its_columns(text: str, width: int) -> None:
    keys = bare(KeyList, width, commands=all_commands(), keys=keys_of(all_commands(), {})[0])
    keys.search(text)
    drawn(keys)


@pytest.mark.parametrize("text", BRACKETS)
def test_brackets_are_shown_as_written(text: str) -> None:
    entry = hostile_entry(text)
    papers = bare(PaperList, 100, on_moved=lambda: None, bring=lambda *_: None)
    papers.update(Rows.of([entry]), 0)
    assert text in drawn(papers)
    pane = bare(ReadingPane, 100, 60)
    pane.update(entry, (), (text,))
    shown = unwrapped(drawn(pane))
    assert shown.count(unwrapped(text)) >= 7  # title, venue, id, tag, list, abstract, note
    assert unwrapped(", ".join(entry.paper.names)) in shown  # braces in names only group
    sidebar = bare(Sidebar, 80)
    sidebar.update(
        Overview([Progress("anchor:a", text, 1, 1)], [], [Progress("t", text, 1, 1)]), ""
    )
    assert drawn(sidebar).count(text) == 2
    line = bare(StatusLine, 100, 1)
    for error in (True, False):
        line.say(text, error=error)
        assert text in drawn(line)
    line.hush()
    line.place(text, [])
    assert text in drawn(line)


@pytest.mark.parametrize("text", HOSTILE)
def test_the_year_stands_in_the_same_column_for_every_title(text: str) -> None:
    papers = bare(PaperList, 100, on_moved=lambda: None, bring=lambda *_: None)
    papers.update(
        Rows.of([hostile_entry("plain"), hostile_entry(text), hostile_entry(text * 20)]), 0
    )
    columns = set()
    for line in drawn(papers).split("\n")[:3]:
        before, year, _ = line.rpartition("2020")
        assert year
        columns.add(cell_len(before))
    assert len(columns) == 1


def test_the_note_shows_in_the_list_where_it_has_room() -> None:
    papers = bare(PaperList, 120, on_moved=lambda: None, bring=lambda *_: None)
    entry = hostile_entry("[b] title")
    papers.update(Rows.of([entry]), 0)
    assert drawn(papers).count("[b] title") == 3  # title, note, author
    narrow = bare(PaperList, 30, on_moved=lambda: None, bring=lambda *_: None)
    narrow.update(Rows.of([hostile_entry("[/]")]), 0)
    assert "[/]" in drawn(narrow)


@pytest.mark.parametrize("width", [100, 60, 41, 20])
def test_a_long_title_is_cut_in_the_list_and_whole_in_the_pane(width: int) -> None:
    title = " ".join(f"[word{number}]" for number in range(34))[:300]
    entry = hostile_entry(title)
    papers = bare(PaperList, width, on_moved=lambda: None, bring=lambda *_: None)
    papers.update(Rows.of([entry]), 0)
    assert "…" in drawn(papers)
    pane = bare(ReadingPane, width, 400)
    pane.update(entry, (), ())
    assert unwrapped(title) in unwrapped(drawn(pane))


def test_matches_are_marked_at_their_place() -> None:
    pane = bare(ReadingPane, 60, 40)
    entry = hostile_entry("[CLS] 機械 👩‍🔬 memory [/] memory\tbottleneck")
    pane.update(entry, parse("memory").highlights(), ())
    marked = [
        segment.text
        for y in range(40)
        for segment in pane.render_line(y)
        if segment.style == pane.inks.mark
    ]
    assert marked
    assert set(marked) == {"memory"}


def test_an_indented_note_is_shown_whole() -> None:
    pane = bare(ReadingPane, 24, 40)
    note = "x\n" + " " * 30 + "deep\n\t\t- [item] behind tabs"
    entry = hostile_entry("t")
    pane.update(type(entry)(entry.paper, entry.mark, note), (), ())
    shown = unwrapped(drawn(pane))
    assert "deep" in shown
    assert "-[item]behindtabs" in shown


# The running program


def records() -> Iterator[str]:
    yield json.dumps({"key": "anchor", "title": "[/b] Anchor [red]: 機械"})
    for number, text in enumerate(HOSTILE):
        yield json.dumps(
            {
                "key": f"k{number}",
                "title": text,
                "authors": [text],
                "venue": text,
                "abstract": f"{text} {text}…",
                "ids": {"other": text},
                "tags": [text],
                "note": text,
                "anchors": ["anchor"],
            }
        )


async def test_hostile_papers_are_walked_through(
    running: Running, folder: Any, tmp_path: Any, shared: Any
) -> None:
    file = tmp_path / "hostile.jsonl"
    file.write_text("\n".join(records()), "utf-8")
    library = Library(folder, tmp_path / "cache")
    reports = library.import_files(
        [file, shared / "cases/H01-square-brackets", shared / "cases/H16-cell-widths"]
    )
    assert not reports[0].refused
    library.close()
    async with running(size=(120, 40)) as program:
        assert program.screen.place.name == "anchor:anchor"
        assert "[/b] Anchor [red]: 機械" in program.shown(program.screen.heading)
        for text in HOSTILE:
            shown = check_screen(program)
            if text in BRACKETS:
                assert shown.count(text) >= 5
            await do(program, "down")
        await program.press("h")
        check_screen(program)
        await program.press("l", "g", "t")
        assert HOSTILE[0] in program.shown().partition("tags ─")[2]  # the title over the box
        check_screen(program)
        await program.press("escape", "V", "t", "escape", "escape", "e")
        assert program.screen.editor.text == HOSTILE[0]
        check_screen(program)
        await program.press("escape", "/")
        await paste(program, "[/] \\")
        check_screen(program)
        await program.press("ctrl+u")
        await paste(program, "SEP")
        assert "[SEP]" in check_screen(program)
        await program.press("escape")
        for text in HOSTILE[::3]:
            program.screen.complain(text)
            await program.settle()
            shown = check_screen(program)
            assert text not in BRACKETS or text in shown
            program.screen.editor.tell(text)
        await program.press("ctrl+p")
        check_screen(program)
        await paste(program, "[/]")
        check_screen(program)
        await program.press("escape")
        for size in ((60, 20), (41, 12), (10, 3)):
            await program.pilot.resize_terminal(*size)
            for name in ("last", "pane-right", "previous-list", "pane-left"):
                await do(program, name)
                check_screen(program)


async def test_nothing_in_the_data_can_be_clicked(running: Running, folder: Any) -> None:
    library = Library(folder, folder.parent / "cache")
    file = folder.parent / "click.jsonl"
    text = "[@click=app.quit]here[/] [link=http://x]y[/link]"
    file.write_text(json.dumps({"title": text, "abstract": text, "note": text}))
    library.import_files([file])
    library.close()
    async with running() as program:
        pane = program.screen.paper
        for y in range(pane.count):
            await program.pilot.click(pane, offset=(8, y))
        await program.settle()
        assert program.app.is_running
        assert program.shown(pane).count("[@click=app.quit]here[/]") == 3
