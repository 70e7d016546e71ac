"""What can be taken back: marks and notes of this sitting, as the changes that restore them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from anchorlight.store import Change, Library, Mark

MOST = 200
"""Steps that can be taken back."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing the reader did, and how to take it back.

    Attributes:
        what: What it was, in a few words.
        key: The paper to show after taking it back or doing it again.
        back: Takes it back.
        again: Does it again.
    """

    what: str
    key: str
    back: Callable[[Library], object]
    again: Callable[[Library], object]


@dataclass(slots=True)
class History:
    """Steps done, and steps taken back that can be done again."""

    done: list[Step] = field(default_factory=list)
    undone: list[Step] = field(default_factory=list)

    def add(self, step: Step) -> None:
        """Remember a step; what was taken back before is gone."""
        self.done = [*self.done[-MOST + 1 :], step]
        self.undone.clear()

    def back(self) -> Step | None:
        """Return the step to take back now."""
        if not self.done:
            return None
        self.undone.append(self.done.pop())
        return self.undone[-1]

    def again(self) -> Step | None:
        """Return the step to do again now."""
        if not self.undone:
            return None
        self.done.append(self.undone.pop())
        return self.done[-1]


def restoring(before: Mark, after: Mark) -> Change:
    """Return the change that leads from `after` back to `before`."""
    return Change(
        status=before.status if before.status != after.status else None,
        starred=before.starred if before.starred != after.starred else None,
        add_tags=_without(before.tags, after.tags),
        remove_tags=_without(after.tags, before.tags),
    )


def _without(tags: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    return tuple(tag for tag in tags if tag not in set(others))


def mark_step(befores: dict[str, Mark], afters: dict[str, Mark]) -> Step:
    """Return the step of a change to papers' marks."""
    back = {key: restoring(befores[key], afters[key]) for key in afters}
    again = {key: restoring(afters[key], befores[key]) for key in afters}
    count = len(afters)
    return Step(
        "mark" if count == 1 else f"marks on {count} papers",
        next(iter(afters)),
        lambda library: library.mark(back),
        lambda library: library.mark(again),
    )


def note_step(key: str, before: str, after: str) -> Step:
    """Return the step of a change to a note."""
    return Step(
        "note",
        key,
        lambda library: library.write_note(key, before, after),
        lambda library: library.write_note(key, after, before),
    )
