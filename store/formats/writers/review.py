"""The review of a reading list, or of any papers: the draft of a section on related work.

What is in it is here; how it is written, in `review_markdown` and `review_html`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from ...citations import STYLES, in_order, mention
from ...paper import Entry, Paper, Status
from ...text import clean_line, fold, opening
from . import GROUPS, Options

OPENING_WORDS = 60
"""Words of an abstract that are quoted."""

_STATUSES = {
    Status.READ: "Read",
    Status.READING: "Being read",
    Status.QUEUED: "Queued",
    Status.UNREAD: "Unread",
    Status.SKIPPED: "Skipped",
}


class Item(NamedTuple):
    """A paper where it stands in a review."""

    entry: Entry
    mention: str
    """How the text cites it."""
    number: int
    """Its place in the bibliography, counted from 1."""
    is_again: bool
    """Whether it stood under another heading before, with its note."""

    @property
    def signs(self) -> list[str]:
        """Star, status and tags, each as it is shown."""
        mark = self.entry.mark
        status = [] if mark.status is Status.UNREAD else [_STATUSES[mark.status].lower()]
        return [*(["★"] if mark.starred else []), *status, *(f"#{tag}" for tag in mark.tags)]

    @property
    def opening(self) -> str:
        """How the abstract begins."""
        paper = self.entry.paper
        text = opening(clean_line(paper.abstract or ""), OPENING_WORDS)
        return f"{text}…" if paper.truncated and not text.endswith("…") else text


class Section(NamedTuple):
    """Papers under one heading; the only section of a list has none."""

    title: str
    items: Sequence[Item]


class Review(NamedTuple):
    """Everything that a review tells."""

    title: str
    summary: Sequence[str]
    """Sentences on what was done to the papers."""
    sections: Sequence[Section]
    bibliography: Sequence[Paper]
    """In the order of its style."""


def review_of(entries: Iterable[Entry], options: Options) -> Review:
    """Return the review of papers.

    Raises:
        ValueError: There is no such group or style.
    """
    if options.group not in GROUPS:
        raise ValueError(f"“{options.group}” is none of {', '.join(GROUPS)}")
    if options.style not in STYLES:
        raise ValueError(f"“{options.style}” is none of {', '.join(STYLES)}")
    entries = list(entries)
    groups = list(_groups(entries, options.group))
    cited = {entry.paper.key: entry.paper for _, members in groups for entry in members}
    bibliography = in_order(cited.values(), options.style)
    numbers = {paper.key: number for number, paper in enumerate(bibliography, 1)}
    seen: set[str] = set()
    sections = []
    for title, members in groups:
        items = []
        for entry in members:
            paper = entry.paper
            number = numbers[paper.key]
            told = mention(paper, options.style, number)
            items.append(Item(entry, told, number, paper.key in seen))
            seen.add(paper.key)
        sections.append(Section(title, items))
    title = clean_line(options.heading) or "Papers"
    return Review(title, list(_summary(entries)), sections, bibliography)


def _groups(entries: Sequence[Entry], group: str) -> Iterator[tuple[str, list[Entry]]]:
    if group == "list":
        yield "", list(entries)
    elif group == "status":
        for status, title in _STATUSES.items():
            if members := [entry for entry in entries if entry.mark.status is status]:
                yield title, members
    elif group == "year":
        years: Callable[[Entry], int] = lambda entry: entry.paper.year or 0  # noqa: E731
        for year in sorted(set(map(years, entries)), reverse=True):
            yield str(year or "Year unknown"), [one for one in entries if years(one) == year]
    else:
        tags: dict[str, tuple[str, list[Entry]]] = {}
        for entry in entries:
            for tag in entry.mark.tags:
                tags.setdefault(fold(tag), (f"#{tag}", []))[1].append(entry)
        yield from (tags[name] for name in sorted(tags))
        if untagged := [entry for entry in entries if not entry.mark.tags]:
            yield "Without tags", untagged


def _summary(entries: Sequence[Entry]) -> Iterator[str]:
    statuses = Counter(entry.mark.status for entry in entries)
    counts = [
        f"{statuses[one]} {title.lower()}" for one, title in _STATUSES.items() if statuses[one]
    ]
    starred = sum(entry.mark.starred for entry in entries)
    noted = sum(bool(entry.note.strip()) for entry in entries)
    counts += [f"{number} {word}" for number, word in ((starred, "starred"), (noted, "with notes"))
               if number]  # fmt: skip
    papers = f"{len(entries)} paper{'' if len(entries) == 1 else 's'}"
    yield f"{papers}: {', '.join(counts)}." if counts else f"{papers}."
    tags = [tag for entry in entries for tag in entry.mark.tags]
    spelled = {fold(tag): tag for tag in reversed(tags)}
    told = (f"#{spelled[tag]} ({number})" for tag, number in Counter(map(fold, tags)).most_common())
    if tags:
        yield f"Tags: {', '.join(told)}."
