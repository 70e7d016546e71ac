"""An open library: its folder, its files and their lock, and what others write to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from . import naming
from .bits import bits_of
from .catalogue import Catalogue
from .columns import Columns
from .copies import BACKUPS, Copies
from .errors import CannotOpenError, CannotReadError, NotSavedError, ReadOnlyError
from .files import Lock, reason
from .folder import RESTORING, prepare
from .lists import Lists
from .marked import Marked
from .marks import Marks
from .orders import Orders
from .paper import Entry, Paper
from .session import read_session, write_session

if TYPE_CHECKING:
    from .doctor import Check
    from .finding import Finder
    from .search import Search


class Opened:
    """A library that is open: its files, and what other programs do to them.

    It is made as `Library` says.
    """

    def __init__(
        self,
        folder: Path,
        index_root: Path,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        seeds: Path | None = None,
        may_write: bool = True,
        needs_locks: bool = True,
    ) -> None:
        self.folder = folder
        self._clock = clock
        self._guard = RLock()
        self._lock = Lock(folder / "lock", needed=needs_locks)
        self._restoring = folder / RESTORING
        with ExitStack() as undoing:
            try:
                state = prepare(folder, self._now(), self._lock, may_write=may_write)
                self._columns_path = index_root / f"{state.library_id}.papers"
                self._catalogue = Catalogue(folder / "papers.jsonl", self._columns_path)
                undoing.callback(self._catalogue.close)
                self._marks = Marks(folder / "marks.json", Copies(folder / BACKUPS, clock))
                undoing.callback(self._marks.close)
            except OSError as error:
                where = error.filename or folder
                raise CannotOpenError(f"Cannot read {where}: {reason(error)}.") from error
            self.read_only = state.read_only
            """Why nothing can be written, or an empty string."""
            self._version = state.version
            self._notices = [*state.notices]
            self._index_folder = index_root / state.library_id
            self._number()
            self._session, notice = read_session(
                folder / "session.json", may_rename=not self.read_only
            )
            if notice:
                self.tell(notice)
            if state.is_new and not self.read_only:
                self._begin(seeds)
            else:
                self._look_after()
            undoing.pop_all()

    def _begin(self, seeds: Path | None) -> None:
        """Store the first papers, or that there are none; from then on it is not new."""
        raise NotImplementedError

    def _look_after(self) -> None:
        """Put right what is not as it should be, and tell what cannot be."""
        if self._marks.is_damaged and self.read_only:
            if not self._lock.is_held:
                self._marks.poll()  # an end that is unfinished still is not being written
        elif self._marks.is_damaged:
            try:
                with self._writing():
                    self._marks.compact()
            except NotSavedError as error:
                self.tell(f"It could not be put right: {error.message}")
        if self._catalogue.size < self._marks.papers_bytes:
            self._changed(self._catalogue.poll())  # what was written between the two readings
        self._look_at_papers()

    def _look_at_papers(self) -> None:
        """Tell where papers are fewer than they should be."""
        path, size, known = self._catalogue.path, self._catalogue.size, self._marks.papers_bytes
        if not self._catalogue.papers and any(self._marks.marked()):
            self.tell(f"{path} holds no papers, yet there are marks on some.")
        elif size < known:
            self.tell(
                f"{path} is shorter than it was ({size} of {known} bytes): papers may be missing."
            )

    def _number(self) -> None:
        """Begin with the papers as they are numbered now."""
        self._columns = self._catalogue.columns
        self._marked = Marked(self._columns, self._marks)
        self._lists = Lists(self._catalogue, self._marked)
        self._orders = Orders(self._columns, self._marked)
        self.__dict__.pop("_finder", None)

    def _now(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="milliseconds")

    def close(self) -> None:
        """Fold the journal of marks into one file and close everything."""
        with self._guard:
            if not self.read_only:
                try:
                    with self._lock.held():
                        self._marks.poll()
                        self._marks.compact()
                except (OSError, NotSavedError):
                    pass  # the journal holds everything; the next one to leave folds it
            if "_search" in self.__dict__:
                self._search.close()
            self._catalogue.keep_columns()
            self._catalogue.keep_known()
            self._marks.close()
            self._catalogue.close()

    @property
    def notices(self) -> list[str]:
        """What was found wrong while opening or reading, a sentence each."""
        return [*self._notices, *self._catalogue.notices, *self._marks.notices]

    def tell(self, sentence: str) -> None:
        """Add to the notices, once."""
        if sentence not in self._notices:
            self._notices.append(sentence)

    @cached_property
    def _search(self) -> Search:
        from .search import Search
        from .texts import Texts

        return Search(self._index_folder, Texts(self._catalogue, self._marks, self._guard))

    @cached_property
    def _finder(self) -> Finder:
        from .facts import Facts
        from .finding import Finder

        facts = Facts(self._catalogue, self._marked, self._lists)
        read = partial(self._read, self._columns)
        return Finder(self._search, facts, self._orders, read, self._guard)

    def _read(self, columns: Columns, number: int) -> Entry:
        """Return a paper by the number it had in columns, an empty record for one that is gone."""
        with self._guard:
            try:
                return self.entry(columns.keys[number])
            except KeyError:
                return Entry(Paper(""))

    def entry(self, key: str) -> Entry:
        """Return a paper with its marks and note.

        A paper whose line cannot be read any more is an empty record, and that is told.

        Raises:
            KeyError: There is no such paper.
        """
        with self._guard:
            try:
                paper = self._catalogue.papers[key]
            except OSError as error:
                self.tell(f"{self._catalogue.path} cannot be read any more: {reason(error)}.")
                paper = Paper(key)
            return Entry(
                paper,
                self._marks.mark(key),
                self._marks.note(key),
                self._catalogue.anchors_of(key),
            )

    def _follow(self) -> None:
        """Begin anew where the file of papers was read anew, and numbers its papers differently."""
        if self._catalogue.columns is not self._columns:
            self._number()
            if "_search" in self.__dict__:
                self._search.renew()

    def _changed(self, keys: Iterable[str], *, texts: bool = True) -> None:
        """Take in that papers, or the marks on them, are different now.

        Args:
            keys: The papers.
            texts: Whether what is searched may be different; a search not yet begun finds that
                out by itself.
        """
        self._follow()
        keys = [*keys]
        if not keys:
            return
        self._marked.update(keys)
        if texts and "_search" in self.__dict__:
            numbers = [*self._columns.numbers(keys)]
            self._search.touch(bits_of(numbers, len(self._columns)))

    @contextmanager
    def _writing(self) -> Iterator[str]:
        """Hold the library for one write, knowing what others wrote, and give the time."""
        with self._guard:
            if self.read_only:
                raise ReadOnlyError(f"Not saved: {self.read_only}")
            with self._lock.held():
                try:
                    if self._restoring.is_dir():
                        from .archive import finish_restoring

                        finish_restoring(self.folder)  # or it would replace what is written now
                    self._poll()
                    yield self._now()
                except OSError as error:
                    where = error.filename2 or error.filename or self.folder
                    raise NotSavedError(
                        f"Not saved: {where} cannot be written: {reason(error)}."
                    ) from error
                finally:
                    self._catalogue.drop_staged()
                    self._follow()

    def refresh(self) -> bool:
        """Take in what other programs wrote; tell whether there was anything.

        Raises:
            CannotReadError: It cannot be read.
        """
        with self._guard:
            searches = self._marks.searches
            try:
                return self._poll() or self._marks.searches != searches
            except OSError as error:
                where = error.filename or self.folder
                raise CannotReadError(
                    f"{where} cannot be read any more: {reason(error)}."
                ) from error

    def _poll(self) -> bool:
        marked = self._marks.poll()
        self._changed(marked)  # at once: the papers may be what cannot be read
        changed = self._catalogue.poll()
        self._changed(changed)
        if changed:
            self._look_at_papers()
        return bool(marked or changed)

    def checks(self) -> list[Check]:
        """Return the state of every file, as it is."""
        from .doctor import Check, named

        with self._guard:
            papers, lists = self._catalogue.papers, self._catalogue.lists
            marked, noted = list(self._marks.marked()), list(self._marks.noted())
            notices = self.notices
            index_is_well, index = self._search.examined()
            lost = naming.lost(self._catalogue, {*marked, *noted} - papers.keys())
        orphans = f"; {lost} on papers that are not here" if lost else ""
        return [
            named(self.folder / "library.json", f"of format {self._version}", notices),
            named(
                self.folder / "papers.jsonl",
                f"{len(papers)} papers in {len(lists)} reading lists",
                notices,
            ),
            named(
                self.folder / "marks.json",
                f"{len(marked)} papers marked, {len(noted)} with notes{orphans}",
                notices,
            ),
            named(self.folder / "marks.journal", "can be read", notices),
            named(
                self.folder / "session.json",
                "can be read" if self._session else "not there yet",
                notices,
            ),
            Check("index", index_is_well, index),
        ]

    def mend(self) -> None:
        """Put right what opening leaves as it is: lines that cannot be read, and the index.

        Raises:
            NotSavedError: Not everything could be written.
            ReadOnlyError: The library cannot be written.
        """
        with self._writing():
            if self._catalogue.notices or self._catalogue.size < self._marks.papers_bytes:
                self._marks.accept_papers(0)  # first: nothing is missing then, wherever this stops
                self._catalogue.rewrite()
                self._marks.accept_papers(self._catalogue.size)
            self._marks.compact()
        self._search.rebuild()

    @property
    def session(self) -> dict[str, Any]:
        """Where the reader was, as the program stored it."""
        return dict(self._session)

    def write_session(self, session: dict[str, Any]) -> None:
        """Store where the reader is. A library that cannot be written forgets it.

        Raises:
            NotSavedError: It could not be stored.
        """
        if self.read_only:
            return
        try:
            write_session(self.folder / "session.json", session)
            self._session = dict(session)
        except OSError as error:
            raise NotSavedError(
                f"The place in {self.folder} could not be kept: {reason(error)}."
            ) from error
