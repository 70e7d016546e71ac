"""What the command line prints: papers as plain text, and JSON that is safe on a terminal."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable
from datetime import datetime

from anchorlight.store import Entry
from anchorlight.store.text import clean_note

INDEX_AT_ONCE = 2000
"""Up to how many papers an import indexes; more wait for the first search, or for the program."""


def print_text(text: str, *, error: bool = False) -> None:
    """Print text, with tabs and line ends as its only control characters."""
    print(clean_note(text), file=sys.stderr if error else sys.stdout)


def print_raw(pieces: Iterable[str]) -> None:
    """Print text that goes into a file as it is; on a terminal, as `print_text` does."""
    if sys.stdout.isatty():
        pieces = map(clean_note, pieces)
    for piece in pieces:
        sys.stdout.write(piece)


# What JSON may hold unescaped, but a terminal may act on.
_RAW = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def print_json(value: object) -> None:
    """Print a value as JSON, with what a terminal may act on escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    print(_RAW.sub(lambda char: f"\\u{ord(char[0]):04x}", text))


def tell_progress(done: int, total: int) -> None:
    """Tell somebody who waits how far the index is."""
    if total > INDEX_AT_ONCE:
        tell_working(f"indexing {done} of {total} papers …" if done < total else "")


def tell_working(text: str) -> None:
    """Tell somebody who waits what is done, in place of what was told before."""
    if sys.stderr.isatty():
        print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)


def line_of(entry: Entry) -> str:
    """Return a paper as one line."""
    paper, mark = entry.paper, entry.mark
    signs = f"{mark.status.value:<8}{'*' if mark.starred else ' '}"
    facts = ", ".join(filter(None, (paper.byline, str(paper.year or ""))))
    return f"{signs} {paper.key}  {paper.display_title}{'  — ' + facts if facts else ''}"


def print_entries(entries: Iterable[Entry]) -> None:
    """Print a line a paper."""
    for entry in entries:
        print_text(line_of(entry))


def print_entry(entry: Entry) -> None:
    """Print all that is known of a paper."""
    paper, mark = entry.paper, entry.mark
    facts = {
        "key": paper.key,
        "authors": ", ".join(paper.names) + ("" if paper.authors_complete else ", et al."),
        "date": paper.date or str(paper.year or ""),
        "type": paper.type or "",
        "venue": paper.venue or "",
        **paper.details,
        **paper.ids,
        "url": paper.link or "",
        "files": ", ".join(paper.files),
        "status": mark.status.value + (", starred" if mark.starred else ""),
        "tags": " ".join(mark.tags),
        "anchors": ", ".join(entry.anchors),
    }
    print_text(paper.display_title)
    for name, value in facts.items():
        if value.strip(", "):
            print_text(f"{name}: {value}")
    if paper.abstract:
        print_text(f"\n{paper.abstract}{'…' if paper.truncated else ''}")
    if entry.note:
        print_text(f"\nnote:\n{entry.note}")


def local_time(time: str) -> str:
    """Return a stored time in the reader's own zone."""
    try:
        return f"{datetime.fromisoformat(time).astimezone():%Y-%m-%d %H:%M}"
    except ValueError:
        return "time unknown"
