"""Anchorlight's own search, as the benches drive it: by the library's public face alone."""

from __future__ import annotations

import shutil
import statistics
import time
from itertools import islice
from pathlib import Path

from peers import SHOWN, Contender


class Ours(Contender):
    """A library of the corpus, with an index beside it."""

    def build(self, processes: int) -> tuple[int, float]:
        """Build the index of a library that has none."""
        from anchorlight.store import Library

        place = self.folder / "library"
        if not place.exists():
            place.mkdir()
            shutil.copyfile(self.source, place / "papers.jsonl")
        shutil.rmtree(self.folder / "index", ignore_errors=True)
        library = Library(place, self.folder / "index")
        began = time.perf_counter()
        library.refresh_index(processes=processes)
        took = time.perf_counter() - began
        left, count = library.unindexed, len(library)
        library.close()
        assert not left, f"{left} papers are not in the index"
        return count, took

    def open(self) -> None:
        """Open the library, and its index as the program does."""
        from anchorlight.store import Library

        self.library = Library(self.folder / "library", self.folder / "index")
        self.library.refresh_index()

    def matching(self, query: str, *, typing: bool) -> int | None:
        """Filter the whole library; a filter is always being typed."""
        return len(self.library.search(query, typing=True).entries)

    def ranked(self, query: str, *, typing: bool) -> int | None:
        """Search the whole library, and read the best papers."""
        entries = self.library.search(query, typing=typing, order="relevance").entries
        return len([entry.paper.title for entry in islice(entries, SHOWN)])

    def note_costs(self, count: int = 20) -> dict[str, float]:
        """Return what a note costs, in milliseconds: median and most of several.

        Saved and found: written, and found by a search at once. Indexed: the index brought up to
        date with it, which nobody waits for.
        """
        found, indexed = [], []
        keys = [one.paper.key for one in islice(self.library.listing("all"), count)]
        for number, key in enumerate(keys):
            began = time.perf_counter()
            self.library.write_note(key, f"See zyxnote{number}, again.")
            entries = self.library.search(f"zyxnote{number}").entries
            saved = time.perf_counter()
            assert [one.paper.key for one in entries] == [key]
            self.library.refresh_index()
            found.append((saved - began) * 1000)
            indexed.append((time.perf_counter() - saved) * 1000)
        return {
            "note saved until found": statistics.median(found),
            "note saved until found, most": max(found),
            "note indexed": statistics.median(indexed),
        }


def index_bytes(folder: Path) -> int:
    """Return how much the files below a folder take."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
