"""How text becomes the words that are searched, the same for index, plain scan and highlighting.

A token carries the form as typed (folded: no case, no accents) and, for inflected forms, a stem.
Hyphenated words give their parts and the joined form; scripts without blanks between words give
one token a character, so that any run of them is found as a phrase; nothing is a stop word.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from .text import fold

_HYPHENS = "-\u2010\u2011\u00ad"
_APOSTROPHES = "'’ʼ"
# Scripts written without blanks between words, and Hangul, whose particles cling to the word.
_UNSPACED = (
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\uff66-\uff9f\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff"
)
_MARKS = "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0903"
_WORD_CHAR = rf"(?:(?![{_UNSPACED}_])\w|[{_MARKS}\u093a-\u094f\u200c\u200d])"
_TOKEN = re.compile(
    rf"(?P<char>[{_UNSPACED}])"
    r"|(?P<language>(?<!\w)[A-Za-z](?:\+\+|\#)(?!\w))"  # C++ C# F#
    r"|(?P<number>\d+(?:[.,]\d+)+(?!\w))"  # 802.11 1,000
    rf"|(?P<word>{_WORD_CHAR}+(?:[{_APOSTROPHES}]{_WORD_CHAR}+)*)"
)
_APOSTROPHE = re.compile(f"[{_APOSTROPHES}]")
_POSSESSIVE = re.compile(f"[{_APOSTROPHES}][sS]$")


class Token(NamedTuple):
    """One word of a text.

    Attributes:
        exact: The word, folded.
        stem: Its stem, equal to `exact` where there is none.
        joined: The whole hyphenated word without hyphens, on its first part; else empty.
        position: Place among the words of the text, from 0.
        start: Offset of its first character in the text.
        end: Offset behind its last character.
        joined_end: Offset behind the whole hyphenated word; `end` where it is not hyphenated.
    """

    exact: str
    stem: str
    joined: str
    position: int
    start: int
    end: int
    joined_end: int


class _Stemmers(threading.local):
    """A stemmer for each thread: it keeps the word it works on in itself."""

    @cached_property
    def english(self) -> Any:
        from Stemmer import Stemmer  # only searching needs it

        return Stemmer("english", 0)  # we remember stems ourselves


_stemmers = _Stemmers()


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """Return the Porter2 stem of a folded word (https://snowballstem.org/algorithms/english)."""
    if len(word) < 3 or not word.isalpha() or not word.isascii():
        return word
    return str(_stemmers.english.stemWord(word))


@lru_cache(maxsize=1 << 17)
def _normal(raw: str) -> str:
    """Fold a word as it stands in a text; a possessive ending is no part of it."""
    bare = _APOSTROPHE.sub("", _POSSESSIVE.sub("", raw))
    folded = fold(bare)
    return folded if folded.isalnum() else "".join(c for c in folded if c.isalnum() or c in "+#.,")


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Token, ...]:
    """Return the words of text in order."""
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    position = 0
    compound: list[tuple[str, int, int]] = []
    for found in _TOKEN.finditer(text):
        start, end = found.span()
        word = _normal(found[0])
        if not word:
            continue
        if found.lastgroup in ("word", "number"):
            if compound and not (start == compound[-1][2] + 1 and text[start - 1] in _HYPHENS):
                yield from _parts(compound, position)
                position += len(compound)
                compound = []
            compound.append((word, start, end))
            continue
        yield from _parts(compound, position)
        position += len(compound)
        compound = []
        yield Token(word, word, "", position, start, end, end)
        position += 1
    yield from _parts(compound, position)


def _parts(compound: list[tuple[str, int, int]], position: int) -> Iterator[Token]:
    joined = "".join(part for part, _, _ in compound) if 1 < len(compound) <= 6 else ""
    for offset, (word, start, end) in enumerate(compound):
        first = joined and offset == 0
        yield Token(
            word,
            stem(word),
            joined if first else "",
            position + offset,
            start,
            end,
            compound[-1][2] if first else end,
        )
