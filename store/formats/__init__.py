"""Readers of the files that papers come in. Each turns bytes into records and refusals.

A reader never raises on what a file holds: an entry it cannot take is refused with line and
reason and costs no other entry. `read + refused` is what is in the file.
"""

from __future__ import annotations

from pathlib import Path

from . import jsonl, seed
from .decode import decode
from .parsed import Parsed, Refusal

NAMES = ("seed", "jsonl")
"""The formats by the names that `--format` and reports use."""


def read(path: Path, data: bytes) -> Parsed:
    """Read a file's papers; the format is told by the content, not by the name.

    Args:
        path: Where the file lies; a seed list has its facts beside it.
        data: The content.
    """
    decoded = decode(data)
    if decoded.problem:
        return Parsed("unknown", refused=[Refusal(1, None, decoded.problem)])
    text = decoded.text
    parsed = jsonl.parse(text) if text.lstrip().startswith("{") else seed.parse(text, path)
    if decoded.guess:
        parsed.guesses.insert(0, decoded.guess)
    return parsed
