"""Keys of commands: one owner each, and every mistake in the config is told."""

from __future__ import annotations

import pytest
from anchorlight.tui.commands import GROUPS, all_commands
from anchorlight.tui.keymap import keys_of, shown

COMMANDS = list(all_commands())
DEFAULTS = {one.name: one.keys for one in COMMANDS}


def test_every_command_is_declared_whole() -> None:
    assert len(DEFAULTS) == len(COMMANDS)
    for one in COMMANDS:
        assert one.name == one.name.lower()
        assert " " not in one.name
        assert one.title
        assert one.keys
        assert one.group in GROUPS


def test_the_default_keys_have_one_owner_each() -> None:
    keys = [key for one in COMMANDS for key in one.keys]
    assert len(keys) == len(set(keys))
    assert keys_of(COMMANDS, {}) == (DEFAULTS, [])
    assert "ctrl+z" in DEFAULTS["suspend"]  # the shell's


@pytest.mark.parametrize(
    ("key", "commands"),
    [
        ("j", "down"), ("k", "up"), ("g", "first"), ("G", "last"), ("space", "read-on"),
        ("n", "next-unread"), ("p", "previous-unread"), ("/", "filter"), ("escape", "clear"),
        ("r", "mark-read"), ("u", "mark-unread"), ("s", "star"), ("x", "skip"), ("w", "queue"),
        ("e", "note"), ("E", "note-editor"), ("t", "tags"), ("v", "select"), ("V", "select-all"),
        ("U", "undo"), ("ctrl+r", "redo"), ("o", "open-web"), ("?", "help"), (":", "palette"),
        ("ctrl+p", "palette"), ("ctrl+o", "back"), ("ctrl+n", "forward"), ("J", "next-list"),
        ("K", "previous-list"), ("h", "pane-left"), ("l", "pane-right"), ("tab", "pane-next"),
        ("ctrl+d", "half-page-down"), ("ctrl+u", "half-page-up"),
    ],
)  # fmt: skip
def test_the_keys_of_the_design(key: str, commands: str) -> None:
    assert key in DEFAULTS[commands]


@pytest.mark.parametrize(
    "key",
    ["z", "Z", "!", "?", "+", ",", ";", "[", "]", "\\", "ü", "ß", "日", "space", "enter", "tab",
     "ctrl+a", "ctrl+space", "shift+tab", "f1", "f12", "ctrl+f5", "up", "pagedown", "delete"],
)  # fmt: skip
def test_keys_that_can_be_given(key: str) -> None:
    keys, problems = keys_of(COMMANDS, {"star": [key]})
    assert problems == []
    assert keys["star"] == (key,)


@pytest.mark.parametrize(
    "key",
    ["", "zz", "hyper+a", "ctrl+", "+a", "ctrl+zz", "5", "0", "f0", "f99", "fx", "\x1b", "\n",
     "\u202e", "[/]", "a b"],
)  # fmt: skip
def test_what_is_no_key_is_told_and_left_out(key: str) -> None:
    keys, problems = keys_of(COMMANDS, {"star": [key, "z"]})
    assert keys["star"] == ("z",)
    assert len(problems) == 1
    assert "star" in problems[0]


def test_a_command_whose_keys_are_all_mistaken_keeps_its_own() -> None:
    keys, problems = keys_of(COMMANDS, {"star": ["zz"]})
    assert len(problems) == 1
    assert keys["star"] == DEFAULTS["star"]


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("sttar", "star"), ("markread", "mark-read"), ("half_page_down", "half-page-down")],
)
def test_an_unknown_command_is_told_with_the_nearest(name: str, nearest: str) -> None:
    keys, problems = keys_of(COMMANDS, {name: ["z"]})
    assert keys == DEFAULTS
    (problem,) = problems
    assert f"“{name}”" in problem
    assert f"“{nearest}”" in problem


def test_nothing_like_it_names_no_other() -> None:
    assert keys_of(COMMANDS, {"qqqqqq": []})[1] == ["there is no command “qqqqqq”"]


def test_a_clash_is_told_and_one_of_the_two_has_the_key() -> None:
    keys, problems = keys_of(COMMANDS, {"star": ["z", "Z"], "skip": ["z", "X"]})
    assert sorted((*keys["star"], *keys["skip"])) == ["X", "Z", "z"]
    (problem,) = problems
    assert all(word in problem for word in ("“z”", "star", "skip"))


def test_who_loses_a_clash_keeps_the_default() -> None:
    keys, _ = keys_of(COMMANDS, {"star": ["z"], "skip": ["z"]})
    assert (keys["star"], keys["skip"]) in ((("z",), ("x",)), (("s",), ("z",)))


def test_the_same_key_twice_for_one_command_is_once() -> None:
    keys, problems = keys_of(COMMANDS, {"star": ["z", "z"]})
    assert (keys["star"], problems) == (("z",), [])


def test_a_default_gives_way_to_the_readers_key() -> None:
    keys, problems = keys_of(COMMANDS, {"star": ["x"]})
    assert problems == []
    assert keys["star"] == ("x",)
    assert keys["skip"] == ()


def test_two_commands_can_swap_their_keys() -> None:
    keys, problems = keys_of(COMMANDS, {"star": ["x"], "skip": ["s"]})
    assert (keys["star"], keys["skip"], problems) == (("x",), ("s",), [])


def test_one_key_can_be_written_in_two_ways() -> None:
    """`?` and `question_mark` are one key: given to two commands they clash."""
    keys, problems = keys_of(COMMANDS, {"star": ["question_mark"]})
    assert problems == []
    assert "?" not in keys["help"]
    assert len(keys_of(COMMANDS, {"star": ["?"], "skip": ["question_mark"]})[1]) == 1


def test_a_command_can_be_left_without_a_key() -> None:
    keys, problems = keys_of(COMMANDS, {"quit": []})
    assert (keys["quit"], problems) == ((), [])


@pytest.mark.parametrize(
    ("key", "name"), [("space", "space"), ("escape", "esc"), ("up", "↑"), ("j", "j"), ("[", "[")]
)
def test_keys_are_shown_as_people_call_them(key: str, name: str) -> None:
    assert shown(key) == name
