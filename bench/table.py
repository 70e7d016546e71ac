"""How a bench tells its figures: as a table, as a file, and by its exit code."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

OUT = Path(__file__).parent / "out"


@dataclass(frozen=True)
class Limit:
    """What a figure has to keep.

    Attributes:
        bound: A number, in the figure's unit, if there is one.
        times: So many times what others measured in the same run, by their names.
        most: Whether these are the most it may be, or the least.
    """

    bound: float | None
    times: Mapping[str, float]
    most: bool

    def __str__(self) -> str:
        parts = [] if self.bound is None else [short(self.bound)]
        parts += [f"{factor:.2g} x {name}" for name, factor in self.times.items()]
        return f"at {'most' if self.most else 'least'} {' and '.join(parts)}"

    def holds(self, ours: float, others: Mapping[str, float]) -> bool:
        """Tell whether a figure keeps it; others that were not measured bind nobody."""
        bounds = [] if self.bound is None else [self.bound]
        bounds += [f * others[name] for name, f in self.times.items() if name in others]
        return all(ours <= bound if self.most else ours >= bound for bound in bounds)


def at_most(bound: float | None = None, **times: float) -> Limit:
    """Return a limit from above: a number, and times what others measured."""
    return Limit(bound, times, most=True)


def at_least(bound: float | None = None, **times: float) -> Limit:
    """Return a limit from below: a number, and times what others measured."""
    return Limit(bound, times, most=False)


@dataclass
class Figure:
    """One line of the table: ours and others' by their names, in the unit of its own name."""

    name: str
    ours: float
    others: Mapping[str, float] = field(default_factory=dict)
    limit: Limit | None = None

    @property
    def holds(self) -> bool:
        """Whether its limit holds."""
        return self.limit is None or self.limit.holds(self.ours, self.others)


def tell(found: Sequence[Figure], name: str) -> int:
    """Print figures and keep them in a file.

    Each is followed by the change since the run before, and by what others measured with the
    ratio of ours to it.

    Args:
        found: The figures.
        name: The file's name. What it holds of runs before is compared with, and kept where
            it was not measured this time.

    Returns:
        0 if every limit holds, else 1.
    """
    path = OUT / f"{name}.json"
    kept = _kept(path)
    before = {name: one["ours"] for name, one in kept.items()}
    columns = list(dict.fromkeys(other for one in found for other in one.others))
    print(f"{'':54}{'ours':>8}{'change':>8}" + "".join(f"{column:>17}" for column in columns))
    for one in found:
        change = f"{one.ours / before[one.name] - 1:+.0%}" if before.get(one.name) else ""
        line = f"{one.name:54}{short(one.ours):>8}{change:>8}"
        for column in columns:
            other = one.others.get(column)
            shown = f"{short(other)} ({ratio(one.ours, other)})" if other is not None else ""
            line += f"{shown:>17}"
        print(line + f"   {one.limit or ''}{'' if one.holds else '  MISSED'}".rstrip())
    for one in found:
        kept[one.name] = asdict(one) | {"limit": str(one.limit or ""), "holds": one.holds}
    OUT.mkdir(exist_ok=True)
    path.write_text(json.dumps(list(kept.values()), indent=1) + "\n")
    return 0 if all(one.holds for one in found) else 1


def _kept(path: Path) -> dict[str, dict[str, Any]]:
    """Return the figures of runs before, by their names."""
    if not path.exists():
        return {}
    return {one["name"]: one for one in json.loads(path.read_text())}


def short(number: float) -> str:
    """Return a number with three digits that count, and never fewer than its whole ones."""
    digits = 0 if number == 0 else 2 - math.floor(math.log10(abs(number)))
    return f"{number:,.{min(max(digits, 0), 3)}f}"


def ratio(one: float, other: float) -> str:
    """Return how often one number goes into another."""
    return f"{short(one / other)}x" if other else "–"
