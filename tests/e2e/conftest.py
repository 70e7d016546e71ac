"""The installed program in a real pseudo-terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .terminal import Terminal

Start = Callable[..., Terminal]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of the program: everything it touches lies in a folder of the test."""
    kept = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "xterm-256color"}
    folders = {
        name: str(tmp_path / name.lower())
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "HOME")
    }
    library = {"ANCHORLIGHT_LIBRARY": str(tmp_path / "library")}
    return {**kept, **folders, **library, "COLORTERM": "truecolor"}


@pytest.fixture
def start(environment: dict[str, str]) -> Iterator[Start]:
    """Start the program: `start("import", "x.txt", size=(80, 24))`."""
    started: list[Terminal] = []

    def start_one(
        *words: str, size: tuple[int, int] = (120, 40), env: dict[str, str] | None = None
    ) -> Terminal:
        argv = [sys.executable, "-m", "anchorlight.tui", *words]
        started.append(Terminal(argv, environment | (env or {}), size))
        return started[-1]

    yield start_one
    for terminal in started:
        terminal.kill()
