"""From commands and the reader's config to keys; every mistake is told, none is fatal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches

from .commands import Command

_NAMES = {
    "space": "space", "enter": "enter", "tab": "tab", "escape": "esc", "pagedown": "PgDn",
    "pageup": "PgUp", "home": "Home", "end": "End", "up": "↑", "down": "↓", "left": "←",
    "right": "→", "backspace": "backspace", "delete": "del", "insert": "ins",
}  # fmt: skip
_MODIFIERS = ("ctrl", "shift")
_FUNCTION_KEYS = tuple(map(str, range(1, 25)))
_CHARACTERS = {"question_mark": "?", "slash": "/", "colon": ":"}


def keys_of(
    commands: Iterable[Command],
    wanted: Mapping[str, Iterable[str]],
    where: Callable[[str], str] = lambda _: "",
) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Return the keys of every command, and a sentence for each mistake in the config.

    Args:
        commands: All commands.
        wanted: Keys from the config file, by command.
        where: Gives the beginning of the sentence on a command: where the file names it.
    """
    known = {one.name: tuple(map(_normal, one.keys)) for one in commands}
    problems: list[str] = []
    chosen: dict[str, tuple[str, ...]] = {}
    owners: dict[str, str] = {}
    for name, keys in wanted.items():
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = f"; do you mean “{close[0]}”?" if close else ""
            problems.append(f"{where(name)}there is no command “{name}”{hint}")
            continue
        keys = tuple(keys)
        good = []
        for key in dict.fromkeys(map(_normal, keys)):
            if not _is_key(key):
                problems.append(f"{where(name)}“{key}” for “{name}” is no key")
            elif key in owners:
                both = f"“{owners[key]}” and “{name}”"
                problems.append(f"{where(name)}“{key}” is given to both {both}")
            else:
                owners[key] = name
                good.append(key)
        if good or not keys:  # where nothing of it can be used, the command keeps its own
            chosen[name] = tuple(good)
    return {
        # A default gives way to the reader's own key, silently.
        name: chosen.get(name, tuple(key for key in keys if key not in owners))
        for name, keys in known.items()
    }, problems


def _normal(key: str) -> str:
    """Return the one spelling of a key: `?` for `question_mark`."""
    return _CHARACTERS.get(key, key)


def _is_key(key: str) -> bool:
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    named = last in _NAMES or (last[:1] == "f" and last[1:] in _FUNCTION_KEYS)
    single = len(last) == 1 and last.isprintable() and not last.isdigit() and last != " "
    return (named or single) and all(modifier in _MODIFIERS for modifier in modifiers)


def shown(key: str) -> str:
    """Return a key as the help shows it."""
    return _NAMES.get(key, key)
