"""Scores of all papers at once, held to the exact ones: the bound of their error is a bound."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing

import pytest
from anchorlight.store.index.ranking import Ranking
from anchorlight.store.index.scoring import CODE_STEPS
from anchorlight.store.query import Text

from .corpus import Corpus, a_text

SIZES = (1100, 1400, 60, 5)
"""Segments with scores that lie ready, and small ones."""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    """Papers in segments whose texts are of very different lengths."""
    chance = random.Random(5)
    words = [f"w{at}" for at in range(150)]
    weights = [1 / (at + 1) ** 1.1 for at in range(150)]
    corpus = Corpus(tmp_path_factory.mktemp("ranking") / "index")

    def text(most: int) -> str:
        return " ".join(chance.choices(words, weights, k=int(most * chance.random() ** 4)))

    with closing(corpus.index):
        corpus.index.create()
        for size, long in zip(SIZES, (40, 600, 3, 2000), strict=True):
            start = corpus.size
            corpus.papers |= {
                start + at: a_text(text(long), title=text(long // 10 + 2), note=text(3))
                for at in range(size)
            }
            corpus.update(range(start, start + size))
        assert len(corpus.index.committed.placed) == len(SIZES)
        yield corpus


def some_parts(corpus: Corpus, chance: random.Random) -> tuple[Text, ...]:
    """Return one to many words, rare and common ones, beginnings and phrases."""
    words = [f"w{int(150 * chance.random() ** 2)}" for _ in range(chance.choice([1, 2, 5, 30, 90]))]
    some = [chance.choice(["", "", "", "title:", "note:"]) + word for word in words]
    more = chance.choice(["", "w1*", '"w1 w0"', "w?", "w11~"])
    return corpus.parts(" ".join([*some, more, "w"]), typing=chance.random() < 0.5)


@pytest.mark.parametrize("seed", range(12))
def test_the_best_of_many_are_the_best_of_all(corpus: Corpus, seed: int) -> None:
    chance = random.Random(seed)
    committed = corpus.index.committed
    for _ in range(3):
        parts = some_parts(corpus, chance)
        among = chance.getrandbits(corpus.size) | chance.getrandbits(corpus.size)
        ranking = Ranking(committed._collection, parts, committed._near)
        everything = {
            one.paper(document): score
            for one in committed.placed
            for document, score in ranking._scores(one, one.documents(among))
            if score
        }
        wanted = sorted(everything.items(), key=lambda one: (-one[1], one[0]))
        for limit in (1, 10, 100):
            found = ranking.best(among, limit)
            assert [one for one, _ in found] == [one for one, _ in wanted[:limit]]
            assert found == wanted[:limit]


@pytest.mark.parametrize("seed", range(12))
def test_a_sum_is_off_by_no_more_than_its_error(corpus: Corpus, seed: int) -> None:
    committed = corpus.index.committed
    parts = some_parts(corpus, random.Random(seed))
    ranking = Ranking(committed._collection, parts, committed._near)
    weights, scale = ranking._scaled()
    error = ranking._error(weights, scale)
    for one in committed.placed:
        sums = ranking._sums(one, weights)
        for document, score in ranking._scores(one, one.live):
            assert abs(sums[document] - score * scale * CODE_STEPS) <= error
