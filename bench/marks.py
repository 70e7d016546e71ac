"""What a mark or note costs, and what opening and holding many of them does, against the floor.

The floor of a write is a bare write and fdatasync of the same bytes to the same disk, that of
opening and memory is `json.load` of the same file. Figures of one run, taken in turn.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from anchorlight.store import Change, Library, Status
from anchorlight.store.copies import Copies
from anchorlight.store.marks import Marks
from anchorlight.store.snapshot import encode
from table import Figure, at_most, tell

RUNS = int(os.environ.get("RUNS", "10"))
WRITES = 40 * RUNS
SIZES = (60, 100_000)
_BEGAN = datetime(2025, 1, 1, tzinfo=UTC)


def make(folder: Path, count: int) -> None:
    """Make a library of so many papers, all of them marked, every tenth with a tag and a note."""
    folder.mkdir(parents=True)
    papers = (json.dumps({"key": f"paper{n}", "title": f"Paper {n}"}) for n in range(count))
    (folder / "papers.jsonl").write_text("\n".join(papers) + "\n")
    marks, notes = {}, {}
    for number in range(count):
        when = (_BEGAN + timedelta(minutes=number)).isoformat(timespec="milliseconds")
        mark: dict[str, object] = {"status": ("read", "skipped", "queued")[number % 3]}
        if number % 10 == 0:
            mark["tags"] = [f"topic{number % 70}"]
            notes[f"paper{number}"] = {"text": f"Compare with paper {number + 7}.", "changed": when}
        marks[f"paper{number}"] = {**mark, "changed": when}
    (folder / "marks.json").write_bytes(encode({"marks": marks, "notes": notes}, 0))


def timed(work: Callable[[], object]) -> float:
    """Return how long something takes, in milliseconds."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def write_costs(folder: Path, count: int) -> list[Figure]:
    """Measure single changes against a bare synced write of what the journal then holds more."""
    os.sync()  # what making the library left for the disk to do is none of the figure
    library = Library(folder, folder / "cache")
    library.mark({"paper0": Change(starred=True)})
    bare = os.open(folder / "bare", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    journal = folder / "marks.journal"

    def written(size: int) -> None:
        os.write(bare, b"x" * size)
        os.fdatasync(bare)

    found = []
    statuses = (Status.READ, Status.SKIPPED)
    for name, change in (
        ("mark", lambda n: library.mark({f"paper{n % count}": Change(statuses[n // count % 2])})),
        ("note", lambda n: library.write_note(f"paper{n % count}", f"A thought, number {n}.")),
    ):
        ours, floor = [], []
        for number in range(WRITES):
            before = journal.stat().st_size
            ours.append(timed(partial(change, number)))
            grown = max(1, journal.stat().st_size - before)
            floor.append(timed(partial(written, grown)))
        one, two = statistics.median(ours), statistics.median(floor)
        label = f"one {name}, {count:,} marks, ms"
        found.append(Figure(label, one, {"bare": two}, at_most(bare=1.5)))
    os.close(bare)
    library.close()
    return found


def opening(folder: Path) -> Figure:
    """Measure opening the marks against parsing their file."""
    path = folder / "marks.json"

    def opened() -> None:
        Marks(path, Copies(folder / "backups", lambda: _BEGAN)).close()

    def parsed() -> None:
        with path.open("rb") as file:
            json.load(file)

    ours, floor = [], []
    for _ in range(RUNS):
        for work, times in ((opened, ours), (parsed, floor)):
            gc.collect()
            times.append(timed(work))
    one, two = statistics.median(ours), statistics.median(floor)
    return Figure("opening 100,000 marks, ms", one, {"bare": two}, at_most(bare=1.5))


_RESIDENT = """
import gc, json, sys
from pathlib import Path
from anchorlight.store.marks import Marks
path = Path(sys.argv[2])
def resident():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6
json.loads("{}")
before = resident()
kept = Marks(path) if sys.argv[1] == "ours" else json.load(path.open("rb"))
print(resident() - before)
"""


def memory(folder: Path) -> Figure:
    """Measure what open marks hold in memory against the parsed file."""
    one, two = (
        float(
            subprocess.run(
                [sys.executable, "-c", _RESIDENT, which, str(folder / "marks.json")],
                capture_output=True, text=True, check=True,
            ).stdout
        )
        for which in ("ours", "json")
    )  # fmt: skip
    return Figure("memory of 100,000 marks, MB", one, {"bare": two}, at_most(bare=2))


def main() -> int:
    """Print the table, keep it, and tell by the exit code whether every limit holds."""
    place = Path(tempfile.mkdtemp(prefix="anchorlight-bench-", dir=os.environ.get("BENCH_DISK")))
    found = []
    try:
        for count in SIZES:
            make(place / str(count), count)
            found += write_costs(place / str(count), count)
        found += [opening(place / str(SIZES[-1])), memory(place / str(SIZES[-1]))]
        small, large = found[0], found[2]
        same = "a mark in 100,000 against one in 60, ms"
        found.append(Figure(same, large.ours, {"60": small.ours}, at_most(**{"60": 1.2})))
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return tell(found, "marks")


if __name__ == "__main__":
    sys.exit(main())
