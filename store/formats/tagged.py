"""Text whose lines hold a tag and a value, as RIS, EndNote, PubMed and the Web of Science write it.

A line without a tag goes on with the value before it. Records begin with one tag and may end with
another; what stands between them (headings of a search, addresses, notes of a database) is no
record. This is less than adapting a parser for RIS alone would take: those need the lines told
apart beforehand for a mark of byte order, records that do not begin with their type, and records
without an end, of which they make one.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from .. import names
from ..text import clean, clean_line
from .fields import readable, readable_line
from .found import Found, FoundPaper, Guess, Refusal, RefusedError
from .input import Input

_TOLD = 5
"""Lines that are named where several records have no end."""


class Grammar(NamedTuple):
    """How a format writes its records."""

    tag: re.Pattern[str]
    """Matches a line that has a tag; its groups are `tag` and `value`."""
    start: str
    """The tag that begins a record; where it is empty, an empty line ends one."""
    end: str
    """The tag that ends a record; where it is empty, the next one or the end of the file does."""
    telling: tuple[str, ...]
    """Tags that make a record of lines that do not begin as one; those of a title come first."""


class Record:
    """The lines of one record, by their tags.

    Attributes:
        line: The number of its first line, counted from 1.
        is_closed: Whether it has its end.
    """

    def __init__(self) -> None:
        self.line = 0
        self.is_closed = False
        self._values: dict[str, list[list[str]]] = {}
        self._last: list[str] = []

    def __bool__(self) -> bool:
        """Tell whether there is any line."""
        return bool(self._values)

    def add(self, number: int, tag: str, value: str | None) -> None:
        """Add a line with a tag."""
        self.line = self.line or number
        self._last = [(value or "").strip()]
        self._values.setdefault(tag, []).append(self._last)

    def go_on(self, line: str) -> None:
        """Add a line without one."""
        self._last.append(line.strip())

    def tells(self, grammar: Grammar) -> bool:
        """Tell whether there is anything but the start, and a tag that tells a record."""
        return any(tag in self._values for tag in grammar.telling)

    def has_more_than(self, tag: str) -> bool:
        """Tell whether there is any other tag."""
        return len(self._values) > (tag in self._values)

    def line_of(self, *tags: str) -> str:
        """Return the first line of the first value there is, asking for one tag after the other."""
        values = (value for tag in tags for value in self._values.get(tag, ()))
        return next((line for value in values if (line := clean_line(value[0]))), "")

    def text_of(self, *tags: str) -> str:
        """Return the first value there is, all of its lines as one."""
        values = (value for tag in tags for value in self._values.get(tag, ()))
        return next((line for value in values if (line := clean_line(" ".join(value)))), "")

    def texts_of(self, *tags: str) -> list[str]:
        """Return every value that there is, each with its lines as one."""
        values = (value for tag in tags for value in self._values.get(tag, ()))
        return [line for value in values if (line := clean_line(" ".join(value)))]

    def lines_of(self, *tags: str) -> list[str]:
        """Return every line of every value that there is."""
        values = (value for tag in tags for value in self._values.get(tag, ()))
        return [cleaned for value in values for line in value if (cleaned := clean_line(line))]

    def notes_of(self, *tags: str) -> list[str]:
        """Return every value that there is, with its line breaks."""
        values = ("\n".join(value) for tag in tags for value in self._values.get(tag, ()))
        return [note for value in values if (note := readable(clean(value)).strip())]

    def paragraphs_of(self, *tags: str) -> str:
        """Return the values of the first tag that has any as running text.

        Lines are joined; an empty line, or another line with the tag, begins a paragraph.
        """
        for tag in tags:
            text = "\n\n".join("\n".join(value) for value in self._values.get(tag, ()))
            paragraphs = (clean_line(part) for part in re.split(r"\n{2,}", text))
            if joined := "\n\n".join(filter(None, paragraphs)):
                return joined
        return ""


def records(lines: Iterable[str], grammar: Grammar) -> Iterator[Record]:
    """Yield the records in lines.

    Lines before the start of a record belong to it if no empty line parts them from it, since some
    programs write the type later. A record that begins before the one before has ended is the next.
    """
    record, has_begun, is_apart = Record(), False, False
    for number, line in enumerate(lines, 1):
        found = grammar.tag.match(line)
        if not found:
            if not line.strip():
                is_apart = True
                if record and not grammar.start:
                    yield record
                    record = Record()
            if record and (has_begun or not is_apart):
                record.go_on(line)
            continue
        tag = found["tag"]
        if grammar.end and tag == grammar.end:
            if has_begun or record.tells(grammar):
                record.line, record.is_closed = record.line or number, True
                yield record
            record, has_begun = Record(), False
            continue
        ends = has_begun and tag == grammar.start and record.has_more_than(tag)
        if ends or (record and not has_begun and is_apart):
            if has_begun or record.tells(grammar):
                yield record
            record, has_begun = Record(), False
        record.add(number, tag, found["value"])
        has_begun = has_begun or tag == grammar.start
        is_apart = False
    if record and (has_begun or record.tells(grammar)):
        yield record


def read_as(
    source: Input, grammar: Grammar, found: Callable[[Record], FoundPaper]
) -> Iterator[Found]:
    """Yield what the records of a file are, and tell which of them have no end.

    Args:
        source: The file.
        grammar: How it writes its records.
        found: Makes a paper of a record, or raises RefusedError.

    Raises:
        OSError: The file cannot be read.
        RefusedError: It holds no record.
    """
    count, unclosed = 0, []
    for count, record in enumerate(records(io.StringIO(source.text()), grammar), 1):  # noqa: B007
        if grammar.end and not record.is_closed:
            unclosed.append(record.line)
        try:
            yield found(record)
        except RefusedError as error:
            yield Refusal(record.line, record.text_of(*grammar.telling)[:80] or None, str(error))
    if not count:
        raise RefusedError("it holds no record")
    if len(unclosed) == 1:
        yield Guess(f"the record at line {unclosed[0]} is not closed by {grammar.end}")
    elif unclosed:
        told = ", ".join(map(str, unclosed[:_TOLD])) + (" …" if unclosed[_TOLD:] else "")
        yield Guess(f"{len(unclosed)} records are not closed by {grammar.end}: lines {told}")


def people(values: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """Return names, as stored, and whether they are all.

    A value is a name ("Doe, Jo", "J. Doe", "Doe JA"; with a comma at its end the name of a body),
    unless it alone holds several.
    """
    known = [readable_line(value) for value in values]
    known = [f"{{{name[:-1]}}}" if name.find(",") == len(name) - 1 else name for name in known]
    is_list = len(known) == 1 and (known[0].count(",") > 2 or re.search(r" and | & ", known[0]))
    if is_list and not known[0].startswith("{"):
        return names.from_list(known[0])
    return names.from_list(";".join(known) + ";") if any(known) else ((), True)


def words(lines: Iterable[str]) -> list[str]:
    """Return keywords, of which a line may hold several, parted by semicolons."""
    found = (readable_line(word) for line in lines for word in line.split(";"))
    return list(dict.fromkeys(filter(None, found)))


def one_line(text: str) -> str | None:
    """Return text that is shown, such as a title, as one line; None where there is none."""
    return readable_line(text) or None


def pages(first: str, last: str) -> str:
    """Return the pages from the first to the last, where the first is not all of them already."""
    first = re.sub(r"^pp?\.?\s*(?=\d)", "", first, flags=re.IGNORECASE)
    is_whole = not last or last == first or re.search(r"[-–]", first)
    return first if is_whole else f"{first}-{last}" if first else last


def serial_numbers(values: Iterable[str]) -> dict[str, str]:
    """Return the variables ISSN and ISBN that numbers of these two kinds are, in any spelling."""
    found: dict[str, list[str]] = {"ISSN": [], "ISBN": []}
    for value in values:
        for number in re.findall(r"(?<![\w-])\d(?:[\d-]{5,15}[\dXx])(?![\w-])", value):
            digits = number.replace("-", "").upper()
            if len(digits) == 8:
                found["ISSN"].append(f"{digits[:4]}-{digits[4:]}")
            elif len(digits) in (10, 13):
                found["ISBN"].append(number.upper())
    return {name: ", ".join(dict.fromkeys(numbers)) for name, numbers in found.items() if numbers}
