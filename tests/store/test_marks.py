from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from anchorlight.store import Change, Mark, Status
from anchorlight.store.catalogue import Span
from anchorlight.store.marks import Marks
from anchorlight.store.notes import CONFLICT

from .helpers import contents, full

NOW = "2026-01-15T12:00:00.000+00:00"
LATER = "2026-01-16T12:00:00.000+00:00"
LATEST = "2026-01-17T12:00:00.000+00:00"


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
    marks.change("mark", NOW, {"k": change})
    assert marks.mark("k") == mark
    with closing(Marks(tmp_path / "marks.json")) as again:
        assert again.mark("k") == mark


def test_a_change_leaves_the_other_fields_as_they_are(marks: Marks) -> None:
    marks.change("mark", NOW, {"k": Change(Status.READING, starred=True, add_tags=("a",))})
    marks.change("mark", LATER, {"k": Change(status=Status.READ)})
    assert marks.mark("k") == Mark(Status.READ, starred=True, tags=("a",), changed=LATER)
    marks.change("tags", LATEST, {"k": Change(starred=False, add_tags=("b",), remove_tags=("a",))})
    assert marks.mark("k") == Mark(Status.READ, tags=("b",), changed=LATEST)


def test_a_change_that_changes_nothing_is_no_change(marks: Marks, tmp_path: Path) -> None:
    marks.change("mark", NOW, {"k": Change(status=Status.READ)})
    size = (tmp_path / "marks.journal").stat().st_size
    marks.change("mark", LATER, {"k": Change(status=Status.READ, remove_tags=("none",))})
    assert marks.mark("k").changed == NOW
    assert (tmp_path / "marks.journal").stat().st_size == size


def test_several_papers_are_changed_in_one_write(marks: Marks, tmp_path: Path) -> None:
    marks.change("mark", NOW, {key: Change(status=Status.SKIPPED) for key in "abc"})
    assert (tmp_path / "marks.journal").read_bytes().count(b"\n") == 1
    assert sorted(marks.marked()) == ["a", "b", "c"]


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


def test_another_programs_writes_are_taken_in(marks: Marks, tmp_path: Path) -> None:
    with closing(Marks(tmp_path / "marks.json")) as other:
        other.change("mark", NOW, {"a": Change(starred=True)})
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
        marks.change("mark", NOW, {"k": Change(add_tags=("a",))})
        marks.compact()
    text = (tmp_path / "marks.json").read_text()
    assert "pondered" in text
    assert "mood" in text


def test_compacting_without_a_journal_writes_nothing(marks: Marks, tmp_path: Path) -> None:
    marks.compact()
    assert not (tmp_path / "marks.json").exists()


def test_a_note_that_another_wrote_meanwhile_is_kept_beside_the_new_one(marks: Marks) -> None:
    marks.write_note("k", "base", NOW)
    marks.write_note("k", "theirs", NOW)
    both = "theirs" + CONFLICT + "mine"
    assert marks.write_note("k", "mine", LATER, "base") == both
    assert marks.note("k") == both
    assert [one.text for one in marks.note_state("k").earlier] == ["base", "theirs"]


def test_marks_notes_and_papers_are_changed_in_one_write_and_one_step(
    marks: Marks, tmp_path: Path
) -> None:
    span = Span(10, 90, 7)
    marks.change("import", NOW, {"a": Change(Status.READ)}, {"b": "text"}, span)
    assert (tmp_path / "marks.journal").read_bytes().count(b"\n") == 1
    assert marks.papers_bytes == 90
    with closing(Marks(tmp_path / "marks.json")) as again:
        found = again.history.last_done()
        assert found
        _, step = found
        assert (step.what, step.when, step.papers) == ("import", NOW, span)
        assert step.keys == ("a", "b")
        assert step.notes == {"b": ""}
        assert step.changes == {"a": Change(status=Status.UNREAD)}
        assert again.papers_bytes == 90


def test_what_has_no_name_is_no_step(marks: Marks) -> None:
    marks.change("", NOW, {"a": Change(Status.READ)}, {"b": "text"}, Span(0, 5, 1))
    assert marks.history.last_done() is None
    assert (marks.mark("a").status, marks.note("b"), marks.papers_bytes) == (
        Status.READ, "text", 5
    )  # fmt: skip


def test_what_changes_nothing_writes_nothing(marks: Marks, tmp_path: Path) -> None:
    marks.change("mark", NOW, {"a": Change(Status.READ)}, {"b": "text"})
    before = contents(tmp_path)
    marks.change("mark", LATER, {"a": Change(Status.READ)}, {"b": "text", "c": ""})
    marks.write_note("b", "text", LATER)
    marks.write_note("c", " \n", LATER)
    assert contents(tmp_path) == before


def test_the_size_of_the_papers_is_accepted(marks: Marks, tmp_path: Path) -> None:
    assert marks.papers_bytes == 0
    marks.accept_papers(7)
    with closing(Marks(tmp_path / "marks.json")) as again:
        assert again.papers_bytes == 7


def test_a_write_that_fails_changes_no_note_no_earlier_text_and_no_step(
    marks: Marks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marks.write_note("k", "before", NOW)
    state, steps = marks.note_state("k"), marks.history.last_done()
    with monkeypatch.context() as patch:
        patch.setattr("os.pwrite", full)
        with pytest.raises(OSError, match="No space"):
            marks.write_note("k", "after", LATER)
        with pytest.raises(OSError, match="No space"):
            marks.change("mark", LATER, {"k": Change(Status.READ)}, {"k": "after"})
    with closing(Marks(tmp_path / "marks.json")) as again:
        for one in (marks, again):
            assert (one.note_state("k"), one.history.last_done()) == (state, steps)
            assert one.mark("k") == Mark()


def test_the_marks_of_another_library_are_joined(marks: Marks, tmp_path: Path) -> None:
    marks.change("mark", NOW, {"here": Change(Status.READING)}, {"same": "mine"})
    (tmp_path / "other").mkdir()
    with closing(Marks(tmp_path / "other" / "marks.json")) as other:
        other.change("mark", LATER, {"there": Change(Status.READ, add_tags=("t",))},
                     {"same": "theirs"})  # fmt: skip
        before = contents(tmp_path / "other")
        keys = {"there": "here", "same": "same", "none": "none"}
        assert marks.join(other, keys, {}, "merge", LATEST, None) == {"here", "same"}
        assert marks.mark("here") == Mark(Status.READ, tags=("t",), changed=LATER)
        assert marks.note("same") == "mine" + CONFLICT + "theirs"
        assert marks.mark("there") == marks.mark("none") == Mark()
        size = (tmp_path / "marks.journal").stat().st_size
        assert marks.join(other, keys, {}, "merge", LATEST, None) == set()
        assert (tmp_path / "marks.journal").stat().st_size == size
        assert contents(tmp_path / "other") == before
