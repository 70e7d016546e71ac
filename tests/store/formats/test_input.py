from __future__ import annotations

import io
from pathlib import Path

import pytest
from anchorlight.store.formats import input as module
from anchorlight.store.formats import read
from anchorlight.store.formats.found import Kind, Refusal, RefusedError
from anchorlight.store.formats.input import HEAD_BYTES, Input
from hypothesis import given
from hypothesis import strategies as st

from ..helpers import gathered


class Dribbling(io.RawIOBase):
    """A pipe that gives a few bytes at a time."""

    def __init__(self, data: bytes, most: int) -> None:
        self._data = io.BytesIO(data)
        self._most = most

    def read(self, size: int = -1) -> bytes:
        return self._data.read(min(size, self._most) if size >= 0 else self._most)


def streamed(data: bytes, most: int = 1 << 20) -> Input:
    return Input(Dribbling(data, most), Path("standard input"))  # type: ignore[arg-type]


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))),
       st.integers(1, 50))  # fmt: skip
def test_a_stream_gives_its_lines(lines: list[str], most: int) -> None:
    data = "\n".join(lines).encode().removeprefix(b"\xef\xbb\xbf")
    told = [line for _, line in streamed(data, most).lines()]
    expected = data.decode().split("\n")
    assert told == (expected if expected[-1] else expected[:-1])


def test_a_line_that_is_too_long_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST_LINE", 200_000)
    long = b"x" * 3_000_000
    data = b"one\r\n" + long + b"\ntwo\n" + long
    assert [*streamed(data).lines()] == [(1, "one"), (2, None), (3, "two"), (4, None)]


def test_a_large_file_is_no_text_but_may_be_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_TEXT", 100_000)
    for source in (streamed(b"a\n" * 60_000), Input(io.BytesIO(b"a"), Path("a"), 100_001)):
        with pytest.raises(RefusedError, match="larger than"):
            source.text()
    found = gathered(read(streamed(b"@article{a,}\n" * 60_000)))
    assert "larger than" in found.refused[0].reason
    line = b'{"key": "a", "title": "T"}\n'
    assert len(gathered(read(streamed(line * 5_000))).papers) == 5_000


@pytest.mark.parametrize(
    ("data", "name"),
    [(b"PK\x03\x04rest", "zip"), (b"\x1f\x8b\x08rest", "gzip"), (b"BZh91AY", "bzip2")],
)
def test_archives_are_not_opened(data: bytes, name: str) -> None:
    (refusal,) = (one for one in read(Input.of(data)) if isinstance(one, Refusal))
    assert f"a {name} archive" in refusal.reason


def test_a_web_page_is_told_from_data() -> None:
    (refusal,) = gathered(read(Input.of("<!DOCTYPE html><html><body>Log in</body></html>"))).refused
    assert "web page" in refusal.reason


@pytest.mark.parametrize(
    ("text", "name"),
    [("TY  - JOUR\nTI  - a\nAB  - as in\n@article{x,\nER  - \n", "ris"),
     ("junk\n\nTY  - JOUR\nN2  - %0 Book\n@book{x,\nPMID- 2\n", "ris"),
     ("@article{x, abstract = {as in\nTY  - JOUR\nPT J\nPMID- 1\n}}\n", "bibtex"),
     ("PMID- 1\nTI  - a\nAB  - b\n@article{x,\n", "nbib"),
     ("FN Clarivate\nVR 1.0\nPT J\nAB b\n@article{x,\n", "wos"),
     ("%0 Book\n%T a\n%X b\n@article{x,\n", "endnote"),
     ('key,title,abstract\na,b,"c\n@article{x,\nTY  - JOUR\nPMID- 1\n"\n', "csv"),
     ("% title, author\n@article{x, title = {a}}\n", "bibtex")],
)  # fmt: skip
def test_a_line_of_another_format_in_a_text_does_not_mislead(text: str, name: str) -> None:
    assert next(iter(read(Input.of(text)))) == Kind(name)


@given(st.binary(max_size=300))
def test_the_beginning_tells_what_the_whole_is(data: bytes) -> None:
    source = Input.of(data)
    try:
        assert source.head() == source.text()
    except RefusedError:
        return


def test_the_beginning_of_a_large_file_may_end_within_a_character() -> None:
    text = "ä" * HEAD_BYTES
    assert text.startswith(Input.of(text).head())
