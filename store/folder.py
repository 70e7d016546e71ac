"""The folder of a library: made, recognised by `library.json`, brought up to date, or read-only."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import CannotOpenError, NotSavedError
from .files import UNREADABLE, Lock, keep_aside, read_file, reason, replace_file, why

FORMAT = 3
"""The version of the files; a library of a newer one is opened read-only.

2: `papers.jsonl` may say that a paper is gone; `marks.json` has a document a line, earlier texts
of notes, steps to undo, and times of single fields. A program of format 1 would take a paper that
is gone for one without a title.

3: A paper may have a type, a date, details, files, and what joined records are known by. A program
of format 2 would lose them where it writes such a paper anew.
"""

RESTORING = "restoring"
"""The folder with the files of a library that is being restored, until they are in place."""


@dataclass(slots=True)
class FolderState:
    """What was found at a library's place."""

    library_id: str
    is_new: bool = False
    read_only: str = ""
    version: int = FORMAT
    notices: list[str] = field(default_factory=list)


def prepare(folder: Path, now: str, lock: Lock, *, may_write: bool = True) -> FolderState:
    """Find or make a library's folder and its `library.json`.

    Args:
        folder: Where it is.
        now: The time.
        lock: Its lock.
        may_write: Whether to leave it alone, whatever is found.

    Raises:
        CannotOpenError: There is none and none can be made, or it cannot be read.
    """
    path = folder / "library.json"
    read_only = "" if may_write else f"{folder} is opened for reading alone."
    notices = [_finished(folder, lock, may_write=may_write)]
    try:
        data = read_file(path)
    except FileNotFoundError:
        if read_only:
            raise CannotOpenError(f"There is no library in {folder}.") from None
        return _create(folder, now)
    except NotADirectoryError:
        raise CannotOpenError(f"Cannot open {folder}: it is no folder.") from None
    except OSError as error:
        raise CannotOpenError(f"Cannot open {path}: {reason(error)}.") from error
    read_only = read_only or _cannot_write(folder, lock)
    facts, problem = _facts(data)
    if problem and read_only:
        notices.append(f"{path} is damaged ({problem}).")
        return FolderState("damaged", read_only=read_only, notices=[*filter(None, notices)])
    if problem:
        return _made_anew(folder, now, lock)
    library_id, version = facts["id"], facts["format"]
    if version > FORMAT:
        read_only = (
            f"{folder} was written by a newer Anchorlight (format {version}, this one knows "
            f"{FORMAT}); it is opened read-only."
        )
    elif version < FORMAT and not read_only:
        notice, read_only = _migrated(folder, facts, lock)
        notices.append(notice)
    return FolderState(library_id, _is_new(folder), read_only, version, [*filter(None, notices)])


def _finished(folder: Path, lock: Lock, *, may_write: bool) -> str:
    """Finish a restoring that was interrupted; return a sentence where that cannot be done."""
    if not (folder / RESTORING).is_dir():
        return ""
    what = f"{folder} is half restored"
    if not may_write or _cannot_write(folder, lock):
        return f"{what}; the rest is done when it is next opened for writing."
    from .archive import finish_restoring

    try:
        with lock.held():
            finish_restoring(folder)
    except (OSError, NotSavedError) as error:
        raise CannotOpenError(f"{what}, and the rest failed: {why(error)}") from None
    return ""


def version_of(folder: Path) -> int:
    """Return the version of a library's files.

    Raises:
        CannotOpenError: There is no library, or none that can be understood.
    """
    path = folder / "library.json"
    try:
        facts, problem = _facts(read_file(path))
    except FileNotFoundError:
        raise CannotOpenError(f"There is no library in {folder}.") from None
    except OSError as error:
        raise CannotOpenError(f"Cannot open {path}: {reason(error)}.") from error
    if problem:
        raise CannotOpenError(
            f"{path} is damaged ({problem}).", hint=f"anchorlight --library {folder} doctor"
        )
    return int(facts["format"])


def _facts(data: bytes) -> tuple[dict[str, Any], str]:
    """Return what `library.json` says, and what is wrong with it."""
    try:
        facts = json.loads(data)
        facts = {**facts, "id": str(facts["id"]), "format": int(facts["format"])}
        if not facts["id"].isalnum():
            raise ValueError("its id is none")
    except UNREADABLE as error:
        return {}, str(error) or type(error).__name__
    return facts, ""


def _made_anew(folder: Path, now: str, lock: Lock) -> FolderState:
    """Keep a damaged `library.json` aside and make one, unless another program has just done so.

    Raises:
        CannotOpenError: It cannot be done; the file is as it was.
    """
    path = folder / "library.json"
    try:
        with lock.held():
            data = read_file(path)
            facts, problem = _facts(data)
            if not problem:
                return FolderState(facts["id"], _is_new(folder))
            aside = keep_aside(path, data)
            state = _create(folder, now)
    except (OSError, NotSavedError) as error:
        raise CannotOpenError(f"{path} is damaged and cannot be mended: {why(error)}") from None
    state.is_new = False
    state.notices.append(
        f"{path} is damaged ({problem}); it is kept as {aside.name} and was made anew. "
        "Papers and notes are kept in other files and are all here."
    )
    return state


def _migrated(folder: Path, facts: dict[str, Any], lock: Lock) -> tuple[str, str]:
    """Bring a library of an older format up to date, after a backup.

    What formats 1 and 2 wrote is format 3 as it stands: only the version is new.

    Returns:
        A sentence on it, or why the library is read-only.
    """
    from .archive import keep_before

    version = facts["format"]
    try:
        with lock.held():
            kept = keep_before(folder, f"format-{FORMAT}")
            now = json.dumps({**facts, "format": FORMAT}, indent=1)
            replace_file(folder / "library.json", now.encode())
    except (OSError, NotSavedError) as error:
        return "", (
            f"{folder} is of format {version} and cannot be brought up to date: {why(error)} "
            "It is opened read-only."
        )
    return (
        f"{folder} was brought from format {version} to {FORMAT}; its marks and notes as they "
        f"were are in {kept}."
    ), ""


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


def _cannot_write(folder: Path, lock: Lock) -> str:
    """Return why nothing can be written into a folder, or an empty string."""
    if not os.access(folder, os.W_OK | os.X_OK):
        return f"{folder} cannot be written; it is opened read-only."
    if problem := lock.problem:
        return f"{problem[0].upper()}{problem[1:]}; it is opened read-only."
    return ""
