"""Answers queries from the index, and from the texts themselves where the index is behind.

A paper is stale from the moment its texts change until the index holds them as they are. Stale
papers are scanned, all others are looked up, so an answer never waits for the index and never
misses anything; before the index is built every paper is stale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from threading import Lock
from time import monotonic

from .bits import bits_of, numbers_in
from .index import FIELD_WEIGHTS, Document, IndexUnusableError, State, TextIndex, build, own_digest
from .match import Fields, matches, spans
from .query import Text, Word
from .texts import Texts

Progressing = Callable[[int, int], None]
"""Is told how many papers are done, and how many are to be done."""

FEW = 1000
"""So many papers are indexed in one go; more are left to processes of their own."""

BEST = 100
"""How many papers of an answer are put in order by how well they fit; the others follow."""

_MOST_SCANNED_FOR_ORDER = 500


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
        self._index: TextIndex | None = None
        self._guard = Lock()
        self._updating = Lock()
        self._own: dict[int, int] = {}
        self._stale = 0
        """Papers the index does not hold as they are; some may not be there any more."""
        self._touched = 0
        """Papers that changed since the index was last compared with them."""
        self.ready = False
        """Whether the index was whole once; papers that changed since are scanned beside it."""
        self.problem = ""
        """Why there is no index, if there cannot be one."""

    @property
    def pending(self) -> int:
        """How many papers the index does not hold in their present state."""
        here = self._texts.columns.here
        return (here & self._stale if self._index else here).bit_count()

    def touch(self, papers: int) -> None:
        """Note that papers' texts changed."""
        numbers = numbers_in(papers)
        own = self._texts.own(numbers) if self._index else {}
        with self._guard:
            self._stale |= papers
            self._touched |= papers
            for number in numbers:
                self._own.pop(number, None)
            self._own.update({number: own_digest(one) for number, one in own.items()})

    def renew(self) -> None:
        """Begin with the papers as they are numbered now."""
        with self._updating:
            self._look_at_own()
            if index := self._index:
                index.place(self._state())
                self._install(index)

    def close(self) -> None:
        """Close the index."""
        with self._guard:
            index, self._index = self._index, None
            if index:
                index.close()

    # Keeping the index

    def open(self) -> None:
        """Open the index and find out which papers it does not hold as they are.

        Raises:
            IndexUnusableError: There is none to be trusted.
        """
        self._look_at_own()
        index = TextIndex(self._folder)
        index.open(self._state())
        self._install(index)
        self.ready = not self.pending

    def _look_at_own(self) -> None:
        own = self._texts.own()
        with self._guard:
            self._own = {number: own_digest(one) for number, one in own.items()}
            self._touched = 0

    def _state(self) -> State:
        with self._guard:
            return State(self._texts.columns.digests[:], dict(self._own))

    def _install(self, index: TextIndex) -> None:
        """Answer from an index from now on; what was touched meanwhile counts as stale."""
        with self._guard:
            self._stale = self._texts.columns.here & ~index.known | self._touched
            self._index = index

    def examined(self) -> tuple[bool, str]:
        """Return whether the index is as it should be, and a word on its state; build nothing."""
        if not self._folder.exists():
            return True, "not there yet; it is built when it is needed"
        if not self._index:
            try:
                self.open()
            except IndexUnusableError as error:
                return False, f"cannot be used ({error.message})"
        count = self._texts.columns.here.bit_count()
        return not self.problem, self.problem or f"holds {count - self.pending} of {count} papers"

    def refresh(self, progress: Progressing | None = None, *, processes: int = 2) -> None:
        """Bring the index up to date, building it where there is none. May take long.

        Args:
            progress: Called with the number of papers done and to be done.
            processes: How many may work at once where there is much to do.
        """
        with self._updating:
            if not self._index:
                self._open_or_create()
            index = self._index
            if not index:
                return
            try:
                if not index.is_current:
                    index.open(self._state())
                    self._install(index)
                with index.writing() as alone:
                    if alone:  # otherwise another program is at it
                        self._update(index, progress, processes)
            except Exception as error:  # Whoosh raises nearly anything on damage or a full disk
                self.close()
                self.problem = f"The search index cannot be written ({error})."

    def rebuild(self, progress: Progressing | None = None) -> None:
        """Build the index anew, whatever there is."""
        self.close()
        with self._updating:
            self._create()
        self.refresh(progress)

    def _open_or_create(self) -> None:
        try:
            if self.problem:  # it went bad under us
                raise IndexUnusableError(self.problem)
            self.open()
        except IndexUnusableError:
            self._create()

    def _create(self) -> None:
        self._look_at_own()
        index = TextIndex(self._folder)
        try:
            index.create()
        except IndexUnusableError as error:
            self.problem = f"There is no search index: {error.message}."
            return
        self._install(index)
        self.ready = False
        self.problem = ""

    def _update(self, index: TextIndex, progress: Progressing | None, processes: int) -> None:
        with self._guard:
            todo = self._stale & self._texts.columns.here & ~self._without_line()
            self._touched = 0
        if not todo:
            self.ready = True
            return
        todo |= index.to_rewrite(todo.bit_count())
        if todo.bit_count() > FEW:
            state = self._state()
            source = self._texts.source(numbers_in(todo))
            for done in build(index, source, todo, state, processes):
                self._install(index)
                if progress:
                    progress(done, todo.bit_count())
        else:
            state, documents = self._state(), [*map(self._document, numbers_in(todo))]
            index.update(documents, todo, state)
            self._install(index)
            if progress:
                progress(len(documents), len(documents))
        self.ready = True

    def _without_line(self) -> int:
        """Return papers that no line of the file is about: these are always scanned."""
        digests = self._texts.columns.digests
        return bits_of([at for at, digest in enumerate(digests) if not digest], len(digests))

    def _document(self, number: int) -> Document:
        columns = self._texts.columns
        return Document(
            columns.keys[number],
            columns.digests[number],
            self._own.get(number, 0),
            self._texts.fields(number),
        )

    # Asking

    def matching(self, part: Text, among: int, asking: Asking) -> int:
        """Return the papers among some that match a part of a query."""
        with self._guard:
            index, stale = self._index, self._stale
        found = 0
        if index:
            try:
                found = index.matching(part) & ~stale & among
            except Exception as error:  # whatever damage may lead to: the texts still answer
                self._give_up(index, error)
                index = None
        return found | self._scan(part, stale & among if index else among, asking)

    def _scan(self, part: Text, papers: int, asking: Asking) -> int:
        numbers, found = numbers_in(papers), []
        for at, number in enumerate(numbers):
            if asking.deadline is not None and monotonic() > asking.deadline:
                asking.left |= bits_of(numbers[at:], len(self._texts.columns))
                break
            if matches(part, self._texts.fields(number)):
                found.append(number)
        return bits_of(found, len(self._texts.columns))

    def _give_up(self, index: TextIndex, error: Exception) -> None:
        """Go on without an index that went bad under us."""
        with self._guard:
            if self._index is index:
                self._index, self.ready = None, False
                self.problem = f"The search index cannot be read ({error})."
        index.close()

    def ranked(self, parts: Sequence[Text], papers: int) -> list[int]:
        """Return the papers among some that fit the words of a query best, the best first.

        These are at most `BEST`; others may fit as well.
        """
        with self._guard:
            index, stale = self._index, self._stale
        scores: list[tuple[int, float]] = []
        if index:
            try:
                scores = index.best(parts, papers & ~stale, BEST)
            except Exception as error:
                self._give_up(index, error)
                stale = papers
        rest = numbers_in(papers & stale if index else papers)
        scores += (
            (number, _plain_score(parts, self._texts.fields(number)))
            for number in islice(rest, _MOST_SCANNED_FOR_ORDER)
        )
        scores.sort(key=lambda one: (-one[1], one[0]))
        return [number for number, _ in scores[:BEST]]

    def suggestion(self, parts: Iterable[Text]) -> tuple[str, str] | None:
        """Return a word of a query that occurs nowhere, and the nearest one that does."""
        index = self._index
        if not index or not self.ready:
            return None
        for part in parts:
            if isinstance(part, Word) and not index.matching(part):
                try:
                    near = index.nearest(part.text)
                except Exception:  # an index gone bad suggests nothing
                    return None
                if near:
                    return part.text, near
        return None


def _plain_score(parts: Iterable[Text], fields: Fields) -> float:
    """Weigh matches by field and length: the order of BM25 without a collection's statistics."""
    return sum(
        FIELD_WEIGHTS[name] * found / (found + 1.2) / (1 + len(text) / 2000)
        for part in parts
        for name, text in fields.items()
        if part.field in (None, name) and (found := len(spans(part, text)))
    )
