"""Two papers beside what they would be as one, field by field.

Imports neither textual nor rich: what is said of two papers is settled before how it is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from anchorlight.store import Entry
from anchorlight.store.text import ELLIPSIS

SAME, DIFFERENT, ONE_ONLY = "=", "≠", "+"
"""What a field is in two papers: the same, different, or known of one of them alone."""

_LABELS = {"arxiv": "arXiv", "doi": "DOI"}


class Row(NamedTuple):
    """A field of two papers, and what it is when they are one; texts may have several lines."""

    label: str
    first: str
    second: str
    joined: str

    @property
    def sign(self) -> str:
        """Whether both papers say the same."""
        if self.first == self.second:
            return SAME
        return DIFFERENT if self.first and self.second else ONE_ONLY


def compare(first: Entry, second: Entry, joined: Entry, titles: Mapping[str, str]) -> list[Row]:
    """Return every field that one of two papers has.

    Args:
        first: One paper.
        second: The other.
        joined: What they are as one.
        titles: Titles of reading lists by their anchor.
    """
    entries = (first, second, joined)
    schemes = sorted({scheme for one in entries for scheme in one.paper.ids})
    details = sorted({name for one in entries for name in one.paper.details})
    columns = [_fields(entry, titles, schemes, details) for entry in entries]
    rows = (Row(label, *(column[label] for column in columns)) for label in columns[0])
    return [row for row in rows if any(row[1:])]


def _fields(
    entry: Entry, titles: Mapping[str, str], schemes: Iterable[str], details: Iterable[str]
) -> dict[str, str]:
    paper, mark = entry.paper, entry.mark
    more = "" if paper.authors_complete else ", et al."
    abstract = paper.abstract or ""
    return {
        "key": paper.key,
        "title": paper.title or "",
        "authors": ", ".join(paper.authors) + (more if paper.authors else ""),
        "year": paper.date or str(paper.year or ""),
        "venue": paper.venue or "",
        "type": paper.type or "",
        **{_LABELS.get(scheme, scheme): paper.ids.get(scheme, "") for scheme in schemes},
        "url": paper.url or "",
        **{name: paper.details.get(name, "") for name in details},
        "files": "\n".join(paper.files),
        "status": mark.status.value + (", starred" if mark.starred else ""),
        "tags": " ".join(f"#{tag}" for tag in mark.tags),
        "lists": "; ".join(titles.get(anchor, anchor) for anchor in entry.anchors),
        "note": entry.note,
        "abstract": abstract + (ELLIPSIS if abstract and paper.truncated else ""),
    }
