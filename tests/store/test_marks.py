from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from anchorlight.store import Change, Mark, Status
from anchorlight.store.marks import CONFLICT, Marks, clean_tag

NOW, LATER = "2026-01-15T12:00:00+00:00", "2026-01-16T12:00:00+00:00"


@pytest.fixture
def marks(tmp_path: Path) -> Iterator[Marks]:
    with closing(Marks(tmp_path / "marks.json")) as marks:
        yield marks


@pytest.mark.parametrize(
    ("change", "mark"),
    [
        (Change(status=Status.READ), Mark(Status.READ, changed=NOW)),
        (Change(starred=True), Mark(starred=True, changed=NOW)),
        (Change(add_tags=("b", "#a", "b", " ")), Mark(tags=("b", "a"), changed=NOW)),
        (Change(remove_tags=("a",)), Mark()),
        (Change(add_tags=("a", "b"), remove_tags=("#a",)), Mark(tags=("b",), changed=NOW)),
        (Change(), Mark()),
    ],
)
def test_a_change_is_applied_and_survives_reopening(
    marks: Marks, tmp_path: Path, change: Change, mark: Mark
) -> None:
    marks.change({"k": change}, NOW)
    assert marks.mark("k") == mark
    with closing(Marks(tmp_path / "marks.json")) as again:
        assert again.mark("k") == mark


def test_a_change_leaves_the_other_fields_as_they_are(marks: Marks) -> None:
    marks.change({"k": Change(Status.READING, starred=True, add_tags=("a",))}, NOW)
    marks.change({"k": Change(status=Status.READ)}, LATER)
    assert marks.mark("k") == Mark(Status.READ, starred=True, tags=("a",), changed=LATER)
    marks.change({"k": Change(starred=False, add_tags=("b",), remove_tags=("a",))}, LATER)
    assert marks.mark("k") == Mark(Status.READ, tags=("b",), changed=LATER)


def test_a_change_that_changes_nothing_is_no_change(marks: Marks, tmp_path: Path) -> None:
    marks.change({"k": Change(status=Status.READ)}, NOW)
    size = (tmp_path / "marks.journal").stat().st_size
    marks.change({"k": Change(status=Status.READ, remove_tags=("none",))}, LATER)
    assert marks.mark("k").changed == NOW
    assert (tmp_path / "marks.journal").stat().st_size == size


@pytest.mark.parametrize(
    "change",
    [
        Change(),
        Change(status=Status.UNREAD, starred=False),
        Change(Status.READ, starred=True, add_tags=("#b", "a"), remove_tags=("c",)),
    ],
)
def test_a_change_is_shown_as_it_will_be_stored(marks: Marks, change: Change) -> None:
    marks.change({"k": Change(Status.QUEUED, starred=True, add_tags=("a", "c"))}, NOW)
    before = marks.mark("k")
    marks.change({"k": change}, NOW)
    assert change.shown_on(before) == marks.mark("k")


def test_several_papers_are_changed_in_one_write(marks: Marks, tmp_path: Path) -> None:
    marks.change({key: Change(status=Status.SKIPPED) for key in "abc"}, NOW)
    assert (tmp_path / "marks.journal").read_bytes().count(b"\n") == 1
    assert sorted(marks.marked()) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("raw", "tag"),
    [
        ("#moe", "moe"), (" to read ", "to-read"), ("##x", "x"), ("\x1b[1m", "[1m"), ("#", ""),
        ("C#", "C#"), ("na\u0308h", "näh"),
    ],
)  # fmt: skip
def test_a_tag_has_one_spelling(raw: str, tag: str) -> None:
    assert clean_tag(raw) == tag


@pytest.mark.parametrize(
    "text", ["# A\n\n- [/b] *x*\t[CLS]\n", "  indented", "東京 é \U0001f469\u200d\U0001f52c"]
)
def test_a_note_is_kept_as_written(marks: Marks, tmp_path: Path, text: str) -> None:
    assert marks.write_note("k", text, NOW) == text
    with closing(Marks(tmp_path / "marks.json")) as again:
        assert again.note("k") == text


def test_a_note_holds_no_controls(marks: Marks) -> None:
    assert marks.write_note("k", "a\x1b[31m\r\nb\u202e\ud800", NOW) == "a[31m\nb\ufffd"


@pytest.mark.parametrize("empty", ["", "  \n"])
def test_an_empty_text_removes_the_note(marks: Marks, tmp_path: Path, empty: str) -> None:
    marks.write_note("k", "text", NOW)
    assert marks.write_note("k", empty, NOW, base="text") == ""
    assert marks.note("k") == ""
    assert list(marks.noted()) == []
    with closing(Marks(tmp_path / "marks.json")) as again:
        assert list(again.noted()) == []


@pytest.mark.parametrize(
    ("current", "text", "base", "result"),
    [
        ("old", "new", "old", "new"),
        ("old", "new", None, "new"),
        ("theirs", "mine", "old", "theirs" + CONFLICT + "mine"),
        ("theirs", "mine", "", "theirs" + CONFLICT + "mine"),
        ("theirs", "", "old", "theirs"),
        ("theirs", "theirs", "old", "theirs"),
        ("theirs", "theirs and more", "old", "theirs and more"),
        ("", "mine", "old", "mine"),
    ],
)
def test_a_note_changed_elsewhere_keeps_both_texts(
    marks: Marks, current: str, text: str, base: str | None, result: str
) -> None:
    marks.write_note("k", current, NOW)
    assert marks.write_note("k", text, NOW, base) == result
    assert marks.note("k") == result


def test_another_programs_writes_are_taken_in(marks: Marks, tmp_path: Path) -> None:
    with closing(Marks(tmp_path / "marks.json")) as other:
        other.change({"a": Change(starred=True)}, NOW)
        other.write_note("b", "text", NOW)
        assert marks.poll() == {"a", "b"}
        assert marks.mark("a").starred
        assert marks.note("b") == "text"
        assert marks.poll() == set()


def test_marks_of_a_newer_version_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    (tmp_path / "marks.json").write_text(
        '{"marks": {"k": {"status": "pondered", "starred": true, "tags": null, "mood": 3}}}'
    )
    with closing(Marks(tmp_path / "marks.json")) as marks:
        assert marks.mark("k") == Mark(starred=True)
        marks.change({"k": Change(add_tags=("a",))}, NOW)
        marks.compact()
    text = (tmp_path / "marks.json").read_text()
    assert "pondered" in text
    assert "mood" in text


def test_compacting_without_a_journal_writes_nothing(marks: Marks, tmp_path: Path) -> None:
    marks.compact()
    assert not (tmp_path / "marks.json").exists()
