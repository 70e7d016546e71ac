"""Settling papers that may be one, side by side."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from anchorlight.store import Change, Entry, Library, Mark, NotSavedError, Paper, Status
from anchorlight.tui.comparing import DIFFERENT, ONE_ONLY, SAME, compare
from anchorlight.tui.settling import SettlingScreen

from .conftest import GuardedLibrary, Program, Running
from .driving import check_screen
from .hostile import HOSTILE

TITLE = "Efficient Pipeline Parallel Training"
PAPERS: tuple[dict[str, Any], ...] = (
    {"key": "anchor", "title": "The Anchor of a List", "authors": ["C D"], "year": 2020},
    {
        "key": "printed", "title": TITLE, "authors": ["Ann Lee"], "year": 2021, "venue": "SC",
        "ids": {"doi": "10.1000/x"}, "anchors": ["anchor"],
    },
    {
        "key": "preprint", "title": TITLE, "authors": ["Ann Lee"], "year": 2020,
        "abstract": "Pipelines keep every device busy.", "ids": {"arxiv": "2104.04473"},
        "anchors": ["anchor"],
    },
    {"key": "typo", "title": f"{TITLE} of Words", "authors": ["Bo Li"], "year": 2001},
    {"key": "right", "title": f"{TITLE} of Wordds", "authors": ["Bo Li"], "year": 2001},
    {"key": "else", "title": "Something Else Entirely", "authors": ["E F"], "year": 1999},
)  # fmt: skip


@pytest.fixture
def twins(folder: Path, tmp_path: Path) -> Path:
    """A library with two pairs of papers that may be one."""
    file = tmp_path / "twins.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in PAPERS), "utf-8")
    library = Library(folder, tmp_path / "cache")
    assert library.import_files([file])[0].added == len(PAPERS)
    library.write_note("preprint", "see figure 3")
    library.mark({"preprint": Change(status=Status.READ, add_tags=("pipe",))})
    library.refresh_index()
    library.close()
    return folder


def settling(program: Program) -> SettlingScreen:
    screen = program.app.screen
    assert isinstance(screen, SettlingScreen)
    return screen


@pytest.mark.parametrize("size", [(200, 50), (100, 30), (80, 24), (40, 12)])
async def test_two_papers_are_shown_with_what_speaks_for_it(
    running: Running, twins: Path, size: tuple[int, int]
) -> None:
    async with running(size=size, seeds=None) as program:
        await program.press("M")
        text = check_screen(program)
        assert "1 of 2" in text
        assert "same title" in text
        assert "≠" in text
        assert "enter join" in text
        pane = settling(program).pane
        whole = "\n".join(pane.draw(index, size[0]).text for index in range(pane.count))
        assert "preprint arXiv:2104.04473" in whole.replace("\n", " ")
        assert "as one paper" in whole
        beside = any(
            "printed" in line and "preprint" in line for line in whole.splitlines() if "key" in line
        )
        assert beside == (size[0] >= 100)
        await program.press("end")
        assert pane.top + pane.page >= pane.count


async def test_joined_under_the_key_that_was_chosen(running: Running, twins: Path) -> None:
    async with running(size=(120, 40), seeds=None) as program:
        program.screen.flow.open("anchor:anchor")
        await program.settle()
        assert len(program.titles) == 2
        await program.press("M")
        assert "keeps 1: printed" in program.shown()
        await program.press("right")
        assert "keeps 2: preprint" in program.shown()
        await program.press("1", "2", "enter")
        assert "joined: printed is preprint now" in program.shown()
        assert "1 of 1" in program.shown()
        await program.press("escape")
        assert program.app.screen is program.screen
        assert program.titles == [TITLE]
        assert program.current == "preprint"
        assert "1/1" in program.shown(program.screen.sidebar)
        paper = program.shown(program.screen.paper)
        assert "doi:10.1000/x" in paper
        assert "see figure 3" in paper
        assert "All papers                  5" in program.shown(program.screen.sidebar)
        await program.press("U")
        assert len(program.titles) == 2
        assert "joining of two papers taken back" in program.said
        await program.press("ctrl+r")
        assert program.titles == [TITLE]


async def test_kept_apart_is_not_offered_again(running: Running, twins: Path) -> None:
    async with running(seeds=None) as program:
        await program.press("M", "d")
        assert "1 of 1" in program.shown()
        await program.press("d")
        assert "Nothing is left to settle." in program.shown()
        await program.press("enter", "d", "n", "p", "1", "escape", "M")
        assert "No two papers look like one." in program.shown()
        await program.press("q")
    async with running(seeds=None) as program:
        await program.press("M")
        assert "No two papers look like one." in program.shown()
        await program.press("U")
        assert "Nothing was settled here yet." in program.shown()


async def test_going_on_without_deciding_and_taking_back(running: Running, twins: Path) -> None:
    async with running(seeds=None) as program:
        await program.press("M", "n")
        assert "2 of 2" in program.shown()
        await program.press("n")
        assert "That is the last pair." in program.shown()
        await program.press("p", "p")
        assert "That is the first pair." in program.shown()
        await program.press("m")
        assert "1 of 1" in program.shown()
        await program.press("d", "U")
        assert "papers kept apart taken back" in program.shown()
        assert "1 of 1" in program.shown()
        await program.press("U")
        assert "1 of 2" in program.shown()
        assert "keeps 1: printed" in program.shown()
        await program.press("escape")
        assert "All papers                  6" in program.shown(program.screen.sidebar)


async def test_three_of_one_paper_become_one(running: Running, twins: Path, tmp_path: Path) -> None:
    library = Library(twins, tmp_path / "cache")
    file = tmp_path / "third.jsonl"
    file.write_text(
        json.dumps({"key": "third", "title": TITLE, "authors": ["A. Lee"], "year": 2022})
    )
    library.import_files([file])
    library.close()
    async with running(seeds=None) as program:
        await program.press("M")
        assert "1 of 4" in program.shown()
        await program.press("enter")
        assert "1 of 2" in program.shown()  # of two pairs with the third one is left
        await program.press("enter", "enter")
        assert "Nothing is left to settle." in program.shown()
        await program.press("U", "U", "U")
        assert "1 of 4" in program.shown()


async def test_finding_can_be_ended(running: Running, twins: Path) -> None:
    begun, ended = Event(), Event()

    class Slow(GuardedLibrary):
        def duplicates(self, going_on: Any = None) -> Any:
            begun.set()
            while going_on(1, 100_000):
                pass
            ended.set()
            return []

    async with running(seeds=None, library=Slow) as program:
        await program.pilot.press("M")
        while "1 of 100,000 papers looked at" not in program.shown():
            await program.pilot.pause()
        await program.press("escape")
        assert program.app.screen is program.screen
        assert ended.wait(20)
        await program.press("j")
        assert program.current == "preprint"  # reading goes on


async def test_what_cannot_be_stored_is_said_and_can_be_tried_again(
    running: Running, twins: Path
) -> None:
    broken = [True]

    class Full(GuardedLibrary):
        def join(self, keep: str, other: str) -> Entry:
            if broken:
                raise NotSavedError("Not saved: the disk is full.")
            return super().join(keep, other)

    async with running(seeds=None, library=Full) as program:
        await program.press("M", "enter")
        assert "Not saved: the disk is full." in program.shown()
        assert "1 of 2" in program.shown()
        broken.clear()
        await program.press("enter")
        assert "1 of 1" in program.shown()


async def test_a_pair_of_which_one_is_gone_is_passed_over(
    running: Running, twins: Path, tmp_path: Path
) -> None:
    async with running(seeds=None) as program:
        await program.press("M", "n")
        other = Library(twins, tmp_path / "cache")
        other.join("printed", "preprint")
        other.close()
        await program.pilot.pause(0)
        await program.screen._poll()
        await program.press("p")
        assert "1 of 1" in program.shown()


@pytest.mark.parametrize("size", [(200, 50), (40, 12), (20, 5)])
async def test_hostile_texts_are_drawn_safely(
    running: Running, folder: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    file = tmp_path / "hostile.jsonl"
    texts = "\n".join(HOSTILE)
    record = {"title": texts, "authors": [*HOSTILE], "venue": texts, "abstract": texts * 9}
    records = [
        {**record, "key": "one", "year": 2020, "ids": {"doi": "10.1000/x"}},
        {**record, "key": "two", "year": 2021, "ids": {"doi": "10.1000/y", "pmid": texts}},
    ]
    file.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    library = Library(folder, tmp_path / "cache")
    library.import_files([file])
    for key in ("one", "two"):
        library.write_note(key, f"{key}\n{texts}")
    library.close()
    async with running(size=size, seeds=None) as program:
        await program.press("M")
        check_screen(program)
        await program.press("space", "2", "j", "k", "home", "pagedown", "pageup", "enter")
        check_screen(program)


def test_fields_are_the_same_different_or_of_one_alone() -> None:
    one = Entry(Paper("one", title="T", year=2020, ids={"doi": "10.1000/x"}), Mark(starred=True))
    two = Entry(Paper("two", title="T", year=2021, date="2021-05"), anchors=("a", "b"))
    rows = {row.label: row for row in compare(one, two, one, {"a": "The Anchor"})}
    assert rows["title"].sign == SAME
    assert rows["year"][1:] == ("2020", "2021-05", "2020")
    assert rows["year"].sign == DIFFERENT
    assert rows["DOI"].sign == rows["lists"].sign == ONE_ONLY
    assert rows["lists"].second == "The Anchor; b"
    assert rows["status"].first == "unread, starred"
    assert "abstract" not in rows
