"""Finding papers that may be one, in a library."""

from __future__ import annotations

from pathlib import Path

import pytest
from anchorlight.store import Library, NoSuchPaperError, Paper, ReadOnlyError
from anchorlight.store.duplicates import find_pairs

from .helpers import Open, Put

TITLE = "Efficient Pipeline Parallel Training"


def test_pairs_are_found_without_looking_at_all_of_them() -> None:
    words = "red green blue yellow black white brown pink grey violet".split()
    papers = {
        f"{one}{two}": Paper(
            f"{one}{two}",
            title=f"The {one} thing in a {two} box",
            authors=(f"{two} {one}".title(),),
        )
        for one in words
        for two in words
    }
    papers["twin"] = Paper("twin", title="The red thing in a  blue box", authors=("B. Red",))
    papers["typo"] = Paper("typo", title="The yelow thing in a pink box", authors=("P. Yellow",))
    looked_at: list[int] = []

    def read(keys: object) -> list[Paper]:
        found = [papers[key] for key in keys if key in papers]  # type: ignore[attr-defined]
        looked_at.append(len(found))
        return found

    pairs = find_pairs([*papers, "gone"], read)
    assert {frozenset(pair[:2]) for pair in pairs} == {
        frozenset(("redblue", "twin")), frozenset(("yellowpink", "typo")),
    }  # fmt: skip
    assert len(looked_at) < len(papers) ** 2 // 2 // 10
    assert pairs[0].score > pairs[1].score


def test_the_one_of_which_more_is_known_comes_first() -> None:
    papers = {
        "preprint": Paper("preprint", title=TITLE, authors=("A B",), ids={"arxiv": "2104.04473"}),
        "printed": Paper("printed", title=TITLE, authors=("A B",), ids={"doi": "10.1/x"}),
    }
    (pair,) = find_pairs([*papers], lambda keys: [papers[key] for key in keys])
    assert pair[:2] == ("printed", "preprint")


def test_titles_on_many_papers_are_no_evidence() -> None:
    papers = {
        str(number): Paper(str(number), title="Preface", authors=(f"A B{number}",))
        for number in range(100)
    }
    assert find_pairs([*papers], lambda keys: [papers[key] for key in keys]) == []


@pytest.mark.parametrize("calls", [0, 1, 2])
def test_it_can_be_ended(calls: int) -> None:
    papers = {key: Paper(key, title=TITLE, authors=("A B",)) for key in ("one", "two")}
    told: list[tuple[int, int]] = []

    def going_on(done: int, total: int) -> bool:
        told.append((done, total))
        return len(told) <= calls

    pairs = find_pairs([*papers], lambda keys: [papers[key] for key in keys], going_on)
    assert bool(pairs) == (calls == 2)
    assert told == [(0, 2), (2, 2)][: calls + 1]


@pytest.fixture
def twins(library: Library, put_papers: Put) -> Library:
    """Two papers that may be one, and others."""
    put_papers(
        library,
        {"key": "one", "title": TITLE, "authors": ["A Bee"], "year": 2020},
        {"key": "two", "title": TITLE, "authors": ["A Bee"], "year": 2021},
        name="twins.jsonl",
    )
    return library


def test_what_is_kept_apart_is_not_offered_again(twins: Library, open_library: Open) -> None:
    assert [{*pair[:2]} for pair in twins.duplicates()] == [{"one", "two"}]
    assert twins.keep_apart("two", "one")
    assert not twins.keep_apart("one", "two")
    assert twins.duplicates() == []
    twins.close()
    again = open_library()
    assert again.duplicates() == []
    step = again.undo()
    assert step
    assert step.what == "papers kept apart"
    assert len(again.duplicates()) == 1
    again.close()
    third = open_library()
    assert third.redo()
    assert third.duplicates() == []


def test_a_paper_kept_apart_is_so_from_what_it_was_joined_to(
    twins: Library, put_papers: Put
) -> None:
    record = {"key": "three", "title": TITLE, "authors": ["A Bee"], "year": 2022}
    put_papers(twins, record, name="third.jsonl")
    assert len(twins.duplicates()) == 3
    twins.keep_apart("two", "three")
    twins.join("one", "two")
    assert twins.duplicates() == []


def test_what_was_called_different_elsewhere_is_so_here(
    twins: Library, open_library: Open, put_papers: Put, tmp_path: Path
) -> None:
    other = open_library(tmp_path / "other")
    twins.merge(tmp_path / "other")
    other.merge(twins.folder)
    other.keep_apart("one", "two")
    twins.merge(tmp_path / "other")
    assert twins.duplicates() == []
    twins.undo()
    assert len(twins.duplicates()) == 1
    other.merge(twins.folder)  # taken back later than it was said
    assert len(other.duplicates()) == 1


@pytest.mark.parametrize("pair", [("one", "one"), ("one", "gone"), ("gone", "one")])
def test_only_two_papers_that_are_there_can_be_settled(
    twins: Library, pair: tuple[str, str]
) -> None:
    for settle in (twins.join, twins.keep_apart):
        with pytest.raises(NoSuchPaperError):
            settle(*pair)
    assert len(twins) == 6


def test_nothing_is_settled_in_a_library_that_cannot_be_written(
    twins: Library, open_library: Open
) -> None:
    twins.close()
    reading = open_library(may_write=False)
    assert len(reading.duplicates()) == 1
    with pytest.raises(ReadOnlyError):
        reading.join("one", "two")
    with pytest.raises(ReadOnlyError):
        reading.keep_apart("one", "two")
