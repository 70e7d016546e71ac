"""From files to the library, with a report of what became of every entry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .catalogue import Catalogue
from .change import Change
from .files import reason
from .formats import read
from .formats.parsed import FoundList, FoundPaper, Parsed, Refusal
from .formats.seed import FACTS_NAME
from .identity import CUT_TITLE_LENGTH, ids_clash, titles_agree
from .marks import Marks
from .notes import CONFLICT
from .paper import Paper, ReadingList, Status
from .text import strip_ellipsis

_SUFFIXES = (".txt", ".json", ".jsonl", ".ndjson")
"""Files of a folder that are looked into; a file that is named is always read."""


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
        }


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files to read: those named, and those lying directly in a folder named."""
    for path in paths:
        try:
            files = sorted(path.iterdir()) if path.is_dir() else None
        except OSError:
            files = None  # to be refused for the same reason when it is read
        if files is None:
            yield path
            continue
        for file in files:
            if file.suffix.lower() in _SUFFIXES and file.name != FACTS_NAME and file.is_file():
                yield file


def read_file(path: Path) -> Parsed:
    """Read a file; one that cannot be read is a refusal like any other."""
    try:
        if path.is_dir():
            next(path.iterdir(), None)  # says why it cannot be listed
        return read(path, path.read_bytes())
    except OSError as error:
        return Parsed("unknown", refused=[Refusal(None, None, f"cannot be read: {reason(error)}")])


class Importer:
    """Puts parsed files into a library; the caller holds its lock and commits."""

    def __init__(self, catalogue: Catalogue, marks: Marks, now: str) -> None:
        self._catalogue = catalogue
        self._marks = marks
        self._now = now
        self.touched: set[str] = set()
        """Keys of the papers that are new or different."""
        self.changes: dict[str, Change] = {}
        """What the files say the reader did; only what the library does not know yet."""
        self.notes: dict[str, str] = {}

    def take(self, path: Path, parsed: Parsed) -> FileReport:
        """Stage a file's papers and lists."""
        report = FileReport(
            str(path), parsed.format, refused=parsed.refused, guesses=parsed.guesses
        )
        for found_list in parsed.lists:
            self._take_list(found_list, path, report)
        taken = [(found, self._take_paper(found, path.name, report)) for found in parsed.papers]
        keys = {found.paper.key: key for found, key in taken if found.paper.key}
        for found, key in taken:
            self._join_lists(key, found.anchors, keys, report)
        return report

    def _stage(self, paper: Paper, report: FileReport, key: str | None = None) -> str:
        key, outcome = self._catalogue.stage_paper(paper, self._now, key)
        report.count(outcome)
        if outcome != "unchanged":
            self.touched.add(key)
        return key

    def _take_list(self, found: FoundList, path: Path, report: FileReport) -> None:
        papers = tuple(dict.fromkeys(self._stage(paper, report) for paper in found.papers))
        known = self._known_anchor(found.anchor, papers, path.name)
        anchor = self._stage(found.anchor, report, known)
        before = self._catalogue.lists.get(anchor)
        if before:  # a list never loses a paper to a shorter file of the same name
            papers = tuple(dict.fromkeys((*papers, *before.papers)))
            if before.source and before.source != path.name:
                report.guesses.append(f"taken for the list of {before.source}")
        source = before.source if before and before.source else path.name
        if self._catalogue.stage_list(ReadingList(anchor, papers, source)):
            self.touched.update(papers)
        report.anchors.append(anchor)

    def _known_anchor(self, anchor: Paper, papers: tuple[str, ...], name: str) -> str | None:
        """Return the anchor that a list already hangs on; a title alone does not tell."""
        if key := self._catalogue.identity.match(anchor):
            return key
        for key, known in self._catalogue.lists.items():
            same_list = known.source == name or (papers and known.papers == papers)
            if same_list and _can_be_one(anchor.title, self._catalogue.papers[key].title):
                return key
        return None

    def _take_paper(self, found: FoundPaper, source: str, report: FileReport) -> str:
        paper = replace(found.paper, source=found.paper.source or source)
        key = self._stage(paper, report, self._known_key(paper))
        mark = self._marks.mark(key)
        if found.change:  # what the reader did here counts more than what a file says
            change = Change(
                status=found.change.status if mark.status is Status.UNREAD else None,
                starred=found.change.starred if not mark.starred else None,
                add_tags=tuple(tag for tag in found.change.add_tags if tag not in mark.tags),
            )
            if change != Change():
                self.changes[key] = change
        note = self._marks.note(key)
        if found.note.strip() and found.note not in note:
            self.notes[key] = note + CONFLICT + found.note if note else found.note
        return key

    def _known_key(self, paper: Paper) -> str | None:
        """Return the paper of the same key, where nothing speaks against it."""
        known = self._catalogue.papers.get(paper.key)
        if not known or self._catalogue.identity.match(paper):
            return None
        same = titles_agree(paper.title, known.title) and not ids_clash(paper, known)
        return paper.key if same else None

    def _join_lists(
        self, key: str, anchors: Iterable[str], keys: dict[str, str], report: FileReport
    ) -> None:
        for name in anchors:
            anchor = keys.get(name, name)
            if anchor not in self._catalogue.papers:
                report.guesses.append(f"the anchor “{name}” is not known: {key} joined no list")
                continue
            known = self._catalogue.lists.get(anchor, ReadingList(anchor))
            if key not in known.papers and key != anchor:
                joined = ReadingList(anchor, (*known.papers, key), known.source)
                self._catalogue.stage_list(joined)
                self.touched.add(key)


def _can_be_one(title: str | None, known: str | None) -> bool:
    if not title or not known:
        return title == known
    shorter = min(strip_ellipsis(title)[0], strip_ellipsis(known)[0], key=len)
    return titles_agree(title, known) and (title == known or len(shorter) >= CUT_TITLE_LENGTH)
