"""An XML text entry by entry, each with its line, without anything that makes XML dangerous.

A text that declares a document type is refused before it is parsed: entities that grow without
bound and files that are fetched come by no other way.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from .found import RefusedError

if TYPE_CHECKING:
    from xml.parsers.expat import XMLParserType

_DECLARATION = re.compile(r"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)
_PIECE = 1 << 16
_DEEPEST = 100


class Node:
    """An element: its name and attributes without their namespaces, its text, what is in it."""

    __slots__ = ("attributes", "children", "line", "name", "pieces")

    def __init__(self, name: str, attributes: dict[str, str], line: int) -> None:
        self.name = name
        self.attributes = attributes
        self.line = line
        self.children: list[Node] = []
        self.pieces: list[str] = []

    @property
    def text(self) -> str:
        """All of the text in it, also in the elements in it."""
        return "".join(self.pieces)

    def all(self, *path: str) -> Iterator[Node]:
        """Yield the elements at the end of a path of names."""
        name, *rest = path
        for child in self.children:
            if child.name == name:
                if rest:
                    yield from child.all(*rest)
                else:
                    yield child

    def first(self, *path: str) -> str:
        """Return the first text that is not empty at the end of a path of names, or ""."""
        return next(filter(None, (node.text.strip() for node in self.all(*path))), "")


class Place(NamedTuple):
    """Where an element stands."""

    depth: int
    """How many elements it is in."""
    name: str


def nodes(text: str, wanted: Callable[[Place], bool]) -> Iterator[Node]:
    """Yield the elements that are wanted, in order, and nothing that is in one of them again.

    Raises:
        RefusedError: The text is no XML from some line on, or not to be trusted; what was before
            that line has been yielded.
    """
    if found := _DECLARATION.search(text):
        line = text.count("\n", 0, found.start()) + 1
        raise RefusedError("it declares a document type (<!DOCTYPE …), which is not read", line)
    from xml.parsers import expat  # no declaration of entities reaches it

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    builder = _Builder(parser, wanted)
    try:
        for at in range(0, len(text), _PIECE):
            parser.Parse(text[at : at + _PIECE], False)
            yield from builder.taken()
        parser.Parse("", True)
    except expat.ExpatError as error:
        yield from builder.taken()
        reason = expat.ErrorString(error.code)
        raise RefusedError(
            f"this is no XML: {reason}: nothing after it is read", error.lineno
        ) from None
    except RefusedError:
        yield from builder.taken()
        raise
    yield from builder.taken()


class _Builder:
    def __init__(self, parser: XMLParserType, wanted: Callable[[Place], bool]) -> None:
        self._parser = parser
        self._wanted = wanted
        self._depth = 0
        self._open: list[Node] = []
        """The elements around here, from the one that is wanted on."""
        self._done: list[Node] = []
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters

    def taken(self) -> list[Node]:
        done, self._done = self._done, []
        return done

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        line = self._parser.CurrentLineNumber
        if self._depth >= _DEEPEST:
            raise RefusedError("its elements are nested too deep", line)
        name = name.rpartition(" ")[2]
        if self._open or self._wanted(Place(self._depth, name)):
            own = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
            node = Node(name, own, line)
            if self._open:
                self._open[-1].children.append(node)
            self._open.append(node)
        self._depth += 1

    def _end(self, _: str) -> None:
        self._depth -= 1
        if self._open:
            node = self._open.pop()
            if self._open:
                self._open[-1].pieces.append(node.text)
            else:
                self._done.append(node)

    def _characters(self, data: str) -> None:
        if self._open:
            self._open[-1].pieces.append(data)
