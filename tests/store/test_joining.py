"""Making two papers one: records, marks, notes and lists, and taking it back."""

from __future__ import annotations

import errno
import json
import tempfile
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import Change, Entry, Library, Mark, NotSavedError, Paper, Status
from anchorlight.store.joining import joined_entry, joined_mark, joined_note, joined_paper
from anchorlight.store.marks import Marks
from anchorlight.store.notes import CONFLICT
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from .helpers import Open, Put, look_everywhere
from .helpers import state as whole_state

LONG = "Routing tokens to experts leaves some of the devices idle while others run out of memory, "
OPENING = LONG * 2

KEEP = {
    "key": "keep", "title": "A Study of Pipelines", "authors": ["Ann Lee"], "year": 2021,
    "ids": {"doi": "10.1000/keep"}, "abstract": "We study pipelines",
}  # fmt: skip
OTHER = {
    "key": "other", "title": "A study of pipe lines", "authors": ["Ann Lee", "Bo Li"],
    "year": 2020, "ids": {"doi": "10.1000/other", "arxiv": "2001.00001"}, "venue": "SC",
    "abstract": "We study pipe lines at length.",
}  # fmt: skip


def state(library: Library) -> Any:
    """Return everything that is shown; when marks changed last is not."""
    entries, lists = whole_state(library)
    shown = {
        key: replace(entry, mark=replace(entry.mark, changed=None))
        for key, entry in entries.items()
    }
    return shown, lists


def in_no_order(library: Library) -> Any:
    """Return the same, whichever list came first."""
    shown, lists = state(library)
    return {
        key: replace(entry, anchors=tuple(sorted(entry.anchors))) for key, entry in shown.items()
    }, lists


@pytest.fixture
def two(library: Library, put_papers: Put, tmp_path: Path) -> Library:
    """A library with `keep` and `other`, and lists that they stand in."""
    put_papers(library, KEEP, OTHER, name="two.jsonl")
    for anchor, keys in (
        ("moe", ("other", "pipe")),
        ("pipe", ("keep", "quant", "other")),
        ("other", ("quant", "keep", "bare")),
    ):
        records = [{"key": key, "anchors": [anchor]} for key in keys]
        report = put_papers(library, *records, name=f"{anchor}.jsonl")
        assert report.added == 0
    return library


def test_the_one_that_is_kept_is_completed(two: Library) -> None:
    joined = two.join("keep", "other")
    paper = joined.paper
    assert (paper.key, paper.title, paper.year) == ("keep", "A Study of Pipelines", 2021)
    assert (paper.venue, paper.abstract) == ("SC", "We study pipelines")
    assert paper.ids == {"arxiv": "2001.00001", "doi": "10.1000/keep"}
    assert {"key:other", "doi:10.1000/other"} <= {*paper.also}
    assert joined == two.entry("keep")
    assert len(two) == 5
    look_everywhere(two)


def test_lists_have_it_in_the_others_place_once(two: Library) -> None:
    two.join("keep", "other")
    assert two.reading_list("moe").papers == ("keep", "pipe")
    assert two.reading_list("pipe").papers == ("keep", "quant")
    assert two.reading_list("keep").papers == ("quant", "bare")  # it went over, without itself
    assert two.reading_list("other").papers == ()
    assert two.entry("keep").anchors == ("moe", "pipe")
    assert two.entry("bare").anchors == ("keep",)
    anchors = [row.key for row in two.overview().anchors]
    assert anchors == ["anchor:moe", "anchor:pipe", "anchor:keep"]


def test_two_lists_become_one(two: Library, put_papers: Put) -> None:
    put_papers(two, {"key": "moe", "anchors": ["keep"]}, {"key": "quant", "anchors": ["keep"]})
    two.join("keep", "other")
    assert two.reading_list("keep").papers == ("moe", "quant", "bare")


def test_marks_and_notes_of_both_are_kept(two: Library) -> None:
    two.mark({"keep": Change(status=Status.QUEUED, add_tags=("one", "Both"))})
    two.mark({"other": Change(status=Status.READ, starred=True, add_tags=("both", "two"))})
    two.write_note("keep", "mine")
    two.write_note("other", "theirs")
    joined = two.join("keep", "other")
    assert joined.mark.status is Status.READ
    assert joined.mark.starred
    assert joined.mark.tags == ("one", "Both", "two")
    assert joined.note == f"mine{CONFLICT}theirs"
    assert [row.title for row in two.overview().tags] == ["Both", "one", "two"]
    assert [one.paper.key for one in two.listing("starred")] == ["keep"]
    assert [one.paper.key for one in two.search("theirs").entries] == ["keep"]
    assert not [check for check in two.checks() if "not here" in check.detail]


@pytest.mark.parametrize(
    ("mine", "theirs", "both"),
    [
        ("", "", ""),
        ("a", "", "a"),
        ("", "b", "b"),
        ("a", "a", "a"),
        ("a", "b", f"a{CONFLICT}b"),
        (f"a{CONFLICT}b", f"b{CONFLICT}c", f"a{CONFLICT}b{CONFLICT}c"),
    ],
)
def test_every_part_of_two_notes_is_there_once(mine: str, theirs: str, both: str) -> None:
    assert joined_note(mine, theirs) == both


def test_the_status_is_the_further_one() -> None:
    order = (Status.UNREAD, Status.QUEUED, Status.SKIPPED, Status.READING, Status.READ)
    for one in order:
        for two in order:
            further = max(one, two, key=order.index)
            assert joined_mark(Mark(one), Mark(two)).status is further


def test_former_names_lead_to_it(two: Library, open_library: Open) -> None:
    two.join("keep", "other")
    for _ in range(2):
        assert two.find("other") == "keep"
        assert two.find("other", anchors_only=True) == "keep"
        assert two.find("10.1000/other") == "keep"
        assert two.present_key("other") == "keep"
        assert two.present_key("nothing") == "nothing"
        assert [one.paper.key for one in two.search("id:10.1000/other").entries] == ["keep"]
        found = two.search("anchor:other").entries
        assert {one.paper.key for one in found} == {"quant", "bare"}
        two.close()
        two = open_library()
    two.join("pipe", "keep")
    assert two.find("other") == two.find("keep") == "pipe"


def test_a_new_paper_of_the_former_key_is_that_paper(two: Library, put_papers: Put) -> None:
    two.join("keep", "other")
    put_papers(two, {"key": "other", "title": "Something else entirely", "year": 1999})
    assert two.find("other") == "other"
    assert two.entry("other").paper.title == "Something else entirely"
    assert two.entry("keep").paper.title == "A Study of Pipelines"


def test_it_is_one_step_to_undo_and_redo_across_sittings(two: Library, open_library: Open) -> None:
    two.mark({"other": Change(starred=True)})
    two.write_note("other", "theirs")
    before = state(two)
    two.join("keep", "other")
    after = state(two)
    two.close()
    for expected, go in ((before, "undo"), (after, "redo"), (before, "undo"), (after, "redo")):
        library = open_library()
        step = getattr(library, go)()
        assert step.what == "joining of two papers"
        assert state(library) == expected
        look_everywhere(library)
        library.close()
        library = open_library()
        assert state(library) == expected
        library.close()


def test_one_that_cannot_be_stored_leaves_everything_as_it_was(
    two: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = state(two)
    with monkeypatch.context() as patched:
        patched.setattr(Marks, "change", fail)
        with pytest.raises(NotSavedError):
            two.join("keep", "other")
    assert state(two) == before
    assert two.join("keep", "other").paper.key == "keep"


def test_importing_again_finds_what_was_joined(two: Library, put_papers: Put) -> None:
    two.join("keep", "other")
    before = state(two)
    report = put_papers(two, KEEP, OTHER, name="two.jsonl")
    assert (report.added, report.updated, report.unchanged) == (0, 0, 2)
    assert state(two) == before


def test_both_lists_of_anchors_that_became_one_can_be_imported_again(
    open_library: Open, tmp_path: Path
) -> None:
    library = open_library()
    files = []
    for name, title in (("a", "An Anchor of Some Length"), ("b", "The Anchor, of Some Length")):
        file = tmp_path / f"{name}.txt"
        texts = (f"Related papers: {title}", f"{name} {OPENING}…", f"Short words of {name}…")
        file.write_text("\n\n".join(texts), "utf-8")
        files.append(file)
    reports = library.import_files(files)
    one, other = (report.anchors[0] for report in reports)
    library.join(one, other)
    assert len(library.reading_list(one).papers) == 4
    before = state(library)
    for report in library.import_files(files):
        assert (report.added, report.updated, report.anchors) == (0, 0, [one])
    assert state(library) == before


def test_a_copy_in_which_they_are_two_is_joined_to_the_one(
    two: Library, open_library: Open, tmp_path: Path
) -> None:
    other = open_library(tmp_path / "copy")
    other.merge(two.folder)
    other.write_note("other", "of the copy")
    two.join("keep", "other")
    report = two.merge(tmp_path / "copy")
    assert report.added == 0
    assert two.entry("keep").note == "of the copy"
    assert two.find("other") == "keep"


def test_a_copy_follows_when_they_became_one_elsewhere(
    two: Library, open_library: Open, tmp_path: Path
) -> None:
    copy = open_library(tmp_path / "copy")
    copy.merge(two.folder)
    before = state(copy)
    copy.write_note("other", "of the copy")
    two.mark({"other": Change(starred=True)})
    two.join("keep", "other")
    copy.merge(two.folder)
    assert copy.find("other") == "keep"
    assert copy.entry("keep").note == "of the copy"
    two.merge(tmp_path / "copy")
    assert in_no_order(copy) == in_no_order(two)
    assert not copy.merge(two.folder).completed
    assert not two.merge(tmp_path / "copy").completed
    assert in_no_order(copy) == in_no_order(two)
    look_everywhere(copy)
    copy.undo()
    copy.undo()
    assert state(copy) == before


def test_a_key_that_stands_for_something_else_elsewhere_is_not_joined(
    two: Library, open_library: Open, put_papers: Put, tmp_path: Path
) -> None:
    stranger = open_library(tmp_path / "stranger")
    put_papers(stranger, {"key": "other", "title": "Something else entirely", "year": 1999})
    two.join("keep", "other")
    stranger.merge(two.folder)
    assert stranger.entry("other").paper.title == "Something else entirely"
    assert stranger.find("keep") == "keep"


texts = st.none() | st.sampled_from(
    ["A Title of Words", "A title of words…", "Another Title", OPENING, OPENING[:150], "Short."]
)
ids = st.dictionaries(
    st.sampled_from(["doi", "arxiv", "pmid"]),
    st.sampled_from(["2104.04473", "2104.04474", "10.1000/a", "10.1000/b"]),
    max_size=3,
)


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    abstract = draw(texts)
    fields = {
        "title": draw(texts),
        "authors": draw(st.lists(st.sampled_from(["Ann Lee", "Bo Li"]), max_size=2, unique=True)),
        "year": draw(st.none() | st.integers(2019, 2021)),
        "abstract": abstract and abstract + draw(st.sampled_from(["", "…", " more"])),
        "venue": draw(st.none() | st.sampled_from(["SC", "SC '21"])),
        "ids": draw(ids),
    }
    record = {name: value for name, value in fields.items() if value}
    assume({"title", "abstract", "ids"} & record.keys())  # else there is nothing to know it by
    return record


marks = st.tuples(
    st.sampled_from(Status), st.booleans(), st.sets(st.sampled_from("abc"), max_size=2),
    st.sampled_from(["", "one", "two", f"one{CONFLICT}two"]),
)  # fmt: skip


@settings(max_examples=80)
@given(st.lists(records(), min_size=2, max_size=6), st.lists(marks, min_size=2), st.data())
def test_undo_restores_everything_and_both_files_say_nothing_new(
    papers: list[dict[str, Any]], done: list[Any], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        files = [root / "a.jsonl", root / "b.jsonl"]
        for file, part in zip(files, (papers[::2], papers[1::2]), strict=True):
            file.write_text("".join(json.dumps(one) + "\n" for one in part), "utf-8")
        with closing(Library(root / "library", root / "cache")) as library:
            library.import_files(files)
            again = library.import_files(files)
            keys = [entry.paper.key for entry in library.listing("all")]
            if len(keys) < 2 or any(one.added or one.updated or one.refused for one in again):
                return  # one paper, none, or records that complete each other in turn
            names = Counter(
                f"{scheme}:{name}"
                for key in keys
                for scheme, name in library.entry(key).paper.ids.items()
            )
            if max(names.values(), default=1) > 1:
                return  # what two papers are called does not tell which a record is
            for key, (status, starred, tags, note) in zip(keys, done, strict=False):
                change = Change(status, starred, add_tags=tuple(sorted(tags)))
                library.mark({key: change})
                library.write_note(key, note)
            keep, other = data.draw(st.permutations(keys))[:2]
            before = state(library)
            told = joined_entry(library.entry(keep), library.entry(other))
            joined = library.join(keep, other)
            assert (joined.paper, joined.note) == (told.paper, told.note)
            after = state(library)
            for report in library.import_files(files):
                assert (report.added, report.updated, report.refused) == (0, 0, [])
            assert state(library) == after
            library.undo()
            assert state(library) == before
            library.redo()
            assert state(library) == after


@given(records(), records())
def test_a_paper_is_joined_once(one: dict[str, Any], two: dict[str, Any]) -> None:
    keep, other = (
        Paper(key, **{**record, "authors": tuple(record.get("authors", ()))})
        for key, record in (("keep", one), ("other", two))
    )
    joined = joined_paper(keep, other)
    assert joined_paper(joined, other) == joined
    assert Entry(joined) == joined_entry(Entry(joined), Entry(other))
