"""Answers queries from the index, and from the texts themselves where the index is behind.

A paper is stale from the moment its texts change until the index holds them as they are. Stale
papers are scanned, all others are looked up, so an answer never waits for the index and never
misses anything; before the index is built every paper is stale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from operator import not_
from pathlib import Path
from threading import Lock
from time import monotonic

from .bits import bits_of, bits_where, numbers_in
from .files import reason
from .index import (
    FIELD_WEIGHTS,
    Committed,
    Document,
    IndexUnusableError,
    State,
    TextIndex,
    Workers,
    build,
    own_digest,
)  # fmt: skip
from .match import Fields, matches, spans
from .query import Text, Word
from .texts import Own, Texts

Progressing = Callable[[int, int], None]
"""Is told how many papers are done, and how many are to be done."""

FEW = 1000
"""So many papers are indexed in one go; more are left to processes of their own."""

BEST = 100
"""How many papers of an answer are put in order by how well they fit; the others follow."""

_MOST_SCANNED_FOR_ORDER = 500

_SUGGESTING = 0.05
"""Seconds to make sure that a word occurs in no paper that is not indexed yet."""

_MOST_TRIES = 3
"""Times that an update begins anew, as papers may be numbered anew under it."""


@dataclass
class Asking:
    """One search: what it may take, and what it had to leave out.

    Attributes:
        deadline: When it has to be done (`monotonic`); None is never.
        left: Stale papers that there was no time to look at.
    """

    deadline: float | None = None
    left: int = field(default=0)


class Search:
    """Full-text search over a library.

    Args:
        folder: Where the index lies.
        texts: The texts.
    """

    def __init__(self, folder: Path, texts: Texts) -> None:
        self._folder = folder
        self._texts = texts
        self._updating = Lock()
        """Held by the one thread that keeps the index."""
        self._index: TextIndex | None = None
        self._workers: Workers | None = None
        self._guard = Lock()
        """Held for moments, to read or set all that follows together."""
        self._committed: Committed | None = None
        """The state of the index that answers; None while there is none for these papers."""
        self._own: dict[int, int] = {}
        self._stale = 0
        """Papers the index does not hold as they are; some may not be there any more."""
        self._touched = 0
        """Papers that changed since the index was last compared with them."""
        self._renewed = False
        self._closed = False
        self.ready = False
        """Whether the index was whole once; papers that changed since are scanned beside it."""
        self.problem = ""
        """Why there is no index, if there cannot be one."""

    @property
    def pending(self) -> int:
        """How many papers the index does not hold in their present state."""
        here = self._texts.columns.here
        return (here & self._stale if self._committed else here).bit_count()

    def touch(self, papers: int) -> None:
        """Note that papers' texts changed."""
        numbers = numbers_in(papers)
        own = self._texts.own(numbers)
        with self._guard:
            self._stale |= papers
            self._touched |= papers
            for number in numbers:
                self._own.pop(number, None)
            self._own.update({number: own_digest(one) for number, one in own.items()})

    def renew(self) -> None:
        """Begin with the papers as they are numbered now.

        Where the index is being updated just now, that begins anew; the texts answer meanwhile.
        """
        with self._guard:
            self._committed, self._renewed, workers = None, True, self._workers
        if workers:
            workers.stop()
        if self._updating.acquire(blocking=False):  # who updates may wait for what we hold
            try:
                if self._index and self._index.is_open:
                    self._look_again(self._index)
            except Exception as error:  # whatever damage may lead to: `refresh` looks at it
                self.problem = _sentence("read", error)
            finally:
                self._updating.release()

    def close(self) -> None:
        """Answer from the texts alone from now on; an update that is under way is given up."""
        with self._guard:
            self._closed, self._committed, self._index = True, None, None
            workers = self._workers
        if workers:
            workers.stop()

    # Keeping the index. But for `renew`, all of it happens on one thread at a time.

    def open(self) -> None:
        """Open the index and find out which papers it does not hold as they are.

        Raises:
            IndexUnusableError: There is none to be trusted.
        """
        self._index = TextIndex(self._folder)
        self._look_again(self._index)
        self.ready = not self.pending

    def _look_at_own(self) -> None:
        with self._guard:
            self._touched, self._renewed = 0, False  # first: what is touched from now on is newer
        own = {number: own_digest(one) for number, one in self._texts.own().items()}
        with self._guard:
            for number in numbers_in(self._touched):
                own.pop(number, None)
                if number in self._own:
                    own[number] = self._own[number]
            self._own = own

    def _state(self) -> State:
        with self._guard:
            return State(self._texts.columns.digests[:], dict(self._own))

    def _look_again(self, index: TextIndex) -> None:
        """Find out what an index holds of the papers as they are now."""
        self._look_at_own()
        index.open(self._state())
        self._install(index)

    def _install(self, index: TextIndex) -> None:
        """Answer from what an index committed; what was touched meanwhile counts as stale."""
        with self._guard:
            if not self._renewed and not self._closed:
                self._stale = self._texts.columns.here & ~index.committed.known | self._touched
                self._committed = index.committed

    def examined(self) -> tuple[bool, str]:
        """Return whether the index is as it should be, and a word on its state; build nothing."""
        if not self._folder.exists():
            return True, "not there yet; it is built when it is needed"
        if not self._committed and self._updating.acquire(blocking=False):
            try:
                self.open()
            except IndexUnusableError as error:
                return False, f"cannot be used ({error.message})"
            finally:
                self._updating.release()
        count = self._texts.columns.here.bit_count()
        return not self.problem, self.problem or f"holds {count - self.pending} of {count} papers"

    def refresh(self, progress: Progressing | None = None, *, processes: int = 2) -> None:
        """Bring the index up to date, building it where there is none. May take long.

        Args:
            progress: Called with the number of papers done and to be done.
            processes: How many may work at once where there is much to do.
        """
        with self._updating:
            for _ in range(_MOST_TRIES):
                if self._closed or not self._refresh(progress, processes):
                    break

    def _refresh(self, progress: Progressing | None, processes: int) -> bool:
        """Update the index, and tell whether to begin anew."""
        try:
            if self.problem or not self._index or not self._index.is_open:
                self._open_or_create()
            index = self._index
            if not index or not index.is_open:
                return False
            with index.writing() as alone:
                if not self._committed or not index.is_current:
                    self._look_again(index)
                if alone:  # otherwise another program is at it
                    index.check()
                    self._update(index, progress, processes)
            self.problem = ""
        except IndexUnusableError:
            self._create()
            return True
        except Exception as error:  # Whoosh raises nearly anything on damage or a full disk
            if not self._renewed and not self._closed:
                self.problem = _sentence("written", error)
        return self._renewed

    def rebuild(self, progress: Progressing | None = None) -> None:
        """Build the index anew, whatever there is."""
        with self._updating:
            self._create()
        self.refresh(progress)

    def _open_or_create(self) -> None:
        try:
            self.open()
        except IndexUnusableError:
            self._create()

    def _create(self) -> None:
        with self._guard:
            self._committed, self.ready = None, False
        self._look_at_own()
        index = TextIndex(self._folder)
        try:
            made = index.create()
        except IndexUnusableError as error:
            self._index, self.problem = None, f"There is no search index: {error.message}."
            return
        self.problem = ""
        self._index = index if made else None  # else another program is making one
        if made:
            self._install(index)

    def _update(self, index: TextIndex, progress: Progressing | None, processes: int) -> None:
        with self._guard:
            to_index = self._texts.columns.here & ~self._without_line()
            todo = self._stale & to_index
            self._touched = 0
        if not todo:
            self.ready = True
            return
        # Among those that were indexed before some may be gone by now.
        todo |= index.to_rewrite(todo.bit_count()) & to_index
        if todo.bit_count() > FEW:
            self._build(index, todo, progress, processes)
        else:
            documents = [*map(self._document, numbers_in(todo))]
            index.update(documents, todo, self._state())
            self._install(index)
            if progress:
                progress(len(documents), len(documents))
        self.ready = True

    def _build(
        self, index: TextIndex, todo: int, progress: Progressing | None, processes: int
    ) -> None:
        state, source = self._state(), self._texts.source(numbers_in(todo))
        with self._guard:
            if self._closed or self._renewed:
                return
            workers = self._workers = Workers(processes)
        with closing(build(index, source, todo, state, workers)) as building:
            for done in building:
                self._install(index)
                if progress:
                    progress(done, todo.bit_count())

    def _without_line(self) -> int:
        """Return papers that no line of the file is about: these are always scanned."""
        return bits_where(bytes(map(not_, self._texts.columns.digests)))

    def _document(self, number: int) -> Document:
        key, line, fields = self._texts.document(number)
        return Document(key, line, own_digest(Own(fields["tags"], fields["note"])), fields)

    # Asking

    def matching(self, part: Text, among: int, asking: Asking) -> int:
        """Return the papers among some that match a part of a query."""
        with self._guard:
            committed, stale = self._committed, self._stale
        found = 0
        if committed:
            try:
                found = committed.matching(part) & ~stale & among
            except Exception as error:  # whatever damage may lead to: the texts still answer
                self._give_up(committed, error)
                committed = None
        return found | self._scan(part, stale & among if committed else among, asking)

    def _scan(self, part: Text, papers: int, asking: Asking) -> int:
        numbers, found = numbers_in(papers), []
        for at, number in enumerate(numbers):
            if asking.deadline is not None and monotonic() > asking.deadline:
                asking.left |= bits_of(numbers[at:], len(self._texts.columns))
                break
            if matches(part, self._texts.fields(number)):
                found.append(number)
        return bits_of(found, len(self._texts.columns))

    def _give_up(self, committed: Committed, error: Exception) -> None:
        """Go on without an index that went bad under us."""
        with self._guard:
            if self._committed is committed:
                self._committed, self.ready = None, False
                self.problem = _sentence("read", error)

    def ranked(self, parts: Sequence[Text], papers: int) -> list[int]:
        """Return the papers among some that fit the words of a query best, the best first.

        These are at most `BEST`; others may fit as well.
        """
        with self._guard:
            committed, stale = self._committed, self._stale
        scores: list[tuple[int, float]] = []
        if committed:
            try:
                scores = committed.best(parts, papers & ~stale, BEST)
            except Exception as error:
                self._give_up(committed, error)
                stale = papers
        rest = numbers_in(papers & stale if committed else papers)
        scores += (
            (number, _plain_score(parts, self._texts.fields(number)))
            for number in islice(rest, _MOST_SCANNED_FOR_ORDER)
        )
        scores.sort(key=lambda one: (-one[1], one[0]))
        return [number for number, _ in scores[:BEST]]

    def suggestion(self, parts: Iterable[Text]) -> tuple[str, str] | None:
        """Return a word of a query that occurs nowhere, and the nearest one that does."""
        with self._guard:
            committed, stale = self._committed, self._stale
        if not committed or not self.ready:
            return None
        try:
            for part in parts:
                if (
                    isinstance(part, Word)
                    and not committed.matching(part)
                    and not self._scan(part, stale, Asking(monotonic() + _SUGGESTING))
                    and (near := committed.nearest(part.text))
                ):
                    return part.text, near
        except Exception as error:  # whatever damage may lead to
            self._give_up(committed, error)
        return None


def _sentence(done: str, error: Exception) -> str:
    what = reason(error) if isinstance(error, OSError) else str(error) or type(error).__name__
    return f"The search index cannot be {done} ({what})."


def _plain_score(parts: Iterable[Text], fields: Fields) -> float:
    """Weigh matches by field and length: the order of BM25 without a collection's statistics."""
    return sum(
        FIELD_WEIGHTS[name] * found / (found + 1.2) / (1 + len(text) / 2000)
        for part in parts
        for name, text in fields.items()
        if part.field in (None, name) and (found := len(spans(part, text)))
    )
