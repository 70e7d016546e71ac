from __future__ import annotations

import json
from pathlib import Path

import pytest
from anchorlight.store.formats import read
from anchorlight.store.formats.input import Input
from anchorlight.store.formats.seed import FACTS_NAME
from hypothesis import given
from hypothesis import strategies as st

from ..helpers import Gathered, gathered

NOWHERE = Path("/nonexistent/list.txt")
HEAD = "Related papers: A Title\n\n"


def parse(text: str, path: Path) -> Gathered:
    return gathered(read(Input.of(text.encode("utf-8", "replace"), str(path)), "seed"))


def abstracts(text: str) -> list[tuple[str | None, bool]]:
    (found,) = parse(text, NOWHERE).lists
    return [(paper.abstract, paper.truncated) for paper in found.papers]


@given(st.text())
def test_no_text_raises(text: str) -> None:
    parsed = parse(text, NOWHERE)
    assert bool(parsed.lists) != bool(parsed.refused and not parsed.lists)


@given(st.binary(), st.booleans())
def test_no_bytes_raise(data: bytes, headed: bool) -> None:
    parsed = gathered(read(Input.of(b"Related papers: " + data if headed else data)))
    assert parsed.lists or parsed.papers or parsed.refused


words = st.text(alphabet='ab é東\\"{}$%[].…-– \t\n', max_size=30)


@given(words.map(lambda text: text.replace("\n", " ")), st.lists(words, max_size=6))
def test_read_and_refused_make_up_the_title_and_all_paragraphs(
    title: str, texts: list[str]
) -> None:
    body = "\n\n".join(texts)
    paragraphs, held = 0, False
    for line in body.split("\n"):
        paragraphs += bool(line.strip()) and not held
        held = bool(line.strip())
    parsed = parse(f"Related papers: {title}\n\n{body}", NOWHERE)
    (found,) = parsed.lists
    assert 1 + len(found.papers) + len(parsed.refused) == paragraphs + 1
    assert all(paper.abstract for paper in found.papers)


@pytest.mark.parametrize(
    ("header", "title"),
    [
        ("Related papers: A Title", "A Title"),
        ("Related papers: A cut ti…", "A cut ti…"),
        ("Related papers: A cut ti...", "A cut ti…"),
        ("\n\n  Related papers:   A   Title ", "A Title"),
        ("Related papers: GPT: A: Related papers: C…", "GPT: A: Related papers: C…"),
        ("Related papers:", None),
        ("Related papers: ", None),
        ("Related papers: …", None),
        (r"Related papers: A na\"{i}ve [/b] title", "A naïve [/b] title"),
        ("Related papers: " + "T" * 300, "T" * 300),
    ],
)
def test_the_first_line_is_the_title(header: str, title: str | None) -> None:
    parsed = parse(header + "\n\nOne…\n", NOWHERE)
    (found,) = parsed.lists
    if title is None:
        assert not (found.anchor.title or "").strip("…")
    else:
        assert found.anchor.title == title
    assert found.anchor.source == "list.txt"
    assert [paper.abstract for paper in found.papers] == ["One"]
    assert parsed.refused == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("One…\n\nTwo.\n", [("One", True), ("Two.", False)]),
        ("One...", [("One", True)]),
        ("One\nline more…\n", [("One line more", True)]),
        ("One…\n \t\n  \n\n\nTwo…", [("One", True), ("Two", True)]),
        ("Ends. Goes on.…", [("Ends. Goes on.", True)]),
        ("Related papers: not a header…", [("Related papers: not a header", True)]),
        (r"na\"{i}ve, 95\% of $x_{+}$ [SEP]…", [("naïve, 95% of x₊ [SEP]", True)]),
        ("", []),
    ],
)
def test_each_paragraph_is_an_abstract(body: str, expected: list[tuple[str, bool]]) -> None:
    assert abstracts(HEAD + body) == expected


def test_a_title_alone_is_a_list_without_papers() -> None:
    (found,) = parse("Related papers: Alone", NOWHERE).lists
    assert found.anchor.title == "Alone"
    assert found.papers == ()


def test_a_paragraph_without_words_is_refused_with_its_line() -> None:
    parsed = parse(HEAD + "One…\n\n---\n\nTwo…\n", NOWHERE)
    (refusal,) = parsed.refused
    assert refusal.line == 5
    assert [paper.abstract for paper in parsed.lists[0].papers] == ["One", "Two"]


@pytest.mark.parametrize("text", ["An abstract\n\nanother", "related: x", "<html>"])
def test_a_text_without_header_is_refused(text: str) -> None:
    parsed = parse(text, NOWHERE)
    assert parsed.lists == []
    (refusal,) = parsed.refused
    assert refusal.line == 1
    assert "Related papers" in refusal.reason


def test_no_mark_or_carriage_return_is_left_in_any_text() -> None:
    data = "\ufeffRelated papers: With BOM…\r\n\r\nOne\r\nline…\r\n\r\nTwo…\r\n".encode()
    (found,) = gathered(read(Input.of(data))).lists
    assert found.anchor.title == "With BOM…"
    assert [paper.abstract for paper in found.papers] == ["One line", "Two"]


FACT = {
    "seed_file": "list.txt", "kind": "related", "position": 1, "opening": "The first words of it",
    "title": "Known Title", "authors": ["A B", "C D"], "authors_complete": False, "year": 2020,
    "arxiv_id": "2101.00001", "doi": None, "venue": "V",
}  # fmt: skip
ANCHOR = FACT | {
    "kind": "anchor", "position": None, "opening": "Related papers: A Title",
    "title": "A Title Whole",
    "arxiv_id": None, "doi": "10.1000/X",
}  # fmt: skip
SEED = HEAD + "The first words of it and more…\n\nAnother…\n"


def with_facts(folder: Path, facts: object) -> object:
    text = facts if isinstance(facts, str) else json.dumps(facts)
    (folder / FACTS_NAME).write_text(text, "utf-8")
    return parse(SEED, folder / "list.txt")


def test_what_is_known_beside_the_list_completes_its_papers(tmp_path: Path) -> None:
    (tmp_path / FACTS_NAME).write_text(json.dumps([ANCHOR, FACT, FACT | {"seed_file": "other"}]))
    parsed = parse(SEED, tmp_path / "list.txt")
    (found,) = parsed.lists
    first, second = found.papers
    assert parsed.guesses == []
    assert (found.anchor.title, found.anchor.ids) == ("A Title Whole", {"doi": "10.1000/x"})
    assert (first.title, first.authors, first.authors_complete) == (
        "Known Title", ("A B", "C D"), False
    )  # fmt: skip
    assert (first.year, first.venue, first.ids) == (2020, "V", {"arxiv": "2101.00001"})
    assert (first.abstract, first.truncated) == ("The first words of it and more", True)
    assert second.title is None


def test_facts_that_do_not_fit_the_words_are_left_out_and_told(tmp_path: Path) -> None:
    (tmp_path / FACTS_NAME).write_text(json.dumps([FACT | {"opening": "Other words"}]))
    parsed = parse(SEED, tmp_path / "list.txt")
    assert parsed.lists[0].papers[0].title is None
    assert "Other words" in parsed.guesses[0]


@pytest.mark.parametrize(
    "facts",
    [
        "", "{", "null", "{}", "[1]", "[null]", "[" * 100_000,
        json.dumps([FACT | {"position": []}]),
        json.dumps([{key: value for key, value in FACT.items() if key != "opening"}]),
        json.dumps([FACT | {"title": 5}]),
        json.dumps([FACT | {"authors": [5]}]),
        json.dumps([FACT | {"authors": "A B"}]),
        json.dumps([FACT | {"year": "2020"}]),
        json.dumps([FACT | {"venue": ["V"]}]),
        json.dumps([FACT | {"arxiv_id": 2101.5}]),
    ],
)  # fmt: skip
def test_facts_that_cannot_be_used_cost_no_paper(tmp_path: Path, facts: str) -> None:
    (tmp_path / FACTS_NAME).write_text(facts)
    parsed = parse(SEED, tmp_path / "list.txt")
    (found,) = parsed.lists
    assert [paper.abstract for paper in found.papers] == [
        "The first words of it and more",
        "Another",
    ]
    paper = found.papers[0]
    assert paper.title is None or isinstance(paper.title, str)
    assert paper.year is None or isinstance(paper.year, int)
    assert paper.venue is None or isinstance(paper.venue, str)
    assert paper.authors in ((), ("A B",), ("A B", "C D"))
    if not (paper.title and paper.authors and paper.year and paper.venue and paper.ids):
        assert parsed.guesses or facts == "{}"
