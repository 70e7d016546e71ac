"""Choosing the order of a list, which each list keeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Program, Running


def years(program: Program) -> list[int]:
    return [entry.paper.year or 0 for entry in program.screen.papers.entries]


async def test_a_letter_chooses_the_order(running: Running) -> None:
    async with running() as program:
        as_listed = program.titles
        await program.press("z")
        assert "newest first" in program.shown()
        await program.press("y")
        assert program.app.screen is program.screen
        assert years(program) == sorted(years(program), reverse=True)
        assert sorted(program.titles) == sorted(as_listed)
        assert "newest first" in program.shown(program.screen.status)
        await program.press("z", "l")
        assert program.titles == as_listed
        assert "as in the list" not in program.shown(program.screen.status)


async def test_the_cursor_chooses_too_and_escape_leaves_it_as_it_is(running: Running) -> None:
    async with running() as program:
        as_listed = program.titles
        await program.press("z", "j", "escape")
        assert program.titles == as_listed
        await program.press("z", "j", "enter")
        assert years(program) == sorted(years(program), reverse=True)


async def test_each_list_keeps_its_order_also_filtered_and_the_next_day(running: Running) -> None:
    async with running() as program:
        await program.press("z", "y", "J")
        assert years(program) != sorted(years(program), reverse=True)
        await program.press("K", "/")
        await program.type("training")
        assert years(program) == sorted(years(program), reverse=True)
        await program.press("escape", "q")
    async with running() as program:
        assert years(program) == sorted(years(program), reverse=True)


@pytest.mark.parametrize(("letter", "says"), [("t", "by title"), ("r", "last read first")])
async def test_the_whole_library_is_sorted_apart(running: Running, letter: str, says: str) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("memory")
        await program.press("tab", "enter")
        best_first = program.titles
        await program.press("z", letter)
        assert says in program.shown(program.screen.status)
        assert sorted(program.titles) == sorted(best_first)
        if letter == "t":
            titled = [title for title in program.titles if not title.startswith("“")]
            assert titled == sorted(titled, key=str.lower)
        await program.press("z", "b")
        assert program.titles == best_first


@pytest.mark.parametrize("orders", [None, [], {"": 7}, {"search:x": ["year"]}, {"all": "none"}])
async def test_orders_of_a_damaged_session_are_passed_over(
    running: Running, folder: Path, orders: object
) -> None:
    async with running() as program:
        as_listed = program.titles
        await program.press("q")
    path = folder / "session.json"
    session = json.loads(path.read_bytes())
    path.write_text(json.dumps(session | {"orders": orders}), "utf-8")
    async with running() as program:
        assert program.titles == as_listed
        await program.press("z", "t")
        assert "by title" in program.shown(program.screen.status)
