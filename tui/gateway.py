"""Where the program meets the library: work on threads, never on the event loop.

Reads and index work each have a thread; writes have one of their own, in the order they were
asked for, and are never cancelled. An answer that a newer question of its kind has overtaken is
dropped here.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from anchorlight.store import Library

T = TypeVar("T")


class Overtaken(Exception):  # noqa: N818 - not an error: nobody waits for this answer any more
    """A newer question of the same kind was asked meanwhile."""


class Gateway:
    """Runs work on a library in threads.

    Args:
        open_library: Opens the library, on the thread for reads.
    """

    def __init__(self, open_library: Callable[[], Library]) -> None:
        self._reads = ThreadPoolExecutor(1, thread_name_prefix="reads")
        self._writes = ThreadPoolExecutor(1, thread_name_prefix="writes")
        self._index = ThreadPoolExecutor(1, thread_name_prefix="index")
        self._asked: Counter[str] = Counter()
        self._opened: Future[Library] = self._reads.submit(open_library)

    def ask(self, work: Callable[[Library], T]) -> Future[T]:
        """Start work on the thread for reads, before there is an event loop."""
        return self._reads.submit(lambda: work(self._opened.result()))

    async def read(self, work: Callable[[Library], T]) -> T:
        """Return what work returns, run on the thread for reads."""
        return await self._on(self._reads, work)

    async def latest(self, kind: str, work: Callable[[Library], T]) -> T:
        """Like `read`, for questions of which only the newest counts.

        Raises:
            Overtaken: A newer question of this kind was asked before this one was answered.
        """
        self._asked[kind] += 1
        number = self._asked[kind]

        def run(library: Library) -> T:
            if number != self._asked[kind]:
                raise Overtaken
            return work(library)

        answer = await self._on(self._reads, run)
        if number != self._asked[kind]:
            raise Overtaken
        return answer

    async def write(self, work: Callable[[Library], T]) -> T:
        """Return what work returns, run after all writes before it; it is never cancelled."""
        return await asyncio.shield(self._on(self._writes, work))

    async def index(self, work: Callable[[Library], T]) -> T:
        """Return what work returns, run on the thread for long work on the index."""
        return await self._on(self._index, work)

    async def _on(self, executor: ThreadPoolExecutor, work: Callable[[Library], T]) -> T:
        return await asyncio.wrap_future(executor.submit(lambda: work(self._opened.result())))

    async def close(self) -> None:
        """Let every write finish, then close the library."""
        await self.write(lambda library: library.close())
        for executor in (self._reads, self._writes, self._index):
            executor.shutdown(wait=False, cancel_futures=True)
