"""A library: the one door through which the program reaches papers, marks, notes and search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from . import naming
from .catalogue import Catalogue
from .change import Change
from .errors import CannotReadError, NoSuchPaperError, NotSavedError
from .files import reason
from .paper import Entry, Paper
from .writing import Writing

if TYPE_CHECKING:
    from .duplicates import Pair
    from .formats.input import Input
    from .importing import Doing, FileReport, Options
    from .merging import MergeReport


_KNOWN_AT_ONCE = 100
"""Papers that are read between two looks at whether somebody else wants the library."""


class Library(Writing):
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

    def _begin(self, seeds: Path | None) -> None:
        """Store the first papers, or that there are none; from then on it is not new."""
        if seeds:
            self._import([seeds], "")  # nothing that the reader did, so nothing to undo
        else:
            with self._writing():
                self._catalogue.begin()

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
        step = stored = ""
        self._get_to_know()
        for part in parts_of(sources, options, going_on):
            try:
                with self._writing() as now:
                    importer.take(part, now)
                    with self._papers_stored(self._marks.span_of(step)) as span:
                        told = what and f"{what} of {importer.added}"
                        step = self._marks.go_on(
                            step, told, now, importer.changes, importer.notes, span
                        )
                    self._changed({*importer.touched, *importer.changes, *importer.notes})
            except NotSavedError as error:
                raise NotSavedError(error.message, hint=error.hint or stored) from error
            importer.stored()
            stored = what and f"Stored before that: {importer.added}; undo takes them back."
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
