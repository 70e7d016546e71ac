"""The folder of a library: made, recognised by `library.json`, and found writable or not."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from .errors import CannotOpenError
from .files import UNREADABLE, reason, replace_file, set_aside

FORMAT = 1
"""The version of the files; a library of a newer one is opened read-only."""


@dataclass(slots=True)
class FolderState:
    """What was found at a library's place."""

    library_id: str
    is_new: bool = False
    read_only: str = ""
    notices: list[str] = field(default_factory=list)


def prepare(folder: Path, now: str) -> FolderState:
    """Find or make a library's folder and its `library.json`.

    Raises:
        CannotOpenError: There is none and none can be made, or it cannot be read.
    """
    path = folder / "library.json"
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return _create(folder, now)
    except NotADirectoryError:
        raise CannotOpenError(f"Cannot open {folder}: it is no folder.") from None
    except OSError as error:
        raise CannotOpenError(f"Cannot open {path}: {reason(error)}.") from error
    read_only = _cannot_write(folder)
    try:
        facts = json.loads(data)
        library_id, version = str(facts["id"]), int(facts["format"])
        if not library_id.isalnum():
            raise ValueError("its id is none")
    except UNREADABLE as error:
        if read_only:
            return FolderState("damaged", read_only=read_only, notices=[f"{path} is damaged."])
        aside = set_aside(path)
        state = _create(folder, now)
        state.is_new = False
        state.notices.append(
            f"{path} is damaged ({error}); it was set aside as {aside.name} and made anew. "
            "Papers and notes are kept in other files and are all here."
        )
        return state
    if version > FORMAT:
        read_only = (
            f"{folder} was written by a newer Anchorlight (format {version}, this one knows "
            f"{FORMAT}); it is opened read-only."
        )
    return FolderState(library_id, is_new=_is_new(folder), read_only=read_only)


def _create(folder: Path, now: str) -> FolderState:
    is_new = _is_new(folder)
    library_id = os.urandom(16).hex()
    facts = {"format": FORMAT, "id": library_id, "created": now}
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        replace_file(folder / "library.json", json.dumps(facts, indent=1).encode())
    except OSError as error:
        raise CannotOpenError(
            f"Cannot make a library in {folder}: {reason(error)}.",
            hint="Choose another place with --library DIR or ANCHORLIGHT_LIBRARY.",
        ) from error
    return FolderState(library_id, is_new=is_new)


def _is_new(folder: Path) -> bool:
    """Tell whether nothing was ever stored: a first start that failed may be made up for."""
    names = ("papers.jsonl", "marks.json", "marks.journal")
    return not any((folder / name).exists() for name in names)


def _cannot_write(folder: Path) -> str:
    """Return why nothing can be written into a folder, or an empty string."""
    if os.access(folder, os.W_OK | os.X_OK):
        return ""
    return f"{folder} cannot be written; it is opened read-only."
