"""The Whoosh index over a library's texts. The only module that knows Whoosh.

The index is derived and can be deleted at any moment. It answers which papers a word occurs in
and how well they fit; phrases are found by their words and then looked up in the text itself.
Its files are pickles: opening an index runs what it says. So it lives in the reader's own cache
folder and is never opened from one that somebody else could have written.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .analysis import stem, tokens
from .errors import StoreError
from .match import Fields, acceptor, matches
from .query import TEXT_FIELDS, Phrase, Text, Word

if TYPE_CHECKING:
    from whoosh.index import Index
    from whoosh.searching import Searcher

SCHEMA_VERSION = 1
"""Raised whenever what is indexed changes, so that an older index is built anew."""

FIELD_WEIGHTS = {
    "title": 3.0, "tags": 2.0, "authors": 2.0, "abstract": 1.0, "venue": 1.0, "note": 0.6,
}  # fmt: skip
"""How much a word counts in each field: title above abstract above note."""

_STEM_MARK = "="
"""Stands before a stem, so that stems and words as typed share a field without mixing."""


class IndexUnusableError(StoreError):
    """The index is missing, damaged, of another version, or not the reader's own."""


def terms(text: str) -> Iterator[str]:
    """Yield everything that a text is indexed under: its words, their stems, joined compounds."""
    for token in tokens(text):
        yield token.exact
        yield _STEM_MARK + token.stem
        if token.joined:
            yield token.joined
            yield _STEM_MARK + stem(token.joined)


def stamp(fields: Fields) -> str:
    """Return a short digest of a paper's texts, to tell whether the index knows their state."""
    digest = blake2b(digest_size=12)
    for name in TEXT_FIELDS:
        digest.update(f"{name}\0{fields[name]}\0".encode())
    return digest.hexdigest()


class Analyzer:
    """Hands Whoosh the terms of our own analysis. Kept in every index by its name."""

    def __call__(self, value: str, **_: Any) -> Iterator[Any]:
        """Yield the terms of value in one reused token, as Whoosh's own analyzers do."""
        from whoosh.analysis import Token

        token = Token()
        token.boost = 1.0
        for token.text in terms(value):
            yield token


class TextIndex:
    """A Whoosh index in a folder of its own.

    One thread may update while another searches: a search sees the last committed state.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._index: Index | None = None
        self._searcher: Searcher | None = None

    def open(self) -> dict[str, str]:
        """Open the index and return the stamp of every paper in it.

        Raises:
            IndexUnusableError: There is none to be trusted; `create` makes a new one.
        """
        from whoosh.index import open_dir

        _check_private(self._folder)
        try:
            if (self._folder / "version").read_text("ascii") != str(SCHEMA_VERSION):
                raise IndexUnusableError("the index is of another version")
            self._index = open_dir(self._folder)
            self._searcher = self._index.searcher()
            return {fields["key"]: fields["stamp"] for fields in self._searcher.all_stored_fields()}
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
        from whoosh.index import create_in

        self.close()
        try:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            _check_private(self._folder)
            self._index = create_in(self._folder, _schema())
            (self._folder / "version").write_text(str(SCHEMA_VERSION), "ascii")
            self._searcher = self._index.searcher()
        except OSError as error:
            raise IndexUnusableError(f"the index cannot be made: {error}") from error

    def close(self) -> None:
        """Close the index's files."""
        searcher, self._searcher = self._searcher, None
        if searcher:
            searcher.close()
        index, self._index = self._index, None
        if index:
            index.close()

    def update(self, papers: Mapping[str, Fields], removed: Iterable[str] = ()) -> bool:
        """Index papers anew and drop others, in one commit.

        Returns:
            Whether it was done; another program may be at it.
        """
        from whoosh.index import LockError

        assert self._index
        try:
            writer = self._index.writer()
        except LockError:
            return False
        try:
            for key in removed:
                writer.delete_by_term("key", key)
            for key, fields in papers.items():
                writer.update_document(key=key, stamp=stamp(fields), **fields)
        except BaseException:
            writer.cancel()
            raise
        writer.commit()
        # The searcher before is left to its users; it goes when the last of them is done.
        self._searcher = self._index.searcher()
        return True

    def matching(self, part: Text, among: Set[str], texts: Callable[[str], Fields]) -> set[str]:
        """Return the keys of the papers that match a part of a query.

        Args:
            part: The part.
            among: The papers that count.
            texts: Gives a paper's texts, where words alone do not decide.
        """
        searcher = self._searcher
        assert searcher
        fields = (part.field,) if part.field else TEXT_FIELDS
        if not isinstance(part, Phrase):
            return _keys(searcher, self._any_of(searcher, part, fields)) & among
        candidates: set[str] = set()
        for field in fields:
            words = (
                Word(word, "" if not part.stemmed else word, field)
                for word in (part.words[:-1] if part.prefix else part.words)
            )
            found = [_keys(searcher, self._any_of(searcher, word, (field,))) for word in words]
            candidates |= set.intersection(*found) if found else among
        return {key for key in candidates & among if matches(part, texts(key))}

    def scores(self, parts: Iterable[Text], keys: Set[str]) -> dict[str, float]:
        """Return how well papers fit the words of a query (BM25F), for those that fit at all."""
        from whoosh.query import Or
        from whoosh.scoring import BM25F

        assert self._index
        with self._index.searcher(weighting=BM25F()) as searcher:
            wanted = Or(
                [
                    self._any_of(searcher, word, (word.field,) if word.field else TEXT_FIELDS)
                    for part in parts
                    for word in _scored_words(part)
                ]
            )
            results = searcher.search(wanted, limit=None)
            scored = ((hit["key"], results.score(rank)) for rank, hit in enumerate(results))
            return {key: float(score) for key, score in scored if key in keys}

    def _any_of(self, searcher: Searcher, part: Text, fields: Iterable[str]) -> Any:
        """Return the Whoosh query for papers with a word in any of these fields."""
        from whoosh.query import Or, Term

        return Or(
            [
                Term(field, word, boost=FIELD_WEIGHTS[field])
                for field in fields
                for word in _index_terms(searcher, part, field)
            ]
        )


def _index_terms(searcher: Searcher, part: Text, field: str) -> Iterator[str]:
    """Yield the terms of a field that a word stands for."""
    assert not isinstance(part, Phrase)
    if isinstance(part, Word):
        yield _STEM_MARK + part.stem if part.stem else part.text
        if part.prefix:
            yield from _expand(searcher, field, part.text)
        return
    accepts = acceptor(part)
    beginning = getattr(part, "literal", "")
    yield from (word for word in _expand(searcher, field, beginning) if accepts(word))


def _expand(searcher: Searcher, field: str, beginning: str) -> Iterator[str]:
    for term in searcher.reader().expand_prefix(field, beginning):
        word = term.decode() if isinstance(term, bytes) else term
        if not word.startswith(_STEM_MARK):
            yield word


def _scored_words(part: Text) -> Iterator[Text]:
    if isinstance(part, Phrase):
        for word in part.words:
            yield Word(word, word if part.stemmed else "", part.field)
    else:
        yield part


def _keys(searcher: Searcher, wanted: Any) -> set[str]:
    stored = searcher.stored_fields
    return {stored(number)["key"] for number in searcher.docs_for_query(wanted)}


def _schema() -> Any:
    from whoosh.fields import ID, STORED, TEXT, Schema

    words = TEXT(analyzer=Analyzer(), phrase=False)
    return Schema(
        key=ID(stored=True, unique=True), stamp=STORED, **dict.fromkeys(TEXT_FIELDS, words)
    )


def _check_private(folder: Path) -> None:
    """Refuse a folder that is not the reader's own: its files would run as code."""
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
