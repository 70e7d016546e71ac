"""Items of Zotero: as its web interface answers with them, and as Better BibTeX exports them."""

from __future__ import annotations

from collections.abc import Iterator

from ..change import Change
from ..dates import date_of
from ..identity import normal_ids
from ..markup import to_text
from ..names import Name, stored
from ..paper import Paper
from ..text import clean_note
from .extra import extra_of
from .fields import (
    abstract_of,
    citation_key,
    date_beyond_year,
    details_of,
    ids_in,
    known_by,
    pmcid_of,
    readable,
    readable_line,
    tagged,
    venue_of,
)
from .found import FoundPaper, RefusedError
from .item_types import item_type
from .json_values import Record, items, line, lines, members, text

_CONTAINERS = (
    "publicationTitle", "proceedingsTitle", "bookTitle", "encyclopediaTitle", "dictionaryTitle",
    "websiteTitle", "blogTitle", "forumTitle", "programTitle",
)  # fmt: skip
DETAILS = {
    "volume": "volume", "issue": "issue", "pages": "page", "edition": "edition",
    "publisher": "publisher", "university": "publisher", "institution": "publisher",
    "repository": "publisher", "company": "publisher", "studio": "publisher",
    "label": "publisher", "network": "publisher", "distributor": "publisher",
    "place": "publisher-place", "series": "collection-title", "seriesTitle": "collection-title",
    "seriesNumber": "collection-number", "conferenceName": "event-title",
    "meetingName": "event-title", "language": "language", "number": "number",
    "reportNumber": "number", "patentNumber": "number", "archiveID": "number",
    "thesisType": "genre", "reportType": "genre", "manuscriptType": "genre", "type": "genre",
    "genre": "genre", "websiteType": "genre", "presentationType": "genre",
    "numPages": "number-of-pages", "numberOfVolumes": "number-of-volumes", "section": "section",
    "versionNumber": "version", "shortTitle": "title-short",
    "journalAbbreviation": "container-title-short", "archive": "archive",
    "archiveLocation": "archive_location", "ISSN": "ISSN", "ISBN": "ISBN",
}  # fmt: skip
"""The fields of Zotero by the variables of CSL that they are."""

_ROLES = {
    "editor": "editor", "seriesEditor": "collection-editor", "translator": "translator",
    "bookAuthor": "container-author", "reviewedAuthor": "reviewed-author",
    "contributor": "contributor", "recipient": "recipient", "interviewer": "interviewer",
}  # fmt: skip
_AUTHORS = frozenset(
    "author presenter programmer artist director inventor podcaster cartographer performer "
    "interviewee sponsor".split()
)
_PARTS = frozenset({"note", "attachment", "annotation"})


def recognises(record: Record) -> bool:
    """Tell whether a record is an item of Zotero."""
    return "itemType" in record or "itemType" in members(record.get("data"))


def found(record: Record) -> FoundPaper:
    """Return the paper in an item, or what a note or an attachment adds to the paper it hangs on.

    Raises:
        RefusedError: It hangs on none, or nothing tells it from others.
    """
    item = members(record.get("data")) or record
    if line(item.get("itemType")) in _PARTS:
        return _part(item)
    extra = extra_of(text(item.get("extra")))
    kind = item_type(line(item.get("itemType")))
    kind = "personal_communication" if item.get("itemType") == "letter" else kind
    authors, details = _creators(item)
    details |= details_of(
        {name: text(item.get(field)) for field, name in DETAILS.items() if item.get(field)}
    )
    date = date_of(text(item.get("date")))
    abstract, is_cut = abstract_of(readable(text(item.get("abstractNote"))))
    container = next(filter(None, (line(item.get(name)) for name in _CONTAINERS)), "")
    keys = (citation_key(text(item.get(name))) for name in ("citationKey", "citekey"))
    paper = Paper(
        key=next(filter(None, keys), extra.key),
        title=_title(item) or None,
        authors=authors,
        year=date.year,
        venue=venue_of(container, kind, details),
        abstract=abstract,
        truncated=is_cut,
        ids=normal_ids((*_ids(item), *extra.ids)),
        url=line(item.get("url")) or None,
        type=kind,
        date=date_beyond_year(date),
        details=details,
        files=_files(item),
    )
    notes = (*map(_note, items(item.get("notes"))), extra.note)
    return FoundPaper(known_by(paper), _tags(item), "\n\n".join(filter(None, notes)))


def note_text(source: str) -> str:
    """Return a note of Zotero, which is HTML, as plain text."""
    return clean_note(to_text(source)).strip()


def _part(item: Record) -> FoundPaper:
    kind, parent = line(item.get("itemType")), line(item.get("parentItem"))
    if kind == "annotation":
        raise RefusedError("this is a mark in an attachment, not a paper")
    if not parent:
        raise RefusedError(f"this is {'a note' if kind == 'note' else 'a file'} without a paper")
    paper = Paper("", ids=normal_ids([("zotero", parent)]), files=_file(item))
    return FoundPaper(paper, _tags(item), _note(item))


def _title(item: Record) -> str:
    names = ("title", "caseName", "nameOfAct", "subject")
    return readable_line(next(filter(None, (line(item.get(name)) for name in names)), ""))


def _creators(item: Record) -> tuple[tuple[str, ...], dict[str, str]]:
    authors: list[str] = []
    others: dict[str, list[str]] = {}
    for creator in map(members, items(item.get("creators"))):
        whole = line(creator.get("name"))
        family, given = line(creator.get("lastName")), line(creator.get("firstName"))
        is_whole = bool(whole) or creator.get("fieldMode") == 1
        told = stored(Name(whole or family, literal=" " in (whole or family)) if is_whole
                      else Name(family, given) if family else Name(given))  # fmt: skip
        role = line(creator.get("creatorType"))
        if told and (role in _AUTHORS or not role):
            authors.append(told)
        elif told:
            others.setdefault(_ROLES.get(role, "contributor"), []).append(told)
    return tuple(authors), {role: " and ".join(names) for role, names in others.items()}


def _ids(item: Record) -> Iterator[tuple[str, str]]:
    yield "doi", line(item.get("DOI"))
    yield "pmid", line(item.get("PMID"))
    yield "pmcid", pmcid_of(line(item.get("PMCID")))
    yield from ids_in(*(line(item.get(name)) for name in ("url", "archiveID", "number")))
    yield "zotero", line(item.get("key")) or line(item.get("itemKey"))


def _tags(item: Record) -> Change | None:
    tags = items(item.get("tags"))
    return tagged(line(tag.get("tag") if isinstance(tag, dict) else tag) for tag in tags)


def _note(note: object) -> str:
    return note_text(text(note.get("note") if isinstance(note, dict) else note))


def _files(item: Record) -> tuple[str, ...]:
    files = (_file(members(one)) for one in items(item.get("attachments")))
    return tuple(dict.fromkeys(path for paths in files for path in paths))


def _file(item: Record) -> tuple[str, ...]:
    names = ("path", "localPath", "filename", "url")
    return lines(next(filter(None, (line(item.get(name)) for name in names)), ""))
