"""One contender, in a process of its own, so that memory and caches are its own too.

`contender.py build NAME SOURCE FOLDER PROCESSES` or `contender.py ask NAME SOURCE FOLDER`; what
was measured is printed as JSON, in milliseconds and megabytes.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from ours import Ours, index_bytes
from peers import FTS5, Contender, Floor, Stock
from queries import ASKED, KEYS

CONTENDERS: dict[str, type[Contender]] = {
    "ours": Ours, "stock": Stock, "FTS5": FTS5, "floor": Floor,
}  # fmt: skip


def timed(work: Callable[[], int | None]) -> tuple[int | None, float]:
    """Return what work gives, and how long it takes in milliseconds."""
    began = time.perf_counter()
    result = work()
    return result, (time.perf_counter() - began) * 1000


def peak() -> float:
    """Return the most that this process, or one it waited for, ever had in memory, in MB."""
    # Its own is asked of the kernel's map: `ru_maxrss` begins with that of the process before.
    status = Path("/proc/self/status").read_text()
    own = int(status.partition("VmHWM:")[2].split()[0])
    return max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) * 1024 / 1e6


def resident() -> float:
    """Return what this process has in memory now, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def warm(ask: Callable[..., int | None], query: str, *, typing: bool) -> float | None:
    """Return how long a query takes once it was asked: the median of two times out of three."""
    counted = []
    for _ in range(3):
        found, took = timed(lambda: ask(query, typing=typing))
        if found is None:
            return None
        counted.append(took)
    return statistics.median(counted[1:])


def each(ask: Callable[..., int | None], queries: list[str], *, typing: bool) -> dict[str, float]:
    """Return how long each query takes, without those that cannot be asked."""
    times = {query: warm(ask, query, typing=typing) for query in queries}
    return {query: took for query, took in times.items() if took is not None}


def built(contender: Contender, processes: int) -> dict[str, object]:
    """Build and tell what it cost."""
    count, seconds = contender.build(processes)
    where = contender.folder / "index"
    size = index_bytes(where if where.is_dir() else contender.folder)
    return {"papers": count, "seconds": seconds, "peak": peak(), "index": size / 1e6}


def asked(contender: Contender) -> dict[str, object]:
    """Open and ask everything."""

    def first() -> int | None:
        contender.open()
        return contender.matching("memory", typing=False)

    _, opened = timed(first)
    for query in ASKED[:10]:
        contender.ranked(query, typing=False)
    told: dict[str, object] = {
        "opened": opened,
        "resident": resident(),
        "set": each(contender.matching, ASKED, typing=True),
        "keys": each(contender.matching, KEYS, typing=True),
        "ranked": each(contender.ranked, ASKED, typing=False),
        "keys ranked": each(contender.ranked, KEYS, typing=True),
    }
    if isinstance(contender, Ours):
        told["notes"] = contender.note_costs()
    return told | {"resident at the end": resident()}


def main() -> None:
    """Do what the command line says."""
    what, name, source, folder, *processes = sys.argv[1:]
    contender = CONTENDERS[name](Path(source), Path(folder))
    told = built(contender, int(processes[0])) if what == "build" else asked(contender)
    print(json.dumps(told))


if __name__ == "__main__":
    main()
