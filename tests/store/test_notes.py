from __future__ import annotations

from itertools import permutations
from random import Random
from typing import Any

import pytest
from anchorlight.store import notes as module
from anchorlight.store.notes import CONFLICT, NoteState, Version, kept_both
from hypothesis import given, settings
from hypothesis import strategies as st

NONE = NoteState(None, ())


def at(number: int) -> str:
    """Return a time; later ones have greater numbers."""
    return f"2026-01-15T12:{number // 60:02}:{number % 60:02}.000+00:00"


def written(*texts: tuple[str, int], to: NoteState = NONE, amends: bool = False) -> NoteState:
    """Return the state after texts were written, each at its time."""
    for text, when in texts:
        to = to.rewritten(text, at(when), amends=amends)
    return to


def history(state: NoteState) -> list[str]:
    return [one.text for one in state.earlier]


def joined(*states: NoteState) -> NoteState:
    """Return two states as one, asked either way."""
    one, two = states
    assert one.joined(two) == two.joined(one)
    return one.joined(two)


# Writing


def test_a_note_keeps_the_texts_before() -> None:
    state = written(("one", 1), ("two", 2), ("three", 3))
    assert state == NoteState(
        Version(at(3), "three"), (Version(at(1), "one"), Version(at(2), "two"))
    )


@pytest.mark.parametrize("empty", ["", " \n\t", "\x1b", "\u200b\n"])
def test_a_blank_text_removes_the_note_and_keeps_what_it_said(empty: str) -> None:
    state = written(("one", 1), (empty, 2))
    assert state.text == ""
    assert state == NoteState(None, (Version(at(1), "one"),))
    assert written(("two", 3), to=state) == NoteState(
        Version(at(3), "two"), (Version(at(1), "one"),)
    )


def test_a_text_that_comes_back_is_no_earlier_one() -> None:
    state = written(("one", 1), ("two", 2), ("one", 3))
    assert state == NoteState(Version(at(3), "one"), (Version(at(2), "two"),))
    assert written(("", 4), to=state).earlier == (Version(at(2), "two"), Version(at(3), "one"))


def test_a_text_is_kept_as_it_was_written_but_for_controls() -> None:
    assert written(("# A\n\n\t[/b] é 東京\n", 1)).text == "# A\n\n\t[/b] é 東京\n"
    assert written(("a\x1b[31m\r\nb\u202e\ud800", 1)).text == "a[31m\nb\ufffd"


def test_what_goes_on_from_a_text_replaces_it() -> None:
    state = written(("before", 1), ("a", 2))
    assert written(("a l", 3), ("a lon", 4), ("a longer one", 5), to=state, amends=True) == (
        NoteState(Version(at(5), "a longer one"), (Version(at(1), "before"),))
    )


def test_what_goes_on_but_lost_more_than_half_keeps_the_text_before() -> None:
    long = written(("0123456789", 1))
    assert history(written(("01234", 2), to=long, amends=True)) == []
    assert history(written(("0123", 2), to=long, amends=True)) == ["0123456789"]
    assert history(written(("", 2), to=long, amends=True)) == ["0123456789"]


def test_a_clock_that_goes_backwards_makes_no_text_older_than_the_one_before() -> None:
    state = written(("one", 50), ("two", 10), ("", 5), ("three", 1))
    times = [one.changed for one in state.earlier]
    assert history(state) == ["one", "two"]
    assert state.note
    assert at(50) == times[0] < times[1] < state.note.changed
    copy = written(("one", 50))
    assert joined(state, copy).text == "three"


def test_only_so_many_earlier_texts_are_kept() -> None:
    state = written(*((f"text {number}", number) for number in range(80)))
    assert history(state) == [f"text {number}" for number in range(29, 79)]
    assert state.text == "text 79"
    assert module.MOST_EARLIER == 50


def test_earlier_texts_take_only_so_much_room_and_the_last_is_kept() -> None:
    half = module.MOST_CHARACTERS // 2
    texts = ["a" * half, "b" * half, "c" * half]
    state = written(*((text, number) for number, text in enumerate(texts)), ("d", 9))
    assert history(state) == texts[1:]
    assert history(written(("e", 10), to=state)) == ["c" * half, "d"]
    huge = written(("old", 1), ("x" * (3 * half), 2), ("small", 3))
    assert history(huge) == ["x" * (3 * half)]


@pytest.mark.parametrize(
    ("current", "text", "base", "result"),
    [
        ("old", "new", "old", "new"),
        ("old", "new", None, "new"),
        ("theirs", "mine", "old", "theirs" + CONFLICT + "mine"),
        ("theirs", "mine", "", "theirs" + CONFLICT + "mine"),
        ("theirs", "", "old", "theirs"),
        ("theirs", " \n", "old", "theirs"),
        ("theirs", "theirs", "old", "theirs"),
        ("theirs", "theirs and more", "old", "theirs and more"),
        ("", "mine", "old", "mine"),
        ("old", "", "old", ""),
    ],
)
def test_a_note_changed_elsewhere_keeps_both_texts(
    current: str, text: str, base: str | None, result: str
) -> None:
    assert kept_both(current, text, base) == result


# As it is stored


states = st.lists(
    st.tuples(st.sampled_from(["", "a", "b", "ab", "a\nc", " x"]), st.integers(0, 9)), max_size=6
).map(lambda steps: written(*steps))


@given(states)
def test_a_state_that_was_stored_is_the_same(state: NoteState) -> None:
    note, earlier = state.documents()
    assert NoteState.of(note, earlier) == state
    assert (note is None) is (state.note is None)
    assert (earlier is None) is (not state.earlier)


def test_a_note_of_the_first_version_is_a_state_of_its_own() -> None:
    note = {"text": "x", "changed": "2026-01-15T12:00:00+00:00"}
    state = NoteState.of(note, None)
    assert state == NoteState(Version("2026-01-15T12:00:00+00:00", "x"), ())
    assert state.documents() == (note, None)


@pytest.mark.parametrize(
    "note",
    [None, {}, [], 7, "text", {"text": 7}, {"text": None}, {"text": ["a"]}, {"text": " \n"},
     {"changed": at(1)}],
)  # fmt: skip
def test_what_is_no_note_is_none(note: Any) -> None:
    assert NoteState.of(note, None) == NONE
    assert NoteState.of(None, {"texts": [note, {"text": "a", "changed": at(1)}]}) == NoteState(
        None, (Version(at(1), "a"),)
    )


@pytest.mark.parametrize("earlier", [None, {}, {"texts": None}, {"texts": 7}, {"texts": "abc"},
                                     {"texts": {"text": "a"}}])  # fmt: skip
def test_what_are_no_earlier_texts_are_none(earlier: Any) -> None:
    assert NoteState.of({"text": "a", "changed": at(1)}, earlier) == written(("a", 1))


@pytest.mark.parametrize("changed", [None, 7, ["x"], ""])
def test_a_note_without_a_time_is_kept_and_joined(changed: Any) -> None:
    state = NoteState.of({"text": "a", "changed": changed}, None)
    assert state.text == "a"
    assert history(written(("b", 1), to=state)) == ["a"]
    assert joined(state, state).text == "a"
    assert joined(state, NONE).text == "a"
    assert joined(state, written(("b", 1), to=state)).text == "b"


# Joining: what happens to copies of one note


def test_an_older_copy_never_wins_over_what_replaced_it() -> None:
    common = written(("one", 1))
    mine = written(("two", 2), ("three", 3), to=common)
    for copy in (common, written(("two", 2), to=common)):
        assert joined(mine, copy) == mine
    back = written(("one", 4), to=mine)
    assert joined(back, mine).text == "one"
    assert joined(back, common).text == "one"


@settings(max_examples=50)
@given(st.lists(st.sampled_from(["", "a", "b", "c", "ab"]), min_size=1, max_size=12), st.data())
def test_of_one_writer_the_latest_state_counts_whatever_copy_it_is_joined_with(
    texts: list[str], data: st.DataObject
) -> None:
    states = [NONE]
    for number, text in enumerate(texts):
        states.append(written((text, number), to=states[-1]))
    copy = data.draw(st.sampled_from(states))
    assert joined(states[-1], copy) == states[-1]


def test_an_older_copy_does_not_come_back_after_many_rewritings() -> None:
    common = written(("the first", 0))
    many = written(*((f"text {number}", number) for number in range(1, 50)), to=common)
    assert joined(many, common).text == "text 49"


def test_a_copy_from_the_middle_of_one_sitting_is_older_than_its_end() -> None:
    copy = written(("The memory", 1))
    for end in ("The memory of the planner", "The memory"):
        mine = written((end, 2), to=copy, amends=True)
        assert joined(mine, copy).text == end
    rewritten = written(("A memory of the planner", 2), to=copy, amends=True)
    state = joined(rewritten, copy)
    assert state.text == "A memory of the planner"


def test_a_note_removed_stays_removed_against_a_copy_that_did_not_change() -> None:
    copy = written(("one", 1))
    removed = written(("", 2), to=copy)
    assert joined(removed, copy) == removed
    longer = written(("two", 2), ("", 3), to=copy)
    assert joined(longer, copy).text == ""
    assert joined(longer, written(("two", 2), to=copy)).text == ""


def test_a_note_removed_here_and_edited_there_is_the_edited_one() -> None:
    copy = written(("one", 1))
    removed, edited = written(("", 9), to=copy), written(("one more", 2), to=copy)
    assert joined(removed, edited).text == "one more"
    assert history(joined(removed, edited)) == ["one"]


def test_a_note_written_anew_after_it_was_removed_is_there() -> None:
    copy = written(("one", 1))
    anew = written(("", 2), ("one", 3), to=copy)
    removed = written(("", 2), to=copy)
    assert joined(anew, removed).text == "one"
    assert joined(anew, copy).text == "one"


def test_texts_edited_on_both_sides_are_both_there_once() -> None:
    copy = written(("common", 1))
    mine, theirs = written(("mine", 5), to=copy), written(("theirs", 3), to=copy)
    state = joined(mine, theirs)
    assert state.note == Version(at(5), "mine" + CONFLICT + "theirs")
    assert set(history(state)) == {"common", "mine", "theirs"}
    for side in (mine, theirs, copy, state):
        assert joined(state, side) == state


def test_what_was_written_after_both_were_joined_replaces_both() -> None:
    mine, theirs = written(("mine", 1)), written(("theirs", 2))
    state = written(("of both", 3), to=joined(mine, theirs))
    for side in (mine, theirs, joined(mine, theirs)):
        assert joined(state, side).text == "of both"


def test_a_text_that_goes_on_from_the_other_stands_alone() -> None:
    mine, theirs = written(("The planner", 9)), written(("The planner of Mimose", 1))
    assert joined(mine, theirs).text == "The planner of Mimose"


def test_the_same_text_written_on_both_sides_stands_once() -> None:
    mine, theirs = written(("same", 1)), written(("other", 1), ("same", 2))
    assert joined(mine, theirs).note == Version(at(2), "same")


def test_a_third_text_joins_two_and_none_stands_twice() -> None:
    one, two, three = (written((text, 1)) for text in ("one", "two", "three"))
    state = joined(joined(one, two), joined(two, three))
    assert state.text == CONFLICT.join(("one", "three", "two"))
    assert joined(state, joined(one, three)).text == state.text


def test_nothing_joined_with_nothing_is_nothing() -> None:
    assert joined(NONE, NONE) == NONE
    assert joined(NONE, written(("a", 1))) == written(("a", 1))


ways = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from(["write", "write", "remove", "go on"])),
    max_size=4,
)


def gone_on(start: NoteState, name: str, steps: list[tuple[int, str]]) -> NoteState:
    """Return a state after steps whose texts nobody else writes."""
    for number, (when, kind) in enumerate(steps):
        text = {"write": f"{name}{number}", "remove": ""}.get(kind, f"{start.text}+{name}{number}")
        start = written((text, when), to=start)
    return start


@given(ways, ways, ways, ways)
def test_copies_of_one_note_are_joined_the_same_in_any_order_and_any_number_of_times(
    common: list[tuple[int, str]], first: list[tuple[int, str]], second: list[tuple[int, str]],
    third: list[tuple[int, str]],
) -> None:  # fmt: skip
    start = gone_on(NONE, "start", common)
    one, two, three = (
        gone_on(start, name, steps)
        for name, steps in zip("abc", (first, second, third), strict=True)
    )
    both = joined(one, two)
    assert joined(both, both) == joined(both, one) == joined(both, two) == both
    assert joined(both, start) == both
    everything = joined(both, three)
    assert joined(one, joined(two, three)).text == everything.text
    assert joined(joined(one, three), two).text == everything.text
    assert joined(everything, both) == everything
    for state, others in ((one, (two, three)), (two, (one, three)), (three, (one, two))):
        if state.note and state.note != start.note and all(
            state.text not in history(other) for other in others
        ):  # fmt: skip
            assert any(part.startswith(state.text) for part in everything.text.split(CONFLICT))


same = st.lists(st.tuples(st.sampled_from(["", "a", "b", "ab"]), st.integers(0, 5)), max_size=4)


@given(same, same)
def test_notes_that_happen_to_say_the_same_are_joined_once(
    mine: list[tuple[str, int]], theirs: list[tuple[str, int]]
) -> None:
    one, two = written(*mine), written(*theirs)
    state = joined(one, two)
    assert joined(state, one) == joined(state, two) == joined(state, state) == state
    parts = state.text.split(CONFLICT)
    assert len(parts) == len(set(parts))
    assert set(parts) <= {"", one.text, two.text}


# Joining what was joined before


def test_a_text_replaced_by_its_writer_is_not_brought_back_by_a_third_copy() -> None:
    """A third library that took the text in meanwhile does not make it count again."""
    mine, theirs = written(("x", 1)), written(("y", 2))
    third = joined(mine, theirs)
    later = written(("z", 5), to=mine)
    expected = joined(joined(mine, later), theirs).text
    assert expected == "y" + CONFLICT + "z"
    assert joined(third, later).text == expected


def test_a_removed_text_does_not_take_away_the_one_it_went_on_from() -> None:
    first, second = written(("x", 1)), written(("xy", 2))
    third = written(("", 3), to=second)
    assert joined(joined(first, second), third).text == joined(first, joined(second, third)).text


def test_one_of_two_joined_texts_that_was_removed_stays_removed() -> None:
    theirs = written(("theirs", 1))
    copy = joined(written(("mine", 2)), theirs)
    state = joined(copy, written(("", 3), to=theirs))
    assert state.text == "mine"
    assert joined(state, copy).text == "mine"


def test_what_is_left_of_two_joined_texts_is_not_lost_to_a_third() -> None:
    theirs = written(("theirs", 1))
    copy = joined(written(("mine", 2)), theirs)
    state = joined(copy, written(("", 3), to=theirs))
    third = joined(written(("third", 5)), copy)
    both = "mine" + CONFLICT + "third"
    assert joined(state, third).text == both


def test_a_text_removed_stays_removed_whoever_hears_of_it_last() -> None:
    third = written(("third", 1))
    other = written(("", 4), to=joined(NONE, third))
    mine = written(("mine", 5))
    other, mine = joined(other, mine), written(("", 8), to=mine)
    assert joined(joined(mine, other), third).text == ""
    assert joined(joined(mine, third), other).text == ""


@pytest.mark.parametrize("seed", range(150))
def test_three_libraries_that_joined_each_other_at_times_agree_in_the_end(seed: int) -> None:
    random = Random(seed)
    states = [NONE] * 3
    for when in range(1, 9):
        one = random.randrange(3)
        match random.choice(["write", "write", "remove", "go on", "join"]):
            case "write":
                states[one] = written((f"{'abc'[one]}{when}", when), to=states[one])
            case "remove":
                states[one] = written(("", when), to=states[one])
            case "go on":
                states[one] = written((f"{states[one].text}+{when}", when), to=states[one])
            case "join":
                states[one] = joined(states[one], states[(one + random.randint(1, 2)) % 3])
    ends = {joined(joined(one, two), three).text for one, two, three in permutations(states)}
    (end,) = ends
    for state in states:
        replaced = {text for other in states for text in history(other)}
        if state.text and not any(text.startswith(state.text) for text in replaced):
            parts = end.split(CONFLICT)
            assert all(any(part.startswith(one) for part in parts) for one in
                       set(state.text.split(CONFLICT)) - replaced)  # fmt: skip


def test_merging_again_takes_nothing_away_that_a_removal_left() -> None:
    """Of three joined texts one is removed; what is left is newer than the same two before."""
    third, mine, theirs = written(("gamma", 1)), written(("alpha", 2)), written(("beta", 3))
    server = joined(joined(mine, theirs), third)
    left = joined(server, written(("", 9), to=third))
    both = "alpha" + CONFLICT + "beta"
    assert left.text == both
    for one, two in ((left, server), (server, left)):
        assert joined(one, two).text == both
    again = joined(left, server)
    assert joined(again, server) == joined(server, again) == again


@pytest.mark.parametrize(
    ("end", "is_kept"),
    [("a confirmed sentence, and on", False), ("a long confirmed sentence", False),
     ("a confirmed", False), ("other words altogether", True), ("", True), ("x", True)],
)  # fmt: skip
def test_within_a_sitting_a_text_is_kept_where_most_of_it_is_gone(end: str, is_kept: bool) -> None:
    state = written((end, 2), to=written(("a confirmed sentence", 1)), amends=True)
    assert ("a confirmed sentence" in [one.text for one in state.earlier]) == is_kept


def test_two_that_type_at_once_into_a_joined_note_do_not_double_it() -> None:
    """Each goes on from its own part; what the other wrote stays there once."""
    note, here, there = "", "", ""
    for number in range(6):
        base, here = here, here + f"here{number} "
        note = kept_both(note, here, base)
        base, there = there, there + f"there{number} "
        note = kept_both(note, there, base)
    assert sorted(note.split(CONFLICT)) == sorted([here, there])


def test_a_part_that_the_writer_took_away_goes_and_a_new_one_of_the_other_stays() -> None:
    base = "a" + CONFLICT + "b"
    assert kept_both(base + CONFLICT + "c", "a", base) == "a" + CONFLICT + "c"
    assert kept_both(base, "b and more", "b") == "a" + CONFLICT + "b and more"
