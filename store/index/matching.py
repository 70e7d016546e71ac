"""Which documents of a segment match a part of a query: the meanings of `match.py` over terms."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable

from ..analysis import stem
from ..bits import bits_of, numbers_in
from ..query import TEXT_FIELDS, Fuzzy, Pattern, Phrase, Text, Word
from .segment import STEM_MARK, Field, Segment

Near = Callable[[Fuzzy], Iterable[str]]
"""Gives the words that a fuzzy one can mean."""


def matching(segment: Segment, part: Text, near: Near) -> int:
    """Return the documents of a segment that match a part of a query."""
    found = 0
    for name in fields_of(part):
        if field := segment.fields.get(name):
            found |= matching_in(field, part, segment.size, near)
    return found


def fields_of(part: Text) -> tuple[str, ...]:
    """Return the fields that a part of a query is looked for in."""
    return (part.field,) if part.field else TEXT_FIELDS


def matching_in(field: Field, part: Text, size: int, near: Near) -> int:
    """Return the documents of a segment in whose field a part of a query matches."""
    match part:
        case Word():
            found = _having(field, term_of(part))
            return found | field.set_beginning(part.text) if part.prefix else found
        case Pattern():
            return field.set_of_any(field.matching(part.regex().pattern, part.literal))
        case Fuzzy():
            places = (field.terms.find(word.encode()) for word in near(part))
            return field.set_of_any(at for at in places if at >= 0)
        case Phrase():
            return _phrase(field, part, size)


def term_of(word: Word) -> bytes:
    """Return the term that a word is looked up as."""
    return (STEM_MARK + word.stem if word.stem else word.text).encode()


def _having(field: Field, term: bytes) -> int:
    at = field.terms.find(term)
    return field.set_of(at) if at >= 0 else 0


def _phrase(field: Field, phrase: Phrase, size: int) -> int:
    """Return the documents in which the words of a phrase follow each other.

    They are found by their words and then looked up in the words of the document in order.
    """
    places = list(_places_of(field, phrase))
    candidates = (1 << size) - 1
    for at, beginning in places:
        found = field.set_of_any(at)
        if beginning:
            found |= field.set_beginning(beginning)
        candidates &= found
        if not candidates:
            return 0
    wanted = [_numbers_of(field, at, beginning) for at, beginning in places]
    following = _with_sequence(field, numbers_in(candidates), wanted)
    if candidates.bit_count() > _FEW:
        field.forget_order()
    return bits_of(following, size)


def _places_of(field: Field, phrase: Phrase) -> Iterable[tuple[list[int], str]]:
    """Yield for each word the place of its term, if there is one, and the beginning it may be."""
    mark = STEM_MARK if phrase.stemmed else ""
    last = len(phrase.words) - 1
    for index, word in enumerate(phrase.words):
        beginning = word if phrase.prefix and index == last else ""
        at = field.terms.find((STEM_MARK + stem(word) if beginning else mark + word).encode())
        yield [at] if at >= 0 else [], beginning


def _numbers_of(field: Field, places: list[int], beginning: str) -> set[int]:
    numbers = {number for at in places for number in field.numbers(at)}
    if beginning:
        start, stop = field.terms.span(beginning.encode())
        numbers.update(number for at in range(start, stop) for number in field.numbers(at))
    return numbers


_FEW = 64
"""Documents whose words may stay in memory after they were looked through."""

_MANY = 64
"""Alternatives that are better looked up than tried one after the other."""


def _with_sequence(field: Field, documents: list[int], wanted: list[set[int]]) -> list[int]:
    """Return the documents in which words follow each other, each one of several."""
    order, starts = field.order()
    raw = order.cast("B")
    search = re.compile(
        b"".join(b"(?s:....)" if len(one) > _MANY else _either(one) for one in wanted)
    ).search
    checked = [(at, one) for at, one in enumerate(wanted) if len(one) > _MANY]

    def has(document: int) -> bool:
        at, end = 4 * starts[document], 4 * starts[document + 1]
        while found := search(raw, at, end):
            at = found.start()
            if not at % 4 and all(order[at // 4 + offset] in one for offset, one in checked):
                return True
            at += 1
        return False

    return [document for document in documents if has(document)]


def _either(numbers: set[int]) -> bytes:
    each = [re.escape(number.to_bytes(4, sys.byteorder)) for number in sorted(numbers)]
    return b"(?:" + b"|".join(each) + b")"
