"""The reader's settings: defaults, then the config file, the environment, the command line.

A mistake in the file costs that setting alone: it is told with file and line, and the default
stands. The file is never written by the program.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import platformdirs
from anchorlight.store.text import clean_line

APP = "anchorlight"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the reader can set. The names are those of the config file."""

    library: Path = field(default_factory=lambda: platformdirs.user_data_path(APP))
    """The folder of the library. Also `ANCHORLIGHT_LIBRARY` and `--library`."""
    theme: str = ""
    """The theme; empty for the one chosen last in the program."""
    seeds: bool = True
    """Whether a new library starts with the three reading lists that come along."""
    locks: bool = True
    """Whether a library is opened read-only where its file system knows no locks."""
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Keys by command, in place of the command's own."""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force, where each came from, and what was wrong with the file."""

    settings: Settings
    path: Path
    origins: Mapping[str, str]
    problems: tuple[str, ...] = ()
    text: str = ""
    """The file, for `where`."""

    def where(self, name: str) -> str:
        """Return the beginning of a sentence on what the file says of a name."""
        return f"{self.path}, line {_line_of(name, self.text)}: "


class _MistakeError(ValueError):
    """A value is of no use, for the reason given."""


def cache_folder() -> Path:
    """Return the reader's own folder for what can be made anew."""
    return platformdirs.user_cache_path(APP)


def config_path() -> Path:
    """Return where the config file is looked for."""
    if named := os.environ.get("ANCHORLIGHT_CONFIG"):
        return _expanded(named)
    return platformdirs.user_config_path(APP) / "config.toml"


def load_config(library: str | None = None) -> Config:
    """Return the settings in force.

    Args:
        library: What the command line says.
    """
    path = config_path()
    settings = Settings()
    origins = dict.fromkeys((one.name for one in fields(Settings)), "default")
    values, problems, text = _read(path)
    config = Config(settings, path, origins, text=text)
    for name, value in values.items():
        if name not in _CHECKS:
            close = get_close_matches(name, _CHECKS, 1)
            hint = f"; do you mean “{close[0]}”" if close else ""
            problems.append(f"{config.where(name)}there is no setting “{clean_line(name)}”{hint}.")
            continue
        try:
            settings = replace(settings, **{name: _CHECKS[name](value)})
            origins[name] = str(path)
        except _MistakeError as error:
            problems.append(f"{config.where(name)}“{name}” {error}.")
    if wanted := settings.keys:
        good = {name: keys for name, keys in wanted.items() if keys is not None}
        bad = [name for name in wanted if name not in good]
        problems += [
            f"{config.where(name)}“{clean_line(name)}” takes a list of keys." for name in bad
        ]
        settings = replace(settings, keys=good)
    for origin, named in (("ANCHORLIGHT_LIBRARY", os.environ.get("ANCHORLIGHT_LIBRARY")),
                          ("--library", library)):  # fmt: skip
        if named:
            settings = replace(settings, library=_expanded(named))
            origins["library"] = origin
    return Config(settings, path, origins, tuple(problems), text)


def _expanded(name: str) -> Path:
    """Return a path with its `~`; where that means nobody, as it stands."""
    try:
        return Path(name).expanduser()
    except RuntimeError:
        return Path(name)


def _read(path: Path) -> tuple[dict[str, Any], list[str], str]:
    try:
        if not path.exists():
            return {}, [], ""
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        return {}, [f"{path} cannot be read: {error.strerror}. Defaults are used."], ""
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return {}, [f"{path}, line {line}: this is not UTF-8. Defaults are used."], ""
    import tomllib

    try:
        return tomllib.loads(text), [], text
    except (ValueError, RecursionError) as error:
        reason = re.sub(r" \(at (?:line \d+, column \d+|end of document)\)", "", str(error))
        found = re.search(r"line (\d+)", str(error))
        last = max(text.count("\n"), 1) if "end of document" in str(error) else 1
        line = int(found[1]) if found else last
        return {}, [f"{path}, line {line}: {clean_line(reason)}. Defaults are used."], ""


def _line_of(name: str, text: str) -> int:
    found = re.search(rf"^\s*\[?\s*[\"']?{re.escape(name)}\b", text, re.MULTILINE)
    return text.count("\n", 0, found.end()) + 1 if found else 1


def _path(value: object) -> Path:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise _MistakeError("takes a folder, in quotes")
    try:
        return Path(value).expanduser()
    except RuntimeError:
        raise _MistakeError("names a home that is nobody's") from None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _MistakeError("takes a text, in quotes")
    return value


def _switch(value: object) -> bool:
    if not isinstance(value, bool):
        raise _MistakeError("takes true or false")
    return value


def _keys(value: object) -> dict[str, tuple[str, ...] | None]:
    """Return keys by command; None for one whose keys are no list of texts."""
    if not isinstance(value, dict):
        raise _MistakeError('takes a table, such as [keys] with lines like down = ["j"]')
    keys: dict[str, tuple[str, ...] | None] = {}
    for name, chosen in value.items():
        listed = [chosen] if isinstance(chosen, str) else chosen
        is_good = isinstance(listed, list) and all(isinstance(key, str) for key in listed)
        keys[str(name)] = tuple(listed) if is_good else None
    return keys


_CHECKS: dict[str, Callable[[object], Any]] = {
    "library": _path,
    "theme": _text,
    "seeds": _switch,
    "locks": _switch,
    "keys": _keys,
}
