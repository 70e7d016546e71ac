"""What Anchorlight's search is compared with: stock Whoosh, SQLite's FTS5, and a plain scan.

Each is handed the same papers, keeps its files in a folder, and is asked the same questions. An
answer is how many papers it gives; None where it cannot be asked that.
"""

from __future__ import annotations

import json
import time
from bisect import bisect_right
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from queries import plain, translated

FIELDS = ("title", "abstract", "authors", "venue")
SHOWN = 50
"""How many of the best papers are asked for, with what a list shows of them."""


def texts(source: Path, most: int | None = None) -> Iterator[dict[str, str]]:
    """Yield the fields of papers."""
    with source.open(encoding="utf-8") as lines:
        for line in islice(lines, most):
            stored = json.loads(line)
            stored["authors"] = "; ".join(stored["authors"])
            yield {name: stored[name] for name in FIELDS}


class Contender:
    """Something that searches papers.

    Args:
        source: The corpus.
        folder: Where it keeps its files.
    """

    def __init__(self, source: Path, folder: Path) -> None:
        self.source = source
        self.folder = folder

    def build(self, processes: int) -> tuple[int, float]:
        """Index the papers and return how many, and the seconds it took."""
        raise NotImplementedError

    def open(self) -> None:
        """Open what was built."""
        raise NotImplementedError

    def matching(self, query: str, *, typing: bool) -> int | None:
        """Find every paper that a query finds, in no order."""
        raise NotImplementedError

    def ranked(self, query: str, *, typing: bool) -> int | None:
        """Find the best papers, and read what a list shows of them."""
        raise NotImplementedError


class Stock(Contender):
    """Whoosh as it comes: its default writer and its query parser.

    Its analyzer is put together of Whoosh's own parts so that it answers what ours does: words as
    they stand and their stems, without accents; nothing is a stop word. (With `StemmingAnalyzer`,
    that drops the words as they stand, it indexes twice as many papers a second.)
    """

    MOST_BUILT = 10_000
    SAMPLE = 3_000

    def build(self, processes: int) -> tuple[int, float]:
        """Index all papers, of a large corpus a sample: the rest would come no faster."""
        from whoosh import analysis
        from whoosh.fields import TEXT, Schema
        from whoosh.index import create_in
        from whoosh.support.charset import accent_map

        with self.source.open("rb") as lines:
            many = sum(1 for _ in lines) > self.MOST_BUILT
        began = time.perf_counter()
        words = analysis.RegexTokenizer() | analysis.LowercaseFilter()
        forms = analysis.TeeFilter(analysis.PassFilter(), analysis.StemFilter())
        analyzer = words | analysis.CharsetFilter(accent_map)
        analyzer |= analysis.MultiFilter(index=forms, query=analysis.StemFilter())
        schema = Schema(**{name: TEXT(analyzer, stored=name == "title") for name in FIELDS})
        writer = create_in(self.folder, schema).writer()
        count = 0
        for fields in texts(self.source, self.SAMPLE if many else None):
            count += 1
            # Whoosh's MultiFilter cannot have an empty text.
            writer.add_document(**{name: text for name, text in fields.items() if text})
        writer.commit()
        return count, time.perf_counter() - began

    def open(self) -> None:
        """Open the index."""
        from whoosh.index import open_dir
        from whoosh.qparser import FuzzyTermPlugin, MultifieldParser

        index = open_dir(self.folder)
        self.searcher = index.searcher()
        self.parser = MultifieldParser(FIELDS, index.schema)
        self.parser.add_plugin(FuzzyTermPlugin())

    def _parsed(self, query: str, *, typing: bool) -> Any:
        return self.parser.parse(translated(query, typing=typing, fuzzy=True))

    def matching(self, query: str, *, typing: bool) -> int | None:
        """Find papers without scores."""
        return len(list(self.searcher.docs_for_query(self._parsed(query, typing=typing))))

    def ranked(self, query: str, *, typing: bool) -> int | None:
        """Find the best; beginnings, of which some take seconds, are not asked for."""
        if typing:
            return None
        results = self.searcher.search(self._parsed(query, typing=False), limit=SHOWN)
        return len([hit["title"] for hit in results])


class FTS5(Contender):
    """SQLite's full-text search, with its stemmer and its index of beginnings."""

    def build(self, processes: int) -> tuple[int, float]:
        """Index all papers in one transaction."""
        import sqlite3

        began = time.perf_counter()
        with sqlite3.connect(self.folder / "papers.sqlite") as base:
            base.execute(
                f"CREATE VIRTUAL TABLE papers USING fts5({', '.join(FIELDS)},"
                " tokenize='porter unicode61', prefix='1 2 3')"
            )
            base.execute("INSERT INTO papers(papers, rank) VALUES('rank', 'bm25(3, 1, 2, 1)')")
            marks = ", ".join(f":{name}" for name in FIELDS)
            done = base.executemany(f"INSERT INTO papers VALUES ({marks})", texts(self.source))
        base.close()
        return done.rowcount, time.perf_counter() - began

    def open(self) -> None:
        """Open the base."""
        import sqlite3

        self.base = sqlite3.connect(self.folder / "papers.sqlite")

    def _asked(self, what: str, query: str, *, typing: bool) -> int | None:
        said = translated(query, typing=typing)
        if said is None:
            return None
        sql = f"SELECT rowid{what}"
        return len(self.base.execute(sql, (said,)).fetchall())

    def matching(self, query: str, *, typing: bool) -> int | None:
        """Find papers without scores."""
        return self._asked(" FROM papers WHERE papers MATCH ?", query, typing=typing)

    def ranked(self, query: str, *, typing: bool) -> int | None:
        """Find the best by BM25."""
        what = f", * FROM papers WHERE papers MATCH ? ORDER BY rank LIMIT {SHOWN}"
        return self._asked(what, query, typing=typing)


class Floor(Contender):
    """`bytes.find` over all texts in lower case, laid end to end: what a look at all costs."""

    def build(self, processes: int) -> tuple[int, float]:
        """Write the texts."""
        began = time.perf_counter()
        count = 0
        with (self.folder / "texts").open("wb") as file:
            for fields in texts(self.source):
                count += 1
                file.write(" ".join(fields.values()).lower().replace("\n", " ").encode() + b"\n")
        return count, time.perf_counter() - began

    def open(self) -> None:
        """Read the texts."""
        self.text = (self.folder / "texts").read_bytes()
        self.ends = [0]
        while end := self.text.find(b"\n", self.ends[-1]) + 1:
            self.ends.append(end)

    def matching(self, query: str, *, typing: bool) -> int | None:
        """Find the papers in which each word stands, as part of another one too."""
        words = plain(query)
        if words is None:
            return None
        return len(set.intersection(*(set(self._with(word.encode())) for word in words)))

    def _with(self, word: bytes) -> Iterator[int]:
        at = self.text.find(word)
        while at >= 0:
            paper = bisect_right(self.ends, at)
            yield paper
            at = self.text.find(word, self.ends[paper])

    def ranked(self, query: str, *, typing: bool) -> int | None:
        """Not at all."""
        return None
