"""Where a query matches a text: the meaning of every kind of word in one place.

The plain scan asks whether there is a span, highlighting asks for the spans, and the index must
find exactly the papers that have one (a property test holds it to that).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from .analysis import Token, stem, tokens
from .bits import union
from .paper import Entry
from .query import (
    TEXT_FIELDS,
    Added,
    And,
    Fact,
    Fuzzy,
    Has,
    Identifier,
    InList,
    Is,
    Node,
    Not,
    Or,
    Pattern,
    Phrase,
    Text,
    Word,
    Years,
)

Span = tuple[int, int]
"""Offsets of the first character and behind the last."""

Fields = Mapping[str, str]
"""The texts of a paper that are searched, by field name."""


def fields_of(entry: Entry) -> dict[str, str]:
    """Return the texts of a paper that are searched."""
    paper = entry.paper
    return {
        "title": paper.title or "",
        "abstract": paper.abstract or "",
        "authors": ", ".join(paper.names),
        "venue": paper.venue or "",
        "tags": " ".join(entry.mark.tags),
        "note": entry.note,
    }


def spans(part: Text, text: str) -> list[Span]:
    """Return where a part of a query matches in a text."""
    if isinstance(part, Phrase):
        return list(_phrase_spans(part, tokens(text)))
    accepts = acceptor(part)
    found = []
    for token in tokens(text):
        if accepts(token.exact):
            found.append((token.start, token.end))
        elif token.joined and accepts(token.joined):
            found.append((token.start, token.joined_end))
    return found


@lru_cache(maxsize=256)
def acceptor(part: Word | Pattern | Fuzzy) -> Callable[[str], bool]:
    """Return the test that a folded word passes when this part of a query means it."""
    match part:
        case Word(text, wanted_stem, _, prefix):

            def accepts(word: str) -> bool:
                if word == text or (prefix and word.startswith(text)):
                    return True
                return bool(wanted_stem) and stem(word) == wanted_stem

        case Pattern():
            matches = part.regex().fullmatch

            def accepts(word: str) -> bool:
                return matches(word) is not None

        case Fuzzy(wanted, edits, _):
            from rapidfuzz.distance import OSA  # only fuzzy words need it

            def accepts(word: str) -> bool:
                if abs(len(word) - len(wanted)) > edits:
                    return False
                return OSA.distance(wanted, word, score_cutoff=edits) <= edits

    return lru_cache(maxsize=1 << 14)(accepts)


def _phrase_spans(phrase: Phrase, words: tuple[Token, ...]) -> Iterable[Span]:
    length, last = len(phrase.words), len(phrase.words) - 1

    def fits(token: Token, index: int) -> bool:
        wanted = phrase.words[index]
        if index == last and phrase.prefix:
            return token.exact.startswith(wanted) or token.stem == stem(wanted)
        return (token.stem if phrase.stemmed else token.exact) == wanted

    for start in range(len(words) - length + 1):
        if all(fits(words[start + index], index) for index in range(length)):
            yield words[start].start, words[start + last].end


def matches(part: Text, fields: Fields) -> bool:
    """Tell whether a paper's texts match a part of a query."""
    names = (part.field,) if part.field else TEXT_FIELDS
    return any(spans(part, text) for name in names if (text := fields[name]))


def highlights(parts: Iterable[Text], field: str, text: str) -> list[Span]:
    """Return where the parts of a query match in the text of a field, merged and in order."""
    found = sorted(
        span for part in parts if part.field in (None, field) for span in spans(part, text)
    )
    merged: list[Span] = []
    for start, end in found:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def evaluate(
    node: Node, universe: int, text: Callable[[Text, int], int], fact: Callable[[Fact], int]
) -> int:
    """Return the papers among `universe` that a query finds, given the answers to its leaves.

    Papers are sets of numbers, as bits (`bits.py`). A text is asked for among the papers that
    still count.
    """
    match node:
        case And(parts):
            found = universe
            for part in parts:
                found &= evaluate(part, found, text, fact)
            return found
        case Or(parts):
            return union(evaluate(part, universe, text, fact) for part in parts)
        case Not(part):
            return universe & ~evaluate(part, universe, text, fact)
        case Years() | Added() | Is() | Has() | InList() | Identifier():
            return universe & fact(node)
        case _:
            return universe & text(node, universe)
