"""Cells of a table that a spreadsheet must not take for formulas.

A spreadsheet runs a cell that begins with one of `= + - @`, a tab or a carriage return: a title
from anywhere could call other programs or addresses (OWASP, "CSV Injection"). An apostrophe in
front makes it text, and is what a person would type there. Cells that have such apostrophes
already get one more, so that `restored` gives back every text exactly.
"""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*[=+\-@\t\r＝＋－＠]")


def defused(cell: str) -> str:
    """Return the text of a cell as it is written."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def restored(cell: str) -> str:
    """Return the text of a cell that was written so."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
