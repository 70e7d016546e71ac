"""The corpora of the benches: libraries of real papers, and of papers made from them.

The first 31,489 papers are those of `bench/acl-abstracts.jsonl.gz` in the folder that
`ANCHORLIGHT_SHARED` names (else `../shared`); further ones join sentences, title halves, authors
and venues of these, each drawn as often as it occurs, so that words keep their frequencies. Where
the file is absent the papers before are made from the seed lists and of invented words that are
distributed as Zipf says. A smaller corpus is the beginning of a larger one. The same recipe gives
the same bytes.

Run as a program it builds the corpora of the sizes it is given and tells where they are.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate, islice
from pathlib import Path
from random import Random
from typing import Any

from anchorlight.seeds import FOLDER as SEEDS

HERE = Path(__file__).parent
SHARED = Path(os.environ.get("ANCHORLIGHT_SHARED", HERE.parent.parent / "shared"))
REAL = SHARED / "bench" / "acl-abstracts.jsonl.gz"
OUT = HERE / "out"

RECIPE = 1
"""Raised whenever a corpus would come out otherwise, so that those before are not taken for it."""

INVENTED = 20_000
"""Papers that are invented where there are no real ones."""

_BEGAN = datetime(2020, 1, 1, tzinfo=UTC)
_SENTENCE_END = re.compile(r"(?<=[.!?…]) +(?=[A-Z0-9“\"(])")
_VOWELS, _CONSONANTS = "aeiou", "bcdfghklmnprstvz"

Record = dict[str, Any]


def corpus(size: int) -> Path:
    """Return the `papers.jsonl` of a library of so many papers; it is built at the first call."""
    origin = "real" if REAL.exists() else "invented"
    path = OUT / "corpora" / f"{origin}-{RECIPE}" / f"{size}.jsonl"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        with unfinished.open("w", encoding="utf-8") as file:
            for record in papers(size):
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
        unfinished.replace(path)
    return path


def papers(size: int) -> Iterator[Record]:
    """Yield so many papers as a library stores them."""
    random = Random(4)
    known = list(_real() if REAL.exists() else _invented(random))
    records = islice(_all(known, random), size)
    for number, record in enumerate(records):
        yield record | {"added": (_BEGAN + timedelta(minutes=number)).isoformat("T", "seconds")}


def _all(known: Sequence[Record], random: Random) -> Iterator[Record]:
    yield from known
    yield from _resampled(known, random)


def _real() -> Iterator[Record]:
    with gzip.open(REAL, "rt", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            record["key"] = record.pop("id")
            record["ids"] = {"doi": record.pop("doi").lower()}
            record["source"] = REAL.name
            yield record


def _resampled(known: Sequence[Record], random: Random) -> Iterator[Record]:
    """Yield papers without end, each joined from many."""
    abstracts = [_SENTENCE_END.split(record["abstract"]) for record in known]
    sentences = [sentence for abstract in abstracts for sentence in abstract]
    titles = [record["title"].split() for record in known]
    bylines = [record["authors"] for record in known]
    names = [name for byline in bylines for name in byline]
    dated = [(record["year"], record["venue"]) for record in known]

    def one(of: Sequence[Any]) -> Any:
        return of[int(random.random() * len(of))]

    number = 0
    while True:
        number += 1
        first, second = one(titles), one(titles)
        year, venue = one(dated)
        yield {
            "key": f"resampled{number}",
            "title": " ".join(first[: (len(first) + 1) // 2] + second[(len(second) + 1) // 2 :]),
            "authors": list(dict.fromkeys(one(names) for _ in one(bylines))),
            "year": year,
            "venue": venue,
            "abstract": " ".join(one(sentences) for _ in one(abstracts)),
            "ids": {"arxiv": f"{1001 + number // 100_000}.{number % 100_000:05}"},
            "source": "resampled",
        }


def _invented(random: Random) -> Iterator[Record]:
    """Yield papers of sentences from the seed lists among others of invented words."""
    seeds = [
        paragraph.strip()
        for path in sorted(SEEDS.glob("*.txt"))
        for paragraph in path.read_text("utf-8").split("\n\n")
    ]
    known = [sentence for paragraph in seeds for sentence in _SENTENCE_END.split(paragraph)]
    counts = Counter(re.findall(r"[a-z][a-z-]+", " ".join(seeds).lower()))
    words = [word for word, _ in counts.most_common()]
    words += [_word(random) for _ in range(60_000)]
    weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))

    def sentence(least: int, most: int) -> str:
        count = least + int(random.random() * (most - least))
        return " ".join(random.choices(words, cum_weights=weights, k=count)).capitalize()

    def some(least: int, most: int) -> range:
        return range(least + int(random.random() * (most - least)))

    for number in range(1, INVENTED + 1):
        abstract = (
            known[int(random.random() * len(known))]
            if random.random() < 0.05
            else f"{sentence(10, 32)}."
            for _ in some(3, 9)
        )
        yield {
            "key": f"invented{number}",
            "title": sentence(4, 14),
            "authors": [f"{_word(random).title()} {_word(random).title()}" for _ in some(1, 6)],
            "year": 2000 + int(random.random() * 26),
            "venue": f"Proceedings of {sentence(2, 5).title()}",
            "abstract": " ".join(abstract),
            "ids": {"doi": f"10.1000/invented.{number}"},
            "source": "invented",
        }


def _word(random: Random) -> str:
    return "".join(
        _CONSONANTS[int(random.random() * len(_CONSONANTS))]
        + _VOWELS[int(random.random() * len(_VOWELS))]
        for _ in range(2 + int(random.random() * 3))
    )


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(corpus(int(argument)))
