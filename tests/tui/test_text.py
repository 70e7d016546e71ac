"""Untrusted text becomes safe text of a known width."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from anchorlight.tui.text import (
    fit,
    marked_segments,
    pad,
    printable,
    printable_lines,
    strip_of,
    wrap,
)
from anchorlight.tui.view import short_title
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from wcwidth import wcswidth

from .hostile import BRACKETS, FORBIDDEN, HOSTILE, any_text, check_strip, few

widths = st.integers(0, 40)


@few
@given(any_text)
def test_what_is_printable_is_one_line_without_controls(text: str) -> None:
    line = printable(text)
    assert not FORBIDDEN.search(line)
    assert printable(line) == line
    assert line == line.strip()


@few
@given(any_text)
def test_lines_are_printable_and_none_is_lost(text: str) -> None:
    lines = printable_lines(text)
    assert not any(FORBIDDEN.search(line) for line in lines)
    assert "".join("".join(lines).split()) == "".join(printable(text).split())


@few
@given(st.text(st.characters(min_codepoint=33, max_codepoint=126)))
def test_plain_characters_stay_as_written(text: str) -> None:
    assert printable(text) == text
    assert printable_lines(text) == [text]


@pytest.mark.parametrize("text", BRACKETS)
def test_brackets_stay_as_written(text: str) -> None:
    assert printable(text) == text
    assert printable_lines(text) == [text]


def test_tabs_become_columns() -> None:
    assert printable_lines("a\tb\n\tc") == ["a   b", "    c"]
    assert printable("a\tb") == "a b"


@few
@given(any_text)
def test_the_width_of_a_line_is_the_sum_of_its_characters_widths(text: str) -> None:
    line = printable(text)
    assert cell_len(line) == sum(map(cell_len, line))


@pytest.mark.parametrize("text", [text for text in HOSTILE if "हि" not in text])
def test_terminals_measure_a_line_as_we_do(text: str) -> None:
    assert wcswidth(printable(text)) == cell_len(printable(text))


def test_the_cases_of_cell_widths_are_measured_as_terminals_do(shared: Path) -> None:
    for path in sorted((shared / "cases/H16-cell-widths").glob("*.txt")):
        for word in printable(path.read_text("utf-8")).split():
            if not re.search("[\u0900-\u097f]", word):  # no two terminals agree on Devanagari
                assert wcswidth(word) == cell_len(word), word


@few
@given(any_text, widths)
def test_fitted_text_takes_no_more_than_its_width(text: str, width: int) -> None:
    whole = printable(text)
    fitted = fit(whole, width)
    assert cell_len(fitted) <= width
    if cell_len(whole) <= width:
        assert fitted == whole
    elif width:
        assert fitted.endswith("…")
        assert whole.startswith(fitted[:-1])
    assert cell_len(pad(whole, width)) == width


@few
@given(any_text, st.integers(2, 40))
@example("          - deeply indented", 8)
@example("   abcdefgh", 2)
@example("      機械", 5)
def test_wrapped_text_fits_and_loses_nothing(text: str, width: int) -> None:
    for line in printable_lines(text):
        at = 0
        for start, end in wrap(line, width):
            assert at <= start <= end
            assert not line[at:start].strip(), "only blanks are left out"
            assert cell_len(line[start:end]) <= width, line[start:end]
            at = end
        assert not line[at:].strip()


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("", 10, [""]),
        ("one two three", 8, ["one two", "three"]),
        ("one two three", 7, ["one two", "three"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("ab cdefghij kl", 4, ["ab", "cdef", "ghij", "kl"]),
        ("機械学習。", 4, ["機械", "学習。"]),
        ("機械学習です", 6, ["機械学", "習です"]),
        ("  - indented item", 10, ["  -", "indented", "item"]),
    ],
)
def test_wrapping_parts_at_blanks(text: str, width: int, lines: list[str]) -> None:
    shown = [text[start:end] for start, end in wrap(text, width)]
    if "。" in text:  # closing punctuation does not begin a line
        assert not any(line.startswith("。") for line in shown)
    else:
        assert shown == lines


def test_a_japanese_abstract_is_whole_and_fills_its_lines(shared: Path) -> None:
    text = (shared / "cases/H16-cell-widths/000_dddd000000000000.txt").read_text("utf-8")
    body = printable_lines(text.split("\n\n")[1].strip())[0]
    lines = [body[start:end] for start, end in wrap(body, 60)]
    assert "".join(lines) == body
    assert all(57 <= cell_len(line) <= 60 for line in lines[:-1])


@few
@given(any_text, st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70)), max_size=4), widths)
def test_marking_matches_changes_no_text(
    text: str, spans: list[tuple[int, int]], start: int
) -> None:
    line = printable(text)
    start = min(start, len(line))
    spans = sorted((min(span), max(span)) for span in spans)
    parts = marked_segments(line, start, len(line), spans, Style.null(), Style(bold=True))
    assert "".join(part.text for part in parts) == line[start:]


@few
@given(any_text, st.integers(1, 40))
def test_a_strip_has_exactly_its_width(text: str, width: int) -> None:
    check_strip(strip_of([Segment(printable(text))], width, Style.null()), width)


@pytest.mark.parametrize(
    ("title", "short"),
    [
        ("Mimose: An Input-Aware Planner", "Mimose"),
        (
            "A very long beginning of a title: and more",
            "A very long beginning of a title: and more",
        ),
        ("AI: x", "AI: x"),
        ("No colon", "No colon"),
        ("Name: ", "Name: "),
        ("[/b]: x", "[/b]"),
    ],
)
def test_the_short_title_is_the_name_it_begins_with(title: str, short: str) -> None:
    assert short_title(title) == short
