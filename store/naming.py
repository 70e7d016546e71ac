"""Which paper a KEY or ANCHOR argument means."""

from __future__ import annotations

from collections.abc import Sequence

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
