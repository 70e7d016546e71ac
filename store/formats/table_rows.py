"""The rows of a table in a text (RFC 4180 and kin), each with the line on which it begins."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import NamedTuple

_LARGEST_CELL = 1 << 24
"""Characters of the largest cell; the largest of the corpora has some 140,000."""

_MOST_OPEN = 100
"""How often reading goes on behind a quotation mark that has no partner."""


class Row(NamedTuple):
    """A row, or why there is none."""

    line: int
    cells: Sequence[str]
    problem: str = ""


def rows(text: str, delimiter: str) -> Iterator[Row]:
    """Yield the rows of a table.

    A cell in quotation marks may hold line feeds. A mark without a partner would take all the rest
    of the text into its cell: it costs the line on which it stands.
    """
    csv.field_size_limit(max(csv.field_size_limit(), _LARGEST_CELL))
    start, first_line = 0, 1
    for _ in range(_MOST_OPEN):
        lines = _Lines(text, start)
        reader = csv.reader(lines, delimiter=delimiter)
        while True:
            begin, line = lines.at, first_line + reader.line_num
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                yield Row(line, (), f"this is no row of a table: {error}")
                start, first_line = text.find("\n", begin) + 1, line + 1
                break
            is_last = lines.at >= len(text)
            if is_last and reader.line_num > 1 and _is_open(text[begin:], delimiter):
                yield Row(line, (), "a quotation mark in it has no partner")
                start, first_line = text.find("\n", begin) + 1, line + 1
                break
            yield Row(line, cells)
        if not start:
            return
    yield Row(first_line, (), "too many quotation marks have no partner: nothing more is read")


class _Lines:
    """Lines with their ends; only line feeds end one, unlike in str.splitlines."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self.at >= len(self._text):
            raise StopIteration
        end = self._text.find("\n", self.at) + 1 or len(self._text)
        line, self.at = self._text[self.at : end], end
        return line


def _is_open(text: str, delimiter: str) -> bool:
    """Tell whether the last row of a table ends in the middle of a cell in quotation marks."""
    try:
        for _ in csv.reader(_Lines(text, 0), delimiter=delimiter, strict=True):
            pass
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False
