"""Works of Crossref: CSL-JSON with lists where CSL has texts, and a vocabulary of its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from . import csl_json
from .found import FoundPaper
from .item_types import item_type
from .json_values import Record, items, line, members

_SIGNS = frozenset(
    "reference-count references-count is-referenced-by-count deposited indexed content-domain "
    "published-print published-online member".split()
)
_ISSUED = ("issued", "published", "published-print", "published-online", "posted", "created")
_RENAMED = {
    "edition-number": "edition", "degree": "genre", "published-print": "", "published-online": "",
    "short-container-title": "container-title-short", "short-title": "title-short",
    "accepted": "", "approved": "", "published": "", "subtitle": "", "reference": "", "link": "",
}  # fmt: skip


def recognises(record: Record) -> bool:
    """Tell whether a record is a work of Crossref."""
    return "DOI" in record and not _SIGNS.isdisjoint(record)


def found(record: Record) -> FoundPaper:
    """Return the paper in a record.

    Raises:
        RefusedError: Nothing tells it from others.
    """
    known = {_RENAMED.get(name, name): value for name, value in record.items()}
    known |= {
        "type": item_type(line(record.get("type"))),
        "title": _title(record),
        "issued": _issued(record),
        "publisher": line(record.get("publisher"))
        or line(members(next(iter(items(record.get("institution"))), None)).get("name")),
        "number": line(record.get("article-number")),
    }
    if event := members(record.get("event")):
        known["event"] = line(event.get("name"))
        known["event-place"] = line(event.get("location"))
    read_as_csl = csl_json.found(known)
    texts = [members(link) for link in items(record.get("link"))]
    files = (line(one.get("URL")) for one in texts if "pdf" in line(one.get("content-type")))
    paper = replace(read_as_csl.paper, files=tuple(dict.fromkeys(filter(None, files))))
    return replace(read_as_csl, paper=paper)


def _title(record: Record) -> str:
    title, subtitle = line(record.get("title")), line(record.get("subtitle"))
    is_in_it = subtitle.casefold() in title.casefold()
    return title if is_in_it else ": ".join(filter(None, (title.rstrip(" :"), subtitle)))


def _issued(record: Record) -> Any:
    """Return the first date that is known: a list of nothing stands where none is."""
    dates = (record.get(name) for name in _ISSUED)
    known = (date for date in dates if csl_json.date_in(date).text)
    return next(known, None)
