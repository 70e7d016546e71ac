"""Searches saved as lists: stored, undone and joined like marks, and counted as things change."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from anchorlight.store import (
    Change,
    Library,
    NotSavedError,
    Progress,
    ReadOnlyError,
    Status,
)
from anchorlight.store.archive import back_up, restore
from anchorlight.store.searches import MOST_NAME, joined_searches, queries_in, saved
from anchorlight.store.snapshot import Document
from hypothesis import given
from hypothesis import strategies as st

from .conftest import SMALL, Clock
from .helpers import Open, Put, full


def rows(library: Library) -> dict[str, tuple[int, int]]:
    """Return papers and unread ones of every saved search."""
    return {row.title: (row.papers, row.unread) for row in library.overview().searches}


def listed(library: Library, name: str, order: str = "list") -> list[str]:
    return [entry.paper.key for entry in library.listing(f"search:{name}", order)]


# What it is


def test_a_saved_search_is_a_list_like_any_other(library: Library) -> None:
    assert library.save_search("mem", "memory") == "mem"
    assert library.overview().searches == [Progress("search:mem", "mem", 2, 2)]
    assert listed(library, "mem") == ["moe", "pipe"]
    assert listed(library, "mem", "title") == ["pipe", "moe"]
    found = library.search("gpu schedules", "search:mem")
    assert [entry.paper.key for entry in found.entries] == ["pipe"]
    assert library.saved_query("search:mem") == "memory"
    assert library.saved_query("mem") == library.saved_query("anchor:mem") == ""
    assert library.overview().all[-1].key == "search:mem"


def test_names_are_one_clean_line_and_the_query_where_there_is_none(library: Library) -> None:
    assert library.save_search("", " memory\n  GPU ") == "memory GPU"
    assert library.save_search("a\x1b[31m\tb\u202e ", "memory") == "a[31m b"
    assert len(library.save_search("", "memory " * 100)) <= MOST_NAME
    assert library.save_search("Über", "gpu") == "Über"
    library.save_search("zebra", "gpu")
    names = list(library.searches)
    assert names[:2] == ["a[31m b", "memory GPU"]
    assert names[-2:] == ["Über", "zebra"]  # as the reader reads them, not by their codes


@pytest.mark.parametrize("query", ["", "  ", "*", '""', "()"])
def test_nothing_to_search_for_is_not_saved(library: Library, query: str) -> None:
    with pytest.raises(NotSavedError):
        library.save_search("name", query)
    assert library.searches == {}
    assert library.undo() is not None  # the import: nothing else was done


def test_one_of_the_same_name_is_replaced(library: Library) -> None:
    library.save_search("it", "memory")
    library.save_search("it", "parallel")
    assert listed(library, "it") == ["pipe", "quant"]
    library.undo()
    assert listed(library, "it") == ["moe", "pipe"]


@pytest.mark.parametrize("name", ["search:none", "search:", "none"])
def test_one_that_is_not_there_is_no_list(library: Library, name: str) -> None:
    assert not library.remove_search(name.removeprefix("search:"))
    with pytest.raises(KeyError):
        library.listing(name)
    with pytest.raises(KeyError):
        library.search("memory", name)


# Counts


@pytest.mark.parametrize("indexed", [True, False])
def test_counts_follow_everything_that_changes(
    library: Library, put_papers: Put, indexed: bool
) -> None:
    if indexed:
        library.refresh_index()
    library.save_search("mem", "memory")
    library.save_search("open", "is:unread -memory")
    library.save_search("tag", "tag:core")
    assert rows(library) == {"mem": (2, 2), "open": (2, 2), "tag": (0, 0)}
    library.mark({"moe": Change(status=Status.READ), "bare": Change(status=Status.SKIPPED)})
    assert rows(library) == {"mem": (2, 1), "open": (1, 1), "tag": (0, 0)}
    library.write_note("quant", "needs memory")
    library.mark({"pipe": Change(add_tags=("core",))})
    assert rows(library) == {"mem": (3, 2), "open": (0, 0), "tag": (1, 1)}
    put_papers(library, {"key": "new", "title": "A Memory of Caches"}, name="more.jsonl")
    assert rows(library)["mem"] == (4, 3)
    library.undo()
    assert rows(library)["mem"] == (3, 2)
    for name in ("mem", "open", "tag"):
        assert rows(library)[name][0] == len(listed(library, name))


def test_what_another_program_does_is_taken_in(library: Library, open_library: Open) -> None:
    other = open_library()
    library.save_search("mem", "memory")
    assert other.refresh()
    assert rows(other) == {"mem": (2, 2)}
    assert not other.refresh()
    other.write_note("quant", "memory")
    library.refresh()
    assert rows(library) == {"mem": (3, 3)}
    other.remove_search("mem")
    assert library.refresh()
    assert rows(library) == {}


def test_counting_does_not_begin_searching_where_somebody_waits(library: Library) -> None:
    library.save_search("mem", "memory")
    (row,) = library.overview(patience=1).searches
    assert (row.papers, row.left) == (0, 4)  # not looked at, and not said to be empty
    library.refresh_index()
    (row,) = library.overview(patience=0).searches
    assert (row.papers, row.left) == (2, 0)


def test_counting_stops_when_the_time_is_up(library: Library) -> None:
    library.save_search("a", "memory")
    library.save_search("b", "parallel")
    assert library.unindexed == 4  # searching has begun, without an index
    assert [row.left for row in library.overview(patience=0).searches] == [4, 4]
    found = library.search("parallel", "search:a", patience=0)
    assert (len(found.entries), found.left) == (0, 4)


# Stored like marks


def test_it_is_there_the_next_day_and_gone_when_removed(
    library: Library, open_library: Open
) -> None:
    library.save_search("mem", "memory")
    library.save_search("gpu", "gpu")
    assert library.remove_search("gpu")
    assert open_library().searches == {"mem": "memory"}  # while it is still open: each is synced
    library.close()
    assert open_library().searches == {"mem": "memory"}


def test_undo_and_redo_walk_over_it(library: Library) -> None:
    library.save_search("mem", "memory")
    library.remove_search("mem")
    assert library.searches == {}
    step = library.undo()
    assert step is not None
    assert (step.what, step.keys) == ("removal of a saved search", ())
    assert library.searches == {"mem": "memory"}
    library.undo()
    assert library.searches == {}
    library.redo()
    assert library.searches == {"mem": "memory"}
    library.redo()
    assert library.searches == {}
    assert library.redo() is None


def test_saving_the_same_again_is_no_step(library: Library) -> None:
    library.save_search("mem", "memory")
    library.mark({"moe": Change(starred=True)})
    library.save_search("mem", " memory ")
    step = library.undo()
    assert step is not None
    assert step.what == "mark"


def test_a_full_disk_saves_nothing_and_says_so(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.save_search("mem", "memory")
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        with pytest.raises(NotSavedError):
            library.save_search("gpu", "gpu")
        with pytest.raises(NotSavedError):
            library.remove_search("mem")
    assert library.searches == {"mem": "memory"}
    assert library.save_search("gpu", "gpu") == "gpu"


def test_a_library_that_cannot_be_written_saves_none(
    library: Library, open_library: Open, folder: Path, make_unwritable: Callable[[Path], None]
) -> None:
    library.save_search("mem", "memory")
    library.close()
    make_unwritable(folder)
    again = open_library()
    assert rows(again) == {"mem": (2, 2)}
    with pytest.raises(ReadOnlyError):
        again.save_search("gpu", "gpu")
    with pytest.raises(ReadOnlyError):
        again.remove_search("mem")


def test_it_comes_back_from_a_backup(
    library: Library, open_library: Open, folder: Path, tmp_path: Path
) -> None:
    library.save_search("mem", "memory")
    back_up(folder, tmp_path / "b.zip")
    library.remove_search("mem")
    library.close()
    restore(folder, tmp_path / "b.zip")
    assert open_library().searches == {"mem": "memory"}


def test_damaged_ones_are_passed_over(library: Library, open_library: Open, folder: Path) -> None:
    library.save_search("mem", "memory")
    library.save_search("bad", "gpu")
    library.close()
    path = folder / "marks.json"
    tables = json.loads(path.read_bytes())
    tables["searches"]["bad"] = {"query": 7, "changed": []}
    tables["searches"]["worse"] = {}
    tables["searches"][""] = {"query": "gpu", "changed": "2026"}
    path.write_text(json.dumps(tables), "utf-8")
    for copy in (folder / "backups").iterdir():
        copy.unlink()
    again = open_library()
    assert again.searches == {"mem": "memory"}
    assert rows(again) == {"mem": (2, 2)}
    again.save_search("bad", "gpu")
    assert set(again.searches) == {"mem", "bad"}


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.dictionaries(
            st.sampled_from(["query", "changed", "x"]),
            st.one_of(st.none(), st.text(), st.integers()),
        ),
    )
)
def test_no_document_harms(table: dict[str, Document]) -> None:
    for name, query in queries_in(table).items():
        assert name
        assert query
        assert table[name]["query"] == query
        document = saved("new", table[name], "2026-01-01T00:00:00.000+00:00")
        assert joined_searches(document, {}) == document


# Two machines


def two(open_library: Open, put_papers: Put, tmp_path: Path) -> tuple[Library, Library]:
    """Return two libraries of the same papers."""
    libraries = open_library(tmp_path / "one"), open_library(tmp_path / "two")
    for library in libraries:
        put_papers(library, *SMALL)
    return libraries


def test_joining_takes_the_newer_of_each_name_whichever_way(
    open_library: Open, put_papers: Put, tmp_path: Path, clock: Clock
) -> None:
    one, two_ = two(open_library, put_papers, tmp_path)
    one.save_search("same", "memory")
    one.save_search("mine", "gpu")
    one.save_search("gone", "integer")
    two_.save_search("gone", "integer")
    clock.now += timedelta(hours=1)
    two_.save_search("same", "parallel")
    two_.save_search("theirs", "models")
    two_.remove_search("gone")
    wanted = {"mine": "gpu", "same": "parallel", "theirs": "models"}
    one.merge(tmp_path / "two")
    assert one.searches == wanted
    two_.merge(tmp_path / "one")
    assert two_.searches == wanted
    stored = (tmp_path / "one" / "marks.journal").read_bytes()
    one.merge(tmp_path / "two")
    assert (tmp_path / "one" / "marks.journal").read_bytes() == stored
    one.undo()
    assert one.searches == {"gone": "integer", "mine": "gpu", "same": "memory"}
    one.redo()
    assert one.searches == wanted


documents = st.fixed_dictionaries(
    {"query": st.sampled_from(["", "a", "b"]), "changed": st.sampled_from(["1", "2"])}
)


@given(documents, documents, documents)
def test_joining_is_the_same_in_any_order(one: Document, two: Document, three: Document) -> None:
    assert joined_searches(one, two) == joined_searches(two, one)
    assert joined_searches(one, one) == one
    assert joined_searches(joined_searches(one, two), three) == joined_searches(
        one, joined_searches(two, three)
    )
