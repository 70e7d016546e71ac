from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from anchorlight.store import (
    CannotOpenError,
    Change,
    Entry,
    Library,
    NotSavedError,
    Paper,
    ReadingList,
    ReadOnlyError,
    Status,
    files,
)
from anchorlight.store.merging import joined_lists, joined_papers
from anchorlight.store.notes import CONFLICT
from hypothesis import given
from hypothesis import strategies as st

from .conftest import CHECKOUT, Clock
from .helpers import Open, Put, contents, full, state

Told = tuple[dict[str, Any], dict[str, Any]]


def told(library: Library) -> Told:
    """Return what the reader sees of a library: papers, marks, notes and lists, in no order."""
    entries, lists = state(library)

    def facts(entry: Entry) -> tuple[object, ...]:
        mark = entry.mark
        return (entry.paper, mark.status, mark.starred, frozenset(mark.tags), entry.note,
                frozenset(entry.anchors))  # fmt: skip

    return {key: facts(entry) for key, entry in entries.items()}, lists


def check_same(one: Library, two: Library) -> None:
    """Check that two libraries that were joined have everything in common, times and all."""
    entries, lists = state(one)
    others, other_lists = state(two)
    assert entries.keys() == others.keys()
    for key, entry in entries.items():
        other = others[key]
        assert entry.paper == other.paper
        assert (entry.mark, entry.note) == (other.mark, other.note)
        assert set(entry.anchors) == set(other.anchors)
        assert one.note_versions(key) == two.note_versions(key)
    assert lists == other_lists


class Copies:
    """Libraries that were copied from one, each with a clock of its own."""

    def __init__(self, open_library: Open, tmp_path: Path, start: datetime) -> None:
        self._open = open_library
        self._folder = tmp_path / "copies"
        self._start = start
        self._count = 0
        self.clocks: dict[Path, Clock] = {}

    def __call__(self, library: Library, clock: Clock | None = None) -> Library:
        """Return a copy of a library as it is."""
        self._count += 1
        folder = self._folder / f"{self._count}"
        shutil.copytree(library.folder, folder)
        self.clocks[folder] = clock or Clock()
        self.clocks[folder].now = self._start + timedelta(minutes=1)
        return self._open(folder, clock=self.clocks[folder])

    def wait(self, library: Library, seconds: float) -> None:
        self.clocks[library.folder].now += timedelta(seconds=seconds)


@pytest.fixture
def copy(open_library: Open, tmp_path: Path, clock: Clock) -> Copies:
    return Copies(open_library, tmp_path, clock.now)


# Papers and lists


def a_paper(**facts: Any) -> Paper:
    return Paper("k", **facts)


@pytest.mark.parametrize(
    ("one", "two", "both"),
    [
        ({"title": "T"}, {}, {"title": "T"}),
        ({"title": "A title tha…"}, {"title": "A title that is whole"},
         {"title": "A title that is whole"}),
        ({"title": "A title that is rather long…"}, {"title": "A title"}, {"title": "A title"}),
        ({"authors": ("A", "B")}, {"authors": ("A",), "authors_complete": False},
         {"authors": ("A", "B")}),
        ({"abstract": "Words of the opening", "truncated": True}, {"abstract": "Words"},
         {"abstract": "Words"}),
        ({"abstract": "One", "truncated": True}, {"abstract": "One two", "truncated": True},
         {"abstract": "One two", "truncated": True}),
        ({"version": 1, "abstract": "The longer text before"}, {"version": 2, "abstract": "After"},
         {"version": 2, "abstract": "After"}),
        ({"version": 2}, {"version": 1, "abstract": "x"}, {"version": 2, "abstract": "x"}),
        ({"ids": {"doi": "10.1000/a"}}, {"ids": {"arxiv": "2101.00001"}},
         {"ids": {"arxiv": "2101.00001", "doi": "10.1000/a"}}),
        ({"year": 2020, "venue": "V"}, {"year": 2021, "venue": "Venue"},
         {"year": 2021, "venue": "Venue"}),
        ({"source": "b.txt", "added": "2026"}, {"source": "a.txt", "added": "2025"},
         {"source": "a.txt", "added": "2025"}),
        ({"url": "https://b.org"}, {"url": "https://a.org/longer"},
         {"url": "https://a.org/longer"}),
    ],
)  # fmt: skip
def test_papers_complete_each_other(
    one: dict[str, Any], two: dict[str, Any], both: dict[str, Any]
) -> None:
    assert joined_papers(a_paper(**one), a_paper(**two)) == a_paper(**both)
    assert joined_papers(a_paper(**two), a_paper(**one)) == a_paper(**both)


words = st.sampled_from([None, "a", "b", "a b", "a…", "a b…"])
records = st.builds(
    lambda abstract, cut, authors, complete, **facts: Paper(
        "k", abstract=abstract, truncated=bool(abstract) and cut, authors=tuple(authors),
        authors_complete=complete or not authors, **facts
    ),
    abstract=words, cut=st.booleans(), complete=st.booleans(),
    authors=st.lists(st.sampled_from("AB"), max_size=2), title=words, venue=words, url=words,
    year=st.sampled_from([None, 2020, 2021]), version=st.sampled_from([None, 1, 2]),
    source=words, added=words,
    ids=st.dictionaries(st.sampled_from(["doi", "arxiv"]), st.sampled_from("12"), max_size=2),
)  # fmt: skip


@given(records, records)
def test_papers_are_joined_the_same_either_way_and_any_number_of_times(
    one: Paper, two: Paper
) -> None:
    both = joined_papers(one, two)
    assert both == joined_papers(two, one)
    assert joined_papers(one, one) == one
    assert joined_papers(both, two) == joined_papers(one, both) == both


lists = st.lists(st.sampled_from("vwxyz"), unique=True, max_size=4).map(tuple)


@given(lists, lists, st.sampled_from([None, "a.txt"]))
def test_lists_are_joined_the_same_either_way_and_lose_nothing(
    one: tuple[str, ...], two: tuple[str, ...], source: str | None
) -> None:
    first, second = ReadingList("k", one, source), ReadingList("k", two, "b.txt")
    both = joined_lists(first, second)
    assert both == joined_lists(second, first)
    assert joined_lists(both, first) == joined_lists(both, both) == both
    assert sorted(both.papers) == sorted({*one, *two})
    assert both.source == (source or "b.txt")
    longer = max((one, two), key=len)
    assert both.papers[: len(longer)] in (one, two)


# Marks and notes


def test_of_each_field_the_newer_counts(library: Library, copy: Copies) -> None:
    library.mark({"moe": Change(Status.QUEUED, add_tags=("old", "kept"))})
    other = copy(library)
    other.mark({"moe": Change(Status.READ, starred=True)})
    copy.wait(other, 60)
    other.mark({"moe": Change(add_tags=("theirs",))})
    mine = copy(library)
    copy.wait(mine, 30)
    mine.mark({"moe": Change(Status.SKIPPED, add_tags=("mine",), remove_tags=("old",))})
    report = mine.merge(other.folder)
    mark = mine.entry("moe").mark
    assert (mark.status, mark.starred) == (Status.SKIPPED, True)
    assert set(mark.tags) == {"kept", "mine", "theirs"}
    assert (report.papers, report.added, report.completed, report.marked) == (4, 0, 0, 1)
    assert report.notices == ()
    other.merge(mine.folder)
    check_same(other, mine)


def test_marks_and_notes_of_a_copy_that_stood_still_change_nothing(
    library: Library, copy: Copies
) -> None:
    library.mark({"moe": Change(Status.READ, add_tags=("b", "a")), "pipe": Change(starred=True)})
    library.write_note("moe", "first")
    other = copy(library)
    library.mark({"moe": Change(Status.UNREAD, remove_tags=("a",))})
    library.mark({"pipe": Change(starred=False)})
    library.write_note("moe", "second")
    library.write_note("moe", "")
    before, bytes_before = state(library), contents(library.folder)
    report = library.merge(other.folder)
    assert report.marked == 0
    assert state(library) == before
    assert contents(library.folder) == bytes_before


def test_notes_of_both_are_kept_once(library: Library, copy: Copies) -> None:
    library.write_note("moe", "common")
    other = copy(library)
    mine = copy(library)
    other.write_note("moe", "theirs")
    other.write_note("pipe", "only theirs")
    copy.wait(mine, 5)
    mine.write_note("moe", "mine")
    mine.write_note("quant", "only mine")
    for _ in range(2):
        mine.merge(other.folder)
        assert mine.entry("moe").note == "mine" + CONFLICT + "theirs"
        assert mine.entry("pipe").note == "only theirs"
        assert mine.entry("quant").note == "only mine"
    other.merge(mine.folder)
    check_same(other, mine)
    assert [e.paper.key for e in mine.search("note:theirs").entries] == ["moe", "pipe"]


def test_a_note_without_a_time_is_not_lost(library: Library, copy: Copies) -> None:
    library._marks._storage.append({"notes": {"moe": {"text": "by hand", "changed": 7}}})
    other = copy(library)
    other.mark({"pipe": Change(starred=True)})
    library.merge(other.folder)
    assert library.entry("moe").note == "by hand"


# Papers of two libraries


def test_papers_and_lists_of_the_other_are_added(
    open_library: Open, tmp_path: Path, put_papers: Put, seeds: Path
) -> None:
    library = open_library()
    put_papers(library, {"key": "mine", "title": "Mine"})
    other = open_library(tmp_path / "other", seeds=seeds)
    anchor = other.find("Cephalo", anchors_only=True)
    paper = other.reading_list(anchor).papers[0]
    other.mark({paper: Change(Status.READ)})
    other.write_note(anchor, "about the list")
    expected, theirs = told(other)
    mine, _ = told(library)
    report = library.merge(other.folder)
    assert (report.papers, report.added, report.completed) == (61, 61, 0)
    assert told(library) == (mine | expected, theirs)
    assert [e.paper.key for e in library.search("note:about").entries] == [anchor]
    assert told(other) == (expected, theirs)


def test_one_paper_of_two_keys_is_one_and_has_the_key_of_the_library_it_is_joined_into(
    library: Library, open_library: Open, tmp_path: Path, put_papers: Put
) -> None:
    other = open_library(tmp_path / "other")
    put_papers(
        other,
        {"key": "theirs", "title": "Memory-Aware Scheduling for MoE Training", "venue": "MLSys 25",
         "ids": {"arxiv": "2511.21431", "doi": "10.1000/moe"}, "status": "read", "note": "x"},
        {"key": "listed", "title": "A Paper in a List", "anchors": ["theirs"]},
    )  # fmt: skip
    mine = told(library)
    report = library.merge(other.folder)
    assert (report.papers, report.added, report.completed) == (2, 1, 1)
    entry = library.entry("moe")
    assert entry.paper.ids == {"arxiv": "2511.21431", "doi": "10.1000/moe"}
    assert (entry.mark.status, entry.note) == (Status.READ, "x")
    assert "theirs" not in told(library)[0]
    assert library.reading_list("moe").papers == ("listed",)
    assert library.find("10.1000/moe") == "moe"
    assert told(library)[0].keys() == {*mine[0], "listed"}
    before = contents(library.folder)
    library.merge(other.folder)
    assert contents(library.folder) == before
    other.merge(library.folder)
    assert other.entry("theirs").paper.ids == entry.paper.ids
    assert len(other) == len(library)


def test_two_papers_of_one_key_stay_two(
    library: Library, open_library: Open, tmp_path: Path, put_papers: Put
) -> None:
    other = open_library(tmp_path / "other")
    put_papers(other, {"key": "moe", "title": "Something else", "status": "read", "note": "x"})
    library.merge(other.folder)
    assert len(library) == 5
    assert library.entry("moe").note == ""
    assert library.entry("moe").mark.status is Status.UNREAD
    (new,) = set(told(library)[0]) - {"moe", "pipe", "quant", "bare"}
    assert (library.entry(new).paper.title, library.entry(new).note) == ("Something else", "x")
    before = contents(library.folder)
    library.merge(other.folder)
    assert contents(library.folder) == before


def test_a_paper_that_was_completed_in_one_copy_is_still_one(
    library: Library, copy: Copies, put_papers: Put
) -> None:
    """Its text is known by its first words alone in the other; the key tells that it is the one."""
    other = copy(library)
    other.mark({"bare": Change(Status.READ)})
    whole = "Only a few opening words of this record were ever known to us, until it was found."
    put_papers(library, {"key": "bare", "title": "A Title", "abstract": whole})
    assert library.entry("bare").paper.abstract == whole
    report = library.merge(other.folder)
    assert report.added == 0
    assert len(library) == 4
    assert library.entry("bare").mark.status is Status.READ
    other.merge(library.folder)
    check_same(other, library)


def test_a_list_never_names_a_paper_twice(
    library: Library, open_library: Open, tmp_path: Path, put_papers: Put
) -> None:
    other = open_library(tmp_path / "other")
    put_papers(
        other,
        {"key": "anchor", "title": "An Anchor"},
        {"key": "preprint", "ids": {"arxiv": "2104.04473"}, "anchors": ["anchor"]},
        {"key": "article", "ids": {"doi": "10.1145/3458817.3476209"}, "anchors": ["anchor"]},
    )
    assert len(other) == 3
    library.merge(other.folder)
    assert library.reading_list("anchor").papers == ("pipe",)
    assert library.entry("pipe").anchors == ("anchor",)


def test_lists_of_both_are_joined(library: Library, copy: Copies, put_papers: Put) -> None:
    put_papers(library, {"key": "anchor", "title": "An Anchor"},
               {"key": "x", "title": "X", "anchors": ["anchor"]})  # fmt: skip
    other = copy(library)
    put_papers(library, {"key": "mine", "title": "Mine", "anchors": ["anchor"]})
    put_papers(other, {"key": "y", "title": "Y", "anchors": ["anchor"]},
               {"key": "z", "title": "Z", "anchors": ["anchor", "moe"]})  # fmt: skip
    library.merge(other.folder)
    assert library.reading_list("anchor").papers == ("x", "y", "z", "mine")
    assert library.reading_list("moe").papers == ("z",)
    other.merge(library.folder)
    assert told(other) == told(library)


# Libraries that went their own ways


class Ways:
    """Does things to a library that nobody else does in just the same way."""

    def __init__(self, random: Random, copies: Copies, put_papers: Put) -> None:
        self._random = random
        self._copies = copies
        self._put = put_papers
        self._count = 0

    def go(self, library: Library, steps: int) -> None:
        for _ in range(steps):
            self._copies.wait(library, self._random.choice([0, 0, 0.001, 1, 60]))
            self._step(library)

    def _step(self, library: Library) -> None:
        choose = self._random.choice
        keys = sorted(told(library)[0])
        key = choose(keys)
        self._count += 1
        new = f"n{self._count}"
        match choose(["mark", "mark", "tags", "tags", "note", "note", "remove", "complete", "new",
                      "list", "undo", "many"]):  # fmt: skip
            case "mark":
                change = Change(choose([None, *Status]), choose([None, True, False]))
                library.mark({key: change})
            case "tags":
                tags = ("a", "B", "c")
                library.mark({key: Change(add_tags=(choose(tags),), remove_tags=(choose(tags),))})
            case "many":
                library.mark(dict.fromkeys(keys[::2], Change(choose(list(Status)))))
            case "note":
                text = choose([f"{library.entry(key).note} and {new}", f"Note {new}"])
                library.write_note(key, text)
            case "remove":
                library.write_note(key, "")
            case "complete":
                ids = {"arxiv": "2104.04473", "acl": new}
                self._put(library, {"key": "pipe", "ids": ids, "url": f"https://{new}.org"})
            case "new":
                title = f"A title of {new}"
                record = {"key": new, "title": title, "authors": [new], "year": 2020}
                self._put(library, record | {"status": "read"}, name=f"{new}.jsonl")
            case "list":
                record = {"key": new, "title": f"A listed title of {new}"}
                self._put(library, record | {"anchors": [key]}, name=f"{new}.jsonl")
            case "undo":
                last = library._marks.history.last_done()
                if last and not last[1].papers:  # papers that are gone come back from a copy
                    library.undo()


@pytest.fixture
def ways(copy: Copies, put_papers: Put) -> Callable[[int], Ways]:
    return lambda seed: Ways(Random(seed), copy, put_papers)


@pytest.mark.parametrize("seed", range(20))
def test_two_libraries_are_the_same_whichever_is_joined_into_which(
    library: Library, copy: Copies, ways: Callable[[int], Ways], seed: int
) -> None:
    way = ways(seed)
    common = copy(library)
    way.go(common, 4)
    mine, theirs = copy(common), copy(common)
    way.go(mine, 8)
    way.go(theirs, 8)
    mine_too, theirs_too = copy(mine), copy(theirs)
    mine.merge(theirs.folder)
    theirs_too.merge(mine_too.folder)
    check_same(mine, theirs_too)
    # Again, and with what it was joined from, nothing happens any more.
    steps, before = len(mine._marks._storage.table("history")), contents(mine.folder)
    for other in (theirs, mine_too, common, theirs_too):
        report = mine.merge(other.folder)
        assert (report.added, report.completed, report.marked) == (0, 0, 0)
    assert contents(mine.folder) == before
    assert len(mine._marks._storage.table("history")) == steps
    # Nothing that one of them has newer than the common state is lost.
    for side in (mine_too, theirs):
        for key, entry in state(side)[0].items():
            joined = mine.entry(key)
            assert (entry.mark.changed or "") <= (joined.mark.changed or "")
            assert set(side.reading_list(key).papers) <= set(mine.reading_list(key).papers)
            assert entry.paper.ids.items() <= joined.paper.ids.items() or key == "pipe"


@pytest.mark.parametrize("seed", range(100, 110))
def test_a_merge_is_undone_and_done_again(
    library: Library, copy: Copies, ways: Callable[[int], Ways], open_library: Open, seed: int
) -> None:
    way = ways(seed)
    mine, theirs = copy(library), copy(library)
    way.go(mine, 6)
    way.go(theirs, 8)
    before = told(mine)
    copy.wait(mine, 1000)
    report = mine.merge(theirs.folder)
    after = told(mine)
    if not (report.added or report.completed or report.marked):
        assert after == before
        return
    step = mine.undo()
    assert step
    assert step.what == f"merge of {theirs.folder}"
    assert told(mine) == before
    again = open_library(mine.folder)
    assert told(again) == before
    assert again.redo()
    assert told(again) == after
    mine.refresh()
    assert told(mine) == after


@pytest.mark.parametrize("seed", range(200, 208))
def test_three_libraries_have_the_same_marks_and_notes_in_any_order(
    library: Library, copy: Copies, ways: Callable[[int], Ways], seed: int
) -> None:
    way = ways(seed)
    sides = [copy(library) for _ in range(3)]
    for side in sides:
        way.go(side, 7)
    ends = []
    for one, two, three in permutations(sides):
        end, middle = copy(one), copy(two)
        if seed % 2:
            end.merge(two.folder)
            end.merge(three.folder)
        else:
            middle.merge(three.folder)
            end.merge(middle.folder)
        ends.append(end)
    first, *others = ends
    for other in others:
        papers, reading_lists = told(other)
        expected, expected_lists = told(first)
        assert papers == expected
        assert {key: set(one.papers) for key, one in reading_lists.items()} == {
            key: set(one.papers) for key, one in expected_lists.items()
        }
        for key in expected:
            assert other.entry(key).mark == first.entry(key).mark


def test_an_import_that_was_undone_in_one_copy_comes_back_with_the_newer_marks_either_way(
    library: Library, copy: Copies, put_papers: Put
) -> None:
    put_papers(library, {"key": "new", "title": "New", "status": "read"})
    mine, theirs = copy(library), copy(library)
    copy.wait(mine, 60)
    mine.undo()
    assert "new" not in told(mine)[0]
    mine_too = copy(mine)
    mine.merge(theirs.folder)
    theirs.merge(mine_too.folder)
    assert mine.entry("new").mark.status is Status.UNREAD
    check_same(mine, theirs)


# What is refused, and what fails


def test_a_library_is_not_joined_into_itself(
    library: Library, tmp_path: Path, folder: Path
) -> None:
    library.mark({"moe": Change(starred=True)})
    (tmp_path / "link").symlink_to(folder)
    before = contents(folder)
    for name in (folder, tmp_path / "link", folder / ".." / folder.name):
        with pytest.raises(CannotOpenError, match="itself"):
            library.merge(name)
    assert contents(folder) == before


@pytest.mark.parametrize("what", ["nothing", "folder", "file", "papers alone"])
def test_what_is_no_library_is_not_joined(library: Library, tmp_path: Path, what: str) -> None:
    other = tmp_path / "other"
    if what == "file":
        other.write_text("")
    elif what != "nothing":
        other.mkdir()
        if what == "papers alone":
            (other / "papers.jsonl").write_text('{"key": "x"}\n')
    before = contents(tmp_path)
    with pytest.raises(CannotOpenError, match="other"):
        library.merge(other)
    assert contents(tmp_path) == before
    assert len(library) == 4


def test_a_library_of_a_newer_version_is_not_joined(library: Library, copy: Copies) -> None:
    other = copy(library)
    other.mark({"moe": Change(starred=True)})
    path = other.folder / "library.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"format": 99}))
    with pytest.raises(CannotOpenError, match="newer"):
        library.merge(other.folder)
    assert not library.entry("moe").mark.starred


@pytest.mark.parametrize("name", ["papers.jsonl", "marks.json", "marks.journal"])
def test_a_library_that_cannot_be_read_is_not_joined(
    library: Library, copy: Copies, name: str
) -> None:
    other = copy(library)
    other.close()
    (other.folder / name).unlink()
    (other.folder / name).mkdir()
    before = contents(library.folder)
    with pytest.raises(CannotOpenError, match=name.replace(".", r"\.")):
        library.merge(other.folder)
    assert contents(library.folder) == before


def test_nothing_is_joined_into_a_library_that_cannot_be_written(
    library: Library, copy: Copies, open_library: Open
) -> None:
    other = copy(library)
    other.mark({"moe": Change(starred=True)})
    reader = open_library(may_write=False)
    with pytest.raises(ReadOnlyError):
        reader.merge(other.folder)
    assert not reader.entry("moe").mark.starred


@pytest.mark.parametrize("damage", ["cut", "empty", "nul", "null", "garbage"])
@pytest.mark.parametrize("name", ["marks.json", "marks.journal", "papers.jsonl"])
def test_a_damaged_library_is_joined_as_far_as_it_can_be_read_and_left_as_it_is(
    library: Library, copy: Copies, name: str, damage: str
) -> None:
    other = copy(library)
    for key in ("moe", "pipe"):
        other.mark({key: Change(Status.READ)})
        other._marks.compact()
        copy.wait(other, 7200)
    other.write_note("quant", "theirs")
    whole = (other.folder / name).read_bytes()
    shutil.rmtree(other.folder / "backups")
    (other.folder / name).write_bytes(
        {
            "cut": whole[: len(whole) * 2 // 3],
            "empty": b"",
            "nul": b"\x00" * len(whole),
            "null": b"null",
            "garbage": b"\xff garbage\n" + whole,
        }[damage]
    )
    before = contents(other.folder)
    report = library.merge(other.folder)
    assert contents(other.folder) == before
    if damage != "empty" or name == "marks.json":
        assert any(str(other.folder / name) in notice for notice in report.notices)
    lost = name == "marks.journal" and damage != "garbage"
    assert library.entry("quant").note == ("" if lost else "theirs")
    assert len(library) == 4
    assert library.notices == []


@pytest.mark.parametrize("data", [b"", b"{", b"null", b"[]", b'{"format": "x"}', b"\xff"])
def test_a_library_of_an_unknown_version_is_not_joined(
    library: Library, copy: Copies, data: bytes
) -> None:
    other = copy(library)
    other.mark({"moe": Change(starred=True)})
    (other.folder / "library.json").write_bytes(data)
    before = contents(other.folder)
    with pytest.raises(CannotOpenError, match=r"library\.json is damaged"):
        library.merge(other.folder)
    assert contents(other.folder) == before
    assert not library.entry("moe").mark.starred


def test_a_damaged_library_is_joined_from_its_copies(library: Library, copy: Copies) -> None:
    other = copy(library)
    other.mark({"moe": Change(Status.READ)})
    other.write_note("moe", "theirs")
    other.close()
    (other.folder / "marks.json").write_bytes(b"")
    before = contents(other.folder)
    report = library.merge(other.folder)
    assert (library.entry("moe").mark.status, library.entry("moe").note) == (Status.READ, "theirs")
    assert len(report.notices) == 1
    assert contents(other.folder) == before


def test_a_library_of_the_first_format_is_joined(library: Library, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(CHECKOUT / "tests" / "libraries" / "1", other)
    before = contents(other)
    library.merge(other)
    assert contents(other) == before
    assert library.entry("moe").mark.tags == ("moe", "GPU")
    assert library.entry("quant").note == "Ein Einwand: é 東京"
    assert library.reading_list("anchor").papers == ("listed",)
    assert len(library) == 6
    assert library.undo()
    assert library.entry("moe").mark.tags == ()
    assert len(library) == 4


@pytest.mark.parametrize("failing", ["pwrite", "_sync"])
def test_a_merge_that_cannot_be_stored_changes_nothing(
    library: Library, copy: Copies, put_papers: Put, open_library: Open,
    monkeypatch: pytest.MonkeyPatch, failing: str,
) -> None:  # fmt: skip
    other = copy(library)
    put_papers(other, {"key": "new", "title": "New", "anchors": ["moe"]})
    other.mark({"moe": Change(starred=True)})
    other.write_note("moe", "theirs")
    before, papers = told(library), (library.folder / "papers.jsonl").read_bytes()
    pwrite, calls = os.pwrite, []

    def second_fails(handle: int, data: bytes, at: int) -> int:
        calls.append(handle)
        return full() if len(calls) > 1 else pwrite(handle, data, at)  # type: ignore[no-any-return]

    with monkeypatch.context() as patch:
        patch.setattr(files if failing == "_sync" else os, failing,
                      full if failing == "_sync" else second_fails)  # fmt: skip
        with pytest.raises(NotSavedError, match="No space"):
            library.merge(other.folder)
    assert told(library) == before
    assert (library.folder / "papers.jsonl").read_bytes() == papers
    assert told(open_library()) == before
    library.merge(other.folder)
    assert library.entry("moe").note == "theirs"
    assert library.reading_list("moe").papers == ("new",)
