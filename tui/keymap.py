"""From commands and the reader's config to keys; every mistake is told, none is fatal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from .commands import Command

_NAMES = {
    "space": "space", "enter": "enter", "tab": "tab", "escape": "esc", "pagedown": "PgDn",
    "pageup": "PgUp", "home": "Home", "end": "End", "up": "↑", "down": "↓", "left": "←",
    "right": "→", "slash": "/", "question_mark": "?", "colon": ":", "shift+tab": "shift+tab",
    "backspace": "backspace", "delete": "del", "insert": "ins",
}  # fmt: skip
_MODIFIERS = ("ctrl", "shift")


def keys_of(
    commands: Iterable[Command], wanted: Mapping[str, Iterable[str]]
) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Return the keys of every command, and a sentence for each mistake in the config.

    Args:
        commands: All commands.
        wanted: Keys from the config file, by command.
    """
    known = {one.name: one.keys for one in commands}
    problems = []
    keys = dict(known)
    for name, chosen in wanted.items():
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = f"; do you mean “{close[0]}”?" if close else ""
            problems.append(f"there is no command “{name}”{hint}")
            continue
        good = []
        for key in chosen:
            if _is_key(key):
                good.append(key)
            else:
                problems.append(f"“{key}” for “{name}” is no key")
        keys[name] = tuple(good)
    owners: dict[str, str] = {}
    for name in (*(name for name in keys if name in wanted), *(n for n in keys if n not in wanted)):
        kept = []
        for key in keys[name]:
            if owner := owners.get(key):
                if name in wanted:  # a default gives way to the reader's own key silently
                    problems.append(f"“{key}” is given to both “{owner}” and “{name}”")
                continue
            owners[key] = name
            kept.append(key)
        keys[name] = tuple(kept)
    return keys, problems


def _is_key(key: str) -> bool:
    *modifiers, last = key.split("+") if len(key) > 1 else [key]
    named = last in _NAMES or (last.startswith("f") and last[1:].isdigit())
    single = len(last) == 1 and last.isprintable() and not last.isdigit()
    return (named or single) and all(modifier in _MODIFIERS for modifier in modifiers)


def shown(key: str) -> str:
    """Return a key as the help shows it."""
    return _NAMES.get(key, key)
