"""What the reading screen shows of the library, loaded in one go off the event loop.

Imports neither textual nor rich: it is at work while these are still being imported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anchorlight.store import (
    ORDERS,
    Entry,
    Found,
    Library,
    Overview,
    Rows,
    Status,
)
from anchorlight.store.text import ELLIPSIS

from .keymap import shown

if TYPE_CHECKING:
    from anchorlight.store.query import Text

FIRST_UNREAD = "\0first unread"
"""Stands for a paper's key: whichever is the first one unread."""

AROUND = 60
"""Papers before and behind the current one that are read along with it."""

PATIENCE_SECONDS = 0.3
"""How long an answer may take while the index is being built; it is told what was left out."""

COUNTING_SECONDS = 0.02
"""How long saved searches may be counted while the index is being built."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the reader is: a list, how it is filtered, and a paper in it."""

    name: str
    """The list's identifier; the library's first where it is empty or gone."""
    key: str = ""
    """The current paper; the first one where it is not shown."""
    query: str = ""
    everywhere: bool = False
    """Whether the query looks in the whole library."""
    order: str = ""
    """One of `ORDERS`; the usual one where it is empty."""

    @property
    def usual_order(self) -> str:
        """The order where the reader chose none."""
        return "relevance" if self.everywhere else "list"

    @property
    def sorted_as(self) -> str:
        """What an order is chosen for: a list, or the whole library, which has no name."""
        return "" if self.everywhere else self.name


@dataclass(frozen=True, slots=True)
class View:
    """The library as it is shown at a place.

    Attributes:
        place: Where.
        overview: The lists and their counts.
        title: The list's title.
        entries: The papers shown, filtered or not; those around the current one are in memory.
        index: The current one.
        size: Papers in the list without the filter.
        found: The answer to the query, or to the saved search that is open, if there is one.
        order: The order they are in, one of `ORDERS`.
        titles: Titles of reading lists by their anchor.
    """

    place: Place
    overview: Overview
    title: str
    entries: Rows
    index: int
    size: int
    found: Found | None
    order: str
    titles: dict[str, str]
    unread: int
    """Papers shown that are unread."""
    selected: frozenset[str]
    """Keys of the papers shown that were selected before."""

    @property
    def parts(self) -> tuple[Text, ...]:
        """What to highlight."""
        return self.found.query.highlights() if self.found else ()

    def also_in(self, entry: Entry) -> tuple[str, ...]:
        """Return the titles of the other reading lists a paper stands in."""
        return tuple(
            short_title(self.titles.get(anchor, anchor))
            for anchor in entry.anchors
            if f"anchor:{anchor}" != self.place.name
        )

    @property
    def is_partial(self) -> bool:
        """Whether papers were left out that were not indexed yet."""
        left = [row.left for row in self.overview.searches]
        return any(left) or (self.found is not None and self.found.left > 0)

    def filter_state(self) -> tuple[str, list[str]]:
        """Return what the filter found, or what is wrong with it, and what Tab does."""
        if not self.found or not self.place.query:
            return "", []
        if hint := self.found.query.hint:
            return hint, []
        scope = "in the whole library" if self.place.everywhere else f"of {self.size}"
        plain = "" if self.found.from_index else ", in plain text"
        if self.found.left:
            plain = f"; {self.found.left} not looked at yet"
        tab = "tab this list" if self.place.everywhere else "tab whole library"
        return f"{len(self.entries)} {scope}{plain}", ["ctrl+s save", tab]

    def with_entry(self, entry: Entry) -> View:
        """Return the view with a paper in its new state."""
        before = self.entries.put(entry)
        if before is None:
            return self
        less, more = (one.mark.status is Status.UNREAD for one in (before, entry))
        return replace(self, unread=self.unread - less + more)


def load(library: Library, place: Place, selected: frozenset[str] = frozenset()) -> View:
    """Return what there is to show at a place.

    Args:
        library: The library.
        place: Where.
        selected: Keys of papers that are selected.
    """
    overview = library.overview(patience=COUNTING_SECONDS)
    everything = {row.key: row for row in overview.all}
    if place.name not in everything:  # the anchor may have been joined to another
        kind, _, anchor = place.name.partition(":")
        place = replace(place, name=f"{kind}:{library.present_key(anchor)}")
    if place.name not in everything:
        place = replace(place, name=next(iter(everything)), order="")
    row = everything[place.name]
    order = place.order or place.usual_order
    try:
        found = _found(library, place, order)
        entries = found.entries if found else library.listing(place.name, order)
    except KeyError:  # it was removed this moment
        return load(library, replace(place, name="", order=""), selected)
    size = row.papers if place.query or not found else len(entries)
    index = _index_of(library, entries, place.key)
    entries.load(index - AROUND, index + AROUND)
    return View(
        place=place,
        overview=overview,
        title=row.title,
        entries=entries,
        index=index,
        size=len(library) if place.everywhere else size,
        found=found,
        order=order if found or order != "relevance" else "list",
        titles={one.key.removeprefix("anchor:"): one.title for one in overview.anchors},
        unread=library.count_unread(entries.papers),
        selected=frozenset(library.among(selected, entries.papers)),
    )


def _found(library: Library, place: Place, order: str) -> Found | None:
    """Return what the query finds, or else the saved search that is open."""
    patience = PATIENCE_SECONDS
    if place.query:
        within = None if place.everywhere else place.name
        return library.search(place.query, within, typing=True, order=order, patience=patience)
    if query := library.saved_query(place.name):
        return library.search(query, order=order, patience=patience)
    return None


def _index_of(library: Library, entries: Rows, key: str) -> int:
    """Return where a paper stands, 0 where it is not shown."""
    if key == FIRST_UNREAD:
        return library.next_unread(entries.numbers, 0, 1) or 0
    try:
        return entries.place(library.number(library.present_key(key))) or 0
    except KeyError:
        return 0


@dataclass(frozen=True, slots=True)
class Opening:
    """What the program shows first: the last session's place, or the first anchor.

    Attributes:
        view: The library at that place.
        session: The last session, as it was stored.
        notices: What was found wrong while opening, a sentence each.
    """

    view: View
    session: Mapping[str, object]
    notices: Sequence[str]
    folder: str
    """The library's folder; messages leave it out, for lack of room."""
    read_only: str
    """Why nothing can be written, or an empty string."""

    @classmethod
    def of(cls, library: Library) -> Opening:
        """Load it from a library."""
        session = library.session
        name, key, query = (str(session.get(one) or "") for one in ("list", "paper", "filter"))
        place = Place(name, key, query, session.get("everywhere") is True)
        place = replace(place, order=_orders_in(session).get(place.sorted_as, ""))
        notices = [*library.notices, *filter(None, [library.read_only])]
        folder = str(library.folder)
        return cls(load(library, place), session, notices, folder, library.read_only)

    @property
    def orders(self) -> dict[str, str]:
        """The orders that were chosen, by list."""
        return _orders_in(self.session)

    @property
    def scroll(self) -> int:
        """How far the paper was scrolled, in lines."""
        scroll = self.session.get("scroll")
        return scroll if isinstance(scroll, int) else 0


def _orders_in(session: Mapping[str, object]) -> dict[str, str]:
    orders = session.get("orders")
    if not isinstance(orders, dict):
        return {}
    return {name: order for name, order in orders.items() if str(order) in ORDERS}


def short_title(title: str) -> str:
    """Return the name a title begins with ("Mimose: An Input-Aware …"), else the whole title."""
    name, colon, rest = title.partition(": ")
    is_name = colon and rest and 2 < len(name) <= 24 and name[0] not in "(“"
    return name if is_name else title


def empty_lines(view: View) -> tuple[str, ...]:
    """Return what an empty list says: what is so, and what to do."""
    if view.found and not view.place.query:
        text = view.found.query.text
        return f"No match for “{text}”", "Papers that match show up here as they come in."
    if view.found:
        return (
            f"No match for “{view.place.query}”",
            view.found.query.hint or "",
            "esc clears the filter"
            + ("" if view.place.everywhere else ", tab in the box looks in the whole library"),
        )
    if not any(row.papers for row in view.overview.lists):
        return (
            "This library is empty.",
            "Bring in reading lists, or papers as JSON Lines, from the shell:",
            "anchorlight import FILE",
        )
    if view.place.name.startswith("anchor:"):
        return "No related papers.", "This anchor's list is empty; J opens the next list."
    return "Nothing here yet.", _FILLED_BY.get(view.place.name, "J opens the next list.")


_FILLED_BY = {
    "unread": "Everything is read.",
    "starred": "s puts a star on a paper.",
    "notes": "e writes a note on a paper.",
    "recent": "Papers that you mark show up here, the latest first.",
}


def place_line(view: View, index: int, *, plain: bool = False) -> list[str]:
    """Return where the reader is, as the parts of the status line.

    Args:
        view: What is shown.
        index: The current paper.
        plain: Whether the line is all there is to see.
    """
    if plain and view.entries:
        entry = view.entries.ready(index)
        title = entry.paper.display_title if entry else ELLIPSIS
        return [f"{index + 1}/{len(view.entries)} {title}"]
    parts = [f"{index + 1} of {len(view.entries)}" if view.entries else "0 papers"]
    parts.append(f"{view.unread} unread")
    if view.order != view.place.usual_order:
        parts.append(ORDERS[view.order])
    if view.found and view.found.left and not view.place.query:
        parts.append(f"{view.found.left} not looked at yet")
    if view.place.query:
        found, scope = len(view.entries), "" if view.place.everywhere else f" of {view.size}"
        parts.append(f"filter: {view.place.query} ({found}{scope})")
    return parts


def key_hints(keys: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the few keys that lead to all others, the most needed last."""
    wanted = (("read-on", "read on"), ("filter", "filter"), ("note", "note"), ("help", "keys"))
    return [f"{shown(keys[name][0])} {what}" for name, what in wanted if keys.get(name)]
