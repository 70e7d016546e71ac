"""A library: the one door through which the program reaches papers, marks, notes and search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, Any

from . import naming
from .bits import bits_of, flags_of
from .catalogue import Catalogue, Span
from .change import Change
from .columns import Columns
from .copies import BACKUPS, Copies
from .errors import (
    CannotOpenError,
    CannotReadError,
    CannotUndoError,
    NoSuchPaperError,
    NotSavedError,
    ReadOnlyError,
)
from .files import Lock, reason
from .folder import RESTORING, prepare
from .lists import Lists, Members
from .marked import Marked
from .marks import Marks
from .notes import Version
from .orders import Orders
from .paper import Entry, Overview, Paper, Progress, ReadingList
from .rows import Found, Rows
from .searches import PREFIX, clean_name
from .session import read_session, write_session
from .text import clean_line

if TYPE_CHECKING:
    from .doctor import Check
    from .duplicates import Pair
    from .finding import Finder
    from .formats.input import Input
    from .history import Step
    from .importing import Doing, FileReport, Options
    from .merging import MergeReport
    from .search import Progressing, Search


_KNOWN_AT_ONCE = 100
"""Papers that are read between two looks at whether somebody else wants the library."""


class Library:
    """Papers, reading lists, marks, notes and search in one folder. Safe to use from threads.

    Args:
        folder: Where the library lies; made if it is not there.
        index_root: The reader's own cache folder for search indexes.
        clock: Gives the time.
        seeds: Reading lists that a new library starts with.
        may_write: Whether anything may be written; otherwise nothing is made or mended either.
        needs_locks: Whether to open a library read-only where its file system knows no locks.

    Raises:
        CannotOpenError: There is no library and none can be made.
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
        if seeds:
            self._import([seeds], "")  # nothing that the reader did, so nothing to undo
        else:
            with self._writing():
                self._catalogue.begin()

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

    # Reading

    def __len__(self) -> int:
        """Return the number of papers."""
        return len(self._catalogue.papers)

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

    def _read(self, columns: Columns, number: int) -> Entry:
        """Return a paper by the number it had in columns, an empty record for one that is gone."""
        with self._guard:
            try:
                return self.entry(columns.keys[number])
            except KeyError:
                return Entry(Paper(""))

    def number(self, key: str) -> int:
        """Return the number that stands for a paper in sets and rows while the library is open.

        Raises:
            KeyError: There is no such paper.
        """
        with self._guard:
            return self._columns.number(key)

    def overview(self, *, patience: float | None = None) -> Overview:
        """Return anchors, smart lists, saved searches and tags with their counts.

        Args:
            patience: Seconds for what saved searches find among papers that are not indexed yet;
                None is as long as it takes. Otherwise searching is not begun for them either:
                until it is, their counts are missing (`Progress.left`).
        """
        with self._guard:
            overview, saved = self._lists.overview(), self._marks.searches
            here, unread = self._columns.here, self._marked.unread
            if not saved:
                return overview
            if patience is not None and "_search" not in self.__dict__:
                left = here.bit_count()
                rows = [Progress(PREFIX + name, name, 0, 0, left) for name in saved]
                return overview._replace(searches=rows)
            finder = self._finder
        rows = finder.counts(saved, here, unread, self._clock(), _deadline(patience))
        return overview._replace(searches=rows)

    @property
    def searches(self) -> dict[str, str]:
        """The queries of the saved searches by name, in the order of the names."""
        with self._guard:
            return self._marks.searches

    def saved_query(self, name: str) -> str:
        """Return what the list of a saved search (`search:NAME`) looks for; nothing for others."""
        is_saved = name.startswith(PREFIX)
        return self.searches.get(name.removeprefix(PREFIX), "") if is_saved else ""

    def _members(self, name: str, deadline: float | None = None) -> Members:
        query = self.saved_query(name)
        with self._guard:
            if not query:
                return self._lists.members(name)
            finder, here = self._finder, self._columns.here
        return finder.members(query, here, self._clock(), deadline)

    def listing(self, name: str, order: str = "list") -> Rows:
        """Return the papers of a list.

        Args:
            name: The list: `anchor:KEY`, `tag:TAG`, `search:NAME`, or one of the smart lists.
            order: One of `orders.ORDERS`.

        Raises:
            KeyError: There is no such list.
        """
        members = self._members(name)
        with self._guard:
            numbers = self._orders.ordered(members.numbers, order)
            return Rows(numbers, members.papers, partial(self._read, self._columns))

    def count_unread(self, papers: int) -> int:
        """Return how many papers of a set are unread."""
        with self._guard:
            return (papers & self._marked.unread).bit_count()

    def next_unread(self, numbers: Sequence[int], start: int, direction: int) -> int | None:
        """Return the place of the next unread one of several papers, or None.

        Args:
            numbers: The papers.
            start: The first place to look at.
            direction: 1 for those behind it, -1 for those before it.
        """
        with self._guard:
            unread = flags_of(self._marked.unread, len(self._columns))
        places = range(start, len(numbers)) if direction > 0 else range(start, -1, -1)
        size = len(unread)  # numbers may be from before the papers were read anew
        return next((at for at in places if numbers[at] < size and unread[numbers[at]]), None)

    def keys(self, numbers: Iterable[int]) -> list[str]:
        """Return the keys of papers."""
        with self._guard:
            keys, size = self._columns.keys, len(self._columns)
            return [keys[number] for number in numbers if number < size and keys[number]]

    def among(self, keys: Iterable[str], papers: int) -> list[str]:
        """Return those keys whose papers are in a set."""
        with self._guard:
            numbers = self._columns.numbers(keys)
            return [self._columns.keys[one] for one in numbers if papers >> one & 1]

    def reading_list(self, anchor: str) -> ReadingList:
        """Return an anchor's reading list, an empty one where it has none."""
        return self._catalogue.lists.get(anchor, ReadingList(anchor))

    def find(self, name: str, *, anchors_only: bool = False) -> str:
        """Return the key of the paper that a KEY or ANCHOR argument means.

        Args:
            name: A key, an arXiv id, a DOI, or the unambiguous beginning of a key or a title.
            anchors_only: Whether only anchors are meant.

        Raises:
            NoSuchPaperError: It means none, or several.
        """
        with self._guard:
            return naming.find(self._catalogue, name, anchors_only=anchors_only)

    def present_key(self, key: str) -> str:
        """Return the key that a paper has now: where it was joined to another one, that one's.

        A key that never stood for any paper is returned as it is.
        """
        with self._guard:
            return naming.present_key(self._catalogue, key)

    def note_versions(self, key: str) -> list[Version]:
        """Return the texts that the note on a paper had, the one it has last."""
        with self._guard:
            state = self._marks.note_state(key)
            return [*state.earlier, *([state.note] if state.note else [])]

    # Searching. What it takes is imported when it is first needed: opening a library needs none.

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

    def search(
        self,
        text: str,
        within: str | None = None,
        *,
        typing: bool = False,
        order: str = "list",
        patience: float | None = None,
    ) -> Found:
        """Return the papers that a query finds. No query raises.

        Args:
            text: The query.
            within: The list to look in; None is the whole library.
            typing: Whether the query is still being typed, so that its last word counts as a
                beginning too. A query without anything to search for then finds everything.
            order: One of `orders.ORDERS`.
            patience: Seconds for papers that are not indexed yet; None is as long as it takes.

        Raises:
            KeyError: There is no such list.
        """
        deadline = _deadline(patience)
        members = self._members("all" if within is None else within, deadline)
        with self._guard:
            finder = self._finder
        return finder.find(
            text,
            members,
            self._clock(),
            typing=typing,
            order=order,
            deadline=deadline,
        )

    @property
    def unindexed(self) -> int:
        """How many papers are not in the search index as they are; plain text answers for them."""
        return self._search.pending

    @property
    def index_problem(self) -> str:
        """Why there is no search index, or an empty string."""
        return self._search.problem

    def refresh_index(self, progress: Progressing | None = None, *, processes: int = 2) -> None:
        """Bring the search index up to date; searching goes on meanwhile.

        Args:
            progress: Called with the number of papers done and to be done.
            processes: How many may work at once where there is much to do.
        """
        with self._guard:
            search = self._search
            self._catalogue.keep_columns()
        search.refresh(progress, processes=processes)

    # Looking after the files

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

    # Writing

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

    def _known(self, key: str) -> None:
        if key not in self._catalogue.papers:
            raise NoSuchPaperError(f"Not saved: the library holds no paper “{key}” any more.")

    def mark(self, changes: dict[str, Change]) -> list[Entry]:
        """Change papers' marks, durably and in one write, and return their new state.

        Raises:
            NoSuchPaperError: There is no such paper.
            NotSavedError: Nothing of it is stored.
            ReadOnlyError: The library cannot be written.
        """
        with self._writing() as now:
            for key in changes:
                self._known(key)
            tagged = [key for key, one in changes.items() if one.add_tags or one.remove_tags]
            what = "tags" if tagged else "mark"
            many = f"{what if tagged else 'marks'} on {len(changes)} papers"
            self._marks.change(what if len(changes) == 1 else many, now, changes)
            self._changed(changes, texts=bool(tagged))
            return [self.entry(key) for key in changes]

    def write_note(
        self, key: str, text: str, base: str | None = None, *, amends: bool = False
    ) -> Entry:
        """Store the note on a paper, durably, and return the paper's new state.

        Args:
            key: The paper.
            text: The new text; an empty one removes the note.
            base: The text that the writer started from. Where another program changed the note
                since, both texts are kept.
            amends: Whether it goes on from what was stored last in one sitting, to be undone
                together with that.

        Raises:
            NoSuchPaperError: There is no such paper.
            NotSavedError: Nothing of it is stored.
            ReadOnlyError: The library cannot be written.
        """
        with self._writing() as now:
            self._known(key)
            self._marks.write_note(key, text, now, base, amends=amends)
            self._changed([key])
            return self.entry(key)

    def append_note(self, key: str, text: str) -> Entry:
        """Add lines to the note on a paper, whatever it says by then, and return its new state.

        Raises:
            NoSuchPaperError: There is no such paper.
            NotSavedError: Nothing of it is stored.
            ReadOnlyError: The library cannot be written.
        """
        with self._writing() as now:
            self._known(key)
            note = self._marks.note(key)
            self._marks.write_note(key, f"{note}\n{text}" if note else text, now)
            self._changed([key])
            return self.entry(key)

    def save_search(self, name: str, query: str) -> str:
        """Save a query as a list, `search:NAME`, durably, and return its name.

        Args:
            name: The name; where it is empty, the query is. One that was saved under it before is
                replaced.
            query: What to look for, in the whole library.

        Raises:
            NotSavedError: Nothing of it is stored, or there is nothing to search for.
            ReadOnlyError: The library cannot be written.
        """
        from .parser import parse

        query = clean_line(query)
        name = clean_name(name) or clean_name(query)
        if parse(query, now=self._clock()).node is None:
            raise NotSavedError("Not saved: there is nothing to search for.")
        with self._writing() as now:
            self._marks.write_search(name, query, now)
        return name

    def remove_search(self, name: str) -> bool:
        """Remove a saved search, durably, and tell whether there was one.

        Raises:
            NotSavedError: Nothing of it is stored.
            ReadOnlyError: The library cannot be written.
        """
        with self._writing() as now:
            return self._marks.write_search(name, "", now)

    def import_files(
        self,
        sources: Iterable[Path | Input],
        options: Options | None = None,
        going_on: Callable[[Doing], bool] = lambda _: True,
        *,
        dry_run: bool = False,
    ) -> list[FileReport]:
        """Take in files and folders, and report what became of every entry.

        A large file is taken in part after part, and the library can be used meanwhile.

        Args:
            sources: Paths, with `*` and `?` for several, or files that are open already.
            options: How they are taken in.
            going_on: Called now and then with how far it has come; ends it by returning False.
                What was counted until then stays.
            dry_run: Whether to report alone, and store nothing.

        Raises:
            NotSavedError: The part that was to be stored is not; or, where even that could not be
                undone, its papers without their marks, which importing again brings.
            ReadOnlyError: The library cannot be written.
        """
        if dry_run:
            return self._tried(sources, options, going_on)
        return self._import(sources, "import", options, going_on)

    def _import(
        self,
        sources: Iterable[Path | Input],
        what: str,
        options: Options | None = None,
        going_on: Callable[[Doing], bool] = lambda _: True,
    ) -> list[FileReport]:
        from .importing import Importer, Options, parts_of

        options = options or Options()
        importer = Importer(self._catalogue, self._marks, options)
        step = ""
        self._get_to_know()
        for part in parts_of(sources, options, going_on):
            with self._writing() as now:
                importer.take(part, now)
                with self._papers_stored(self._marks.span_of(step)) as span:
                    told = what and f"{what} of {importer.added}"
                    step = self._marks.go_on(
                        step, told, now, importer.changes, importer.notes, span
                    )
                self._changed({*importer.touched, *importer.changes, *importer.notes})
            importer.stored()
        with self._guard:
            self._catalogue.keep_known()
        return importer.reports

    def _get_to_know(self) -> None:
        """Read what has to be known of the papers, a few at a time: others may use the library."""
        is_done = False
        while not is_done:
            with self._guard:
                try:
                    is_done = self._catalogue.get_to_know(_KNOWN_AT_ONCE)
                except OSError as error:
                    raise CannotReadError(
                        f"{self._catalogue.path} cannot be read any more: {reason(error)}."
                    ) from error

    def _tried(
        self,
        sources: Iterable[Path | Input],
        options: Options | None,
        going_on: Callable[[Doing], bool],
    ) -> list[FileReport]:
        from .importing import Importer, Options, parts_of

        options = options or Options()
        with closing(Catalogue(self._catalogue.path, self._columns_path)) as catalogue:
            importer = Importer(catalogue, self._marks, options)
            for part in parts_of(sources, options, going_on):
                with self._guard:
                    importer.take(part, self._now())
        return importer.reports

    @contextmanager
    def _papers_stored(self, before: Span | None = None) -> Iterator[Span | None]:
        """Store the papers that are staged, and take them back where what goes with them fails.

        Args:
            before: Lines that the new ones go on from: where they follow them, both are one span.
        """
        size = self._catalogue.size
        span = self._catalogue.commit(before)
        try:
            yield span
        except OSError:
            if span:
                self._catalogue.roll_back(max(size, span.start))
            raise

    def merge(self, folder: Path) -> MergeReport:
        """Join another library, a copy that went its own way, into this one.

        Of each field of a mark the newer counts, notes of both are kept, papers complete each
        other. Merging again changes nothing, and merging the other way round gives the same.

        Raises:
            CannotOpenError: There is no library to join.
            NotSavedError: Nothing of it is stored.
            ReadOnlyError: This library cannot be written.
        """
        from .merging import MergeReport, Other

        with Other(folder, self.folder, self._clock) as other, self._writing() as now:
            joined = other.stage_into(self._catalogue, now)
            with self._papers_stored() as span:
                changed = self._marks.join(
                    other.marks, joined.keys, joined.moved, f"merge of {folder}", now, span
                )
            self._changed(joined.added | joined.completed | changed)
            return MergeReport(
                len(other.papers.papers), len(joined.added), len(joined.completed), len(changed),
                other.notices,
            )  # fmt: skip

    def join(self, keep: str, other: str) -> Entry:
        """Make two papers one, durably and as one step, and return it.

        The one that is kept is completed by the other, also its marks and its note. The other's
        key and identifiers still lead to it.

        Raises:
            NoSuchPaperError: There is no such paper, or it is one and the same.
            NotSavedError: Nothing of it is stored.
            ReadOnlyError: The library cannot be written.
        """
        from .joining import joined_entry, stage_joining

        with self._writing() as now:
            self._known_pair(keep, other)
            before = self.entry(keep)
            joined = joined_entry(before, self.entry(other))
            touched = stage_joining(self._catalogue, keep, other)
            with self._papers_stored() as span:
                change = Change.between(before.mark, joined.mark)
                what = "joining of two papers"
                self._marks.change(what, now, {keep: change}, {keep: joined.note}, span)
            self._changed(touched)
            return self.entry(keep)

    def keep_apart(self, first: str, second: str) -> bool:
        """Call two papers different, durably, and tell whether they were not before.

        They are no duplicates to be offered from then on.

        Raises:
            NoSuchPaperError: There is no such paper, or it is one and the same.
            NotSavedError: Nothing of it is stored.
            ReadOnlyError: The library cannot be written.
        """
        with self._writing() as now:
            self._known_pair(first, second)
            return self._marks.keep_apart(first, second, now)

    def _known_pair(self, first: str, second: str) -> None:
        if first == second:
            raise NoSuchPaperError(f"Not saved: “{first}” is one paper, not two.")
        self._known(first)
        self._known(second)

    def duplicates(self, going_on: Callable[[int, int], bool] = lambda *_: True) -> list[Pair]:
        """Return pairs of papers that may be one, the surest first. Takes a while.

        Nothing follows from it: the reader decides. Those called different are left out. The
        library can be used meanwhile.

        Args:
            going_on: Called now and then with how many papers were looked at, and of how many;
                ends it by returning False. There are no pairs then.
        """
        from .duplicates import find_pairs

        with self._guard:
            keys = [*self._catalogue.papers]
        pairs = find_pairs(keys, self._papers_of, going_on)
        with self._guard:
            apart = {
                frozenset(naming.present_key(self._catalogue, key) for key in pair)
                for pair in self._marks.apart
            }
            here = self._catalogue.papers
            return [
                pair for pair in pairs
                if pair.first in here and pair.second in here
                and frozenset((pair.first, pair.second)) not in apart
            ]  # fmt: skip

    def _papers_of(self, keys: Sequence[str]) -> list[Paper]:
        """Return those of several papers that are still there and can be read."""
        papers = []
        with self._guard:
            for key in keys:
                with suppress(KeyError, OSError):
                    papers.append(self._catalogue.papers[key])
        return papers

    def undo(self) -> Step | None:
        """Take back the last step that was done, and return it; None where there is none.

        Raises:
            CannotUndoError: What it needs is not there any more.
            NotSavedError: Nothing is stored; the step is still done.
            ReadOnlyError: The library cannot be written.
        """
        return self._go_back_over(self._marks.history.last_done)

    def redo(self) -> Step | None:
        """Do again what was undone last, and return it; None where there is nothing.

        Raises:
            CannotUndoError: What it needs is not there any more.
            NotSavedError: Nothing is stored; the step is still undone.
            ReadOnlyError: The library cannot be written.
        """
        return self._go_back_over(self._marks.history.first_undone)

    def _go_back_over(self, which: Callable[[], tuple[str, Step] | None]) -> Step | None:
        with self._writing() as now:
            found = which()
            if not found:
                return None
            number, step = found
            touched = {*step.changes, *step.notes}
            if step.papers:
                try:
                    touched |= self._catalogue.stage_undoing(step.papers, again=step.undone)
                except CannotUndoError:
                    self._marks.history_without(number)  # so that those before can be reached
                    raise
            with self._papers_stored() as span:
                self._marks.go_back_over(number, step, now, span)
            self._changed(touched)
            return step

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

    # The session

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


def _deadline(patience: float | None) -> float | None:
    return None if patience is None else monotonic() + patience
