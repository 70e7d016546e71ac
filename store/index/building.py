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
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from ..bits import bits_of, numbers_in
from ..columns import digest_of
from ..lines import parse
from ..match import fields_of
from ..paper import Entry, Paper
from ..texts import Own, Source
from .inverting import Document, Inverter, own_digest
from .segment import MOST_DOCUMENTS
from .textindex import State, TextIndex


class BuildFailedError(OSError):
    """A process could not do its part."""


def build(
    index: TextIndex, source: Source, papers: int, state: State, processes: int
) -> Iterator[int]:
    """Index papers, segment by segment, and yield how many are done after each commit.

    Args:
        index: The index; the caller keeps other programs from writing to it.
        source: The papers' texts.
        papers: Which.
        state: What all papers are now.
        processes: How many work at once, as far as there are processors.

    Raises:
        OSError: A process failed; what was committed stays.
    """
    numbers = numbers_in(papers)
    count = max(min(processes, os.cpu_count() or 1), 1)
    size = -(-len(numbers) // (count * -(-len(numbers) // (count * MOST_DOCUMENTS))))
    jobs = [numbers[start : start + size] for start in range(0, len(numbers), size)]
    idle: SimpleQueue[_Worker] = SimpleQueue()
    workers = [_Worker() for _ in range(min(count, len(jobs)))]
    for worker in workers:
        idle.put(worker)

    def run(job: Sequence[int]) -> tuple[Any, Sequence[int]]:
        segment, path = index.new_segment()
        worker = idle.get()
        try:
            worker.write(path, source, job)
        finally:
            idle.put(worker)
        segment.set_doc_count(len(job))
        return segment, job

    done = 0
    try:
        with ThreadPoolExecutor(len(workers)) as threads:
            for finished in as_completed([threads.submit(run, job) for job in jobs]):
                segment, job = finished.result()
                index.commit([segment], bits_of(job, job[-1] + 1), state)
                done += len(job)
                yield done
    finally:
        for worker in workers:
            worker.close()


class _Worker:
    """A process that writes segments."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "anchorlight.store.index.building"],
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
            raise BuildFailedError(f"the process that builds it ended: {error}") from error
        problem = json.loads(answer)["problem"] if answer else "it ended"
        if problem:
            raise BuildFailedError(f"the process that builds it: {problem}")

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        self._process.wait()


def main() -> None:
    """Write the segments that are asked for on standard input."""
    gc.disable()  # what is kept while a segment is built has no cycles
    inverter: Inverter | None = None
    for line in sys.stdin.buffer:
        problem = ""
        try:
            inverter = _written(json.loads(line), inverter)
        except Exception as error:  # whatever it is, who asked has to know
            problem = f"{type(error).__name__}: {error}"
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
