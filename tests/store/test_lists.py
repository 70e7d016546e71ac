from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import SMART_LISTS, Change, Library, NoSuchPaperError, Overview, Status

from .helpers import Open


def counts(overview: Overview) -> dict[str, tuple[int, int]]:
    rows = (*overview.anchors, *overview.lists, *overview.tags)
    return {row.key: (row.papers, row.unread) for row in rows}


def test_an_empty_library_has_only_empty_lists(open_library: Open) -> None:
    overview = open_library().overview()
    assert list(overview.anchors) == list(overview.tags) == []
    assert counts(overview) == dict.fromkeys(SMART_LISTS, (0, 0))


def test_lists_follow_from_the_marks(library: Library, clock: Any) -> None:
    library.mark({"moe": Change(status=Status.READ, add_tags=("b", "a"))})
    clock.now += timedelta(hours=1)
    library.mark({"pipe": Change(starred=True, add_tags=("b",))})
    library.write_note("quant", "a note")
    assert counts(library.overview()) == {
        "all": (4, 3), "unread": (3, 3), "starred": (1, 1), "notes": (1, 1), "recent": (2, 1),
        "tag:b": (2, 1), "tag:a": (1, 0),
    }  # fmt: skip

    def listed(name: str) -> list[str]:
        return [entry.paper.key for entry in library.listing(name)]

    assert listed("all") == ["moe", "pipe", "quant", "bare"]
    assert listed("unread") == ["pipe", "quant", "bare"]
    assert listed("recent") == ["pipe", "moe"]
    assert listed("tag:b") == ["moe", "pipe"]
    assert [row.key for row in library.overview().tags] == ["tag:b", "tag:a"]
    for row in (*library.overview().lists, *library.overview().tags):
        assert len(library.listing(row.key)) == row.papers


@pytest.mark.parametrize("name", ["none", "anchor:none", "tags"])
def test_there_is_no_other_list(library: Library, name: str) -> None:
    with pytest.raises(KeyError):
        library.listing(name)
    with pytest.raises(KeyError):
        library.search("x", name)
    with pytest.raises(KeyError):
        library.entry("none")


def test_an_anchor_whose_record_is_lost_costs_no_other_list(
    open_library: Open, seeds: Path, folder: Path
) -> None:
    library = open_library(seeds=seeds)
    lost = library.find("Mimose", anchors_only=True)
    member = library.reading_list(lost).papers[3]
    library.close()
    lines = (folder / "papers.jsonl").read_bytes().splitlines(keepends=True)
    damaged = {f'"key": "{key}"'.encode() for key in (lost, member)}
    for number, line in enumerate(lines):
        if any(mark in line for mark in damaged) and b'"list"' not in line:
            lines[number] = b"\x00garbage\n"
    (folder / "papers.jsonl").write_bytes(b"".join(lines))
    again = open_library()
    assert len(again) == 60  # the anchor is still known by its list, without a title
    assert any("papers.jsonl" in notice for notice in again.notices)
    overview = again.overview()
    titles = [row.title for row in overview.anchors]
    assert any("Cephalo" in title for title in titles)
    for row in overview.anchors:
        assert len(again.listing(row.key)) == row.papers
        assert row.unread == row.papers
    assert again.search("anchor:Tesseract").entries
    assert again.find("Cephalo", anchors_only=True)
    with pytest.raises(NoSuchPaperError):
        again.find("nothing", anchors_only=True)
