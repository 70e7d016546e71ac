from __future__ import annotations

import json
from math import nan
from typing import Any

import pytest
from anchorlight.store import Change, Mark, Status
from anchorlight.store.change import (
    MOST_TAG,
    after_time,
    changed_document,
    clean_tag,
    joined_marks,
    mark_of,
    times_of,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st

Document = dict[str, Any]


def at(number: int) -> str:
    """Return a time; later ones have greater numbers."""
    return f"2026-01-15T12:{number:02}:00.000+00:00"


def done(*changes: tuple[Change, int], to: Document | None = None) -> Document:
    """Return the document that changes made, each at its time."""
    document: Document = to or {}
    for change, when in changes:
        if changed := changed_document(document, change, at(when)):
            document = changed[0]
    return document


def shown(document: Document) -> tuple[Status, bool, frozenset[str]]:
    mark = mark_of(document)
    return mark.status, mark.starred, frozenset(mark.tags)


# Tags


@pytest.mark.parametrize(
    ("raw", "tag"),
    [
        ("#moe", "moe"), (" to read ", "to-read"), ("##x", "x"), ("\x1b[1m", "[1m"), ("#", ""),
        ("C#", "C#"), ("na\u0308h", "näh"), ("a,", "a"), ("a; ", "a"), ("a,b", "a,b"),
        ("a \n b", "a-b"), ("", ""), (" ,;", ""), ("x" * 99, "x" * MOST_TAG), ("\u202ea", "a"),
    ],
)  # fmt: skip
def test_a_tag_has_one_spelling(raw: str, tag: str) -> None:
    assert clean_tag(raw) == tag


@given(st.text(max_size=100) | st.text("#, ;ab", max_size=6))
@example("# #a")
@example("x" * (MOST_TAG - 1) + ", y")
def test_cleaning_a_tag_again_changes_nothing(text: str) -> None:
    tag = clean_tag(text)
    assert clean_tag(tag) == tag
    assert len(tag) <= MOST_TAG
    assert " " not in tag


@pytest.mark.parametrize("raw", ["a", "#GPU", "to read", "# #a", "x" * (MOST_TAG - 1) + ", y"])
def test_any_tag_that_was_added_can_be_taken_away(raw: str) -> None:
    after = Change(add_tags=(raw,)).applied(Mark())
    assert after.tags
    back = Change.between(after, Mark()).applied(after)
    assert back.tags == ()


def test_a_tag_that_is_there_in_another_spelling_is_not_added_again() -> None:
    mark = Mark(tags=("GPU", "naïve"))
    assert Change(add_tags=("gpu", "NAIVE", "new")).applied(mark).tags == ("GPU", "naïve", "new")
    assert Change(remove_tags=("gpu", "Naive")).applied(mark).tags == ()


# Changes


tag_names = st.sampled_from(["a", "b", "GPU", "to-read"])
tag_lists = st.lists(tag_names, max_size=3, unique=True).map(tuple)
changes = st.builds(
    Change,
    status=st.none() | st.sampled_from(Status),
    starred=st.none() | st.booleans(),
    add_tags=tag_lists,
    remove_tags=tag_lists,
)
marks = st.builds(Mark, status=st.sampled_from(Status), starred=st.booleans(), tags=tag_lists)


@pytest.mark.parametrize(
    "change",
    [
        Change(),
        Change(status=Status.UNREAD, starred=False),
        Change(Status.READ, starred=True, add_tags=("#b", "a"), remove_tags=("c",)),
    ],
)
def test_a_change_is_shown_as_it_will_be_stored(change: Change) -> None:
    before = done((Change(Status.QUEUED, starred=True, add_tags=("a", "c")), 1))
    after = mark_of(done((change, 1), to=before))
    shown_now = change.applied(mark_of(before))
    assert (shown_now.status, shown_now.starred, shown_now.tags) == (
        after.status, after.starred, after.tags
    )  # fmt: skip


@given(marks, marks)
def test_the_change_between_two_marks_leads_from_one_to_the_other(one: Mark, two: Mark) -> None:
    after = Change.between(one, two).applied(one)
    assert (after.status, after.starred, set(after.tags)) == (
        two.status, two.starred, set(two.tags)
    )  # fmt: skip
    assert Change.between(one, one) == Change()


@given(marks, changes)
def test_a_change_is_stored_with_what_leads_back(mark: Mark, change: Change) -> None:
    before = done((Change.between(Mark(), mark), 1))
    changed = changed_document(before, change, at(2))
    if changed is None:
        assert shown(before) == (mark.status, mark.starred, set(mark.tags))
        assert change.applied(mark_of(before)) == mark_of(before)
        return
    after, back = changed
    assert shown(after) != shown(before)
    assert shown(done((back, 3), to=after)) == shown(before)
    assert back == Change.between(mark_of(after), mark_of(before))


@given(changes)
def test_a_change_that_was_stored_is_the_same(change: Change) -> None:
    document = json.loads(json.dumps(change.to_document()))
    assert Change.of_document(document) == change
    assert Change().to_document() == {}


@pytest.mark.parametrize(
    "document",
    [
        {"status": "pondered"}, {"status": None}, {"status": 7}, {"status": ["read"]},
        {"add": 7}, {"add": None}, {"remove": True}, [], "text", 7, None,
        {"add": "abc"},
    ],
)  # fmt: skip
def test_what_is_no_change_is_refused(document: Any) -> None:
    with pytest.raises((ValueError, TypeError, AttributeError)):
        Change.of_document(document)


# The times of fields


def test_each_field_has_the_time_of_its_own_last_change() -> None:
    document = done(
        (Change(Status.READING, starred=True, add_tags=("a", "B")), 1),
        (Change(status=Status.READ), 2),
        (Change(remove_tags=("a",)), 3),
        (Change(starred=False, status=Status.READ), 4),
    )
    assert times_of(document) == {
        "status": at(2), "starred": at(4), "tag:a": at(3), "tag:b": at(1)
    }  # fmt: skip
    assert mark_of(document) == Mark(Status.READ, tags=("B",), changed=at(4))


def test_the_fields_of_a_mark_without_times_were_changed_with_it() -> None:
    first = {"status": "read", "starred": True, "tags": ["a", "GPU"], "changed": at(1)}
    assert times_of(first) == dict.fromkeys(("status", "starred", "tag:a", "tag:gpu"), at(1))
    after = done((Change(starred=False), 2), to=first)
    assert times_of(after) == {
        "status": at(1), "starred": at(2), "tag:a": at(1), "tag:gpu": at(1)
    }  # fmt: skip


def test_a_change_that_changes_nothing_is_none() -> None:
    document = done((Change(Status.READ, starred=True, add_tags=("a",)), 1))
    for change in (
        Change(),
        Change(Status.READ, starred=True, add_tags=("A",)),
        Change(remove_tags=("b",)),
        Change(add_tags=("b",), remove_tags=("b",)),
    ):
        assert changed_document(document, change, at(9)) is None
    assert changed_document({}, Change(status=Status.UNREAD, starred=False), at(9)) is None


def test_a_document_is_not_changed_in_its_place() -> None:
    before = done((Change(Status.READ, add_tags=("a",)), 1), (Change(add_tags=("b",)), 2))
    copy = json.loads(json.dumps(before))
    done((Change(starred=True, remove_tags=("a", "b")), 3), to=before)
    assert before == copy


def test_the_last_tag_that_is_taken_away_stays_with_its_time_alone() -> None:
    document = done((Change(add_tags=("a",)), 1), (Change(remove_tags=("a",)), 2))
    assert mark_of(document) == Mark(changed=at(2))
    assert "tags" not in document
    assert times_of(document) == {"tag:a": at(2)}
    again = done((Change(add_tags=("a",)), 3), to=document)
    assert times_of(again) == {"tag:a": at(3)}
    assert mark_of(again).tags == ("a",)


def test_a_clock_that_goes_backwards_makes_no_change_older_than_the_one_before() -> None:
    document = done((Change(status=Status.READ, add_tags=("a",)), 30))
    later = done((Change(status=Status.READING), 10), (Change(starred=True), 5), to=document)
    times = times_of(later)
    assert times["tag:a"] == at(30) < times["status"] < times["starred"] == later["changed"]
    for older in (document, done((Change(status=Status.READ), 30))):
        joined = joined_marks(older, later)
        assert mark_of(joined).status is Status.READING
        assert mark_of(joined).starred


@given(st.lists(st.tuples(changes, st.integers(0, 5)), min_size=1, max_size=6))
def test_the_times_of_a_field_never_go_back(steps: list[tuple[Change, int]]) -> None:
    document: Document = {}
    for change, when in steps:
        before, document = document, done((change, when), to=document)
        old, new = times_of(before), times_of(document)
        assert old.keys() <= new.keys()
        assert all(new[name] >= time for name, time in old.items())
        if document != before:
            assert document["changed"] == max(new.values()) > before.get("changed", "")
            assert joined_marks(document, before) == joined_marks(before, document)
            assert shown(joined_marks(before, document)) == shown(document)


@pytest.mark.parametrize(
    ("now", "before", "after"),
    [
        (at(2), (), at(2)),
        (at(2), (at(1), ""), at(2)),
        (at(1), (at(2), at(1)), "2026-01-15T12:02:00.001+00:00"),
        (at(1), (at(1),), "2026-01-15T12:01:00.001+00:00"),
        # The first version stored no milliseconds.
        ("2026-01-15T12:00:00.000+00:00", ("2026-01-15T12:00:00+00:00",),
         "2026-01-15T12:00:00.000+00:00"),
        ("2026-01-15T11:00:00.000+00:00", ("2026-01-15T12:00:00+00:00",),
         "2026-01-15T12:00:00.001+00:00"),
        (at(1), ("soon",), at(1)),
        (at(1), ("9999-12-31T23:59:59.999+00:00",), at(1)),
    ],
)  # fmt: skip
def test_a_time_is_later_than_those_before(now: str, before: tuple[str, ...], after: str) -> None:
    assert after_time(now, *before) == after


def test_a_time_is_later_than_one_that_was_written_in_another_way() -> None:
    for before in ("2026-01-15T12:05:00+00:00", "2026-01-15"):
        assert after_time(at(1), before) > before


# Joining


def test_of_each_field_the_newer_counts() -> None:
    common = done((Change(Status.QUEUED, add_tags=("old",)), 1))
    mine = done((Change(status=Status.READ), 2), (Change(starred=True), 5), to=common)
    theirs = done((Change(status=Status.SKIPPED, add_tags=("new",)), 3), to=common)
    theirs = done((Change(remove_tags=("old",)), 4), to=theirs)
    for joined in (joined_marks(mine, theirs), joined_marks(theirs, mine)):
        assert shown(joined) == (Status.SKIPPED, True, {"new"})
        assert mark_of(joined).changed == at(5)
        assert times_of(joined) == {
            "status": at(3), "starred": at(5), "tag:old": at(4), "tag:new": at(3)
        }  # fmt: skip


def test_a_tag_taken_away_does_not_come_back_from_an_older_copy() -> None:
    copy = done((Change(add_tags=("a", "b")), 1))
    mine = done((Change(remove_tags=("a",)), 2), to=copy)
    assert mark_of(joined_marks(mine, copy)).tags == ("b",)
    assert mark_of(joined_marks(copy, mine)).tags == ("b",)
    added_anew = done((Change(remove_tags=("a",)), 3), (Change(add_tags=("A",)), 4), to=copy)
    assert set(mark_of(joined_marks(mine, added_anew)).tags) == {"A", "b"}


def test_the_newer_spelling_of_a_tag_counts() -> None:
    mine, theirs = done((Change(add_tags=("GPU",)), 1)), done((Change(add_tags=("gpu",)), 2))
    assert mark_of(joined_marks(mine, theirs)).tags == ("gpu",)
    assert mark_of(joined_marks(theirs, mine)).tags == ("gpu",)


@given(marks, marks, st.integers(0, 1))
def test_an_unmarked_copy_takes_nothing_away(one: Mark, two: Mark, when: int) -> None:
    document = done((Change.between(Mark(), one), 1))
    assert joined_marks(document, {}) == joined_marks({}, document)
    assert shown(joined_marks(document, {})) == shown(document)


def test_what_a_newer_version_stores_is_kept() -> None:
    mine = {"status": "pondered", "mood": {"deep": [1]}, "changed": at(1)}
    after = done((Change(starred=True), 2), to=mine)
    assert {**after, **mine, "changed": at(2)} == after
    theirs = done((Change(add_tags=("a",)), 3), to=mine)
    joined = joined_marks(after, theirs)
    assert joined["status"] == "pondered"
    assert joined["mood"] == {"deep": [1]}
    newer = {"mood": "bright", "changed": at(4)}
    assert joined_marks(joined, newer)["mood"] == "bright"
    assert times_of(joined_marks(newer, joined))["mood"] == at(4)


histories = st.lists(st.tuples(changes, st.integers(0, 3)), max_size=4)


@settings(max_examples=60)
@given(st.lists(histories, min_size=3, max_size=3), histories)
def test_joining_is_the_same_in_any_order_and_any_number_of_times(
    ways: list[list[tuple[Change, int]]], common: list[tuple[Change, int]]
) -> None:
    """Also where two changes were made at the same time."""
    start = done(*common)
    one, two, three = (done(*way, to=start) for way in ways)
    joined = joined_marks(one, two)
    assert joined == joined_marks(two, one)
    assert joined_marks(joined, one) == joined_marks(joined, two) == joined
    assert joined_marks(joined, joined) == joined_marks(one, joined) == joined
    left, right = joined_marks(joined, three), joined_marks(one, joined_marks(two, three))
    assert left == right
    assert joined_marks(joined_marks(three, one), two) == left


@settings(max_examples=60)
@given(histories, histories, histories)
def test_joining_takes_of_each_field_what_was_changed_last(
    common: list[tuple[Change, int]], mine: list[tuple[Change, int]],
    theirs: list[tuple[Change, int]],
) -> None:  # fmt: skip
    start = done(*common)
    one, two = done(*mine, to=start), done(*theirs, to=start)
    joined = joined_marks(one, two)
    times = times_of(joined)
    for name in times_of(one).keys() | times_of(two).keys():
        assert times[name] == max(times_of(side).get(name, "") for side in (one, two))
        newer = [side for side in (one, two) if times_of(side).get(name) == times[name]]
        assert field(joined, name) in [field(side, name) for side in newer]


def field(document: Document, name: str) -> object:
    if name.startswith("tag:"):
        return [tag for tag in mark_of(document).tags if tag.lower() == name.removeprefix("tag:")]
    return document.get(name)


# Damage

junk: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats()
    | st.sampled_from(["", "read", "soon", at(1), at(2)]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["a", "status", "tag:a"]), inner, max_size=2)
    ),
    max_leaves=4,
)
damaged = st.dictionaries(
    st.sampled_from(["status", "starred", "tags", "changed", "at", "mood"]), junk
)


@given(damaged, damaged, changes)
def test_no_types_raise(one: Document, two: Document, change: Change) -> None:
    mark = mark_of(one)
    assert isinstance(mark.starred, bool)
    assert mark.changed is None or isinstance(mark.changed, str)
    assert all(isinstance(tag, str) for tag in mark.tags)
    after = done((change, 3), to=one)
    wanted = change.applied(mark)
    assert (mark_of(after).starred, set(mark_of(after).tags)) == (
        wanted.starred, set(wanted.tags)
    )  # fmt: skip
    if change.status:
        assert mark_of(after).status is change.status
    assert all(isinstance(time, str) for time in times_of(after).values())
    joined = joined_marks(one, two)
    assert repr(sort(joined)) == repr(sort(joined_marks(two, one)))
    mark_of(joined)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ({"changed": at(1)}, {"mood": [], "changed": at(1), "at": {"status": at(1), "x": 7}}),
        ({"tags": ["a"], "at": {"tag:a": [], "tag:b": at(1)}}, {"tags": [["a"], None, "b"]}),
        ({"changed": at(1)}, {"tag:a": [], "changed": at(1)}),
        ({"mood": {"x": nan}}, {"mood": {"x": float("nan")}}),
    ],
)  # fmt: skip
def test_joining_what_nobody_wrote_does_not_raise(one: Document, two: Document) -> None:
    assert repr(sort(joined_marks(one, two))) == repr(sort(joined_marks(two, one)))


def sort(value: Any) -> Any:
    """Return documents as lists of pairs in order: what is equal looks the same, NaN too."""
    if isinstance(value, dict):
        return sorted((name, repr(sort(inner))) for name, inner in value.items())
    return [sort(inner) for inner in value] if isinstance(value, list) else value
