"""CSL-JSON: a list of items, in the variables of CSL 1.0.2.

What CSL has no variable for goes into "custom", where other programs leave it alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from ...names import parts
from ...paper import Entry, Paper, Status
from ...text import ELLIPSIS
from . import Options, people_in

NAMES = frozenset(
    "author chair collection-editor compiler composer container-author contributor curator "
    "director editor editorial-director executive-producer guest host illustrator interviewer "
    "narrator organizer original-author performer producer recipient reviewed-author "
    "script-writer series-creator translator".split()
)
"""The variables that hold names."""

DATES = frozenset("accessed available-date event-date issued original-date submitted".split())
"""The variables that hold dates."""

_VARIABLES = {"doi": "DOI", "pmid": "PMID", "pmcid": "PMCID"}
"""The variables of identifiers, by their schemes."""

_ALONE = frozenset(("book", "report", "thesis", "software", "dataset", "standard", "webpage"))
"""Types that come out by themselves: where they came out is who published them."""
_ISO = re.compile(r"-?\d{4}(?:-\d\d(?:-\d\d)?)?(?:/\d{4}(?:-\d\d(?:-\d\d)?)?)?")


def write(entries: Iterable[Entry], options: Options) -> Iterator[str]:
    """Yield the items, one a line."""
    separator = "[\n"
    for entry in entries:
        item = _item(entry, options)
        yield separator + json.dumps(item, ensure_ascii=False)
        separator = ",\n"
    yield "\n]\n" if separator == ",\n" else "[]\n"


def _item(entry: Entry, options: Options) -> dict[str, Any]:
    paper = entry.paper
    item: dict[str, Any] = {"id": paper.key, "type": paper.type or "document"}
    abstract = f"{paper.abstract}{ELLIPSIS if paper.truncated else ''}" if paper.abstract else None
    told = {
        "title": paper.title,
        "author": _names(paper.authors) + _others(paper),
        "issued": _date(paper.date or str(paper.year or "")),
        "abstract": abstract,
        **{variable: paper.ids.get(scheme) for scheme, variable in _VARIABLES.items()},
        "URL": paper.link,
        **_details(paper),
        "keyword": ", ".join(entry.mark.tags),
        "note": "\n".join(filter(None, (*_extra(paper), entry.note if options.notes else ""))),
        "custom": _custom(entry),
    }
    return item | {name: value for name, value in told.items() if value}


def _details(paper: Paper) -> dict[str, Any]:
    details: dict[str, Any] = {}
    for name, value in paper.details.items():
        if name in NAMES:
            details[name] = _names(people_in(value))
        else:
            details[name] = _date(value) if name in DATES else value
    if paper.venue and not (paper.type in _ALONE and paper.venue == details.get("publisher")):
        details.setdefault("container-title", paper.venue)
    return details


def _names(names: Iterable[str]) -> list[dict[str, str]]:
    written = []
    for name in map(parts, names):
        if name.literal or not (name.given or name.suffix):
            written.append({"literal" if name.literal else "family": name.family})
        else:
            pieces = {"family": name.family, "given": name.given, "suffix": name.suffix}
            written.append({part: text for part, text in pieces.items() if text})
    return written


def _date(text: str) -> dict[str, Any] | None:
    """Return a date as CSL has it: numbers where it is one, else as it is written."""
    if not text:
        return None
    if not _ISO.fullmatch(text):
        return {"raw": text}
    dates = [
        [int(number) for number in re.findall(r"(?:^-)?\d+", part)] for part in text.split("/")
    ]
    return {"date-parts": dates}


def _others(paper: Paper) -> list[dict[str, str]]:
    """Return the name that Better BibTeX gives to the authors who are not named."""
    return [] if paper.authors_complete or not paper.authors else [{"literal": "others"}]


def _extra(paper: Paper) -> Iterator[str]:
    """Yield identifiers for which CSL has no variable, as lines that Zotero understands."""
    for scheme, identifier in paper.ids.items():
        if scheme not in _VARIABLES:
            yield f"{'arXiv' if scheme == 'arxiv' else scheme}: {identifier}"


def _custom(entry: Entry) -> dict[str, Any]:
    paper, mark = entry.paper, entry.mark
    told: dict[str, Any] = {
        "tags": list(mark.tags),
        "starred": mark.starred,
        "status": mark.status.value if mark.status is not Status.UNREAD else "",
        "files": list(paper.files),
    }
    return {name: value for name, value in told.items() if value}
