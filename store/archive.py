"""A whole library in one file, and back: everything but the index, which can be made anew.

Restoring puts the files of an archive into a folder beside them first. Once that folder has its
name, they are moved into place, now or when the library is next opened: so a library is never
half the one and half the other for longer than a crash.
"""

from __future__ import annotations

import contextlib
import json
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from .copies import BACKUPS, Copies, Copy
from .errors import BadArchiveError, CannotOpenError, NotSavedError
from .files import (
    UNREADABLE,
    Lock,
    free_path,
    read_file,
    reason,
    remove_file,
    remove_folder,
    replace_file,
    sync_folder,
)
from .folder import FORMAT, RESTORING
from .journal import JournalStorage
from .lines import states_of
from .snapshot import encode

MEMBERS = ("library.json", "session.json", "marks.journal", "marks.json", "papers.jsonl")
"""The files of a library, in the order they are read: changes that are folded from the journal into
the snapshot meanwhile are known by their numbers. They are put in place the other way round."""

_MARKS = ("marks.json", "marks.journal")


def _members(folder: Path, names: Iterable[str] = MEMBERS) -> Iterator[tuple[str, bytes]]:
    for name in names:
        with contextlib.suppress(FileNotFoundError):
            yield name, read_file(folder / name)


def _packed(members: Iterator[tuple[str, bytes]]) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            # Without a time of its own: not every clock's fits into an archive.
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def back_up(folder: Path, target: Path) -> list[str]:
    """Put all files of a library into one archive, the marks as they would be opened.

    Needs no lock. The copies of the marks stay behind, but stand in for marks that are damaged.

    Returns:
        What was found damaged, a sentence each.

    Raises:
        CannotOpenError: There is no library.
        NotSavedError: There is something in its place, or it cannot be written or read.
    """
    try:
        if not (folder / "library.json").exists():
            raise CannotOpenError(f"There is no library in {folder}.")
        if target.exists():
            raise NotSavedError(f"Not backed up: there is a {target} already.")
        if (folder / RESTORING).is_dir():
            raise NotSavedError(f"Not backed up: {folder} is half restored; open it first.")
        aside = sorted(path.name for path in folder.glob("*.damaged-*"))
        marks, notices = _marks_of(folder)
        others = [name for name in (*MEMBERS, *aside) if name not in _MARKS]
        if not target.parent.is_dir():
            raise NotSavedError(f"Not backed up: there is no folder {target.parent}.")
        replace_file(target, _packed(chain([("marks.json", marks)], _members(folder, others))))
        return notices
    except OSError as error:
        where = error.filename or target
        raise NotSavedError(f"Not backed up: {where}: {reason(error)}.") from error


def _marks_of(folder: Path) -> tuple[bytes, list[str]]:
    """Return the marks of a library as one file, and what was damaged."""
    copies = _copies_of(folder)
    with contextlib.closing(JournalStorage(folder / "marks.json", copies=copies)) as storage:
        storage.poll()
        return encode(storage.read() or {}, storage.seq), storage.notices


def keep_before(folder: Path, what: str, *, papers: bool = False) -> Path:
    """Keep the files as they are before something is done to them; the caller holds the lock.

    Args:
        folder: The library.
        what: What is going to be done.
        papers: Whether the papers are kept as well.

    Returns:
        The archive.

    Raises:
        OSError: They are not kept.
    """
    backups = folder / BACKUPS
    backups.mkdir(mode=0o700, exist_ok=True)
    names = tuple(name for name in MEMBERS if papers or name != "papers.jsonl")
    path = free_path(backups, f"before-{what}-{datetime.now(UTC):%Y%m%dT%H%M%S}", ".zip")
    replace_file(path, _packed(_members(folder, names)))
    return path


def copies_in(folder: Path) -> list[Copy]:
    """Return the last good copies of a library's marks, the newest first."""
    return _copies_of(folder).all()


def _copies_of(folder: Path) -> Copies:
    return Copies(folder / BACKUPS, lambda: datetime.now(UTC))


class Restored(NamedTuple):
    """What a restoring did.

    Attributes:
        kept: The archive that holds what was there before, if anything was.
        notices: What of the backup could not be read, a sentence each.
    """

    kept: Path | None
    notices: list[str]


def restore(folder: Path, source: Path, *, needs_locks: bool = True) -> Restored:
    """Put what an archive, or a copy of the marks, holds in the place of a library's files.

    Args:
        folder: The library; made if it is not there.
        source: The archive or copy.
        needs_locks: Whether to refuse where the file system knows no locks.

    Raises:
        BadArchiveError: The file cannot be read or is not whole; nothing was changed.
        NotSavedError: It cannot be written, or not kept what was there; nothing was changed.
    """
    members = _unpacked(source)
    copies = _copies_of(folder)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with Lock(folder / "lock", needed=needs_locks).held():
            finish_restoring(folder)
            kept = None
            if any((folder / name).exists() for name in MEMBERS):
                kept = keep_before(folder, "restore", papers="papers.jsonl" in members)
            notices = _stage(folder, members, 1 + _last_number(folder, copies))
            finish_restoring(folder)
            with contextlib.suppress(OSError):  # one copy fewer; everything is in its place
                copies.keep(read_file(folder / "marks.json"))
            papers = members.get("papers.jsonl", b"")
            if papers.strip() and not states_of(papers.splitlines()):
                notices.append(f"No line of the papers in {source} can be read.")
            return Restored(kept, notices)
    except OSError as error:
        raise NotSavedError(f"Not restored: {folder}: {reason(error)}.") from error


def finish_restoring(folder: Path) -> None:
    """Move what is being restored into place; the caller holds the lock.

    Raises:
        OSError: It is not all in place; this can be called again.
    """
    staged = folder / RESTORING
    if not staged.is_dir():
        return
    names = os.listdir(staged)
    for name in reversed(MEMBERS):
        if name in names:
            os.replace(staged / name, folder / name)
    sync_folder(folder)
    remove_folder(staged)  # with what a file manager or a sync program may have put there
    sync_folder(folder)


def _last_number(folder: Path, copies: Copies) -> int:
    """Return the highest number that a change of a library has, in its marks or in their copies."""
    with contextlib.closing(JournalStorage(folder / "marks.json", copies=copies)) as storage:
        return max(storage.seq, *(kept.seq for _, kept in copies.good()), 0)


def _stage(folder: Path, members: Mapping[str, bytes], number: int) -> list[str]:
    """Put files into a folder of their own; the marks get a number that is newer than any before.

    So no copy of what was there before is ever taken for the newer one.

    Returns:
        What of the marks could not be read, a sentence each.
    """
    unnamed = folder / f".{RESTORING}.{os.getpid()}"
    try:
        remove_folder(unnamed)  # of one that was killed
        unnamed.mkdir(mode=0o700)
        for name, data in members.items():
            replace_file(unnamed / name, data)
        with contextlib.closing(JournalStorage(unnamed / "marks.json")) as storage:
            storage.poll()
            notices = storage.notices
            storage.renumber(max(number, storage.seq))
            storage.compact()
        for path in unnamed.glob("*.damaged-*"):
            remove_file(path)  # the archive has it
        os.rename(unnamed, folder / RESTORING)
    except OSError:
        remove_folder(unnamed)
        raise
    sync_folder(folder)
    return [notice.replace(str(unnamed), "backup") for notice in notices]


def _unpacked(source: Path) -> dict[str, bytes]:
    """Return the files that an archive or a copy holds, all of which were looked at.

    Raises:
        BadArchiveError: It holds none, or one that is damaged or too new.
    """
    try:
        data = read_file(source)
        if data.startswith(b"\x1f\x8b"):  # a copy of the marks, whatever it is called
            snapshot = Copy(source, datetime.now(UTC)).read()
            return {"marks.json": encode(snapshot.tables, snapshot.seq), "marks.journal": b""}
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = [name for name in MEMBERS if name in archive.namelist()]
            members = {name: archive.read(name) for name in names}
    except OSError as error:
        raise BadArchiveError(f"Not restored: {source}: {reason(error)}.") from error
    except Exception as error:  # a damaged archive makes its readers raise nearly anything
        raise BadArchiveError(
            f"Not restored: {source} is no backup of a library, or damaged ({error})."
        ) from None
    _check(source, members)
    if not members.keys().isdisjoint(_MARKS):
        members = {"marks.json": encode({}, 0), "marks.journal": b""} | members
    return members


def _check(source: Path, members: Mapping[str, bytes]) -> None:
    try:
        version = int(json.loads(members["library.json"])["format"])
    except UNREADABLE:
        raise BadArchiveError(f"Not restored: {source} is no backup of a library.") from None
    if version > FORMAT:
        raise BadArchiveError(
            f"Not restored: {source} is of a newer Anchorlight (format {version}, this one knows "
            f"{FORMAT})."
        )
