from __future__ import annotations

from itertools import pairwise

import pytest
from anchorlight.store.formats import bibtex_syntax
from anchorlight.store.formats.bibtex_syntax import TOO_MUCH_OPEN, Broken, Entry, Parsed, parse
from hypothesis import given
from hypothesis import strategies as st

pieces = st.sampled_from(
    ["@article{", "@misc(", "@string{", "@comment{", "@comment", "@preamble{", "k", ",", "=", "{",
     "}", '"', ")", "#", "%", "\n", " ", "title", "x1", "jan", "\\", "é", "@"]
)  # fmt: skip
mess = st.lists(pieces, max_size=40).map("".join)


def entries(text: str) -> list[Entry]:
    parsed = parse(text)
    assert not [one for one in parsed.entries if isinstance(one, Broken)]
    return [one for one in parsed.entries if isinstance(one, Entry)]


def fields(text: str) -> dict[str, str]:
    (entry,) = entries(text)
    return entry.fields


@given(st.text() | mess)
def test_no_text_raises_and_lines_ascend(text: str) -> None:
    lines = [one.line for one in parse(text).entries]
    assert all(one <= other for one, other in pairwise(lines))
    assert not lines or lines[-1] <= text.count("\n") + 1


@given(mess)
def test_a_mess_costs_no_entry_behind_it(text: str) -> None:
    parsed = parse(f"{text}\n@book{{behind, title = {{Here}}}}\n")
    last = parsed.entries[-1:]
    hidden = "@comment" in text  # it may have taken the rest in
    assert hidden or isinstance(last[0], Entry)
    assert hidden or (last[0].key, last[0].fields) == ("behind", {"title": "Here"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@book{k, a = {x {y} z}}", {"a": "x {y} z"}),
        ('@book{k, a = "x {"}y{"} z"}', {"a": 'x {"}y{"} z'}),
        ("@book(k, a = {x}, b = 12)", {"a": "x", "b": "12"}),
        ("@book{k\n  , a = {x}\n  , b = {y}\n}", {"a": "x", "b": "y"}),
        ("@book{k, A+an = {x}, B-c:d_e.f = {y},,}", {"a+an": "x", "b-c:d_e.f": "y"}),
        ('@book{k, a = {x} # " y" # 3}', {"a": "x y3"}),
        ("@BOOK {k , a={x}}", {"a": "x"}),
        ("@book{k, % told\n a = {x}, % and\n % more\n b = {50% y}}", {"a": "x", "b": "50% y"}),
        ("@book{k, a = {" + "{" * 50 + "x" + "}" * 50 + "}}", {"a": "{" * 50 + "x" + "}" * 50}),
        (r"@book(k, a = {x \{'e y}, b = {z})", {"a": r"x \{'e y", "b": "z"}),
        ("@book{k, month = 3 # {~} # Mar}", {"month": "3~mar"}),
        ("@book{k, a = {\n@ not an entry\n}, b = {y}}", {"a": "\n@ not an entry\n", "b": "y"}),
    ],
)
def test_all_ways_to_write_a_value(text: str, expected: dict[str, str]) -> None:
    assert fields(text) == expected
    assert not parse(text).slips


@pytest.mark.parametrize(
    ("text", "key"),
    [("@book{, a=1}", ""), ("@book{a=1}", ""), ("@book{two words , a=1}", "two words"),
     ("@book{Zoë:24/x, a=1}", "Zoë:24/x"), ("@book{\nk,\na=1}", "k")],
)  # fmt: skip
def test_keys_may_be_missing_or_odd(text: str, key: str) -> None:
    (entry,) = entries(text)
    assert entry.key == key


def test_text_between_entries_is_no_entry() -> None:
    text = """Mail to me@book{x} or @ nobody.
% @book{hidden, title = {x}}
@comment @book{hidden, title = {x}}
@comment{ @book{hidden, title = {x}}
@book{hidden, title = {x}}
}
@preamble{ "\\def\\x{@book{hidden, title = {x}}}" }
@book{one, title = {1}} @book{two, title = {2}}@book{three, title = {3}}"""
    assert [entry.key for entry in entries(text)] == ["one", "two", "three"]
    assert [entry.line for entry in entries(text)] == [8, 8, 8]


def test_macros_are_put_in_whatever_their_case_and_place() -> None:
    parsed = parse(
        '@string{one = "1"}@string(Two = {2} # ONE)\n'
        "@book{k, a = one # two # three # four}\n"
        '@string{three = four}@string{four = "4"}@string{three = three # "3"}'
    )
    assert [entry.fields for entry in parsed.entries if isinstance(entry, Entry)] == [
        {"a": "121434"}
    ]
    assert not parsed.slips


def test_a_macro_that_is_nowhere_keeps_its_name_and_is_told() -> None:
    parsed = parse("\n@string{loop = loop}@book{k,\n a = Nowhere # loop,\n month = may}")
    assert [entry.fields for entry in parsed.entries if isinstance(entry, Entry)] == [
        {"a": "Nowhereloop", "month": "may"}
    ]
    assert parsed.slips == {bibtex_syntax.UNDEFINED: [(2, "Nowhere")]}


def test_macros_do_not_make_a_small_file_huge() -> None:
    doubling = "".join(f"@string{{m{n + 1} = m{n} # m{n}}}" for n in range(100))
    parsed = parse('@string{m0 = "xx"}' + doubling + "@book{k, title = m100, note = m3}")
    (entry,) = [one for one in parsed.entries if isinstance(one, Entry)]
    assert sum(map(len, entry.fields.values())) < 2_000_000
    assert entry.fields["note"] == "x" * 16 or bibtex_syntax.UNDEFINED in parsed.slips


def keys(parsed: Parsed) -> list[str]:
    return [one.key + ("!" if isinstance(one, Broken) else "") for one in parsed.entries]


@pytest.mark.parametrize(
    "bad",
    ["title = {open {brace,\n year = 1999,\n}", 'title = "open quote,\n year = 1999\n}',
     "title = {open", "title = {a}, note = {open {}\n"],
)  # fmt: skip
def test_what_has_no_end_costs_one_entry(bad: str) -> None:
    parsed = parse(f"@book{{one, title = {{1}}}}\n\n@book{{bad,\n {bad}\n@book{{two, title={{2}}}}")
    assert keys(parsed) in (["one", "bad!", "two"], ["one", "bad", "two"])
    assert parsed.entries[1].line == 3
    assert isinstance(parsed.entries[1], Broken) or bibtex_syntax.NO_END in parsed.slips


def test_what_has_no_end_on_a_line_with_others_costs_one_entry() -> None:
    parsed = parse(
        "@book{a,title={1}} @book{bad,title={open} @book{c,title={{3}} @book{d,title={4}}"
    )
    assert keys(parsed) == ["a", "bad!", "c", "d"]
    assert parsed.slips == {bibtex_syntax.NO_END: [(1, "c")]}


@pytest.mark.parametrize(
    ("text", "expected", "slip"),
    [
        ("@book{k, a = {x} b = {y}}", {"a": "x", "b": "y"}, bibtex_syntax.NO_COMMA),
        ("@book{k a = {x}}", {"a": "x"}, bibtex_syntax.NO_COMMA),
        ("@book{k, a = {x}, year}", {"a": "x"}, bibtex_syntax.UNCLEAR),
        ("@book{k, a = , b = {y}}", {"a": "", "b": "y"}, bibtex_syntax.NO_VALUE),
        ("@book{k, a = {x}}, b = {y}}", {"a": "x", "b": "y"}, bibtex_syntax.EARLY_END),
        ("@book{k, a = {x} junk {, b = 1}, b = {y}}", {"a": "x", "b": "y"}, bibtex_syntax.UNCLEAR),
        ("@book{k, a = {x}, A = {y}}", {"a": "x"}, bibtex_syntax.TWICE),
        ("@book{k, a = {x},\n", {"a": "x"}, bibtex_syntax.NO_END),
        ("@book{k,\na = {x {y},\nb = {z}\n}", {"a": "x {y", "b": "z"}, bibtex_syntax.NO_END),
        ("@string{}\n@book{k, a = {x}}", {"a": "x"}, bibtex_syntax.OPEN_STRING),
        ("@string{s = {x}\n@book{k, a = s}", {"a": "x"}, bibtex_syntax.NO_END),
        ("@string{s = {x\n@book{k, a = {x}}", {"a": "x"}, bibtex_syntax.OPEN_STRING),
    ],
)
def test_what_is_wrong_but_clear_is_read_and_told(
    text: str, expected: dict[str, str], slip: str
) -> None:
    parsed = parse(text)
    assert [one.fields for one in parsed.entries if isinstance(one, Entry)] == [expected]
    assert list(parsed.slips) == [slip]


def test_brackets_of_two_kinds_are_taken() -> None:
    assert fields("@book{k, a = {x}\n)") == {"a": "x"}


@pytest.mark.parametrize(
    "text",
    ["@a{b,c={" * 20000, "@a{b,c={\n" * 20000, "@comment{\n" * 20000, '@a{b,c="' * 20000,
     "@a{b," + " " * 200_000, "@a{b,c={" + "{" * 100_000, "@a{b,c=" + "#" * 50_000,
     "@a{b," + "x y," * 50_000 + "}", "@a{k,x={}}" + ",x={}}" * 50_000, "@" * 200_000,
     "%@a{" * 50_000, "@a{" + "a " * 100_000 + "=", "@string{a=b}@string{b=a}" * 10_000,
     "@string{" * 20_000, "@string{a={" * 20_000, "@preamble{" * 20_000, "@a(b" * 20_000],
)  # fmt: skip
def test_hostile_texts_come_to_an_end(text: str) -> None:
    parsed = parse(text + "\n@book{last, a = {x}}")
    assert sum(map(len, parsed.slips.values())) <= 4 * text.count("@")
    assert isinstance(last := parsed.entries[-1], Entry)
    assert last.fields == {"a": "x"}


def test_blocks_that_are_open_over_and_over_are_given_up_with_a_sentence() -> None:
    parsed = parse("@string{" * 20_000 + "\n@book{good, title={Good}}")
    *broken, good = parsed.entries
    assert [one.reason for one in broken if isinstance(one, Broken)] == [TOO_MUCH_OPEN]
    assert isinstance(good, Entry)
    assert good.key == "good"
