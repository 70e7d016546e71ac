"""The index over a library's texts: opened, brought up to date, asked.

The index is derived and can be deleted at any moment. It answers which papers match a part of a
query and how well, by the papers' numbers. Whoosh's list of segments is a pickle: opening an
index runs what it says. So it lives in the reader's own cache folder and is never opened from one
that somebody else could have written.
"""

from __future__ import annotations

import os
import shutil
import stat
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from whoosh.index import TOC, clean_files, create_in, open_dir

from ..bits import numbers_in
from ..errors import StoreError
from ..query import Fuzzy, Text, Word
from .codec import EXTENSION, ArraySegment
from .inverting import Document, Inverter
from .matching import matching
from .placed import Lines, PlacedSegment
from .ranking import Collection, Ranking
from .schema import VERSION, schema
from .segment import MOST_DOCUMENTS
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from whoosh.index import FileIndex

_NAME = "MAIN"
_UNFINISHED = "unfinished-"
_MOST_REMEMBERED = 300
"""Answers that are kept, of the newest parts of queries."""


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
    """An index in a folder of its own.

    One thread may update while others ask: an answer is of the last committed state.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._index: FileIndex | None = None
        self._generation = -1
        self._show(())

    @property
    def known(self) -> int:
        """The papers that the index holds as they are."""
        return reduce(or_, (one.papers(one.live) for one in self._placed), 0)

    def open(self, state: State) -> None:
        """Open the index, or what another program made of it since.

        Raises:
            IndexUnusableError: There is none to be trusted; `create` makes a new one.
        """
        check_private(self.folder)
        try:
            if (self.folder / "version").read_text("ascii") != str(VERSION):
                raise IndexUnusableError("the index is of another version")
            self._index = open_dir(self.folder)
            self.place(state)
        except IndexUnusableError:
            raise
        except Exception as error:  # Whoosh raises nearly anything on damage
            self.close()
            raise IndexUnusableError(f"the index cannot be read: {error}") from error

    def create(self) -> None:
        """Make an empty index in place of whatever is there.

        Raises:
            IndexUnusableError: The folder cannot be written.
        """
        self.close()
        try:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            check_private(self.folder)
            self._index = create_in(self.folder, schema())
            (self.folder / "version").write_text(str(VERSION), "ascii")
            self._generation = 0
        except OSError as error:
            raise IndexUnusableError(f"the index cannot be made: {error}") from error

    def close(self) -> None:
        """Close the index's files; answers that are under way still have them."""
        index, self._index = self._index, None
        self._show(())
        if index:
            index.close()

    @property
    def is_current(self) -> bool:
        """Whether no other program has changed the index since it was opened."""
        return bool(self._index and self._index.latest_generation() == self._generation)

    def place(self, state: State) -> None:
        """Find out again which papers the index holds as they are."""
        assert self._index
        listed = TOC.read(self._index.storage, _NAME)
        opened = {one.segment.segid: one.arrays for one in self._placed}
        lines = Lines(state.lines)
        self._show(
            PlacedSegment(
                segment, opened.get(segment.segid) or segment.open(self.folder), lines, state.own
            )
            for segment in listed.segments
        )
        self._generation = listed.generation

    def _show(self, placed: Iterable[PlacedSegment]) -> None:
        self._placed = tuple(placed)
        self._collection = Collection(self._placed)
        self._vocabulary: Vocabulary | None = None
        self._answers: dict[Text, int] = {}

    # Writing

    @contextmanager
    def writing(self) -> Iterator[bool]:
        """Keep other programs from writing, and tell whether that could be had."""
        assert self._index
        lock = self._index.lock("WRITELOCK")
        got = lock.acquire()
        try:
            if got:
                for path in self.folder.glob(f"{_UNFINISHED}*"):  # of a program that was killed
                    path.unlink()
            yield got
        finally:
            if got:
                lock.release()

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
        for one in sorted(self._placed, key=lambda one: one.live.bit_count()):
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
        listed = TOC.read(storage, _NAME)
        placed = {one.segment.segid: one for one in self._placed}
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

    # Asking

    def matching(self, part: Text) -> int:
        """Return the papers that match a part of a query, among those that `known` holds."""
        answers = self._answers
        found = answers.get(part)
        if found is None:
            found = 0
            for one in self._placed:
                documents = matching(one.arrays, part, self._near) & one.live
                found |= one.papers(documents)
            if len(answers) > _MOST_REMEMBERED:
                answers.clear()
            answers[part] = found
        return found

    def best(self, parts: Iterable[Text], among: int, limit: int) -> list[tuple[int, float]]:
        """Return the papers that fit parts of a query best, with their scores (BM25F).

        Args:
            parts: The parts.
            among: The papers that count.
            limit: How many are wanted.
        """
        return Ranking(self._collection, parts, self._near).best(among, limit)

    def nearest(self, word: str) -> str:
        """Return the word nearest to one that does not occur, the commonest of several, or none."""
        near = self.vocabulary.distances(word, 2 if len(word) > 4 else 1)

        def rank(one: tuple[str, int]) -> tuple[int, int, str]:
            return one[1], -self.matching(Word(one[0], "")).bit_count(), one[0]

        return min(near, key=rank)[0] if near else ""

    def _near(self, fuzzy: Fuzzy) -> Sequence[str]:
        return self.vocabulary.near(fuzzy)

    @property
    def vocabulary(self) -> Vocabulary:
        """All words that occur."""
        vocabulary = self._vocabulary
        if vocabulary is None:
            vocabulary = Vocabulary(one.arrays for one in self._placed)
            self._vocabulary = vocabulary
        return vocabulary


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
