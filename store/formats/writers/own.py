"""Our own format: one object with the list "papers", as the command line prints it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from ...paper import Entry
from . import Options


def write(entries: Iterable[Entry], options: Options) -> Iterator[str]:
    """Yield the papers with all that is known of them and what the reader did, one a line."""
    yield '{"papers": ['
    separator = "\n"
    for entry in entries:
        record = entry.to_json()
        if not options.notes:
            record["note"] = None
        yield separator + json.dumps(record, ensure_ascii=False)
        separator = ",\n"
    yield "\n]}\n"
