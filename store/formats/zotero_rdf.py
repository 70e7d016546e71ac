"""Zotero's RDF export: items, and apart from them the notes, files and journals they refer to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ..dates import date_of
from ..identity import normal_ids
from ..names import Name, stored
from ..paper import Paper
from ..text import clean_line
from .extra import extra_of
from .fields import (
    abstract_of,
    date_beyond_year,
    details_of,
    ids_in,
    known_by,
    readable,
    readable_line,
    tagged,
    venue_of,
)
from .found import Found, FoundPaper, Refusal, RefusedError
from .input import Input
from .item_types import item_type
from .web_page import refuse_web_page
from .xml_text import Node, nodes
from .zotero_json import note_text

_RDF = re.compile(r"<(?:[\w-]+:)?RDF\b")
_NO_ITEMS = frozenset(
    "Journal Periodical Magazine Newspaper Website Blog Forum Proceedings Series Conference "
    "CourtReporter Collection Image".split()
)
"""What items refer to, as far as it says no type of its own."""

_ROLES = {
    "editors": "editor", "seriesEditors": "collection-editor", "translators": "translator",
    "bookAuthors": "container-author", "reviewedAuthors": "reviewed-author",
    "contributors": "contributor",
}  # fmt: skip
_AUTHORS = ("authors", "presenters", "programmers", "artists", "directors", "inventors",
            "podcasters", "cartographers", "performers", "interviewees")  # fmt: skip


def looks_like(head: str) -> bool:
    """Tell whether a file that begins like this is RDF of Zotero."""
    has_words = "zotero.org/namespaces" in head or "purl.org/net/biblio" in head
    return head.lstrip().startswith("<") and has_words and _RDF.search(head) is not None


def read(source: Input) -> Iterator[Found]:
    """Yield what is in an export.

    Raises:
        OSError: It cannot be read.
        RefusedError: Nothing of it, or nothing more, can be taken.
    """
    refuse_web_page(source.head())
    told: list[Node] = []
    problem: RefusedError | None = None
    try:
        told.extend(nodes(source.text(), lambda place: place.depth == 1))
    except RefusedError as error:
        problem = error
    yield from _Export(told).found()
    if problem:
        raise problem


class _Export:
    def __init__(self, told: Iterable[Node]) -> None:
        self._nodes = list(told)
        self._by_name: Mapping[str, Node] = {
            name: node for node in self._nodes if (name := node.attributes.get("about", ""))
        }
        self._wholes = {
            part.attributes.get("resource", "")
            for node in self._nodes
            for name in ("isPartOf", "presentedAt")
            for part in node.all(name)
        }
        self._collections: dict[str, list[str]] = {}
        for node in self._nodes:
            for part in node.all("hasPart") if node.name == "Collection" else ():
                name = part.attributes.get("resource", "")
                self._collections.setdefault(name, []).append(_line(node))
        self._used: set[int] = set()

    def found(self) -> Iterator[Found]:
        """Yield the items, and refuse the notes and files that hang on none."""
        beside: list[Node] = []
        for node in self._nodes:
            kind = node.first("itemType")
            if kind in ("note", "attachment") or node.name in ("Memo", "Attachment"):
                beside.append(node)
            elif kind or not (
                node.name in _NO_ITEMS or node.attributes.get("about") in self._wholes
            ):
                try:
                    yield self._item(node, kind or node.name)
                except RefusedError as error:
                    name = clean_line(node.first("title"))[:80] or node.attributes.get("about")
                    yield Refusal(node.line, name, str(error))
        for node in beside:
            if id(node) not in self._used:
                what = "a note" if node.name == "Memo" else "a file"
                name = clean_line(node.first("title"))[:80] or node.attributes.get("about")
                yield Refusal(node.line, name, f"this is {what} without a paper")

    def _item(self, node: Node, kind_name: str) -> FoundPaper:
        extra = extra_of(node.first("description"))
        kind = "personal_communication" if kind_name == "letter" else item_type(kind_name)
        wholes = self._meant(node, "isPartOf")
        series = [whole for whole in wholes if whole.name == "Series"]
        series += [outer for whole in wholes for outer in self._meant(whole, "isPartOf")]
        containers = [whole for whole in wholes if whole.name != "Series"]
        told = [node, *containers, *series]
        named = [clean_line(name.text) for one in told for name in one.all("identifier")]
        details = self._details(node, told, containers, series, named)
        date = date_of(node.first("date"))
        abstract, is_cut = abstract_of(readable(node.first("abstract")))
        address = clean_line(node.first("identifier", "URI", "value"))
        container = next(filter(None, (_line(whole) for whole in containers)), "")
        files, notes = self._beside(node)
        paper = Paper(
            key=extra.key,
            title=_line(node) or None,
            authors=tuple(name for role in _AUTHORS for name in _names(node, role)),
            year=date.year,
            venue=venue_of(container, kind, details),
            abstract=abstract,
            truncated=is_cut,
            ids=normal_ids((*_ids(named), *ids_in(address), *extra.ids)),
            url=address or None,
            type=kind,
            date=date_beyond_year(date),
            details=details,
            files=files,
        )
        note = "\n\n".join(filter(None, (*notes, extra.note)))
        placed = self._collections.get(node.attributes.get("about", ""), [])
        return FoundPaper(known_by(paper), tagged([*_tags(node), *placed]), note)

    def _meant(self, node: Node, name: str) -> list[Node]:
        """Return what an element holds or refers to."""
        found: list[Node] = []
        for one in node.all(name):
            referred = self._by_name.get(one.attributes.get("resource", ""))
            found.extend([referred] if referred else one.children)
        return found

    def _beside(self, node: Node) -> tuple[tuple[str, ...], list[str]]:
        """Return the files and the notes of an item."""
        files: list[str] = []
        for one in self._meant(node, "link"):
            self._used.add(id(one))
            paths = [*one.all("resource"), *one.all("path")]
            told = [path.attributes.get("resource") or path.text for path in paths]
            told.append(one.first("identifier", "URI", "value"))
            files.extend(filter(None, [next(filter(None, map(clean_line, told)), "")]))
        memos = self._meant(node, "isReferencedBy")
        self._used.update(map(id, memos))
        notes = [note_text(memo.first("value")) for memo in memos]
        return tuple(dict.fromkeys(files)), notes

    def _details(
        self,
        node: Node,
        told: list[Node],
        containers: list[Node],
        series: list[Node],
        named: list[str],
    ) -> dict[str, str]:
        def first(*path: str) -> str:
            return next(filter(None, (one.first(*path) for one in told)), "")

        numbered = first("number")
        details = {
            "volume": first("volume"),
            "issue" if containers else "number": numbered,
            "page": node.first("pages"),
            "edition": first("edition"),
            "publisher": first("publisher", "Organization", "name"),
            "publisher-place": first("publisher", "Organization", "adr", "Address", "locality"),
            "collection-title": next(filter(None, map(_line, series)), ""),
            "event-title": next(filter(None, map(_line, self._meant(node, "presentedAt"))), ""),
            "language": node.first("language"),
            "genre": node.first("type"),
            "number-of-pages": node.first("numPages"),
            "container-title-short": first("alternative"),
            "title-short": node.first("shortTitle"),
            **{name.upper(): _named(named, name) for name in ("issn", "isbn")},
        }
        details |= {role: " and ".join(_names(node, told_as)) for told_as, role in _ROLES.items()}
        return details_of(details)


def _line(node: Node) -> str:
    return readable_line(node.first("title"))


def _names(node: Node, role: str) -> Iterator[str]:
    for person in node.all(role, "Seq", "li", "Person"):
        family = clean_line(person.first("surname"))
        given = clean_line(person.first("givenName") or person.first("givenname"))
        if name := stored(Name(family, given) if given else Name(family, literal=" " in family)):
            yield name


def _named(named: Iterable[str], scheme: str) -> str:
    found = (name[len(scheme) :] for name in named if re.match(rf"{scheme}\b", name, re.IGNORECASE))
    return clean_line(next(found, ""))


def _ids(named: Iterable[str]) -> Iterator[tuple[str, str]]:
    yield "doi", _named(named, "doi")
    yield from ids_in(*named)


def _tags(node: Node) -> Iterator[str]:
    for subject in node.all("subject"):
        yield subject.first("AutomaticTag", "value") or subject.text.strip()
