"""The syntax of BibTeX: entries with their fields and lines, macros put in, nothing decoded yet.

This is a parser of our own and not bibtexparser 2.1, which leaves `#` and macros to be put
together, swallows a missing comma, has no key for what it failed to parse, and drops the second
entry of a key; what is left of it would be the search for braces. It reads 5,000 entries in 0.7
seconds (33 with its LaTeX decoding), this in 0.2.

Braces count as in BibTeX, with or without a backslash; only where one is missing do those with a
backslash not count. As real files are damaged, a line that begins like an entry ends the one
before, so that a missing brace costs one entry; what is wrong but clear is read and told.
Everything is a search forward from where the last one ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

Value = str | list[str]
"""A text, or pieces of which some are macros not known yet."""


class Macro(str):
    """The name of a macro in the place of its text."""

    __slots__ = ()


@dataclass(slots=True)
class Entry:
    """An entry as it is written; `type` and the names of fields are in lower case."""

    line: int
    type: str
    key: str
    fields: dict[str, str]


@dataclass(slots=True)
class Broken:
    """An entry that cannot be read."""

    line: int
    key: str
    reason: str


@dataclass(slots=True)
class Parsed:
    """What is in a file."""

    entries: list[Entry | Broken] = field(default_factory=list)
    slips: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    """What was wrong but clear: lines, with what is meant there; each once an entry."""


NO_COMMA = "no comma between two fields"
NO_VALUE = "no value behind “=”"
NO_END = "the last brace is missing"
EARLY_END = "a brace too many, and fields behind it"
TWICE = "a field given twice, of which the first counts"
UNCLEAR = "something that is no field, which was left out"
UNDEFINED = "a macro that is not defined, for which its name stands"
OPEN_STRING = "a @string that is not closed, or defines nothing"

ROOM = 10
"""Macros may make a file so many times as long as it is; others keep their names."""

MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
"""The macros for months that every style of BibTeX defines."""
_TYPE = r"(?<![\w.])@[ \t]*+([^\W\d_][\w-]*+)\s*+([{(])"
_HEAD = re.compile(_TYPE)
_SURE_HEAD = re.compile(  # as in a text, an @ alone is no entry
    _TYPE + r"(?=\s*+[^,={}\"\n]*+\s*+[,=]|(?<=comment[{(])|(?<=preamble[{(]))", re.IGNORECASE
)
_LINE_HEAD = re.compile(r"^[ \t]*+" + _SURE_HEAD.pattern, re.IGNORECASE | re.MULTILINE)
_HIDDEN = re.compile(r"%|@[ \t]*comment\b", re.IGNORECASE)
_KEY = {"{": re.compile(r'\s*+([^,={}"]*+)'), "(": re.compile(r'\s*+([^,={}()"]*+)')}
_COMMENTS = r"(?:%[^\n]*+\n[\s,]*+)*"
_NAME = r'([^\s,={}()"#%]++)\s*+=\s*+'
_FIELD = re.compile(r"\s*+(,?+)[\s,]*+" + _COMMENTS + _NAME)
_END = re.compile(r"[\s,]*+" + _COMMENTS + r"[})]")
_GOES_ON = re.compile(r"\s*+,\s*+" + _NAME + r"(?=[\w{\"])")
_FIELD_LINE = re.compile(r",[ \t]*+\n[ \t]*+" + _NAME + r"(?=[\w{\"])")
_NOTHING = re.compile(r"[\s,]*+" + _COMMENTS + r"\s*+")
_WORD = re.compile(r'[^\s,={}()"#%@]++')
_PASTE = re.compile(r"\s*+#\s*+")
_BRACED = re.compile(r"\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")  # what most are, at one go
_QUOTED = re.compile(r'"([^{}"]*(?:\{[^{}]*\}[^{}"]*)*)"')
_BRACE = re.compile(r"[{}]")
_BARE_BRACE = re.compile(r"(?<!\\)[{}]")
_BRACE_OR_QUOTE = re.compile(r'[{}"]')
_BRACE_OR_FIELD = re.compile(r"[{}]|,(?=\s*+" + _NAME + ")")


class _UnclosedError(ValueError):
    """A brace or quote is open where the entry has to end."""


def parse(text: str) -> Parsed:
    """Return what is in a text of BibTeX; nothing raises."""
    return _Parser(text).parsed()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._parsed = Parsed()
        self._macros: dict[str, Value] = {name: name for name in MONTHS}
        self._later: list[tuple[Entry, str, list[str]]] = []
        """Fields whose macros are not known yet."""
        self._room = ROOM * len(text) + 1_000_000
        self._in_vain = 0
        """Characters that were searched for the end of what has none, and have to be read again."""
        self._start, self._line = 0, 1
        self._key, self._told = "", set[str]()
        """Of the block that is being read, as the next."""
        self._matching: dict[int, int] | None = None

    def parsed(self) -> Parsed:
        text, at, unsure = self._text, 0, 0
        line_heads = self._line_heads()
        next_head = next(line_heads)
        while head := _HEAD.search(text, at):
            if _HIDDEN.search(text[at : head.start()].rpartition("\n")[2]):
                at = text.find("\n", head.end()) + 1 or len(text)
                continue
            self._begin(head.start())
            while next_head <= head.start() < len(text):
                next_head = next(line_heads)
            limit = next_head
            if head.start() < unsure and (other := _SURE_HEAD.search(text, head.end(), limit)):
                limit = other.start()
            kind = head[1].lower()
            try:
                at = self._block(kind, head, limit)
            except _UnclosedError as error:
                self._in_vain += limit - head.start()
                is_enough = self._in_vain > ROOM * len(text)
                at, unsure = limit if is_enough else head.end(), max(unsure, limit)
                if kind == "string":
                    self._tell(OPEN_STRING)
                elif kind != "preamble":
                    self._untell()
                    self._parsed.entries.append(Broken(self._line, self._key, str(error)))
                    inner = _SURE_HEAD.search(text, at, limit)
                    at = inner.start() if inner else limit
        self._put_macros_in()
        return self._parsed

    def _line_heads(self) -> Iterator[int]:
        for found in _LINE_HEAD.finditer(self._text):
            yield found.start(1) - 1
        while True:
            yield len(self._text)

    def _begin(self, at: int) -> None:
        self._line += self._text.count("\n", self._start, at)
        self._start, self._key, self._told = at, "", set()

    def _tell(self, slip: str, at: int | None = None, what: str = "") -> None:
        if slip not in self._told:  # once an entry, as lines are counted from where it begins
            self._told.add(slip)
            line = self._line + self._text.count("\n", self._start, at or self._start)
            self._parsed.slips.setdefault(slip, []).append((line, what or self._key))

    def _untell(self) -> None:
        for slip in self._told:
            self._parsed.slips[slip].pop()
            if not self._parsed.slips[slip]:
                del self._parsed.slips[slip]

    def _block(self, kind: str, head: re.Match[str], limit: int) -> int:
        """Read what begins with a head; return where it ends."""
        at = head.end()
        if kind == "comment":
            return self._comment_end(head, limit)
        if kind == "preamble":
            return _closing(self._text, at - 1, limit) if head[2] == "{" else at
        if kind == "string":
            macros, at = self._fields(at, limit)
            if not macros:
                self._tell(OPEN_STRING)
            self._macros.update(macros)
            return at
        at = self._read_key(head[2], at, limit)
        fields, at = self._fields(at, limit)
        entry = Entry(self._line, kind, self._key, {})
        for name, value in fields.items():
            entry.fields[name] = value if isinstance(value, str) else ""
            if isinstance(value, list):
                self._later.append((entry, name, value))
        self._parsed.entries.append(entry)
        return at

    def _comment_end(self, head: re.Match[str], limit: int) -> int:
        """A comment in braces may hold entries; one that has no end is its line."""
        text, at = self._text, head.end() - 1
        if head[2] == "{":
            try:
                return _closing(text, at, limit)
            except _UnclosedError:
                if self._matching is None:
                    self._matching = _matching_braces(text)
                if at in self._matching:
                    return self._matching[at]
        return text.find("\n", at) + 1 or len(text)

    def _read_key(self, bracket: str, at: int, limit: int) -> int:
        """Read the key; return where the fields begin."""
        found = _KEY[bracket].match(self._text, at, limit)
        assert found
        words = found[1].split()
        at = found.end()
        if words and at < limit and self._text[at] == "=":  # no comma: the last is a field's name
            at = found.start(1) + len(found[1].rstrip()) - len(words.pop())
            if words:
                self._key = " ".join(words)
                self._tell(NO_COMMA, at)
        self._key = " ".join(words)
        return at

    def _fields(self, at: int, limit: int, by_lines: bool = False) -> tuple[dict[str, Value], int]:
        """Return fields, and where they end.

        Args:
            at: Where they begin.
            limit: Where they must have ended.
            by_lines: Whether a line that begins like a field ends the value before it.

        Raises:
            _UnclosedError: They do not end before limit.
        """
        text, start, fields = self._text, at, dict[str, Value]()
        while True:
            if found := _FIELD.match(text, at, limit):
                if fields and not found[1]:
                    self._tell(NO_COMMA, found.start(2))
                name = found[2].lower()
                try:
                    value, at = (self._line_value if by_lines else self._value)(found.end(), limit)
                except _UnclosedError:
                    reason = f"a brace or quote is missing in or before “{name}”: it has no end"
                    raise _UnclosedError(reason) from None
                if name not in fields:
                    fields[name] = value
                elif fields[name] != value:
                    self._tell(TWICE, found.start(2))
            elif end := _END.match(text, at, limit):
                at = end.end()
                if not _GOES_ON.match(text, at, limit):
                    return fields, at
                self._tell(EARLY_END, at)
            elif _NOTHING.fullmatch(text, at, limit):
                self._tell(NO_END)  # perhaps the last value took in all that was behind it
                return (fields, limit) if by_lines else self._fields(start, limit, by_lines=True)
            else:
                self._tell(UNCLEAR, at)
                at = _next_field(text, at, limit)

    def _value(self, at: int, limit: int) -> tuple[Value, int]:
        """Return a value with its known macros, and where it ends."""
        text, pieces = self._text, list[str]()
        while True:
            if found := _BRACED.match(text, at, limit) or _QUOTED.match(text, at, limit):
                pieces.append(found[1])
                at = found.end()
            elif text.startswith(("{", '"'), at, limit):
                start, at = at + 1, _closing(text, at, limit)
                pieces.append(text[start : at - 1])
            elif found := _WORD.match(text, at, limit):
                at = found.end()
                pieces += [found[0]] if found[0][0].isdigit() else self._macro(found[0])
            else:
                self._tell(NO_VALUE, at)
            if not (paste := _PASTE.match(text, at, limit)):
                break
            at = paste.end()
        if any(type(piece) is Macro for piece in pieces):
            return pieces, at
        return "".join(pieces), at

    def _line_value(self, at: int, limit: int) -> tuple[Value, int]:
        found = _FIELD_LINE.search(self._text, at, limit)
        end = found.start() if found else limit
        try:
            return self._value(at, end)
        except _UnclosedError:
            return self._text[at + 1 : end].rstrip().rstrip('}",'), end

    def _macro(self, name: str) -> list[str]:
        value = self._macros.get(name.lower())
        if value is None:
            return [Macro(name)]
        pieces = [value] if isinstance(value, str) else value
        self._room -= sum(map(len, pieces)) + len(pieces)
        return pieces if self._room > 0 else [Macro(name)]

    def _put_macros_in(self) -> None:
        """Put in macros that are defined behind where they are used."""
        for name, value in reversed(self._macros.items()):
            if isinstance(value, list):
                self._macros[name] = self._pasted(value)
        for entry, name, pieces in self._later:
            self._line, self._key, self._told = entry.line, entry.key, set()
            entry.fields[name] = self._pasted(pieces, name != "month")

    def _pasted(self, pieces: list[str], is_told: bool = False) -> str:
        texts = []
        for piece in pieces:
            is_macro = type(piece) is Macro
            value = self._macros.get(piece.lower()) if is_macro else piece
            self._room -= len(value or "")
            if is_macro and (self._room <= 0 or not isinstance(value, str)):
                value = piece
                if is_told:
                    self._tell(UNDEFINED, what=piece)
            texts.append(str(value))
        return "".join(texts)


def _closing(text: str, at: int, limit: int) -> int:
    """Return where what a brace or quote opens has ended.

    Raises:
        _UnclosedError: It does not end before limit.
    """
    depth = 0
    if text[at] == '"':
        for found in _BRACE_OR_QUOTE.finditer(text, at + 1, limit):
            if not depth and found[0] != "{":
                if found[0] == "}":
                    break
                return found.end()
            depth += (found[0] == "{") - (found[0] == "}")
    else:
        for brace in (_BRACE, _BARE_BRACE):
            depth = 0
            for found in brace.finditer(text, at, limit):
                depth += 1 if found[0] == "{" else -1
                if not depth:
                    return found.end()
    raise _UnclosedError


def _next_field(text: str, at: int, limit: int) -> int:
    """Return where the next field, or the end of the entry, begins.

    Raises:
        _UnclosedError: There is none before limit.
    """
    depth = 0
    for found in _BRACE_OR_FIELD.finditer(text, at, limit):
        if not depth and found[0] != "{":
            return found.start()
        depth += (found[0] == "{") - (found[0] == "}")
    raise _UnclosedError("a brace or quote is missing: it has no end")


def _matching_braces(text: str) -> dict[int, int]:
    """Return where the braces that are closed anywhere open, and where they have ended."""
    matching, stack = dict[int, int](), list[int]()
    for found in _BRACE.finditer(text):
        if found[0] == "{":
            stack.append(found.start())
        elif stack:
            matching[stack.pop()] = found.end()
    return matching
