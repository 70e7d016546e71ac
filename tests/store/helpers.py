"""Ways to look at a library from outside, and to make the system fail."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anchorlight.store import Entry, Library, ReadingList
from anchorlight.store.formats.found import Found, FoundList, FoundPaper, Guess, Kind, Refusal

Open = Callable[..., Library]
Put = Callable[..., Any]


def full(*_: object, **__: object) -> Any:
    """Stand for a call of the system on a full disk."""
    raise OSError(errno.ENOSPC, "No space left on device")


def contents(folder: Path) -> dict[str, bytes | None]:
    """Return every file below a folder with its bytes, and every folder; not the lock."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if path.name != "lock"
    }


def is_kept(folder: Path, data: bytes) -> bool:
    """Tell whether some file of a folder is, byte for byte, what was damaged."""
    return any(path.is_file() and path.read_bytes() == data for path in folder.iterdir())


def state(library: Library) -> tuple[dict[str, Entry], dict[str, ReadingList]]:
    """Return the papers with marks and notes, and the reading lists, in no order."""
    entries = {entry.paper.key: entry for entry in library.listing("all")}
    anchors = [row.key.removeprefix("anchor:") for row in library.overview().anchors]
    return entries, {anchor: library.reading_list(anchor) for anchor in anchors}


def look_everywhere(library: Library) -> None:
    """Ask a library for everything that a program shows of it."""
    overview = library.overview()
    for row in (*overview.anchors, *overview.lists, *overview.tags):
        assert len(library.listing(row.key)) == row.papers
    for entry in library.listing("all"):
        key = entry.paper.key
        assert library.entry(key) == entry
        assert json.dumps(entry.to_json())
        assert not entry.note or library.note_versions(key)[-1].text == entry.note
    library.search("memory")
    library.search("memory", order="relevance")
    assert all(check.detail for check in library.checks())


@dataclass
class Gathered:
    """Everything that a reader found in a file, by kind."""

    format: str = ""
    lists: list[FoundList] = field(default_factory=list)
    papers: list[FoundPaper] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    guesses: list[str] = field(default_factory=list)


def gathered(found: Iterable[Found]) -> Gathered:
    """Return what a reader finds."""
    all_of_it = Gathered()
    for one in found:
        match one:
            case FoundList():
                all_of_it.lists.append(one)
            case FoundPaper():
                all_of_it.papers.append(one)
            case Refusal():
                all_of_it.refused.append(one)
            case Guess(text):
                all_of_it.guesses.append(text)
            case Kind(name):
                all_of_it.format = name
    return all_of_it
