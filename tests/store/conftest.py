"""A small library in a temporary folder, the seed library, and a clock that stands still."""

from __future__ import annotations

import errno
import gc
import io
import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import Library
from hypothesis import HealthCheck, settings

CHECKOUT = Path(__file__).resolve().parents[2]

settings.register_profile(
    "store",
    deadline=None,
    database=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.load_profile("store")

SMALL = (
    {
        "key": "moe",
        "title": "Memory-Aware Scheduling for MoE Training",
        "authors": ["Lu Zhao", "Rong Shi", "Ann Lee", "Bo Li"],
        "year": 2025,
        "venue": "arXiv cs.DC",
        "abstract": "Training mixture of experts models meets a memory bottleneck on GPUs.",
        "ids": {"arxiv": "2511.21431v2"},
    },
    {
        "key": "pipe",
        "title": "Efficient Pipeline Parallel Training",
        "authors": ["Deepak Narayanan"],
        "year": 2021,
        "venue": "SC '21",
        "abstract": "Pipeline parallel schedules keep every GPU busy and need little memory.",
        "ids": {"arxiv": "2104.04473", "doi": "10.1145/3458817.3476209"},
    },
    {
        "key": "quant",
        "title": "Quantization of Language Models",
        "authors": ["Mia Müller"],
        "year": 2019,
        "venue": "NeurIPS",
        "abstract": "We study the optimization of parallel integer arithmetic for GPT-4.",
        "url": "https://example.org/quant.pdf",
    },
    {"key": "bare", "abstract": "Only a few opening words of this record were ever known to us…"},
)


class Clock:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 15, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def seeds() -> Path:
    return CHECKOUT / "seeds"


@pytest.fixture
def shared() -> Path:
    """The folder of cases that developers have beside the checkout."""
    folder = Path(os.environ.get("ANCHORLIGHT_SHARED", CHECKOUT.parent / "shared"))
    if not (folder / "cases").is_dir():
        pytest.skip(f"no cases in {folder}: set ANCHORLIGHT_SHARED to the folder that holds them")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "library"


@pytest.fixture
def open_library(tmp_path: Path, folder: Path, clock: Clock) -> Iterator[Callable[..., Library]]:
    """Open a library (the one in `folder` unless told otherwise); all are closed afterwards."""
    opened: list[Library] = []

    def open_one(where: Path | None = None, **options: Any) -> Library:
        options.setdefault("clock", clock)
        library = Library(where or folder, tmp_path / "cache", **options)
        opened.append(library)
        return library

    yield open_one
    for library in opened:
        library.close()


@pytest.fixture
def make_unwritable(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Make a folder one that cannot be written, for root too."""

    def make(folder: Path) -> None:
        access, opened, mkdir = os.access, os.open, os.mkdir

        def no_access(path: Any, mode: int, **more: Any) -> bool:
            return not (mode & os.W_OK and Path(path) == folder) and access(path, mode, **more)

        def no_open(path: Any, flags: int, *args: Any, **more: Any) -> int:
            if flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR) and folder in Path(path).parents:
                raise OSError(errno.EROFS, "Read-only file system")
            return opened(path, flags, *args, **more)

        def no_mkdir(path: Any, *args: Any, **more: Any) -> None:
            if folder in Path(path).parents:
                raise OSError(errno.EROFS, "Read-only file system")
            mkdir(path, *args, **more)

        monkeypatch.setattr(os, "access", no_access)
        monkeypatch.setattr(os, "open", no_open)
        monkeypatch.setattr(os, "mkdir", no_mkdir)

    return make


@pytest.fixture
def no_open_files(tmp_path: Path) -> Iterator[None]:
    """Close the files that Whoosh leaves open when it fails on a damaged index."""
    yield
    for thing in gc.get_objects():
        if isinstance(thing, io.BufferedReader) and str(thing.name).startswith(str(tmp_path)):
            thing.close()


@pytest.fixture
def put_papers(tmp_path: Path) -> Callable[..., Any]:
    """Import records into a library as JSON Lines and return the file's report."""

    def put(library: Library, *records: object, name: str = "papers.jsonl") -> Any:
        file = tmp_path / name
        file.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
        return library.import_files([file])[0]

    return put


@pytest.fixture
def library(open_library: Callable[..., Library], put_papers: Callable[..., Any]) -> Library:
    """A library of four papers: `moe`, `pipe`, `quant`, `bare`."""
    library = open_library()
    report = put_papers(library, *SMALL)
    assert not report.refused
    return library


@pytest.fixture
def seed_library(open_library: Callable[..., Library], seeds: Path) -> Library:
    return open_library(seeds=seeds)
