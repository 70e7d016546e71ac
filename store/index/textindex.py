"""The index over a library's texts: opened and brought up to date.

The index is derived and can be deleted at any moment. Whoosh's list of segments is a pickle:
opening an index runs what it says. So it lives in the reader's own cache folder and is never
opened from one that somebody else could have written.
"""

from __future__ import annotations

import os
import shutil
import stat
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from whoosh.filedb.filestore import FileStorage
from whoosh.index import TOC, clean_files, open_dir

from ..bits import numbers_in
from ..errors import StoreError
from ..files import reason
from .arrays import Damaged
from .codec import EXTENSION, ArraySegment
from .committed import Committed
from .inverting import Document, Inverter
from .placed import Lines, PlacedSegment
from .schema import VERSION, schema
from .segment import MOST_DOCUMENTS

if TYPE_CHECKING:
    from whoosh.index import FileIndex

_NAME = "MAIN"
_UNFINISHED = "unfinished-"
_LOCK = "WRITELOCK"
_TRIES = 3
"""Times that reading is tried, as files go when another program commits."""


class IndexUnusableError(StoreError):
    """The index is missing, damaged, of another version, or not the reader's own."""


class State(NamedTuple):
    """What papers are now, to tell which the index holds as they are.

    Attributes:
        lines: Digests of the papers' lines, by number; 0 where a paper has none.
        own: Digests of tags and notes, by the number of papers that have any.
    """

    lines: array[int]
    own: Mapping[int, int]


class TextIndex:
    """An index in a folder of its own, for one thread; others ask what it `committed`.

    Attributes:
        committed: The newest state that is known.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._index: FileIndex | None = None
        self._generation = -1
        self.committed = Committed()

    def open(self, state: State) -> None:
        """Open the index, or what another program made of it since.

        Raises:
            IndexUnusableError: There is none to be trusted; `create` makes a new one.
        """
        check_private(self.folder)
        try:
            if (self.folder / "version").read_text("ascii") != str(VERSION):
                raise IndexUnusableError("the index is of another version")
            self._open(state, _TRIES)
        except IndexUnusableError:
            raise
        except Exception as error:  # Whoosh raises nearly anything on damage
            self.close()
            raise IndexUnusableError(f"the index cannot be read: {error}") from error

    def _open(self, state: State, tries: int) -> None:
        try:
            self._index = open_dir(self.folder)
            self.place(state)
        except FileNotFoundError:
            if tries == 1:
                raise
            self._open(state, tries - 1)

    def create(self) -> bool:
        """Make an empty index in place of whatever is there, unless another program writes to it.

        Returns:
            Whether that was done.

        Raises:
            IndexUnusableError: The folder cannot be written.
        """
        self.close()
        try:
            self._make_folder()
            storage = FileStorage(self.folder)
            with _held(storage.lock(f"{_NAME}_{_LOCK}")) as alone:
                if alone:
                    for name in ("version", *storage.list()):  # it counts as whole no more
                        if not name.endswith(_LOCK):
                            (self.folder / name).unlink(missing_ok=True)
                    self._index = storage.create_index(schema(), _NAME)
                    self._generation = 0
                    (self.folder / "version").write_text(str(VERSION), "ascii")
        except OSError as error:
            raise IndexUnusableError(f"the index cannot be made: {reason(error)}") from error
        return alone

    def _make_folder(self) -> None:
        try:
            check_private(self.folder)
        except IndexUnusableError:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            check_private(self.folder)

    def close(self) -> None:
        """Close the index; answers that are under way still have its files."""
        index, self._index = self._index, None
        self.committed = Committed()
        if index:
            index.close()

    @property
    def is_open(self) -> bool:
        """Whether there is an index to ask and to write to."""
        return self._index is not None

    @property
    def is_current(self) -> bool:
        """Whether no other program has changed the index since it was opened."""
        listed = self._listed()
        ours = {one.segment.segid for one in self.committed.placed}
        return listed.generation == self._generation and ours == _names(listed)

    def _listed(self, tries: int = _TRIES) -> TOC:
        assert self._index
        try:
            return TOC.read(self._index.storage, _NAME)
        except FileNotFoundError:  # another program's next commit replaced it
            if tries == 1:
                raise
            return self._listed(tries - 1)

    def place(self, state: State) -> None:
        """Find out again which papers the index holds as they are."""
        listed = self._listed()
        opened = {one.segment.segid: one.arrays for one in self.committed.placed}
        lines = Lines(state.lines)
        self.committed = Committed(
            PlacedSegment(
                segment, opened.get(segment.segid) or segment.open(self.folder), lines, state.own
            )
            for segment in listed.segments
        )
        self._generation = listed.generation

    def check(self) -> None:
        """Read segments that were not looked at yet from end to end.

        Raises:
            IndexUnusableError: One is not as it was written.
        """
        for one in self.committed.placed:
            try:
                one.arrays.check()
            except (Damaged, OSError) as error:
                raise IndexUnusableError(f"the index is damaged: {error}") from error

    # Writing

    @contextmanager
    def writing(self) -> Iterator[bool]:
        """Keep other programs from writing, and tell whether that could be had.

        What nobody finished is removed before and after.

        Raises:
            IndexUnusableError: The index is not there any more.
            OSError: It cannot be written.
        """
        assert self._index
        check_private(self.folder)
        with _held(self._index.lock(_LOCK)) as alone:
            if alone:
                self._tidy()
            try:
                yield alone
            finally:
                if alone:
                    self._tidy()

    def _tidy(self) -> None:
        assert self._index
        with suppress(Exception):  # a list that cannot be read says nothing about the others
            listed = self._listed()
            clean_files(self._index.storage, _NAME, listed.generation, listed.segments)
            for pattern in (f"{_UNFINISHED}*", "*.toc.*"):
                for path in self.folder.glob(pattern):
                    path.unlink()

    def new_segment(self) -> tuple[ArraySegment, Path]:
        """Return a segment that is not listed yet, and the file it is to be written to."""
        segment = ArraySegment(_NAME)
        return segment, self._unfinished(segment)

    def _unfinished(self, segment: ArraySegment) -> Path:
        # Whoosh removes what has a segment's name and is not listed.
        return self.folder / f"{_UNFINISHED}{segment.segid}"

    def to_rewrite(self, count: int) -> int:
        """Return papers to be indexed along with so many others, so that segments stay few.

        These are the papers of segments about as small, so that each paper is indexed anew only
        when its segment has doubled; and of those that have lost most of their papers.
        """
        papers = 0
        for one in sorted(self.committed.placed, key=lambda one: one.live.bit_count()):
            alive = one.live.bit_count()
            if alive <= 2 * count < MOST_DOCUMENTS or 2 * alive < one.arrays.size:
                papers |= one.papers(one.live)
                count += alive
        return papers

    def update(self, documents: Sequence[Document], papers: int, state: State) -> None:
        """Index papers in one commit; `writing` is held.

        Args:
            documents: The papers as they are, at most `segment.MOST_DOCUMENTS`.
            papers: These papers' numbers, and those of papers that are gone.
            state: What all papers are now.
        """
        added = []
        if documents:
            segment, path = self.new_segment()
            inverter = Inverter()
            for document in documents:
                inverter.add(document)
            inverter.write(path)
            segment.set_doc_count(len(documents))
            added.append(segment)
        self.commit(added, papers, state)

    def commit(self, added: Sequence[ArraySegment], papers: int, state: State) -> None:
        """List new segments, whose files are written, in place of what papers were before.

        Args:
            added: The segments.
            papers: The papers that count no more as they were indexed before.
            state: What all papers are now.
        """
        assert self._index
        storage = self._index.storage
        listed = self._listed()
        placed = {one.segment.segid: one for one in self.committed.placed}
        for segment in added:
            self._unfinished(segment).rename(self.folder / segment.make_filename(EXTENSION))
        kept = []
        for segment in listed.segments:
            one = placed[segment.segid]
            gone = ((1 << one.arrays.size) - 1) ^ (one.live & ~one.documents(papers))
            for document in numbers_in(gone):
                segment.delete_document(document)
            if segment.doc_count():
                kept.append(segment)
        toc = TOC(listed.schema, [*kept, *added], listed.generation + 1)
        toc.write(storage, _NAME)
        clean_files(storage, _NAME, toc.generation, toc.segments)
        self.place(state)


@contextmanager
def _held(lock: Any) -> Iterator[bool]:
    """Hold a lock of Whoosh's, and tell whether it could be had."""
    alone = bool(lock.acquire())
    try:
        yield alone
    finally:
        if alone:
            lock.release()


def _names(listed: TOC) -> set[str]:
    return {segment.segid for segment in listed.segments}


def check_private(folder: Path) -> None:
    """Refuse a folder that is not the reader's own: its files would run as code.

    Raises:
        IndexUnusableError: It is not there, or somebody else could have written it.
    """
    try:
        status = folder.lstat()
    except OSError as error:
        raise IndexUnusableError(f"there is no index: {error.strerror}") from error
    if os.name == "posix" and (
        not stat.S_ISDIR(status.st_mode)
        or status.st_uid != os.getuid()
        or status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    ):
        raise IndexUnusableError(f"{folder} is not a private folder of yours")
