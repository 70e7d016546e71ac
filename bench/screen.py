"""What the reader sees, in time and memory, against a bare Textual app in the same run.

Needs the harness that times by what is on an emulated screen: `ANCHORLIGHT_SHARED` names the
folder that holds `bench/harness.py`; else it is looked for in `../shared`.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from table import Figure, at_most, tell

HERE = Path(__file__).parent
SHARED = Path(os.environ.get("ANCHORLIGHT_SHARED", HERE.parent.parent / "shared"))
HARNESS = SHARED / "bench" / "harness.py"
RUNS = int(os.environ.get("RUNS", "10"))
BARE = [sys.executable, str(HERE / "bare.py")]
OURS = [str(Path(sys.executable).with_name("anchorlight"))]


def measure(ours: list[str], bare: list[str], *steps: str, wait: str) -> dict[str, object]:
    """Run both programs in turn in the harness and return its report."""
    words = [sys.executable, str(HARNESS), "--runs", str(RUNS), "--brief", "--size", "120x40"]
    words += ["--wait", wait, "--vs-wait", "READY", "--vs", " ".join(bare)]
    for step in steps:
        words += ["--step", step]
    done = subprocess.run([*words, "--", *ours], capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    if report["errors"] or report["vs"]["errors"]:
        sys.exit(f"the harness failed: {report['errors'] or report['vs']['errors']}")
    return report


def seconds(words: list[str]) -> float:
    """Return how long a command takes, in milliseconds."""
    start = time.perf_counter()
    subprocess.run(words, capture_output=True, check=False)
    return (time.perf_counter() - start) * 1000


def pairs(ours: list[str], bare: list[str]) -> tuple[float, float]:
    """Return the medians of two commands run in turn."""
    both = [(seconds(ours), seconds(bare)) for _ in range(RUNS + 1)][1:]
    return statistics.median(one for one, _ in both), statistics.median(two for _, two in both)


def figures(folder: Path) -> list[Figure]:
    """Measure everything."""
    os.environ["ANCHORLIGHT_LIBRARY"] = str(folder / "library")
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        os.environ[name] = str(folder / name)
    subprocess.run([*OURS, "doctor"], capture_output=True, check=False)
    subprocess.run([*OURS, "search", "memory"], capture_output=True, check=False)
    # In the way of the last session's screen, which would be taken for the program.
    screens = folder / "XDG_CACHE_HOME" / "anchorlight" / "screens"
    screens.touch()
    found = []

    def ratio(name: str, ours: float, baseline: float, most: float) -> None:
        found.append(Figure(name, ours, {"bare": baseline}, at_most(bare=most)))

    report = measure(OURS, BARE, wait="MemFine")
    opened = report["startup"]["wait"]["p50"]
    bare = report["vs"]["startup"]["wait"]["p50"]
    ratio("first useful picture, ms", opened, bare, 1.3)
    peak, floor = report["maxrss_mb"]["p50"], report["vs"]["maxrss_mb"]["p50"]
    found.append(
        Figure("peak memory (25 above bare), MB", peak, {"bare": floor}, at_most(floor + 25))
    )

    fresh = folder / "first"
    script = folder / "first.sh"
    script.write_text(f"rm -rf {fresh}\nexec {OURS[0]} --library {fresh}\n")
    report = measure(["sh", str(script)], BARE, wait="MemFine")
    first, bare = (report[key]["startup"] if key else report["startup"] for key in ("", "vs"))
    ratio("first run, library made, ms", first["wait"]["p50"], bare["wait"]["p50"], 2)

    steps = ("x9:<down>=>~", "x9:<up>=>~")
    report = measure(OURS, [*BARE, "20"], *steps, wait="MemFine")
    for name, ours, bare in zip(
        ("key to picture, down, ms", "key to picture, up, ms"),
        report["steps"], report["vs"]["steps"], strict=True,
    ):  # fmt: skip
        ratio(name, ours["settled"]["p50"], bare["ms"]["p50"], 1.0)

    screens.unlink()
    hello = folder / "hello.py"
    hello.write_text("print('READY'); input()")
    report = measure(OURS, [sys.executable, str(hello)], wait="MemFine")
    painted, python = (one["startup"]["first_byte"]["p50"] for one in (report, report["vs"]))
    ratio("last session's screen, ms (baseline: print)", painted, python, 2)

    version, python = pairs([*OURS, "--version"], [sys.executable, "-c", "pass"])
    found.append(Figure("--version, ms", version, {"bare": python}, at_most(100)))
    search, whoosh = pairs(
        [*OURS, "search", "memory"], [sys.executable, "-c", "import whoosh.searching"]
    )
    ratio("search, ms (baseline: import whoosh.searching)", search, whoosh, 2)
    return found


def main() -> int:
    """Print the table, keep it, and tell by the exit code whether every limit holds."""
    if not HARNESS.exists():
        sys.exit(f"the harness is not at {HARNESS}; say where with ANCHORLIGHT_SHARED")
    folder = Path(tempfile.mkdtemp(prefix="anchorlight-bench-"))
    try:
        found = figures(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return tell(found, "screen")


if __name__ == "__main__":
    sys.exit(main())
