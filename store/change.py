"""What to do to a paper's mark, how it is undone, and how marks are stored, field by field.

Each field of a stored mark has a time of its own, so that two libraries that went their own ways
can be joined by taking the newer of each (a last-writer-wins register, a tag being a field as
well: Shapiro et al., "A comprehensive study of convergent and commutative replicated data types",
2011). A field was changed when the mark was, unless `at` says otherwise; a tag taken away stands
in `at` alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from .paper import Mark, Status
from .snapshot import Document
from .text import clean_line, fold

MOST_TAG = 64
"""Characters of a tag at most."""

_TAG = "tag:"
_BESIDE = ("tags", "changed", "at")
"""What a stored mark holds besides its single fields."""
_STATUSES = {status.value: status for status in Status}


def clean_tag(tag: str) -> str:
    """Return a tag in its one spelling: no `#` in front, no comma behind, blanks as hyphens."""
    name = clean_line(tag).lstrip("# ,;").rstrip(" ,;")
    return name.replace(" ", "-")[:MOST_TAG].rstrip(",;")


@dataclass(frozen=True, slots=True)
class Change:
    """What to do to a mark; None leaves as it is."""

    status: Status | None = None
    starred: bool | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()

    def applied(self, mark: Mark) -> Mark:
        """Return a mark after the change."""
        return Mark(
            self.status or mark.status,
            mark.starred if self.starred is None else self.starred,
            self._tags(mark.tags) if self.add_tags or self.remove_tags else mark.tags,
            mark.changed,
        )

    def _tags(self, before: tuple[str, ...]) -> tuple[str, ...]:
        tags: dict[str, str] = {}
        for tag in (*before, *map(clean_tag, self.add_tags)):
            tags.setdefault(fold(tag), tag)
        removed = {"", *(fold(clean_tag(tag)) for tag in self.remove_tags)}
        return tuple(tag for name, tag in tags.items() if name not in removed)

    @classmethod
    def between(cls, before: Mark, after: Mark) -> Change:
        """Return the change that leads from one mark to another."""
        return cls(
            status=after.status if after.status != before.status else None,
            starred=after.starred if after.starred != before.starred else None,
            add_tags=tuple(tag for tag in after.tags if tag not in before.tags),
            remove_tags=tuple(tag for tag in before.tags if tag not in after.tags),
        )

    def to_document(self) -> Document:
        """Return the change as it is stored."""
        document: Document = {}
        if self.status is not None:
            document["status"] = self.status.value
        if self.starred is not None:
            document["starred"] = self.starred
        if self.add_tags:
            document["add"] = list(self.add_tags)
        if self.remove_tags:
            document["remove"] = list(self.remove_tags)
        return document

    @classmethod
    def of_document(cls, document: Document) -> Change:
        """Return a change that was stored.

        Raises:
            ValueError, TypeError, AttributeError: It is none.
        """
        starred = document.get("starred")
        return cls(
            status=Status(document["status"]) if "status" in document else None,
            starred=None if starred is None else bool(starred),
            add_tags=_texts(document.get("add", [])),
            remove_tags=_texts(document.get("remove", [])),
        )


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError("these are no tags")
    return tuple(map(str, value))


def mark_of(document: Document | None) -> Mark:
    """Return a stored mark, as far as this version understands it."""
    if not document:
        return Mark()
    status, changed = document.get("status"), document.get("changed")
    known = _STATUSES.get(status) if isinstance(status, str) else None
    return Mark(
        known or Status.UNREAD,
        document.get("starred") is True,
        tuple(_tags_of(document)),
        changed if isinstance(changed, str) else None,
    )


def changed_document(
    document: Document, change: Change, now: str
) -> tuple[Document, Change] | None:
    """Return a stored mark after a change, and what leads back; None where nothing is different."""
    before = mark_of(document)
    after = change.applied(before)
    fields: Document = {}
    if change.status is not None and change.status != document.get("status", "unread"):
        fields["status"] = change.status.value
    if after.starred != before.starred:
        fields["starred"] = after.starred
    gained = tuple(tag for tag in after.tags if tag not in before.tags)
    lost = tuple(tag for tag in before.tags if tag not in after.tags)
    if not (fields or gained or lost):
        return None
    times = times_of(document)
    names = [*fields, *(_TAG + fold(tag) for tag in (*gained, *lost))]
    times.update(dict.fromkeys(names, after_time(now, *times.values())))
    back = Change(
        before.status if "status" in fields else None,
        before.starred if "starred" in fields else None,
        add_tags=lost,
        remove_tags=gained,
    )
    return stamped({**document, **fields}, after.tags, times), back


def times_of(document: Document) -> dict[str, str]:
    """Return when each field of a stored mark was last changed, tags taken away among them."""
    changed, at = document.get("changed"), document.get("at")
    time = changed if isinstance(changed, str) else ""
    names = [name for name in document if _is_field(name)]
    names += [_TAG + fold(tag) for tag in _tags_of(document)]
    times = dict.fromkeys(names, time)
    if isinstance(at, dict):
        times.update({name: when for name, when in at.items() if isinstance(when, str)})
    return times


def stamped(document: Document, tags: Iterable[str], times: dict[str, str]) -> Document:
    """Return a mark as it is stored, with the times of its fields."""
    tags = list(tags)
    latest = max(times.values(), default="")
    there = {_TAG + fold(tag) for tag in tags}
    at = {
        name: time
        for name, time in times.items()
        if time != latest or (name.startswith(_TAG) and name not in there)
    }
    kept = {name: value for name, value in document.items() if _is_field(name)}
    if tags:
        kept["tags"] = tags
    kept["changed"] = latest
    if at:
        kept["at"] = at
    return kept


def after_time(now: str, *befores: str) -> str:
    """Return a time that is later than others, whatever the clock says: now, if it is."""
    latest = max(befores, default="")
    if now > latest:
        return now
    try:
        later = datetime.fromisoformat(latest) + timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        return now
    return later.isoformat(timespec="milliseconds")


def joined_marks(mine: Document, theirs: Document) -> Document:
    """Return two states of a mark as one: of each field the newer, whichever is asked first."""
    if mine == theirs:
        return mine
    sides = [(document, times_of(document), _values_of(document)) for document in (mine, theirs)]
    values: Document = {}
    times: dict[str, str] = {}
    for name in dict.fromkeys(name for _, known, _ in sides for name in known):
        _, known, there = max(
            (side for side in sides if name in side[1]),
            key=lambda side: (side[1][name], repr(side[2].get(name))),
        )
        values[name], times[name] = there.get(name), known[name]
    tags = {name: values.pop(name) for name in list(values) if name.startswith(_TAG)}
    order = sorted((times[name], name) for name, tag in tags.items() if tag is not None)
    return stamped(values, (tags[name] for _, name in order), times)


def _values_of(document: Document) -> Document:
    values = {name: value for name, value in document.items() if _is_field(name)}
    return values | {_TAG + fold(tag): tag for tag in _tags_of(document)}


def _is_field(name: str) -> bool:
    return name not in _BESIDE and not name.startswith(_TAG)


def _tags_of(document: Document) -> list[str]:
    tags = document.get("tags")
    return [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []
