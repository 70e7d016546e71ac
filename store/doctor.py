"""The state of every file of a library, a line each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """What was found about one file."""

    name: str
    ok: bool
    detail: str


def check(name: str, detail: str, notices: list[str]) -> Check:
    """Return the check of a file: well where no notice names it."""
    found = [notice for notice in notices if name in notice]
    return Check(name, not found, " ".join(found) or detail)
