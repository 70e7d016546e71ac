"""A library: the one door through which the program reaches papers, marks, notes and search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any

from .catalogue import Catalogue
from .errors import CannotOpenError, NoSuchPaperError, NotSavedError, ReadOnlyError
from .files import Lock, reason
from .folder import FolderState, prepare
from .marks import Change, Marks
from .paper import Entry, Overview, Progress, ReadingList, Status
from .session import read_session, write_session
from .text import fold

if TYPE_CHECKING:
    from .doctor import Check
    from .importing import FileReport
    from .match import Fields
    from .query import Fact, Query
    from .search import Progressing, Search

SMART_LISTS = {
    "all": "All papers",
    "unread": "Unread",
    "starred": "Starred",
    "notes": "With notes",
    "recent": "Recent",
}
"""Lists that follow from the marks, by their identifiers."""

RECENT = 50
"""How many papers the list of recent ones holds."""


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a query.

    Attributes:
        query: The query, understood.
        entries: The papers found, in the order of the list or by relevance.
        from_index: Whether the index answered, or the plain text while it is being built.
    """

    query: Query
    entries: Sequence[Entry]
    from_index: bool


class Library:
    """Papers, reading lists, marks, notes and search in one folder. Safe to use from threads.

    Args:
        folder: Where the library lies; made if it is not there.
        index_root: The reader's own cache folder for search indexes.
        clock: Gives the time.
        seeds: Reading lists that a new library starts with.

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
    ) -> None:
        self.folder = folder
        self._clock = clock
        self._guard = RLock()
        state: FolderState = prepare(folder, self._now())
        self.read_only = state.read_only
        """Why nothing can be written, or an empty string."""
        self._notices = [*state.notices]
        self._lock = Lock(folder / "lock")
        may_rename = not self.read_only
        try:
            self._catalogue = Catalogue(folder / "papers.jsonl")
            self._marks = Marks(folder / "marks.json", may_rename=may_rename)
        except OSError as error:
            raise CannotOpenError(f"Cannot read {error.filename}: {reason(error)}.") from error
        self._index_folder = index_root / state.library_id
        self._session, notice = read_session(folder / "session.json", may_rename=may_rename)
        if notice:
            self._notices.append(notice)
        if state.is_new and not self.read_only:
            self._begin(seeds)
        elif not self._catalogue.papers and any(self._marks.marked()):
            self.tell(f"{folder / 'papers.jsonl'} holds no papers, yet there are marks on some.")

    def _begin(self, seeds: Path | None) -> None:
        """Store the first papers, or that there are none; from then on it is not new."""
        if seeds:
            self.import_files([seeds])
        else:
            with self._writing():
                self._catalogue.begin()

    def _now(self) -> str:
        return self._clock().astimezone(UTC).isoformat(timespec="seconds")

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
            self._marks.close()
            self._catalogue.close()

    @property
    def notices(self) -> list[str]:
        """What was found wrong while opening or reading, a sentence each."""
        return [*self._notices, *self._catalogue.notices, *self._marks.notices]

    def tell(self, sentence: str) -> None:
        """Add to the notices."""
        self._notices.append(sentence)

    # Reading

    def __len__(self) -> int:
        """Return the number of papers."""
        return len(self._catalogue.papers)

    def entry(self, key: str) -> Entry:
        """Return a paper with its marks and note.

        Raises:
            KeyError: There is no such paper.
        """
        with self._guard:
            return Entry(
                self._catalogue.papers[key],
                self._marks.mark(key),
                self._marks.note(key),
                self._catalogue.anchors_of(key),
            )

    def overview(self) -> Overview:
        """Return anchors, smart lists and tags with their counts."""
        with self._guard:
            unread = {key for key in self._catalogue.papers if self._is_unread(key)}
            return Overview(
                anchors=[
                    self._progress(f"anchor:{anchor}", self._anchor_title(anchor), unread)
                    for anchor in self._catalogue.lists
                ],
                lists=[self._progress(name, title, unread) for name, title in SMART_LISTS.items()],
                tags=[self._progress(f"tag:{tag}", tag, unread) for tag in self._tags()],
            )

    def _progress(self, key: str, title: str, unread: Set[str]) -> Progress:
        papers = self._list_keys(key)
        return Progress(key, title, len(papers), sum(paper in unread for paper in papers))

    def _anchor_title(self, anchor: str) -> str:
        return self._catalogue.papers[anchor].display_title

    def _is_unread(self, key: str) -> bool:
        return self._marks.mark(key).status is Status.UNREAD

    def _tags(self) -> list[str]:
        """Return the tags in use, the commonest first."""
        counts = Counter(tag for key in self._marks.marked() for tag in self._marks.mark(key).tags)
        return [tag for tag, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]

    def listing(self, name: str) -> tuple[Entry, ...]:
        """Return the papers of a list: `anchor:KEY`, `tag:TAG`, or one of the smart lists.

        Raises:
            KeyError: There is no such list.
        """
        with self._guard:
            return tuple(self.entry(key) for key in self._list_keys(name))

    def _list_keys(self, name: str) -> tuple[str, ...]:
        papers = self._catalogue.papers
        kind, _, value = name.partition(":")
        match kind:
            case "anchor":
                return tuple(key for key in self._catalogue.lists[value].papers if key in papers)
            case "tag":
                return tuple(key for key in papers if value in self._marks.mark(key).tags)
            case "all":
                return tuple(papers)
            case "unread":
                return tuple(filter(self._is_unread, papers))
            case "starred":
                return tuple(key for key in papers if self._marks.mark(key).starred)
            case "notes":
                return tuple(key for key in papers if self._marks.note(key))
            case "recent":
                changed = {key: self._marks.mark(key).changed or "" for key in papers}
                recent = sorted(filter(changed.get, papers), key=changed.__getitem__, reverse=True)
                return tuple(recent[:RECENT])
            case _:
                raise KeyError(name)

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
        from .identity import normal_arxiv, normal_doi

        with self._guard:
            keys = self._catalogue.lists if anchors_only else self._catalogue.papers
            kind = "anchor" if anchors_only else "paper"
            wanted = name.strip()
            if wanted in keys:
                return wanted
            identity = self._catalogue.identity
            for scheme, value in (("arxiv", normal_arxiv(wanted)), ("doi", normal_doi(wanted))):
                if value and (key := identity.by_id(scheme, value)) and key in keys:
                    return key
            folded = fold(wanted)
            for candidates in (
                [key for key in keys if wanted and fold(key).startswith(folded)],
                [key for key in keys if wanted and self._title_begins(key, folded)],
            ):
                if len(candidates) == 1:
                    return candidates[0]
                if candidates:
                    raise NoSuchPaperError(
                        f"“{name}” can mean {len(candidates)} {kind}s: "
                        f"{', '.join(candidates[:5])}{' …' if len(candidates) > 5 else ''}.",
                        hint="Give more of it.",
                    )
            raise NoSuchPaperError(
                f"No {kind} is called “{name}”.",
                hint="Give a key or its beginning, an arXiv id, a DOI or the beginning of a title.",
            )

    def _title_begins(self, key: str, folded: str) -> bool:
        return fold(self._catalogue.papers[key].title or "").startswith(folded)

    # Searching. What it takes is imported when it is first needed: opening a library needs none.

    @cached_property
    def _search(self) -> Search:
        from .search import Search

        return Search(self._index_folder, self._texts, self._all_keys)

    def _touch(self, keys: Iterable[str]) -> None:
        """Note that papers' texts changed; a search not yet begun finds that out by itself."""
        if "_search" in self.__dict__:
            self._search.touch(keys)

    def _texts(self, key: str) -> Fields:
        from .match import fields_of

        return fields_of(self.entry(key))

    def _all_keys(self) -> Set[str]:
        with self._guard:
            return set(self._catalogue.papers)

    def search(
        self, text: str, within: str | None = None, *, typing: bool = False, ranked: bool = False
    ) -> Found:
        """Return the papers that a query finds. No query raises.

        Args:
            text: The query.
            within: The list to look in; None is the whole library.
            typing: Whether the query is still being typed, so that its last word counts as a
                beginning too. A query without anything to search for then finds everything.
            ranked: Whether the best come first, rather than the order of the list.

        Raises:
            KeyError: There is no such list.
        """
        from .match import evaluate
        from .parser import parse

        query = parse(text, typing=typing, now=self._clock())
        with self._guard:
            keys = self._list_keys("all" if within is None else within)
        from_index = self._search.ready
        if query.node is None:
            found: Set[str] = set(keys) if typing else set()
        else:
            found = evaluate(query.node, set(keys), self._search.matching, self._having)
        order = self._search.ranked(query.highlights(), found) if ranked else keys
        with self._guard:
            entries = tuple(self.entry(key) for key in order if key in found)
        return Found(query, entries, from_index)

    def _having(self, fact: Fact) -> Set[str]:
        from .facts import having

        with self._guard:
            lists, title = self._catalogue.lists, self._anchor_title
            return having(fact, map(self.entry, self._catalogue.papers), lists, title)

    @property
    def unindexed(self) -> int:
        """How many papers are not in the search index as they are; plain text answers for them."""
        return self._search.pending

    @property
    def index_problem(self) -> str:
        """Why there is no search index, or an empty string."""
        return self._search.problem

    def refresh_index(self, progress: Progressing | None = None) -> None:
        """Bring the search index up to date; searching goes on meanwhile."""
        self._search.refresh(progress)

    def examine(self) -> list[Check]:
        """Return the state of every file, and build the search index anew."""
        from .doctor import Check, check

        with self._guard:
            papers, lists = self._catalogue.papers, self._catalogue.lists
            marked, noted = len(list(self._marks.marked())), len(list(self._marks.noted()))
            notices = self.notices
        rebuilt = ""
        if not self.read_only:
            self._search.rebuild()
            rebuilt = f"built anew over {len(papers) - self._search.pending} papers"
        return [
            check("library.json", self.read_only or "can be read and written", notices),
            check("papers.jsonl", f"{len(papers)} papers in {len(lists)} reading lists", notices),
            check("marks.json", f"{marked} papers marked, {noted} with notes", notices),
            check("marks.journal", "can be read", notices),
            check("session.json", "can be read" if self._session else "not there yet", notices),
            *(Check("set aside", True, str(path)) for path in self.folder.glob("*.damaged-*")),
            Check(
                "index", not self._search.problem, self._search.problem or rebuilt or "left alone"
            ),
        ]

    # Writing

    @contextmanager
    def _writing(self) -> Iterator[str]:
        """Hold the library for one write, knowing what others wrote, and give the time."""
        with self._guard:
            if self.read_only:
                raise ReadOnlyError(f"Not saved: {self.read_only}")
            with self._lock.held():
                try:
                    self._poll()
                    yield self._now()
                except OSError as error:
                    raise NotSavedError(
                        f"Not saved: {self.folder} cannot be written: {reason(error)}."
                    ) from error

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
            self._marks.change(changes, now)
            self._touch(key for key, it in changes.items() if it.add_tags or it.remove_tags)
            return [self.entry(key) for key in changes]

    def write_note(self, key: str, text: str, base: str | None = None) -> Entry:
        """Store the note on a paper, durably, and return the paper's new state.

        Args:
            key: The paper.
            text: The new text; an empty one removes the note.
            base: The text that the writer started from. Where another program changed the note
                since, both texts are kept.

        Raises:
            NoSuchPaperError: There is no such paper.
            NotSavedError: Nothing of it is stored.
            ReadOnlyError: The library cannot be written.
        """
        with self._writing() as now:
            self._known(key)
            self._marks.write_note(key, text, now, base)
            self._touch([key])
            return self.entry(key)

    def import_files(self, paths: Iterable[Path]) -> list[FileReport]:
        """Take in files and folders, and report what became of every entry.

        Raises:
            NotSavedError: Nothing of them is stored.
            ReadOnlyError: The library cannot be written.
        """
        from .importing import Importer, files_in, read_file

        parsed = [(path, read_file(path)) for path in files_in(paths)]
        with self._writing() as now:
            importer = Importer(self._catalogue, self._marks, now)
            reports = [importer.take(path, content) for path, content in parsed]
            size = self._catalogue.size
            self._catalogue.commit()
            try:
                self._marks.change(importer.changes, now, importer.notes)
            except OSError:
                self._catalogue.roll_back(size)
                raise
            self._touch({*importer.touched, *importer.changes, *importer.notes})
            return reports

    def refresh(self) -> bool:
        """Take in what other programs wrote; tell whether there was anything."""
        with self._guard:
            return self._poll()

    def _poll(self) -> bool:
        changed = self._marks.poll() | self._catalogue.poll()
        self._touch(changed)
        return bool(changed)

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
                f"Not saved: {self.folder} cannot be written: {reason(error)}."
            ) from error
