"""HTML, JATS and MathML in titles and abstracts become text.

Only the elements named here are taken for markup, so that "p <0.05", "List<int>" and the token
"<unk>" stay as they are written.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from .scripts import grouped, subscript, superscript, written_script

_PARAGRAPHS = frozenset(
    "p div sec section article abstract trans-abstract blockquote disp-quote boxed-text ul ol dl "
    "list def-list table table-wrap pre hr html body fig figure disp-formula".split()
)
_HEADINGS = frozenset("title h1 h2 h3 h4 h5 h6".split())
_ITEMS = frozenset(("li", "list-item"))
_LINES = frozenset("br break tr dt dd def-item caption".split())
_BLOCKS = _PARAGRAPHS | _HEADINGS | _ITEMS | _LINES
_MATHS = frozenset(
    "math mi mn mo ms mtext mspace mrow mstyle mpadded mphantom mfenced menclose merror msub msup "
    "msubsup mfrac msqrt mroot mover munder munderover mmultiscripts mprescripts mtable mtr mtd "
    "mlabeledtr semantics maction".split()
)
_INLINES = frozenset(
    "a abbr b bold big cite code del dfn em email ext-link font i inline-formula inline-graphic "
    "ins italic kbd label mark mixed-citation monospace named-content overline roman samp "
    "sans-serif sc small span strike strong styled-content sub sup tbody td tex-math tfoot th "
    "thead tt u underline uri var wbr xref img alternatives graphic".split()
)
_DROPPED = frozenset("script style annotation annotation-xml head".split())
_KNOWN = _BLOCKS | _MATHS | _INLINES | _DROPPED
_ATTRIBUTES = r"""(?:\s++[\w:.-]++\s*+=\s*+(?:"[^"<]*+"|'[^'<]*+'|[^\s"'<>=]++))*+"""
# A value in quotes ends before the next "<", so that no text is looked at more than once.
_TOKEN = re.compile(
    rf"(?P<tag><(?P<close>/?)(?:\w{{1,10}}:)?(?P<name>[a-z][a-z0-9-]*+)(?P<attributes>{_ATTRIBUTES})"
    r"\s*+(?P<empty>/?)>)"
    r"|<\?xml[^<>]*+>|<!doctype[^<>]*+>|<!--|-->|<!\[CDATA\[|\]\]>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_VERBATIM = re.compile(r"\\begin\{document\}(.*)\\end\{document\}", re.DOTALL)
_SPACE = re.compile(r"\s+")
_AROUND_BREAK = re.compile(r" *\n *")
_OVER = {"¯": "\u0304", "‾": "\u0304", "^": "\u0302", "ˆ": "\u0302", "~": "\u0303", "˜": "\u0303",
         "→": "\u20d7", "˙": "\u0307", ".": "\u0307", "¨": "\u0308"}  # fmt: skip
_LONG = 40
"""Characters or pieces beyond which nothing is a superscript or part of a formula to be set."""


def to_text(source: str) -> str:
    """Return source without markup: what a reader would see, as plain text.

    Paragraphs are parted by an empty line, headings and list items ("• ") have lines of their
    own; sub- and superscripts are Unicode's where it has them. A heading "Abstract" at the
    beginning is left out. Entities are resolved once. Line breaks of the source stay unless its
    markup tells where lines end. The result may hold control characters that entities stand for.
    """
    if "<" not in source:
        return _resolved(source) if "&" in source else source
    return _Reader(source).read()


def _resolved(text: str) -> str:
    """Return text with its entities resolved; what ends in no semicolon or is unknown stays."""
    if "&" not in text:
        return text
    from html import unescape  # with its table of names, only where needed
    from html.entities import html5

    def character(entity: re.Match[str]) -> str:
        if entity[0][1] == "#":
            return unescape(entity[0])
        return html5.get(entity[0][1:], entity[0])

    return _ENTITY.sub(character, text)


class _Element(NamedTuple):
    """An open element whose content is changed when it ends."""

    name: str
    start: int
    """Where in the output its content begins."""
    children: list[int]
    """Where its child elements begin: of formulas only."""


class _Reader:
    """Writes the text of one source, token after token."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._written: list[str] = []
        self._open: list[_Element] = []
        self._names: Counter[str] = Counter()
        self._until = ""  # the name of what is not written: its end is known to come
        self._cdata = 0
        self._break = 0  # line feeds due before the next text
        self._at_most = 2  # and how many there may be
        self._bullet = False
        self._heading = ""  # the name of the heading that is read
        self._heading_start = 0
        self._in_math = 0
        lower = source.lower()
        self._ends = {
            name: lower.rfind(f"{name}>")
            for name in (*_DROPPED, "tex-math")
            if f"<{name}" in lower or f":{name}" in lower
        }
        self._ends["<!--"] = source.rfind("-->")
        self._has_math = "</math>" in lower or ":math>" in lower
        self._tokens = [
            token
            for token in _TOKEN.finditer(source)
            if not token["name"] or token["name"].lower() in _KNOWN
        ]
        self._as_lines = any((token["name"] or "").lower() in _BLOCKS for token in self._tokens)

    def read(self) -> str:
        """Return the text."""
        place = 0
        for token in self._tokens:
            if self._until:
                if self._is_end(token):
                    if self._until == "tex-math":
                        self._add_tex(self._source[place : token.start()])
                    self._until, place = "", token.end()
            elif token[0] != "-->" and (token[0] != "]]>" or self._cdata):
                self._add(self._source[place : token.start()])
                self._take(token)
                place = token.end()
        self._add(self._source[place:])
        text = "".join(self._written)
        return _AROUND_BREAK.sub("\n", text).strip() if self._as_lines else text

    def _is_end(self, token: re.Match[str]) -> bool:
        if self._until == "<!--":
            return token[0] == "-->"
        return bool(token["close"]) and token["name"].lower() == self._until

    def _take(self, token: re.Match[str]) -> None:
        name = (token["name"] or token[0]).lower()
        opens = not (token["close"] or token["empty"])
        if opens and token.start() < self._ends.get(name, -1):
            self._until = name
        elif name == "<![cdata[":
            self._cdata += 1
        elif name == "]]>":
            self._cdata -= 1
        elif token["name"]:
            self._tag(name, closes=bool(token["close"]), empty=bool(token["empty"]))

    def _add(self, text: str) -> None:
        if not text:
            return
        text = _resolved(text)
        if self._in_math and not self._names["mtext"]:
            text = text.strip()
        elif self._as_lines:
            text = _SPACE.sub(" ", text)
            if self._break or self._bullet or not self._written:
                text = text.lstrip(" ")
        if not text:
            return
        if self._written and self._break:
            feeds = 1 if self._bullet else min(self._break, self._at_most)
            self._written.append("\n" * feeds or " ")
        if self._bullet:
            self._written.append("• ")
        self._break, self._at_most, self._bullet = 0, 2, False
        self._written.append(text)

    def _add_tex(self, source: str) -> None:
        """A formula in LaTeX; where there is MathML, it is the same formula once more."""
        if self._has_math:
            return
        from .latex import to_text as latex_to_text

        source = _resolved(source)
        if found := _VERBATIM.search(source):
            source = found[1]
        formula = source.strip().strip("$").strip()
        self._add(latex_to_text(f"${formula}$"))

    def _tag(self, name: str, *, closes: bool, empty: bool) -> None:
        if name in _HEADINGS:
            self._end_heading()
            self._break = 2
            if not closes and not empty:
                self._heading, self._heading_start = name, len(self._written)
        elif name in _BLOCKS:
            self._end_heading()
            self._break = max(self._break, 2 if name in _PARAGRAPHS else 1)
            if name in _ITEMS:
                self._bullet = not closes
                self._at_most = 2
        elif name == "label" and closes:
            self._break, self._at_most = 1, 0
        elif name in ("td", "th") and not closes:
            self._add(" ")
        elif not empty and (name in _MATHS or name in ("sub", "sup")):
            if closes:
                self._end(name)
            else:
                self._begin(name)

    def _end_heading(self) -> None:
        """Leave out the heading "Abstract" at the beginning; let others stand close to the text."""
        if not self._heading:
            return
        if (
            self._heading_start == 0
            and "".join(self._written[:9]).strip(" .:").lower() == "abstract"
        ):
            self._written.clear()
        self._heading = ""
        if self._written:
            self._at_most = 1

    def _begin(self, name: str) -> None:
        if self._in_math and self._open:
            self._open[-1].children.append(len(self._written))
        self._open.append(_Element(name, len(self._written), []))
        self._names[name] += 1
        self._in_math += name == "math"

    def _end(self, name: str) -> None:
        if not self._names[name]:
            return
        while self._open:
            element = self._open.pop()
            self._names[element.name] -= 1
            self._in_math -= element.name == "math"
            if len(self._written) - element.start <= _LONG:
                self._set(element)
            if element.name == name:
                return

    def _set(self, element: _Element) -> None:
        """Write the content of an element that has ended as it is to be seen."""
        start = element.start
        if element.name in ("sub", "sup"):
            content = "".join(self._written[start:]).strip()
            short = 0 < len(content) <= _LONG
            if short and (turned := written_script(content, above=element.name == "sup")):
                self._written[start:] = [turned]
            return
        places = [*element.children, len(self._written)]
        pieces = ["".join(self._written[at:end]) for at, end in pairwise(places)]
        if (formula := _formula(element.name, pieces)) is not None:
            self._written[start:] = [formula]


def _script(kind: str, text: str) -> str | None:
    text = text.strip()
    if not text or len(text) > _LONG:
        return None
    return subscript(text) if kind == "sub" else superscript(text)


def _formula(name: str, pieces: list[str]) -> str | None:
    """Return an element of MathML as one line of text, or None where its text stands for it."""
    if name in ("msqrt", "mroot") and pieces:
        body = "".join(pieces) if name == "msqrt" else pieces[0]
        index = (
            (superscript(pieces[1]) or f"{pieces[1]}-") if name == "mroot" and pieces[1:] else ""
        )
        return f"{index}√{grouped(body)}"
    if len(pieces) < 2:
        return None
    base, first, *more = pieces
    if name == "mfrac":
        return f"{grouped(base)}/{grouped(first)}"
    if name == "mover" and first in _OVER and len(base) == 1:
        return base + _OVER[first]
    if name in ("msub", "munder"):
        return base + _set_low(first)
    if name in ("msup", "mover"):
        return base + _set_high(first)
    if name in ("msubsup", "munderover") and more:
        return base + _set_low(first) + _set_high(more[0])
    return None


def _set_low(text: str) -> str:
    return _script("sub", text) or f"_{grouped(text)}"


def _set_high(text: str) -> str:
    return _script("sup", text) or f"^{grouped(text)}"
