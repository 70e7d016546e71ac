from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from anchorlight.store import Change, Library, NoSuchPaperError, NotSavedError, Paper, Status
from anchorlight.store.catalogue import Catalogue
from anchorlight.store.formats import read
from anchorlight.store.formats.found import Found, FoundList, FoundPaper, Kind
from anchorlight.store.formats.input import Input
from anchorlight.store.importing import (
    PART_ENTRIES,
    Begin,
    Doing,
    End,
    FileReport,
    Importer,
    Options,
    found_in,
    inputs_in,
)
from anchorlight.store.marks import Marks
from anchorlight.store.notes import CONFLICT
from hypothesis import given, settings
from hypothesis import strategies as st

from .helpers import Open, Put, contents, full, state

NOW = "2026-01-15T12:00:00+00:00"


class Into:
    """Files that are imported as a library does it."""

    def __init__(self, folder: Path) -> None:
        self.catalogue = Catalogue(folder / "papers.jsonl")
        self.marks = Marks(folder / "marks.json")

    def take(
        self, *found: Found, name: str = "list.txt", options: Options | None = None
    ) -> FileReport:
        importer = Importer(self.catalogue, self.marks, options or Options())
        importer.take([Begin(Path(name)), *found, End()], NOW)
        (report,) = importer.reports
        span = self.catalogue.commit()
        self.marks.change("import", NOW, importer.changes, importer.notes, span)
        return report

    def seed(self, title: str, *abstracts: str, name: str = "list.txt") -> FileReport:
        text = "\n\n".join((f"Related papers: {title}", *abstracts))
        return self.take(*read(Input.of(text, f"/nonexistent/{name}")), name=name)

    def papers(self, *found: FoundPaper) -> FileReport:
        return self.take(Kind("jsonl"), *found, name="papers.jsonl")

    def close(self) -> None:
        self.catalogue.close()
        self.marks.close()


@pytest.fixture
def into(tmp_path: Path) -> Iterator[Into]:
    into = Into(tmp_path)
    yield into
    into.close()


LONG = "Routing tokens to experts leaves some of the devices idle while others run out of memory, "
OPENING = LONG * 2
SENTENCES = (
    "One…", "Two…", "Two.", "No abstract available.", "---", OPENING[:150] + "…",
    OPENING[:170] + "…", OPENING, OPENING + "first end.", OPENING + "second end.", "東京大学…",
    r"na\"{i}ve…", LONG + "…", LONG,
)  # fmt: skip


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["", "One…", "A title", "A rather long title that was cut at some wo…"]
            ),
            st.lists(st.sampled_from(SENTENCES), max_size=6),
        ),
        min_size=1,
        max_size=3,
    )
)
def test_importing_the_same_lists_again_changes_nothing(files: list[tuple[str, list[str]]]) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(Into(Path(folder))) as into:
        for number, (title, texts) in enumerate(files):
            into.seed(title, *texts, name=f"{number}.txt")
        before = (Path(folder) / "papers.jsonl").read_bytes()
        for number, (title, texts) in enumerate(files):
            report = into.seed(title, *texts, name=f"{number}.txt")
            assert (report.added, report.updated) == (0, 0)
            assert report.unchanged == 1 + len(texts) - texts.count("---")
            assert len(report.refused) == texts.count("---")
        assert (Path(folder) / "papers.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "papers",
    [
        [Paper("k", title="Keyed")],
        [Paper("", title="Only a title")],
        [Paper("", title="A title and an author", authors=("A B",))],
        [Paper("", title="The same"), Paper("", title="The same")],
        [Paper("k", title="One"), Paper("k", title="Two")],
        [
            Paper("", title="T", ids={"doi": "10.1000/x"}),
            Paper("", title="U", ids={"doi": "10.1000/x"}),
        ],
        [Paper("", abstract="Short.")],
        [Paper("", title="T", abstract="Short.")],
    ],
)
def test_importing_the_same_records_again_changes_nothing(
    into: Into, tmp_path: Path, papers: list[Paper]
) -> None:
    into.papers(*map(FoundPaper, papers))
    before = (tmp_path / "papers.jsonl").read_bytes()
    report = into.papers(*map(FoundPaper, papers))
    assert (report.added, report.updated, report.unchanged) == (0, 0, len(papers))
    assert (tmp_path / "papers.jsonl").read_bytes() == before


def test_a_list_is_an_anchor_with_its_papers_in_order(into: Into) -> None:
    report = into.seed("The Anchor", "First words…", "Second words…")
    (anchor,) = report.anchors
    assert (report.read, report.added) == (3, 3)
    reading_list = into.catalogue.lists[anchor]
    texts = [into.catalogue.papers[key].abstract for key in reading_list.papers]
    assert texts == ["First words", "Second words"]
    assert into.catalogue.papers[anchor].title == "The Anchor"
    assert reading_list.source == "list.txt"


def test_an_abstract_in_two_lists_is_one_paper(into: Into) -> None:
    (one,) = into.seed("One", OPENING[:160] + "…", "A…", name="1.txt").anchors
    (two,) = into.seed("Two", "B…", OPENING[:160] + "…", name="2.txt").anchors
    shared = into.catalogue.lists[one].papers[0]
    assert into.catalogue.lists[two].papers[1] == shared
    assert into.catalogue.anchors_of(shared) == (one, two)


def test_a_list_never_loses_a_paper_to_a_shorter_file(into: Into) -> None:
    (anchor,) = into.seed("Anchor", "A…", "B…", "C…").anchors
    before = into.catalogue.lists[anchor]
    assert into.seed("Anchor", "A…", "B…").anchors == [anchor]
    assert into.catalogue.lists[anchor] == before
    into.seed("Anchor", "D…", "A…")
    texts = [into.catalogue.papers[key].abstract for key in into.catalogue.lists[anchor].papers]
    assert texts == ["D", "A", "B", "C"]


def test_two_lists_of_one_title_are_two_or_are_merged_openly(into: Into) -> None:
    into.seed("Plain cut titl…", "First words…", "Second words…", name="1.txt")
    report = into.seed("Plain cut titl…", "First words…", name="2.txt")
    assert len(into.catalogue.lists) == 2 or report.guesses


def test_lists_of_one_title_and_other_papers_stay_apart(into: Into) -> None:
    into.seed("Preface", "First words…", name="1.txt")
    into.seed("Preface", "Other words…", name="2.txt")
    assert len(into.catalogue.lists) == 2


def test_a_full_record_completes_the_paper_of_a_list_and_keeps_its_key(into: Into) -> None:
    (anchor,) = into.seed("Anchor", OPENING[:160] + "…").anchors
    (key,) = into.catalogue.lists[anchor].papers
    record = Paper("zhao", title="Whole", abstract=OPENING, ids={"arxiv": "2101.00001"})
    report = into.papers(FoundPaper(record))
    assert (report.added, report.updated) == (0, 1)
    paper = into.catalogue.papers[key]
    assert (paper.title, paper.abstract, paper.truncated) == ("Whole", OPENING, False)
    assert "zhao" not in into.catalogue.papers


def test_the_newer_version_of_a_preprint_wins(into: Into) -> None:
    for version, text in ((1, "The text before."), (2, "The text after."), (1, "Old again.")):
        record = Paper("k", title="T", abstract=text, ids={"arxiv": "2101.00001"}, version=version)
        into.take(FoundPaper(record), name=f"v{version}.jsonl")
    assert len(into.catalogue.papers) == 1
    assert into.catalogue.papers["k"].abstract == "The text after."


def test_what_the_reader_did_counts_more_than_what_a_file_says(into: Into) -> None:
    paper = Paper("k", title="T")
    into.papers(FoundPaper(paper, Change(Status.READ, add_tags=("a",)), "from file"))
    assert into.marks.mark("k").status is Status.READ
    assert into.marks.note("k") == "from file"
    into.marks.change("mark", NOW, {"k": Change(status=Status.READING, starred=True)})
    into.papers(
        FoundPaper(paper, Change(Status.SKIPPED, starred=False, add_tags=("a", "b")), "other")
    )
    mark = into.marks.mark("k")
    assert (mark.status, mark.starred, mark.tags) == (Status.READING, True, ("a", "b"))
    assert into.marks.note("k") == "from file" + CONFLICT + "other"
    into.papers(FoundPaper(paper, None, "other"))
    assert into.marks.note("k") == "from file" + CONFLICT + "other"


def test_records_join_the_lists_of_their_anchors(into: Into) -> None:
    report = into.papers(
        FoundPaper(Paper("b", title="B"), anchors=("a", "none")), FoundPaper(Paper("a", title="A"))
    )
    assert into.catalogue.lists["a"].papers == ("b",)
    assert "none" in report.guesses[0]
    assert "none" not in into.catalogue.lists


def test_a_record_joins_the_list_of_an_anchor_that_has_another_key_here(into: Into) -> None:
    into.papers(FoundPaper(Paper("here", title="T", ids={"doi": "10.1000/x"})))
    into.papers(
        FoundPaper(Paper("there", title="T", ids={"doi": "10.1000/x"})),
        FoundPaper(Paper("b", title="B"), anchors=("there",)),
    )
    assert into.catalogue.lists["here"].papers == ("b",)


def test_a_paper_never_stands_in_its_own_list(into: Into) -> None:
    into.papers(FoundPaper(Paper("a", title="A"), anchors=("a",)))
    assert "a" not in into.catalogue.lists


def test_an_anchor_among_its_papers_stands_there_once(into: Into) -> None:
    paper = Paper("", title="T", ids={"doi": "10.1000/x"})
    into.take(FoundList(paper, (paper, paper, Paper("", title="U"))))
    (reading_list,) = into.catalogue.lists.values()
    assert len(set(reading_list.papers)) == len(reading_list.papers)


def test_a_report_counts_every_entry(into: Into) -> None:
    report = into.seed("Anchor", "A…", "---", "B…")
    assert report.to_json() == {
        "path": "list.txt", "format": "seed", "read": 3, "added": 3, "updated": 0, "unchanged": 0,
        "refused": [{"line": 5, "entry": "abstract 2", "reason": report.refused[0].reason}],
        "guesses": [], "whole": True,
    }  # fmt: skip


def test_a_folder_is_looked_into_and_a_named_file_always_read(tmp_path: Path) -> None:
    for name in ("b.txt", "a.JSONL", "notes.md", "seed-facts.json", "c.json", "sub/d.txt"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("")
    (tmp_path / "dir.txt").mkdir()
    (tmp_path / ".hidden.txt").write_text("")
    named = tmp_path / "notes.md"
    names = [path.name for path in inputs_in([tmp_path, named])]
    assert sorted(names) == ["a.JSONL", "b.txt", "c.json", "notes.md"]


@pytest.mark.parametrize("name", ["none.txt", "folder"])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    ((refusal, _),) = found_in(tmp_path / name, Options())
    assert "cannot be read" in refusal.reason


@pytest.mark.parametrize(("name", "target"), [("here", "here"), ("away", "nowhere.bib")])
def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path, name: str, target: str) -> None:
    (tmp_path / name).symlink_to(tmp_path / target)
    assert list(inputs_in([tmp_path / name])) == [tmp_path / name]
    ((refusal, _),) = found_in(tmp_path / name, Options())
    assert "cannot be read" in refusal.reason


# Through a library: in parts, by trial, into a list


def lines(count: int, **more: object) -> str:
    return "".join(
        json.dumps({"key": f"k{number}", "title": f"Title {number}", **more}) + "\n"
        for number in range(count)
    )


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """A file of more than two parts."""
    file = tmp_path / "big.jsonl"
    file.write_text(lines(2 * PART_ENTRIES + 500, tags=["big"], note="From the file."))
    return file


def test_a_large_file_is_one_step_to_undo(library: Library, big: Path) -> None:
    before = state(library)
    (report,) = library.import_files([big])
    assert (report.added, report.is_whole) == (2 * PART_ENTRIES + 500, True)
    step = library.undo()
    assert step
    assert step.what == f"import of {report.added} papers"
    assert state(library) == before
    library.redo()
    entry = library.entry("k2100")
    assert (entry.mark.tags, entry.note) == (("big",), "From the file.")
    assert library.entry("k1").mark.tags == ("big",)


def test_papers_alone_are_one_step_to_undo(library: Library, tmp_path: Path) -> None:
    before = state(library)
    file = tmp_path / "big.jsonl"
    file.write_text(lines(3 * PART_ENTRIES))
    library.import_files([file])
    step = library.undo()
    assert step
    assert step.what == f"import of {3 * PART_ENTRIES} papers"
    assert state(library) == before
    library.redo()
    assert len(library) == len(before[0]) + 3 * PART_ENTRIES


def test_an_import_that_is_ended_keeps_what_it_told(library: Library, big: Path) -> None:
    before = len(library)
    told: list[Doing] = []

    def going_on(doing: Doing) -> bool:
        told.append(doing)
        return doing.entries < PART_ENTRIES + 300

    (report,) = library.import_files([big], going_on=going_on)
    assert not report.is_whole
    assert len(library) - before == report.added == told[-1].entries < 2 * PART_ENTRIES
    assert all(one.size == big.stat().st_size and one.done <= one.size for one in told)
    (report,) = library.import_files([big])
    assert report.is_whole
    assert report.added + report.unchanged == 2 * PART_ENTRIES + 500


def test_what_was_stored_before_a_disk_was_full_is_told_and_taken_back(
    library: Library, big: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = state(library)

    def going_on(doing: Doing) -> bool:
        if doing.entries > PART_ENTRIES:
            monkeypatch.setattr(os, "pwrite", full)
        return True

    with pytest.raises(NotSavedError) as raised:
        library.import_files([big], going_on=going_on)
    assert f"{PART_ENTRIES} papers" in raised.value.hint
    monkeypatch.undo()
    library.undo()
    assert state(library) == before


def test_a_librarys_own_papers_are_known_again(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "types.jsonl"
    file.write_text('{"key": "own", "title": "Of a type", "type": "article-journal"}\n')
    library.import_files([file])
    count = len(library)
    (report,) = library.import_files([library.folder / "papers.jsonl"])
    assert (report.added, report.updated, len(library)) == (0, 0, count)
    assert all("merge" in one.reason for one in report.refused)


def test_another_program_may_write_between_two_parts(
    library: Library, open_library: Open, big: Path
) -> None:
    other = open_library()

    def going_on(doing: Doing) -> bool:
        if doing.entries == PART_ENTRIES + 100:
            other.mark({"moe": Change(starred=True)})
        return True

    library.import_files([big], going_on=going_on)
    assert library.entry("moe").mark.starred
    other.refresh()
    assert state(other) == state(library)
    other.undo()
    other.close()


def test_a_trial_reports_what_the_import_will_and_changes_nothing(
    library: Library, folder: Path, big: Path
) -> None:
    before, shown = contents(folder), state(library)
    (tried,) = library.import_files([big], dry_run=True)
    assert contents(folder) == before
    assert state(library) == shown
    (report,) = library.import_files([big])
    assert report.to_json() == tried.to_json()


def test_papers_join_the_list_of_an_anchor(
    library: Library, put_papers: Put, tmp_path: Path
) -> None:
    file = tmp_path / "some.jsonl"
    file.write_text(lines(3))
    for name in ("moe", "Memory-Aware Scheduling for MoE Training"):
        library.import_files([file], Options(anchor=name))
        assert library.reading_list("moe").papers == ("k0", "k1", "k2")
    count = len(library)
    library.import_files([file], Options(anchor="A New Anchor"))
    assert len(library) == count + 1
    library.import_files([file], Options(anchor="a new anchor"))
    assert len(library) == count + 1
    (row,) = [row for row in library.overview().anchors if row.title == "A New Anchor"]
    assert row.papers == 3
    put_papers(
        library,
        {"key": "anew", "title": "A New Anchorage", "anchors": ["anew"]},
        {"key": "in", "anchors": ["anew"]},
    )
    with pytest.raises(NoSuchPaperError, match="can mean 2 anchors"):
        library.import_files([file], Options(anchor="A New"))


def test_notes_of_other_programs_are_taken_when_asked(into: Into) -> None:
    found = FoundPaper(Paper("a", title="A"), note="From there.")
    report = into.take(Kind("bibtex"), found)
    assert "--notes" in report.guesses[0]
    assert into.marks.note("a") == ""
    into.take(Kind("bibtex"), found, options=Options(takes_notes=True))
    assert into.marks.note("a") == "From there."


def test_tags_of_two_records_of_one_paper_are_joined(into: Into) -> None:
    into.papers(
        *(FoundPaper(Paper("", title="A", ids={"doi": "10.1000/a"}), Change(add_tags=(tag,)))
          for tag in ("one", "two", "One"))
    )  # fmt: skip
    (key,) = into.catalogue.papers
    assert into.marks.mark(key).tags == ("one", "two")


def test_patterns_name_several_files(tmp_path: Path) -> None:
    for name in ("a.bib", "b.bib", "c[1].bib"):
        (tmp_path / name).write_text("")
    assert [*inputs_in([tmp_path / "?.bib"])] == [tmp_path / "a.bib", tmp_path / "b.bib"]
    assert [*inputs_in([tmp_path / "c[1].bib"])] == [tmp_path / "c[1].bib"]
    assert [*inputs_in([tmp_path / "*.ris"])] == [tmp_path / "*.ris"]
