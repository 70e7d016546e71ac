"""Search at several sizes: ours, stock Whoosh, SQLite's FTS5, and a plain scan, in one run.

`search.py [SIZE ...]`; the sizes are 1000, 10000 and 100000 unless told. Each contender builds and
answers in processes of its own. A query counts once it is warm: asked three times, the median of
the last two.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from contender import CONTENDERS
from corpus import HERE, OUT, corpus
from table import Figure, Limit, at_least, at_most, tell

SIZES = (1_000, 10_000, 100_000)
STOCK_ASKED = 10_000
"""Beyond so many papers stock Whoosh is not asked: it takes minutes."""

LIMITS: dict[int, dict[str, Limit]] = {
    10_000: {
        "built by one process, papers a second": at_least(stock=6),
        "built by two processes, papers a second": at_least(stock=10),
        "all that match, p95, ms": at_most(2),
        "all that match a key typed, p95, ms": at_most(2),
        "best 50, p95, ms": at_most(5),
        "note saved until found, ms": at_most(50),
    },
    100_000: {
        "built by one process, papers a second": at_least(stock=6, FTS5=0.5),
        "built by two processes, papers a second": at_least(stock=10),
        "memory of a process that builds, MB": at_most(500),
        "memory of either of two that build, MB": at_most(500),
        "memory after ten queries, MB": at_most(250),
        "all that match, p95, ms": at_most(6, FTS5=1 / 5),
        "all that match a key typed, p95, ms": at_most(6, FTS5=1 / 5),
        "best 50, p95, ms": at_most(20, FTS5=1 / 7),
        "any query at all, max, ms": at_most(50),
        "note saved until found, ms": at_most(100),
    },
}
"""What has to be kept at which size, by the figure."""

ASKED = {
    "set": "all that match",
    "keys": "all that match a key typed",
    "ranked": "best 50",
    "keys ranked": "best 50 of a key typed",
}

Told = dict[str, Any]


def child(*words: object) -> Told:
    """Return what a contender's process tells."""
    command = [sys.executable, "-W", "ignore", str(HERE / "contender.py"), *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    told: Told = json.loads(done.stdout)
    return told


def contended(name: str, size: int, place: Path, processes: Iterable[int]) -> Told:
    """Let a contender build, with so many processes each time, and ask it."""
    folder = place / f"{name}-{size}"
    folder.mkdir()
    words = (name, corpus(size), folder)
    told: Told = {f"built by {count}": child("build", *words, count) for count in processes}
    if name != "stock" or size <= STOCK_ASKED:
        told |= child("ask", *words)
    return told


def percentile(times: Mapping[str, float], part: float) -> float:
    """Return the time within which so great a part of the queries is answered."""
    return sorted(times.values())[math.ceil(part * len(times)) - 1]


def numbers(told: Told) -> dict[str, float]:
    """Return the figures of one contender at one size."""
    found: dict[str, float] = {}
    for count, word, memory in (
        (1, "one process", "memory of a process that builds, MB"),
        (2, "two processes", "memory of either of two that build, MB"),
    ):
        if built := told.get(f"built by {count}"):
            found[f"built by {word}, papers a second"] = built["papers"] / built["seconds"]
            found[memory] = built["peak"]
            found["bytes on the disk for a paper"] = built["index"] * 1e6 / built["papers"]
    if "opened" in told:
        found["opened and first answer, ms"] = told["opened"]
        found["memory after ten queries, MB"] = told["resident"]
    for kind, what in ASKED.items():
        if times := told.get(kind):
            found |= {
                f"{what}, {name}, ms": percentile(times, part)
                for name, part in (("p50", 0.5), ("p95", 0.95), ("max", 1))
            }
    if "set" in told:
        found["any query at all, max, ms"] = max(
            took for kind in ASKED for took in told[kind].values()
        )
    found |= {f"{what}, ms": took for what, took in told.get("notes", {}).items()}
    return found


def slowest(told: Told) -> str:
    """Return the queries that took longest, each kind's."""
    worst = {what: max(told[kind], key=told[kind].get) for kind, what in ASKED.items()}
    return ", ".join(f"{what}: {query}" for what, query in worst.items())


def keep(name: str, told: Told) -> None:
    """Keep all that was measured, query by query."""
    path = OUT / "raw" / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(told, indent=1) + "\n")


def figures(size: int, place: Path) -> list[Figure]:
    """Measure all contenders at one size."""
    told = {}
    for name in CONTENDERS:
        processes = (1, 2) if name == "ours" else (1,)
        told[name] = contended(name, size, place, processes)
        print(f"{size:,} papers: {name} is done", file=sys.stderr)
    print(f"slowest of ours at {size:,}: {slowest(told['ours'])}", file=sys.stderr)
    keep(f"search-{size}", told)
    measured = {name: numbers(one) for name, one in told.items()}
    # The others build in one process, which is what two of ours are compared with.
    one, two = "built by one process, papers a second", "built by two processes, papers a second"
    found = []
    for what, ours in measured.pop("ours").items():
        others = {
            name: one_of[one if what == two else what]
            for name, one_of in measured.items()
            if (one if what == two else what) in one_of
        }
        limit = LIMITS.get(size, {}).get(what)
        found.append(Figure(f"{size:,}: {what}", ours, others, limit))
    return found


def main() -> int:
    """Print the table, keep it, and tell by the exit code whether every limit holds."""
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    OUT.mkdir(exist_ok=True)
    found: list[Figure] = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="search-", dir=OUT) as place:
            found += figures(size, Path(place))
    return tell(found, "search")


if __name__ == "__main__":
    sys.exit(main())
