"""What Whoosh is told of the index: its fields, and our own analysis of their texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whoosh.analysis import Token
from whoosh.fields import STORED, TEXT, Schema

from ..analysis import stem, tokens
from ..query import TEXT_FIELDS
from .segment import STEM_MARK

VERSION = 3
"""Raised whenever what is indexed changes, so that an older index is built anew."""


def terms(text: str) -> Iterator[str]:
    """Yield everything that a text is indexed under: its words, their stems, joined compounds."""
    for token in tokens(text):
        yield token.exact
        yield STEM_MARK + token.stem
        if token.joined:
            yield token.joined
            yield STEM_MARK + stem(token.joined)


class Analyzer:
    """Hands Whoosh the terms of our own analysis. Kept in every index by its name."""

    def __call__(self, value: str, **_: Any) -> Iterator[Any]:
        """Yield the terms of value in one reused token, as Whoosh's own analyzers do."""
        token = Token()
        token.boost = 1.0
        for token.text in terms(value):
            yield token


def schema() -> Any:
    """Return the fields of an index."""
    words = TEXT(analyzer=Analyzer(), phrase=False)
    return Schema(key=STORED, **dict.fromkeys(TEXT_FIELDS, words))
