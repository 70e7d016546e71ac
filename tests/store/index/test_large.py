"""Segments so large that sets and beginnings lie ready, held to a scan of the texts."""

from __future__ import annotations

import gzip
import json
import os
import random
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest
from anchorlight.store.bits import numbers_in
from anchorlight.store.index import TextIndex

from .corpus import WORDS, Corpus, Fields, a_text

SIZE = 1500
"""Papers: more than `inverting._SMALL`."""

NASTY = (
    *WORDS, "snake_case", "_private_", "e\u0301te\u0301", "été", "I\u0307stanbul", "ﷺ", "x²", "½",
    "l’été", "rock'n'roll", "O’Neill’s", "dogs'", "a.b,c", "1,000.5", "3.14", "v1.2.3", "F#", "A+",
    "Ⅻ", "ǆ", "ß", "Straße", "한국어의", "ภาษาไทย", "हिन्दी", "עִבְרִית", "العَرَبِيَّة", "\U0001f600",
    "\U00020000", "a\u200db", "co\u00adoperate", "ＧＰＵ", "ｶﾞ", "=", "==x", "-x", "x-", "--",
    "a-b-c-d-e-f-g", "pre-trained-model", "Q&A", "AT&T", "C++/C#", "C++-like", "(C++)", "C++,",
    "non‐local", "μm", "ﬀ-ﬁ",
)  # fmt: skip


def random_papers(chance: random.Random, real: list[Fields], count: int) -> list[Fields]:
    """Return papers of real abstracts and of hostile words, of very different lengths."""
    common = ["often", "seldom", "model", "models", "training"]

    def nasty(most: int) -> str:
        words = chance.choices([*NASTY, *common * 4], k=chance.randint(0, most))
        return "".join(word + chance.choice("     \n-/_.") for word in words)

    papers = []
    for _ in range(count):
        paper = chance.choice(real) if real and chance.random() < 0.6 else a_text(nasty(90))
        paper = dict(paper)
        if chance.random() < 0.3:
            paper["note"] = nasty(12)
        if chance.random() < 0.3:
            paper["title"] = nasty(6)
        if chance.random() < 0.1:
            paper["tags"] = nasty(2)
        papers.append(paper)
    return papers


def random_query(chance: random.Random, papers: list[Fields]) -> tuple[str, bool]:
    """Return a query about words that occur, and whether it is being typed."""
    text = chance.choice(papers)[chance.choice(("title", "abstract", "abstract", "note"))]
    words = text.split() or ["often"]
    at = chance.randrange(len(words))
    word = words[at]
    some = " ".join(words[at : at + chance.randint(2, 3)])
    field = chance.choice(["", "", "", "title:", "note:", "abstract:"])
    cut = word[: chance.randint(1, 4)]
    hit = chance.randrange(len(word))
    kind = chance.choice(
        [word, cut, cut + "*", f'"{some}"', some.replace(" ", "-"), some.replace(" ", "-")[:-1],
         word[:hit] + chance.choice("?*") + word[hit + 1 :], cut + "*" + word[-1:],
         word[:hit] + word[hit + 1 :] + "~", word + "~2", "-".join(chance.choices(NASTY, k=2)),
         chance.choice(NASTY)]
    )  # fmt: skip
    return field + kind, chance.random() < 0.6


def compare(corpus: Corpus, asked: list[tuple[str, bool]]) -> None:
    """Hold the index to a scan."""
    for query, typing in asked:
        for part in corpus.parts(query, typing=typing):
            found = set(numbers_in(corpus.index.committed.matching(part)))
            assert found == corpus.scanned(part), (query, part)


def reopened(corpus: Corpus, papers: dict[int, Fields], lines: dict[int, int]) -> None:
    """Open the index again with papers numbered differently."""
    state = corpus.state
    digests = array("Q", [0] * (max(papers) + 1))
    for number, before in lines.items():
        digests[number] = state.lines[before]
    own = {number: state.own[before] for number, before in lines.items() if before in state.own}
    corpus.index.close()
    corpus.index = TextIndex(corpus.index.folder)
    corpus.index.open(state._replace(lines=digests, own=own))
    corpus.papers = papers


@pytest.fixture(scope="module")
def real() -> list[Fields]:
    """Real abstracts, where developers have them beside the checkout."""
    shared = os.environ.get("ANCHORLIGHT_SHARED", Path(__file__).resolve().parents[4] / "shared")
    file = Path(shared) / "bench" / "acl-abstracts.jsonl.gz"
    if not file.is_file():
        pytest.skip(f"no abstracts in {file}: set ANCHORLIGHT_SHARED to the folder that holds them")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return [
            a_text(record.get("abstract") or "", title=record.get("title") or "")
            for record, _ in zip(map(json.loads, lines), range(4000), strict=False)
        ]


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    corpus = Corpus(tmp_path / "index")
    corpus.index.create()
    yield corpus
    corpus.index.close()


@pytest.mark.parametrize("seed", [1])
@pytest.mark.parametrize("from_real", [True, False])
def test_a_large_index_finds_what_a_scan_finds_whatever_became_of_it(
    corpus: Corpus, seed: int, from_real: bool, request: pytest.FixtureRequest
) -> None:
    real = request.getfixturevalue("real") if from_real else []
    live_through(corpus, random.Random(seed), real, 40)


def live_through(corpus: Corpus, chance: random.Random, real: list[Fields], count: int) -> None:
    """Build, change, merge and renumber, and ask so many queries after each."""
    corpus.papers = dict(enumerate(random_papers(chance, real, SIZE)))

    def ask() -> None:
        papers = list(corpus.papers.values())
        compare(corpus, [random_query(chance, papers) for _ in range(count)])

    corpus.update()
    ask()
    changed = chance.sample(range(SIZE), 200)
    corpus.papers |= dict(zip(changed, random_papers(chance, real, 200), strict=True))
    for number in changed[:50]:
        del corpus.papers[number]
    corpus.papers[SIZE + 3] = corpus.papers[SIZE - 1] if SIZE - 1 in corpus.papers else a_text("x")
    corpus.update([*changed, SIZE + 3])
    ask()
    merged = numbers_in(corpus.index.to_rewrite(900))
    assert merged
    corpus.update(merged)
    ask()
    order = chance.sample([*corpus.papers], len(corpus.papers) - 40)
    reopened(
        corpus, {at: corpus.papers[one] for at, one in enumerate(order)}, dict(enumerate(order))
    )
    assert corpus.index.committed.known.bit_count() == len(order)
    ask()
