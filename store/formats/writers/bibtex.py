"""BibTeX, as LaTeX takes it: letters beyond ASCII are commands, notes are not printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...paper import Entry
from .. import bibtex_writer
from . import Options


def write(entries: Iterable[Entry], options: Options) -> Iterator[str]:
    """Yield one entry a paper."""
    return bibtex_writer.write(entries, unicode=options.unicode, notes=options.notes)
