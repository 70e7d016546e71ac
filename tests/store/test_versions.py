"""A library of each version of the format, as its program left it, is opened by every later one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from anchorlight.store import Change, Library, Mark, Status
from anchorlight.store.folder import FORMAT

from .conftest import CHECKOUT
from .helpers import contents

LIBRARIES = CHECKOUT / "tests" / "libraries"
FIRST = "2026-01-15T12:00:00+00:00"
NOTE = "Compare with the planner of *Mimose*.\n\n- single GPU\n"
OBJECTION = "Ein Einwand: é 東京"
MARKS = {
    1: {
        "moe": Mark(Status.READ, starred=True, tags=("moe", "GPU"), changed=FIRST),
        "quant": Mark(Status.SKIPPED, changed=FIRST),
        "bare": Mark(Status.QUEUED, changed=FIRST),
        "anchor": Mark(),
        "listed": Mark(),
    },
    2: {
        "moe": Mark(Status.READ, starred=True, tags=("moe", "GPU"), changed=FIRST),
        "quant": Mark(Status.SKIPPED, changed=FIRST),
        "bare": Mark(Status.QUEUED, changed="2026-02-01T09:20:00.000+00:00"),
        "anchor": Mark(),
        "listed": Mark(Status.READING, tags=("moe",), changed="2026-02-01T09:14:00.000+00:00"),
    },
}
MARKS[3] = MARKS[2]
NOTES = {
    1: {"moe": [NOTE], "quant": [OBJECTION]},
    2: {"moe": [NOTE, "Compare with the planner of *Mimose*, and of Tesseract."],
        "quant": [OBJECTION]},
}  # fmt: skip
NOTES[3] = NOTES[2]
STEPS = {1: [], 2: ["note", "tags", "tags", "note"]}
STEPS[3] = STEPS[2]


@pytest.fixture(params=range(1, FORMAT + 1))
def version(request: pytest.FixtureRequest, folder: Path) -> int:
    """A version, whose library lies in `folder`."""
    shutil.copytree(LIBRARIES / str(request.param), folder)
    return int(request.param)


def check(library: Library, version: int) -> None:
    entries = {entry.paper.key: entry for entry in library.listing("all")}
    assert {key: entry.mark for key, entry in entries.items()} == MARKS[version]
    told = {key: [one.text for one in library.note_versions(key)] for key in entries}
    assert {key: texts for key, texts in told.items() if texts} == NOTES[version]
    assert entries["moe"].note == NOTES[version]["moe"][-1]
    assert entries["quant"].note == (OBJECTION if version == 1 else "")
    assert library.reading_list("anchor").papers == ("listed",)
    assert entries["moe"].paper.ids == {"arxiv": "2511.21431"}
    assert entries["bare"].paper.truncated
    quant = entries["quant"].paper
    details = {"volume": "12", "page": "1–9"} if version >= 3 else {}
    assert (quant.details, quant.files) == (details, ("quant.pdf",) if details else ())
    assert quant.also == (("doi:10.1234/older", "key:mueller2018") if details else ())
    assert (quant.type, quant.date) == (("article-journal", "2019-05") if details else (None, None))
    assert library.session["paper"] == "listed"
    assert [entry.paper.key for entry in library.search("müller").entries] == ["quant"]


def test_everything_is_there(
    version: int, folder: Path, open_library: Callable[..., Library]
) -> None:
    library = open_library()
    notices = [notice for notice in library.notices if "was brought from format" not in notice]
    assert notices == []
    check(library, version)
    library.close()
    again = open_library()
    assert again.notices == []
    check(again, version)


def test_everything_can_be_changed_and_taken_back(
    version: int, open_library: Callable[..., Library]
) -> None:
    library = open_library()
    library.mark({"quant": Change(starred=True)})
    library.write_note("bare", "New")
    library.close()
    library = open_library()
    assert library.undo()
    assert library.undo()
    check_but_times(library, version)
    steps = []
    while step := library.undo():
        steps.append(step.what)
    assert steps[::-1] == STEPS[version]
    assert library.entry("moe").note == NOTE
    while library.redo():
        pass
    assert library.entry("quant").mark.starred
    assert library.entry("bare").note == "New"


def check_but_times(library: Library, version: int) -> None:
    for key, mark in MARKS[version].items():
        now = library.entry(key).mark
        assert (now.status, now.starred, now.tags) == (mark.status, mark.starred, mark.tags)


def test_looking_changes_nothing(
    version: int, folder: Path, open_library: Callable[..., Library]
) -> None:
    before = contents(folder)
    library = open_library(may_write=False)
    check(library, version)
    library.close()
    assert contents(folder) == before
