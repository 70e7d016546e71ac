"""The command line: fixed shapes, exit codes, nothing that a terminal or a script trips over."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store.names import natural
from anchorlight.tui.version import VERSION

from ..hostile import BRACKETS, HOSTILE
from .conftest import Answer, Run

FIELDS = {
    "key", "title", "authors", "names", "authors_complete", "year", "date", "venue", "type",
    "abstract", "truncated", "ids", "url", "details", "files", "also", "version", "source",
    "added", "status", "starred", "tags", "changed", "note", "anchors",
}  # fmt: skip


def keys(answer: Answer) -> list[str]:
    return [paper["key"] for paper in answer.json["papers"]]


def one(run: Run, key: str) -> Any:
    """Return a paper as the library has it now."""
    answer = run("show", key, "--json")
    assert answer.code == 0
    return answer.json["paper"]


# Shapes


def test_list_names_anchors(run: Run, folder: Path) -> None:
    answer = run("list", "--json")
    assert answer.code == 0
    assert answer.json == {
        "anchors": [
            {
                "key": "cephalo2025",
                "title": "Cephalo: Harnessing Clusters",
                "papers": 2,
                "unread": 2,
            }
        ],
        "searches": [],
    }
    assert "0/2  cephalo2025  Cephalo: Harnessing Clusters" in run("list").out


def test_list_of_an_anchor_gives_its_papers_in_order(run: Run, folder: Path) -> None:
    answer = run("list", "ceph", "--json")
    assert answer.code == 0
    assert set(answer.json) == {"anchor", "papers"}
    assert answer.json["anchor"]["key"] == "cephalo2025"
    assert keys(answer) == ["zhao2025memfine", "zhao2021pipe"]
    assert all(set(paper) == FIELDS for paper in [answer.json["anchor"], *answer.json["papers"]])
    assert len(run("list", "ceph").out.splitlines()) == 3


def test_a_paper_has_every_field(run: Run, folder: Path) -> None:
    paper = one(run, "zhao2025memfine")
    assert paper.pop("added").startswith("20")
    assert paper == {
        "key": "zhao2025memfine",
        "title": "MemFine: Memory-Aware Fine-Grained Scheduling",
        "authors": ["Lu Zhao", "Rong Shi"],
        "names": ["Lu Zhao", "Rong Shi"],
        "authors_complete": True,
        "year": 2025,
        "date": None,
        "venue": "arXiv cs.DC",
        "type": None,
        "abstract": "Training mixture of experts models meets a memory bottleneck on GPUs",
        "truncated": True,
        "ids": {"arxiv": "2511.21431", "doi": "10.1145/3458817.3476209"},
        "url": "https://arxiv.org/abs/2511.21431",
        "details": {},
        "files": [],
        "also": [],
        "version": 2,
        "source": "papers.jsonl",
        "status": "unread",
        "starred": False,
        "tags": [],
        "changed": None,
        "note": None,
        "anchors": ["cephalo2025"],
    }


def test_what_is_unknown_is_null(run: Run, folder: Path) -> None:
    paper = one(run, "bare")
    assert paper.pop("added").startswith("20")
    assert paper == {
        "key": "bare",
        "title": None,
        "authors": [],
        "names": [],
        "authors_complete": True,
        "year": None,
        "date": None,
        "venue": None,
        "type": None,
        "abstract": "Only a few opening words of this record are known",
        "truncated": True,
        "ids": {"arxiv": None, "doi": None},
        "url": None,
        "details": {},
        "files": [],
        "also": [],
        "version": None,
        "source": "papers.jsonl",
        "status": "unread",
        "starred": False,
        "tags": [],
        "changed": None,
        "note": None,
        "anchors": [],
    }


def test_show_prints_what_is_known(run: Run, folder: Path) -> None:
    shown = run("show", "zhao2025").out
    for wanted in ("MemFine: Memory", "Lu Zhao, Rong Shi", "2025", "2511.21431", "bottleneck"):
        assert wanted in shown
    assert "Only a few opening words" in run("show", "bare").out
    assert "None" not in run("show", "bare").out


def test_search_has_its_shape(run: Run, folder: Path) -> None:
    answer = run("search", "memory", "--json")
    assert answer.code == 0
    assert set(answer.json) == {"query", "total", "hint", "papers"}
    assert (answer.json["query"], answer.json["hint"]) == ("memory", None)
    assert answer.json["total"] == len(answer.json["papers"]) == 2
    assert all(set(paper) == FIELDS | {"snippet"} for paper in answer.json["papers"])
    assert keys(answer)[0] == "zhao2025memfine"  # best first: the word is in its title
    for paper in answer.json["papers"]:
        if snippet := paper["snippet"]:
            matches = [snippet["text"][at : at + size] for at, size in snippet["matches"]]
            assert {match.lower() for match in matches} == {"memory"}
            assert snippet["field"] in ("abstract", "note")


def test_search_counts_all_and_prints_as_many_as_wanted(run: Run, folder: Path) -> None:
    answer = run("search", "memory", "--json", "--limit", "1")
    assert answer.json["total"] == 2
    assert len(keys(answer)) == 1
    one, *around = run("search", "memory", "--limit", "1").out.splitlines()
    assert "zhao2025memfine" in one
    assert len(around) <= 1


def test_search_shows_what_matched(run: Run, folder: Path) -> None:
    run("note", "zhao2025memfine", "Compare with [/] Mimose.")
    assert "Compare with [/] Mimose." in run("search", "mimose compare").out
    (paper,) = run("search", "mimose compare", "--json").json["papers"]
    assert paper["snippet"]["field"] == "note"


def test_a_search_is_saved_as_a_list(run: Run, folder: Path) -> None:
    assert run("search", "memory", "--save", "mine").code == 0
    assert run("list", "--json").json["searches"] == [{"name": "mine", "query": "memory"}]
    assert "search:mine  memory" in run("list").out
    listed = run("list", "search:mine", "--sort", "year", "--json")
    assert sorted(keys(listed)) == sorted(keys(run("search", "memory", "--json")))
    assert run("list", "search:none").code == 1
    run("undo")
    assert run("list", "search:mine").code == 1


@pytest.mark.parametrize("order", ["list", "relevance", "year", "added", "title", "read"])
def test_a_search_is_sorted(run: Run, folder: Path, order: str) -> None:
    papers = run("search", "a OR the OR of OR memory", "--sort", order, "--json").json["papers"]
    assert len(papers) > 1
    if order == "year":
        years = [paper["year"] or 0 for paper in papers]
        assert years == sorted(years, reverse=True)
    if order == "title":
        titles = [paper["title"] for paper in papers if paper["title"]]
        assert titles == sorted(titles, key=str.lower)


def test_search_within_an_anchors_list(run: Run, folder: Path) -> None:
    assert sorted(keys(run("search", "a OR memory OR words", "--json"))) != []
    within = run("search", "memory OR words", "--json", "--anchor", "Cephalo: H")
    assert sorted(keys(within)) == ["zhao2021pipe", "zhao2025memfine"]
    assert run("search", "memory", "--anchor", "bare").code == 1  # it is no anchor


def test_a_search_without_hits_is_still_a_shape(run: Run, folder: Path) -> None:
    answer = run("search", "zzzz", "--json")
    assert answer.code == 1
    assert answer.json == {"query": "zzzz", "total": 0, "hint": None, "papers": []}
    assert "No match" in run("search", "zzzz").err


def test_a_query_that_cannot_be_parsed_gives_a_hint(run: Run, folder: Path) -> None:
    answer = run("search", '"memory', "--json")
    assert answer.code in (0, 1)
    assert answer.json["hint"]
    assert answer.json["hint"] in run("search", '"memory').err


def test_the_words_of_a_query_need_no_quotes(run: Run, folder: Path) -> None:
    answer = run("search", "pipeline", "parallel", "--json")
    assert (answer.json["query"], keys(answer)) == ("pipeline parallel", ["zhao2021pipe"])


def test_import_has_its_shape(run: Run, place: Path, tmp_path: Path) -> None:
    file = tmp_path / "new.jsonl"
    file.write_text('{"title": "One of two"}\n{broken\n{"key": "k", "year": "soon"}\n', "utf-8")
    answer = run("import", str(file), "--json")
    assert answer.code == 1
    (report,) = answer.json["files"]
    assert report["path"] == str(file)
    assert report["format"] == "jsonl"
    counts = [report[name] for name in ("read", "added", "updated", "unchanged")]
    assert counts == [1, 1, 0, 0]
    assert [(one["line"], one["entry"]) for one in report["refused"]] == [(2, "entry 2"), (3, "k")]
    assert all(set(one) == {"line", "entry", "reason"} for one in report["refused"])
    again = run("import", str(file))
    assert "0 added" in again.out
    assert "1 unchanged" in again.out
    assert "line 2" in again.out


def test_import_takes_folders_and_files_that_are_not_there(
    run: Run, place: Path, tmp_path: Path
) -> None:
    lists = tmp_path / "lists"
    lists.mkdir()
    assert run("import", str(lists)).code == 1
    (lists / "a.jsonl").write_text('{"title": "A title to know it by"}\n')
    (lists / "b.txt").write_text("Related papers: An anchor…\n\nThe first abstract of all…\n")
    assert run("import", str(lists), "--json").code == 0
    missing = run("import", str(tmp_path / "none.jsonl"), str(lists), "--json")
    assert missing.code == 1
    first = missing.json["files"][0]
    assert (first["read"], len(first["refused"])) == (0, 1)
    assert first["refused"][0]["line"] is None
    assert [report["unchanged"] for report in missing.json["files"][1:]] == [1, 2]


def test_what_is_printed_can_be_imported_again(run: Run, folder: Path, tmp_path: Path) -> None:
    run("mark", "zhao2021", "--status", "read", "--star")
    run("tag", "zhao2021", "+a")
    run("note", "zhao2021", "mine")
    papers = run("search", "memory OR words OR clusters", "--json").json["papers"]
    assert len(papers) == 4
    file = tmp_path / "copy.jsonl"
    file.write_text("".join(json.dumps(paper) + "\n" for paper in papers), "utf-8")
    other = str(tmp_path / "other")
    assert run("--library", other, "import", str(file)).code == 0
    copied = run("--library", other, "show", "zhao2021pipe", "--json").json["paper"]
    assert copied | {"changed": ""} == one(run, "zhao2021pipe") | {"changed": ""}


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("list", "ceph"),
        ("show", "bare"),
        ("search", "memory"),
        ("note", "bare"),
        ("note", "bare", "text"),
        ("mark", "bare", "--star"),
        ("tag", "bare", "+x"),
        ("config",),
        ("doctor",),
        ("doctor", "--dry-run"),
        ("restore",),
    ],
    ids=" ".join,
)
def test_every_command_speaks_json(run: Run, folder: Path, words: tuple[str, ...]) -> None:
    answer = run(*words, "--json")
    assert answer.code == 0
    assert isinstance(answer.json, dict)
    assert answer.err == ""
    assert run(words[0], "--json", *words[1:]).code == 0


# Names of papers


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("zhao2025memfine", "zhao2025memfine"),
        ("zhao2025", "zhao2025memfine"),
        ("ZHAO2025", "zhao2025memfine"),
        ("2511.21431", "zhao2025memfine"),
        ("2511.21431v1", "zhao2025memfine"),
        ("arXiv:2511.21431", "zhao2025memfine"),
        ("https://arxiv.org/abs/2511.21431v2", "zhao2025memfine"),
        ("10.1145/3458817.3476209", "zhao2025memfine"),
        ("doi:10.1145/3458817.3476209", "zhao2025memfine"),
        ("https://doi.org/10.1145/3458817.3476209", "zhao2025memfine"),
        ("memfine: memory-aware", "zhao2025memfine"),
        ("Efficient Pipeline", "zhao2021pipe"),
        (" bare ", "bare"),
    ],
)
def test_a_paper_is_known_by_many_names(run: Run, folder: Path, name: str, key: str) -> None:
    assert one(run, name)["key"] == key


@pytest.mark.parametrize("name", ["cephalo2025", "ceph", "Cephalo: Harn", "cephalo: harn"])
def test_an_anchor_is_known_by_many_names(run: Run, folder: Path, name: str) -> None:
    assert run("list", name, "--json").json["anchor"]["key"] == "cephalo2025"


def test_an_ambiguous_name_says_what_it_can_mean(run: Run, folder: Path) -> None:
    answer = run("show", "zhao")
    assert (answer.code, answer.out) == (1, "")
    assert "zhao2025memfine" in answer.err
    assert "zhao2021pipe" in answer.err


@pytest.mark.parametrize("name", ["nobody", "", "  ", "9999.99999", "10.1/none", "[/]", "\\", "*"])
@pytest.mark.parametrize("command", ["show", "list", "note"])
def test_an_unknown_name_is_told_in_one_line(
    run: Run, folder: Path, name: str, command: str
) -> None:
    answer = run(command, name)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.count("\n") == 1
    assert name in answer.err


# Notes, marks, tags


def test_notes_are_set_printed_added_to_and_removed(run: Run, folder: Path) -> None:
    assert run("note", "bare").code == 1
    assert run("note", "bare", "first [/x] line").code == 0
    answer = run("note", "bare")
    assert (answer.code, answer.out) == (0, "first [/x] line\n")
    assert run("note", "bare", "second", "--append").code == 0
    assert one(run, "bare")["note"] == "first [/x] line\nsecond"
    assert run("note", "bare", "other").code == 0
    assert run("note", "bare").out == "other\n"
    assert run("note", "bare", "").code == 0
    assert one(run, "bare")["note"] is None


def test_a_note_is_read_from_standard_input(run: Run, folder: Path) -> None:
    text = "# Überschrift\n\n\t- 日本 [CLS]\n"
    assert run("note", "bare", "-", stdin=text.encode()).code == 0
    assert one(run, "bare")["note"] == text.rstrip("\n")
    assert run("note", "bare", "-", "--append", stdin=b"more").code == 0
    assert run("note", "bare").out == text + "more\n"
    assert run("note", "bare", "-", stdin=b"\xff\x00\x1b[31m end").code == 0
    assert one(run, "bare")["note"].endswith("[31m end")


def test_adding_to_no_note_sets_it(run: Run, folder: Path) -> None:
    assert run("note", "bare", "only", "--append").code == 0
    assert one(run, "bare")["note"] == "only"


@pytest.mark.parametrize(
    "words",
    [
        ("note", "--append", "bare", "text"),
        ("note", "bare", "--append", "text"),
        ("note", "bare", "--append", "- text"),
        ("mark", "--star", "bare"),
        ("search", "--limit", "1", "memory"),
    ],
    ids=" ".join,
)
def test_options_may_stand_anywhere(run: Run, folder: Path, words: tuple[str, ...]) -> None:
    assert run(*words).code == 0


@pytest.mark.parametrize("status", ["unread", "read", "queued", "reading", "skipped"])
def test_every_status_can_be_given(run: Run, folder: Path, status: str) -> None:
    answer = run("mark", "bare", "zhao2025", "--status", status, "--json")
    assert answer.code == 0
    assert keys(answer) == ["bare", "zhao2025memfine"]
    assert [one(run, key)["status"] for key in ("bare", "zhao2025", "zhao2021")] == [
        status, status, "unread",
    ]  # fmt: skip


def test_stars_are_given_and_taken(run: Run, folder: Path) -> None:
    assert run("mark", "bare", "--star").code == 0
    assert one(run, "bare")["starred"] is True
    assert run("mark", "bare", "--unstar", "--status", "read").code == 0
    paper = one(run, "bare")
    assert (paper["starred"], paper["status"]) == (False, "read")


def test_counts_follow_marks(run: Run, folder: Path) -> None:
    run("mark", "zhao2021", "--status", "read")
    (anchor,) = run("list", "--json").json["anchors"]
    assert (anchor["papers"], anchor["unread"]) == (2, 1)


def test_tags_are_added_and_removed(run: Run, folder: Path) -> None:
    assert run("tag", "bare", "zhao2025", "+moe", "+to-read").code == 0
    assert one(run, "bare")["tags"] == ["moe", "to-read"]
    answer = run("tag", "bare", "+new", "-moe", "--json")
    assert answer.json["papers"][0]["tags"] == ["to-read", "new"]
    assert one(run, "zhao2025")["tags"] == ["moe", "to-read"]
    assert run("tag", "+c", "--json", "zhao2021").code == 0
    assert one(run, "zhao2021")["tags"] == ["c"]
    assert keys(run("search", "tag:moe", "--json")) == ["zhao2025memfine"]


@pytest.mark.parametrize("words", [("mark", "bare", "nobody", "--star"), ("tag", "nobody", "+x")])
def test_marking_what_is_not_there_says_so(run: Run, folder: Path, words: tuple[str, ...]) -> None:
    answer = run(*words)
    assert answer.code == 1
    assert "nobody" in answer.err


# Wrong use, and libraries that cannot be opened


@pytest.mark.parametrize(
    "words",
    [
        ("nosuch",),
        ("--nosuch",),
        ("open", "/no/such/file"),
        ("list", "a", "b"),
        ("list", "--nosuch"),
        ("show",),
        ("show", "a", "b"),
        ("search",),
        ("search", "x", "--limit", "0"),
        ("search", "x", "--limit", "-1"),
        ("search", "x", "--limit", "many"),
        ("search", "x", "--limit", "²"),
        ("note",),
        ("note", "bare", "a", "b"),
        ("mark",),
        ("mark", "bare"),
        ("mark", "bare", "--status", "done"),
        ("mark", "bare", "--star", "--unstar"),
        ("tag",),
        ("tag", "bare"),
        ("tag", "+x"),
        ("import",),
        ("undo", "2"),
        ("backup",),
        ("merge",),
        ("note", "bare", "--history", "text"),
        ("--library",),
        ("--library", "x", "--library"),
    ],
    ids=" ".join,
)
def test_wrong_use_is_told_in_one_line(run: Run, folder: Path, words: tuple[str, ...]) -> None:
    answer = run(*words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.count("\n") == 1


def test_the_program_needs_a_terminal(run: Run, folder: Path) -> None:
    for words in ((), ("open",), ("open", str(folder)), (str(folder),)):
        answer = run(*words)
        assert (answer.code, answer.out) == (2, "")
        assert "terminal" in answer.err


@pytest.mark.parametrize("words", [("list",), ("show", "x"), ("mark", "x", "--star"), ("doctor",)])
def test_a_library_that_cannot_be_made_is_told(
    run: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    (tmp_path / "file").write_text("no folder")
    answer = run("--library", str(tmp_path / "file/library"), *words)
    assert answer.code in ((1, 2) if words == ("doctor",) else (2,))
    assert str(tmp_path / "file/library") in answer.err
    assert answer.err.count("\n") == 1
    assert run("--library", str(tmp_path / "file"), *words).code in (1, 2)


@pytest.mark.parametrize("home", ["~nobody-of-this-name/x", "~nobody-of-this-name"])
def test_a_home_of_nobody_is_told(
    run: Run, home: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (("--library", home, "list", "nobody"), ("import", home)):
        answer = run(*words)
        assert answer.code in (1, 2)
        assert answer.err.count("\n") <= 1
    monkeypatch.setenv("ANCHORLIGHT_LIBRARY", home)
    assert run("list", "nobody").code in (1, 2)


def test_a_library_of_a_newer_version_is_read_and_not_written(run: Run, folder: Path) -> None:
    facts = json.loads((folder / "library.json").read_text("utf-8"))
    (folder / "library.json").write_text(json.dumps(facts | {"format": 99}), "utf-8")
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert run("list", "--json").json["anchors"]
    assert keys(run("search", "memory", "--json"))
    for words in (
        ("mark", "bare", "--star"),
        ("note", "bare", "text"),
        ("tag", "bare", "+x"),
        ("import", str(folder / "papers.jsonl")),
    ):
        answer = run(*words)
        assert answer.code == 2
        assert "read-only" in answer.err
        assert str(folder) in answer.err
        assert answer.err.count("\n") == 1
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert {**after, "lock": b""} == {**before, "lock": b""}


def test_doctor_makes_no_library(run: Run, place: Path) -> None:
    answer = run("doctor")
    assert answer.code in (1, 2)
    assert str(place) in answer.err
    assert not place.exists()


def test_a_new_library_starts_with_the_seed_lists(run: Run, place: Path) -> None:
    assert len(run("list", "--json").json["anchors"]) == 3
    assert run("list", "Cephalo").code == 0


def test_an_empty_library_lists_nothing(
    run: Run, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text("seeds = false")
    monkeypatch.setenv("ANCHORLIGHT_CONFIG", str(config))
    answer = run("list", "--json")
    assert (answer.code, answer.json) == (1, {"anchors": [], "searches": []})
    assert run("search", "x", "--json").json["papers"] == []


def test_the_library_is_chosen_by_option_then_environment(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    file = tmp_path / "one.jsonl"
    file.write_text('{"key": "only", "title": "Only here"}\n')
    assert run("--library", str(other), "import", str(file)).code == 0
    assert run(f"--library={other}", "show", "only").code == 0
    assert run("show", "only").code == 1
    assert run("show", "bare").code == 0


def test_config_tells_settings_and_where_they_came_from(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "c.toml"
    monkeypatch.setenv("ANCHORLIGHT_CONFIG", str(path))
    assert run("config").code == 0
    path.write_text('theme = "nord"\n[keys]\nstar = ["z"]\n')
    answer = run("--library", str(folder), "config", "--json")
    assert answer.code == 0
    assert answer.json["path"] == str(path)
    assert answer.json["settings"]["theme"] == "nord"
    assert answer.json["settings"]["library"] == str(folder)
    assert answer.json["origins"]["theme"] == str(path)
    assert answer.json["origins"]["library"] == "--library"
    assert answer.json["origins"]["seeds"] == "default"
    assert run("config", "--json").json["origins"]["library"] == "ANCHORLIGHT_LIBRARY"
    path.write_text("thme = 1\n")
    answer = run("config", "--json")
    assert answer.json["problems"]
    assert "line 1" in answer.err
    assert run("list").code == 0  # a mistake in the file stops nothing
    assert "line 1" in run("list").err


# Hostile text


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_printed_without_controls_and_with_its_brackets(
    run: Run, folder: Path, tmp_path: Path, text: str
) -> None:
    record = {
        "key": "evil",
        "title": f"T {text}",
        "authors": [f"{{A {text}}}"],
        "venue": f"V {text}",
        "abstract": f"B {text}",
        "ids": {"other": f"x{text}"},
        "url": f"https://example.org/{text}",
        "tags": [text],
        "note": f"N {text}",
        "anchors": ["cephalo2025"],
    }
    file = tmp_path / "evil.jsonl"
    file.write_text(json.dumps(record) + "\n", "utf-8")
    assert run("import", str(file)).code == 0
    run("note", "bare", text.replace("\0", ""))
    shown, listed = run("show", "evil").out, run("list", "ceph").out
    assert run("search", "tag:x OR t", "--json").code in (0, 1)
    if text in BRACKETS:
        assert f"T {text}" in listed
        assert all(f"{letter} {text}" in shown for letter in "TVBN")
        assert natural(f"{{A {text}}}") in shown
        assert run("note", "bare").out == f"{text}\n"


@pytest.mark.parametrize("command", ["show", "list", "search", "note", "mark", "open", "--library"])
def test_hostile_words_come_back_without_controls(
    run: Run, folder: Path, command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    more = {"--library": ["list"], "mark": ["--star"]}.get(command, [])
    for text in HOSTILE:
        word = text.replace("\0", "").replace("/", "_")
        assert run(command, word, *more).code in (0, 1, 2)
        if command == "search":
            assert run("search", word, "--json").json["query"].strip() == word.strip()


def test_a_files_name_may_hold_controls(run: Run, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "evil\x1b[31m\u202e\n.jsonl"
    file.write_text("{broken\n")
    assert run("import", str(file)).code == 1
    assert run("import", str(file), "--json").json["files"][0]["path"] == str(file)


def test_the_config_file_may_hold_controls(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "c.toml"
    path.write_text('"\\u001b[31m" = 1\nlibrary = 3\n[keys]\n"\\u001b[2J" = 3\n')
    monkeypatch.setenv("ANCHORLIGHT_CONFIG", str(path))
    assert run("list").code == 0
    run("config")
    run("config", "--json")


# The real thing


def outside(
    *words: str | bytes, folder: Path, **options: Any
) -> subprocess.CompletedProcess[bytes]:
    """Run the command line in a process of its own."""
    environment = {**os.environ, "ANCHORLIGHT_LIBRARY": str(folder), **options.pop("env", {})}
    environment.pop("PYTHONUNBUFFERED", None)
    command = [sys.executable, "-W", "error", "-m", "anchorlight.tui", *words]
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment, timeout=60,
        check=False, **options,
    )  # fmt: skip


def test_it_runs_as_a_module(folder: Path) -> None:
    ran = outside("--version", folder=folder)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, f"anchorlight {VERSION}\n".encode(), b"")
    ran = outside(folder=folder)
    assert ran.returncode == 2
    assert b"terminal" in ran.stderr


def test_help_names_every_command(run: Run) -> None:
    commands = (
        "open",
        "list",
        "show",
        "search",
        "note",
        "mark",
        "tag",
        "import",
        "config",
        "doctor",
    )
    answer = run("--help")
    assert answer.code == 0
    assert all(f"    {command}" in answer.out for command in commands)
    assert "2 wrong use" in answer.out
    for command in commands:
        answer = run(command, "--help")
        assert answer.code == 0
        assert "example:" in answer.out


def test_words_that_are_not_utf8_cause_no_traceback(folder: Path) -> None:
    for words in (
        (b"show", b"\xff"),
        (b"note", b"bare", b"caf\xe9"),
        (b"search", b"\xff", b"--json"),
    ):
        ran = outside(*words, folder=folder)
        assert ran.returncode in (0, 1)
        assert b"Traceback" not in ran.stderr
        ran.stdout.decode("utf-8")
    assert outside("note", "bare", folder=folder).stdout.decode().startswith("caf")


def test_a_terminal_without_unicode_causes_no_traceback(folder: Path, tmp_path: Path) -> None:
    ascii_only = {
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "",
    }
    ran = outside("note", "bare", "日本 …", "--json", folder=folder, env=ascii_only)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert json.loads(outside("show", "bare", "--json", folder=folder).stdout)["paper"]["note"]


def test_a_pipe_that_closes_early_causes_no_complaint(folder: Path) -> None:
    for words in (("list",), ("list", "ceph", "--json"), ("--help",)):
        reading, writing = os.pipe()
        os.close(reading)
        ran = outside(*words, folder=folder, stdout=writing)
        os.close(writing)
        assert ran.stderr == b""
        assert ran.returncode in (0, 141)


@pytest.mark.parametrize("words", [("list",), ("export", "-f", "csv"), ("import", "-")])
def test_an_output_that_is_closed_is_told(folder: Path, words: tuple[str, ...]) -> None:
    ran = outside(*words, folder=folder, stdout=None, preexec_fn=lambda: os.closerange(0, 2))
    assert ran.returncode != 0
    assert b"Traceback" not in ran.stderr
    assert ran.stderr.count(b"\n") == 1


def test_a_full_disk_behind_the_output_is_told(folder: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no full device")
    with Path("/dev/full").open("wb") as full:
        ran = outside("list", folder=folder, stdout=full)
    assert ran.returncode != 0
    assert b"Traceback" not in ran.stderr
    assert ran.stderr.count(b"\n") == 1
