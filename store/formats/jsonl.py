"""JSON Lines of PAPER objects, as `anchorlight list --json` prints them; any field may be missing.

The reader's own marks travel along: status, star, tags, note, and the reading lists by anchor.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from ..change import Change
from ..identity import arxiv_version, normal_ids
from ..paper import Paper, Status
from ..text import clean, clean_line, clean_note, strip_ellipsis
from .found import Found, FoundPaper, Refusal, RefusedError
from .input import Input


def looks_like(head: str) -> bool:
    """Tell whether a file that begins like this holds JSON."""
    return head.lstrip().startswith("{")


def read(source: Input) -> Iterator[Found]:
    """Yield one paper a line."""
    for number, line in source.lines():
        if line is None:
            yield Refusal(number, None, "the line is too long")
            continue
        if not line.strip():
            continue
        name = None
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise RefusedError("this is no JSON object")
            name = _name(record)
            yield _found(record)
        except RefusedError as error:
            yield Refusal(number, name, str(error))
        except json.JSONDecodeError as error:
            reason = f"this is no JSON: {error.msg} at column {error.colno}"
            yield Refusal(number, name, reason)
        except (ValueError, RecursionError):
            yield Refusal(number, name, "this JSON is too deep or too large")


def _name(record: Mapping[str, Any]) -> str | None:
    for field in ("key", "title"):
        if isinstance(value := record.get(field), str) and value.strip():
            return clean_line(value)[:80]
    return None


def _found(record: Mapping[str, Any]) -> FoundPaper:
    abstract, cut = strip_ellipsis(clean(_text(record, "abstract") or ""))
    identifiers = record.get("ids") or {}
    if not isinstance(identifiers, dict):
        raise RefusedError("“ids” is not an object")
    paper = Paper(
        key=clean_line(_text(record, "key") or ""),
        title=clean_line(_text(record, "title") or "") or None,
        authors=_texts(record, "authors"),
        year=_year(record.get("year")),
        venue=clean_line(_text(record, "venue") or "") or None,
        abstract=abstract or None,
        truncated=bool(abstract) and (cut or record.get("truncated") is True),
        ids=normal_ids((str(name), str(value)) for name, value in identifiers.items() if value),
        url=clean_line(_text(record, "url") or "") or None,
        version=arxiv_version(str(identifiers.get("arxiv") or "")),
    )
    if not (paper.key or paper.title or paper.abstract or paper.ids):
        raise RefusedError("it has no key, title, abstract or identifier to know the paper by")
    return FoundPaper(
        paper, _change(record), clean_note(_text(record, "note") or ""), _texts(record, "anchors")
    )


def _change(record: Mapping[str, Any]) -> Change | None:
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


def _text(record: Mapping[str, Any], field: str) -> str | None:
    value = record.get(field)
    if value is not None and not isinstance(value, str):
        raise RefusedError(f"“{field}” is not a text")
    return value


def _texts(record: Mapping[str, Any], field: str) -> tuple[str, ...]:
    value = record.get(field) or []
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RefusedError(f"“{field}” is not a list of texts")
    return tuple(filter(None, map(clean_line, value)))


def _year(value: object) -> int | None:
    if value is None or value == "":
        return None
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,8}\s*", value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 < value < 10000:
        raise RefusedError("“year” is not a year")
    return value
