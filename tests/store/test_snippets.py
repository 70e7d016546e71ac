"""What is shown around a match: the right place, in the room there is, and nothing harmful."""

from __future__ import annotations

import re

import pytest
from anchorlight.store import Entry, Paper
from anchorlight.store.match import highlights
from anchorlight.store.parser import parse
from anchorlight.store.snippets import Snippet, snippet
from anchorlight.store.text import clean_line
from hypothesis import given
from hypothesis import strategies as st

FILLER = "We measure how several systems behave under load and report what we found. " * 6
FORBIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def shown(query: str, abstract: str = "", note: str = "", width: int = 60) -> Snippet | None:
    entry = Entry(Paper("k", abstract=abstract or None), note=note)
    return snippet(entry, parse(query).highlights(), width)


def matched(found: Snippet | None) -> list[str]:
    assert found
    return [found.text[start:end] for start, end in found.spans]


@pytest.mark.parametrize(
    ("query", "there"),
    [
        ("bottleneck", "bottlenecks"),
        ("memories", "memory"),
        ("dying", "die"),
        ("checkpointing", "check-pointing"),
        ("naive", "naïve"),
        ("muller", "Müller"),
        ('"memory bottlenecks"', "memory bottlenecks"),
        ("optimi?ation", "optimisation"),
        ("opti*", "optimisation"),
        ("memroy~", "memory"),
        ("C++", "C++"),
        ("学習", "学習"),
    ],
)
def test_the_match_is_in_it_and_marked(query: str, there: str) -> None:
    text = f"{FILLER}Here {there} is what counts. {FILLER}"
    found = shown(query, text)
    assert matched(found) == [there]
    assert found is not None
    assert len(found.text) <= 60
    assert found.text.startswith("…")
    assert found.text.endswith("…")
    assert found.text.strip("…") in text  # cut at both ends, and not changed otherwise
    assert found.field == "abstract"


def test_words_are_not_cut_where_there_are_blanks() -> None:
    found = shown("bottleneck", f"{FILLER}a bottleneck of it. {FILLER}")
    assert found is not None
    words = set(f"{FILLER}a bottleneck of it.".split())
    assert set(found.text.strip("…").split()) <= words


def test_a_text_that_fits_is_whole() -> None:
    assert shown("memory", "A memory.") == Snippet("A memory.", ((2, 8),), "abstract")


def test_the_abstract_comes_before_the_note() -> None:
    both = shown("memory", "A memory.", "memory too")
    assert both is not None
    assert both.field == "abstract"
    assert shown("memory", "A cache.", "my\nmemory\ttoo") == Snippet(
        "my memory too", ((3, 9),), "note"
    )


@pytest.mark.parametrize(
    "query", ["", "zebra", "title:memory", "-memory", "is:unread", "note:memory"]
)
def test_where_nothing_matches_there_is_none(query: str) -> None:
    assert shown(query, "A memory.") is None


def test_a_field_of_the_query_counts() -> None:
    found = shown("note:memory", "A memory.", "a note on memory")
    assert found is not None
    assert found.field == "note"


def test_words_that_only_begin_like_it_are_passed_over() -> None:
    text = "memo " * 30 + FILLER + "memory at last. " + FILLER
    assert matched(shown("memory", text)) == ["memory"]


words = st.sampled_from(
    [
        "memory",
        "memories",
        "GPU-bound",
        "naïve",
        "学習モデル",
        "[/b]",
        "\x1b[31m",
        "a",
        "\u202e",
        "\n",
        "x" * 90,
    ]
)


@given(
    st.lists(words, max_size=60).map(" ".join),
    st.lists(words, max_size=20).map(" ".join),
    st.sampled_from(
        ["memory", "naive gpu", '"memory gpu"', "学習", "mem*", "nope", "x*", "memroy~"]
    ),
    st.integers(1, 80),
)
def test_no_text_harms(abstract: str, note: str, query: str, width: int) -> None:
    parts = parse(query).highlights()
    found = shown(query, abstract, note, width)
    if found is None:
        return
    assert len(found.text) <= max(width, 1)
    assert not FORBIDDEN.search(found.text)
    assert list(found.spans) == highlights(parts, found.field, found.text)
    assert found.spans
    whole = clean_line(abstract if found.field == "abstract" else note)
    assert found.text.strip("…") in whole


@given(st.lists(words, max_size=60).map(" ".join), st.sampled_from(["memory", "gpu", "naive"]))
def test_whatever_matches_is_shown_where_there_is_room(text: str, query: str) -> None:
    matches = highlights(parse(query).highlights(), "abstract", clean_line(text))
    assert (shown(query, text, width=60) is not None) == bool(matches)
