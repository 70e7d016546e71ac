"""JSON files: which service or program wrote the records, and what is in them.

The records may stand one a line (JSON Lines), in a list, in a wrapper, or alone. Each is read by
the first schema that recognises it. A schema is a module with two functions: `recognises(record)`
tells whether a record is one of its own, and `found(record)` returns the paper in it or raises
RefusedError.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Protocol, cast

from ..text import clean_line
from .found import Found, FoundPaper, Kind, Refusal, RefusedError
from .input import LARGEST_TEXT, Input
from .json_text import WRAPPED_LISTS, WRAPPED_RECORDS, Element, elements
from .web_page import refuse_web_page

_SCHEMAS = (
    "arxiv-snapshot", "openalex", "semantic-scholar", "zotero-json", "crossref", "csl-json",
    "jsonl",
)  # fmt: skip
"""In the order in which they are asked: our own takes whatever has a title."""

_WRAPPERS = WRAPPED_LISTS | WRAPPED_RECORDS
_NAMES = ("key", "citation-key", "citationKey", "title", "display_name", "id", "paperId", "DOI")
_ANSWERS = ("error", "message", "detail", "errors")


class _Schema(Protocol):
    def recognises(self, record: Mapping[str, Any]) -> bool: ...

    def found(self, record: Mapping[str, Any]) -> FoundPaper: ...


def looks_like(head: str) -> bool:
    """Tell whether a file that begins like this holds JSON."""
    begin = head.lstrip()[:200]
    first = begin[1:].lstrip()
    is_list = begin.startswith("[") and (not first or first.startswith(("{", "[", "]", "null")))
    return is_list or begin.startswith("{")


def read(source: Input) -> Iterator[Found]:
    """Yield what is in a file of any schema, and which schema it is.

    Raises:
        OSError: It cannot be read.
        RefusedError: Nothing of it can be taken.
    """
    yield from read_as("", source)


def read_as(schema: str, source: Input) -> Iterator[Found]:
    """Yield what is in a file whose records are all of one schema; an empty one is to be told.

    Raises:
        OSError: It cannot be read.
        RefusedError: Nothing of it can be taken.
    """
    told = schema
    for number, element in enumerate(_elements(source), 1):
        try:
            record = _record(element)
            name = schema or _schema_of(record, told)
            if name != told:
                told = name
                yield Kind(name)
            yield _module(name).found(record)
        except RefusedError as error:
            entry = clean_line(element.name)[:80] or _name(element.value) or f"entry {number}"
            yield Refusal(element.line, entry, str(error))


def _elements(source: Input) -> Iterator[Element]:
    head = source.head()
    refuse_web_page(head)
    if not _has_lines(head, source.size):
        yield from elements(source.text())
        return
    for number, line in source.lines():
        if line is None:
            yield Element(number, None, "the line is too long")
        elif line.strip():
            yield from _in_line(number, line)


def _in_line(number: int, line: str) -> Iterator[Element]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        if line.lstrip().startswith("{"):
            yield from elements(line, number)
        else:
            told = (
                f"{error.msg} at column {error.colno}"
                if isinstance(error, json.JSONDecodeError)
                else error
            )
            yield Element(number, None, f"this is no JSON: {told or 'it is nested too deep'}")
        return
    if isinstance(value, dict) and isinstance(value.get("list"), str):
        told = "this is a list in a library's own file: “anchorlight merge” joins two libraries"
        yield Element(number, None, told, value["list"])
    elif isinstance(value, dict) and value.keys() & _WRAPPERS:
        yield from elements(line, number)
    else:
        yield Element(number, value)


def _has_lines(head: str, size: int | None) -> bool:
    """Tell whether records stand one a line: the first line is an object of its own.

    A line whose end is not in sight may be the whole of a small file, but a large one can only be
    read line by line.
    """
    first, ends, _ = head.lstrip().partition("\n")
    if not first.startswith("{"):
        return not first.startswith("[")
    if not ends:
        return size is not None and size > LARGEST_TEXT
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _record(element: Element) -> Mapping[str, Any]:
    if element.problem:
        raise RefusedError(element.problem)
    if element.value is None:
        raise RefusedError("this is null, no object: what was asked for was not found")
    if not isinstance(element.value, dict):
        raise RefusedError("this is no JSON object")
    return element.value


def _schema_of(record: Mapping[str, Any], told: str) -> str:
    if told not in ("", _SCHEMAS[-1]) and _module(told).recognises(record):
        return told
    for name in _SCHEMAS:
        if _module(name).recognises(record):
            return name
    if answer := _answer(record):
        raise RefusedError(f"this is no paper, but an answer: “{answer}”")
    raise RefusedError("this is no record of a paper that is known here")


def _answer(record: Mapping[str, Any]) -> str:
    """Return what a service said instead of what it was asked for."""
    for field in _ANSWERS:
        value = record.get(field)
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, dict):
            value = next(filter(None, (value.get(name) for name in ("message", "detail"))), None)
        if isinstance(value, str) and value.strip():
            return clean_line(value)[:200]
    return ""


def _name(value: object) -> str | None:
    if isinstance(value, dict):
        for field in _NAMES:
            if isinstance(text := value.get(field), str) and text.strip():
                return clean_line(text)[:80]
    return None


def _module(name: str) -> _Schema:
    return cast(_Schema, import_module(f"{__package__}.{name.replace('-', '_')}"))
