"""Files that survive a crash: whole ones are replaced at once, logs only ever grow."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import NotSavedError

if TYPE_CHECKING:
    from filelock import BaseFileLock

UNREADABLE = (ValueError, KeyError, TypeError, OverflowError, RecursionError)
"""What reading a file of ours may raise where its content is not what we wrote."""

LOCK_SECONDS = 10.0
"""How long a write waits for another program's write to end."""


_sync = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync


def reason(error: OSError) -> str:
    """Return what the system says went wrong, without Python's decoration."""
    return error.strerror or str(error) or type(error).__name__


def replace_file(path: Path, data: bytes) -> None:
    """Put data in place of a file, at once and durably.

    Raises:
        OSError: Nothing was changed.
    """
    # Not tempfile, whose import alone takes longer than the write.
    name = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a rename in a folder durable, on systems where a folder can be synced."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def set_aside(path: Path) -> Path:
    """Rename a damaged file, byte for byte as it is, and return its new name."""
    target = _aside_name(path)
    path.rename(target)
    return target


def keep_aside(path: Path, data: bytes) -> Path:
    """Keep what is about to be cut off a file in one beside it, and return its name."""
    target = _aside_name(path)
    replace_file(target, data)
    return target


def _aside_name(path: Path) -> Path:
    base = f"{path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S}"
    target, number = path.with_name(base), 1
    while target.exists():
        number += 1
        target = path.with_name(f"{base}-{number}")
    return target


class Lock:
    """The advisory lock of a library. Held only for the length of one write."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock: BaseFileLock | None = None

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock.

        Raises:
            NotSavedError: Another program holds it for too long, or locks do not work here.
        """
        from filelock import FileLock, Timeout

        if not self._path.parent.is_dir():  # locking would make an empty folder in its place
            raise NotSavedError(f"Not saved: the folder {self._path.parent} is gone.")
        if self._lock is None:
            self._lock = FileLock(self._path, timeout=LOCK_SECONDS)
        try:
            self._lock.acquire()
        except Timeout:
            raise NotSavedError(
                f"Not saved: another program has been writing to {self._path.parent} for "
                f"{LOCK_SECONDS:.0f} seconds."
            ) from None
        except (OSError, NotImplementedError) as error:
            why = reason(error) if isinstance(error, OSError) else str(error)
            raise NotSavedError(f"Not saved: {self._path} cannot be locked: {why}.") from error
        try:
            yield
        finally:
            self._lock.release()


class GrowingFile:
    """A file of lines that is only appended to, by one program at a time, and read by several.

    The open handle pins the file: when its name leads to another file, that one replaced it.

    Args:
        path: The file.
        torn_counts: Whether what follows the last line end may be a whole line. It is closed off
            before the next one is appended then; otherwise it is cut off and kept aside.
    """

    def __init__(self, path: Path, *, torn_counts: bool) -> None:
        self.path = path
        self._torn_counts = torn_counts
        self._handle: int | None = None
        self._known = 0

    @property
    def size(self) -> int:
        """Bytes read or written so far: whole lines only."""
        return self._known

    def close(self) -> None:
        """Close the file."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def load(self) -> tuple[list[bytes], bytes]:
        """Read the file from its beginning.

        Returns:
            Its lines, and what follows the last line end: a write that was cut short.
        """
        self.close()
        self._known = 0
        try:
            self._handle = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return [], b""
        return self._read_on()

    def poll(self) -> list[bytes] | None:
        """Return the lines that were added since, or None where the file was replaced.

        Raises:
            OSError: The file is gone or cannot be read; what was read of it before still holds.
        """
        if self._handle is None:
            return None if self.path.exists() else []
        status = os.stat(self.path)  # a file that is gone is no empty one
        mine = os.fstat(self._handle)
        if (status.st_dev, status.st_ino) != (mine.st_dev, mine.st_ino):
            return None
        if status.st_size == self._known:
            return []
        if status.st_size < self._known:
            return None
        return self._read_on()[0]

    def _read_on(self) -> tuple[list[bytes], bytes]:
        assert self._handle is not None
        chunks = []
        at = self._known
        try:
            while chunk := os.pread(self._handle, 1 << 20, at):
                chunks.append(chunk)
                at += len(chunk)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from error
        data = b"".join(chunks)
        whole, end, rest = data.rpartition(b"\n")
        self._known += len(whole) + len(end)
        return whole.split(b"\n") if end else [], rest

    def cut_back(self, size: int) -> None:
        """Take back what was appended since the file had a size; the caller holds the lock."""
        if self._handle is not None and size < self._known:
            os.ftruncate(self._handle, size)
            self._known = size

    def append(self, lines: bytes) -> None:
        """Append lines durably; the caller holds the library's lock and has polled.

        Raises:
            OSError: Nothing of it counts as written.
        """
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        is_new = self._handle is None
        handle = os.open(self.path, flags, 0o600)
        try:
            start, data = os.fstat(handle).st_size, lines
            if start > self._known and self._torn_counts:
                data = b"\n" + lines
            elif start > self._known:  # an interrupted write, never confirmed to anybody
                keep_aside(self.path, os.pread(handle, start - self._known, self._known))
                os.ftruncate(handle, self._known)
                start = self._known
            try:
                written = 0
                while written < len(data):
                    written += os.pwrite(handle, data[written:], start + written)
                _sync(handle)
            except OSError:
                with contextlib.suppress(OSError):
                    os.ftruncate(handle, start)
                    if is_new and not start:
                        os.unlink(self.path)
                raise
            self._known = start + len(data)
        except BaseException:
            os.close(handle)
            raise
        if is_new:
            sync_folder(self.path.parent)
        else:
            self.close()
        self._handle = handle
