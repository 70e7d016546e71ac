"""The PAPER objects that `anchorlight list --json` prints; any field may be missing.

The reader's own marks travel along: status, star, tags, note, and the reading lists by anchor.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..change import Change
from ..identity import arxiv_version, normal_ids
from ..names import parts, stored
from ..paper import Paper, Status
from ..text import clean, clean_line, clean_note, strip_ellipsis
from .fields import known_by
from .found import FoundPaper, RefusedError
from .json_values import Record

_SIGNS = frozenset({"key", "title", "abstract", "ids"})


def recognises(record: Record) -> bool:
    """Tell whether a record has anything that a paper could be known by."""
    return not _SIGNS.isdisjoint(record)


def found(record: Record) -> FoundPaper:
    """Return the paper in a record, with what the reader did to it.

    Raises:
        RefusedError: A field is not what it should be, or nothing tells the paper from others.
    """
    abstract = clean(_text(record, "abstract") or "").strip()
    cut = record.get("truncated") is True
    if not isinstance(record.get("truncated"), bool):
        abstract, cut = strip_ellipsis(abstract)
    identifiers = _table(record, "ids")
    paper = Paper(
        key=clean_line(_text(record, "key") or ""),
        title=_line(record, "title"),
        authors=_names(record),
        authors_complete=record.get("authors_complete") is not False,
        year=_year(record.get("year")),
        venue=_line(record, "venue"),
        abstract=abstract or None,
        truncated=bool(abstract) and cut,
        ids=normal_ids(identifiers.items()),
        type=_line(record, "type"),
        date=_line(record, "date"),
        details={clean_line(name): clean_line(text) for name, text in
                 _table(record, "details").items() if clean_line(text)},
        files=_texts(record, "files"),
        also=_texts(record, "also"),
        version=_version(record, identifiers.get("arxiv", "")),
        source=_line(record, "source"),
        added=_line(record, "added"),
    )  # fmt: skip
    url = _line(record, "url")
    if url != paper.link:  # what identifiers tell is printed as the address where none is known
        paper = replace(paper, url=url)
    note = clean_note(_text(record, "note") or "")
    return FoundPaper(known_by(paper), _change(record), note, _texts(record, "anchors"))


def _names(record: Record) -> tuple[str, ...]:
    """Return the authors; "names" has them as they are stored, "authors" as they are shown."""
    names = _texts(record, "names") or _texts(record, "authors")
    return tuple(filter(None, (stored(parts(name)) for name in names)))


def _change(record: Record) -> Change | None:
    status = _text(record, "status")
    starred = record.get("starred")
    if status is not None and status not in set(Status):
        raise RefusedError(f"“status” is none of {', '.join(Status)}")
    if starred is not None and not isinstance(starred, bool):
        raise RefusedError("“starred” is neither true nor false")
    change = Change(
        status=Status(status) if status and status != Status.UNREAD else None,
        starred=starred or None,
        add_tags=_texts(record, "tags"),
    )
    return change if change != Change() else None


def _text(record: Record, field: str) -> str | None:
    value = record.get(field)
    if value is not None and not isinstance(value, str):
        raise RefusedError(f"“{field}” is not a text")
    return value


def _line(record: Record, field: str) -> str | None:
    return clean_line(_text(record, field) or "") or None


def _texts(record: Record, field: str) -> tuple[str, ...]:
    value = record.get(field) or []
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RefusedError(f"“{field}” is not a list of texts")
    return tuple(filter(None, map(clean_line, value)))


def _table(record: Record, field: str) -> dict[str, str]:
    value = record.get(field) or {}
    if not isinstance(value, dict):
        raise RefusedError(f"“{field}” is not an object")
    return {name: str(text) for name, text in value.items() if text}


def _version(record: Record, arxiv: str) -> int | None:
    version = record.get("version")
    if isinstance(version, int) and not isinstance(version, bool) and 0 < version < 10000:
        return version
    return arxiv_version(arxiv)


def _year(value: object) -> int | None:
    if value is None or value == "":
        return None
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,8}\s*", value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 10000:
        raise RefusedError("“year” is not a year")
    return value
