"""What the power going off may leave on a disk, after a log of operations.

The model is that of journaling file systems. What happened to names keeps its order: after a crash
the first so many of those operations have happened, those before the last sync of a folder in any
case. What was written to a file may be there or not, in any part, until the file is synced. A file
of which nothing arrived has the length that it had, or a length and nothing but zeros.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from .layer import Operation
from .scenes import Tree

ON_NAMES = ("create", "rename", "unlink", "rmdir", "mkdir")

Names = dict[str, int | None]
"""The files by name, None for a folder."""


@dataclass
class _File:
    synced: bytes = b""
    pending: list[Operation] = field(default_factory=list)

    def kept(self) -> bytes:
        """Return the file where nothing arrived that was not synced."""
        return self.synced

    def whole(self) -> bytes:
        """Return the file where all arrived."""
        data = bytearray(self.synced)
        for operation in self.pending:
            _apply(operation, data)
        return bytes(data)

    def zeros(self) -> bytes:
        """Return the file where its length arrived, and nothing of what it holds."""
        size = len(self.whole())
        return self.synced[:size].ljust(size, b"\0")

    def torn(self, chance: random.Random) -> bytes:
        """Return the file where any part of what was written arrived."""
        data = bytearray(self.synced)
        for operation in self.pending:
            if operation.kind == "truncate":
                if chance.random() < 0.7:
                    _apply(operation, data)
                continue
            first, last = sorted(chance.randint(0, len(operation.data)) for _ in range(2))
            match chance.randrange(5):
                case 0:
                    continue
                case 1:
                    first, last = 0, len(operation.data)
                case 2 | 3:
                    first = 0
            part = operation.data[first:last]
            _apply(operation._replace(at=operation.at + first, data=part), data)
        return bytes(data)


def _apply(operation: Operation, data: bytearray) -> None:
    at = operation.at
    if operation.kind == "truncate":
        del data[at:]
    data.extend(bytes(max(0, at - len(data))))
    data[at : at + len(operation.data)] = operation.data


def _renamed(names: Names, operation: Operation) -> None:
    name, to = operation.name, operation.to
    match operation.kind:
        case "create":
            names[name] = operation.file
        case "mkdir":
            names[name] = None
        case "unlink" | "rmdir":
            names.pop(name, None)
        case "rename":
            moved = [one for one in names if one == name or one.startswith(f"{name}/")]
            for one in moved:
                names[to + one[len(name) :]] = names.pop(one)


class Disk:
    """A disk and what it may hold after a crash.

    Args:
        tree: What it holds in the beginning, all of it synced.
        numbers: The numbers of the files there, by name.
    """

    def __init__(self, tree: Tree, numbers: dict[str, int]) -> None:
        self._names: Names = {
            name: None if data is None else numbers[name] for name, data in tree.items()
        }
        self._files = {
            numbers[name]: _File(data) for name, data in tree.items() if data is not None
        }
        self._pending: list[Operation] = []

    def do(self, operation: Operation) -> None:
        """Let an operation happen."""
        match operation.kind:
            case "sync":
                file = self._files[operation.file]
                file.synced, file.pending = file.whole(), []
            case "sync folder":
                for one in self._pending:
                    _renamed(self._names, one)
                self._pending = []
            case "write" | "truncate":
                self._files[operation.file].pending.append(operation)
            case _:
                if operation.kind == "create":
                    self._files[operation.file] = _File()
                self._pending.append(operation)

    def after_crashes(self, chance: random.Random, more: int) -> Iterator[tuple[str, Tree]]:
        """Yield what may be on the disk if the power goes off now: how, and what.

        Args:
            chance: Gives the random ones.
            more: How many of those.
        """
        every = len(self._pending)
        yield "all of it", self._tree(every, _File.whole)
        yield "what was synced", self._tree(0, _File.kept)
        yield "all names, but only synced data", self._tree(every, _File.kept)
        yield "all names and lengths, but only synced data", self._tree(every, _File.zeros)
        yield "all data, but only synced names", self._tree(0, _File.whole)
        for _ in range(more):
            names = chance.randint(0, every)
            yield (
                f"the first {names} of {every} changes of names, and any data",
                self._tree(names, lambda file: file.torn(chance)),
            )

    def _tree(self, count: int, data_of: Callable[[_File], bytes]) -> Tree:
        names = dict(self._names)
        for operation in self._pending[:count]:
            _renamed(names, operation)
        return {
            name: None if number is None else data_of(self._files[number])
            for name, number in sorted(names.items())
        }


def all_crashes(
    disk: Disk, log: Sequence[Operation], chance: random.Random, more: int
) -> Iterator[tuple[int, str, Tree]]:
    """Yield all that may be on a disk after each of the operations: its number, how, and what."""
    for number in range(len(log) + 1):
        for how, tree in disk.after_crashes(chance, more):
            yield number, how, tree
        if number < len(log):
            disk.do(log[number])
