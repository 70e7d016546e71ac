"""From files to the library, with a report of what became of every entry."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from .catalogue import Catalogue
from .change import Change
from .files import reason
from .formats import OWN, read
from .formats.found import Found, FoundList, FoundPaper, Guess, Kind, Refusal
from .formats.input import Input
from .formats.seed import FACTS_NAME
from .identity import CUT_TITLE_LENGTH, ids_clash, normal_arxiv, normal_doi, titles_agree
from .known import called, titles_fit
from .marks import Marks
from .naming import find, find_all
from .notes import CONFLICT
from .paper import Paper, ReadingList, Status
from .text import clean_line, fold, strip_ellipsis

_SUFFIXES = frozenset(
    ".txt .json .jsonl .ndjson .bib .bibtex .biblatex .ris .enw .nbib .ciw .xml .atom .rdf .csv "
    ".tsv".split()
)
"""Files of a folder that are looked into; a file that is named is always read."""


class Options(NamedTuple):
    """How files are taken in."""

    format: str = ""
    """The format they are of, one of `formats.TITLES`; told by the content where it is empty."""
    anchor: str = ""
    """The anchor whose reading list all their papers join, by key, identifier or title; where
    there is none, one of this title is made."""
    takes_notes: bool = False
    """Whether notes of other programs become notes here; our own always do."""


class Doing(NamedTuple):
    """How far an import has come."""

    path: Path
    entries: int
    """Entries of the file that were looked at."""
    done: int
    """Bytes of the file that were read."""
    size: int | None
    """Bytes of the file, where that is known."""

    @property
    def percent(self) -> str:
        """How much of the file was read, such as "40 %"; empty where that is not known."""
        return f"{100 * self.done // self.size} %" if self.size else ""


ENDED_EARLY = "ended before the end of the file: only these were taken"
"""What is said of a file whose import was ended."""


@dataclass(slots=True)
class FileReport:
    """What became of a file's entries. `read` is the sum of the next three."""

    path: str
    format: str = "unknown"
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    refused: list[Refusal] = field(default_factory=list)
    guesses: list[str] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    """Keys of the anchors whose lists the file holds."""
    is_whole: bool = True
    """Whether it was read to its end; otherwise only the entries counted here were taken."""

    @property
    def read(self) -> int:
        """Entries that were taken."""
        return self.added + self.updated + self.unchanged

    def count(self, outcome: str) -> None:
        """Count one entry as "added", "updated" or "unchanged"."""
        setattr(self, outcome, getattr(self, outcome) + 1)

    def to_json(self) -> dict[str, Any]:
        """Return the report as the command line prints it."""
        return {
            "path": self.path,
            "format": self.format,
            "read": self.read,
            "added": self.added,
            "updated": self.updated,
            "unchanged": self.unchanged,
            "refused": [
                {"line": one.line, "entry": one.entry, "reason": one.reason} for one in self.refused
            ],
            "guesses": list(self.guesses),
            "whole": self.is_whole,
        }


def inputs_in(paths: Iterable[Path | Input]) -> Iterator[Path | Input]:
    """Yield what to read: what is named, the files of a folder, those that a pattern fits.

    Of a folder the files with a usual ending that lie directly in it are read; hidden ones are not.
    """
    for path in paths:
        if isinstance(path, Input):
            yield path
            continue
        try:
            if path.is_dir():
                next(path.iterdir(), None)  # says why it cannot be listed
                yield from _files_in(path)
                continue
            pattern = str(path)  # glob.glob takes absolute ones too, unlike Path.glob
            is_there = os.path.lexists(path)  # also a link that leads nowhere is no pattern
            fitting = [] if is_there else sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207
        except OSError:
            fitting = []  # to be refused for the same reason when it is read
        yield from inputs_in(map(Path, fitting)) if fitting else [path]


def _files_in(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        is_usual = path.suffix.lower() in _SUFFIXES and path.name != FACTS_NAME
        if is_usual and not path.name.startswith(".") and path.is_file():
            yield path


def found_in(source: Path | Input, options: Options) -> Iterator[tuple[Found, Doing]]:
    """Yield what is in a file, and how far it has been read.

    A file that cannot be read is a refusal like any other.
    """
    if isinstance(source, Input):
        yield from _found(source, options)
        return
    try:
        if source.is_dir():
            next(source.iterdir(), None)  # says why it cannot be listed
        with source.open("rb") as stream:
            yield from _found(Input(stream, source, source.stat().st_size), options)
    except OSError as error:
        refusal = Refusal(None, None, f"cannot be read: {reason(error)}")
        yield refusal, Doing(source, 0, 0, None)


def _found(source: Input, options: Options) -> Iterator[tuple[Found, Doing]]:
    entries = 0
    for one in read(source, options.format):
        entries += not isinstance(one, Guess | Kind)
        yield one, Doing(source.path, entries, source.done, source.size)


class Begin(NamedTuple):
    """Here begins a file."""

    path: Path


class End(NamedTuple):
    """Here ends a file, or what is read of it."""

    is_whole: bool = True


PART_ENTRIES = 1000
"""About how many entries are stored together: others wait for the library that long."""

_TOLD_EVERY = 100
"""How many entries are read between two looks at whether to go on."""


def parts_of(
    sources: Iterable[Path | Input], options: Options, going_on: Callable[[Doing], bool]
) -> Iterator[list[Begin | Found | End]]:
    """Yield what is in files, in parts of a size that can be stored at once.

    Args:
        sources: Paths, with `*` and `?` for several, or files that are open already.
        options: How they are taken in.
        going_on: Called with how far it has come; ends it by returning False.
    """
    part: list[Begin | Found | End] = []
    entries = 0
    for source in inputs_in(sources):
        part.append(Begin(source.path if isinstance(source, Input) else source))
        goes_on, told = True, 0
        for found, doing in found_in(source, options):
            part.append(found)
            if not isinstance(found, Guess | Kind):
                entries += len(found.papers) if isinstance(found, FoundList) else 1
            if doing.entries >= told + _TOLD_EVERY:
                told = doing.entries
                if not (goes_on := going_on(doing)):
                    break
            if entries >= PART_ENTRIES:
                yield part
                part, entries = [], 0
        part.append(End(goes_on))
        if not goes_on:
            break
    if part:
        yield part


class Importer:
    """Stages what is found in files; the caller holds the library's lock and commits.

    Args:
        catalogue: Where papers and lists are staged.
        marks: What the reader did so far.
        options: How files are taken in.
    """

    def __init__(self, catalogue: Catalogue, marks: Marks, options: Options) -> None:
        self._catalogue = catalogue
        self._marks = marks
        self._options = options
        self._anchor = ""
        self.reports: list[FileReport] = []
        self._source = ""
        self._keys: dict[str, str] = {}
        self._joining: dict[str, list[str]] = {}
        self._notes_left = 0
        self.touched: set[str] = set()
        """Keys of the papers that are new or different."""
        self.changes: dict[str, Change] = {}
        """What the files say the reader did; only what the library does not know yet."""
        self.notes: dict[str, str] = {}

    @property
    def added(self) -> str:
        """How many papers were added so far, as one says it."""
        count = sum(report.added for report in self.reports)
        return f"{count} paper{'' if count == 1 else 's'}"

    @property
    def _report(self) -> FileReport:
        return self.reports[-1]

    def take(self, part: Iterable[Begin | Found | End], now: str) -> None:
        """Stage a part of what is in the files.

        Raises:
            NoSuchPaperError: The anchor to join can be one of several.
            OSError: A paper of the library cannot be read.
        """
        if self._options.anchor and not self._anchor:
            self._anchor = self._anchor_called(self._options.anchor, now)
        for one in part:
            match one:
                case Begin(path):
                    self.reports.append(FileReport(str(path)))
                    self._source = path.name
                    self._keys, self._joining, self._notes_left = {}, {}, 0
                case Kind(name):
                    self._report.format = name
                case FoundPaper():
                    self._take_found(one, now)
                case FoundList():
                    self._take_list(one, now)
                case Refusal():
                    self._report.refused.append(one)
                case Guess(text):
                    self._report.guesses.append(text)
                case End(is_whole):
                    self._end()
                    self._report.is_whole = is_whole

    def _anchor_called(self, name: str, now: str) -> str:
        if find_all(self._catalogue, name, anchors_only=True):
            return find(self._catalogue, name, anchors_only=True)
        for key in find_all(self._catalogue, name):  # a beginning is too little: it may be new
            title = self._catalogue.papers[key].title or ""
            if fold(name) in (fold(key), fold(title)) or normal_arxiv(name) or normal_doi(name):
                return key
        key, _ = self._catalogue.stage_paper(Paper("", title=clean_line(name)), now)
        self.touched.add(key)
        return key

    def _end(self) -> None:
        """Stage what only the whole file tells: which papers stand in which lists."""
        for name, keys in self._joining.items():
            anchor = self._keys.get(name, name)
            if anchor in self._catalogue.papers:
                self._join(anchor, keys)
            else:
                told = ", ".join(keys[:3]) + (" …" if keys[3:] else "")
                self._report.guesses.append(
                    f"the anchor “{name}” is not known: {told} joined no list"
                )
        if self._notes_left:
            self._report.guesses.append(
                f"{self._notes_left} with a note, kept among the details: --notes makes it yours"
            )

    def stored(self) -> None:
        """Forget what was staged: it is stored now."""
        self.touched, self.changes, self.notes = set(), {}, {}

    def _stage(self, paper: Paper, now: str, key: str | None = None) -> str:
        key, outcome = self._catalogue.stage_paper(paper, now, key)
        self._report.count(outcome)
        if outcome != "unchanged":
            self.touched.add(key)
        return key

    def _take_list(self, found: FoundList, now: str) -> None:
        papers = tuple(dict.fromkeys(self._stage(paper, now) for paper in found.papers))
        known = self._known_anchor(found.anchor, papers, self._source)
        anchor = self._stage(found.anchor, now, known)
        papers = tuple(key for key in papers if key != anchor)
        before = self._catalogue.lists.get(anchor)
        if before:  # a list never loses a paper to a shorter file of the same name
            is_same = before.source in (None, self._source)
            both = (papers, before.papers) if is_same else (before.papers, papers)
            papers = tuple(dict.fromkeys(chain(*both)))
            if not is_same:
                self._report.guesses.append(f"taken for the list of {before.source}")
        source = before.source if before and before.source else self._source
        if self._catalogue.stage_list(ReadingList(anchor, papers, source)):
            self.touched.update(papers)
        self._report.anchors.append(anchor)
        if self._anchor:
            self._join(self._anchor, papers)

    def _known_anchor(self, anchor: Paper, papers: tuple[str, ...], name: str) -> str | None:
        """Return the anchor that a list already hangs on; a title alone does not tell."""
        if key := self._catalogue.known.match(anchor):
            return key
        # Those of a list that went over to another anchor; they are few, and lists may be many.
        joined = self._catalogue.known.joined_as(called(anchor))
        for key, known in self._catalogue.lists.items():
            if key in joined:
                return key
            same_list = known.source == name or (papers and known.papers == papers)
            if same_list and _can_be_one(anchor.title, self._catalogue.papers[key].title):
                return key
        return None

    def _take_found(self, found: FoundPaper, now: str) -> None:
        note = found.note.strip() and found.note
        takes_note = self._options.takes_notes or self._report.format in OWN
        paper = replace(found.paper, source=found.paper.source or self._source)
        if note and not takes_note:  # it stays with what its file says of the paper
            paper = replace(paper, details={**paper.details, "note": clean_line(note)})
            self._notes_left += 1
        key = self._stage(paper, now, self._known_key(paper))
        if found.paper.key:
            self._keys[found.paper.key] = key
        for anchor in (*found.anchors, self._anchor):
            if anchor:
                self._joining.setdefault(anchor, []).append(key)
        if found.change:  # what the reader did here counts more than what a file says
            self._take_change(key, found.change)
        if note and takes_note:
            self._take_note(key, note)

    def _take_change(self, key: str, told: Change) -> None:
        before = self._marks.mark(key)
        mark = self.changes.get(key, Change()).applied(before)
        if mark.status is not Status.UNREAD:
            told = replace(told, status=None)
        change = Change.between(before, replace(told, starred=told.starred or None).applied(mark))
        if change != Change():
            self.changes[key] = change

    def _take_note(self, key: str, told: str) -> None:
        note = self.notes.get(key, self._marks.note(key))
        if told not in note:
            self.notes[key] = note + CONFLICT + told if note else told

    def _known_key(self, paper: Paper) -> str | None:
        """Return the paper that has or had the same key, where nothing speaks against it."""
        papers, known_by = self._catalogue.papers, self._catalogue.known
        key = paper.key if paper.key in papers else known_by.by_id("key", paper.key)
        known = papers.get(key) if key else None
        if not known or known_by.match(paper):
            return None
        return key if titles_fit(paper, known) and not ids_clash(paper, known) else None

    def _join(self, anchor: str, keys: Iterable[str]) -> None:
        known = self._catalogue.lists.get(anchor, ReadingList(anchor))
        papers = tuple(dict.fromkeys((*known.papers, *(key for key in keys if key != anchor))))
        if papers != known.papers:
            self._catalogue.stage_list(replace(known, papers=papers))
            self.touched.update(papers[len(known.papers) :])


def _can_be_one(title: str | None, known: str | None) -> bool:
    if not title or not known:
        return title == known
    shorter = min(strip_ellipsis(title)[0], strip_ellipsis(known)[0], key=len)
    return titles_agree(title, known) and (title == known or len(shorter) >= CUT_TITLE_LENGTH)
