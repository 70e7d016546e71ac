"""Entry types and fields of BibTeX and BibLaTeX, and what they are in CSL 1.0.2."""

from __future__ import annotations

import re

from .item_types import CSL_TYPES

TYPES = {
    "article": "article-journal", "suppperiodical": "article-journal",
    "inproceedings": "paper-conference", "conference": "paper-conference",
    "book": "book", "mvbook": "book", "collection": "book", "mvcollection": "book",
    "proceedings": "book", "mvproceedings": "book", "reference": "book", "mvreference": "book",
    "manual": "book", "booklet": "pamphlet", "periodical": "periodical",
    "incollection": "chapter", "inbook": "chapter", "bookinbook": "chapter",
    "suppbook": "chapter", "suppcollection": "chapter", "inreference": "entry-encyclopedia",
    "thesis": "thesis", "phdthesis": "thesis", "mastersthesis": "thesis",
    "report": "report", "techreport": "report", "unpublished": "manuscript",
    "online": "webpage", "electronic": "webpage", "www": "webpage", "misc": "document",
    "software": "software", "softwareversion": "software", "softwaremodule": "software",
    "codefragment": "software", "dataset": "dataset", "patent": "patent",
    "audio": "song", "music": "song", "movie": "motion_picture", "video": "motion_picture",
    "image": "graphic", "artwork": "graphic", "jurisdiction": "legal_case",
    "legislation": "legislation", "legal": "treaty", "standard": "standard", "review": "review",
    "letter": "personal_communication", "performance": "performance", "talk": "speech",
    "presentation": "speech",
}  # fmt: skip
"""CSL types by entry types; every other one is a "document"."""

PREPRINT_TYPES = frozenset(("misc", "online", "electronic", "www", "unpublished"))
"""Entry types that are preprints (CSL's "article") where they have an arXiv identifier."""

SUBTYPES = {"magazine": "article-magazine", "newspaper": "article-newspaper"}
"""CSL types by BibLaTeX's `entrysubtype`, which may also be a CSL type itself."""

GENRES = {
    "phdthesis": "PhD thesis", "mastersthesis": "Master's thesis", "mathesis": "Master's thesis",
    "bathesis": "Bachelor's thesis", "candthesis": "Candidate thesis",
    "techreport": "Technical report", "resreport": "Research report",
}  # fmt: skip
"""What BibLaTeX's keys of kinds of theses and reports stand for."""

DETAILS = {
    "publisher": "publisher", "institution": "publisher", "school": "publisher",
    "organization": "publisher", "address": "publisher-place", "location": "publisher-place",
    "volume": "volume", "volumes": "number-of-volumes", "edition": "edition",
    "series": "collection-title", "chapter": "chapter-number", "version": "version",
    "language": "language", "langid": "language", "shorttitle": "title-short",
    "shortjournal": "container-title-short", "eventtitle": "event-title",
    "venue": "event-place", "eventdate": "event-date", "origdate": "original-date",
    "issn": "ISSN", "isbn": "ISBN", "pagetotal": "number-of-pages",
    "numpages": "number-of-pages", "type": "genre", "urldate": "accessed", "pubstate": "status",
}  # fmt: skip
"""CSL variables by fields; of several fields for one, the first here counts."""

NAMES = {"editor": "editor", "translator": "translator", "bookauthor": "container-author"}
"""CSL variables that hold names, by fields."""


ID_FIELDS = {
    "doi": "doi", "arxiv": "arxiv", "arxivid": "arxiv", "pmid": "pmid", "pmcid": "pmcid",
    "pmc": "pmcid", "openalex": "openalex", "s2": "s2", "corpusid": "corpusid", "mag": "mag",
    "dblp": "dblp", "acl": "acl", "zotero": "zotero",
}  # fmt: skip
"""Schemes of identifiers by fields."""

_PREPRINT_VENUE = re.compile(r"arxiv\b|corr\b|computing research repository\b", re.IGNORECASE)


def csl_type(entry_type: str, subtype: str, container: str, *, is_on_arxiv: bool) -> str:
    """Return the CSL type of an entry.

    Args:
        entry_type: In lower case.
        subtype: What the field `entrysubtype` says.
        container: The journal or book that it stands in.
        is_on_arxiv: Whether it has an identifier of arXiv.
    """
    subtype = subtype.strip().lower()
    if subtype := SUBTYPES.get(subtype, subtype if subtype in CSL_TYPES else ""):
        return subtype
    is_preprint = entry_type in PREPRINT_TYPES or (
        entry_type == "article" and (not container or _PREPRINT_VENUE.match(container))
    )
    return "article" if is_on_arxiv and is_preprint else TYPES.get(entry_type, "document")


def number_variable(csl_type: str, *, in_series: bool) -> str:
    """Return the CSL variable that the field `number` is for a type."""
    if csl_type in ("article-journal", "article-magazine", "article-newspaper", "periodical"):
        return "issue"
    return "collection-number" if in_series else "number"
