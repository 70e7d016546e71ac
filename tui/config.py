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
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Keys by command, in place of the command's own."""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force, where each came from, and what was wrong with the file."""

    settings: Settings
    path: Path
    origins: Mapping[str, str]
    problems: tuple[str, ...] = ()


def cache_folder() -> Path:
    """Return the reader's own folder for what can be made anew."""
    return platformdirs.user_cache_path(APP)


def config_path() -> Path:
    """Return where the config file is looked for."""
    if named := os.environ.get("ANCHORLIGHT_CONFIG"):
        return Path(named).expanduser()
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
    for name, value in values.items():
        line = f"{path}, line {_line_of(name, text)}"
        if name not in _CHECKS:
            close = get_close_matches(name, _CHECKS, 1)
            hint = f"; do you mean “{close[0]}”?" if close else ""
            problems.append(f"{line}: there is no setting “{name}”{hint}.")
            continue
        try:
            settings = replace(settings, **{name: _CHECKS[name](value)})
            origins[name] = str(path)
        except (TypeError, ValueError) as error:
            problems.append(f"{line}: “{name}” {error}.")
    if named := os.environ.get("ANCHORLIGHT_LIBRARY"):
        settings = replace(settings, library=Path(named).expanduser())
        origins["library"] = "ANCHORLIGHT_LIBRARY"
    if library:
        settings = replace(settings, library=Path(library).expanduser())
        origins["library"] = "--library"
    return Config(settings, path, origins, tuple(problems))


def _read(path: Path) -> tuple[dict[str, Any], list[str], str]:
    if not path.exists():
        return {}, [], ""
    import tomllib

    try:
        text = path.read_bytes().decode("utf-8-sig")
        return tomllib.loads(text), [], text
    except OSError as error:
        return {}, [f"{path} cannot be read: {error.strerror}. Defaults are used."], ""
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return {}, [f"{path}, line {line}: this is not UTF-8. Defaults are used."], ""
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        reason = re.sub(r" \(at (?:line \d+, column \d+|end of document)\)", "", str(error))
        found = re.search(r"line (\d+)", str(error))
        line = int(found[1]) if found else max(text.count("\n"), 1)
        return {}, [f"{path}, line {line}: {reason}. Defaults are used."], ""


def _line_of(name: str, text: str) -> int:
    found = re.search(rf"^\s*\[?\s*[\"']?{re.escape(name)}\b", text, re.MULTILINE)
    return text.count("\n", 0, found.end()) + 1 if found else 1


def _path(value: object) -> Path:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise TypeError("takes a folder, in quotes")
    return Path(value).expanduser()


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("takes a text, in quotes")
    return value


def _switch(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("takes true or false")
    return value


def _keys(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise TypeError('takes a table, such as [keys] with lines like down = ["j"]')
    keys = {}
    for name, chosen in value.items():
        chosen = [chosen] if isinstance(chosen, str) else chosen
        if not isinstance(chosen, list) or not all(isinstance(key, str) for key in chosen):
            raise TypeError(f"has “{name}”, which takes a list of keys")
        keys[str(name)] = tuple(chosen)
    return keys


_CHECKS: dict[str, Callable[[object], Any]] = {
    "library": _path,
    "theme": _text,
    "seeds": _switch,
    "keys": _keys,
}
