"""The part of an abstract or a note around what a query matched there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from .match import Span, highlights
from .paper import Entry
from .query import Fuzzy, Pattern, Phrase, Text
from .text import ELLIPSIS, clean_line

_LEAD = 4
"""A match stands behind a fourth of the room: more of what follows it tells what it is about."""

_MOST_TRIED = 5
"""Words that begin like a match and may be none, before all words are looked at."""

_MOST_CHARS = 20_000
"""Characters of a text that are looked at: nobody waits for the end of a long note."""


@dataclass(frozen=True, slots=True)
class Snippet:
    """A part of a paper's texts.

    Attributes:
        text: One line of clean text, with ellipses where it was cut.
        spans: What matches in it, as offsets.
        field: The text it is from: `abstract` or `note`.
    """

    text: str
    spans: tuple[Span, ...]
    field: str


def snippet(entry: Entry, parts: tuple[Text, ...], width: int) -> Snippet | None:
    """Return what stands around the first match in a paper's abstract, or else in its note.

    Args:
        entry: The paper.
        parts: What matches (`Query.highlights`).
        width: How many characters it may have.
    """
    if not parts:
        return None
    texts = (("abstract", entry.paper.abstract), ("note", entry.note))
    found = (_snippet(text, field, parts, width) for field, text in texts if text)
    return next(filter(None, found), None)


@lru_cache(maxsize=512)  # a list asks again for each picture of it
def _snippet(whole: str, field: str, parts: tuple[Text, ...], width: int) -> Snippet | None:
    text = clean_line(whole[:_MOST_CHARS])
    for at in _places(text, field, parts):
        shown = _around(text, at, width)
        if spans := highlights(parts, field, shown):
            return Snippet(shown, tuple(spans), field)
    return None


def _places(text: str, field: str, parts: tuple[Text, ...]) -> Iterator[int]:
    """Yield where the first match may be.

    Words are found by how they begin, so that most of a text need not be taken apart. Where that
    finds none, there may still be one that begins otherwise, and all of it is.
    """
    if beginnings := _beginnings(parts, field):
        near = re.finditer(beginnings, text, re.IGNORECASE)
        yield from (one.start() for one in islice(near, _MOST_TRIED))
    yield from (first for first, _ in highlights(parts, field, text)[:1])


@lru_cache(maxsize=64)
def _beginnings(parts: tuple[Text, ...], field: str) -> str:
    """Return a pattern for how most words begin that match, empty where nothing tells."""
    found = []
    for part in parts:
        if part.field in (None, field) and not isinstance(part, Fuzzy):
            word = (
                part.literal
                if isinstance(part, Pattern)
                else part.words[0]
                if isinstance(part, Phrase)
                else part.stem or part.text
            )
            # A stem may end in another letter than the word does (“memori” of “memory”).
            found.append(re.escape(word[:-1] if len(word) > 3 else word))
    return rf"(?<!\w)(?:{'|'.join(found)})" if found else ""


def _around(text: str, at: int, width: int) -> str:
    """Return the part of a text around an offset, cut between words where there are any near."""
    if len(text) <= width:
        return text
    start = max(min(at - width // _LEAD, len(text) - width), 0)
    if start:
        start = text.find(" ", start, at) + 1 or start
    lead = ELLIPSIS if start else ""
    end = start + width - len(lead)
    if end >= len(text):
        return lead + text[start:]
    end -= len(ELLIPSIS)
    blank = text.rfind(" ", at, end + 1)
    if blank > at and end - blank < width // 2:
        end = blank
    return lead + text[start:end].rstrip() + ELLIPSIS
