"""Whether anything breaks at a million papers, and how cost grows: ours at three sizes.

It opens, filters, ranks and takes notes as `search.py` asks of every size. The table's columns are
the sizes, with the largest as ours: a ratio of 10 is growth as that of the papers, and `for a
paper` is what stays the same then.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from corpus import OUT
from search import contended, keep, numbers, slowest
from table import Figure, tell

SIZES = (10_000, 100_000, 1_000_000)


def main() -> int:
    """Print the table, keep it, and tell by the exit code whether every limit holds."""
    sizes = [int(word) for word in sys.argv[1:]] or SIZES
    OUT.mkdir(exist_ok=True)
    measured: dict[int, dict[str, float]] = {}
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="million-", dir=OUT) as place:
            told = contended("ours", size, Path(place), [2])
        keep(f"million-{size}", told)
        built = told["built by 2"]
        measured[size] = numbers(told) | {
            "built in, seconds": built["seconds"],
            "built, microseconds for a paper": built["seconds"] * 1e6 / size,
            "memory after ten queries, bytes for a paper": told["resident"] * 1e6 / size,
        }
        print(f"{size:,} papers are done; slowest {slowest(told)}", file=sys.stderr)
    *smaller, largest = sizes
    found = [
        Figure(what, ours, {f"{size:,}": measured[size][what] for size in smaller})
        for what, ours in measured[largest].items()
    ]
    return tell(found, f"million-{largest}")


if __name__ == "__main__":
    sys.exit(main())
