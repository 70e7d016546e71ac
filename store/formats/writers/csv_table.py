"""CSV with a header row, in the words that Zotero uses, as others read them as well."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator

from ...names import parts
from ...paper import Entry
from ...text import ELLIPSIS
from ..cells import defused
from . import Options, people_in


def _names(stored: Iterable[str], *, complete: bool = True) -> str:
    """Return names, each family first, parted by semicolons; bodies stand in braces."""
    names = list(map(_family_first, stored))
    return "; ".join(names if complete or not names else [*names, "et al."])


def _family_first(stored: str) -> str:
    name = parts(stored)
    if name.literal:
        return f"{{{name.family}}}"
    return ", ".join(filter(None, (name.family, name.suffix, name.given)))


def _detail(name: str) -> Callable[[Entry], str]:
    return lambda entry: entry.paper.details.get(name, "")


def _id(scheme: str) -> Callable[[Entry], str]:
    return lambda entry: entry.paper.ids.get(scheme, "")


def _type(entry: Entry) -> str:
    """Return the type, of a preprint by a word that is not taken for an article of a journal."""
    return "preprint" if entry.paper.type == "article" else entry.paper.type or ""


def _abstract(entry: Entry) -> str:
    paper = entry.paper
    return f"{paper.abstract or ''}{ELLIPSIS if paper.truncated else ''}"


_COLUMNS: dict[str, Callable[[Entry], str]] = {
    "Citation Key": lambda entry: entry.paper.key,
    "Item Type": _type,
    "Publication Year": lambda entry: str(entry.paper.year or ""),
    "Author": lambda entry: _names(entry.paper.authors, complete=entry.paper.authors_complete),
    "Title": lambda entry: entry.paper.title or "",
    "Publication Title": lambda entry: entry.paper.venue or "",
    "ISBN": _detail("ISBN"),
    "ISSN": _detail("ISSN"),
    "DOI": _id("doi"),
    "arXiv": _id("arxiv"),
    "PMID": _id("pmid"),
    "PMCID": _id("pmcid"),
    "Url": lambda entry: entry.paper.url or "",
    "Abstract Note": _abstract,
    "Date": lambda entry: entry.paper.date or str(entry.paper.year or ""),
    "Pages": _detail("page"),
    "Num Pages": _detail("number-of-pages"),
    "Issue": _detail("issue"),
    "Volume": _detail("volume"),
    "Journal Abbreviation": _detail("container-title-short"),
    "Series": _detail("collection-title"),
    "Number": _detail("number"),
    "Edition": _detail("edition"),
    "Publisher": _detail("publisher"),
    "Place": _detail("publisher-place"),
    "Conference Name": _detail("event-title"),
    "Language": _detail("language"),
    "Type": _detail("genre"),
    "Editor": lambda entry: _names(people_in(_detail("editor")(entry))),
    "File Attachments": lambda entry: "; ".join(entry.paper.files),
    "Manual Tags": lambda entry: "; ".join(entry.mark.tags),
    "Status": lambda entry: entry.mark.status.value,
    "Starred": lambda entry: "yes" if entry.mark.starred else "",
    "Notes": lambda entry: entry.note,
}


def write(entries: Iterable[Entry], options: Options) -> Iterator[str]:
    """Yield the header and one row a paper; lines end as RFC 4180 has them.

    It begins with a byte order mark, without which spreadsheets take it for another encoding.
    """
    buffer = io.StringIO()
    rows = csv.writer(buffer)
    columns = {name: of for name, of in _COLUMNS.items() if options.notes or name != "Notes"}
    rows.writerow(columns)
    yield "\ufeff" + buffer.getvalue()
    for entry in entries:
        buffer.seek(0)
        buffer.truncate()
        rows.writerow([defused(of(entry)) for of in columns.values()])
        yield buffer.getvalue()
