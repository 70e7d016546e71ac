"""The fields of a record, as readers take them from whatever a file says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from .. import latex, markup
from ..change import Change
from ..paper import Paper
from ..text import clean, clean_line, fingerprint_text, strip_ellipsis
from .found import RefusedError

if TYPE_CHECKING:
    from ..dates import Date

_NO_ABSTRACT = frozenset(
    "na none null nan nil noabstract noabstractavailable noabstractisavailable noabstractprovided "
    "notavailable notapplicable abstractnotavailable abstractunavailable abstract".split()
)
_RANGE = re.compile(r"(?<=\d)\s*(?:-{1,3}|[‐‑–—])\s*(?=[A-Za-z]?\d)")
_DOI_ADDRESS = re.compile(r"\b(?:doi\.org/|doi:\s*)(10\.\d{4,9}/[^\s\"'<>&]+)", re.IGNORECASE)
_DOI_ALONE = re.compile(
    r"(?:doi:?\s*)?(?:https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S+)", re.IGNORECASE
)
_ARXIV_NAME = re.compile(
    r"(?:arxiv\s*:\s*|arxiv\.org/(?:abs|pdf|html)/|corr\s+abs/|10\.48550/arxiv\.)"
    r"(\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[a-z]{2})?/\d{7}(?:v\d+)?)",
    re.IGNORECASE,
)
_CITATION_KEY = re.compile(r"[^\W\d_][^\s,{}\\%#~\"]{0,99}")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_SHORT_KEY = 30


def readable(text: str) -> str:
    """Return text without the markup and the LaTeX that services leave in it."""
    return latex.to_text(markup.to_text(text))


def readable_line(text: str) -> str:
    """Return text as `readable` does, as one cleaned line."""
    return clean_line(readable(text))


def abstract_of(text: str) -> tuple[str | None, bool]:
    """Return an abstract and whether it is cut short; words that say there is none are none."""
    abstract, cut = strip_ellipsis(clean(text).strip())
    if len(abstract) < 40 and fingerprint_text(abstract) in _NO_ABSTRACT:
        return None, False
    return abstract or None, cut and bool(abstract)


def date_beyond_year(date: Date) -> str | None:
    """Return a date where it tells more than the year."""
    return date.text if date.text and date.text != str(date.year or "") else None


def page_range(text: str) -> str:
    """Return pages with an en dash where they are a range."""
    return _RANGE.sub("–", text)


def ids_in(*texts: str) -> Iterator[tuple[str, str]]:
    """Yield the DOIs and arXiv ids that stand in addresses or other texts, with their schemes."""
    for text in (text.replace("%2F", "/") for text in texts):
        if found := _ARXIV_NAME.search(text):
            yield "arxiv", found[1]
        if found := _DOI_ADDRESS.search(text):
            yield "doi", found[1]


def doi_alone(text: str) -> str:
    """Return the DOI that a text is, in any of its spellings; empty where it is anything else."""
    found = _DOI_ALONE.fullmatch(text)
    return found[1] if found else ""


def number_in(text: str) -> str:
    """Return the number at the end of a text, such as an address that holds it; else the text."""
    found = re.search(r"(\d+)/?\s*$", text)
    return found[1] if found else text


def pmcid_of(text: str) -> str:
    """Return an identifier of PubMed Central as it is written, or an empty text."""
    found = re.search(r"(\d+)/?\s*$", text)
    return f"PMC{found[1]}" if found else ""


def citation_key(text: str) -> str:
    """Return a name if it looks like a citation key, else an empty text."""
    name = clean_line(text)
    is_key = (
        _CITATION_KEY.fullmatch(name) is not None
        and "://" not in name
        and not _UUID.fullmatch(name)
        and (len(name) <= _SHORT_KEY or any(map(str.isdigit, name)))
    )
    return name if is_key else ""


def details_of(pairs: Mapping[str, str]) -> dict[str, str]:
    """Return the details that are known, pages with an en dash."""
    cleaned = {name: clean_line(value) for name, value in pairs.items()}
    return {
        name: page_range(value) if name == "page" else value
        for name, value in cleaned.items()
        if value
    }


def venue_of(container: str, kind: str | None, details: Mapping[str, str]) -> str | None:
    """Return where a paper came out: what contains it, its conference, or who published it."""
    event = details.get("event-title") if kind == "paper-conference" else None
    return container or event or details.get("publisher") or details.get("authority") or None


def tagged(words: Iterable[str]) -> Change | None:
    """Return the change that adds keywords as tags, if there are any."""
    tags = tuple(dict.fromkeys(filter(None, map(clean_line, words))))
    return Change(add_tags=tags) if tags else None


def known_by(paper: Paper) -> Paper:
    """Return a paper that something tells from others.

    Raises:
        RefusedError: Nothing does.
    """
    if not (paper.key or paper.title or paper.abstract or paper.ids):
        raise RefusedError("it has no key, title, abstract or identifier to know the paper by")
    return paper
