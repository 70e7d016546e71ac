from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from anchorlight.store import Change, Entry, Mark, Paper, Status
from anchorlight.store.formats import read
from anchorlight.store.formats.input import Input
from anchorlight.store.names import parts, stored
from anchorlight.store.text import clean_line
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
    "starred", "tags", "note", "anchors", "names", "authors_complete", "type", "date", "details",
    "files", "also", "version", "source", "added",
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


WORDS = st.text(st.sampled_from("Ab é,.…[/]{}"), max_size=9).map(clean_line)
MAYBE = st.none() | WORDS.filter(bool)
TABLE = st.dictionaries(st.sampled_from(["volume", "editor", "x y"]), WORDS.filter(bool))
TEXTS = st.lists(WORDS.filter(bool), max_size=2).map(tuple)
PAPERS = st.builds(
    Paper,
    key=st.just("k"),
    title=MAYBE,
    authors=st.lists(WORDS.map(parts).map(stored).filter(bool), max_size=3).map(tuple),
    authors_complete=st.booleans(),
    year=st.none() | st.integers(1000, 2100),
    venue=MAYBE,
    abstract=MAYBE,
    ids=st.sampled_from([{}, {"arxiv": "2101.00001"}, {"doi": "10.1000/x", "s2": "aB"}]),
    url=st.none() | st.just("https://a.org"),
    type=MAYBE,
    date=MAYBE,
    details=TABLE,
    files=TEXTS,
    also=TEXTS,
    version=st.none() | st.integers(1, 99),
    source=MAYBE,
    added=st.none() | st.just("2026-01-01T00:00:00+00:00"),
)


@given(paper=PAPERS, truncated=st.booleans())
def test_what_the_program_prints_is_read_back(paper: Paper, *, truncated: bool) -> None:
    paper = replace(paper, truncated=truncated and bool(paper.abstract))
    mark = Mark(Status.QUEUED, True, ("a", "b"), "2026-01-01T00:00:00+00:00")
    entry = Entry(paper, mark, "note", ("anchor",))
    found = one(json.loads(json.dumps(entry.to_json())))
    assert found.paper == paper
    assert found.change == Change(Status.QUEUED, starred=True, add_tags=("a", "b"))
    assert (found.note, found.anchors) == ("note", ("anchor",))


def test_names_as_they_are_stored_go_before_names_as_they_are_shown() -> None:
    found = one({"key": "k", "authors": ["WHO Group"], "names": ["{WHO Group}"]})
    assert found.paper.authors == ("{WHO Group}",)
    assert one({"key": "k", "authors": ["Jan van der Berg"]}).paper.authors == ("Jan van der Berg",)


def test_an_address_that_identifiers_tell_is_none_of_its_own() -> None:
    entry = Entry(Paper("k", ids={"doi": "10.1000/x"}))
    assert entry.to_json()["url"] == "https://doi.org/10.1000/x"
    assert one(entry.to_json()).paper.url is None


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
        ('{"key": "k", "details": [1]}', "details"),
        ('{"key": "k", "files": 5}', "files"),
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
