"""Several programs on one library: nothing of any is lost, and nobody sees it go backwards."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import Library

from .layer import SOAK
from .programs import lines_of
from .running import Programs

CHANGES = 1000 * SOAK


@pytest.fixture
def programs() -> Iterator[Programs]:
    with Programs() as programs:
        yield programs


def numbers(number: int, remainder: int) -> set[int]:
    return {one for one in range(CHANGES) if one % 20 == remainder}


@pytest.mark.parametrize("workers", [2, 4])
def test_changes_of_several_programs_are_all_there(
    tmp_path: Path, programs: Programs, workers: int
) -> None:
    keys = [f"own{worker}.{one}" for worker in range(workers) for one in range(5)]
    keys += ["shared", *(f"common{one}" for one in range(3))]
    records = [{"key": key, "title": f"About {key}"} for key in keys]
    (tmp_path / "papers.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    library = Library(tmp_path / "library", tmp_path / "cache")
    library.import_files([tmp_path / "papers.jsonl"])
    first = library._marks._storage.seq
    library.close()
    where = {"folder": str(tmp_path / "library"), "files": str(tmp_path)}

    programs.start("watch", workers=workers, **where)
    programs.next("started")
    programs.next("open")
    for worker in range(workers):
        programs.start("work", number=worker, changes=CHANGES, **where)
    heard = list(heard_until_ended(programs, workers))
    (tmp_path / "stop").touch()
    watched = programs.next("watched")
    programs.next("ended")

    assert [one["notices"] for one in heard if "notices" in one] == [[]] * 2 * workers
    assert watched["problems"] == []
    assert watched["notices"] == []
    assert watched["polls"] > 100
    library = Library(tmp_path / "library", tmp_path / "cache")
    assert library.notices == []
    stored = sum(one["stored"] for one in heard if one["kind"] == "worked")
    assert library._marks._storage.seq == first + stored  # no number twice, and none left out
    shared = {f"{worker}.{one}" for worker in range(workers) for one in numbers(worker, 0)}
    assert lines_of(library.entry("shared").note) == shared
    tags = {f"w{worker}n{one}" for worker in range(workers) for one in numbers(worker, 1)}
    assert {tag for one in range(3) for tag in library.entry(f"common{one}").mark.tags} == tags
    for worker in range(workers):
        last = max(one for one in range(CHANGES) if one % 20 > 4)
        assert library.entry(f"own{worker}.0").note == f"{last}"
        assert not library.entry(f"own{worker}.1").mark.starred
        assert {library.entry(f"own{worker}.{one}").mark.status for one in range(5)} == {"skipped"}
    library.close()


def heard_until_ended(programs: Programs, count: int) -> Iterator[dict[str, Any]]:
    """Yield what programs say until so many of them have ended."""
    while count:
        message = programs.next("started", "open", "worked", "ended")
        yield message
        if message["kind"] == "ended":
            assert message["status"] == 0
            count -= 1
