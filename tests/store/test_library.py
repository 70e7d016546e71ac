from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import (
    CannotOpenError,
    Change,
    Library,
    NotSavedError,
    Overview,
    ReadOnlyError,
    Status,
    files,
    marks,
)
from anchorlight.store.files import Lock
from anchorlight.store.notes import CONFLICT

from .helpers import Open, Put, contents, full


def keys(library: Library, query: str, within: str | None = None, **how: bool) -> list[str]:
    return [entry.paper.key for entry in library.search(query, within, **how).entries]


def counts(overview: Overview) -> dict[str, tuple[int, int]]:
    rows = (*overview.anchors, *overview.lists, *overview.tags)
    return {row.key: (row.papers, row.unread) for row in rows}


def texts_of(library: Library) -> list[str]:
    return [
        text
        for entry in library.listing("all")
        for text in (entry.paper.title, entry.paper.abstract, entry.paper.display_title)
        if text
    ]


@pytest.fixture(params=["plain", "indexed"])
def searched(request: pytest.FixtureRequest, library: Library) -> Library:
    """The small library with some marks, without an index and with one."""
    library.mark(
        {
            "moe": Change(status=Status.READ, add_tags=("to-read", "GPU")),
            "pipe": Change(starred=True),
        }
    )
    library.write_note("bare", "Compare with Narayanan’s planner [CLS]")
    if request.param == "indexed":
        library.refresh_index()
    return library


# Seeds


def test_a_new_library_starts_with_the_seed_lists(seed_library: Library) -> None:
    anchors = seed_library.overview().anchors
    assert [(row.title.split(":")[0], row.papers, row.unread) for row in anchors] == [
        ("Cephalo", 20, 20), ("Mimose", 20, 20), ("Tesseract", 20, 20)
    ]  # fmt: skip
    related = {e.paper.key for row in anchors for e in seed_library.listing(row.key)}
    assert len(related) == 58
    assert len(seed_library) == 61
    assert seed_library.notices == []


def test_the_seed_papers_without_title_show_their_opening_words(seed_library: Library) -> None:
    untitled = [e.paper for e in seed_library.listing("all") if not e.paper.title]
    assert len(untitled) == 2
    for paper in untitled:
        assert paper.display_title.startswith("“")
        assert paper.display_title.endswith("…”")
        assert (paper.abstract or "").startswith(paper.display_title.strip("“”…"))


def test_a_seed_paper_of_two_lists_is_marked_in_both(seed_library: Library) -> None:
    shared = [e for e in seed_library.listing("all") if len(e.anchors) > 1]
    assert shared
    key = shared[0].paper.key
    seed_library.mark({key: Change(status=Status.READ)})
    for anchor in shared[0].anchors:
        (entry,) = (e for e in seed_library.listing(f"anchor:{anchor}") if e.paper.key == key)
        assert entry.mark.status is Status.READ
        assert counts(seed_library.overview())[f"anchor:{anchor}"] == (20, 19)


def test_latex_in_the_seeds_is_the_text_it_stands_for(seed_library: Library) -> None:
    texts = texts_of(seed_library)
    assert any("naïve" in text for text in texts)
    assert not any('\\"' in text or "{i}" in text for text in texts)
    for query in ("naive", "naïve", "nai\u0308ve"):
        assert any("naïve" in (e.paper.abstract or "") for e in seed_library.search(query).entries)


def test_every_seed_place_is_counted(open_library: Open, seeds: Path) -> None:
    reports = open_library().import_files([seeds])
    assert [(r.read, r.refused, r.guesses) for r in reports] == [(21, [], [])] * 3
    assert sum(report.read for report in reports) - len(reports) == 60
    assert sum(report.added for report in reports) == 61


def test_importing_the_seeds_again_changes_nothing(
    seed_library: Library, seeds: Path, folder: Path
) -> None:
    before = (folder / "papers.jsonl").read_bytes()
    reports = seed_library.import_files([seeds])
    assert [(r.added, r.updated, r.unchanged) for r in reports] == [(0, 0, 21)] * 3
    assert (folder / "papers.jsonl").read_bytes() == before


def test_importing_the_bare_lists_again_adds_nothing(
    seed_library: Library, seeds: Path, tmp_path: Path, folder: Path
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for file in seeds.glob("*.txt"):
        shutil.copy(file, bare)
    before = (folder / "papers.jsonl").read_bytes()
    reports = seed_library.import_files([bare])
    assert [(r.added, r.updated, r.unchanged) for r in reports] == [(0, 0, 21)] * 3
    assert (folder / "papers.jsonl").read_bytes() == before


def test_facts_that_come_later_complete_the_papers_and_keep_keys_and_notes(
    open_library: Open, seeds: Path, tmp_path: Path
) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    for file in seeds.glob("*.txt"):
        shutil.copy(file, bare)
    library = open_library()
    library.import_files([bare])
    assert len(library) == 61
    before = [e.paper.key for e in library.listing("all")]
    library.write_note(before[0], "mine")
    library.import_files([seeds])
    assert [e.paper.key for e in library.listing("all")] == before
    assert library.entry(before[0]).note == "mine"
    assert sum(not e.paper.title for e in library.listing("all")) == 2
    assert len(library.overview().anchors) == 3


def test_seeds_are_not_brought_back(open_library: Open, seeds: Path) -> None:
    open_library().close()
    assert len(open_library(seeds=seeds)) == 0


def test_a_first_start_that_failed_has_its_seeds_at_the_next(
    open_library: Open, seeds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(files.GrowingFile, "_create", full)
        with pytest.raises(NotSavedError):
            open_library(seeds=seeds)
    assert len(open_library(seeds=seeds)) == 61


# Searching: DESIGN.md, section 5


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("memory", "moe pipe"),
        ("memory bottleneck", "moe"),
        ("train", "moe pipe"),
        ("gpu", "moe pipe"),
        ("zhao", "moe"),
        ("muller", "quant"),
        ("neurips", "quant"),
        ("planner", "bare"),
        ("narayanan", "pipe bare"),
        ('"pipeline parallel"', "pipe"),
        ('"parallel pipeline"', ""),
        ('"train"', ""),
        ('"training"', "moe pipe"),
        ("title:moe", "moe"),
        ("abstract:moe", ""),
        ("author:zhao", "moe"),
        ("author:memory", ""),
        ("venue:sc", "pipe"),
        ("tag:gpu", "moe"),
        ("tag:to-read", "moe"),
        ("note:compare", "bare"),
        ("note:CLS", "bare"),
        ("year:2020..", "moe pipe"),
        ("year:2019-2021", "pipe quant"),
        ("year:..2019", "quant"),
        ("id:2104.04473", "pipe"),
        ("id:arXiv:2511.21431v1", "moe"),
        ("id:quant", "quant"),
        ("is:unread", "pipe quant bare"),
        ("is:read", "moe"),
        ("is:starred", "pipe"),
        ("has:note", "bare"),
        ("has:pdf", "moe pipe quant"),
        ("has:doi", "pipe"),
        ("added:7d", "moe pipe quant bare"),
        ("added:..2026-01-14", ""),
        ("gpu -memory", ""),
        ("parallel -pipeline", "quant"),
        ("parallel NOT pipeline", "quant"),
        ("parallel -pipeline OR moe", "moe quant"),
        ('moe OR "mixture of experts"', "moe"),
        ("(moe OR pipeline) memory", "moe pipe"),
        ("-(moe OR pipeline)", "quant bare"),
        ("mem*", "moe pipe"),
        ("b*", "moe pipe"),
        ("optimi?ation", "quant"),
        ("quantisation~", "quant"),
        ("memroy~", "moe pipe"),
        ("*ation", ""),
        ("GPT-4", "quant"),
        ("memory-aware", "moe"),
        ("memoryaware", "moe"),
        ("aware", "moe"),
        ("of", "moe quant bare"),
        ("bottlen", ""),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_a_query_finds_what_it_means(searched: Library, query: str, found: str) -> None:
    answer = searched.search(query)
    assert [entry.paper.key for entry in answer.entries] == found.split()
    assert answer.from_index is (searched.unindexed == 0)
    assert set(keys(searched, query, order="relevance")) == set(found.split())


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("bottlen", "moe"),
        ("memory bottlen", "moe"),
        ("", "moe pipe quant bare"),
        ("title:", "moe pipe quant bare"),
        ("gpu -", "moe pipe"),
        ("id:21", "pipe"),
        ("is:st", "pipe"),
        ("memory-a", "moe"),
    ],
)
def test_a_query_being_typed_finds_beginnings(searched: Library, query: str, found: str) -> None:
    assert keys(searched, query, typing=True) == found.split()


@pytest.mark.parametrize("query", ["*ation", "?x", "**", "!!", "a~9 (", "foo:bar"])
def test_what_was_not_understood_is_told(searched: Library, query: str) -> None:
    assert searched.search(query).query.hint


def test_a_list_is_filtered_in_its_own_order(seed_library: Library) -> None:
    anchor = seed_library.overview().anchors[0]
    listed = [entry.paper.key for entry in seed_library.listing(anchor.key)]
    found = keys(seed_library, "training", anchor.key)
    assert 0 < len(found) < 20
    assert found == [key for key in listed if key in found]
    ranked = keys(seed_library, "training", order="relevance")
    assert set(found) < set(ranked)


def test_an_anchor_is_named_by_words_of_its_title(seed_library: Library) -> None:
    listed = [e.paper.key for e in seed_library.listing(seed_library.overview().anchors[1].key)]
    for query in ("anchor:mimose", "anchor:checkpointing", 'anchor:"input-aware checkpointing"'):
        assert sorted(keys(seed_library, query)) == sorted(listed)


def test_a_changed_note_or_tag_is_found_at_once(searched: Library) -> None:
    searched.write_note("bare", "other words")
    searched.mark({"moe": Change(add_tags=("fresh",), remove_tags=("to-read",))})
    assert keys(searched, "planner") == []
    assert keys(searched, "note:words") == ["bare"]
    assert keys(searched, "tag:fresh") == ["moe"]
    assert keys(searched, "tag:to-read") == []
    searched.refresh_index()
    assert searched.unindexed == 0
    assert keys(searched, "note:words") == ["bare"]


def test_the_index_is_used_again_after_reopening(open_library: Open, library: Library) -> None:
    library.refresh_index()
    library.close()
    again = open_library()
    assert again.unindexed == len(again)
    again.refresh_index()
    assert again.unindexed == 0
    assert again.index_problem == ""
    assert keys(again, "memory") == ["moe", "pipe"]


def test_the_index_may_be_deleted_at_any_moment(library: Library, tmp_path: Path) -> None:
    library.refresh_index()
    shutil.rmtree(tmp_path / "cache")
    assert keys(library, "memory") == ["moe", "pipe"]
    assert set(keys(library, "memory", order="relevance")) == {"moe", "pipe"}


CORPUS = (
    ("r", "We use R and C++, never C#, to fit models for all who are in IT. R is free."),
    ("gpt", "GPT-4 beats T5 on 3D scenes; an AI system, no aid. Growth was 32x over 10-100."),
    ("old", "GPT-2 and GPT-3 are older systems."),
    ("who", "The WHO told who fell ill. It says so."),
    ("uni", "University policy in the universe of organs and organizations."),
    ("go", "The game Go, the language C, the .NET platform and the F1 score."),
    ("sort", "Sorting in O(n log n), k-NN over L1/L2 norms, 802.11 networks, p<0.05."),
    ("fine", "State-of-the-art fine-tuning with Müller’s naïve method; don’t over-fit."),
    ("join", "Finetuning costs much, says Muller; they dont agree."),
    ("nfd", "Combining marks: Mu\u0308ller, nai\u0308ve, e\u0301tude."),
    ("pole", "Pál Erdős, Jan Łukasiewicz, Søren of the Straße."),
    ("kanji", "東京大学で機械学習を勉強します。"),
    ("hyph", "Wi\u2010Fi and e\u2011mail, a soft\u00adhyphen, a ﬁne ligature, “curly” quotes."),
    ("nino", "El Niño and nino differ in Spanish."),
    ("brackets", "We feed [CLS] and [SEP]; see [/usr/lib], [@click=app.quit]here[/], $E[x]$."),
)  # fmt: skip


@pytest.mark.parametrize("indexed", [False, True])
def test_short_hyphenated_accented_and_unspaced_words_are_found(
    open_library: Open, put_papers: Put, indexed: bool
) -> None:
    library = open_library()
    put_papers(library, *({"key": key, "abstract": text} for key, text in CORPUS))
    assert len(library) == len(CORPUS)
    if indexed:
        library.refresh_index()
    table = {
        "R": "r", "C++": "r", "C#": "r", "C": "go", "GPT-4": "gpt", "GPT": "gpt old", "3D": "gpt",
        "T5": "gpt", "AI": "gpt", "aid": "gpt", "32x": "gpt", "10-100": "gpt", "who": "r who",
        "WHO": "r who", "it": "r who", "Go": "go", ".NET": "go", "F1": "go", "k-NN": "sort",
        "knn": "sort", "802.11": "sort", "O(n log n)": "sort", '"log n"': "sort",
        "p<0.05": "sort", "gpt -older": "gpt", "gpt NOT older": "gpt", "organs": None,
        "fine-tuning": "fine join", '"fine-tuning"': "fine", "finetuning": "fine join",
        "tuning": "fine", "naive": "fine nfd", "naïve": "fine nfd", "nai\u0308ve": "fine nfd",
        "Muller": "fine join nfd", "Müller": "fine join nfd", "Mu\u0308ller": "fine join nfd",
        "don't": "fine join", "don’t": "fine join", "overfit": "fine", "erdos": "pole",
        "Erdős": "pole", "lukasiewicz": "pole", "soren": "pole", "strasse": "pole",
        "Straße": "pole", "東京": "kanji", "機械学習": "kanji", "学習": "kanji", "京大": "kanji",
        "学": "kanji", "東学": "", "wi-fi": "hyph", "wifi": "hyph", "e-mail": "hyph",
        "email": "hyph", "softhyphen": "hyph", "fine": "fine hyph", "curly": "hyph",
        "niño": "nino", "nino": "nino", "NIN\u0303O": "nino", "CLS": "brackets", "SEP": "brackets",
        "[SEP]": "brackets", "lib": "brackets", "here": "brackets",
    }  # fmt: skip
    for query, found in table.items():
        answer = library.search(query)
        if found is None:
            assert "uni" in [entry.paper.key for entry in answer.entries]
        else:
            assert [entry.paper.key for entry in answer.entries] == found.split(), query
            assert found or answer.query.node is not None
    for query in ("the", "university", "universe"):
        assert "uni" in keys(library, query), query
    assert keys(library, "", typing=True) == [key for key, _ in CORPUS]


HOSTILE = (
    '"', '""', '"a', "((", "))(", "[", "~", "^2", "*", "*?*", "a*b*c*", "\\", "/a/", ".*", "+-",
    "&&", "||", "AND AND", "NOT NOT a", "OR NOT", "(a AND (b OR", "title:", 'title:"', "title:(",
    "title:*", "::", "a:b", "http://x.org/?q=1&b=2#c", "year:[2020 TO", "year:>", "year:abc",
    "{a TO b}", "a~9", '"a b"~x', "a^x", "''", "%s", "{0}", "$(id)", "<b>", "[/]", "[red]", "\t",
    "\u200b", "\u202e", "\U0001f600", "e\u0301" * 60, "x" * 5000, "a " * 400, "İſ", "C:\\path\\",
    "p<0.05", "#hash", "1e999", "-1", "\x01", "\x1b[31m", "\ud800", "anchor:year:2020", "anchor:-x",
    'anchor:"a (b"', "anchor:x~2", "id:", "id:*", "added:0d", "added:9999-12-31",
    "added:0000-00-00", "is:", "year:9999..", "tag:" * 500, "-tag:-tag:x", "year:0000",
    "has:pdf has:doi OR -has:url",
)  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_no_query_raises_however_it_is_typed(searched: Library, query: str) -> None:
    for end in {*range(1, min(len(query), 12)), len(query)}:
        for how in ({}, {"typing": True}, {"order": "relevance"}):
            answer = searched.search(query[:end], **how)
            assert len(answer.entries) <= 4
            if answer.query.node is None:
                assert len(answer.entries) == (4 if how.get("typing") else 0)
    assert len(keys(searched, "", typing=True)) == 4


# Writing


def test_a_mark_and_a_note_are_there_without_closing(open_library: Open, library: Library) -> None:
    (entry,) = library.mark({"moe": Change(Status.READ, starred=True, add_tags=("a b",))})
    assert entry.mark.changed == "2026-01-15T12:00:00.000+00:00"
    noted = library.write_note("moe", "# Note\n\n\t[/b]")
    again = open_library()
    assert again.entry("moe") == noted
    assert again.entry("moe").mark == entry.mark
    assert again.entry("moe").mark.tags == ("a-b",)


def test_everything_is_there_after_closing(open_library: Open, library: Library) -> None:
    library.mark({"moe": Change(status=Status.QUEUED)})
    library.write_note("pipe", "note")
    library.write_session({"row": 3})
    before = tuple(library.listing("all"))
    library.close()
    again = open_library()
    assert tuple(again.listing("all")) == before
    assert again.session == {"row": 3}
    assert again.notices == []


def test_closing_folds_the_journal(library: Library, folder: Path) -> None:
    library.mark({"moe": Change(status=Status.READ)})
    library.close()
    assert (folder / "marks.journal").read_bytes() == b""
    assert json.loads((folder / "marks.json").read_bytes())["marks"]["moe"]["status"] == "read"


def test_no_unknown_paper_is_written(library: Library, folder: Path) -> None:
    before = contents(folder)
    with pytest.raises(KeyError):
        library.mark({"moe": Change(starred=True), "none": Change(starred=True)})
    with pytest.raises(KeyError):
        library.write_note("none", "text")
    assert contents(folder) == before
    assert not library.entry("moe").mark.starred


def test_a_mark_costs_the_same_in_a_large_library(
    library: Library, put_papers: Put, folder: Path
) -> None:
    def cost() -> int:
        before = sum(len(data or b"") for data in contents(folder).values())
        library.mark({"moe": Change(starred=not library.entry("moe").mark.starred)})
        return sum(len(data or b"") for data in contents(folder).values()) - before

    library.mark({"moe": Change(starred=True)})
    library.mark({"moe": Change(starred=False)})
    small = cost()
    put_papers(
        library, *({"key": f"p{number}", "title": f"Title {number}"} for number in range(300))
    )
    library.mark({f"p{number}": Change(status=Status.READ) for number in range(300)})
    library.mark({"moe": Change(starred=False)})
    assert abs(cost() - small) <= 2  # the number of the change may have grown by a digit


@pytest.mark.parametrize("failing", ["pwrite", "_sync"])
def test_a_failed_write_is_told_and_changes_nothing(
    library: Library, open_library: Open, put_papers: Put, folder: Path,
    monkeypatch: pytest.MonkeyPatch, failing: str,
) -> None:  # fmt: skip
    library.mark({"moe": Change(status=Status.QUEUED)})
    library.write_note("moe", "before")
    listed, papers = tuple(library.listing("all")), (folder / "papers.jsonl").read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(files if failing == "_sync" else os, failing, full)
        for write in (
            lambda: library.mark({"moe": Change(status=Status.READ)}),
            lambda: library.write_note("moe", "after"),
            lambda: put_papers(library, {"key": "new", "title": "New"}),
        ):
            with pytest.raises(NotSavedError, match="No space left on device") as caught:
                write()
            assert str(folder) in caught.value.message
    assert (folder / "papers.jsonl").read_bytes() == papers
    assert tuple(library.listing("all")) == listed
    assert tuple(open_library().listing("all")) == listed
    library.mark({"moe": Change(status=Status.READ)})
    library.write_note("moe", "after")
    put_papers(library, {"key": "new", "title": "New"})
    again = open_library()
    assert tuple(again.listing("all")) == tuple(library.listing("all"))
    assert (again.entry("moe").mark.status, again.entry("moe").note) == (Status.READ, "after")
    assert len(again) == 5
    assert again.notices == []


def test_an_import_whose_marks_cannot_be_saved_stores_nothing(
    library: Library, put_papers: Put, open_library: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    pwrite, calls = os.pwrite, []

    def second_fails(handle: int, data: bytes, at: int) -> int:
        calls.append(handle)
        return full() if len(calls) > 1 else pwrite(handle, data, at)

    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", second_fails)
        with pytest.raises(NotSavedError):
            put_papers(library, {"key": "new", "title": "New", "status": "read", "note": "n"})
    assert len(library) == len(open_library()) == 4


def test_a_failed_session_is_told_and_the_one_before_kept(
    library: Library, open_library: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.write_session({"row": 1})
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(NotSavedError):
            library.write_session({"row": 2})
    assert library.session == {"row": 1}
    assert open_library().session == {"row": 1}


def test_a_library_that_another_writes_to_is_waited_for_and_then_refused(
    library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LOCK_SECONDS", 0.0)
    library.close()  # its lock knows the longer time
    quick = Library(folder, folder.parent / "cache")
    with Lock(folder / "lock").held(), pytest.raises(NotSavedError, match="another program"):
        quick.mark({"moe": Change(starred=True)})
    assert not quick.entry("moe").mark.starred
    quick.mark({"moe": Change(starred=True)})
    quick.close()


def test_the_texts_that_a_note_had_are_kept(library: Library, clock: Any) -> None:
    assert library.note_versions("moe") == library.note_versions("none") == []
    for hour, text in enumerate(("one", "two", "", "three")):
        clock.now = datetime(2026, 1, 15, 12 + hour, tzinfo=UTC)
        library.write_note("moe", text)
    assert [(one.text, one.changed) for one in library.note_versions("moe")] == [
        (text, f"2026-01-15T{12 + hour}:00:00.000+00:00")
        for text, hour in (("one", 0), ("two", 1), ("three", 3))
    ]
    library.write_note("moe", "")
    assert [one.text for one in library.note_versions("moe")] == ["one", "two", "three"]


def test_every_file_is_checked_by_name(library: Library) -> None:
    library.mark({"moe": Change(Status.READ), "pipe": Change(starred=True)})
    library.write_note("moe", "text")
    checks = {check.name: check for check in library.checks()}
    assert list(checks) == [
        "library.json", "papers.jsonl", "marks.json", "marks.journal", "session.json", "index"
    ]  # fmt: skip
    assert all(check.ok and not check.mended for check in checks.values())
    assert "4 papers" in checks["papers.jsonl"].detail
    assert "2 papers marked, 1 with notes" in checks["marks.json"].detail
    assert "not there yet" in checks["session.json"].detail


def test_checking_changes_nothing(library: Library, folder: Path, tmp_path: Path) -> None:
    with (folder / "papers.jsonl").open("ab") as file:
        file.write(b"garbage\n")
    library.refresh()
    before = contents(tmp_path)
    assert [check.name for check in library.checks() if not check.ok] == ["papers.jsonl"]
    assert contents(tmp_path) == before


def test_mending_rewrites_the_papers_and_builds_the_index_anew(
    library: Library, folder: Path, open_library: Open
) -> None:
    library.mark({"moe": Change(Status.READ)})
    with (folder / "papers.jsonl").open("ab") as file:
        file.write(b"garbage\n")
    library.refresh()
    listed = tuple(library.listing("all"))
    library.mend()
    assert tuple(library.listing("all")) == listed
    assert b"garbage" not in (folder / "papers.jsonl").read_bytes()
    assert library.unindexed == 0
    assert library.search("memory").from_index
    assert library.notices == []
    again = open_library()
    assert tuple(again.listing("all")) == listed
    assert again.notices == []


def test_mending_that_fails_is_told(
    library: Library, folder: Path, open_library: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (folder / "papers.jsonl").open("ab") as file:
        file.write(b"garbage\n")
    library.refresh()
    before = contents(folder)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(NotSavedError, match="No space left on device"):
            library.mend()
    after = contents(folder)
    assert after.pop("marks.journal").startswith(before.pop("marks.journal"))
    assert after == before
    assert len(library) == 4
    with pytest.raises(ReadOnlyError):
        open_library(may_write=False).mend()
    library.mend()
    assert library.notices == []


def test_papers_that_are_fewer_than_they_were_are_told(
    library: Library, open_library: Open, folder: Path
) -> None:
    library.close()
    path = folder / "papers.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    for _ in range(2):
        library = open_library()
        (notice,) = library.notices
        assert str(path) in notice
        assert "shorter" in notice
        library.close()


def test_a_program_that_runs_long_keeps_copies_of_the_marks(
    library: Library, folder: Path, clock: Any
) -> None:
    assert not (folder / "backups").exists()
    for number in range(13):
        clock.now += timedelta(minutes=10)
        library.mark({"moe": Change(starred=number % 2 == 0)})
    names = sorted(path.name for path in (folder / "backups").iterdir())
    assert names == ["marks-20260115T130000.json.gz", "marks-20260115T140000.json.gz"]


def test_a_library_need_not_be_locked_where_nothing_can_be(
    library: Library, folder: Path, open_library: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.close()

    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    reader = open_library()
    assert "knows no locks" in reader.read_only
    with pytest.raises(ReadOnlyError):
        reader.mark({"moe": Change(starred=True)})
    writer = open_library(needs_locks=False)
    assert writer.read_only == ""
    writer.mark({"moe": Change(starred=True)})
    writer.close()
    assert open_library(needs_locks=False).entry("moe").mark.starred


def test_what_another_program_holds_is_left_to_it_when_leaving(
    library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch, open_library: Open
) -> None:
    monkeypatch.setattr(files, "LOCK_SECONDS", 0.0)
    library.mark({"moe": Change(starred=True)})
    before = contents(folder)
    with Lock(folder / "lock").held():
        library.close()
    assert contents(folder) == before
    assert open_library().entry("moe").mark.starred


def test_damage_that_cannot_be_mended_now_is_told_and_the_library_opens(
    library: Library, folder: Path, open_library: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LOCK_SECONDS", 0.0)
    library.mark({"moe": Change(starred=True)})
    library.close()
    (folder / "marks.json").write_bytes(b"")
    with Lock(folder / "lock").held():
        again = open_library()
    assert again.entry("moe").mark.starred
    assert any("could not be put right" in notice for notice in again.notices)
    assert (folder / "marks.json").read_bytes() == b""
    again.mark({"pipe": Change(starred=True)})
    again.close()
    healed = open_library()
    assert healed.entry("moe").mark.starred
    assert healed.entry("pipe").mark.starred
    assert healed.notices == []


# Two programs


@pytest.fixture
def other(open_library: Open, library: Library) -> Library:
    """Another program on the same library."""
    return open_library()


def test_each_sees_the_others_marks_notes_and_papers(
    library: Library, other: Library, put_papers: Put
) -> None:
    assert library.refresh() is False
    other.mark({"moe": Change(status=Status.READ, add_tags=("new",))})
    other.write_note("pipe", "theirs")
    assert library.refresh() is True
    assert library.refresh() is False
    assert library.entry("moe").mark.status is Status.READ
    assert keys(library, "note:theirs") == ["pipe"]
    library.mark({"quant": Change(starred=True)})
    put_papers(library, {"key": "new", "title": "Fresh", "anchors": ["moe"]})
    assert other.refresh() is True
    assert other.entry("quant").mark.starred
    assert [e.paper.key for e in other.listing("anchor:moe")] == ["new"]
    assert keys(other, "fresh") == ["new"]


def test_what_the_other_wrote_is_found_through_the_index(
    library: Library, other: Library, put_papers: Put
) -> None:
    library.refresh_index()
    other.write_note("pipe", "theirs")
    put_papers(other, {"key": "new", "title": "Fresh"})
    library.refresh()
    assert keys(library, "theirs OR fresh") == ["pipe", "new"]
    library.refresh_index()
    assert library.unindexed == 0
    assert keys(library, "theirs OR fresh") == ["pipe", "new"]


def test_different_fields_of_one_paper_merge(library: Library, other: Library) -> None:
    library.mark({"moe": Change(status=Status.READ)})
    other.mark({"moe": Change(starred=True)})
    library.mark({"moe": Change(add_tags=("a",))})
    other.mark({"moe": Change(add_tags=("b",))})
    other.write_note("moe", "note")
    library.refresh()
    for one in (library, other):
        entry = one.entry("moe")
        assert (entry.mark.status, entry.mark.starred) == (Status.READ, True)
        assert (entry.mark.tags, entry.note) == (("a", "b"), "note")


def test_the_same_note_written_by_both_keeps_both_texts(library: Library, other: Library) -> None:
    base = library.write_note("moe", "base").note
    other.write_note("moe", "theirs", base)
    assert library.write_note("moe", "mine", base).note == "theirs" + CONFLICT + "mine"
    other.refresh()
    assert other.entry("moe").note == library.entry("moe").note


def test_one_may_leave_while_the_other_goes_on(
    library: Library, other: Library, open_library: Open
) -> None:
    library.mark({"moe": Change(status=Status.READ)})
    other.refresh()
    library.close()
    other.mark({"pipe": Change(status=Status.READ)})
    again = open_library()
    assert [e.paper.key for e in again.listing("unread")] == ["quant", "bare"]
    again.mark({"quant": Change(status=Status.READ)})
    other.refresh()
    assert [e.paper.key for e in other.listing("unread")] == ["bare"]


def test_both_importing_the_same_file_add_it_once(
    library: Library, other: Library, put_papers: Put
) -> None:
    record = {"title": "T", "ids": {"doi": "10.1000/x"}}
    assert put_papers(library, record).added == 1
    assert put_papers(other, record).unchanged == 1
    assert len(other) == 5


# Damage


@pytest.mark.parametrize("name", ["papers.jsonl", "marks.json", "marks.journal"])
def test_a_file_that_cannot_be_read_is_told_as_such(
    library: Library, open_library: Open, folder: Path, name: str
) -> None:
    library.close()
    (folder / name).unlink(missing_ok=True)
    (folder / name).mkdir()
    with pytest.raises(CannotOpenError, match=name.replace(".", r"\.")):
        open_library()


def test_marks_of_papers_that_are_gone_are_kept(
    library: Library, open_library: Open, folder: Path
) -> None:
    library.mark({"moe": Change(Status.READ, add_tags=("t",))})
    library.write_note("moe", "kept")
    library.close()
    path = folder / "papers.jsonl"
    whole = path.read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[1:]))
    without = open_library()
    for row in (*without.overview().lists, *without.overview().tags):
        assert len(without.listing(row.key)) == row.papers
    without.mark({"pipe": Change(status=Status.READ)})
    without.refresh_index()
    assert keys(without, "kept") == []
    without.close()
    path.write_bytes(whole)
    again = open_library()
    assert (again.entry("moe").mark.tags, again.entry("moe").note) == (("t",), "kept")


def test_a_paper_that_left_the_file_is_no_trouble_for_the_index(
    library: Library, open_library: Open, folder: Path
) -> None:
    library.refresh_index()
    library.close()
    path = folder / "papers.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    again = open_library()
    again.refresh_index()
    assert keys(again, '"memory bottleneck"') == []
    assert keys(again, "memory", order="relevance") == ["pipe"]
    assert again.index_problem == ""


# Read-only


@pytest.fixture
def open_read_only(
    open_library: Open, folder: Path, make_unwritable: Callable[[Path], None]
) -> Callable[[str], Library]:
    def open_one(how: str) -> Library:
        if how == "newer":
            facts = json.loads((folder / "library.json").read_bytes())
            (folder / "library.json").write_text(json.dumps(facts | {"format": 99}))
        else:
            make_unwritable(folder)
        return open_library()

    return open_one


@pytest.mark.parametrize("how", ["newer", "folder"])
def test_a_read_only_library_is_read_and_nothing_written(
    library: Library, folder: Path, put_papers: Put, open_read_only: Callable[[str], Library],
    how: str,
) -> None:  # fmt: skip
    library.mark({"moe": Change(status=Status.READ)})
    library.write_session({"row": 1})
    library.close()
    again = open_read_only(how)
    before = contents(folder)
    assert again.read_only
    assert again.session == {"row": 1}
    assert again.entry("moe").mark.status is Status.READ
    for write in (
        lambda: again.mark({"pipe": Change(status=Status.READ)}),
        lambda: again.write_note("pipe", "text"),
        lambda: put_papers(again, {"key": "new", "title": "New"}),
    ):
        with pytest.raises(ReadOnlyError):
            write()
    again.write_session({"row": 2})
    again.refresh_index()
    assert keys(again, "memory") == ["moe", "pipe"]
    assert len(again) == 4
    assert again.entry("pipe").mark.status is Status.UNREAD
    again.close()
    assert contents(folder) == before


@pytest.mark.parametrize("how", ["newer", "folder"])
@pytest.mark.parametrize("name", ["marks.json", "session.json"])
def test_a_read_only_library_is_left_alone_even_where_it_is_not_understood(
    library: Library, folder: Path, open_read_only: Callable[[str], Library], how: str, name: str
) -> None:
    library.close()
    (folder / name).write_text('["of another shape"]')
    before = contents(folder)
    again = open_read_only(how)
    assert len(again) == 4
    assert any(name in notice for notice in again.notices)
    again.close()
    library_file = {"library.json": (folder / "library.json").read_bytes()}
    assert contents(folder) == before | library_file
    assert (folder / name).read_text() == '["of another shape"]'


def test_a_new_library_that_cannot_be_made_is_refused(open_library: Open, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotOpenError):
        open_library(tmp_path / "file" / "library")


# The cases beside the checkout


def imported(open_library: Open, folder: Path) -> tuple[Library, dict[str, Any]]:
    library = open_library()
    reports = library.import_files([folder])
    return library, {Path(report.path).name: report for report in reports}


@pytest.mark.parametrize("case", ["H11-short-tokens", "H12-hyphens-accents-cjk"])
@pytest.mark.parametrize("indexed", [False, True])
def test_every_row_of_the_tables_of_queries_holds(
    open_library: Open, shared: Path, case: str, indexed: bool
) -> None:
    from unicodedata import normalize

    library, _reports = imported(open_library, shared / "cases" / case)
    assert len(library.overview().anchors) == 7
    if indexed:
        library.refresh_index()
    number = {
        key: (library.entry(key).paper.source or "")[:3]
        for key in (entry.paper.key for entry in library.listing("all"))
    }
    anchors = {row.key.removeprefix("anchor:") for row in library.overview().anchors}
    lines = (shared / "cases" / case / "queries.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    assert len(rows) > 15
    for query, wanted, unwanted, *_ in ([*row, "", ""] for row in rows):
        for form in ("NFC", "NFD"):
            found_keys = keys(library, normalize(form, query))
            found = {number[key] for key in found_keys}
            assert found, query
            assert wanted == "any" or set(wanted.split()) <= found, query
            if unwanted.strip().isdigit():  # said of abstracts; the titles are papers of their own
                related = {number[key] for key in found_keys if key not in anchors}
                assert unwanted.strip() not in related, query
    assert len(keys(library, "", typing=True)) == len(library)


def test_no_query_of_the_hostile_ones_raises(open_library: Open, seeds: Path, shared: Path) -> None:
    library = open_library(seeds=seeds)
    library.refresh_index()
    queries = json.loads((shared / "cases" / "H13-hostile-queries" / "queries.json").read_text())
    assert len(queries) > 100
    for query in queries:
        for end in {*range(1, min(len(query), 10)), len(query)}:
            answer = library.search(query[:end], typing=True)
            assert answer.entries or answer.query.node is not None
        answer = library.search(query, order="relevance")
        assert len(answer.entries) <= 61
        if answer.query.node is None:
            assert not answer.entries


def test_the_variants_of_the_seed_format_are_read(open_library: Open, shared: Path) -> None:
    library, reports = imported(open_library, shared / "cases" / "H18-seed-variants")
    numbers = {name[:3] for name in reports}
    assert numbers == {f"{number:03}" for number in (*range(11), 12, 13, 14, 15)}
    refused = {name[:3] for name, report in reports.items() if report.refused}
    assert refused == {"006", "007", "012"}
    assert {name[:3] for name, report in reports.items() if report.anchors} == numbers - refused

    def papers(number: str) -> list[str]:
        (report,) = (report for name, report in reports.items() if name.startswith(number))
        (anchor,) = report.anchors
        return [entry.paper.abstract or "" for entry in library.listing(f"anchor:{anchor}")]

    def anchor(number: str) -> str:
        (report,) = (report for name, report in reports.items() if name.startswith(number))
        return library.entry(report.anchors[0]).paper.display_title

    assert [len(papers(number)) for number in ("000", "002", "003", "004")] == [3, 1, 2, 0]
    assert papers("000")[2] == "Third with a line break inside and naïve"
    assert "untitled" in anchor("005")
    assert papers("008") == ["Related papers: this abstract begins like a header"]
    assert anchor("010") == "Größe…"
    assert anchor("013").startswith("日本語")
    assert "�" not in papers("013")[0]
    assert not any(set("\r\ufeff") & set(text) for text in texts_of(library))


def test_the_shared_abstract_of_the_variants_is_one_paper(
    open_library: Open, shared: Path, tmp_path: Path
) -> None:
    lists = tmp_path / "lists"
    lists.mkdir()
    for file in (shared / "cases" / "H18-seed-variants").glob("*.txt"):
        shutil.copy(file, lists)
    library, reports = imported(open_library, lists)
    first = [
        library.listing(f"anchor:{report.anchors[0]}")[0].paper.key
        for name, report in sorted(reports.items())
        if name[:3] in ("000", "001", "003", "005", "009")
    ]
    assert len(first) == 5
    assert len(set(first)) == 1
    library.mark({first[0]: Change(status=Status.READ)})
    library.write_note(first[0], "kept")
    before = tuple(library.listing("all"))
    lists_before = library.overview().anchors
    library.close()
    aside = lists / "009_same_as_000.txt"
    text = aside.read_bytes()
    for present in (False, True):
        aside.write_bytes(text) if present else aside.unlink()
        again = open_library()
        assert all(r.added == r.updated == 0 for r in again.import_files([lists]))
        assert tuple(again.listing("all")) == before
        assert again.overview().anchors == lists_before
        again.close()


def test_brackets_are_kept_and_found(open_library: Open, shared: Path) -> None:
    library, reports = imported(open_library, shared / "cases" / "H01-square-brackets")
    report = reports["000_aaaa000000000001.txt"]
    text = "\n".join(texts_of(library))
    for part in (
        "[Re] Reproducing [SEP]-free BERT at [/usr/lib]…", "[CLS]", "[MASK]", "[13, 14]", "[a-z]+",
        "[/var/log/app]", "[/]", "[b + bracket", "nor is [red", "[@click=app.quit]here[/]",
        "[link=file:///etc/passwd]passwd[/link]", "[bold red]alarm[/bold red]", r"Escaped \[x] and",
        "[[double]]", "𝔼[x]₊", "95% CI [1.2–3.4]",
    ):  # fmt: skip
        assert part in text, part
    for word in ("CLS", "SEP", "MASK", "red", "link", "a-z", "[CLS]"):
        assert keys(library, word), word
    key = report.anchors[0]
    assert library.write_note(key, "[/x] [CLS]").note == "[/x] [CLS]"


def test_wide_and_two_way_texts_are_kept_whole_without_what_turns_a_terminal(
    open_library: Open, shared: Path
) -> None:
    library, _reports = imported(open_library, shared / "cases" / "H16-cell-widths")
    assert len(library.overview().anchors) == 5
    texts = texts_of(library)
    assert not set("".join(texts)) & set(
        "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )
    assert any(text.count("。") == 20 for text in texts)
    assert any("\U0001f469\u200d\U0001f52c" in text for text in texts)
    assert keys(library, "東京")
    assert keys(library, "בעברית")
    assert keys(library, "fullwidth")


@pytest.mark.parametrize("left", [0, 200])
def test_papers_that_are_lost_while_a_program_runs_are_told_once(
    library: Library, folder: Path, left: int
) -> None:
    library.mark({"moe": Change(starred=True)})
    os.truncate(folder / "papers.jsonl", left)
    library.refresh()
    library.refresh()
    told = [notice for notice in library.notices if "missing" in notice or "no papers" in notice]
    assert len(told) == 1
    assert str(folder / "papers.jsonl") in told[0]


def test_papers_written_between_two_readings_are_no_alarm(
    library: Library, open_library: Open, put_papers: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program imports just after the papers were read, and before the marks are."""
    usual = marks.Marks.__init__

    def later(self: Any, *args: Any) -> None:
        monkeypatch.setattr(marks.Marks, "__init__", usual)
        put_papers(library, {"key": "new", "title": "New"})
        usual(self, *args)

    monkeypatch.setattr(marks.Marks, "__init__", later)
    other = open_library()
    assert other.notices == []
    assert other.entry("new").paper.title == "New"


def test_a_list_shows_its_papers_though_the_file_was_written_anew_in_another_order(
    library: Library, folder: Path
) -> None:
    rows = library.listing("all")
    wanted = [entry.paper.key for entry in library.listing("all")]
    path = folder / "papers.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.unlink()
    path.write_bytes(b"".join(reversed(lines[1:])))
    assert library.refresh()
    assert [entry.paper.key for entry in rows] == ["", *wanted[1:]]
    assert [entry.paper.key for entry in library.listing("all")] == wanted[:0:-1]
    assert library.next_unread(rows.numbers, 0, 1) == 0
    assert library.keys(rows.numbers) == wanted[:0:-1]


def test_a_mark_is_saved_though_its_paper_cannot_be_read_any_more(
    library: Library, open_library: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> object:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(type(library._catalogue._contents), "paper_at", fails)
    (entry,) = library.mark({"moe": Change(starred=True)})
    assert entry.mark.starred
    assert library.write_note("moe", "kept").note == "kept"
    assert any("cannot be read any more: Input/output error" in one for one in library.notices)
    monkeypatch.undo()
    again = open_library().entry("moe")
    assert (again.mark.starred, again.note) == (True, "kept")
