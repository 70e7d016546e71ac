"""From what was typed to the papers it finds, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime

from .bits import OnDemand, bits_of
from .facts import Facts
from .lists import Members
from .match import evaluate
from .orders import Orders
from .paper import Entry, Progress
from .parser import parse
from .query import Fact, Query
from .rows import Found, Rows
from .search import Asking, Search
from .searches import PREFIX


class Finder:
    """Answers queries.

    Args:
        search: Gives the papers that a word is in.
        facts: Gives the papers that a fact holds for.
        orders: Puts papers in order.
        read: Reads a paper by its number.
        guard: Held while facts are looked up.
    """

    def __init__(
        self,
        search: Search,
        facts: Facts,
        orders: Orders,
        read: Callable[[int], Entry],
        guard: AbstractContextManager[object],
    ) -> None:
        self._read = read
        self._search = search
        self._facts = facts
        self._orders = orders
        self._guard = guard

    def find(
        self,
        text: str,
        members: Members,
        now: datetime,
        *,
        typing: bool,
        order: str,
        deadline: float | None,
    ) -> Found:
        """Return the papers that a query finds. No query raises.

        Args:
            text: The query.
            members: The papers that count.
            now: The time.
            typing: Whether the query is still being typed, so that its last word counts as a
                beginning too. A query without anything to search for then finds everything.
            order: One of `orders.ORDERS`.
            deadline: When to leave out the rest of the papers that are not indexed yet
                (`monotonic`); None is never.
        """
        query = parse(text, typing=typing, now=now)
        from_index = self._search.ready
        papers, left = self._answer(query, members.papers, deadline)
        if query.node is None and typing:
            papers = members.papers
        left |= members.left
        if not papers and not left:
            query = self._with_suggestion(query)
        numbers = self._in_order(papers, members, query, order)
        entries = Rows(numbers, papers, self._read)
        return Found(query, entries, from_index, left.bit_count())

    def members(self, text: str, among: int, now: datetime, deadline: float | None) -> Members:
        """Return the papers that a saved search finds, as those of a list.

        Args:
            text: The query.
            among: The papers that count.
            now: The time.
            deadline: As in `find`.
        """
        return Members.of(*self._answer(parse(text, now=now), among, deadline))

    def counts(
        self,
        searches: Mapping[str, str],
        among: int,
        unread: int,
        now: datetime,
        deadline: float | None,
    ) -> list[Progress]:
        """Return saved searches as lists with their counts.

        Args:
            searches: The queries by name.
            among: The papers that count.
            unread: Those that are unread.
            now: The time.
            deadline: As in `find`.
        """
        rows, left = [], 0
        for name, text in searches.items():
            papers = 0
            if not left:  # else the time was up before, and this one's papers are many as well
                papers, left = self._answer(parse(text, now=now), among, deadline)
            found, open_ = papers.bit_count(), (papers & unread).bit_count()
            rows.append(Progress(PREFIX + name, name, found, open_, left.bit_count()))
        return rows

    def _answer(self, query: Query, among: int, deadline: float | None) -> tuple[int, int]:
        """Return the papers that a query finds, and those that there was no time to look at."""
        if query.node is None:
            return 0, 0
        asking = Asking(deadline)
        papers = evaluate(
            query.node,
            among,
            lambda part, among: self._search.matching(part, among, asking),
            self._having,
        )
        return papers & ~asking.left, asking.left

    def _having(self, fact: Fact) -> int:
        with self._guard:
            return self._facts.having(fact)

    def _with_suggestion(self, query: Query) -> Query:
        if query.hint or not (found := self._search.suggestion(query.highlights())):
            return query
        word, near = found
        return replace(query, hint=f"“{word}” occurs nowhere; did you mean “{near}”?")

    def _in_order(self, papers: int, members: Members, query: Query, order: str) -> Sequence[int]:
        if order != "relevance":
            numbers = members.among(papers)
            with self._guard:
                return self._orders.ordered(numbers, order)
        best = self._search.ranked(query.highlights(), papers)
        others = papers & ~bits_of(best, papers.bit_length())
        count = len(best) + others.bit_count()
        return OnDemand(best, count, lambda: [*best, *members.among(others)])
