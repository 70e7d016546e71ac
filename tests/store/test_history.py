from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import (
    CannotUndoError,
    Change,
    Library,
    NoSuchPaperError,
    NotSavedError,
    ReadOnlyError,
    Status,
    files,
    history,
)
from anchorlight.store.catalogue import Span
from anchorlight.store.history import History, Step
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import SMALL, Clock
from .helpers import Open, Put, contents, full, state

NOW = "2026-01-15T12:00:00.000+00:00"


class Table:
    """A stored history, as the journal keeps it."""

    def __init__(self, *documents: Any) -> None:
        self.documents = {str(number): one for number, one in enumerate(documents, 1)}
        self.history = History(lambda: self.documents)

    def store(self, changes: dict[str, Any]) -> None:
        for number, document in changes.items():
            if document is None:
                del self.documents[number]
            else:
                self.documents[number] = document

    def add(self, *whats: str) -> None:
        for what in whats:
            self.store(self.history.adding(a_step(what)))

    def turn(self, which: str) -> str | None:
        """Undo or redo, and return what."""
        found = self.history.last_done() if which == "undo" else self.history.first_undone()
        if found is None:
            return None
        number, step = found
        self.store({number: a_step(step.what, undone=not step.undone).to_document()})
        return step.what

    @property
    def done(self) -> list[str]:
        return [one["what"] for one in self.documents.values() if not one.get("undone")]


def a_step(what: str, *, undone: bool = False, papers: int = 1) -> Step:
    keys = [f"k{number}" for number in range(papers)]
    return Step(what, NOW, undone, dict.fromkeys(keys, Change(starred=True)))


# Steps


def test_a_step_that_was_stored_is_the_same() -> None:
    step = Step(
        "tags on 2 papers",
        NOW,
        changes={"a": Change(Status.READ, starred=False, add_tags=("x",)), "b": Change()},
        notes={"b": "text", "c": ""},
        papers=Span(3, 9, 77),
    )
    for one in (step, Step("mark", NOW, undone=True), Step("note", NOW, notes={"k": ""})):
        assert Step.of_document(json.loads(json.dumps(one.to_document()))) == one
    assert step.keys == ("a", "b", "c")


DAMAGED: list[Any] = [
    {}, {"what": "mark"}, {"when": NOW}, {"what": "mark", "when": NOW, "marks": []},
    {"what": "mark", "when": NOW, "marks": {"k": 7}},
    {"what": "mark", "when": NOW, "marks": {"k": {"status": "pondered"}}},
    {"what": "mark", "when": NOW, "marks": None}, {"what": "note", "when": NOW, "notes": [1]},
    {"what": "import", "when": NOW, "papers": None}, {"what": "import", "when": NOW, "papers": 5},
    {"what": "import", "when": NOW, "papers": [1, 2]},
    {"what": "import", "when": NOW, "papers": ["a", "b", "c"]},
]  # fmt: skip


@pytest.mark.parametrize("document", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_step_is_passed_over(document: Any) -> None:
    assert Step.of_document(document) is None
    table = Table(a_step("one").to_document(), document, a_step("two").to_document(), document)
    assert table.turn("undo") == "two"
    assert table.turn("undo") == "one"
    assert table.turn("undo") is None
    assert table.turn("redo") == "one"
    assert table.turn("redo") == "two"
    table.add("three")
    assert table.turn("undo") == "three"


@pytest.mark.parametrize("number", ["x", "", "-1", "1.5", "²", "٣"])
def test_a_damaged_number_is_no_trouble(number: str) -> None:
    table = Table(a_step("one").to_document())
    table.documents[number] = a_step("two").to_document()
    table.add("three")
    assert [table.turn("undo") for _ in range(4)] == ["three", "two", "one", None]


# Undoing and doing again


def test_what_was_undone_last_is_done_again_first() -> None:
    table = Table()
    assert table.turn("undo") is None
    assert table.turn("redo") is None
    table.add("one", "two", "three")
    assert [table.turn("undo") for _ in range(2)] == ["three", "two"]
    assert table.turn("redo") == "two"
    assert [table.turn("undo") for _ in range(3)] == ["two", "one", None]
    assert [table.turn("redo") for _ in range(4)] == ["one", "two", "three", None]


def test_after_a_new_step_what_was_undone_is_gone() -> None:
    table = Table()
    table.add("one", "two", "three")
    table.turn("undo")
    table.turn("undo")
    table.add("four")
    assert table.turn("redo") is None
    assert table.done == ["one", "four"]
    assert [table.turn("undo") for _ in range(3)] == ["four", "one", None]


@settings(max_examples=50)
@given(st.lists(st.sampled_from(["add", "undo", "redo"]), max_size=30))
def test_a_history_is_a_line_that_is_walked_back_and_forth(moves: list[str]) -> None:
    table, line, at = Table(), list[str](), 0
    for number, move in enumerate(moves):
        if move == "add":
            line[at:] = [f"step {number}"]
            at += 1
            table.add(f"step {number}")
        elif move == "undo":
            assert table.turn("undo") == (line[at - 1] if at else None)
            at = max(0, at - 1)
        else:
            assert table.turn("redo") == (line[at] if at < len(line) else None)
            at = min(len(line), at + 1)
        assert table.done == line[:at]
        assert [one["what"] for one in table.documents.values()] == line


# Bounds


def test_only_so_many_steps_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (history.MOST_STEPS, history.MOST_PAPERS) == (200, 20_000)
    monkeypatch.setattr(history, "MOST_STEPS", 5)
    table = Table()
    for number in range(20):
        table.add(f"{number}")
        assert len(table.documents) <= 5
    assert table.done == ["15", "16", "17", "18", "19"]
    assert list(table.documents) == ["16", "17", "18", "19", "20"]
    table.turn("undo")
    table.turn("undo")
    table.add("new")
    assert table.done == ["15", "16", "17", "new"]


def test_large_steps_are_fewer_and_the_newest_is_kept_in_any_case(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(history, "MOST_STEPS", 10)
    monkeypatch.setattr(history, "MOST_PAPERS", 100)
    table = Table()
    for papers in (40, 1, 30, 30):
        table.store(table.history.adding(a_step(f"{papers}", papers=papers)))
    assert table.done == ["1", "30", "30"]
    table.store(table.history.adding(a_step("500", papers=500)))
    assert table.done == ["500"]
    table.store(table.history.adding(a_step("20", papers=20)))
    assert table.done == ["20"]


@settings(max_examples=50)
@given(st.lists(st.integers(1, 40), max_size=30))
def test_steps_are_about_so_many_papers_together(sizes: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(history, "MOST_STEPS", 10)
        patch.setattr(history, "MOST_PAPERS", 100)
        table = Table()
        for size in sizes:
            table.store(table.history.adding(a_step("x", papers=size)))
            papers = sum(len(one["marks"]) for one in table.documents.values())
            # Steps of a few papers are not counted one by one: ten of ten are a hundred as well.
            assert papers <= 100 + 10 * 10 or len(table.documents) == 1
            assert len(table.documents) <= 10


# In a library


@pytest.fixture(params=["same", "reopened", "other"])
def program(request: pytest.FixtureRequest, open_library: Open) -> Callable[[Library], Library]:
    """Go on in the same program, after closing and opening again, or in a second one."""

    def go_on(library: Library) -> Library:
        if request.param == "same":
            return library
        if request.param == "reopened":
            library.close()
        return open_library()

    return go_on


Go = Callable[[Library], Library]


def test_a_mark_is_undone_and_done_again(library: Library, program: Go, clock: Clock) -> None:
    library.mark({"moe": Change(Status.QUEUED, starred=True)})
    clock.now += timedelta(minutes=1)
    library.mark({"moe": Change(Status.READ, starred=False), "pipe": Change(starred=True)})
    clock.now += timedelta(minutes=1)
    library = program(library)
    step = library.undo()
    assert step
    assert (step.what, step.when) == ("marks on 2 papers", "2026-01-15T12:01:00.000+00:00")
    assert step.keys == ("moe", "pipe")
    library = program(library)
    mark = library.entry("moe").mark
    assert (mark.status, mark.starred) == (Status.QUEUED, True)
    assert mark.changed == "2026-01-15T12:02:00.000+00:00"
    assert not library.entry("pipe").mark.starred
    clock.now += timedelta(minutes=1)
    again = library.redo()
    assert again
    assert again.what == step.what
    library = program(library)
    mark = library.entry("moe").mark
    assert (mark.status, mark.starred) == (Status.READ, False)
    assert library.entry("pipe").mark.starred
    assert library.redo() is None


def test_tags_are_undone_and_done_again(library: Library, program: Go) -> None:
    library.mark({"moe": Change(add_tags=("GPU", "b"))})
    library.mark({"moe": Change(add_tags=("c",), remove_tags=("gpu",))})
    step = program(library).undo()
    assert step
    assert step.what == "tags"
    library = program(library)
    assert set(library.entry("moe").mark.tags) == {"GPU", "b"}
    assert [e.paper.key for e in library.search("tag:gpu").entries] == ["moe"]
    assert library.redo()
    assert set(program(library).entry("moe").mark.tags) == {"b", "c"}
    assert library.undo()
    assert library.undo()
    assert program(library).entry("moe").mark.tags == ()


def test_a_note_is_undone_and_done_again(library: Library, program: Go) -> None:
    library.write_note("moe", "first\n")
    library.write_note("moe", "second")
    library.write_note("moe", "")
    library = program(library)
    for expected in ("second", "first\n", ""):
        step = library.undo()
        assert step
        assert (step.what, step.keys) == ("note", ("moe",))
        library = program(library)
        assert library.entry("moe").note == expected
    assert len(library.listing("notes")) == 0
    for expected in ("first\n", "second", ""):
        assert library.redo()
        library = program(library)
        assert library.entry("moe").note == expected
    assert {one.text for one in library.note_versions("moe")} == {"first\n", "second"}


def test_what_is_undone_is_found_no_longer(library: Library) -> None:
    library.refresh_index()
    library.write_note("moe", "zebra")
    assert library.search("zebra").entries
    library.undo()
    assert not library.search("zebra").entries
    library.redo()
    assert [e.paper.key for e in library.search("zebra").entries] == ["moe"]


def test_a_note_written_in_one_sitting_is_one_step(library: Library, program: Go) -> None:
    library.write_note("moe", "before")
    library.write_note("moe", "a")
    for text in ("a n", "a note", "a note that grew"):
        library.write_note("moe", text, amends=True)
    library = program(library)
    assert library.undo()
    assert library.entry("moe").note == "before"
    assert library.redo()
    assert library.entry("moe").note == "a note that grew"
    assert library.undo()
    assert library.undo()
    assert library.entry("moe").note == ""
    steps = 0
    while library.undo():
        steps += 1
    assert steps == 1  # the import that made the library


def test_what_goes_on_after_something_else_is_a_step_of_its_own(library: Library) -> None:
    library.write_note("moe", "one")
    library.mark({"pipe": Change(starred=True)})
    library.write_note("moe", "one two", amends=True)
    assert library.undo()
    assert (library.entry("moe").note, library.entry("pipe").mark.starred) == ("one", True)


def test_what_changes_nothing_is_no_step(library: Library, folder: Path) -> None:
    library.mark({"moe": Change(starred=True)})
    library.write_note("moe", "text")
    before = contents(folder)
    library.mark({"moe": Change(starred=True), "pipe": Change(Status.UNREAD)})
    library.write_note("moe", "text")
    library.write_note("pipe", " \n")
    assert contents(folder) == before
    step = library.undo()
    assert step
    assert step.what == "note"


def test_a_new_library_has_nothing_to_undo(
    open_library: Open, seeds: Path, folder: Path, tmp_path: Path
) -> None:
    for library in (open_library(tmp_path / "empty"), open_library(seeds=seeds)):
        before = contents(library.folder)
        assert library.undo() is None
        assert library.redo() is None
        assert contents(library.folder) == before


def test_in_a_read_only_library_nothing_is_undone(library: Library, open_library: Open) -> None:
    library.mark({"moe": Change(starred=True)})
    reader = open_library(may_write=False)
    for turn in (reader.undo, reader.redo):
        with pytest.raises(ReadOnlyError):
            turn()
    assert reader.entry("moe").mark.starred


# Imports

RECORDS = (
    {"key": "moe", "venue": "MLSys", "ids": {"arxiv": "2511.21431", "doi": "10.1000/moe"},
     "status": "read", "tags": ["imported"], "note": "from the file"},
    {"key": "anchor", "title": "An Anchor of Our Own", "authors": ["Ann Lee"], "year": 2020},
    {"key": "listed", "title": "A Paper in a List", "anchors": ["anchor"], "starred": True},
)  # fmt: skip


def test_an_import_is_undone_and_done_again(library: Library, program: Go, put_papers: Put) -> None:
    library.mark({"moe": Change(starred=True)})
    before = state(library)
    put_papers(library, *RECORDS)
    after = state(library)
    assert set(after[0]) - set(before[0]) == {"anchor", "listed"}
    library = program(library)
    step = library.undo()
    assert step
    assert step.what == "import of 2 papers"
    library = program(library)
    undone = state(library)
    assert undone[1] == before[1] == {}
    assert undone[0].keys() == before[0].keys()
    for key, entry in before[0].items():
        assert undone[0][key].paper == entry.paper
        assert undone[0][key].anchors == entry.anchors
        assert undone[0][key].note == entry.note
        assert (undone[0][key].mark.status, undone[0][key].mark.tags) == (
            entry.mark.status, entry.mark.tags
        )  # fmt: skip
    assert undone[0]["moe"].mark.starred
    with pytest.raises(NoSuchPaperError):
        library.find("10.1000/moe")
    with pytest.raises(NoSuchPaperError):
        library.find("listed")
    assert not library.search("tag:imported").entries
    assert library.redo()
    library = program(library)
    done = state(library)
    assert {key: entry.paper for key, entry in done[0].items()} == {
        key: entry.paper for key, entry in after[0].items()
    }
    assert done[1] == after[1]
    for key, entry in after[0].items():
        assert (done[0][key].anchors, done[0][key].note) == (entry.anchors, entry.note)
        assert (done[0][key].mark.status, done[0][key].mark.starred, done[0][key].mark.tags) == (
            entry.mark.status, entry.mark.starred, entry.mark.tags
        )  # fmt: skip
    assert library.find("10.1000/moe") == "moe"


def test_the_seeds_imported_again_after_an_undo_are_the_same(
    open_library: Open, seeds: Path
) -> None:
    library = open_library()
    library.import_files([seeds])
    papers, lists = state(library)
    assert library.undo()
    assert state(library) == ({}, {})
    reports = library.import_files([seeds])
    assert sum(report.added for report in reports) == 61
    assert state(library) == (papers, lists)
    assert library.redo() is None


def test_marks_on_papers_of_an_undone_import_come_back_with_them(
    library: Library, program: Go, put_papers: Put
) -> None:
    put_papers(library, {"key": "new", "title": "New"})
    other = program(library)
    other.mark({"new": Change(Status.READ, add_tags=("t",))})
    other.write_note("new", "mine")
    assert other.undo()
    assert other.undo()
    assert other.undo()
    library = program(other)
    with pytest.raises(KeyError):
        library.entry("new")
    for _ in range(3):
        assert library.redo()
    entry = program(library).entry("new")
    assert (entry.mark.status, entry.mark.tags, entry.note) == (Status.READ, ("t",), "mine")


def test_marks_that_were_no_steps_of_this_history_are_kept_without_their_papers(
    library: Library, open_library: Open, put_papers: Put, folder: Path
) -> None:
    """As when the steps were dropped for their number."""
    put_papers(library, {"key": "new", "title": "New"})
    library._marks.change("", NOW, {"new": Change(Status.READ)}, {"new": "mine"})
    assert library.undo()
    library.close()
    again = open_library()
    assert len(again) == 4
    assert again.redo()
    assert (again.entry("new").mark.status, again.entry("new").note) == (Status.READ, "mine")


def test_an_import_that_brought_nothing_is_no_step(
    library: Library, put_papers: Put, folder: Path
) -> None:
    before = contents(folder)
    put_papers(library, *SMALL)
    assert contents(folder) == before


def test_an_import_between_others_is_undone_alone(library: Library, put_papers: Put) -> None:
    put_papers(library, {"key": "one", "title": "One thing"})
    put_papers(library, {"key": "two", "title": "Two things", "anchors": ["one"]})
    assert library.undo()
    assert {"one", "two"} & set(state(library)[0]) == {"one"}
    assert state(library)[1] == {}
    put_papers(library, {"key": "three", "title": "Three things", "anchors": ["one"]})
    assert library.redo() is None
    assert library.reading_list("one").papers == ("three",)
    assert library.undo()
    assert library.undo()
    assert set(state(library)[0]) == {"moe", "pipe", "quant", "bare"}


# Two programs


def test_each_program_undoes_what_was_done_last_by_whomever(
    library: Library, open_library: Open
) -> None:
    other = open_library()
    library.mark({"moe": Change(starred=True)})
    other.write_note("moe", "theirs")
    step = library.undo()
    assert step
    assert step.what == "note"
    assert library.entry("moe").note == ""
    assert library.entry("moe").mark.starred
    step = other.undo()
    assert step
    assert step.what == "mark"
    library.refresh()
    assert not library.entry("moe").mark.starred
    assert library.redo()
    assert other.redo()
    library.refresh()
    assert (library.entry("moe").mark.starred, library.entry("moe").note) == (True, "theirs")


def test_a_field_that_was_changed_since_goes_back_alone(
    library: Library, open_library: Open
) -> None:
    library.mark({"moe": Change(starred=True)})
    library._marks.change("", NOW, {"moe": Change(Status.READ, add_tags=("kept",))})
    assert library.undo()
    mark = library.entry("moe").mark
    assert (mark.starred, mark.status, mark.tags) == (False, Status.READ, ("kept",))


# What fails


def all_done(library: Library) -> list[str]:
    return [one["what"] for one in library._marks._storage.table("history").values()]


@pytest.mark.parametrize("failing", ["pwrite", "_sync"])
@pytest.mark.parametrize("turn", ["undo", "redo"])
def test_a_failed_write_leaves_every_step_as_it_was(
    library: Library, open_library: Open, put_papers: Put, folder: Path,
    monkeypatch: pytest.MonkeyPatch, failing: str, turn: str,
) -> None:  # fmt: skip
    put_papers(library, *RECORDS)
    if turn == "redo":
        library.undo()
    before = state(library)
    papers = (folder / "papers.jsonl").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(files if failing == "_sync" else os, failing, full)
        with pytest.raises(NotSavedError, match="No space left on device"):
            getattr(library, turn)()
    assert state(library) == before
    assert state(open_library()) == before
    assert (folder / "papers.jsonl").read_bytes() == papers
    assert getattr(library, turn)()
    assert state(library) != before
    assert state(open_library()) == state(library)


@pytest.mark.parametrize("turn", ["undo", "redo"])
def test_where_the_marks_cannot_be_stored_the_papers_are_not_changed(
    library: Library, open_library: Open, put_papers: Put, folder: Path,
    monkeypatch: pytest.MonkeyPatch, turn: str,
) -> None:  # fmt: skip
    put_papers(library, *RECORDS)
    if turn == "redo":
        library.undo()
    before, papers = state(library), (folder / "papers.jsonl").read_bytes()
    pwrite, calls = os.pwrite, []

    def second_fails(handle: int, data: bytes, at: int) -> int:
        calls.append(handle)
        return full() if len(calls) > 1 else pwrite(handle, data, at)  # type: ignore[no-any-return]

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", second_fails)
        with pytest.raises(NotSavedError):
            getattr(library, turn)()
    assert len(calls) > 1
    assert state(library) == before
    assert (folder / "papers.jsonl").read_bytes() == papers
    assert state(open_library()) == before
    assert getattr(library, turn)()


@pytest.mark.parametrize("how", ["rewritten", "shorter", "damaged", "gone"])
def test_a_step_whose_lines_are_gone_is_refused_and_nothing_changed(
    library: Library, open_library: Open, put_papers: Put, folder: Path, how: str
) -> None:
    put_papers(library, *RECORDS)
    path = folder / "papers.jsonl"
    data = path.read_bytes()
    library.close()
    lines = data.splitlines(keepends=True)
    path.write_bytes(
        {
            "rewritten": b"".join([lines[-1], *lines[:-1]]),
            "shorter": b"".join(lines[:-1]),
            "damaged": data[:-20] + b"\x00" + data[-19:],
            "gone": b"",
        }[how]
    )
    again = open_library()
    before, bytes_before = state(again), contents(folder)
    with pytest.raises(CannotUndoError, match=r"papers\.jsonl"):
        again.undo()
    assert state(again) == before
    assert {**contents(folder), "marks.journal": b""} == {**bytes_before, "marks.journal": b""}
    assert all_done(again) == ["import of 4 papers"]  # so that it does not stand in the way


def test_what_was_done_before_papers_were_rewritten_cannot_be_undone_but_later_steps_can(
    library: Library, put_papers: Put, folder: Path
) -> None:
    put_papers(library, *RECORDS)
    library.mark({"pipe": Change(starred=True)})
    with (folder / "papers.jsonl").open("ab") as file:
        file.write(b"garbage\n")
    library.refresh()
    library.mend()
    library.write_note("pipe", "after")
    assert library.undo()
    assert library.undo()
    assert not library.entry("pipe").mark.starred
    before = state(library)
    with pytest.raises(CannotUndoError):
        library.undo()
    assert state(library) == before
    assert library.redo()
    assert library.entry("pipe").mark.starred
