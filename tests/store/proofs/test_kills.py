"""Programs that are killed while they write as fast as they can.

Each acknowledges every change through a pipe once the call has returned. Whenever it was killed,
all of those are there.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import Library, files, journal

from .layer import SOAK
from .programs import NOTHING, PAPERS, acted, state_of
from .running import Programs
from .scenes import release

TORN = re.compile(
    r"marks\.journal: .*\b(1|an) unfinished.* entry was passed over"
    r"|marks\.journal as it was is kept"
    r"|papers\.jsonl: lines? [\d, ]+ cannot be read"
)
"""What may be told after a program was killed: of the one line it was just writing."""


@pytest.fixture
def programs() -> Iterator[Programs]:
    with Programs() as programs:
        yield programs


def killed_at_once(programs: Programs, chance: random.Random, **more: Any) -> int:
    """Start a program and kill it at some moment; return how many changes it had acknowledged."""
    programs.start("scribble", **more)
    pid = programs.next("started")["pid"]
    done = 0
    if chance.random() < 0.9:
        opened = programs.next("open")
        check_notices(opened["notices"])
        assert not opened["read_only"]
        for _ in range(chance.choice((0, 0, 1, 2, 3, 5, 8, 13, 30))):
            programs.next("done")
            done += 1
    deadline = time.perf_counter() + chance.uniform(0.0, 0.003)
    while (left := deadline - time.perf_counter()) > 0:
        if (message := programs.hear(left)) and message["kind"] == "done":
            done += 1
    return done + len(programs.kill(pid))


def check_notices(notices: list[str]) -> None:
    assert not [notice for notice in notices if not TORN.search(notice)]


@pytest.mark.parametrize(("kills", "compact_bytes"), [(110, 1 << 18), (90, 500)])
def test_what_was_acknowledged_outlives_any_kill(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    programs: Programs,
    kills: int,
    compact_bytes: int,
) -> None:
    monkeypatch.setattr(files, "LOCK_SECONDS", 2.0)
    monkeypatch.setattr(journal, "COMPACT_BYTES", compact_bytes)
    chance = random.Random(seed := random.getrandbits(32))
    folder, cache = tmp_path / "library", tmp_path / "cache"
    papers = tmp_path / "papers.jsonl"
    papers.write_text("".join(f'{{"key": "{key}", "title": "About {key}"}}\n' for key in PAPERS))
    library = Library(folder, cache)
    library.import_files([papers])
    library.close()
    state, number = dict.fromkeys(PAPERS, NOTHING), 0
    for kill in range(kills * SOAK):
        for _ in range(killed_at_once(programs, chance, folder=str(folder), files=str(tmp_path),
                                      start=number, compact_bytes=compact_bytes)):  # fmt: skip
            state, number = acted(state, number), number + 1
        library = Library(folder, cache, may_write=kill % 3 > 0)
        found = state_of(library)
        if found != state:  # what was not acknowledged is there, wholly
            state, number = acted(state, number), number + 1
        assert found == state, f"kill {kill}, seed {seed}, change {number}"
        check_notices(library.notices)
        if kill % 3 == 1:
            library.close()
        else:
            release(library)
    assert number > kills
