from __future__ import annotations

import unicodedata

import pytest
from anchorlight.store.text import (
    clean,
    clean_line,
    clean_note,
    fingerprint_text,
    fold,
    opening,
    strip_ellipsis,
)
from hypothesis import example, given
from hypothesis import strategies as st

ANY_TEXT = st.text(st.characters(exclude_categories=[]))
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@given(ANY_TEXT)
@example("\ud800 \x1b[31m \u202ex\r\x85\u2028\tA\u030a")
@example("\r\u200b\n")
def test_clean_text_holds_no_control_or_bidi_characters_and_stays_as_it_is(text: str) -> None:
    cleaned = clean(text)
    assert not [c for c in cleaned if unicodedata.category(c) in ("Cc", "Cs") and c != "\n"]
    assert not BIDI & set(cleaned)
    assert unicodedata.is_normalized("NFC", cleaned)
    assert clean(cleaned) == cleaned


@given(ANY_TEXT)
def test_a_cleaned_line_is_one_line_with_single_blanks(text: str) -> None:
    line = clean_line(text)
    assert line == " ".join(line.split())
    assert clean_line(line) == line


@given(ANY_TEXT)
def test_a_cleaned_note_keeps_its_tabs_and_lines_and_stays_as_it_is(text: str) -> None:
    note = clean_note(text)
    assert note.count("\t") == text.count("\t")
    assert clean_note(note) == note
    assert not [c for c in note if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]


@pytest.mark.parametrize(
    ("raw", "cleaned"),
    [
        ("a\r\nb\rc\u2028d\x0ce", "a\nb\nc\nd\ne"),
        ("a\tb", "a b"),
        ("soft\xadhyphen zero\u200bwidth \ufeffbom", "softhyphen zerowidth bom"),
        ("\x1b[31mred\x1b[0m \x9b1m", "[31mred[0m 1m"),
        ("u\u0308ber", "über"),
        ("[/b] [CLS] \\[x]", "[/b] [CLS] \\[x]"),
        ("\U0001f469\u200d\U0001f52c \u2764\ufe0f", "\U0001f469\u200d\U0001f52c \u2764\ufe0f"),
        ("lone \udc80 half", "lone \ufffd half"),
    ],
)
def test_text_is_cleaned_without_losing_what_can_be_seen(raw: str, cleaned: str) -> None:
    assert clean(raw) == cleaned


@given(ANY_TEXT)
@example("\u1d2d \ua7f8 \u210f ǿ")  # letters that decompose into letters that are folded
@example("İıẞﬃ½Å한ガ")
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Naïve", "naive"), ("NAI\u0308VE", "naive"), ("Straße", "strasse"), ("ﬁne", "fine"),
        ("Łukasiewicz", "lukasiewicz"), ("Søren", "soren"), ("Erdős", "erdos"), ("Æther", "aether"),
        ("ｆｕｌｌ", "full"), ("ｱ", "ア"), ("한국", "한국"), ("Ⅳ", "iv"), ("C++", "c++"),
    ],
)  # fmt: skip
def test_folding_drops_case_accents_ligatures_and_widths(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.text())
@example("Ǿǽǣ")
def test_both_normal_forms_fold_to_the_same(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)) == fold(unicodedata.normalize("NFC", text))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Fine-Tuning: a Survey", "fine tuning a survey"),
        ("Zero–Offload!", "ZeRO-Offload"),
        ("Größe", "GROSSE"),
    ],
)
def test_spellings_of_one_text_share_a_fingerprint(one: str, two: str) -> None:
    assert fingerprint_text(one) == fingerprint_text(two) != ""


@pytest.mark.parametrize(
    ("text", "words", "cut"),
    [
        ("and so on…", "and so on", True),
        ("and so on ... ", "and so on", True),
        ("the end. ", "the end.", False),
        ("…", "", True),
        ("mid … dle", "mid … dle", False),
        ("", "", False),
    ],
)
def test_an_ellipsis_at_the_end_means_cut(text: str, words: str, cut: bool) -> None:
    assert strip_ellipsis(text) == (words, cut)


@pytest.mark.parametrize(
    ("text", "words", "shown"),
    [("a b c", 3, "a b c"), ("a b c d", 3, "a b c…"), ("a  b\nc", 2, "a b…"), ("", 3, "")],
)
def test_the_opening_is_the_first_words(text: str, words: int, shown: str) -> None:
    assert opening(text, words) == shown
