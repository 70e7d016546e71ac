from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from anchorlight.store import Change, Paper, Status
from anchorlight.store.bits import numbers_in
from anchorlight.store.catalogue import Catalogue
from anchorlight.store.facts import Facts
from anchorlight.store.lists import Lists
from anchorlight.store.marked import Marked
from anchorlight.store.marks import Marks
from anchorlight.store.parser import parse
from anchorlight.store.query import Fact, InList

PAPERS = (
    {
        "key": "Full",
        "title": "T",
        "year": 2020,
        "abstract": "x",
        "ids": {"arxiv": "2104.04473", "doi": "10.1145/abc"},
        "added": "2026-01-15T12:00:00+00:00",
    },
    {
        "key": "pdf",
        "year": 1999,
        "url": "https://a.org/X.PDF",
        "added": "2026-01-01T00:00:00+00:00",
    },
    {"key": "bare", "added": "in spring"},
    {"key": "memfine", "title": "MemFine: Memory-Aware Fine-Grained Scheduling"},
    {"key": "mimose", "title": "Mimose: An Input-Aware Checkpointing Planner for E…"},
    {"key": "multi", "title": "Planning for Multi GPU Training"},
    {"list": "memfine", "papers": ["Full", "pdf", "lost"]},
    {"list": "mimose", "papers": ["pdf", "bare"]},
    {"list": "multi", "papers": ["bare"]},
)
CHANGES = {
    "Full": Change(status=Status.READ, starred=True, add_tags=("t",)),
    "pdf": Change(status=Status.READING),
    "bare": Change(status=Status.SKIPPED),
}
ANCHORS = {"memfine", "mimose", "multi"}
NOW = datetime(2026, 1, 16, tzinfo=UTC)


class Asked:
    """Facts about a few papers, by their keys."""

    def __init__(self, folder: Path) -> None:
        path = folder / "papers.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in PAPERS))
        self.catalogue = Catalogue(path)
        marks = Marks(folder / "marks.json")
        marks.change("", NOW.isoformat(), CHANGES, {"Full": "note"})
        self.marked = Marked(self.catalogue.columns, marks)
        lists = Lists(self.catalogue, self.marked)
        self.facts = Facts(self.catalogue, self.marked, lists)

    def __call__(self, query: str | Fact, *, typing: bool = False) -> set[str]:
        node = query if isinstance(query, Fact) else parse(query, typing=typing, now=NOW).node
        assert isinstance(node, Fact)
        columns = self.catalogue.columns
        return {columns.keys[one] for one in numbers_in(self.facts.having(node) & columns.here)}


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path)


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("year:2020", {"Full"}),
        ("year:..2000", {"pdf"}),
        ("year:2000..", {"Full"}),
        ("year:1999-2020", {"Full", "pdf"}),
        ("year:2021", set()),
        ("added:7d", {"Full"}),
        ("added:1m", {"Full", "pdf"}),
        ("added:2026-01-01", {"pdf"}),
        ("added:2026-01-02..", {"Full"}),
        ("added:..2026-01-14", {"pdf"}),
        ("added:2026-01-15", {"Full"}),
        ("is:read", {"Full"}),
        ("is:reading", {"pdf"}),
        ("is:skipped", {"bare"}),
        ("is:unread", ANCHORS),
        ("is:queued", set()),
        ("is:starred", {"Full"}),
        ("has:abstract", {"Full"}),
        ("has:note", {"Full"}),
        ("has:tag", {"Full"}),
        ("has:url", {"Full", "pdf"}),
        ("has:pdf", {"Full", "pdf"}),
        ("has:arxiv", {"Full"}),
        ("has:doi", {"Full"}),
        ("id:2104.04473", {"Full"}),
        ("id:arXiv:2104.04473v3", {"Full"}),
        ("id:10.1145/ABC", {"Full"}),
        ("id:https://doi.org/10.1145/abc", {"Full"}),
        ("id:full", {"Full"}),
        ("id:2104", set()),
        ("id:ful", set()),
    ],
)
def test_a_fact_holds_for_the_right_papers(asked: Asked, query: str, keys: set[str]) -> None:
    assert asked(query) == keys


@pytest.mark.parametrize(("query", "keys"), [("id:210", {"Full"}), ("id:ba", {"bare"})])
def test_an_identifier_counts_as_a_beginning_while_typing(
    asked: Asked, query: str, keys: set[str]
) -> None:
    assert asked(query, typing=True) == keys


@pytest.mark.parametrize(
    ("anchor", "keys"),
    [
        ("memfine", {"Full", "pdf"}),
        ("MemF", {"Full", "pdf"}),
        ("m", {"Full", "pdf", "bare"}),
        ("checkpointing", {"pdf", "bare"}),
        ("planner", {"pdf", "bare"}),
        ("input-aware", {"pdf", "bare"}),
        ("multi-gpu", {"bare"}),
        ("Input-Aware Checkpointing", {"pdf", "bare"}),
        ("Mimose: An Input-Aware Checkpointing Planner", {"pdf", "bare"}),
        ("scheduling memory", {"Full", "pdf"}),
        ("nothing", set()),
        ("…", set()),
        ("", None),
    ],
)
def test_an_anchor_is_named_by_the_beginning_of_its_key_or_words_of_its_title(
    asked: Asked, anchor: str, keys: set[str] | None
) -> None:
    if keys is not None:
        assert asked(InList(anchor)) == keys


@pytest.mark.parametrize(
    "anchor",
    ["year:2020", "-x", "NOT x", "is:read", "id:7", "anchor:x", "has:pdf", "added:7d", "(",
     "a (b OR c)", "*", "x~2", "m?m", '"', "title:x", "a -b", "-"],
)  # fmt: skip
def test_no_name_of_an_anchor_raises(asked: Asked, anchor: str) -> None:
    assert asked(InList(anchor)) <= {"Full", "pdf", "bare"}


def test_facts_follow_what_changes(asked: Asked) -> None:
    assert asked("year:1999..") == {"Full", "pdf"}
    asked.catalogue.stage_paper(Paper("new", title="N", year=2001), NOW.isoformat())
    assert asked("year:1999..") == {"Full", "pdf", "new"}
    assert asked("id:new") == {"new"}
    assert asked("is:unread") == ANCHORS | {"new"}
