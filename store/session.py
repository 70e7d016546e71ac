"""Where the reader was: `session.json`, which the program writes for itself alone."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

from .files import UNREADABLE, replace_file, set_aside


def read_session(path: Path, *, may_rename: bool = True) -> tuple[dict[str, Any], str]:
    """Return the last session, and a sentence where it was damaged and set aside."""
    try:
        session = json.loads(path.read_bytes())
        if not isinstance(session, dict):
            raise TypeError("it is no object")
        return session, ""
    except FileNotFoundError:
        return {}, ""
    except OSError as error:
        return {}, f"{path} cannot be read ({error.strerror})."
    except UNREADABLE as error:
        done = ""
        if may_rename:
            with suppress(OSError):
                done = f" and was set aside as {set_aside(path).name}"
        return {}, f"{path} is damaged ({error}){done}."


def write_session(path: Path, session: dict[str, Any]) -> None:
    """Store the session.

    Raises:
        OSError: The one before is still there.
    """
    replace_file(path, json.dumps(session, ensure_ascii=False, indent=1).encode())
