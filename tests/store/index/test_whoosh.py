"""The index asked in our own way, held to what Whoosh answers from the same and from its own."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store.bits import bits_of, numbers_in
from anchorlight.store.index.matching import fields_of, term_of
from anchorlight.store.index.schema import schema
from anchorlight.store.index.scoring import FIELD_WEIGHTS
from anchorlight.store.query import Phrase, Text, Word
from whoosh.index import create_in, open_dir
from whoosh.query import And, Or, Prefix, Term
from whoosh.scoring import BM25F

from .corpus import Corpus, Fields, a_text

SIZE = 1300
"""Papers enough for sets and scores to lie ready (`inverting._SMALL`)."""

QUERIES = (
    "common", "common often", "often rare", "common often seldom", "title:often", "note:rare",
    "abstract:common author:common", '"often"', "w17 common", "common-often", "nowhere common",
)  # fmt: skip


def some_papers(seed: int) -> list[Fields]:
    """Return papers of random words, a few of which are in most of them."""
    chance = random.Random(seed)
    words = ["common", "often", "oftener", "seldom", "rare", *(f"w{at}" for at in range(60))]
    weights = [60, 30, 6, 4, 1, *([2] * 60)]

    def text(most: int) -> str:
        return " ".join(chance.choices(words, weights, k=chance.randint(0, most)))

    return [
        a_text(
            title=text(8), abstract=text(chance.choice([5, 60, 200])), authors=text(3),
            note=text(4) if chance.random() < 0.3 else "",
        )
        for _ in range(SIZE)
    ]  # fmt: skip


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """Papers in three segments, some of which were indexed again."""
    corpus = Corpus(tmp_path_factory.mktemp("index") / "ours", some_papers(1))
    with closing(corpus.index):
        corpus.index.create()
        corpus.update()
        for start, changed in ((0, some_papers(2)[:40]), (700, some_papers(3)[:300])):
            corpus.papers |= {start + at: fields for at, fields in enumerate(changed)}
            corpus.update(range(start, start + len(changed)))
        yield corpus


@pytest.fixture(scope="module")
def stock(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The same papers in an index that Whoosh itself wrote."""
    folder = tmp_path_factory.mktemp("stock")
    index = create_in(folder, schema())
    writer = index.writer()
    for number, fields in sorted(corpus.papers.items()):
        writer.add_document(key=f"p{number}", **fields)
    writer.commit()
    with index.searcher(weighting=BM25F()) as searcher:
        yield searcher
    index.close()


def asked(parts: tuple[Text, ...]) -> Any:
    """Return parts of a query as Whoosh asks for them."""
    terms = []
    for part in parts:
        words = [part]
        if isinstance(part, Phrase):
            words = [Word(one, one if part.stemmed else "", part.field) for one in part.words]
        for word in words:
            assert isinstance(word, Word)
            terms += [
                Term(name, term_of(word).decode(), boost=FIELD_WEIGHTS[name])
                for name in fields_of(part)
            ]
    return Or(list(dict.fromkeys(terms)))


def numbers(searcher: Any, documents: Any) -> set[int]:
    return {int(searcher.stored_fields(document)["key"][1:]) for document in documents}


@pytest.mark.parametrize("query", ["common", "rare", '"often"', "title:seldom", "w17", "nowhere"])
def test_a_word_is_found_where_whoosh_finds_it(corpus: Corpus, stock: Any, query: str) -> None:
    wanted = asked(corpus.parts(query))
    with open_dir(corpus.index.folder).searcher() as searcher:
        same_index = numbers(searcher, searcher.docs_for_query(wanted))
    assert corpus.found(query) == same_index
    assert corpus.found(query) == numbers(stock, stock.docs_for_query(wanted))


@pytest.mark.parametrize("beginning", ["c", "w", "w1", "oft", "often", "x"])
def test_a_beginning_is_found_where_whoosh_finds_it(
    corpus: Corpus, stock: Any, beginning: str
) -> None:
    wanted = Or([Prefix(name, beginning) for name in FIELD_WEIGHTS])
    assert corpus.found(f"{beginning}*") == numbers(stock, stock.docs_for_query(wanted))
    with open_dir(corpus.index.folder).searcher() as searcher:
        assert corpus.found(f"{beginning}*") == numbers(searcher, searcher.docs_for_query(wanted))


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("limit", [1, 10, 60, 2000])
def test_the_best_papers_and_their_scores_are_those_of_whoosh(
    corpus: Corpus, query: str, limit: int
) -> None:
    parts = corpus.parts(query)
    ours = corpus.index.committed.best(parts, (1 << SIZE) - 1, limit)
    with open_dir(corpus.index.folder).searcher(weighting=BM25F()) as searcher:
        hits = searcher.search(asked(parts), limit=None)
        theirs = {int(hit["key"][1:]): float(hits.score(at)) for at, hit in enumerate(hits)}
    assert len(ours) == min(limit, len(theirs))
    assert [score for _, score in ours] == pytest.approx(
        sorted(theirs.values(), reverse=True)[:limit]
    )
    for number, score in ours:
        assert score == pytest.approx(theirs[number])


@pytest.mark.parametrize("query", QUERIES)
def test_scores_are_those_of_an_index_that_whoosh_wrote(tmp_path: Path, query: str) -> None:
    """Without papers that were indexed again, which count twice in Whoosh's statistics."""
    corpus = Corpus(tmp_path / "ours", some_papers(4)[:200])
    with closing(corpus.index):
        corpus.index.create()
        corpus.update()
        index = create_in(tmp_path, schema(), indexname="stock")
        writer = index.writer()
        for number, fields in corpus.papers.items():
            writer.add_document(key=f"p{number}", **fields)
        writer.commit()
        parts = corpus.parts(query)
        with index.searcher(weighting=BM25F()) as searcher:
            hits = searcher.search(asked(parts), limit=None)
            theirs = {int(hit["key"][1:]): float(hits.score(at)) for at, hit in enumerate(hits)}
        index.close()
        assert dict(corpus.index.committed.best(parts, (1 << 200) - 1, 200)) == pytest.approx(
            theirs
        )


def test_only_papers_that_are_asked_for_are_ranked(corpus: Corpus) -> None:
    among = bits_of(range(3, SIZE, 7), SIZE)
    parts = corpus.parts("common often")
    best = [number for number, _ in corpus.index.committed.best(parts, among, 30)]
    everywhere = [number for number, _ in corpus.index.committed.best(parts, (1 << SIZE) - 1, SIZE)]
    assert best == [number for number in everywhere if among >> number & 1][:30]


def test_whoosh_reads_terms_in_order_with_what_is_known_of_them(corpus: Corpus, stock: Any) -> None:
    with open_dir(corpus.index.folder).reader() as reader:
        terms = list(reader.all_terms())
        assert terms == sorted(set(terms))
        assert {term for term in terms if term[0] == "title"} == {
            term for term in stock.reader().all_terms() if term[0] == "title"
        }
        leaf, _ = reader.leaf_readers()[0]
        info = leaf.term_info("title", "often")
        matcher = leaf.postings("title", "often")
        assert info.doc_frequency() >= len(list(matcher.all_ids()))
        assert info.min_id() >= 0
        assert ("title", b"nowhere") not in reader


def test_whoosh_counts_only_papers_that_are_not_deleted(corpus: Corpus) -> None:
    index = open_dir(corpus.index.folder)
    assert index.doc_count() == SIZE
    assert index.doc_count_all() > SIZE
    with index.searcher() as searcher:
        hits = searcher.search(
            And([Term("abstract", "common"), Term("title", "often")]), limit=None
        )
        wanted = corpus.index.committed.matching(Word("common", "", "abstract"))
        wanted &= corpus.index.committed.matching(Word("often", "", "title"))
        assert {int(hit["key"][1:]) for hit in hits} == set(numbers_in(wanted))
