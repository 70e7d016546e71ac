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


@pytest.mark.parametrize("data", [b"", b" \r\n\t"])
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
