from __future__ import annotations

import pytest
from anchorlight.store import Entry, Mark, Paper, ReadingList, Status
from anchorlight.store.facts import having
from anchorlight.store.parser import parse
from anchorlight.store.query import Fact, InList

ENTRIES = (
    Entry(
        Paper(
            "Full",
            title="T",
            year=2020,
            abstract="x",
            ids={"arxiv": "2104.04473", "doi": "10.1145/abc"},
            added="2026-01-15T12:00:00+00:00",
        ),
        Mark(Status.READ, starred=True, tags=("t",)),
        "note",
    ),
    Entry(
        Paper("pdf", year=1999, url="https://a.org/X.PDF", added="2026-01-01T00:00:00+00:00"),
        Mark(Status.READING),
    ),
    Entry(Paper("bare"), Mark(Status.SKIPPED)),
)
TITLES = {
    "memfine": "MemFine: Memory-Aware Fine-Grained Scheduling",
    "mimose": "Mimose: An Input-Aware Checkpointing Planner for E…",
    "multi": "Planning for Multi GPU Training",
}
LISTS = {
    "memfine": ReadingList("memfine", ("Full", "pdf")),
    "mimose": ReadingList("mimose", ("pdf", "bare")),
    "multi": ReadingList("multi", ("bare",)),
}


def asked(query: str, *, typing: bool = False) -> set[str]:
    from datetime import UTC, datetime

    node = parse(query, typing=typing, now=datetime(2026, 1, 16, tzinfo=UTC)).node
    assert isinstance(node, Fact)
    return set(having(node, ENTRIES, LISTS, TITLES.__getitem__))


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
        ("is:unread", set()),
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
def test_a_fact_holds_for_the_right_papers(query: str, keys: set[str]) -> None:
    assert asked(query) == keys


@pytest.mark.parametrize(("query", "keys"), [("id:210", {"Full"}), ("id:ba", {"bare"})])
def test_an_identifier_counts_as_a_beginning_while_typing(query: str, keys: set[str]) -> None:
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
    anchor: str, keys: set[str] | None
) -> None:
    if keys is not None:
        assert set(having(InList(anchor), ENTRIES, LISTS, TITLES.__getitem__)) == keys


@pytest.mark.parametrize(
    "anchor",
    ["year:2020", "-x", "NOT x", "is:read", "id:7", "anchor:x", "has:pdf", "added:7d", "(",
     "a (b OR c)", "*", "x~2", "m?m", '"', "title:x", "a -b", "-"],
)  # fmt: skip
def test_no_name_of_an_anchor_raises(anchor: str) -> None:
    found = having(InList(anchor), ENTRIES, LISTS, TITLES.__getitem__)
    assert set(found) <= {"Full", "pdf", "bare"}
