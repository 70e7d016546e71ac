"""Every size, every empty place, and a library that cannot be written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from anchorlight.store import Library
from anchorlight.tui.commands import all_commands
from anchorlight.tui.widgets.lines import Lines

from .conftest import Program, Running
from .driving import check_screen, do, paste

SIZES = ((200, 50), (110, 30), (100, 30), (80, 24), (70, 20), (60, 20), (40, 12), (40, 10))


def visible(program: Program) -> list[str]:
    """Return the panes that are seen, from left to right and top to bottom."""
    panes = {"sidebar": program.screen.sidebar, "papers": program.screen.papers}
    panes |= {"paper": program.screen.paper, "note": program.screen.editor}
    return [name for name, pane in panes.items() if pane.is_on_screen and pane.region.area]


def panes_at(width: int) -> list[str]:
    """Return the panes that a screen of some width has room for."""
    if width < 70:
        return ["papers"]
    return ["papers", "paper"] if width < 110 else ["sidebar", "papers", "paper"]


def check_size(program: Program, width: int) -> None:
    """Check that place, list and heading are seen."""
    lines = check_screen(program).split("\n")
    assert "1 of 20" in lines[-1]
    assert "? keys" in lines[-1] or width < 60
    assert "Cephalo" in lines[0]
    assert "MemFine" in lines[1]
    assert visible(program) == panes_at(width)


async def test_every_size_has_room_for_reading(running: Running) -> None:
    async with running(size=SIZES[0]) as program:
        for width, height in SIZES:
            await program.pilot.resize_terminal(width, height)
            await program.settle()
            check_size(program, width)
            await program.press("l")
            assert "paper" in visible(program)
            assert "Zhao" in check_screen(program)
            await program.press("h")


@pytest.mark.parametrize("size", [(110, 30), (80, 24), (40, 10)], ids=lambda size: f"{size[0]}")
async def test_every_size_has_room_for_sidebar_note_and_dialogs(
    running: Running, size: tuple[int, int]
) -> None:
    async with running(size=size) as program:
        check_size(program, size[0])
        await program.press("h")
        assert "sidebar" in visible(program)
        assert "Mimose" in check_screen(program)
        await program.press("l", "e")
        await paste(program, "[note]")
        assert "[note]" in program.shown(program.screen.editor)
        assert "note" in visible(program)
        check_screen(program)
        await program.press("escape")
        assert visible(program) == panes_at(size[0])
        for key in ("?", "t", "ctrl+p"):
            await program.press(key)
            assert len(program.app.screen_stack) == 2
            check_screen(program)
            await program.press("escape")
            assert len(program.app.screen_stack) == 1
        await program.press("/")
        await paste(program, "memory")
        assert "memory" in check_screen(program)


@pytest.mark.parametrize("size", [(39, 30), (120, 9), (20, 5), (3, 1)])
async def test_below_the_smallest_size_there_is_one_plain_line(
    running: Running, size: tuple[int, int]
) -> None:
    async with running(size=size) as program:
        lines = [line for line in check_screen(program).split("\n") if line.strip()]
        assert len(lines) == 1
        assert size[0] < 10 or "1/20" in lines[0]
        await program.press("j")
        assert size[0] < 10 or "2/20" in check_screen(program)
        await program.pilot.resize_terminal(120, 40)
        await program.settle()
        assert "2 of 20" in check_screen(program)
        assert visible(program) == ["sidebar", "papers", "paper"]


async def test_resizing_keeps_the_place(running: Running) -> None:
    async with running(size=(120, 40)) as program:
        await program.press("G", "k", "l")
        key = program.current
        for size in (*SIZES[::-1], (20, 5), (120, 40)):
            await program.pilot.resize_terminal(*size)
            await program.settle()
            check_screen(program)
            assert program.current == key
            if "papers" in visible(program):
                papers = program.screen.papers
                assert papers.top <= papers.index < papers.top + papers.page
        assert program.screen.focused is program.screen.paper


async def test_resizing_keeps_the_editor_and_what_was_typed(running: Running) -> None:
    async with running(size=(120, 40)) as program:
        await program.press("e")
        await paste(program, "one [two]")
        for size in ((60, 20), (40, 12), (30, 5), (100, 30), (200, 50)):
            await program.pilot.resize_terminal(*size)
            await program.settle()
            check_screen(program)
            assert program.screen.editor.text == "one [two]"
            if size != (30, 5):
                assert "one [two]" in program.shown(program.screen.editor)
                assert program.screen.focused is program.screen.editor
        await paste(program, " more")
        assert program.screen.editor.text == "one [two] more"


async def test_quitting_saves_also_where_the_editor_has_no_room(
    running: Running, folder: Path
) -> None:
    async with running(size=(120, 40)) as program:
        await program.press("e")
        await paste(program, "kept")
        await program.pilot.resize_terminal(30, 5)
        await program.settle()
        await program.press("j", "r")  # no commands: the reader was typing
        assert program.screen.papers.entries[0].mark.status == "unread"
        key = program.current
        await program.press("ctrl+q")
        assert not program.app.is_running
    library = Library(folder, folder.parent / "cache")
    assert library.entry(key).note == "kept"
    library.close()


@pytest.mark.parametrize(("key", "box"), [("t", "#tags-box"), ("?", "#help-search")])
async def test_resizing_keeps_the_dialog_and_what_was_typed(
    running: Running, key: str, box: str
) -> None:
    async with running(size=(120, 40)) as program:
        await program.press(key)
        await paste(program, "star")
        dialog = program.app.screen
        for size in ((60, 20), (40, 12), (20, 5), (100, 30)):
            await program.pilot.resize_terminal(*size)
            await program.settle()
            check_screen(program)
            assert program.app.screen is dialog
            assert dialog.query_one(box).value == "star"  # type: ignore[attr-defined]
        await paste(program, "red")
        assert dialog.query_one(box).value == "starred"  # type: ignore[attr-defined]
        assert "starred" in program.shown()
        await program.press("escape")


async def test_resizing_keeps_the_filter(running: Running) -> None:
    async with running(size=(120, 40)) as program:
        await program.press("/")
        await paste(program, "memory")
        found = program.titles
        for size in ((60, 20), (20, 5), (100, 30)):
            await program.pilot.resize_terminal(*size)
            await program.settle()
            check_screen(program)
        assert program.screen.focused is program.screen.box  # else x would skip the paper
        await paste(program, "x")
        assert program.screen.box.value == "memoryx"
        await program.press("backspace")
        assert program.titles == found


# Empty places


async def test_an_empty_library_says_so_and_every_key_is_harmless(running: Running) -> None:
    async with running(seeds=None) as program:
        shown = check_screen(program)
        assert "This library is empty." in shown
        assert "anchorlight import" in shown
        assert "0 papers" in program.shown(program.screen.status)
        for one in all_commands():
            if one.name != "quit":
                await do(program, one.name)
                check_screen(program)
                if program.app.screen is not program.screen or not isinstance(
                    program.app.focused, Lines
                ):
                    await program.press("escape")
        await program.press("5", "j", "v", "r", "space", "n")
        assert program.app.is_running
        assert len(program.app.screen_stack) == 1
        await program.press("h", "j", "j", "j", "l")
        assert "0 papers" in check_screen(program)


@pytest.fixture
def with_papers(folder: Path, tmp_path: Path) -> Callable[..., None]:
    """Fill the library with papers of one's own, instead of the seed lists."""

    def fill(*records: dict[str, object]) -> None:
        file = tmp_path / "own.jsonl"
        file.write_text("\n".join(map(json.dumps, records)), "utf-8")
        library = Library(folder, tmp_path / "cache")
        assert not library.import_files([file])[0].refused
        library.close()

    return fill


async def test_a_list_without_related_papers_says_so(
    running: Running, with_papers: Callable[..., None], folder: Path
) -> None:
    with_papers({"key": "a", "title": "Lonely [anchor]"}, {"key": "b", "title": "Other"})
    with (folder / "papers.jsonl").open("a") as file:
        file.write(json.dumps({"list": "a", "papers": []}) + "\n")
    library = Library(folder, folder.parent / "cache")
    if not library.overview().anchors:
        pytest.skip("an empty list is written in another way")
    library.close()
    async with running() as program:
        shown = check_screen(program)
        assert "No related papers." in shown
        assert "Lonely [anchor]" in shown
        assert "0/0" in program.shown(program.screen.sidebar)
        await program.press("r", "j", "e", "t", "space")
        check_screen(program)


async def test_papers_without_any_list_are_all_shown(
    running: Running, with_papers: Callable[..., None]
) -> None:
    with_papers({"title": "Only [one] paper here"})
    async with running() as program:
        shown = check_screen(program)
        assert "All papers" in shown
        assert "Only [one] paper here" in program.shown(program.screen.papers)
        assert "No abstract is known." in shown
        await program.press("J", "J")
        shown = check_screen(program)
        assert "Nothing here yet." in shown
        assert "This library is empty." not in shown


@pytest.mark.parametrize(
    ("downs", "said"), [(2, "s puts a star"), (3, "e writes a note"), (4, "mark show up here")]
)
async def test_an_empty_smart_list_says_what_fills_it(
    running: Running, downs: int, said: str
) -> None:
    async with running() as program:
        await program.press(*"JJJ", *"J" * downs)
        shown = check_screen(program)
        assert "Nothing here yet." in shown
        assert said in shown


async def test_a_search_without_hits_says_so(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await paste(program, "zz[/b]zz")
        shown = check_screen(program)
        assert "No match for “zz[/b]zz”" in shown
        assert "0 papers" in program.shown(program.screen.status)
        assert "esc" in shown
        await program.press("tab")
        assert "No match for “zz[/b]zz”" in check_screen(program)
        await program.press("enter", "r", "e", "t", "o", "space", "v")
        assert len(program.app.screen_stack) == 1
        await program.press("escape")
        assert len(program.titles) == 20


async def test_a_title_of_three_hundred_characters(
    running: Running, with_papers: Callable[..., None]
) -> None:
    title = " ".join(f"[word{number}]" for number in range(34))[:300]
    with_papers(
        {"key": "anchor", "title": title},
        {"key": "long", "title": title + "!", "authors": [title] * 30, "anchors": ["anchor"]},
        {"key": "one-word", "title": "x" * 300, "anchors": ["anchor"]},
    )
    async with running(size=(100, 40)) as program:
        check_screen(program)
        pane = "".join(program.shown(program.screen.paper).split())
        assert "".join(title.split()) in pane
        await program.press("t")
        assert "[word0]" in check_screen(program)
        await program.press("escape", "j")
        assert "".join(program.shown(program.screen.paper).split()).count("x") >= 300
        await program.pilot.resize_terminal(40, 12)
        await program.settle()
        check_screen(program)
        await program.press("l")
        check_screen(program)


# A library that cannot be written


async def test_a_read_only_library_opens_and_says_what_is_not_saved(
    running: Running, with_papers: Callable[..., None], folder: Path
) -> None:
    with_papers({"key": "a", "title": "Anchor"}, {"key": "b", "title": "B", "anchors": ["a"]})
    facts = json.loads((folder / "library.json").read_text("utf-8"))
    (folder / "library.json").write_text(json.dumps(facts | {"format": 99}), "utf-8")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    async with running(size=(160, 40)) as program:
        assert "read-only" in program.said
        assert "B" in program.titles
        await program.press("s")
        assert "not saved" in program.said.lower()
        assert not program.screen.papers.entries[0].mark.starred
        await program.press("r")
        assert "not saved" in program.said.lower()
        assert program.screen.papers.entries[0].mark.status == "unread"
        await program.press("e")
        assert "read-only" in program.said
        assert "saved" in program.said
        await paste(program, "ttoo")
        check_screen(program)
        await program.press("escape", "escape", "escape", "j")
        assert program.app.is_running
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert {**after, "lock": b""} == {**before, "lock": b""}


async def test_a_mark_or_note_that_cannot_be_stored_is_told_and_kept_in_the_editor(
    running: Running, folder: Path
) -> None:
    async with running(library=Library, size=(160, 40)) as program:
        library = await program.screen.gateway.read(lambda library: library)
        library.read_only = f"{folder} cannot be written; it is opened read-only."
        await program.press("r")
        assert "Not saved" in program.said
        assert program.screen.papers.entries[0].mark.status == "unread"
        await program.press("e")
        await paste(program, "kept")
        await program.press("escape")
        assert "Not saved" in program.said
        assert program.screen.editor.text == "kept"
        assert program.screen.editor.display
        library.read_only = ""
        await program.press("escape")
        assert library.entry(program.current).note == "kept"


async def test_the_terminals_cursor_stands_on_the_current_row(running: Running) -> None:
    async with running(size=(120, 40)) as program:
        for key in ("j", "j", "k", "G", "g"):
            await program.press(key)
            papers = program.screen.papers
            row = papers.content_region.y + papers.index - papers.top
            assert program.app.cursor_position.y == row


async def test_mistakes_in_the_config_are_told_at_the_start(running: Running) -> None:
    async with running(keys={"nope[/]": ("z",), "star": ("zz",)}) as program:
        assert "nope[/]" in program.said
        assert "1 more" in program.said
        check_screen(program)
