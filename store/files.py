"""Files that survive a crash: whole ones are replaced at once, logs only ever grow.

Everything the library reads and writes goes through here, in the system's own calls, so that a
test can make any one of them fail.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from .errors import NotSavedError

UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What reading a file of ours may raise where its content is not what we wrote."""

_KNOWN_AGAIN = 4096
"""Bytes of the end of what was read of a growing file by which it is known again."""

LOCK_SECONDS = 10.0
"""How long a write waits for another program's write to end."""

_NO_FOLDER_SYNC = (errno.EINVAL, errno.EBADF, errno.EACCES, errno.EISDIR, errno.ENOTSUP)
"""What systems answer that cannot sync a folder; all else is a failed write."""

_NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL)
"""What file systems answer that know no locks."""


Stamp = tuple[int, int, int] | None
"""Tells one state of a file from another."""


def reason(error: OSError) -> str:
    """Return what the system says went wrong, without Python's decoration."""
    return error.strerror or str(error) or type(error).__name__


def why(error: OSError | NotSavedError) -> str:
    """Return as a sentence why something could not be written."""
    return error.message if isinstance(error, NotSavedError) else f"{reason(error)}."


def _sync(handle: int) -> None:
    getattr(os, "fdatasync", os.fsync)(handle)  # macOS has no fdatasync


def _write_at(handle: int, data: bytes, at: int) -> None:
    """Write all of data, however little the system takes at a time."""
    written = 0
    while written < len(data):
        written += os.pwrite(handle, data[written:], at + written)


def read_file(path: Path) -> bytes:
    """Return what a file holds.

    Raises:
        OSError: It is not there or cannot be read.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        chunks = []
        while chunk := os.read(handle, 1 << 24):
            chunks.append(chunk)
        return b"".join(chunks)
    except OSError as error:
        raise OSError(error.errno, reason(error), str(path)) from error
    finally:
        os.close(handle)


def stamp(path: Path) -> Stamp:
    """Return what tells one state of a file from another, None where there is no file.

    Raises:
        OSError: That cannot be told.
    """
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return _stamp_of(status)


def _stamp_of(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_mtime_ns, status.st_size


def replace_file(path: Path, data: bytes, *, durably: bool = True) -> None:
    """Put data in place of a file, at once.

    Args:
        path: The file.
        data: What it is to hold.
        durably: Whether to wait for the disk; what can be made anew at any moment need not.

    Raises:
        OSError: The file is as it was, or as it should be, but not durably so.
    """
    path = Path(os.path.realpath(path))  # a link into a synchronised folder stays one
    # Not tempfile, whose import alone takes longer than the write.
    name = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        try:
            _write_at(handle, data, 0)
            if durably:
                os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(name, path)
    except BaseException:
        remove_file(name)
        raise
    if durably:
        sync_folder(path.parent)


def is_leftover(path: Path) -> bool:
    """Tell whether a file is what a write that was killed left behind, half done."""
    return path.name.startswith(".") and path.name.endswith(".tmp")


def remove_file(path: Path) -> None:
    """Remove a file that is not needed any more, if that can be done."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def remove_folder(path: Path) -> None:
    """Remove a folder that is not needed any more with the files in it, if that can be done."""
    with contextlib.suppress(OSError):
        for file in path.iterdir():
            remove_file(file)
        path.rmdir()


def sync_folder(folder: Path) -> None:
    """Make what happened to the names in a folder durable.

    Raises:
        OSError: It may not be.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise


def set_aside(path: Path) -> Path:
    """Rename a damaged file, byte for byte as it is, and return its new name.

    Raises:
        OSError: It is still in its place.
    """
    target = _aside_name(path)
    os.rename(path, target)
    return target


def keep_aside(path: Path, data: bytes) -> Path:
    """Keep what is about to be cut off a file in one beside it, and return its name.

    Raises:
        OSError: It is not kept.
    """
    target = _aside_name(path)
    replace_file(target, data)
    return target


def _aside_name(path: Path) -> Path:
    return free_path(path.parent, f"{path.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S}")


def free_path(folder: Path, base: str, suffix: str = "") -> Path:
    """Return a path in a folder that nothing lies at, numbered where its plain name is taken."""
    path, number = folder / f"{base}{suffix}", 1
    while path.exists():
        number += 1
        path = folder / f"{base}-{number}{suffix}"
    return path


class Lock:
    """The advisory lock of a library. Held only for the length of one write.

    The lock belongs to an open file (flock), so one that a killed program held is gone with it.

    Args:
        path: The file that is locked.
        needed: Whether to refuse to write where the file system knows no locks.
    """

    def __init__(self, path: Path, *, needed: bool = True) -> None:
        self._path = path
        self._needed = needed

    @property
    def problem(self) -> str:
        """Why nothing can be locked here, or an empty string. Quick, and waits for nobody."""
        try:
            handle = self._taken(0)
        except BlockingIOError:  # somebody holds it: it works
            return ""
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return f"the file system of {self._path.parent} knows no locks"
            return f"{self._path} cannot be locked: {reason(error)}"
        if handle is not None:
            os.close(handle)
        return ""

    @property
    def is_held(self) -> bool:
        """Whether somebody is writing just now. Makes nothing."""
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError as error:
            return isinstance(error, BlockingIOError)
        finally:
            os.close(handle)
        return False

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock.

        Raises:
            NotSavedError: Another program holds it for too long, or locks do not work here.
        """
        try:
            handle = self._taken(LOCK_SECONDS)
        except FileNotFoundError:
            raise NotSavedError(f"Not saved: the folder {self._path.parent} is gone.") from None
        except BlockingIOError:
            raise NotSavedError(
                f"Not saved: another program has been writing to {self._path.parent} for "
                f"{LOCK_SECONDS:.0f} seconds."
            ) from None
        except OSError as error:
            raise NotSavedError(
                f"Not saved: {self._path} cannot be locked: {reason(error)}."
            ) from error
        try:
            yield
        finally:
            if handle is not None:
                os.close(handle)

    def _taken(self, seconds: float) -> int | None:
        """Return the open file that holds the lock.

        Raises:
            BlockingIOError: Somebody else holds it all the time.
            OSError: It cannot be had.
        """
        if not self._needed:
            return None
        deadline, pause = time.monotonic() + seconds, 0.0005
        while True:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(handle).st_ino == os.stat(self._path).st_ino:
                    return handle
            except BlockingIOError:
                pass
            except OSError:
                os.close(handle)
                raise
            os.close(handle)  # somebody holds it, or took the file away meanwhile
            if time.monotonic() >= deadline:
                raise BlockingIOError(errno.EAGAIN, "it is held by another program")
            time.sleep(pause)
            pause = min(2 * pause, 0.01)


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
        self._identity: tuple[int, int] | None = None
        self._may_append = False
        self._known = 0
        self._last = b""
        self._seen: tuple[int, int] | None = None
        self.cut_off: Path | None = None
        """Where the unfinished line was kept that the last `append` found."""

    @property
    def size(self) -> int:
        """Bytes read or written so far: whole lines only."""
        return self._known

    @property
    def is_there(self) -> bool:
        """Whether there was a file when it was last looked for."""
        return self._handle is not None

    @property
    def tail(self) -> int:
        """How many bytes follow the whole lines: a line that is being written, or never will be."""
        if self._handle is None:
            return 0
        return max(0, os.fstat(self._handle).st_size - self._known)

    def close(self) -> None:
        """Close the file."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle, self._may_append = None, False

    def load(self) -> tuple[list[bytes], bytes]:
        """Read the file from its beginning.

        Returns:
            Its lines, and what follows the last line end: a write that was cut short.
        """
        self.start()
        try:
            return self.read_on()
        except OSError:
            self.close()
            raise

    def start(self, known: int = 0, last: bytes = b"") -> bool:
        """Open the file anew, to read it piece by piece with `read_on`.

        Args:
            known: Up to where it was read before: whole lines only.
            last: What it ended with there, as `last` told.

        Returns:
            Whether it still has that there; where not, nothing of it counts as read.

        Raises:
            OSError: It is there but cannot be read.
        """
        self.close()
        self._known, self._last, self._seen = 0, b"", None
        try:
            self._open(os.O_RDONLY)
        except FileNotFoundError:
            return not known
        try:
            if last and last != self.read(known - len(last), len(last)):
                return False
        except OSError:
            self.close()
            raise
        self._known, self._last = known, last
        return True

    @property
    def last(self) -> bytes:
        """The end of what was read so far, by which it is known again."""
        return self._last

    @property
    def stamp(self) -> Stamp:
        """What tells this state of the file from another, None where there is none."""
        return None if self._handle is None else _stamp_of(os.fstat(self._handle))

    def read(self, at: int, size: int) -> bytes:
        """Return the bytes at a place of the file that is open, fewer where it ends before.

        Raises:
            OSError: They cannot be read.
        """
        if self._handle is None:
            raise OSError(errno.EBADF, "it is closed", str(self.path))
        try:
            return os.pread(self._handle, size, at)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self.path)) from error

    def _open(self, flags: int) -> None:
        handle = os.open(self.path, flags | os.O_CLOEXEC, 0o600)
        try:
            status = os.fstat(handle)
        except OSError:
            os.close(handle)
            raise
        self.close()
        self._handle, self._identity = handle, (status.st_dev, status.st_ino)
        self._may_append = flags != os.O_RDONLY

    def poll(self) -> list[bytes] | None:
        """Return the lines that were added since, or None where the file was replaced.

        Raises:
            OSError: The file is gone or cannot be read; what was read of it before still holds.
        """
        if self._handle is None:
            return None if self.path.exists() else []
        status = os.stat(self.path)  # a file that is gone is no empty one
        if (status.st_dev, status.st_ino) != self._identity:
            return None
        seen = status.st_size, status.st_mtime_ns
        if seen == self._seen:
            return []
        if status.st_size < self._known or not self._ends_as_known():
            return None
        lines, _ = self.read_on()
        self._seen = seen
        return lines

    def _ends_as_known(self) -> bool:
        """Tell whether the line read last is still there: a write that failed is taken back."""
        assert self._handle is not None
        size = len(self._last)
        return os.pread(self._handle, size, self._known - size) == self._last

    def read_on(self, most: int | None = None) -> tuple[list[bytes], bytes]:
        """Read the lines that follow what was read.

        Args:
            most: About how many bytes to read; None is all.

        Returns:
            The lines, and what follows the last line end: where all was read, or no line is
            returned, a write that was cut short.

        Raises:
            OSError: Nothing more of it counts as read.
        """
        if self._handle is None:
            return [], b""
        chunks: list[bytes] = []
        at = self._known
        while chunk := self.read(at, 1 << 20):
            chunks.append(chunk)
            at += len(chunk)
            if most is not None and at - self._known >= most and b"\n" in chunk:
                break
        whole, end, rest = b"".join(chunks).rpartition(b"\n")
        self._known += len(whole) + len(end)
        if not end:
            return [], rest
        self._last = (whole + end)[-_KNOWN_AGAIN:]
        return whole.split(b"\n"), rest

    def cut_back(self, start: int) -> None:
        """Take back the lines from a place on; the caller holds the lock.

        Raises:
            OSError: They may still be there.
        """
        if self._handle is None or start >= self._known:
            return
        os.ftruncate(self._handle, start)
        if start == 0:  # as if it had never been there
            self.close()
            os.unlink(self.path)
        self._known, self._last, self._seen = start, b"", None

    def append(self, lines: bytes) -> int:
        """Append lines durably; the caller holds the library's lock and has polled.

        Returns:
            Where they begin.

        Raises:
            OSError: Nothing of it counts as written.
        """
        self.cut_off = None
        if self._handle is None and not self.path.exists():
            return self._create(lines)
        if self._handle is None:
            self.load()
        if not self._may_append:
            self._open(os.O_RDWR)
        handle = self._handle
        assert handle is not None
        start, data = os.fstat(handle).st_size, lines
        if start > self._known and self._torn_counts:
            data = b"\n" + lines
        elif start > self._known:  # an interrupted write, never confirmed to anybody
            rest = os.pread(handle, start - self._known, self._known)
            self.cut_off = keep_aside(self.path, rest)
            os.ftruncate(handle, self._known)
            start = self._known
        try:
            _write_at(handle, data, start)
            _sync(handle)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(handle, start)
            raise
        self._known, self._last = start + len(data), data[-_KNOWN_AGAIN:]
        return self._known - len(lines)

    def _create(self, lines: bytes) -> int:
        """Make the file with its first lines at once: an empty one would tell something else."""
        try:
            replace_file(self.path, lines)
            self._open(os.O_RDWR)
        except OSError:
            remove_file(self.path)
            raise
        self._known, self._last, self._seen = len(lines), lines[-_KNOWN_AGAIN:], None
        return 0
