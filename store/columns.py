"""What is known of every paper without reading it: arrays by the paper's number."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from .paper import Paper
from .text import fold

try:
    from _blake2 import (
        blake2b as blake2b,  # what hashlib has, whose import takes longer than all the rest
    )
except ImportError:
    from hashlib import blake2b as blake2b

SEPARATOR = "\x1f"
"""Stands before each name of a paper, and behind the last."""

HAS_BITS = {"abstract": 1, "arxiv": 2, "doi": 4, "url": 8, "pdf": 16}
"""What a paper has, as bits of `Columns.has`; "url" is any address that can be told."""

_YEARS = range(1, 1 << 16)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)

_ARRAYS = ("offsets", "lengths", "digests", "years", "added")
"""The columns that are arrays of numbers."""


class Facts(NamedTuple):
    """What the columns hold of one paper's texts."""

    year: int
    added: int
    has: int
    title: str
    names: str


def facts_of(paper: Paper) -> Facts:
    """Return what the columns hold of a paper."""
    ids = paper.ids
    has = HAS_BITS["abstract"] if paper.abstract else 0
    if "arxiv" in ids:
        has |= HAS_BITS["arxiv"] | HAS_BITS["pdf"]
    if "doi" in ids:
        has |= HAS_BITS["doi"]
    if paper.link:
        has |= HAS_BITS["url"]
    if paper.url and paper.url.lower().endswith(".pdf"):
        has |= HAS_BITS["pdf"]
    return Facts(
        paper.year if paper.year and paper.year in _YEARS else 0,
        milliseconds(paper.added) if paper.added else 0,
        has,
        fold(paper.title) if paper.title else "",
        SEPARATOR.join(("", paper.key, *ids.values(), *paper.former_names, "")).casefold(),
    )


@lru_cache(maxsize=256)
def milliseconds(moment: str) -> int:
    """Return a moment (ISO 8601; UTC where it names no zone) in milliseconds since 1970 UTC.

    What cannot be read is 0.
    """
    try:
        when = datetime.fromisoformat(moment)
        return ((when if when.tzinfo else when.replace(tzinfo=UTC)) - _EPOCH) // _MILLISECOND
    except (ValueError, OverflowError):
        return 0


def digest_of(line: bytes) -> int:
    """Return what a line of the file is known again by: the first 8 bytes of its blake2b."""
    return int.from_bytes(blake2b(line).digest()[:8], "little")


class Texts:
    """A text for every number, which may lie in a file until somebody asks for one."""

    def __init__(self, stored: Callable[[], list[str]] | None = None) -> None:
        self._stored = stored
        self._texts: list[str] = []
        self._later: dict[int, str] = {}

    def put(self, number: int, text: str) -> None:
        """Set a text: that of a number that there is, or of the next."""
        if self._stored:
            self._later[number] = text
        elif number == len(self._texts):
            self._texts.append(text)
        else:
            self._texts[number] = text

    def all(self) -> list[str]:
        """Return the texts by number. Not to be changed by the caller."""
        if self._stored:
            self._texts, self._stored = self._stored(), None
            for number, text in sorted(self._later.items()):
                self.put(number, text)
            self._later = {}
        return self._texts


class Columns:
    """What is known of every paper without reading it: arrays by the paper's number.

    Numbers count in the order in which papers first came. A paper that is taken away leaves its
    number empty; where it comes back, it gets a new one.

    Attributes:
        keys: Keys; empty for an empty number.
        offsets: Where the paper's present line stands in the file.
        lengths: Bytes of that line; 0 where there is none: of an anchor that only its list names,
            or a paper that is not stored yet.
        digests: The first 8 bytes of blake2b of that line without its end; 0 where there is none.
        years: Years; 0 is unknown.
        added: Milliseconds since 1970 UTC; 0 is unknown or unreadable.
        has: What the paper has, bits by `HAS_BITS`.
        here: The numbers whose paper is in the library: bit n is number n.
        version: Raised by every change of anything.
    """

    def __init__(self, version: int = 0) -> None:
        self.keys: list[str] = []
        self.offsets = array("Q")
        self.lengths = array("I")
        self.digests = array("Q")
        self.years = array("H")
        self.added = array("q")
        self.has = bytearray()
        self.here = 0
        self.version = version
        self._by_key: dict[str, int] | None = {}
        self._titles, self._names = Texts(), Texts()

    def __len__(self) -> int:
        """Return how many numbers there are, empty ones included."""
        return len(self.keys)

    def __contains__(self, key: object) -> bool:
        """Tell whether the paper of a key is in the library."""
        return key in self._numbers

    @property
    def count(self) -> int:
        """How many papers are in the library."""
        return self.here.bit_count()

    @property
    def _numbers(self) -> dict[str, int]:
        if self._by_key is None:  # made when first asked: it takes as long as all else of opening
            self._by_key = dict(zip(self.keys, range(len(self)), strict=True))
            self._by_key.pop("", None)
        return self._by_key

    def number(self, key: str) -> int:
        """Return the number of a paper.

        Raises:
            KeyError: There is no such paper.
        """
        return self._numbers[key]

    def numbers(self, keys: Iterable[str]) -> Iterator[int]:
        """Yield the numbers of those papers, by their keys, that are in the library."""
        return (self._numbers[key] for key in keys if key in self._numbers)

    def titles(self) -> list[str]:
        """Return folded titles by number; empty where there is none. Not to be changed."""
        return self._titles.all()

    def names(self) -> list[str]:
        r"""Return keys and identifiers by number, former ones too, in one text a number.

        They are casefolded, each with "\x1f" before it, with one more at the end. Not to be
        changed.
        """
        return self._names.all()

    # Changing

    def show(self, paper: Paper) -> int:
        """Take in what is known of a paper, new or not, and return its number."""
        facts = facts_of(paper)
        number = self._numbers.get(paper.key)
        if number is None:
            number = self._numbers[paper.key] = len(self.keys)
            self.keys.append(paper.key)
            for column in (self.offsets, self.lengths, self.digests):
                column.append(0)
            self.years.append(facts.year)
            self.added.append(facts.added)
            self.has.append(facts.has)
            self.here |= 1 << number
        else:
            self.years[number], self.added[number], self.has[number] = facts[:3]
        self._titles.put(number, facts.title)
        self._names.put(number, facts.names)
        self.version += 1
        return number

    def place(self, number: int, offset: int, line: bytes) -> None:
        """Take in where a paper's line stands."""
        self.offsets[number], self.lengths[number] = offset, len(line)
        self.digests[number] = digest_of(line)
        self.version += 1

    def take_away(self, key: str) -> None:
        """Leave a paper's number empty, if there is such a paper."""
        number = self._numbers.pop(key, None)
        if number is None:
            return
        self.keys[number] = ""
        self.here &= ~(1 << number)
        for column in (self.offsets, self.lengths, self.digests, self.years, self.added, self.has):
            column[number] = 0
        self._titles.put(number, "")
        self._names.put(number, "")
        self.version += 1

    # Storing

    def sections(self) -> dict[str, bytes]:
        """Return everything as bytes by name.

        Raises:
            ValueError: A key or an identifier has a line feed in it.
        """
        return {
            **{name: getattr(self, name).tobytes() for name in _ARRAYS},
            "has": bytes(self.has),
            "keys": _joined(self.keys),
            "titles": _joined(self.titles()),
            "names": _joined(self.names()),
        }

    def load(
        self, count: int, section: Callable[[str], bytes], paper_at: Callable[[int], Paper]
    ) -> None:
        """Take everything from what `sections` returned; texts when they are first asked for.

        Args:
            count: How many numbers there are.
            section: Returns a section by its name, or raises ValueError.
            paper_at: Reads a paper, for where its texts cannot be had any more.

        Raises:
            ValueError: It is not what was stored.
        """

        def texts(name: str, field: str) -> list[str]:
            try:
                return _split(section(name), count)
            except ValueError:
                return [
                    getattr(facts_of(paper_at(number)), field) if self.keys[number] else ""
                    for number in range(count)
                ]

        for name in _ARRAYS:
            getattr(self, name).frombytes(section(name))
        self.has = bytearray(section("has"))
        self.keys = _split(section("keys"), count)
        if any(len(getattr(self, name)) != count for name in (*_ARRAYS, "has")):
            raise ValueError("its columns are not of one length")
        self._by_key = None
        self.here = (1 << count) - 1
        if "" in self.keys:
            for number, key in enumerate(self.keys):
                self.here ^= 0 if key else 1 << number
        self._titles = Texts(lambda: texts("titles", "title"))
        self._names = Texts(lambda: texts("names", "names"))


def _joined(texts: list[str]) -> bytes:
    joined = "\n".join(texts)
    if joined.count("\n") != max(0, len(texts) - 1):
        raise ValueError("a text has a line feed in it")
    return joined.encode("utf-8", "surrogatepass")


def _split(data: bytes, count: int) -> list[str]:
    texts = data.decode("utf-8", "surrogatepass").split("\n") if count else []
    if len(texts) != count:
        raise ValueError(f"{len(texts)} texts, not {count}")
    return texts
