"""Which paper a KEY or ANCHOR argument means."""

from __future__ import annotations

from collections.abc import Sequence, Set
from contextlib import suppress

from .catalogue import Catalogue
from .columns import SEPARATOR
from .errors import NoSuchPaperError
from .text import fold


def find(catalogue: Catalogue, name: str, *, anchors_only: bool = False) -> str:
    """Return the key of the paper that a KEY or ANCHOR argument means.

    Args:
        catalogue: The papers.
        name: A key, an arXiv id, a DOI, or the unambiguous beginning of a key or a title.
        anchors_only: Whether only anchors are meant.

    Raises:
        NoSuchPaperError: It means none, or several.
    """
    kind = "anchor" if anchors_only else "paper"
    candidates = find_all(catalogue, name, anchors_only=anchors_only)
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise NoSuchPaperError(
            f"“{name}” can mean {len(candidates)} {kind}s: "
            f"{', '.join(candidates[:5])}{' …' if len(candidates) > 5 else ''}.",
            hint="Give more of it.",
        )
    raise NoSuchPaperError(
        f"No {kind} is called “{name}”.",
        hint="Give a key or its beginning, an arXiv id, a DOI or the beginning of a title.",
    )


def find_all(catalogue: Catalogue, name: str, *, anchors_only: bool = False) -> list[str]:
    """Return the keys of the papers that a KEY or ANCHOR argument can mean."""
    from .identity import normal_arxiv, normal_doi

    keys = catalogue.lists if anchors_only else catalogue.papers
    wanted = name.strip()
    if wanted in keys:
        return [wanted]
    if (present := present_key(catalogue, wanted)) in keys:
        return [present]
    columns = catalogue.columns
    numbers = [*columns.numbers(keys)]
    names, titles = columns.names(), columns.titles()
    folded = fold(wanted)
    for identifier in filter(None, (normal_arxiv(wanted), normal_doi(wanted))):
        mark = f"{SEPARATOR}{identifier.casefold()}{SEPARATOR}"
        for number in numbers:
            if mark in names[number]:
                return [columns.keys[number]]

    def beginning(texts: Sequence[str]) -> list[str]:
        return [columns.keys[one] for one in numbers if texts[one].startswith(folded)]

    if not wanted:
        return []
    return [key for key in keys if fold(key).startswith(folded)] or beginning(titles)


def present_key(catalogue: Catalogue, key: str) -> str:
    """Return the key that a paper has now: where it was joined to another one, that one's.

    A key that never stood for any paper is returned as it is.
    """
    if not key or key in catalogue.papers:
        return key
    columns, mark = catalogue.columns, f"{SEPARATOR}{key.casefold()}{SEPARATOR}"
    for number, names in enumerate(columns.names()):
        if mark in names:
            with suppress(KeyError, OSError):
                if f"key:{key}" in catalogue.paper_at(number).also:
                    return columns.keys[number]
    return key


def lost(catalogue: Catalogue, keys: Set[str]) -> int:
    """Return how many keys stand for no paper, nor for one that was joined to another."""
    if not keys:
        return 0
    names = {name for names in catalogue.columns.names() for name in names.split(SEPARATOR)}
    return sum(key.casefold() not in names for key in keys)
