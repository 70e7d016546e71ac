"""What can be undone and done again, also in another sitting.

A step holds what leads back over it; undoing puts that in place and keeps what leads forward
again in the step instead. It is stored in the same write as what it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, takewhile

from .catalogue import Span
from .change import Change
from .files import UNREADABLE
from .snapshot import Document

MOST_STEPS = 200
"""Steps that are kept."""

MOST_PAPERS = 20_000
"""Papers that all steps may be about together; the newest step is kept in any case."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that the reader did, and what leads back over it.

    Attributes:
        what: What it was, in a few words.
        when: When (ISO 8601, UTC).
        undone: Whether it was undone; the rest then leads forward.
        changes: Changes to marks.
        notes: Texts of notes.
        searches: Queries of saved searches by name; an empty one for one that is not to be.
        apart: Whether papers are called different, by the names of pairs.
        papers: The lines of `papers.jsonl` that it wrote when it was done first; they tell what is
            to be there when it is done again, and those before them what is when it is undone.
    """

    what: str
    when: str
    undone: bool = False
    changes: Mapping[str, Change] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    searches: Mapping[str, str] = field(default_factory=dict)
    apart: Mapping[str, bool] = field(default_factory=dict)
    papers: Span | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The papers whose marks or notes it is about."""
        return tuple(dict.fromkeys((*self.changes, *self.notes)))

    def has_room_for(self, changes: Mapping[str, Change], notes: Mapping[str, str]) -> bool:
        """Tell whether the step can take in more, none of which it holds already."""
        mine = {*self.changes, *self.notes}
        more = {*changes, *notes}
        return not mine & more and len(mine) + len(more) <= MOST_PAPERS // 4

    def to_document(self) -> Document:
        """Return the step as it is stored."""
        document: Document = {"what": self.what, "when": self.when}
        if self.undone:
            document["undone"] = True
        if self.changes:
            document["marks"] = {key: one.to_document() for key, one in self.changes.items()}
        if self.notes:
            document["notes"] = dict(self.notes)
        if self.searches:
            document["searches"] = dict(self.searches)
        if self.apart:
            document["apart"] = dict(self.apart)
        if self.papers:
            document["papers"] = list(self.papers)
        return document

    @classmethod
    def of_document(cls, document: Document) -> Step | None:
        """Return a step that was stored, or None where this version does not understand it."""
        try:
            return cls(
                what=str(document["what"]),
                when=str(document["when"]),
                undone=bool(document.get("undone")),
                changes={
                    key: Change.of_document(one) for key, one in document.get("marks", {}).items()
                },
                notes={key: str(text) for key, text in document.get("notes", {}).items()},
                searches={name: str(query) for name, query in document.get("searches", {}).items()},
                apart={name: bool(one) for name, one in document.get("apart", {}).items()},
                papers=Span(*map(int, document["papers"])) if "papers" in document else None,
            )
        except UNREADABLE:
            return None


class History:
    """The steps, oldest first: those done, then those undone.

    Args:
        table: Gives the stored steps by their number.
    """

    def __init__(self, table: Callable[[], dict[str, Document]]) -> None:
        self._table = table

    def last_done(self) -> tuple[str, Step] | None:
        """Return the step to undo next, and its number."""
        return next((one for one in self._backwards() if not one[1].undone), None)

    def first_undone(self) -> tuple[str, Step] | None:
        """Return the step to do again next, and its number."""
        first = None
        for number, step in self._backwards():
            if not step.undone:
                break
            first = number, step
        return first

    def _backwards(self) -> Iterator[tuple[str, Step]]:
        for number, document in reversed(self._table().items()):
            if step := Step.of_document(document):
                yield number, step

    def adding(self, step: Step) -> dict[str, Document | None]:
        """Return what to store so that a step is the last one: those undone are gone then."""
        table = self._table()
        last = next(reversed(table), "0")
        number = int(last) + 1 if last.isdecimal() else len(table) + 1
        undone = list(takewhile(lambda one: table[one].get("undone"), reversed(table)))
        surplus = len(table) - len(undone) + 1 - MOST_STEPS
        dropped = [*undone, *islice(table, max(0, surplus))]
        if len(step.keys) > MOST_PAPERS // MOST_STEPS:  # many small ones are never too many
            kept = [one for one in table if one not in dropped]
            while kept and sum(_size(table[one]) for one in kept) + len(step.keys) > MOST_PAPERS:
                dropped.append(kept.pop(0))
        return {**dict.fromkeys(dropped), str(number): step.to_document()}


def _size(document: Document) -> int:
    parts = (document.get("marks"), document.get("notes"))
    return sum(len(part) for part in parts if isinstance(part, dict))
