"""Which records are the same paper, and what a paper is called inside a library."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from dataclasses import replace

from .names import parts
from .paper import Paper
from .text import clean_line, fingerprint_text, fold, strip_ellipsis

OPENING_LENGTH = 120
"""Letters and digits that a cut abstract must share with a longer one to be taken for it."""

CUT_TITLE_LENGTH = 30
"""Characters a cut title needs before it may stand for a whole one."""

TELLING_LENGTH = 80
"""Abstracts shorter than this ("No abstract available.") need titles that agree as well."""

_ARXIV = re.compile(
    r"(?:arxiv[:.]\s*|arxiv\.org/(?:abs|pdf)/|^)"
    r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})(?:v\d+)?(?=$|\.pdf|[^\w.])",
    re.IGNORECASE,
)
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_MINOR_WORDS = frozenset(
    "a an and are as at by can do for from how in is of on or the to toward towards using via "
    "we what when why with this that these those our".split()
)


def normal_arxiv(text: str) -> str | None:
    """Return the arXiv identifier in text, without version, or None."""
    found = _ARXIV.search(text.strip())
    return found[1].lower() if found else None


def arxiv_version(text: str) -> int | None:
    """Return the version at the end of an arXiv identifier, or None."""
    found = re.search(r"\dv(\d{1,4})(?:\.pdf)?$", text.strip())
    return int(found[1]) if found else None


def normal_doi(text: str) -> str | None:
    """Return the DOI in text, in lower case and without its resolver, or None."""
    found = _DOI.search(text.strip())
    return found[0].lower().rstrip(".,;") if found else None


def normal_ids(ids: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return identifiers in normal form; an arXiv DOI (10.48550/arXiv.…) counts as an arXiv id."""
    normal: dict[str, str] = {}
    for raw_scheme, text in ids:
        scheme = raw_scheme.strip().lower()
        if scheme in ("arxiv", "doi") and (arxiv := normal_arxiv(text)):
            normal.setdefault("arxiv", arxiv)
        elif scheme == "doi":
            if doi := normal_doi(text):
                normal.setdefault("doi", doi)
        elif scheme and scheme != "arxiv" and text.strip():
            normal.setdefault(clean_line(scheme), clean_line(text))
    return normal


def titles_agree(first: str | None, second: str | None) -> bool:
    """Tell whether two titles can be of one paper; an unknown title disagrees with none."""
    if not first or not second:
        return True
    one, one_cut = strip_ellipsis(first)
    two, two_cut = strip_ellipsis(second)
    one, two = fingerprint_text(one), fingerprint_text(two)
    return one == two or (one_cut and two.startswith(one)) or (two_cut and one.startswith(two))


def abstracts_agree(first: Paper, second: Paper) -> bool:
    """Tell whether two abstracts are the same text, or one a cut one of the other."""
    one, two = fingerprint_text(first.abstract or ""), fingerprint_text(second.abstract or "")
    if one == two:
        both_titled = bool(first.title) == bool(second.title)
        return len(one) >= TELLING_LENGTH or (both_titled and bool(one))
    if first.truncated and len(one) >= OPENING_LENGTH and two.startswith(one):
        return True
    return second.truncated and len(two) >= OPENING_LENGTH and one.startswith(two)


def ids_clash(first: Paper, second: Paper) -> bool:
    """Tell whether two records have different identifiers of one scheme."""
    return any(second.ids.get(scheme, value) != value for scheme, value in first.ids.items())


def can_be_one(first: Paper, second: Paper) -> bool:
    """Tell whether nothing that is known of two records speaks against their being one paper."""
    if ids_clash(first, second) or not titles_agree(first.title, second.title):
        return False
    one, two = fingerprint_text(first.abstract or ""), fingerprint_text(second.abstract or "")
    begins = (first.truncated and two.startswith(one)) or (second.truncated and one.startswith(two))
    return not (one and two) or one == two or begins


def merged(known: Paper, record: Paper) -> Paper:
    """Return known completed by what record knows better; known itself where it adds nothing.

    The later of two versions of a preprint counts more.
    """
    before = known
    if record.version and known.version and record.version > known.version:
        known, record = replace(record, key=known.key, added=known.added), known
    title, abstract, truncated = known.title, known.abstract, known.truncated
    if record.title and (
        not title or (strip_ellipsis(title)[1] and len(record.title) > len(title))
    ):
        title = record.title
    if record.abstract and (not abstract or (truncated and len(record.abstract) > len(abstract))):
        abstract, truncated = record.abstract, record.truncated
    authors, complete = known.authors, known.authors_complete
    if record.authors and (not authors or (not complete and record.authors_complete)):
        authors, complete = record.authors, record.authors_complete
    result = replace(
        known,
        title=title,
        authors=authors,
        authors_complete=complete,
        year=known.year or record.year,
        venue=known.venue or record.venue,
        abstract=abstract,
        truncated=truncated,
        ids={**record.ids, **known.ids},
        url=known.url or record.url,
        type=known.type or record.type,
        date=known.date or record.date,
        details={**record.details, **known.details},
        files=tuple(dict.fromkeys((*known.files, *record.files))),
        also=tuple(dict.fromkeys((*known.also, *record.also))),
        version=known.version or record.version,
        source=known.source or record.source,
    )
    return before if result == before else result


def new_key(paper: Paper, taken: Container[str]) -> str:
    """Return a key for a new paper, such as `zhao2025memfine`: short, typeable, unique."""
    base = _slug_of(paper)
    if base not in taken:
        return base
    low, free = 1, 2
    while f"{base}-{free}" in taken:  # thousands may be called "Preface": not one after the other
        low, free = free, 2 * free
    while free - low > 1:
        middle = (low + free) // 2
        low, free = (middle, free) if f"{base}-{middle}" in taken else (low, middle)
    return f"{base}-{free}"


def _slug_of(paper: Paper) -> str:
    title, _ = strip_ellipsis(paper.title or "")
    words = [
        word
        for word in re.findall(r"[a-z0-9]+", fold(title or paper.abstract or ""))
        if word not in _MINOR_WORDS and len(word) > 1
    ]
    family = parts(paper.authors[0]).family if paper.authors else ""
    surname = re.sub(r"[^a-z0-9]", "", fold(family))
    if surname:
        return f"{surname[:20]}{paper.year or ''}{''.join(words[:1])[:20]}"
    return "-".join(words[:4])[:48].strip("-") or "paper"
