"""The command line under test, called in this process, and a library of a few papers."""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from anchorlight.store import Library
from anchorlight.tui.cli import main

PAPERS: tuple[dict[str, Any], ...] = (
    {
        "key": "cephalo2025",
        "title": "Cephalo: Harnessing Clusters",
        "abstract": "An anchor about heterogeneous clusters.",
    },
    {
        "key": "zhao2025memfine",
        "title": "MemFine: Memory-Aware Fine-Grained Scheduling",
        "authors": ["Lu Zhao", "Rong Shi"],
        "year": 2025,
        "venue": "arXiv cs.DC",
        "abstract": "Training mixture of experts models meets a memory bottleneck on GPUs…",
        "ids": {"arxiv": "2511.21431v2", "doi": "10.1145/3458817.3476209"},
        "anchors": ["cephalo2025"],
    },
    {
        "key": "zhao2021pipe",
        "title": "Efficient Pipeline Parallel Training",
        "authors": ["Deepak Narayanan"],
        "year": 2021,
        "abstract": "Pipeline parallel schedules need little memory.",
        "anchors": ["cephalo2025"],
    },
    {"key": "bare", "abstract": "Only a few opening words of this record are known…"},
)
# What may stand in output besides text: line ends, and the tabs of a note.
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass
class Answer:
    """What a call of the command line gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Answer]


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of a few papers, made once."""
    root = tmp_path_factory.mktemp("filled")
    file = root / "papers.jsonl"
    file.write_text("".join(json.dumps(paper) + "\n" for paper in PAPERS), "utf-8")
    library = Library(root / "library", root / "cache")
    assert not library.import_files([file])[0].refused
    library.close()
    return root / "library"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the library lies that commands use; nothing is there yet."""
    folder = tmp_path / "library"
    monkeypatch.setenv("ANCHORLIGHT_LIBRARY", str(folder))
    return folder


@pytest.fixture
def folder(filled: Path, place: Path) -> Path:
    """The folder of a library of a few papers."""
    copytree(filled, place)
    return place


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Call the command line; what it prints must be fit for a pipe and hold no traceback."""

    def call(*words: str, stdin: bytes = b"") -> Answer:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
        capsys.readouterr()
        try:
            code = main(words)
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else -1
        answer = Answer(code, *capsys.readouterr())
        assert not CONTROLS.search(answer.out), repr(answer.out)
        assert not CONTROLS.search(answer.err), repr(answer.err)
        assert "Traceback" not in answer.err
        return answer

    return call
