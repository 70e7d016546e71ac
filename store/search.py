"""Answers queries from the index, and from the texts themselves where the index is behind.

A paper is dirty from the moment its texts change until the index holds them. Dirty papers are
scanned, all others are looked up, so an answer never waits for the index and never misses
anything; before the index is built every paper is dirty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from pathlib import Path
from threading import Lock

from .index import FIELD_WEIGHTS, IndexUnusableError, TextIndex, stamp
from .match import Fields, matches, spans
from .query import Text

Progressing = Callable[[int, int], None]
"""Is told how many papers are done, and how many are to be done."""

BATCH = 500
"""Papers indexed in one commit."""


class Search:
    """Full-text search over a library.

    Args:
        folder: Where the index lies.
        texts: Gives a paper's texts by its key.
        keys: Gives the keys of all papers.
    """

    def __init__(
        self, folder: Path, texts: Callable[[str], Fields], keys: Callable[[], Set[str]]
    ) -> None:
        self._folder = folder
        self._texts = texts
        self._keys = keys
        self._index: TextIndex | None = None
        self._guard = Lock()
        self._updating = Lock()
        self._dirty: dict[str, int] = {}
        self._serial = 0
        self.ready = False
        """Whether the index was whole once; papers that changed since are scanned beside it."""
        self.problem = ""
        """Why there is no index, if there cannot be one."""

    @property
    def pending(self) -> int:
        """How many papers the index does not hold in their present state."""
        return len(self._dirty) if self._index else len(self._keys())

    def touch(self, keys: Iterable[str]) -> None:
        """Note that papers' texts changed."""
        with self._guard:
            self._serial += 1
            self._dirty.update(dict.fromkeys(keys, self._serial))

    def close(self) -> None:
        """Close the index."""
        with self._guard:
            index, self._index = self._index, None
            if index:
                index.close()

    def open(self) -> None:
        """Open the index and find out which papers it does not hold as they are.

        Raises:
            IndexUnusableError: There is none to be trusted.
        """
        index = TextIndex(self._folder)
        known = index.open()
        keys = self._keys()
        dirty = [key for key in keys if known.get(key) != stamp(self._texts(key))]
        dirty += known.keys() - keys
        self._install(index, dirty, whole=not dirty)

    def examined(self) -> tuple[bool, str]:
        """Return whether the index is as it should be, and a word on its state; build nothing."""
        if not self._folder.exists():
            return True, "not there yet; it is built when it is needed"
        if not self._index:
            try:
                self.open()
            except IndexUnusableError as error:
                return False, f"cannot be used ({error.message})"
        held = len(self._keys()) - self.pending
        return not self.problem, self.problem or f"holds {held} of {len(self._keys())} papers"

    def refresh(self, progress: Progressing | None = None) -> None:
        """Bring the index up to date, building it where there is none. May take long.

        Args:
            progress: Called with the number of papers done and to be done.
        """
        with self._updating:
            if not self._index:
                self._open_or_create()
            index = self._index
            if not index:
                return
            try:
                self._update(index, progress)
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
        index = TextIndex(self._folder)
        try:
            index.create()
        except IndexUnusableError as error:
            self.problem = f"There is no search index: {error.message}."
            return
        self._install(index, self._keys(), whole=False)
        self.problem = ""

    def _install(self, index: TextIndex, dirty: Iterable[str], *, whole: bool) -> None:
        with self._guard:
            self.ready = whole
            self._serial += 1
            for key in dirty:
                self._dirty.setdefault(key, self._serial)
            self._index = index

    def _update(self, index: TextIndex, progress: Progressing | None) -> None:
        with self._guard:
            todo = list(self._dirty.items())
        keys = self._keys()
        for start in range(0, len(todo), BATCH):
            batch = todo[start : start + BATCH]
            present = {key: self._texts(key) for key, _ in batch if key in keys}
            done = index.update(present, [key for key, _ in batch if key not in keys])
            if not done:
                return
            with self._guard:
                for key, serial in batch:
                    if self._dirty.get(key) == serial:
                        del self._dirty[key]
            if progress:
                progress(min(start + BATCH, len(todo)), len(todo))
        self.ready = True

    def matching(self, part: Text) -> set[str]:
        """Return the keys of the papers that match a part of a query."""
        with self._guard:
            index, dirty = self._index, set(self._dirty)
            keys = self._keys()
            found: set[str] = set()
            if index:
                try:
                    found = index.matching(part, keys - dirty, self._texts)
                except Exception as error:
                    self._give_up(error)
                    index = None
        rest = keys & dirty if index else keys
        return found | {key for key in rest if matches(part, self._texts(key))}

    def _give_up(self, error: Exception) -> None:
        """Go on without an index that went bad under us: the texts still answer."""
        if self._index:
            self._index.close()
        self._index, self.ready = None, False
        self.problem = f"The search index cannot be read ({error})."

    def ranked(self, parts: Iterable[Text], keys: Set[str]) -> list[str]:
        """Return papers, those that fit the words of a query best first."""
        parts = tuple(parts)
        with self._guard:
            scores: dict[str, float] = {}
            if self._index and parts:
                try:
                    scores = self._index.scores(parts, keys - self._dirty.keys())
                except Exception as error:
                    self._give_up(error)
        for key in keys - scores.keys():
            scores[key] = _plain_score(parts, self._texts(key))
        return sorted(keys, key=lambda key: (-scores[key], key))


def _plain_score(parts: Iterable[Text], fields: Fields) -> float:
    """Weigh matches by field and length: the order of BM25 without a collection's statistics."""
    return sum(
        FIELD_WEIGHTS[name] * found / (found + 1.2) / (1 + len(text) / 2000)
        for part in parts
        for name, text in fields.items()
        if part.field in (None, name) and (found := len(spans(part, text)))
    )
