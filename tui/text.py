"""Untrusted text on its way to the screen: safe, and measured in cells.

Nothing from a paper, a note or an error ever reaches Textual's markup: it becomes segments here,
or `Content` without markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from anchorlight.store.text import clean, clean_line
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

if TYPE_CHECKING:
    from anchorlight.store.query import Text

ELLIPSIS = "…"

# Terminals disagree on the width of what is joined into one picture, so that every column after
# it would shift. Only what all of them draw alike is shown: the first picture of a joined row,
# without skin tone and presentation selectors, and flags as their letters.
_JOINED = re.compile("\u200d.")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\u200c\u200d\U000e0020-\U000e007f]")
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]")


@lru_cache(maxsize=4096)
def printable(text: str) -> str:
    """Return one line of text as every terminal draws it in the same columns."""
    return _drawn(clean_line(text))


def printable_lines(text: str) -> list[str]:
    """Return text as lines that every terminal draws in the same columns."""
    return [_drawn(line) for line in clean(text.expandtabs(4)).split("\n")]


def _drawn(text: str) -> str:
    if text.isascii():
        return text
    text = _SELECTORS.sub("", _JOINED.sub("", text))
    return _FLAG.sub(lambda flag: chr(ord(flag[0]) - 0x1F1E6 + ord("A")), text)


def fit(text: str, width: int) -> str:
    """Return text in at most `width` cells, with an ellipsis where something is cut."""
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    return text[: _prefix(text, width - 1)].rstrip() + ELLIPSIS


def pad(text: str, width: int) -> str:
    """Return text at the right end of `width` cells."""
    text = fit(text, width)
    return " " * (width - cell_len(text)) + text


def _prefix(text: str, width: int) -> int:
    """Return how many characters from the beginning of text fit into `width` cells."""
    used = 0
    for index, char in enumerate(text):
        used += cell_len(char)
        if used > width:
            return index
    return len(text)


_PIECE = re.compile(r"\S+|\s+")
# Ideographs and kana may be parted anywhere; closing punctuation stays with what it closes.
_UNSPACED = re.compile(
    "[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff][\u3001-\u3003\u3009\u300b\u300d\uff01-\uff0f\uff1a-\uff1f]*"
)


@lru_cache(maxsize=512)
def wrap(text: str, width: int) -> tuple[tuple[int, int], ...]:
    """Return the lines of a paragraph as offsets, parted at blanks where possible.

    Args:
        text: One paragraph, without line ends.
        width: Cells a line may take, at least 2.
    """
    width = max(width, 2)
    lines: list[tuple[int, int]] = []
    start = end = used = 0
    for piece_start, piece_end in _pieces(text):
        size = cell_len(text[piece_start:piece_end])
        if text[piece_start].isspace():
            used += size
            continue
        if used + size > width:
            if end > start:
                lines.append((start, end))
            start, used = piece_start, 0  # blanks in front have no room either
        while size > width:  # one word longer than the line
            cut = piece_start + max(_prefix(text[piece_start:piece_end], width - used), 1)
            lines.append((start, cut))
            start = piece_start = cut
            used, size = 0, cell_len(text[piece_start:piece_end])
        used += size
        end = piece_end
    if end > start or not lines:
        lines.append((start, end))
    return tuple(lines)


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    if text.isascii():
        for found in _PIECE.finditer(text):
            yield found.span()
        return
    for found in _PIECE.finditer(text):
        last = found.start()
        for char in _UNSPACED.finditer(text, found.start(), found.end()):
            if char.start() > last:
                yield last, char.start()
            yield char.span()
            last = char.end()
        if last < found.end():
            yield last, found.end()


def find(parts: tuple[Text, ...], field: str, text: str) -> list[tuple[int, int]]:
    """Return where the parts of a query match in the text of a field."""
    if not parts:
        return []
    from anchorlight.store.match import highlights  # only a query needs it

    return highlights(parts, field, text)


def marked_segments(
    text: str, start: int, end: int, spans: list[tuple[int, int]], plain: Style, marked: Style
) -> Iterator[Segment]:
    """Yield text[start:end] with the parts inside spans (offsets into text) in another style."""
    at = start
    for first, last in spans:
        first, last = max(first, at), min(last, end)
        if first >= last:
            continue
        if first > at:
            yield Segment(text[at:first], plain)
        yield Segment(text[first:last], marked)
        at = last
    if at < end:
        yield Segment(text[at:end], plain)


def strip_of(segments: list[Segment], width: int, style: Style) -> Strip:
    """Return segments as a line of exactly `width` cells, in as few segments as possible.

    Each segment is styled, filtered and encoded on its own for every picture, so blanks join the
    text beside them where the ground is the same.
    """
    merged: list[Segment] = []
    used = 0
    for segment in segments:
        used += cell_len(segment.text)
        before = merged[-1] if merged else None
        if before is not None and _joins(before, segment):
            ink = segment.style if before.text.isspace() else before.style
            merged[-1] = Segment(before.text + segment.text, ink)
        else:
            merged.append(segment)
    if used > width:
        return Strip(merged, used).crop(0, width)
    if used < width:
        return strip_of([*merged, Segment(" " * (width - used), style)], width, style)
    return Strip(merged, width)


def _joins(first: Segment, second: Segment) -> bool:
    one, two = first.style, second.style
    if one is None or two is None or one is two:
        return one is two
    return one.bgcolor == two.bgcolor and (first.text.isspace() or second.text.isspace())
