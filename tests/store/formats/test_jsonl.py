from __future__ import annotations

import json
from typing import Any

import pytest
from anchorlight.store import Change, Entry, Mark, Paper, Status
from anchorlight.store.formats import read
from anchorlight.store.formats.input import Input
from hypothesis import given
from hypothesis import strategies as st

from ..helpers import Gathered, gathered

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = (
    "key", "title", "authors", "year", "venue", "abstract", "truncated", "ids", "url", "status",
    "starred", "tags", "note", "anchors",
)  # fmt: skip


def parse(text: str) -> Gathered:
    return gathered(read(Input.of(text.encode("utf-8", "surrogatepass")), "jsonl"))


def one(record: object) -> Any:
    parsed = parse(json.dumps(record))
    assert parsed.refused == []
    (found,) = parsed.papers
    return found


def test_a_record_is_read_whole() -> None:
    found = one(
        {
            "key": "k", "title": "A  [/b]\nTitle", "authors": ["A B", "C"], "year": 2020,
            "venue": "V", "abstract": "Text\nmore", "truncated": True,
            "ids": {"arxiv": "arXiv:2101.00001v2", "doi": None, "DOI": "https://doi.org/10.1000/X"},
            "url": "https://a.org", "status": "read", "starred": True, "tags": ["t"],
            "note": "a\tnote", "anchors": ["anchor"], "unknown": 5,
        }
    )  # fmt: skip
    assert found.paper == Paper(
        "k", title="A [/b] Title", authors=("A B", "C"), year=2020, venue="V",
        abstract="Text\nmore", truncated=True, ids={"arxiv": "2101.00001", "doi": "10.1000/x"},
        url="https://a.org", version=2,
    )  # fmt: skip
    assert found.change == Change(Status.READ, starred=True, add_tags=("t",))
    assert found.note == "a\tnote"
    assert found.anchors == ("anchor",)


def test_what_the_program_prints_is_read_back() -> None:
    entry = Entry(
        Paper("k", title="T", authors=("A",), year=2020, abstract="x", truncated=True,
              ids={"arxiv": "2101.00001"}, url="https://a.org"),
        Mark(Status.QUEUED, True, ("a", "b")), "note", ("anchor",),
    )  # fmt: skip
    found = one(entry.to_json())
    assert found.paper == entry.paper
    assert found.change == Change(Status.QUEUED, starred=True, add_tags=("a", "b"))
    assert (found.note, found.anchors) == ("note", ("anchor",))


@pytest.mark.parametrize(
    "record", [{"key": "k"}, {"title": "T"}, {"abstract": "x"}, {"ids": {"doi": "10.1000/x"}}]
)
def test_anything_to_know_the_paper_by_is_enough(record: dict[str, Any]) -> None:
    found = one(record)
    assert found.change is None
    assert found.note == ""


@pytest.mark.parametrize(
    ("abstract", "truncated", "expected"),
    [("Cut…", None, ("Cut", True)), ("Cut", True, ("Cut", True)), ("Whole", None, ("Whole", False)),
     ("", True, (None, False))],
)  # fmt: skip
def test_a_cut_abstract_is_known_to_be_cut(
    abstract: str, truncated: bool | None, expected: tuple[str | None, bool]
) -> None:
    paper = one({"key": "k", "abstract": abstract, "truncated": truncated}).paper
    assert (paper.abstract, paper.truncated) == expected


@pytest.mark.parametrize(
    ("year", "expected"),
    [
        (2020, 2020),
        ("2020", 2020),
        (" 2020 ", 2020),
        ("        2020", 2020),
        (None, None),
        ("", None),
    ],
)
def test_a_year_may_be_a_text(year: object, expected: int | None) -> None:
    assert one({"key": "k", "year": year}).paper.year == expected


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"key": "k", "year": "soon"}', "year"),
        ('{"key": "k", "year": 2020.5}', "year"),
        ('{"key": "k", "year": true}', "year"),
        ('{"key": "k", "year": -1}', "year"),
        ('{"key": "k", "title": 5}', "title"),
        ('{"key": "k", "authors": 5}', "authors"),
        ('{"key": "k", "authors": [5]}', "authors"),
        ('{"key": "k", "ids": []}', None),
        ('{"key": "k", "ids": [1]}', "ids"),
        ('{"key": "k", "status": "tired"}', "status"),
        ('{"key": "k", "starred": "yes"}', "starred"),
        ('{"title": " "}', "key"),
        ("{}", "key"),
        ("[]", "object"),
        ("null", "object"),
        ('{"key": "k"', "JSON"),
        ("garbage", "JSON"),
        ('{"key": "k", "year": ' + "9" * 5000 + "}", ""),
        ("[" * 100_000, ""),
    ],
)
def test_a_damaged_entry_is_refused_with_line_and_reason_and_costs_no_other(
    line: str, reason: str | None
) -> None:
    parsed = parse('{"key": "a"}\n\n' + line + '\n{"key": "b"}\n')
    if reason is None:
        assert len(parsed.papers) + len(parsed.refused) == 3
        return
    assert [found.paper.key for found in parsed.papers] == ["a", "b"]
    (refusal,) = parsed.refused
    assert refusal.line == 3
    assert reason in refusal.reason


def test_a_refused_entry_is_named() -> None:
    (refusal,) = parse('{"key": "zhao", "year": "soon"}').refused
    assert refusal.entry == "zhao"


@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=5), min_size=1, max_size=4))
def test_every_line_is_read_or_refused(records: list[dict[str, Any]]) -> None:
    parsed = parse("\n".join(json.dumps(record) for record in records))
    assert len(parsed.papers) + len(parsed.refused) == len(records)


@given(st.text(st.one_of(st.just("\n"), st.characters(exclude_categories=["Cc", "Cs"]))))
def test_no_text_raises(text: str) -> None:
    parsed = parse(text)
    lines = sum(bool(line.strip()) for line in text.split("\n"))
    is_empty = not text.encode().strip()
    assert len(parsed.papers) + len(parsed.refused) == lines + is_empty
