"""The query language of the search box, from what was typed to a tree.

No input raises. What makes no sense as a query is searched as the text it is, and a hint says
what was wrong. docs/manual.md lists what can be asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from .analysis import tokens
from .identity import normal_arxiv, normal_doi
from .query import (
    FIELD_NAMES,
    FILTERS,
    HAS,
    IS,
    Added,
    And,
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
    Query,
    Word,
    Years,
)  # fmt: skip
from .text import fold

_MOST_EDITS = 2
_MOST_NESTING = 40


def parse(text: str, *, typing: bool = False, now: datetime | None = None) -> Query:
    """Understand a query.

    Args:
        text: What was typed.
        typing: Whether more may follow, so that the last word counts as a beginning too.
        now: The time that `added:7d` counts back from.
    """
    return _Parser(text, typing, now or datetime.now(UTC)).query()


_CHUNK = re.compile(r"[^\s\"“”)]*")
_OPERAND = re.compile(r"\"[^\"]*\"?|[^\s)]*")
_OPERATOR = re.compile(r"\s*(AND|OR|NOT)(?=\s|\(|\)|$)")
_LEXEME = re.compile(
    r"\s*(?:"
    r"(?P<field>[A-Za-z]+):"
    r"|(?P<quoted>[\"“”](?P<inside>[^\"“”]*)(?P<closed>[\"“”](?:~\d*)?)?)"
    r"|(?P<open>\()"
    r"|(?P<close>\))"
    r"|(?P<minus>-(?=[^\s-]))"
    r"|(?P<chunk>[^\s\"“”)]+)"
    r")"
)


class _Parser:
    """Recursive descent over the query's lexemes; `_field` is the field in force."""

    def __init__(self, text: str, typing: bool, now: datetime) -> None:
        self._typed = text.strip()
        text = unicodedata.normalize("NFC", text)
        self._text = text.strip() if not typing else text.lstrip()
        self._typing = typing
        self._now = now
        self._at = 0
        self._depth = 0
        self._open = 0
        self._open_in_words = 0
        self._hints: list[str] = []

    def query(self) -> Query:
        node = self._any(None)
        return Query(self._typed, node, self._hints[0] if self._hints else "")

    # Grammar: any := all ("OR" all)* ; all := one+ ; one := [NOT|-] (group | field | text)

    def _any(self, field: str | None) -> Node | None:
        parts = [self._all(field)]
        while self._word_ahead() == "OR":
            self._take_word()
            parts.append(self._all(field))
            if parts[-1] is None:
                self._hint("“OR” needs something on both sides")
        return _joined(Or, [part for part in parts if part])

    def _all(self, field: str | None) -> Node | None:
        parts: list[Node] = []
        while self._at < len(self._text):
            word = self._word_ahead()
            if word == "OR":
                if parts:
                    break
                self._take_word()
                self._hint("“OR” needs something on both sides")
                continue
            if word == "AND":
                self._take_word()
                if not parts or not self._text[self._at :].strip():
                    self._hint("“AND” needs something on both sides")
                continue
            if self._open and self._text[self._at :].lstrip().startswith(")"):
                break
            before = self._at
            if node := self._one(field):
                parts.append(node)
            if self._at == before:
                break
        return _joined(And, parts)

    def _one(self, field: str | None) -> Node | None:
        if self._depth == _MOST_NESTING:
            self._hint(f"this nests deeper than {_MOST_NESTING}: the rest is left out")
            self._at = len(self._text)
            return None
        self._depth += 1
        node = self._one_inside(field)
        self._depth -= 1
        return node

    def _one_inside(self, field: str | None) -> Node | None:
        if self._word_ahead() == "NOT":
            self._take_word()
            return self._negated(field, "“NOT” needs something to exclude")
        found = _LEXEME.match(self._text, self._at)
        if not found or found.end() == self._at:
            self._at = len(self._text)
            return None
        kind = found.lastgroup
        if found["field"] is not None:
            return self._fielded(found, field)
        self._at = found.end()
        if found["quoted"] is not None:
            return self._phrase(found, field)
        if kind == "open":
            return self._group(field)
        if kind == "close":
            if self._open_in_words:
                self._open_in_words -= 1
            else:
                self._hint("a parenthesis is closed that was never opened")
            return None
        if kind == "minus":
            return self._negated(field, "“-” needs something to exclude")
        return self._chunk(self._rest_of_chunk(found), field)

    def _negated(self, field: str | None, hint: str) -> Node | None:
        typing, self._typing = self._typing, False  # `-o` must not empty the list on the way
        node = self._one(field) if self._text[self._at :].strip() else None
        self._typing = typing
        if node is None:
            self._hint(hint)
            return None
        return Not(node)

    def _group(self, field: str | None) -> Node | None:
        self._open += 1
        node = self._any(field)
        self._open -= 1
        rest = self._text[self._at :]
        if rest.lstrip().startswith(")"):
            self._at += len(rest) - len(rest.lstrip()) + 1
        elif not self._open:
            self._hint("a parenthesis is not closed")
        return node

    def _phrase(self, found: re.Match[str], field: str | None) -> Node | None:
        if not found["closed"]:
            self._hint("a quotation mark is not closed")
        words = tuple(token.exact for token in tokens(found["inside"]))
        if not words:
            if found["inside"].strip():
                self._hint_nothing(found["quoted"])
            return None
        if len(words) == 1:
            return Word(words[0], "", field)
        return Phrase(words, field)

    def _fielded(self, found: re.Match[str], outer: str | None) -> Node | None:
        name = found["field"].lower()
        if name not in FIELD_NAMES and name not in FILTERS:
            rest = _CHUNK.match(self._text, found.start("field"))
            whole = rest[0] if rest else ""
            self._at = found.start("field") + max(len(whole), 1)
            if not whole.endswith(":"):
                self._hint(f"there is no field “{found['field']}”: searched as text")
            return self._chunk(whole, outer)
        self._at = found.end()
        if name in FIELD_NAMES:
            if not self._text[self._at :].strip() or self._text[self._at].isspace():
                self._hint(f"“{name}:” needs a word right behind it")
                return None
            return self._one(FIELD_NAMES[name])
        operand = _OPERAND.match(self._text, self._at)
        value = operand[0] if operand else ""
        self._at += len(value)
        return self._filter(name, value.strip('"'), outer)

    def _filter(self, name: str, value: str, field: str | None) -> Node | None:
        if not value:
            self._hint(f"“{name}:” needs a value right behind it")
            return None
        typing = self._typing and not self._text[self._at :]
        readers: dict[str, Callable[[], Node | None]] = {
            "year": lambda: _years(value, typing),
            "is": lambda: Is(chosen) if (chosen := _choices(value, IS, typing)) else None,
            "has": lambda: Has(chosen) if (chosen := _choices(value, HAS, typing)) else None,
            "added": lambda: _added(value, self._now),
            "anchor": lambda: InList(value),
            "id": lambda: Identifier(normal_arxiv(value) or normal_doi(value) or value, typing),
        }
        if node := readers[name]():
            return node
        wanted = {
            "year": "a year such as 2020, 2019-2021 or 2020..",
            "is": "one of " + ", ".join(IS),
            "has": "one of " + ", ".join(HAS),
            "added": "an age such as 7d, 2w, 3m, or dates such as 2026-01-31..",
        }[name]
        self._hint(f"“{name}:” takes {wanted}")
        return self._chunk(f"{name}:{value}", field)

    def _chunk(self, chunk: str, field: str | None) -> Node | None:
        prefix = self._typing and self._at == len(self._text)
        if fuzzy := re.fullmatch(r"(\w+)~(\d*)", chunk):
            return self._fuzzy(fuzzy[1], fuzzy[2], field)
        bare = re.sub(r"(?<=\w)[?!.,;]+$", "", chunk)
        if bare.endswith("*") and not re.search(r"[*?]", bare[:-1]) and tokens(bare):
            return _words(bare[:-1], field, prefix=True)
        if re.search(r"[*?]", bare) and re.fullmatch(r"[\w*?]+", bare):
            return self._pattern(bare, field)
        if "*" in bare or "?" in bare:
            self._hint(f"“{chunk}”: * and ? stand inside one word; searched as text")
        node = _words(chunk, field, prefix=prefix)
        if node is None:
            self._hint_nothing(chunk)
        return node

    def _pattern(self, chunk: str, field: str | None) -> Node | None:
        if chunk[0] in "*?":
            self._hint(f"“{chunk}” is too broad: a word needs a letter before * or ?")
            return None
        return Pattern(re.sub(r"\*+", "*", fold(chunk)), field)

    def _fuzzy(self, word: str, digits: str, field: str | None) -> Node | None:
        folded = fold(word)
        edits = int(digits[:3]) if digits else 1
        if edits > _MOST_EDITS:
            self._hint(f"“~” allows at most {_MOST_EDITS} changed letters")
            edits = _MOST_EDITS
        if len(folded) < 3 or edits == 0:
            return _words(word, field, prefix=False)
        return Fuzzy(folded, edits, field)

    def _hint_nothing(self, chunk: str) -> None:
        self._hint(f"“{chunk}” holds no letter or digit to search for")

    def _hint(self, hint: str) -> None:
        self._hints.append(hint)

    # What lies ahead

    def _word_ahead(self) -> str:
        found = _OPERATOR.match(self._text, self._at)
        if not found or (found.end() == len(self._text) and self._typing and self._at == 0):
            return ""
        return found[1]

    def _take_word(self) -> None:
        found = _OPERATOR.match(self._text, self._at)
        self._at = found.end() if found else len(self._text)

    def _rest_of_chunk(self, found: re.Match[str]) -> str:
        """A parenthesis opened inside a word, as in O(n), belongs to the word."""
        chunk = found["chunk"]
        while chunk.count("(") > chunk.count(")") and self._text[self._at : self._at + 1] == ")":
            more = _CHUNK.match(self._text, self._at + 1)
            piece = ")" + (more[0] if more else "")
            chunk += piece
            self._at += len(piece)
        self._open_in_words += max(chunk.count("(") - chunk.count(")"), 0)
        return chunk


def _joined(kind: type[And] | type[Or], parts: list[Node]) -> Node | None:
    unique = tuple(dict.fromkeys(parts))
    if len(unique) > 1:
        return kind(unique)
    return unique[0] if unique else None


def _words(chunk: str, field: str | None, *, prefix: bool) -> Node | None:
    """Return the node for a run of text without blanks, None where it holds no word."""
    found = tokens(chunk)
    if not found:
        return None
    prefix = prefix and found[-1].end == len(chunk)
    if len(found) == 1:
        return Word(found[0].exact, found[0].stem, field, prefix)
    phrase = Phrase(tuple(token.stem for token in found), field, stemmed=True, prefix=prefix)
    if prefix:
        words = (*(token.stem for token in found[:-1]), found[-1].exact)
        phrase = Phrase(words, field, stemmed=True, prefix=True)
    if found[0].joined and found[0].joined_end == found[-1].end:
        joined = tokens(found[0].joined)
        if len(joined) == 1:
            return Or((Word(joined[0].exact, joined[0].stem, field, prefix), phrase))
    return phrase


def _choices(value: str, known: tuple[str, ...], typing: bool) -> tuple[str, ...]:
    value = value.lower()
    if value in known:
        return (value,)
    return tuple(name for name in known if name.startswith(value)) if typing else ()


def _years(value: str, typing: bool) -> Years | None:
    if found := re.fullmatch(r"(\d{4})?(?:\.\.|-|–)(\d{4})?", value):
        first, last = (int(year) if year else None for year in found.groups())
        return Years(first, last) if first or last else None
    if found := re.fullmatch(r"([<>]=?)(\d{4})", value):
        year = int(found[2])
        if found[1].startswith(">"):
            return Years(year + (found[1] == ">"), None)
        return Years(None, year - (found[1] == "<"))
    if re.fullmatch(r"\d{4}", value):
        return Years(int(value), int(value))
    return _years_being_typed(value) if typing else None


def _years_being_typed(value: str) -> Years | None:
    """Return the years that an unfinished year or range can still become."""
    if found := re.fullmatch(r"(\d{1,4})[.\-–]?", value):
        return Years(int(found[1].ljust(4, "0")), int(found[1].ljust(4, "9")))
    if found := re.fullmatch(r"(\d{4})?(?:\.\.|-|–)(\d{1,3})", value):
        return Years(int(found[1]) if found[1] else None, int(found[2].ljust(4, "9")))
    if found := re.fullmatch(r"([<>])=?(\d{0,3})", value):
        first = found[1] == ">"
        year = int(found[2].ljust(4, "0" if first else "9"))
        return Years(year, None) if first else Years(None, year)
    return None


def _added(value: str, now: datetime) -> Added | None:
    if found := re.fullmatch(r"(\d{1,4})([dwmy])", value.lower()):
        days = int(found[1]) * {"d": 1, "w": 7, "m": 31, "y": 366}[found[2]]
        return Added(_stamp(now - timedelta(days=min(days, 366 * 900))), None)
    day = r"(\d{4}-\d{2}-\d{2})"
    if found := re.fullmatch(rf"(?:{day}?\.\.{day}?)|{day}", value):
        try:
            first, last = found[1] or found[3], found[2] or found[3]
            start = datetime.fromisoformat(first).replace(tzinfo=UTC) if first else None
            end = datetime.fromisoformat(last).replace(tzinfo=UTC) if last else None
            return Added(
                _stamp(start) if start else None,
                _stamp(end + timedelta(days=1)) if end else None,
            )
        except (ValueError, OverflowError):
            return None
    return None


def _stamp(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds")
