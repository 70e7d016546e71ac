"""Which paper of a library a record belongs to, without holding the papers.

Everything that a paper is known by has a signature, 64 bits of a hash: each identifier, the
opening of the abstract, the title with first author and year, and all that its file said. What
shares a signature is looked at before it is taken for the same, so that a signature never decides.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from itertools import chain, islice

from .columns import Columns, blake2b
from .identity import (
    OPENING_LENGTH,
    TELLING_LENGTH,
    abstracts_agree,
    ids_clash,
    titles_agree,
)
from .names import parts
from .paper import Paper
from .sidecar import Sidecar
from .text import fingerprint_text

_SCHEME_ORDER = {"arxiv": 0, "doi": 1}

_MOST = 64
"""Papers that are looked at for one signature: a boilerplate abstract can stand in thousands."""

_TITLE_PART = 20

_MOST_LOOSE = 50_000
"""Signatures that are kept as they came; more, and more than a quarter of all, are sorted in."""


class KnownPapers:
    """The papers of a library, by what they are known by.

    Args:
        columns: The papers' numbers.
        paper_at: Reads a paper by its number; raises KeyError or OSError where there is none.
    """

    def __init__(self, columns: Columns, paper_at: Callable[[int], Paper]) -> None:
        self._columns = columns
        self._paper_at = paper_at
        # Of the papers that were stored: signatures in order, and the number for each.
        self._signatures = array("Q")
        self._numbers = array("I")
        self._more: dict[int, list[int]] = {}
        self._pending: Iterator[int] = iter(range(len(columns)))
        self.is_complete = False
        """Whether every paper that there was at the beginning is known."""
        self.added = 0
        """Papers that were added and are not stored."""

    def add(self, number: int, paper: Paper) -> None:
        """Take in a paper, or the newer state of one."""
        self.added += 1
        for signature in _signatures(paper):
            numbers = self._more.setdefault(signature, [])
            if number not in numbers[-1:]:
                numbers.append(number)
        if len(self._more) > max(_MOST_LOOSE, len(self._signatures) // 4):
            self._fold()

    def match(self, record: Paper) -> str | None:
        """Return the key of the paper that a record is the same as, or None."""
        for scheme in sorted(record.ids, key=lambda name: _SCHEME_ORDER.get(name, 2)):
            name = f"{scheme}:{record.ids[scheme]}"
            for known in self._sharing(name):
                if name in known.also or _same_by_id(record, known, scheme):
                    return known.key
        for known in self._candidates(record):
            if not ids_clash(record, known):
                return known.key
        # A record that nothing tells apart is still the one that came from the same file before.
        if told := record_name(record):
            for known in self._sharing(told):
                if told in known.also or record_name(known) == told:
                    return known.key
        return None

    def by_id(self, scheme: str, identifier: str) -> str | None:
        """Return the key of the first paper with an identifier in normal form."""
        name = f"{scheme}:{identifier}"
        for known in self._sharing(name):
            if known.ids.get(scheme) == identifier or name in known.also:
                return known.key
        return None

    def joined_as(self, name: str) -> set[str]:
        """Return the keys of the papers to which one of a name (`Paper.also`) was joined."""
        return {known.key for known in self._sharing(name) if name in known.also}

    def _candidates(self, record: Paper) -> Iterator[Paper]:
        if opening := _opening(record):
            for known in self._sharing(opening):
                if titles_fit(record, known) and (
                    opening in known.also or abstracts_agree(record, known)
                ):
                    yield known
        if title := _title(record):
            for known in self._sharing(title):
                if title in known.also or _title(known) == title:
                    yield known

    def _sharing(self, name: str) -> Iterator[Paper]:
        """Yield the papers that have something of a signature, those that came first at first."""
        signature = _signature(name)
        at, end = bisect_left(self._signatures, signature), len(self._signatures)
        stored: list[int] = []
        while at < end and self._signatures[at] == signature and len(stored) < _MOST:
            stored.append(self._numbers[at])
            at += 1
        for number in islice(dict.fromkeys((*stored, *self._more.get(signature, ()))), _MOST):
            try:
                yield self._paper_at(number)
            except (KeyError, OSError):
                continue  # it is gone, or will be read anew

    def _fold(self) -> None:
        """Put what was added into the arrays, where it takes a tenth of the memory."""
        more = sorted((one, number) for one, numbers in self._more.items() for number in numbers)
        signatures, numbers = array("Q"), array("I")
        for signature, number in merge(zip(self._signatures, self._numbers, strict=True), more):
            signatures.append(signature)
            numbers.append(number)
        self._signatures, self._numbers, self._more = signatures, numbers, {}

    # Storing

    def sections(self) -> dict[str, bytes]:
        """Return everything as bytes by name, once every paper of the columns has been added."""
        self._fold()
        return {
            "signatures": self._signatures.tobytes(),
            "numbers": self._numbers.tobytes(),
            "digests": self._columns.digests.tobytes(),
        }

    def load(self, sidecar: Sidecar) -> None:
        """Take everything from what `sections` returned; what is different now is to be read.

        Raises:
            BadSidecarError: It is damaged; nothing was taken from it.
            ValueError: It is not what was stored.
        """
        digests, signatures, numbers = array("Q"), array("Q"), array("I")
        for one, name in ((digests, "digests"), (signatures, "signatures"), (numbers, "numbers")):
            one.frombytes(sidecar.section(name))
        if len(signatures) != len(numbers):
            raise ValueError("its arrays are not of one length")
        self._signatures, self._numbers = signatures, numbers
        now = self._columns.digests
        same = min(len(digests), len(now))
        changed = [] if digests[:same] == now[:same] else range(same)
        self._pending = chain(
            (number for number in changed if digests[number] != now[number]), range(same, len(now))
        )

    def read_on(self, most: int | None = None) -> None:
        """Read papers that are not known yet, as long as there are any, or at most some.

        Raises:
            OSError: One cannot be read.
        """
        read = 0
        for number in islice(self._pending, most):
            read += 1
            self.take_in([number])
        self.is_complete = most is None or read < most

    def take_in(self, numbers: Iterable[int]) -> None:
        """Add papers by their numbers; those that are gone are passed over.

        Raises:
            OSError: One cannot be read.
        """
        for number in numbers:
            if self._columns.keys[number]:
                self.add(number, self._paper_at(number))


def titles_fit(record: Paper, known: Paper) -> bool:
    """Tell whether a record's title agrees with a paper's, or with one that was joined to it."""
    return titles_agree(record.title, known.title) or called(record) in known.also


def called(paper: Paper) -> str:
    """Return a name for the title, by which nothing is known but what has to agree as well."""
    return f"called:{fingerprint_text(paper.title)}" if paper.title else ""


def _same_by_id(record: Paper, known: Paper, scheme: str) -> bool:
    """A proceedings' DOI stands on many papers: their titles and arXiv ids tell them apart."""
    if known.ids.get(scheme) != record.ids[scheme]:
        return False
    arxiv = known.ids.get("arxiv", record.ids.get("arxiv"))
    same_preprint = record.ids.get("arxiv", arxiv) == arxiv
    return scheme == "arxiv" or (same_preprint and titles_fit(record, known))


def _signature(name: str) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "replace"), digest_size=8).digest())


def _signatures(paper: Paper) -> Iterator[int]:
    yield from map(_signature, names_of(paper))


def names_of(paper: Paper) -> tuple[str, ...]:
    """Return everything that a paper is known by."""
    ids = (f"{scheme}:{identifier}" for scheme, identifier in paper.ids.items())
    told = (_opening(paper), _title(paper), record_name(paper))
    return tuple(filter(None, (*ids, *paper.also, *told)))


def _opening(paper: Paper) -> str:
    """Return what a cut abstract and the whole one share; a short one counts with its title."""
    if not paper.abstract:
        return ""
    text = fingerprint_text(paper.abstract[: 3 * OPENING_LENGTH])
    if len(text) < OPENING_LENGTH:
        text = fingerprint_text(paper.abstract)
    if len(text) < TELLING_LENGTH:
        return f"short:{text}|{fingerprint_text(paper.title or '')[:_TITLE_PART]}"
    return f"opening:{text[:OPENING_LENGTH]}"


def _title(paper: Paper) -> str:
    """A title counts only with its first author and year: many papers are called "Preface"."""
    if not (paper.title and paper.authors and paper.year):
        return ""
    surname = fingerprint_text(parts(paper.authors[0]).family)
    return f"title:{fingerprint_text(paper.title)}|{surname}|{paper.year}"


def record_name(paper: Paper) -> str:
    """Return a name for all that a file says about a paper, and for the file; may be empty."""
    if not paper.source:
        return ""
    told = (paper.source, paper.title, paper.authors, paper.year, paper.venue, paper.abstract,
            sorted(paper.ids.items()), paper.url, paper.type, paper.date,
            sorted(paper.details.items()), paper.files)  # fmt: skip
    return "record:" + blake2b(repr(told).encode("utf-8", "replace"), digest_size=12).hexdigest()
