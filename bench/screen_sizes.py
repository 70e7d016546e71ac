"""What the reader sees of libraries of several sizes: filtering key by key, moving, starting.

`screen_sizes.py [SIZE ...]`, 60 to 100,000 unless told. Compared, in one run and in turn, with a
Textual box that only echoes the key, a list of as many rows that is only drawn line by line, and
the library of 60 papers. A key counts until nothing more is painted. See `screen.py` for what it
needs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from corpus import OUT, corpus
from queries import TYPED
from screen import BARE, HARNESS, OURS, RUNS
from table import Figure, Limit, at_most, tell

SIZES = (60, 1_000, 10_000, 100_000)
SMALL = f"{SIZES[0]} papers"
MOVES = (
    *["@row j=>~"] * 12,
    *["@page <pgdn>=>~", "@page <pgdn>=>~", "@page <pgup>=>~", "@page <pgup>=>~"] * 3,
    *["@end G=>~", "@home g=>~"] * 6,
)
LEAVING = ("@row j=>~", "@row j=>~")
"""So that a picture of the last session, if one is shown, is not taken for the live program."""

Samples = dict[str, list[float]]


def harness(command: list[str], steps: list[str], wait: str, *options: str) -> Samples:
    """Run a program once and return the milliseconds of each step, by its name, and of the start.

    A step lasts until the last paint before a pause.
    """
    words = [sys.executable, str(HARNESS), "--runs", "1", "--warmup", "0", "--timeout", "60"]
    words += ["--size", "120x40", "--wait", wait, *options]
    for step in steps:
        words += ["--step", step]
    done = subprocess.run([*words, "--", *command], capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    if report["errors"]:
        error = report["errors"][0]
        sys.exit(f"the harness failed: {error['error']}\n{error['screen']}")
    samples = {step["name"]: step["settled"]["samples"] for step in report["steps"]}
    return samples | {"start": report["startup"]["wait"]["samples"]}


def typing() -> list[str]:
    """Return the steps that type into the filter, each key until its answer is on the screen."""
    steps = []
    for typed in TYPED:
        steps.append("@open /=>~")
        for count, key in enumerate(typed, 1):
            if key == " ":  # changes no answer
                steps.append("@key <space>=>~")
            else:
                steps.append(rf"@key {key}=>filter: {re.escape(typed[:count])} \(")
        steps.append("@close <esc>=>!filter: ")
    return steps


def echoing() -> list[str]:
    """Return the steps that type the same into a box, where nothing is behind it."""
    return [f"@key {'<space>' if key == ' ' else key}=>~" for key in "".join(TYPED)]


def prepared(size: int, place: Path) -> tuple[list[str], list[str]]:
    """Make a library with its index, and return what starts the program on it, and its variables.

    What it knows of the last session is forgotten before each start.
    """
    library = place / "library"
    library.mkdir(parents=True)
    shutil.copyfile(corpus(size), library / "papers.jsonl")
    variables = {"ANCHORLIGHT_LIBRARY": str(library)} | {
        name: str(place / name) for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
    }
    environment = os.environ | variables
    subprocess.run([*OURS, "search", "x"], capture_output=True, check=False, env=environment)
    start = place / "start.sh"
    start.write_text(f"rm -f '{library}/session.json'\nexec '{OURS[0]}'\n")
    options = [word for pair in variables.items() for word in ("--env", "=".join(pair))]
    return ["sh", str(start)], [*options, "--quit", "q"]


def ready(size: int) -> str:
    """Return what shows that the program is at the first paper."""
    return rf"\b1 of {f'{size:,}'.replace(',', '[,. ]?')}\b"


def sampled(sizes: list[int], place: Path) -> dict[str, Samples]:
    """Run all programs in turn and return the samples of each; the first round does not count."""
    ours = {size: prepared(size, place / str(size)) for size in sizes}
    samples: dict[str, Samples] = defaultdict(lambda: defaultdict(list))

    def run(name: str, counts: bool, found: Samples) -> None:
        for step, times in found.items():
            if counts:
                samples[name][step] += times

    for turn in range(RUNS // 2 + 1):
        run("echo", turn > 0, harness([*BARE, "input"], echoing(), "READY"))
        for size, (command, options) in ours.items():
            rows = [*BARE, "lines", str(size)]
            run(f"{size} rows", turn > 0, harness(rows, list(MOVES), "READY"))
            steps = [*MOVES, *typing(), *LEAVING]
            run(f"{size} papers", turn > 0, harness(command, steps, ready(size), *options))
    return samples


def p95(times: list[float]) -> float:
    """Return the time within which 95 of 100 are done."""
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


def figures(sizes: list[int], samples: dict[str, Samples]) -> list[Figure]:
    """Return the figures that the samples give."""
    found = []
    small = samples.get(SMALL)
    for size in sizes:
        ours, rows = samples[f"{size} papers"], samples[f"{size} rows"]
        large = size >= 100_000
        beside_small = {"60 papers": 1.2} if large else {}

        def add(what: str, one: float, others: dict[str, float], limit: Limit | None) -> None:
            found.append(Figure(f"{size:,}: {what}, ms", one, others, limit))  # noqa: B023

        echo = {"bare": p95(samples["echo"]["key"])}
        limit = at_most(50, bare=2.5) if large else at_most(bare=1.5)
        add("key typed to the list painted, p95", p95(ours["key"]), echo, limit)
        middle = {"bare": statistics.median(samples["echo"]["key"])}
        add("key typed to the list painted, p50", statistics.median(ours["key"]), middle, None)
        for step, what in (("row", "a row on"), ("page", "a page on"), ("end", "to the end")):
            others = {"bare": statistics.median(rows[step])}
            if small:
                others["60 papers"] = statistics.median(small[step])
            limit = at_most(**{"bare": 1.5} | beside_small)
            add(what, statistics.median(ours[step]), others, limit)
        others = {"60 papers": statistics.median(small["start"])} if small else {}
        limit = at_most(**beside_small) if large else None
        add("start to the live program", statistics.median(ours["start"]), others, limit)
    return found


def main() -> int:
    """Print the table, keep it, and tell by the exit code whether every limit holds."""
    if not HARNESS.exists():
        sys.exit(f"the harness is not at {HARNESS}; say where with ANCHORLIGHT_SHARED")
    sizes = [int(word) for word in sys.argv[1:]] or list(SIZES)
    OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="screen-", dir=OUT) as place:
        samples = sampled(sizes, Path(place))
    return tell(figures(sizes, samples), "screen-sizes")


if __name__ == "__main__":
    sys.exit(main())
