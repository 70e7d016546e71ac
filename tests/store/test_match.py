from __future__ import annotations

import unicodedata
from fnmatch import fnmatchcase

import pytest
from anchorlight.store import Entry, Mark, Paper
from anchorlight.store.bits import bits_of, numbers_in
from anchorlight.store.match import evaluate, fields_of, highlights, matches, spans
from anchorlight.store.parser import parse
from anchorlight.store.query import Fact, Pattern, Text
from hypothesis import given
from hypothesis import strategies as st

NOTHING: frozenset[str] = frozenset()


def shown(query: str, text: str, field: str = "abstract", *, typing: bool = False) -> list[str]:
    parts = parse(query, typing=typing).highlights()
    return [text[start:end] for start, end in highlights(parts, field, text)]


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("train", "Training trains a brain", ["Training", "trains"]),
        ('"train"', "Training to train", ["train"]),
        ('"pipeline parallel"', "pipeline parallel, parallel pipeline", ["pipeline parallel"]),
        ("fine-tuning", "Finetuning, fine-tuning, fine tuning", None),
        ("finetuning", "Finetuning or fine-tuned", ["Finetuning", "fine-tuned"]),
        ("tuning", "fine-tuning", ["tuning"]),
        ("naive", "A naïve nai\u0308ve NAIVE", ["naïve", "nai\u0308ve", "NAIVE"]),
        ("naïve", "naive", ["naive"]),
        ("fine", "a ﬁne day", ["ﬁne"]),
        ("strasse", "die Straße", ["Straße"]),
        ("東京", "在東京大学", ["東京"]),
        ("京大", "在東京大学", ["京大"]),
        ("東大", "東京大学", []),
        ("学習", "機械学習と学習", ["学習", "学習"]),
        ("muller", "Müller’s and Muller", ["Müller’s", "Muller"]),
        ("don't", "I don’t", ["don’t"]),
        ("R", "for R are", ["R"]),
        ("C", "C++ C# C", ["C"]),
        ("C++", "C++ C# C", ["C++"]),
        ("AI", "aid AI", ["AI"]),
        ("GPT-4", "GPT-4, GPT-2, GPT4", ["GPT-4", "GPT4"]),
        ("802.11", "802.11 networks", ["802.11"]),
        ("k-NN", "a k-NN graph", ["k-NN"]),
        ("mem*", "memory MemFine gem", ["memory", "MemFine"]),
        ("m*", "memory gem", ["memory"]),
        ("optimi?ation", "optimization optimisation optimiation", ["optimization", "optimisation"]),
        ("o*ation", "optimization operation or", ["optimization", "operation"]),
        ("quantisation~", "quantization", ["quantization"]),
        ("trasnformer~", "transformer", ["transformer"]),
        ("quantum~", "quartz", []),
        ("a -b", "a b", ["a"]),
        ("[CLS]", "the [CLS] token", ["CLS"]),
    ],
)
def test_matches_are_marked_at_the_right_place(
    query: str, text: str, marked: list[str] | None
) -> None:
    expected = ["Finetuning", "fine-tuning", "fine tuning"] if marked is None else marked
    assert shown(query, text) == expected


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("query", ["naïve", "Erdős", "ガラス", "한국"])
def test_both_normal_forms_of_a_query_find_the_word(query: str, form: str) -> None:
    assert shown(unicodedata.normalize(form, query), f"x {query} y") == [query]  # type: ignore[arg-type]


def test_the_last_word_is_a_beginning_while_typing() -> None:
    assert shown("memory bottlen", "memory bottlenecks", typing=True) == ["memory", "bottlenecks"]
    assert shown("pipeline-par", "pipeline-parallel", typing=True) == ["pipeline-parallel"]
    assert shown("bottlen", "bottlenecks") == []


def test_only_the_field_asked_for_is_marked() -> None:
    assert shown("title:gpu memory", "gpu memory", "abstract") == ["memory"]
    assert shown("title:gpu memory", "gpu memory", "title") == ["gpu", "memory"]


def test_overlapping_marks_are_joined() -> None:
    assert shown('"a b" "b c"', "a b c") == ["a b c"]


def fields(**more: str) -> dict[str, str]:
    return dict.fromkeys(("title", "abstract", "authors", "venue", "tags", "note"), "") | more


@pytest.mark.parametrize("field", ["title", "abstract", "authors", "venue", "tags", "note"])
def test_a_word_is_looked_for_in_every_field(field: str) -> None:
    (part,) = parse("gpu").highlights()
    assert matches(part, fields(**{field: "a GPU"}))
    assert not matches(part, fields(**{field: "a CPU"}))


def test_a_phrase_does_not_reach_from_one_field_into_another() -> None:
    (part,) = parse('"a b"').highlights()
    assert not matches(part, fields(title="a", abstract="b"))


def test_the_fields_of_a_paper_are_its_texts_tags_and_note() -> None:
    entry = Entry(
        Paper("k", title="T", authors=("A B", "C"), venue="V", abstract="X"),
        Mark(tags=("one", "two")),
        "N",
    )
    assert fields_of(entry) == {
        "title": "T", "abstract": "X", "authors": "A B, C", "venue": "V", "tags": "one two",
        "note": "N",
    }  # fmt: skip
    assert set(fields_of(Entry(Paper("k"))).values()) == {""}


def test_spans_are_in_the_order_of_the_text() -> None:
    (part,) = parse("a").highlights()
    assert spans(part, "a b a") == [(0, 1), (4, 5)]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("a", "12"), ("a b", "1"), ("a OR c", "123"), ("-a", "34"), ("a -b", "2"),
        ("a NOT b OR c", "23"), ("(a OR c) -b", "23"), ("-(a OR c)", "4"), ("NOT NOT a", "12"),
        ("is:read", "24"), ("is:read -a", "4"), ("zzz", ""),
    ],
)  # fmt: skip
def test_operators_have_their_usual_meaning(query: str, found: str) -> None:
    words = {"a": (1, 2, 9), "b": (1,), "c": (3,)}

    def text(part: Text, among: int) -> int:
        assert not among & ~bits_of((1, 2, 3, 4), 5)
        return bits_of(words.get(getattr(part, "text", ""), ()), 10)

    def fact(part: Fact) -> int:
        return bits_of((2, 4, 9), 10)

    node = parse(query).node
    assert node is not None
    papers = evaluate(node, bits_of((1, 2, 3, 4), 10), text, fact)
    assert numbers_in(papers) == [*map(int, found)]


@given(st.text("ab", max_size=9), st.text("ab*?", max_size=6).map("a{}".format))
def test_a_pattern_means_what_a_shell_means_by_it(word: str, pattern: str) -> None:
    matched = Pattern(pattern).regex().fullmatch(word)
    assert (matched is not None) == fnmatchcase(word, pattern)


def test_a_pattern_of_many_stars_is_done_with_a_long_word() -> None:
    assert Pattern("a*b*c*d*e").regex().fullmatch("a" + "bcd" * 10_000) is None
