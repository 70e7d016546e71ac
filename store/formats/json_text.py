"""A JSON text element by element, each with its line, so that a broken one costs no other.

What stands in a list, at the top or in one of the wrappers that services put around it, is decoded
element by element; what is not wrapped is one element. After an error reading goes on at the next
line that begins an object at the same depth of indentation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

WRAPPED_LISTS = frozenset({"data", "items", "papers", "results"})
"""Members of a wrapper whose elements are records."""

WRAPPED_RECORDS = frozenset({"anchor", "message", "paper"})
"""Members of a wrapper that are a record, or another wrapper."""

_BLANK = re.compile(r"[ \t\n\r]*")
_NAME = re.compile(r'"(?:key|citation-key|id|title)"\s*:\s*"([^"\n]{1,80})')
_NAMED_WITHIN = 2000
_LONGEST_NUMBER = 4000


class Element(NamedTuple):
    """A value of the text, or why there is none."""

    line: int
    value: Any
    problem: str = ""
    name: str = ""
    """What the broken text seems to be called."""


class _Uncounted(str):
    """A text in which errors are found quickly: the decoder counts the lines before each one."""

    __slots__ = ()

    def count(self, *_: object) -> int:
        return 0

    def rfind(self, *_: object) -> int:
        return -1


class _BrokenError(ValueError):
    """Here the text is no JSON."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.at = at


def elements(text: str, line: int = 1) -> Iterator[Element]:
    """Yield the elements of a text that begins on a line of its file."""
    walk = _Walk(text, line)
    at = walk.skip(0)
    while at < len(text):
        at = walk.skip((yield from walk.top(at)), ",")


def _number(digits: str) -> int | str:
    return int(digits) if len(digits) < _LONGEST_NUMBER else digits


_DECODER = json.JSONDecoder()
_LENIENT = json.JSONDecoder(parse_int=_number)

_Walking = Generator[Element, None, int]
"""Yields elements and returns the place behind them."""


class _Walk:
    def __init__(self, text: str, line: int) -> None:
        self._text = text
        self._line = line
        self._counted = 0
        self._again = 0
        """Characters that were read more than once, in going back after errors."""
        self._is_lost = False

    def skip(self, at: int, mark: str = "") -> int:
        """Return the place behind blanks, and behind marks of one kind."""
        at = _BLANK.match(self._text, at).end()  # type: ignore[union-attr]
        while mark and self._text.startswith(mark, at):
            at = _BLANK.match(self._text, at + 1).end()  # type: ignore[union-attr]
        return at

    def top(self, at: int) -> _Walking:
        if self._text.startswith("[", at):
            return (yield from self._list(at))
        if self._text.startswith("{", at):
            return (yield from self._object(at))
        return (yield from self._element(at))

    def _list(self, at: int) -> _Walking:
        line = self._line_of(at)
        at = self.skip(at + 1)
        while at < len(self._text):
            if self._text.startswith("]", at):
                return at + 1
            at = self.skip((yield from self._element(at)), ",")
        if not self._is_lost:
            self._is_lost = True
            yield Element(line, None, "the list that begins here has no end: it is cut short")
        return at

    def _element(self, at: int) -> _Walking:
        try:
            value, end = self._decode(at)
        except _BrokenError as error:
            return (yield from self._broken(at, error))
        yield Element(self._line_of(at), value)
        return end

    def _object(self, start: int, *, is_inner: bool = False) -> _Walking:
        """Walk through an object at the top: what it wraps is yielded, else itself."""
        members: dict[str, Any] = {}
        wraps = False
        at = self.skip(start + 1)
        try:
            while not self._text.startswith("}", at):
                name, at = self._decode(at)
                at = self.skip(at)
                if not isinstance(name, str) or not self._text.startswith(":", at):
                    raise _BrokenError("expecting a name and a colon", at)
                at = self.skip(at + 1)
                if name in WRAPPED_LISTS and self._text.startswith("[", at):
                    wraps, at = True, (yield from self._list(at))
                elif name in WRAPPED_RECORDS and self._text.startswith("{", at) and not is_inner:
                    wraps, at = True, (yield from self._object(at, is_inner=True))
                else:
                    members[name], at = self._decode(at)
                if self._is_lost:
                    return at
                at = self.skip(at, ",")
        except _BrokenError as error:
            return (yield from self._broken(start, error))
        if not wraps:
            yield Element(self._line_of(start), members)
        return at + 1

    def _decode(self, at: int) -> tuple[Any, int]:
        try:
            return _DECODER.raw_decode(self._text, at)
        except json.JSONDecodeError as error:
            if not isinstance(self._text, _Uncounted):
                self._text = _Uncounted(self._text)
            raise _BrokenError(error.msg, error.pos) from None
        except RecursionError:
            self._is_lost = True
            raise _BrokenError("it is nested too deep", at) from None
        except ValueError:  # a number of thousands of digits
            return _LENIENT.raw_decode(self._text, at)

    def _broken(self, start: int, error: _BrokenError) -> _Walking:
        known = max(start, self._counted)
        line = self._line_of(known) + str.count(self._text, "\n", known, error.at)
        column = error.at - str.rfind(self._text, "\n", 0, error.at)
        found = _NAME.search(self._text, start, min(error.at, start + _NAMED_WITHIN))
        at = self._after(start, error.at)
        is_end = self._text.find("{", error.at) < 0
        rest = ": nothing after it is read" if self._is_lost and not is_end else ""
        reason = f"this is no JSON: {error} at column {column}{rest}"
        yield Element(line, None, reason, found[1] if found else "")
        return at

    def _after(self, start: int, error_at: int) -> int:
        """Return where reading goes on after an error in what begins at a place."""
        before = self._text[str.rfind(self._text, "\n", 0, start) + 1 : start]
        begins = f"\n{before[: len(before) - len(before.lstrip())]}{{"
        at = self._text.find(begins, error_at if before.strip() else start)
        if 0 <= at < error_at:
            self._again += error_at - at
            if self._again > len(self._text):
                at = self._text.find(begins, error_at)
        if at < 0 or self._is_lost:
            self._is_lost = True
            return len(self._text)
        return at + len(begins) - 1

    def _line_of(self, at: int) -> int:
        self._line += str.count(self._text, "\n", self._counted, at)
        self._counted = max(at, self._counted)
        return self._line
