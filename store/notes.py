"""Notes and their earlier texts: what is kept of them, and how two libraries' notes are joined.

A note is a document `{"text", "changed"}`; what it said before stands in a list of the same, so
that it can be looked up and so that a copy that did not change since is known as older.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from .change import after_time
from .snapshot import Document
from .text import clean_note

CONFLICT = "\n\n---- also written elsewhere ----\n\n"
"""Stands between two texts of a note that were written at the same time."""

MOST_EARLIER = 50
"""Earlier texts of a note that are kept."""

MOST_CHARACTERS = 1 << 18
"""How long the earlier texts of a note may be together; the last is kept in any case."""


class Version(NamedTuple):
    """A text that a note has or had, and since when (ISO 8601, UTC)."""

    changed: str
    text: str


class NoteState(NamedTuple):
    """What is stored about a note; `note` is None where there is none (any more)."""

    note: Version | None
    earlier: tuple[Version, ...]

    @classmethod
    def of(cls, note: Document | None, earlier: Document | None) -> NoteState:
        """Return the state that two stored documents tell."""
        texts = (earlier or {}).get("texts")
        known = map(_version, texts) if isinstance(texts, list) else ()
        return cls(_version(note), tuple(one for one in known if one))

    @property
    def text(self) -> str:
        """The text, empty where there is no note."""
        return self.note.text if self.note else ""

    def rewritten(self, text: str, now: str, *, amends: bool = False) -> NoteState:
        """Return the state after a note was written.

        Args:
            text: The new text; a blank one removes the note.
            now: The time.
            amends: Whether it goes on from the text before, which is then no version of its own,
                unless much of it is gone.
        """
        text = clean_note(text)
        if not text.strip():
            text = ""
        known = list(self.earlier)
        if self.note and not (amends and _is_mostly_in(self.note.text, text)):
            known.append(self.note)
        times = [one.changed for one in (*known, self.note) if one]
        note = Version(after_time(now, *times), text) if text else None
        return NoteState(note, _bounded(known, text))

    def joined(self, other: NoteState) -> NoteState:
        """Return two states as one: what neither side saw the other replace is all there.

        Gives the same whichever side is asked.
        """
        if self == other:
            return self
        sides = [(one, one._unseen_by(two)) for one, two in ((self, other), (other, self))]
        notes = [one.note for one, parts in sides if one.note and parts]
        whole = [one.text for one, parts in sides if one.text.split(CONFLICT) == parts]
        parts = {part for _, kept in sides for part in kept}
        if len(notes) == len(whole) and len(set(whole)) == 1:
            text = whole[0]
        else:
            text = CONFLICT.join(sorted(one for one in parts if not _is_begun_by(one, parts)))
        known = (*self.earlier, *other.earlier, *filter(None, (self.note, other.note)))
        note = None
        if notes:
            changed = max(one.changed for one in notes)
            if (replaced := [one.changed for one in known if one.text == text]) and (
                not whole or text not in whole
            ):
                changed = after_time(changed, *replaced)  # it is there again, and newer for that
            note = Version(changed, text)
        return NoteState(note, _bounded(known, text if note else ""))

    def _unseen_by(self, other: NoteState) -> list[str]:
        """Return the parts of the note that the other side does not know as replaced."""
        still_there = other.text.split(CONFLICT)
        replaced = [one for one in other.earlier if one.text not in still_there]
        if not self.note or _is_among(self.note, replaced):
            return []
        return [part.text for part in self._parts(self.note) if not _is_among(part, replaced)]

    def _parts(self, note: Version) -> list[Version]:
        """Return the parts of a note, each since when it was there without a break."""
        since = {one.text: one.changed for one in self.earlier}
        latest = max(since.values(), default="")
        before = {
            part
            for one in self.earlier
            if one.changed == latest
            for part in one.text.split(CONFLICT)
        }
        # What was joined has the time of the newer side, which is among the earlier texts then.
        is_joined = note.changed == latest
        return [
            Version(
                since.get(part, note.changed) if is_joined or part in before else note.changed, part
            )
            for part in note.text.split(CONFLICT)
        ]

    def documents(self) -> tuple[Document | None, Document | None]:
        """Return the note and its earlier texts as they are stored."""
        note = _document(self.note) if self.note else None
        return note, {"texts": [_document(one) for one in self.earlier]} if self.earlier else None


def kept_both(current: str, text: str, base: str | None) -> str:
    """Return the text to store for a note that was perhaps changed elsewhere since.

    Args:
        current: The text that is stored now.
        text: The new one.
        base: The text that the writer started from, if known.
    """
    if base is None or current in (base, text, "") or text.startswith(current):
        return text
    before, mine = (set(one.split(CONFLICT)) if one.strip() else set() for one in (base, text))
    theirs = [part for part in current.split(CONFLICT) if part not in before - mine]
    new = [part for part in text.split(CONFLICT) if part in mine - before - {*theirs}]
    theirs = [part for part in theirs if not _is_begun_by(part, new)]
    return CONFLICT.join([*theirs, *(part for part in new if not _is_begun_by(part, theirs))])


def _version(document: Any) -> Version | None:
    text = document.get("text") if isinstance(document, dict) else None
    if not isinstance(text, str) or not text.strip():
        return None
    changed = document.get("changed")
    return Version(changed if isinstance(changed, str) else "", text)


def _document(version: Version) -> Document:
    return {"text": version.text, "changed": version.changed}


def _is_mostly_in(text: str, other: str) -> bool:
    """Tell whether at least half of a text begins and ends another."""
    begin = _begun_alike(text, other)
    end = _begun_alike(text[begin:][::-1], other[begin:][::-1])
    return 2 * (begin + end) >= len(text)


def _begun_alike(one: str, two: str) -> int:
    pairs = enumerate(zip(one, two, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(two)))


def _is_among(version: Version, earlier: Iterable[Version]) -> bool:
    """Tell whether a text, or a single one that goes on from it, is there and not older."""
    return any(
        (one.text == version.text or _goes_on(one.text, version.text))
        and one.changed >= version.changed
        for one in earlier
    )


def _goes_on(more: str, text: str) -> bool:
    return more.startswith(text) and CONFLICT not in more


def _is_begun_by(text: str, others: Iterable[str]) -> bool:
    return any(other != text and other.startswith(text) for other in others)


def _bounded(versions: Iterable[Version], text: str) -> tuple[Version, ...]:
    """Return versions in order, each text but the present one once, and not too much of them."""
    latest = {one.text: one for one in sorted(versions) if one.text != text}
    kept = sorted(latest.values())[-MOST_EARLIER:]
    while len(kept) > 1 and sum(len(one.text) for one in kept) > MOST_CHARACTERS:
        kept.pop(0)
    return tuple(kept)
