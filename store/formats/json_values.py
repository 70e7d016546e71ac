"""Values of a JSON record, taken for what they should be: what is of another kind is left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..text import clean_line

Record = Mapping[str, Any]


def text(value: object) -> str:
    """Return a text as it is, the first of several, a number in digits; else an empty text."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list):
        return next(filter(None, (text(one) for one in value if not isinstance(one, list))), "")
    return ""


def line(value: object) -> str:
    """Return a text, as `text` does, as one cleaned line."""
    return clean_line(text(value))


def members(value: object) -> Record:
    """Return an object, or an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[Any]:
    """Return a list, or an empty one for any other value."""
    return value if isinstance(value, list) else []


def lines(value: object) -> tuple[str, ...]:
    """Return the texts of a list, or a single one, as cleaned lines without the empty ones."""
    return tuple(filter(None, map(line, value if isinstance(value, list) else [value])))
