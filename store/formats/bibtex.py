"""BibTeX and BibLaTeX: each entry a paper, its citation key the paper's key.

Decoded is what is kept: LaTeX and stray HTML become text. What only other programs use
(timestamps, owners, groups, bookmarks) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .. import latex, markup
from ..change import MOST_TAG, Change, clean_tag
from ..dates import Date, date_from_parts, date_of, month_number
from ..identity import arxiv_version, normal_ids
from ..names import from_bibtex
from ..paper import Paper, Status
from ..text import clean, clean_line
from .bibtex_crossref import Crossrefs
from .bibtex_syntax import ROOM, Broken, Entry, parse
from .bibtex_types import (
    DETAILS,
    GENRES,
    ID_FIELDS,
    NAMES,
    TYPES,
    csl_type,
    number_variable,
)  # fmt: skip
from .fields import abstract_of, date_beyond_year
from .found import Found, FoundPaper, Guess, Refusal, RefusedError
from .input import Input

Fields = Mapping[str, str]

LONGEST_KEY = 200
"""Characters of a citation key that is kept."""

_TOLD = 3
"""Entries that are named where the same is said of several."""

_NO_PAPERS = frozenset(("xdata", "set"))
_NOTES = ("note", "annote", "annotation", "comment", "comments", "review")
_KEYWORDS = ("keywords", "keyword", "tags", "mendeley-tags")
_FILES = ("file", "pdf", "localfile", "local-url")
_URLS = ("url", "link", "ee", "howpublished")
_READ = {"read": Status.READ, "skimmed": Status.READING, "yes": Status.READ, "1": Status.READ,
         "true": Status.READ}  # fmt: skip

_HEAD = re.compile(r"^[ \t]*@[ \t]*[a-z]+\s*[{(]", re.IGNORECASE | re.MULTILINE)
_COMMAND_URL = re.compile(r"\\(?:url|path|nolinkurl|href)\s*\{\s*([^{}\s]+)[^{}]*\}")
_ESCAPED = re.compile(r"\\([_%&#$~])(?:\{\})?|\\[{}]|\{?\\textasciitilde\s*(?:\{\})?\}?|[{}]")
_ADDRESS = re.compile(r"(?:https?|ftp)://\S+", re.IGNORECASE)
_URL_IDS = (
    ("doi", re.compile(r"doi\.org/(?:doi:)?(10\.\d{4,9}/[^?#]+)", re.IGNORECASE)),
    ("doi", re.compile(r"/doi/(?:abs/|full/|e?pdf/)?(10\.\d{4,9}/[^?#]+)", re.IGNORECASE)),
    ("arxiv", re.compile(r"(arxiv\.org/(?:abs|pdf)/\S+)", re.IGNORECASE)),
    ("pmid", re.compile(r"(?:pubmed\.ncbi\.nlm\.nih\.gov|/pubmed)/(\d+)")),
    ("pmcid", re.compile(r"/(PMC\d+)")),
    ("acl", re.compile(r"aclanthology\.org/([A-Z]\d\d-\d{4}|\d{4}\.[\w-]+\.\d+)(?=[/.]|$)")),
    ("corpusid", re.compile(r"semanticscholar\.org/corpusid:(\d+)", re.IGNORECASE)),
)
_ARXIV_VENUE = re.compile(r"(?:\barxiv\s*[:.]\s*|\babs/)(\S+)", re.IGNORECASE)
_NOTE_IDS = (
    (
        "doi",
        re.compile(
            r"(?:doi:?\s*)?(?:https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)", re.IGNORECASE
        ),
    ),
    ("arxiv", re.compile(r"(?:arxiv(?: e-)?prints? )?(arxiv:\s*\S+)(?:\s.*)?", re.IGNORECASE)),
    ("pmid", re.compile(r"pmid:?\s*(\d+)", re.IGNORECASE)),
)
_NUMBERS = {"pmid": re.compile(r"\d+"), "pmcid": re.compile(r"(?:PMC)?\d+", re.IGNORECASE)}
_DASHES = re.compile(r"\s*(?:[–—]|-{2,})\s*")
_RANGE = re.compile(r"(\w*\d)\s?-\s?(\w*\d)")
_PARAGRAPHS = re.compile(r"\n\s*\n")


def looks_like(head: str) -> bool:
    """Tell whether a line of a file's beginning is that of an entry."""
    return _HEAD.search(head) is not None


def read(source: Input) -> Iterator[Found]:
    """Yield one paper an entry; also one without an end is named, and costs no other.

    Raises:
        RefusedError: There is no entry, nor anything else of BibTeX.
    """
    text = source.text()
    parsed = parse(text)
    if not parsed.entries and not looks_like(text):
        raise RefusedError("no line in it begins an entry of BibTeX")
    entries = [entry for entry in parsed.entries if isinstance(entry, Entry)]
    crossrefs = Crossrefs(entries, ROOM * len(text) + 1_000_000)
    for entry in parsed.entries:
        if isinstance(entry, Broken):
            yield Refusal(entry.line, clean_line(entry.key)[:80] or None, entry.reason)
        elif entry.type not in _NO_PAPERS:
            yield _found(entry, crossrefs.complete(entry))
    slips = parsed.slips
    if crossrefs.missing:
        slips["a reference to an entry that is not in the file"] = crossrefs.missing
    for slip, places in slips.items():
        yield Guess(f"{slip}: {_places(places)}")


def _places(places: list[tuple[int, str]]) -> str:
    told = [f"line {line}" + (f" ({clean_line(key)[:80]})" if key else "") for line, key in places]
    more = f" and {len(told) - _TOLD} more" if len(told) > _TOLD else ""
    return ", ".join(told[:_TOLD]) + more


def _found(entry: Entry, fields: Fields) -> FoundPaper | Refusal:
    key = clean_line(entry.key)
    authors, complete = from_bibtex(fields["author"]) if fields.get("author") else ((), True)
    abstract, truncated = abstract_of(_paragraphs(fields.get("abstract", "")))
    told = (clean(_decoded(fields[name])).strip() for name in _NOTES if name in fields)
    notes = list(filter(None, told))
    ids = normal_ids(_identifiers(key, fields, notes))
    container = _container(fields)
    subtype = _verbatim(fields.get("entrysubtype", ""))
    kind = csl_type(entry.type, subtype, container, is_on_arxiv="arxiv" in ids)
    details = _details(entry.type, fields, kind)
    date = _date(fields)
    paper = Paper(
        key=key if len(key) <= LONGEST_KEY else "",
        title=_title(fields, "title", "subtitle", "titleaddon")
        or (container if kind == "book" else None)
        or None,
        authors=authors,
        authors_complete=complete,
        year=date.year,
        venue=container or details.get("publisher"),
        abstract=abstract,
        truncated=truncated,
        ids=ids,
        url=_url(fields),
        type=kind,
        date=date_beyond_year(date),
        details=details,
        files=tuple(dict.fromkeys(_files(fields))),
        also=tuple(
            f"key:{name}" for name in map(clean_line, _split(fields.get("ids", ""))) if name
        ),
        version=arxiv_version(_verbatim(fields.get("eprint", ""))) if "arxiv" in ids else None,
    )
    if not (paper.key or paper.title or paper.abstract or paper.ids):
        reason = "it has no key, title, abstract or identifier to know the paper by"
        return Refusal(entry.line, key[:80] or None, reason)
    return FoundPaper(paper, _change(fields), "\n\n".join(dict.fromkeys(notes)))


def _decoded(value: str) -> str:
    return latex.to_text(markup.to_text(value), braces=True) if value else ""


def _line(value: str) -> str:
    return clean_line(_decoded(value)) if value else ""


def _paragraphs(value: str) -> str:
    """Return text as BibTeX takes it: only an empty line parts paragraphs."""
    parts = _PARAGRAPHS.split(clean(_decoded(value)))
    return "\n\n".join(filter(None, (" ".join(part.split()) for part in parts)))


def _verbatim(value: str) -> str:
    """Return an address or identifier: what is escaped for LaTeX as it is, nothing else changed."""
    value = _COMMAND_URL.sub(r"\1", value)
    return clean_line(
        _ESCAPED.sub(lambda found: found[1] or ("~" if "t" in found[0] else ""), value)
    )


def _title(fields: Fields, *names: str) -> str:
    parts: list[str] = []
    for name in names:
        part = _line(fields.get(name, ""))
        if part and not (parts and part in parts[0]):
            parts.append(part)
    return ": ".join(parts)


def _container(fields: Fields) -> str:
    """Return what the paper stands in: a journal, a book, or what its author says."""
    for name in ("journaltitle", "journal"):
        if title := _line(fields.get(name, "")):
            return title
    if title := _title(fields, "booktitle", "booksubtitle"):
        return title
    published = fields.get("howpublished", "")
    return "" if _ADDRESS.search(_verbatim(published)) else _line(published)


def _details(entry_type: str, fields: Fields, kind: str) -> dict[str, str]:
    details: dict[str, str] = {}
    for name, variable in DETAILS.items():
        if name in fields and variable not in details and (value := _line(fields[name])):
            details[variable] = value
    for name, variable in NAMES.items():
        if name in fields and (names := from_bibtex(fields[name])[0]):
            details[variable] = " and ".join(names)
    if pages := _line(fields.get("pages", "") or fields.get("eid", "")):
        pages = _DASHES.sub("–", pages)
        details["page"] = _RANGE.sub(r"\1–\2", pages) if _RANGE.fullmatch(pages) else pages
    if number := _line(fields.get("number", "")):
        in_series = "collection-title" in details
        details[number_variable(kind, in_series=in_series)] = number
    if issue := _line(fields.get("issue", "")):
        details.setdefault("issue", issue)
    default = entry_type if entry_type in ("phdthesis", "mastersthesis") else ""
    genre = details.pop("genre", default if entry_type in TYPES else entry_type)
    if genre and genre.lower() != kind:
        details["genre"] = GENRES.get(genre, genre)
    return details


def _date(fields: Fields) -> Date:
    date = _line(fields.get("date", "").replace("~", r"{\textasciitilde}"))  # EDTF's "about"
    year = _line(fields.get("year", ""))
    if date and not (date.isdecimal() and "month" in fields):
        told = date_of(date)
        return told if told.year or not year else told._replace(year=date_of(year).year)
    year = date or year
    month = _line(fields.get("month", "")).strip("., ")
    if not month or not year:
        return date_of(year)
    if (number := month_number(month)) and year.isdecimal():
        return date_from_parts((year, number, _line(fields.get("day", ""))))
    return date_of(f"{month} {year}")


def _url(fields: Fields) -> str | None:
    for name in _URLS:
        if name in fields and (found := _ADDRESS.search(_verbatim(fields[name]))):
            return found[0].rstrip(".,;") if name == "howpublished" else found[0]
    return _verbatim(fields.get("url", "")) or None


def _identifiers(key: str, fields: Fields, notes: list[str]) -> Iterator[tuple[str, str]]:
    for name, scheme in ID_FIELDS.items():
        value = _verbatim(fields[name]) if name in fields else ""
        if scheme not in _NUMBERS or _NUMBERS[scheme].fullmatch(value):
            yield scheme, value
    yield from _eprint(fields)
    for name in (*_URLS, "eprint"):
        if address := _verbatim(fields.get(name, "")):
            for scheme, pattern in _URL_IDS:
                if found := pattern.search(address):
                    yield scheme, found[1]
    for name in ("journal", "journaltitle", "volume", "howpublished"):
        if found := _ARXIV_VENUE.search(fields.get(name, "")):
            yield "arxiv", f"arxiv:{found[1]}"
    for note in notes:
        for scheme, pattern in _NOTE_IDS:
            if found := pattern.fullmatch(note):
                yield scheme, found[1]
    yield "dblp", key.removeprefix("DBLP:") if key.startswith("DBLP:") else ""


def _eprint(fields: Fields) -> Iterator[tuple[str, str]]:
    eprint = _verbatim(fields.get("eprint", ""))
    kind = (fields.get("eprinttype") or fields.get("archiveprefix") or "").strip().lower()
    if kind == "pubmed":
        yield "pmid", eprint
    elif kind in ("arxiv", ""):
        if eprint.isdecimal() and kind:  # 0405395 of the class astro-ph
            of_class = _verbatim(fields.get("eprintclass") or fields.get("primaryclass") or "")
            eprint = f"{of_class}/{eprint}"
        yield "arxiv", eprint


def _files(fields: Fields) -> Iterator[str]:
    """Yield paths, also out of the lists of JabRef, Zotero and Mendeley (`name:path:type;...`)."""
    for name in filter(fields.__contains__, _FILES):
        value = fields[name].replace(r"{\$\backslash\$}", "").replace(r"$\backslash$", "")
        if re.match(r"\w{2,}://", value):
            yield clean_line(value)
            continue
        for one in re.split(r"(?<!\\);", value):
            parts = re.split(r"(?<!\\):", one)
            if len(parts) > 3 and len(parts[1]) == 1:  # C:\papers\one.pdf
                parts[1:3] = [":".join(parts[1:3])]
            path = parts[1] if len(parts) > 2 else parts[0] or parts[-1]
            if path := clean_line(re.sub(r"\\([\\:;_&%#{}])", r"\1", path)):
                yield path


def _split(value: str) -> list[str]:
    return re.split(r"\s*;\s*" if ";" in value else r"\s*,\s*", value.strip())


def _change(fields: Fields) -> Change | None:
    told = [tag for name in _KEYWORDS if name in fields for tag in _split(_decoded(fields[name]))]
    tags = [tag for tag in map(clean_line, told) if clean_tag(tag) and len(tag) <= MOST_TAG]
    state = fields.get("readstatus") or fields.get("read") or ""
    rank = fields.get("ranking") or fields.get("rating") or ""
    change = Change(
        status=_READ.get(state.strip().lower()),
        starred=rank.strip().lower() in ("rank5", "5") or None,
        add_tags=tuple(dict.fromkeys(tags)),
    )
    return change if change != Change() else None
