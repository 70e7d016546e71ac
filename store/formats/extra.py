"""The free field of Zotero ("Extra", in CSL-JSON "note"), where lines like "PMID: 1" tell facts."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..text import clean_note
from .fields import citation_key, number_in, pmcid_of

_LINE = re.compile(r"\s*([A-Za-z][A-Za-z ._-]{1,30}?)\s*:\s*(\S.*?)\s*")

_SCHEMES = {
    "doi": "doi", "arxiv": "arxiv", "arxivid": "arxiv", "pmid": "pmid", "pubmedid": "pmid",
    "pmcid": "pmcid", "isbn": "isbn", "mag": "mag", "openalex": "openalex", "dblp": "dblp",
    "corpusid": "corpusid",
}  # fmt: skip
_VALUES = {"pmid": number_in, "pmcid": pmcid_of}
_KEYS = frozenset({"citationkey", "citekey", "bibtex"})


class Extra(NamedTuple):
    """What such a field tells."""

    key: str
    """The citation key, if there is one."""
    ids: tuple[tuple[str, str], ...]
    """Identifiers with their schemes, as they stand."""
    note: str
    """The other lines."""


def extra_of(text: str) -> Extra:
    """Return what stands in an Extra field."""
    key, ids, rest = "", [], []
    for line in clean_note(text).split("\n"):
        found = _LINE.fullmatch(line)
        name = "".join(filter(str.isalnum, found[1].lower())) if found else ""
        if found and name in _KEYS:
            key = citation_key(found[2])
        elif found and name in _SCHEMES:
            value = _VALUES.get(_SCHEMES[name], str)(found[2])
            ids.append((_SCHEMES[name], value))
        else:
            rest.append(line)
    return Extra(key, tuple(ids), "\n".join(rest).strip())
