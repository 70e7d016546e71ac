from __future__ import annotations

from datetime import UTC, datetime

import pytest
from anchorlight.store.parser import parse
from anchorlight.store.query import (
    FIELDS,
    Added,
    And,
    Fuzzy,
    Has,
    Identifier,
    InList,
    Is,
    Node,
    Not,
    Or,
    Pattern,
    Phrase,
    Word,
    Years,
)
from hypothesis import example, given
from hypothesis import strategies as st

NOW = datetime(2026, 1, 15, 12, tzinfo=UTC)

PIECES = st.sampled_from(
    [
        *(f"{name}:" for name in FIELDS), *"()[]{}\"“”-+*?~^:\\/.,!&|'# \t\u00a0\u200b\u202e",
        "AND", "OR", "NOT", " AND ", " OR ", " NOT ", "~2", "~99", "..", "2020", "2019-2021",
        "gpu", "memory", "fine-tuning", "C++", "東京", "e\u0301", "nai\u0308ve", "7d", "2026-01-31",
        "9999-12-31", "unread", "\x00", "\x1b[31m", "\ud800", "²", "٣",
    ]
)  # fmt: skip
QUERY = st.one_of(
    st.text(st.characters(exclude_categories=[])), st.lists(PIECES, max_size=25).map("".join)
)


def w(word: str, stem: str | None = None, **more: object) -> Word:
    return Word(word, word if stem is None else stem, **more)  # type: ignore[arg-type]


@given(QUERY, st.booleans())
@example("-(" * 2000, False)
@example("(" * 5000, True)
@example("NOT " * 3000 + "a", False)
@example("a OR " * 3000, True)
@example("added:9999-12-31..9999-12-31", False)
@example("added:9999y", False)
@example("(a AND (b OR", True)
@example("year:[2020 TO", False)
@example('"a b"~x', False)
def test_no_query_raises(text: str, typing: bool) -> None:
    query = parse(text, typing=typing, now=NOW)
    assert query.text == text.strip()
    assert isinstance(query.hint, str)
    hash(query.node)
    query.highlights()


@pytest.mark.parametrize("piece", ["title:", "tag:-", "note:(", "NOT title:", "title:NOT "])
@pytest.mark.parametrize("typing", [False, True])
def test_no_nesting_of_fields_raises(piece: str, typing: bool) -> None:
    parse(piece * 2000 + "a", typing=typing, now=NOW)


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("memory", w("memory", "memori")),
        ("memory bottleneck", And((w("memory", "memori"), w("bottleneck")))),
        ("memory AND gpu", And((w("memory", "memori"), w("gpu")))),
        ("gpu gpu", w("gpu")),
        ("GPU Naïve", And((w("gpu"), w("naive", "naiv")))),
        ("R", w("r")),
        ("C++", w("c++")),
        ("it", w("it")),
        ('"pipeline parallel"', Phrase(("pipeline", "parallel"))),
        ("“pipeline parallel”", Phrase(("pipeline", "parallel"))),
        ('"training"', Word("training", "")),
        ("title:moe", w("moe", field="title")),
        ("Author:zhao", w("zhao", field="authors")),
        ("authors:zhao", w("zhao", field="authors")),
        ("tag:moe", w("moe", field="tags")),
        ("note:moe", w("moe", field="note")),
        ("venue:sc", w("sc", field="venue")),
        ('title:"a b" c', And((Phrase(("a", "b"), "title"), w("c")))),
        ("title:(a OR b)", Or((w("a", field="title"), w("b", field="title")))),
        ("year:2020", Years(2020, 2020)),
        ("year:2020..", Years(2020, None)),
        ("year:..2020", Years(None, 2020)),
        ("year:2019-2021", Years(2019, 2021)),
        ("year:>2019", Years(2020, None)),
        ("year:>=2019", Years(2019, None)),
        ("year:<2019", Years(None, 2018)),
        ("year:<=2019", Years(None, 2019)),
        ("anchor:cephalo", InList("cephalo")),
        ('anchor:"Two words"', InList("Two words")),
        ("id:arXiv:2104.04473v2", Identifier("2104.04473")),
        ("id:https://doi.org/10.1145/ABC", Identifier("10.1145/abc")),
        ("id:zhao2025", Identifier("zhao2025")),
        ("is:unread", Is(("unread",))),
        ("is:STARRED", Is(("starred",))),
        ("has:note", Has(("note",))),
        ("has:pdf", Has(("pdf",))),
        ("added:7d", Added("2026-01-08T12:00:00+00:00", None)),
        ("added:2w", Added("2026-01-01T12:00:00+00:00", None)),
        ("added:2026-01-10", Added("2026-01-10T00:00:00+00:00", "2026-01-11T00:00:00+00:00")),
        ("added:2026-01-10..", Added("2026-01-10T00:00:00+00:00", None)),
        ("added:..2026-01-10", Added(None, "2026-01-11T00:00:00+00:00")),
        ("gpu -memory", And((w("gpu"), Not(w("memory", "memori"))))),
        ("gpu NOT memory", And((w("gpu"), Not(w("memory", "memori"))))),
        ("gpu -is:read", And((w("gpu"), Not(Is(("read",)))))),
        ("-title:gpu", Not(w("gpu", field="title"))),
        ("a -b OR c", Or((And((w("a"), Not(w("b")))), w("c")))),
        ('moe OR "mixture of experts"', Or((w("moe"), Phrase(("mixture", "of", "experts"))))),
        ("a (b OR c)", And((w("a"), Or((w("b"), w("c")))))),
        ("mem*", w("mem", prefix=True)),
        ("m*", w("m", prefix=True)),
        ("optimi?ation", Pattern("optimi?ation")),
        ("o*ation", Pattern("o*ation")),
        ("Quantisation~", Fuzzy("quantisation", 1)),
        ("quantisation~2", Fuzzy("quantisation", 2)),
        ("what?", w("what")),
        ("fine-tuning", Or((w("finetuning", "finetun"),
                            Phrase(("fine", "tune"), stemmed=True)))),
        ("10-100", Or((w("10100"), Phrase(("10", "100"), stemmed=True)))),
        ("東京", Phrase(("東", "京"), stemmed=True)),
        ("O(n)", Phrase(("o", "n"), stemmed=True)),
        ("or and not", And((w("or"), w("and"), w("not")))),
    ],
)  # fmt: skip
def test_a_query_is_understood_without_a_hint(text: str, node: Node) -> None:
    query = parse(text, now=NOW)
    assert query.node == node
    assert query.hint == ""


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("bottlen", w("bottlen", prefix=True)),
        ("memory bottlen", And((w("memory", "memori"), w("bottlen", prefix=True)))),
        ("bottlen ", w("bottlen")),
        ("gpu -o", And((w("gpu"), Not(w("o"))))),
        ("title:bottlen", w("bottlen", field="title", prefix=True)),
        ("year:20", Years(2000, 2099)),
        ("year:2020.", Years(2020, 2020)),
        ("is:un", Is(("unread",))),
        ("is:rea", Is(("reading", "read"))),
        ("has:a", Has(("abstract", "arxiv"))),
        ("id:2104", Identifier("2104", prefix=True)),
        ("東京", Phrase(("東", "京"), stemmed=True, prefix=True)),
        ("OR", w("or", prefix=True)),
        ("", None),
        ("title:", None),
        ("is:", None),
        ("gpu -", w("gpu")),
    ],
)
def test_while_typing_the_last_word_counts_as_a_beginning(text: str, node: Node | None) -> None:
    assert parse(text, typing=True, now=NOW).node == node


@pytest.mark.parametrize(
    "text", ["year:2019-2", "year:2019-20", "year:2020..2", "year:>2", "year:>20"]
)
def test_a_year_range_being_typed_is_not_searched_as_text(text: str) -> None:
    node = parse(text, typing=True, now=NOW).node
    assert node is None or isinstance(node, Years)


@pytest.mark.parametrize(
    ("text", "node", "hint"),
    [
        ("foo:bar", Phrase(("foo", "bar"), stemmed=True), "foo"),
        ("year:abc", Phrase(("year", "abc"), stemmed=True), "year"),
        ("is:tired", Phrase(("is", "tire"), stemmed=True), "unread"),
        ('"a b', Phrase(("a", "b")), "quotation"),
        ("(a", w("a"), "parenthesis"),
        ("a)", w("a"), "parenthesis"),
        ("a OR", w("a"), "OR"),
        ("OR a", w("a"), "OR"),
        ("a AND", w("a"), "AND"),
        ("a NOT", w("a"), "NOT"),
        ("*", None, "*"),
        ("*tion", None, "broad"),
        ("?tion", None, "broad"),
        ("title:*x", None, "broad"),
        ("!!", None, "!!"),
        ("title: a", w("a"), "title"),
        ("abcd~9", Fuzzy("abcd", 2), "2"),
        ("[a TO b]", And((w("a"), w("to"), w("b"))), None),
        ("C:\\path\\", Phrase(("c", "path"), stemmed=True), None),
    ],
)  # fmt: skip
def test_what_cannot_be_parsed_is_taken_literally_with_a_hint(
    text: str, node: Node | None, hint: str | None
) -> None:
    query = parse(text, now=NOW)
    assert query.node == node
    if hint is not None:
        assert hint in query.hint


@pytest.mark.parametrize("text", ["fine-t*ning", "gpt-?", "gpt*-4"])
def test_a_wildcard_that_is_not_followed_is_not_dropped_silently(text: str) -> None:
    query = parse(text, now=NOW)
    assert query.hint or "Pattern" in repr(query.node)


def test_exclusions_and_facts_are_not_highlighted() -> None:
    query = parse('gpu -memory title:moe (a OR "b c") year:2020 is:read', now=NOW)
    expected = (w("gpu"), w("moe", field="title"), w("a"), Phrase(("b", "c")))
    assert query.highlights() == expected


@given(st.text(alphabet="ab* ?", max_size=12))
def test_a_pattern_begins_with_a_letter(text: str) -> None:
    def patterns(node: Node | None) -> list[Pattern]:
        if isinstance(node, And | Or):
            return [one for part in node.parts for one in patterns(part)]
        return [node] if isinstance(node, Pattern) else []

    assert all(one.literal for one in patterns(parse(text, now=NOW).node))
