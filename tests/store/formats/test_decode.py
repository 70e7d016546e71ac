from __future__ import annotations

import codecs

import pytest
from anchorlight.store.formats.decode import decode
from hypothesis import given
from hypothesis import strategies as st

TEXT = "Größe, 東京 “x”\nsecond"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
    ],
)
def test_unicode_is_read_without_a_guess(data: bytes) -> None:
    assert decode(data) == (TEXT, "", "")


@pytest.mark.parametrize(
    ("data", "text", "line"),
    [
        ("Größe\nnaïve".encode("latin-1"), "Größe\nnaïve", 1),
        ("plain\n“curly” €".encode("cp1252"), "plain\n“curly” €", 2),
        (b"a\x81\xe9", "a\x81é", 1),  # a byte that Windows-1252 does not know
    ],
)
def test_other_bytes_are_guessed_and_the_guess_told(data: bytes, text: str, line: int) -> None:
    decoded = decode(data)
    assert decoded.text == text
    assert f"line {line}" in decoded.guess
    assert not decoded.problem


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_guessed(encoding: str) -> None:
    decoded = decode("@article{a, title = {Größe – 東}}".encode(encoding))
    assert decoded.text == "@article{a, title = {Größe – 東}}"
    assert "UTF-16" in decoded.guess


def test_chinese_in_gbk_is_guessed() -> None:
    decoded = decode("@article{a,\n title = {基于图神经网络的文献推荐方法研究},\n}".encode("gbk"))
    assert "基于图神经网络的文献推荐方法研究" in decoded.text
    assert "GBK" in decoded.guess


@pytest.mark.parametrize("text", ["Größe", "Straße, Übergänge, Größe", "École à Besançon", "Óðinn"])
def test_western_letters_are_not_taken_for_chinese(text: str) -> None:
    assert decode(text.encode("cp1252")).text == text


@pytest.mark.parametrize("head", ["% Encoding: {}\n", '<?xml version="1.0" encoding="{}"?>\n'])
def test_what_a_file_says_of_its_encoding_counts_where_it_is_true(head: str) -> None:
    text = head.format("ISO8859_15") + "Preis: 5 €"
    assert decode(text.encode("iso8859-15")) == (text, "", "")
    lie = (head.format("UTF-8") + "Größe").encode("cp1252")
    decoded = decode(lie)
    assert decoded.text.endswith("Größe")
    assert "says UTF-8, but is not (line 2)" in decoded.guess
    unknown = decode((head.format("klingon") + "Größe").encode("cp1252"))
    assert unknown.text.endswith("Größe")
    hex_coded = head.format("hex") + "Größe"  # which is no encoding of texts
    assert decode(hex_coded.encode("cp1252")).text == hex_coded


@given(st.text(min_size=1), st.sampled_from(["utf-8", "utf-16"]), st.integers(2, 40))
def test_a_part_that_ends_within_a_character_is_read(text: str, encoding: str, size: int) -> None:
    part = text.encode(encoding, "replace")[:size]
    decoded = decode(part, is_whole=False)
    assert decoded.problem or not decoded.guess or "\0" in text


@pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
def test_the_cut_beginning_of_a_large_file_is_as_the_file(encoding: str) -> None:
    data = "东京大学的研究方法".encode(encoding)
    assert "东京大学的研究方法".startswith(decode(data[:-1], is_whole=False).text)


@pytest.mark.parametrize(
    "data", [b"", b" \r\n\t", codecs.BOM_UTF8 + b"\n", codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE]
)
def test_an_empty_file_is_no_text(data: bytes) -> None:
    assert "empty" in decode(data).problem


@pytest.mark.parametrize("data", [bytes(range(256)) * 4, b"text\0text", b"\x89PNG\r\n\x1a\n\0\0"])
def test_bytes_that_are_no_text_are_refused(data: bytes) -> None:
    decoded = decode(data)
    assert decoded.problem
    assert decoded.text == ""


@given(st.binary())
def test_no_bytes_raise_and_no_carriage_return_is_left(data: bytes) -> None:
    decoded = decode(data)
    assert "\r" not in decoded.text
    assert not (decoded.problem and decoded.text)


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1).filter(str.strip))
def test_utf_8_is_read_as_it_is(text: str) -> None:
    decoded = decode(text.encode())
    if not text.encode().startswith(codecs.BOM_UTF8):
        assert decoded == (text, "", "")
