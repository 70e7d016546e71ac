"""Duplicates on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import CONTROLS, Run

TITLE = "Efficient Pipeline Parallel Training"


@pytest.fixture
def twins(run: Run, folder: Path, tmp_path: Path) -> Path:
    """The library with a paper that may be one of those there, and a hostile title."""
    file = tmp_path / "twin.jsonl"
    records = [
        {"key": "twin", "title": TITLE, "authors": ["D. Narayanan"], "year": 2022,
         "ids": {"doi": "10.1000/x"}},
    ]  # fmt: skip
    file.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    assert run("import", str(file)).code == 0
    return folder


def test_pairs_are_listed_with_what_speaks_for_them(run: Run, twins: Path) -> None:
    answer = run("duplicates")
    assert answer.code == 0
    first, *papers = answer.out.splitlines()
    assert first == " 88%  same title, same authors, years 2021 and 2022"
    assert ["twin" in papers[0], "zhao2021pipe" in papers[1]] == [True, True]
    (pair,) = run("duplicates", "--json").json["pairs"]
    assert set(pair) == {"score", "evidence", "papers"}
    assert pair["evidence"] == ["same title, same authors, years 2021 and 2022"]
    assert [paper["key"] for paper in pair["papers"]] == ["twin", "zhao2021pipe"]


def test_none_is_told_by_the_exit_code(run: Run, folder: Path) -> None:
    answer = run("duplicates")
    assert (answer.code, answer.out) == (1, "")
    assert "No two papers look like one." in answer.err
    answer = run("duplicates", "--json")
    assert (answer.code, answer.json) == (1, {"pairs": []})


def test_two_are_joined_and_it_is_undone(run: Run, twins: Path) -> None:
    run("note", "twin", "see figure 3")
    answer = run("duplicates", "--join", "zhao2021", "10.1000/x", "--json")
    assert answer.code == 0
    assert answer.json["paper"]["key"] == "zhao2021pipe"
    assert answer.json["paper"]["note"] == "see figure 3"
    assert run("show", "twin", "--json").json == answer.json
    assert run("duplicates").code == 1
    assert run("undo").code == 0
    assert run("show", "twin", "--json").json["paper"]["key"] == "twin"
    assert "joined to zhao2021pipe" in run("duplicates", "--join", "zhao2021pipe", "twin").out


def test_two_are_kept_apart(run: Run, twins: Path) -> None:
    answer = run("duplicates", "--apart", "twin", "zhao2021pipe", "--json")
    assert (answer.code, answer.json) == (0, {"apart": ["twin", "zhao2021pipe"]})
    assert run("duplicates").code == 1
    assert "not offered" in run("duplicates", "--apart", "twin", "zhao2021pipe").out


def test_wrong_use_is_said_in_one_line(run: Run, twins: Path) -> None:
    both = ("--join", "twin", "bare", "--apart", "twin", "bare")
    for words, code in (
        (both, 2),
        (("--join", "twin"), 2),
        (("--join", "twin", "twin"), 1),
        (("--join", "twin", "nobody"), 1),
        (("--apart", "twin", "twin"), 1),
    ):
        answer = run("duplicates", *words)
        assert (answer.code, answer.out) == (code, ""), words
        assert len(answer.err.splitlines()) == 1
        assert not CONTROLS.search(answer.err)
