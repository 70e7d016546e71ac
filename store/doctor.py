"""Looks at every file of a library, puts right what can be, and tells of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .archive import copies_in
from .copies import BACKUPS, Copy
from .errors import StoreError
from .files import is_leftover, reason, remove_file, remove_folder, set_aside
from .folder import RESTORING

if TYPE_CHECKING:
    from .library import Library

LEFTOVER_SECONDS = 3600
"""How old an unfinished file is that no program is still writing."""

_LOSSES = ("papers may be missing", "in no file any more", "holds no papers")
"""What a notice says where the file can be put in order, but not what was in it."""


@dataclass(frozen=True, slots=True)
class Check:
    """What was found about one file.

    Attributes:
        name: The file.
        ok: Whether it is as it should be, now.
        detail: What is in it, or what is wrong with it.
        mended: Whether it was not, and has been put right.
    """

    name: str
    ok: bool
    detail: str
    mended: bool = False


def examine(open_library: Callable[[bool], Library], *, dry_run: bool = False) -> list[Check]:
    """Look at a library and put right what can be.

    Args:
        open_library: Opens the library; told whether it may write.
        dry_run: Whether to look alone and change nothing.

    Raises:
        CannotOpenError: There is no library, or it cannot be read.
    """
    before = _looked_at(open_library)
    if dry_run:
        return before
    library = open_library(True)
    try:
        if library.read_only:
            return [Check("library.json", True, library.read_only), *before[1:]]
        library.mend()
        _tidy(library.folder)
    except StoreError as error:
        return [*before, Check("mending", False, error.message)]
    finally:
        library.close()
    after = {check.name: check for check in _looked_at(open_library)}
    found = []
    for check in before:
        now = after.pop(check.name, None)
        if now is None or (now.ok and not check.ok):
            is_whole = not any(sign in check.detail for sign in _LOSSES)
            found.append(replace(check, ok=is_whole, mended=is_whole))
        else:
            found.append(now)
    return [*found, *after.values()]


def _looked_at(open_library: Callable[[bool], Library]) -> list[Check]:
    library = open_library(False)
    try:
        return [*library.checks(), *_backups(library.folder), *_others(library.folder)]
    finally:
        library.close()


def named(path: Path, detail: str, notices: list[str]) -> Check:
    """Return the check of a file: well where no notice names it."""
    found = [notice for notice in notices if str(path) in notice]
    return Check(path.name, not found, " ".join(found) or detail)


def _backups(folder: Path) -> Iterator[Check]:
    try:
        copies = copies_in(folder)
    except OSError as error:
        yield Check("backups", False, f"cannot be listed: {reason(error)}")
        return
    bad = []
    for copy in copies:
        try:
            copy.read()
        except (OSError, ValueError) as error:
            bad.append(f"{copy.path.name} is damaged ({error})")
    if bad:
        yield Check("backups", False, "; ".join(bad))
    else:
        number = f"{len(copies)} {'copy' if len(copies) == 1 else 'copies'} of the marks"
        last = f", the last of {copies[0].when}" if copies else " yet"
        yield Check("backups", True, number + last)


def _others(folder: Path) -> Iterator[Check]:
    for path in sorted(folder.glob("*.damaged-*")):
        yield Check(path.name, True, "was set aside; yours to look at or to delete")
    if (folder / RESTORING).is_dir():
        yield Check(RESTORING, False, "the library is half restored; opening it does the rest")
    for path in _leftovers(folder):
        yield Check(path.name, False, "was left behind by a write that was killed")


def _leftovers(folder: Path) -> list[Path]:
    oldest = time.time() - LEFTOVER_SECONDS
    hidden = (*folder.glob(".*"), *(folder / BACKUPS).glob(".*"))
    staged = f".{RESTORING}."
    unfinished = [
        path
        for path in hidden
        if (path.name.startswith(staged) if path.is_dir() else is_leftover(path))
    ]
    return sorted(path for path in unfinished if path.stat().st_mtime < oldest)


def _tidy(folder: Path) -> None:
    for path in _leftovers(folder):
        if path.is_dir():
            remove_folder(path)
        else:
            remove_file(path)
    with suppress(OSError):
        _put_away(copies_in(folder))


def _put_away(copies: list[Copy]) -> None:
    """Set damaged copies aside."""
    for copy in copies:
        try:
            copy.read()
        except ValueError:
            with suppress(OSError):
                set_aside(copy.path)
        except OSError:
            continue
