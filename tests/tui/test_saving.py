"""Searches kept as lists of the sidebar."""

from __future__ import annotations

from pathlib import Path

from anchorlight.store import Library

from .conftest import Running


async def test_what_is_typed_is_saved_as_a_list(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("memory")
        await program.press("ctrl+s")
        assert "save search" in program.shown()
        await program.type("mine [/]")
        await program.press("enter")
        assert "saved as “mine [/]”" in program.shown(program.screen.status)
        sidebar = program.shown(program.screen.sidebar)
        assert "SEARCHES" in sidebar
        assert "mine [/]" in sidebar
        assert "search:mine [/]" in program.screen.sidebar.names()


async def test_its_name_is_the_query_unless_one_is_given(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("gpu memory")
        await program.press("ctrl+s", "enter")
        assert "search:gpu memory" in program.screen.sidebar.names()


async def test_it_opens_and_its_counts_follow_what_is_read(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("memory")
        await program.press("tab")
        found = len(program.titles)
        await program.press("ctrl+s", "enter", "escape")
        program.screen.flow.open("search:memory")
        await program.settle()
        assert len(program.titles) == found
        assert f"0/{found}" in program.shown(program.screen.sidebar)
        await program.press("r")
        assert f"1/{found}" in program.shown(program.screen.sidebar)
        await program.press("/")
        await program.type("training")
        assert 0 < len(program.titles) < found


async def test_it_is_removed_and_comes_back(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("memory")
        await program.press("ctrl+s", "enter", "escape", "D")
        assert "search:memory" in program.screen.sidebar.names()  # another list is open
        program.screen.flow.open("search:memory")
        await program.settle()
        await program.press("D")
        assert "search:memory" not in program.screen.sidebar.names()
        assert program.screen.wanted.name in program.screen.sidebar.names()
        await program.press("U")
        assert "search:memory" in program.screen.sidebar.names()


async def test_nothing_is_saved_where_nothing_is_searched_for(running: Running) -> None:
    async with running() as program:
        await program.press("ctrl+s")
        assert program.app.screen is program.screen
        assert "Nothing is searched for yet." in program.shown(program.screen.status)
        await program.press("/")
        await program.type("memory")
        await program.press("ctrl+s", "escape")
        assert not [one for one in program.screen.sidebar.names() if one.startswith("search:")]


async def test_the_list_shows_what_matched_outside_the_title(running: Running) -> None:
    async with running(size=(160, 40)) as program:
        await program.press("/")
        await program.type("capacity")
        lines = program.shown(program.screen.papers).splitlines()
        assert any("capacity" in line.lower() for line in lines)
        assert not any("capacity" in title.lower() for title in program.titles[:1])


async def test_it_is_counted_the_next_day_and_opens_where_it_was_left(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("memory")
        await program.press("tab", "ctrl+s")
        await program.type("mine")
        await program.press("enter", "escape")
        program.screen.flow.open("search:mine")
        await program.settle()
        titles = program.titles
        await program.press("q")
    async with running() as program:
        assert program.screen.place.name == "search:mine"
        assert program.titles == titles
        assert f"0/{len(titles)}" in program.shown(program.screen.sidebar)
        assert "filter" not in program.shown(program.screen.status).split("space")[0]


async def test_one_that_finds_nothing_says_what_it_looks_for(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("zzz[/]")
        await program.press("ctrl+s", "enter", "escape")
        program.screen.flow.open("search:zzz[/]")
        await program.settle()
        assert "No match for “zzz[/]”" in program.shown(program.screen.papers)


async def test_it_is_saved_from_the_list_that_a_filter_was_kept_for(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("memory")
        assert "ctrl+s save" in program.shown(program.screen.filter_state)
        await program.press("enter", "ctrl+s", "enter")
        assert program.screen.focused is program.screen.papers
        assert "search:memory" in program.screen.sidebar.names()


async def test_one_that_another_program_removes_while_it_is_open(
    running: Running, folder: Path
) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("memory")
        await program.press("ctrl+s", "enter", "escape")
        program.screen.flow.open("search:memory")
        await program.settle()
        other = Library(folder, folder.parent / "cache")
        other.remove_search("memory")
        other.close()
        await program.press("ctrl+l")
        assert "search:memory" not in program.screen.sidebar.names()
        assert program.screen.place.name in program.screen.sidebar.names()
        assert program.titles
