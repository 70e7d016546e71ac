"""How a bench tells its figures: as a table, as a file, and by its exit code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

OUT = Path(__file__).parent / "out"


@dataclass
class Figure:
    """One line of the table: ours and the baseline, in the unit of its name."""

    name: str
    ours: float
    baseline: float
    limit: str
    holds: bool


def tell(found: Sequence[Figure], name: str, *, digits: int) -> int:
    """Print figures, keep them in a file, and return 0 if every limit holds, else 1."""
    print(f"{'':48}{'ours':>9}{'bare':>9}{'ratio':>8}   limit")
    for one in found:
        print(
            f"{one.name:48}{one.ours:9.{digits}f}{one.baseline:9.{digits}f}"
            f"{one.ours / one.baseline:8.2f}   {one.limit}{'' if one.holds else '  MISSED'}"
        )
    OUT.mkdir(exist_ok=True)
    (OUT / f"{name}.json").write_text(json.dumps([asdict(one) for one in found], indent=1))
    return 0 if all(one.holds for one in found) else 1
