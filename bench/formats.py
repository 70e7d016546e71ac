"""Papers a second that the readers of formats take in, beside the library one would take for each.

Reads the real files below `corpora/large` of the folder that `ANCHORLIGHT_SHARED` names, else of
`../shared`. A format has a row in `ROWS`: its reader runs on the bytes of a file, and the peer, in
a process of its own so that it need not be installed, on the same bytes. A peer that is missing
is told and binds nobody.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from anchorlight.store.formats import read
from anchorlight.store.formats.found import FoundPaper
from anchorlight.store.formats.input import Input
from table import Figure, at_least, tell

HERE = Path(__file__).parent
SHARED = Path(os.environ.get("ANCHORLIGHT_SHARED", HERE.parent.parent / "shared"))
RUNS = int(os.environ.get("RUNS", "10"))


class Row(NamedTuple):
    """A format, and whom it is measured beside."""

    format: str
    file: str
    """Below `corpora/large`."""
    part: str
    """What parts the entries of the file; the peer reads the first of them."""
    peer: str
    """What it is installed as."""
    program: str
    """The peer's program: reads standard input, prints how many entries, and the seconds."""
    times: float
    """So many times as many papers a second as the peer, at least."""


BIBTEXPARSER = """
import logging, sys, time
import bibtexparser
from bibtexparser.middlewares import LatexDecodingMiddleware
logging.disable(logging.CRITICAL)
text = sys.stdin.buffer.read().decode()
began = time.perf_counter()
library = bibtexparser.parse_string(text, append_middleware=[LatexDecodingMiddleware()])
print(len(library.entries), time.perf_counter() - began)
"""

ROWS = (
    Row("bibtex", "anthology_5000.bib", "\n@", "bibtexparser", BIBTEXPARSER, 5),
    # RIS, CSL-JSON and snapshots go here, each with its file and its peer.
)

PEER_ENTRIES = 1000
"""Entries that a peer reads: it may take half a minute for all."""


def ours(row: Row, content: bytes) -> float:
    """Return how many papers of a file are read in a second, from its bytes on."""
    began = time.perf_counter()
    papers = sum(type(found) is FoundPaper for found in read(Input.of(content), row.format))
    return papers / (time.perf_counter() - began)


def peers(row: Row, content: bytes) -> float:
    """Return how many entries a peer reads in a second, without its start."""
    command = [sys.executable, "-c", row.program]
    done = subprocess.run(command, input=content, capture_output=True, check=True)
    entries, seconds = map(float, done.stdout.split())
    return entries / seconds


def figure(row: Row) -> Figure | None:
    """Measure a format and its peer in turn, the best of each; None if there is no file."""
    path = SHARED / "corpora" / "large" / row.file
    if not path.exists():
        print(f"{row.format}: skipped, there is no {path}")
        return None
    content = path.read_bytes()
    first = row.part.join(content.decode().split(row.part)[:PEER_ENTRIES]).encode()
    has_peer = importlib.util.find_spec(row.peer) is not None
    if not has_peer:
        print(f"{row.format}: alone, as {row.peer} is not installed")
    mine, theirs = 0.0, 0.0
    for run in range(max(RUNS // 2, 1)):
        mine = max(mine, ours(row, content))
        if has_peer and run < 2:
            theirs = max(theirs, peers(row, first))
    limit = at_least(**{row.peer: row.times}) if has_peer else None
    name = f"{row.format}: papers a second, of {row.file}"
    return Figure(name, mine, {row.peer: theirs} if has_peer else {}, limit)


if __name__ == "__main__":
    sys.exit(tell([found for row in ROWS if (found := figure(row))], "formats"))
