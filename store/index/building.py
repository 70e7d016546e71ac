"""Builds the index in processes of its own, so that reading goes on undisturbed meanwhile.

Each process is told on its standard input, a JSON line a segment, which lines of `papers.jsonl`
to read and which file to write, and answers a line each. It ends when nobody asks any more.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from ..bits import bits_of, numbers_in
from ..columns import digest_of
from ..files import reason
from ..lines import parse
from ..match import fields_of
from ..paper import Entry, Paper
from ..texts import Own, Source
from .codec import ArraySegment
from .inverting import Document, Inverter, own_digest
from .segment import MOST_DOCUMENTS
from .textindex import State, TextIndex


class BuildFailedError(OSError):
    """A process could not do its part."""


class Workers:
    """Processes that write segments, each one at a time. Used as a context.

    Args:
        most: How many, as far as there are processors.
    """

    def __init__(self, most: int) -> None:
        self.count = max(min(most, os.cpu_count() or 1), 1)
        self._all: list[_Worker] = []
        self._idle: SimpleQueue[_Worker] = SimpleQueue()
        self._guard = Lock()
        self._stopped = False

    def __enter__(self) -> Workers:
        """Start them.

        Raises:
            OSError: They cannot be started.
        """
        try:
            for _ in range(self.count):
                with self._guard:
                    if self._stopped:
                        raise BuildFailedError("building was stopped")
                    self._all.append(_Worker())
                self._idle.put(self._all[-1])
        except OSError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """End them, whatever they are at: only what they reported counts."""
        self.stop()
        for worker in self._all:
            worker.close()

    def stop(self) -> None:
        """End them, from any thread: what is being written fails."""
        with self._guard:
            self._stopped = True
            for worker in self._all:
                worker.kill()

    def write(self, path: Path, source: Source, job: Sequence[int]) -> None:
        """Have a segment of papers written to a file.

        Raises:
            BuildFailedError: It was not.
        """
        worker = self._idle.get()
        try:
            worker.write(path, source, job)
        finally:
            self._idle.put(worker)


def build(
    index: TextIndex, source: Source, papers: int, state: State, workers: Workers
) -> Generator[int, None, None]:
    """Index papers, segment by segment, and yield how many are done after each commit.

    Args:
        index: The index; the caller keeps other programs from writing to it.
        source: The papers' texts.
        papers: Which.
        state: What all papers are now.
        workers: What writes the segments; not started yet.

    Raises:
        OSError: A process failed; what was committed stays.
    """
    numbers = numbers_in(papers)
    count = workers.count
    size = -(-len(numbers) // (count * -(-len(numbers) // (count * MOST_DOCUMENTS))))
    jobs = [numbers[start : start + size] for start in range(0, len(numbers), size)]

    def run(job: Sequence[int]) -> tuple[ArraySegment, Sequence[int]]:
        segment, path = index.new_segment()
        workers.write(path, source, job)
        segment.set_doc_count(len(job))
        return segment, job

    done = 0
    with ThreadPoolExecutor(count) as threads, workers:
        running = [threads.submit(run, job) for job in jobs]
        try:
            for finished in as_completed(running):
                segment, job = finished.result()
                index.commit([segment], bits_of(job, job[-1] + 1), state)
                done += len(job)
                yield done
        finally:
            for one in running:
                one.cancel()


class _Worker:
    """A process that writes segments."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            # -P: nothing is to be imported from the folder that the reader happens to be in
            [sys.executable, "-P", "-m", "anchorlight.store.index.building"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # ctrl+c in the terminal is not meant for it
        )

    def write(self, path: Path, source: Source, job: Sequence[int]) -> None:
        """Have a segment of papers written to a file.

        Raises:
            BuildFailedError: It was not.
        """
        asked = {
            "path": str(path),
            "papers": str(source.path),
            "spans": [source.spans[number] for number in job],
            "own": {at: source.own[one] for at, one in enumerate(job) if one in source.own},
        }
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        try:
            stdin.write(json.dumps(asked).encode() + b"\n")
            stdin.flush()
            answer = stdout.readline()
        except OSError as error:
            raise BuildFailedError(f"a process that builds it ended: {error}") from error
        problem = json.loads(answer)["problem"] if answer else "it ended"
        if problem:
            raise BuildFailedError(f"a process that builds it failed: {problem}")

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def close(self) -> None:
        """Wait for the end of the process."""
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                with suppress(OSError):  # what was not taken any more
                    pipe.close()


def main() -> None:
    """Write the segments that are asked for on standard input, until it ends."""
    gc.disable()  # what is kept while a segment is built has no cycles
    asked: SimpleQueue[bytes] = SimpleQueue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            asked.put(line)
        os._exit(0)  # whoever asked is gone: nobody wants what is being written

    Thread(target=listen, daemon=True).start()
    inverter: Inverter | None = None
    while True:
        problem = ""
        try:
            inverter = _written(json.loads(asked.get()), inverter)
        except Exception as error:  # whatever it is, who asked has to know
            problem = reason(error) if isinstance(error, OSError) else str(error)
        os.write(1, json.dumps({"problem": problem}).encode() + b"\n")


def _written(asked: dict[str, Any], before: Inverter | None) -> Inverter:
    inverter = Inverter(before)
    with Path(asked["papers"]).open("rb", buffering=0) as file:
        for at, (offset, length) in enumerate(asked["spans"]):
            line = os.pread(file.fileno(), length, offset)
            _, paper = parse(line)
            if not isinstance(paper, Paper):
                raise ValueError(f"no paper at {offset} of {asked['papers']}")
            own = Own(*asked["own"].get(str(at), ("", "")))
            fields = fields_of(Entry(paper)) | own._asdict()
            inverter.add(Document(paper.key, digest_of(line), own_digest(own), fields))
    inverter.write(Path(asked["path"]))
    return inverter


if __name__ == "__main__":
    main()
