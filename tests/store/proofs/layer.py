"""A layer between the library and the system: it records what is done to files, and makes it fail.

All file access of the library goes through functions of `os`. Inside one folder each of them is
counted and its effect recorded, in order; any of them can be made to fail at any call. Everything
outside that folder goes straight to the system.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import pytest

SOAK = max(1, int(os.environ.get("ANCHORLIGHT_SOAK", "1")))
"""How many times as much the proofs do as in a usual run."""

READING = ("open", "read", "pread")
LOOKING = ("stat", "fstat", "scandir")
WRITING = (
    "open to write", "pwrite", "fsync", "fdatasync", "ftruncate", "replace", "rename", "unlink",
    "mkdir", "rmdir",
)  # fmt: skip
EVERY = (*READING, *LOOKING, *WRITING)

WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Call(NamedTuple):
    """One call of the system."""

    kind: str
    name: str


class Operation(NamedTuple):
    """What a call changed: `create`, `write`, `truncate`, `sync` with the number of a file;
    `sync folder`, `rename`, `unlink`, `mkdir`, `rmdir` with names below the folder.
    """

    kind: str
    name: str
    file: int = 0
    to: str = ""
    at: int = 0
    data: bytes = b""


@dataclass(frozen=True)
class Fault:
    """A call that fails.

    Attributes:
        kinds: Of which calls.
        number: Which of them, counted from 0.
        error: The system's number of the error.
        how: "before" anything is done; "part" of the data written; "after" it was done; "dropped":
            a sync after which what was written since the last one is gone.
        lasts: Whether all later calls of these kinds fail as well, until it is lifted.
    """

    kinds: tuple[str, ...]
    number: int
    error: int
    how: str = "before"
    lasts: bool = False

    def __str__(self) -> str:
        which = "/".join(self.kinds) if len(self.kinds) < 4 else f"{len(self.kinds)} kinds of call"
        more = " and all later ones" if self.lasts else ""
        return f"{errno.errorcode[self.error]} ({self.how}) at {which} {self.number}{more}"


class _File:
    def __init__(self, number: int, inode: int, data: bytes = b"") -> None:
        self.number = number
        self.inode = inode
        self.take(data)

    def take(self, data: bytes) -> None:
        self.data = bytearray(data)
        self.synced = bytes(data)


class Layer:
    """Stands between the library and the system while it is entered.

    Args:
        folder: The folder.
        unrecorded: Kinds of operation that are done but not recorded, to play a writer that
            leaves them out.
    """

    def __init__(self, folder: Path, *, unrecorded: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.fault: Fault | None = None
        self.fired: list[Call] = []
        """The calls that failed."""
        self.calls: list[Call] = []
        self.log: list[Operation] = []
        self.start: dict[str, bytes | None] = {}
        """What the folder held in the beginning: bytes of files by name, None for a folder."""
        self.numbers: dict[str, int] = {}
        """The numbers of the files that were there in the beginning, by name."""
        self._unrecorded = unrecorded
        self._counted = 0
        self._armed_at = 0
        self._files: dict[str, _File] = {}
        self._made = 0
        self._handles: dict[int, tuple[str, _File | None]] = {}
        self._short: set[int] = set()
        self._paused = False
        self._real: dict[str, Callable[..., Any]] = {}
        self._patch = pytest.MonkeyPatch()

    # Entering and leaving

    def __enter__(self) -> Self:
        self.start = self._look()
        self.numbers = {name: file.number for name, file in self._files.items()}
        for name in (
            "open", "close", "read", "pread", "pwrite", "fsync", "fdatasync", "ftruncate",
            "replace", "rename", "unlink", "mkdir", "rmdir", "stat", "fstat", "scandir", "listdir",
        ):  # fmt: skip
            if hasattr(os, name):
                self._real[name] = getattr(os, name)
                self._patch.setattr(os, name, getattr(self, f"_{name}"))
        self._real["io.open"] = io.open
        self._patch.setattr(io, "open", self._io_open)
        return self

    def __exit__(self, *_: object) -> None:
        self._patch.undo()

    @property
    def open_files(self) -> list[str]:
        """The names of the files that are open."""
        return sorted(name for name, _ in self._handles.values())

    def close_files(self) -> None:
        """Close the files that are open."""
        for handle in list(self._handles):
            os.close(handle)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Neither count nor fail: another program's turn."""
        self._paused = True
        try:
            yield
        finally:
            self._look()
            self._paused = False

    def _look(self) -> dict[str, bytes | None]:
        """Return what the folder holds, and take note of what others wrote."""
        found: dict[str, bytes | None] = {}
        for path in sorted(self.folder.rglob("*")):
            name = str(path.relative_to(self.folder))
            found[name] = data = path.read_bytes() if path.is_file() else None
            if data is None:
                continue
            inode, file = path.stat().st_ino, self._files.get(name)
            if file and file.inode == inode:
                if file.data != data:
                    file.take(data)
            else:
                self._files[name] = self._new_file(inode, data)
        for name in self._files.keys() - found.keys():
            del self._files[name]
        return found

    def arm(self, fault: Fault | None) -> None:
        """Let a call fail from now on, counted from the next one; or none any more."""
        self.fault = fault
        self._counted = 0
        self._armed_at = len(self.calls)
        self._short.clear()

    @property
    def armed_calls(self) -> list[Call]:
        """The calls since something was armed."""
        return self.calls[self._armed_at :]

    # What every call does

    def _new_file(self, inode: int, data: bytes = b"") -> _File:
        self._made += 1
        return _File(self._made, inode, data)

    def _name(self, path: Any) -> str | None:
        """Return a path's name below the folder, or None where it lies elsewhere."""
        if self._paused or not isinstance(path, str | os.PathLike):
            return None
        text = os.fspath(path)
        if not isinstance(text, str):
            return None
        base = str(self.folder)
        if text == base:
            return "."
        return text[len(base) + 1 :] if text.startswith(base + os.sep) else None

    def _call(self, kind: str, name: str, path: Any = None) -> Fault | None:
        """Count a call; raise where it fails before anything is done."""
        self.calls.append(Call(kind, name))
        fault = self.fault
        if not fault or kind not in fault.kinds:
            return None
        number, self._counted = self._counted, self._counted + 1
        if number < fault.number or (number > fault.number and not fault.lasts):
            return None
        self.fired.append(Call(kind, name))
        if fault.how == "before":
            raise self._error(fault, path)
        return fault

    @staticmethod
    def _error(fault: Fault, path: Any = None) -> OSError:
        message = os.strerror(fault.error)
        return OSError(fault.error, message, *([os.fspath(path)] if path is not None else []))

    def _record(self, operation: Operation) -> None:
        if operation.kind not in self._unrecorded:
            self.log.append(operation)

    # The calls

    def _open(self, path: Any, flags: int, mode: int = 0o777, *, dir_fd: Any = None) -> int:
        name = self._name(path)
        if name is None:
            return self._real["open"](path, flags, mode, dir_fd=dir_fd)
        writes = bool(flags & WRITE_FLAGS)
        fault = self._call("open to write" if writes else "open", name, path)
        handle = self._real["open"](path, flags, mode)
        if fault:
            self._real["close"](handle)
            raise self._error(fault, path)
        is_folder = name not in self._files and os.path.isdir(path)  # noqa: PTH112
        file = None if is_folder else self._files.get(name)
        if file is None and not is_folder:
            file = self._files[name] = self._new_file(self._real["fstat"](handle).st_ino)
            self._record(Operation("create", name, file.number))
        if file and flags & os.O_TRUNC and file.data:
            del file.data[:]
            self._record(Operation("truncate", name, file.number))
        self._handles[handle] = name, file
        return handle

    def _io_open(self, path: Any, *args: Any, **more: Any) -> Any:
        name = self._name(path)
        if name is not None:
            self._call("open", name, path)
        return self._real["io.open"](path, *args, **more)

    def _close(self, handle: int) -> None:
        self._handles.pop(handle, None)
        self._short.discard(handle)
        self._real["close"](handle)

    def _read(self, handle: int, length: int) -> bytes:
        return self._reading("read", handle, length)

    def _pread(self, handle: int, length: int, at: int) -> bytes:
        return self._reading("pread", handle, length, at)

    def _reading(self, kind: str, handle: int, *args: int) -> bytes:
        if (known := self._handles.get(handle)) and (fault := self._call(kind, known[0])):
            raise self._error(fault)
        return self._real[kind](handle, *args)

    def _pwrite(self, handle: int, data: bytes, at: int) -> int:
        known = self._handles.get(handle)
        if known is None:
            return self._real["pwrite"](handle, data, at)
        name, file = known
        assert file
        if handle in self._short and self.fault:
            raise self._error(self.fault)
        fault = self._call("pwrite", name)
        if fault and fault.how == "part":  # as on a full disk: the next call tells
            data = data[: len(data) // 2]
            self._short.add(handle)
        written = self._real["pwrite"](handle, data, at)
        assert written == len(data)
        file.data[len(file.data) : at] = bytes(max(0, at - len(file.data)))
        file.data[at : at + written] = data
        self._record(Operation("write", name, file.number, at=at, data=bytes(data)))
        if fault and fault.how == "after":
            raise self._error(fault)
        return written

    def _fsync(self, handle: int) -> None:
        self._syncing("fsync", handle)

    def _fdatasync(self, handle: int) -> None:
        self._syncing("fdatasync", handle)

    def _syncing(self, kind: str, handle: int) -> None:
        known = self._handles.get(handle)
        if known is None:
            self._real[kind](handle)
            return
        name, file = known
        fault = self._call(kind, name)
        if fault and file and fault.how == "dropped":
            # The system forgot what it could not write, as Linux may: nobody will tell again.
            self._real["ftruncate"](handle, len(file.synced))
            self._real["pwrite"](handle, file.synced, 0)
            file.data[:] = file.synced
        if fault:
            raise self._error(fault)
        if file:
            file.synced = bytes(file.data)
            self._record(Operation("sync", name, file.number))
        else:
            self._record(Operation("sync folder", name))

    def _ftruncate(self, handle: int, size: int) -> None:
        known = self._handles.get(handle)
        if known is None:
            self._real["ftruncate"](handle, size)
            return
        name, file = known
        assert file
        fault = self._call("ftruncate", name)
        self._real["ftruncate"](handle, size)
        del file.data[size:]
        file.data.extend(bytes(size - len(file.data)))
        self._record(Operation("truncate", name, file.number, at=size))
        if fault:
            raise self._error(fault)

    def _replace(self, source: Any, target: Any, **more: Any) -> None:
        self._renaming("replace", source, target, **more)

    def _rename(self, source: Any, target: Any, **more: Any) -> None:
        self._renaming("rename", source, target, **more)

    def _renaming(self, kind: str, source: Any, target: Any, **more: Any) -> None:
        old, new = self._name(source), self._name(target)
        if old is None or new is None:
            assert old is new, "nothing is moved in or out"
            self._real[kind](source, target, **more)
            return
        fault = self._call(kind, old, source)
        self._real[kind](source, target)
        for name in list(self._files):
            if name == old or name.startswith(old + os.sep):
                self._files[new + name[len(old) :]] = self._files.pop(name)
        self._record(Operation("rename", old, to=new))
        if fault:
            raise self._error(fault, source)

    def _unlink(self, path: Any, **more: Any) -> None:
        self._removing("unlink", path, **more)

    def _rmdir(self, path: Any, **more: Any) -> None:
        self._removing("rmdir", path, **more)

    def _removing(self, kind: str, path: Any, **more: Any) -> None:
        name = self._name(path)
        if name is None:
            self._real[kind](path, **more)
            return
        fault = self._call(kind, name, path)
        self._real[kind](path)
        self._files.pop(name, None)
        self._record(Operation(kind, name))
        if fault:
            raise self._error(fault, path)

    def _mkdir(self, path: Any, mode: int = 0o777, **more: Any) -> None:
        name = self._name(path)
        if name is None:
            self._real["mkdir"](path, mode, **more)
            return
        fault = self._call("mkdir", name, path)
        self._real["mkdir"](path, mode)
        self._record(Operation("mkdir", name))
        if fault:
            raise self._error(fault, path)

    def _stat(self, path: Any, **more: Any) -> os.stat_result:
        name = self._name(path)
        if name is not None and (fault := self._call("stat", name, path)):
            raise self._error(fault, path)
        return self._real["stat"](path, **more)

    def _fstat(self, handle: int) -> os.stat_result:
        if (known := self._handles.get(handle)) and (fault := self._call("fstat", known[0])):
            raise self._error(fault)
        return self._real["fstat"](handle)

    def _scandir(self, path: Any = ".") -> Any:
        return self._listing("scandir", path)

    def _listdir(self, path: Any = ".") -> Any:
        return self._listing("listdir", path)

    def _listing(self, kind: str, path: Any) -> Any:
        name = self._name(path)
        if name is not None and (fault := self._call("scandir", name, path)):
            raise self._error(fault, path)
        return self._real[kind](path)
