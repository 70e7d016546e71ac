"""A "related papers" list: `Related papers: TITLE`, then one paragraph an abstract."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...paper import Entry
from ...text import ELLIPSIS, clean_line, fingerprint_text
from . import Options


def holds(entry: Entry) -> bool:
    """Tell whether a list can hold a paper: it knows nothing but abstracts."""
    return bool(fingerprint_text(entry.paper.abstract or ""))


def write(entries: Iterable[Entry], options: Options) -> Iterator[str]:
    """Yield the title and the abstracts."""
    yield f"Related papers: {clean_line(options.heading) or 'Papers'}\n"
    for entry in entries:
        ellipsis = ELLIPSIS if entry.paper.truncated else ""
        yield f"\n{clean_line(entry.paper.abstract or '')}{ellipsis}\n"
