"""What is written is read back as the same papers, as far as the format goes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest
from anchorlight.store import Change, Entry, Mark, Paper, Status
from anchorlight.store.exporting import FORMATS, Options, export
from anchorlight.store.formats import cells, read
from anchorlight.store.formats.found import FoundPaper
from anchorlight.store.formats.input import Input
from anchorlight.store.text import clean_line, fingerprint_text
from hypothesis import assume, given
from hypothesis import strategies as st

from ..helpers import Gathered, gathered
from .papers import ENTRIES, hostile_entries


def written(entries: Iterable[Entry], form: str, options: Options | None = None) -> str:
    return "".join(export(entries, form, options))


def read_back(entries: Iterable[Entry], form: str, name: str = "") -> Gathered:
    text = written(entries, form)
    return gathered(read(Input.of(text.encode("utf-8", "surrogatepass")), name))


def tags_of(found: FoundPaper) -> tuple[str, ...]:
    return found.change.add_tags if found.change else ()


def ris_of(paper: Paper) -> Paper:
    """A paper as RIS can tell it: an arXiv id is told by an address, which then is known."""
    arxiv = paper.ids.get("arxiv")
    kind = "article" if arxiv and paper.type is None else paper.type
    address = f"https://arxiv.org/abs/{arxiv}" if arxiv else None
    return replace(paper, key="", url=paper.url or address, type=kind)


def csl_of(paper: Paper) -> Paper:
    """A paper as CSL-JSON can tell it: every item has a type, and an address if there is any."""
    return replace(paper, url=paper.link, type=paper.type or "document", files=())


def csv_of(paper: Paper) -> Paper:
    """A paper as a table tells it: what the column "Type" says is taken for the type."""
    details = {name: text for name, text in paper.details.items() if name != "genre"}
    assume(not (len(paper.authors) == 1 and ", Jr.," in paper.authors[0]))  # reads as two names
    return replace(paper, details=details)


@pytest.mark.parametrize(("form", "told"), [("ris", ris_of), ("csl-json", csl_of), ("csv", csv_of)])
@given(entries=st.lists(ENTRIES, min_size=1, max_size=3))
def test_papers_are_read_back(
    form: str, told: Callable[[Paper], Paper], entries: list[Entry]
) -> None:
    found = read_back(entries, form)
    assert (found.refused, found.guesses) == ([], [])
    for one, entry in zip(found.papers, entries, strict=True):
        expected = told(entry.paper)
        shown = replace(one.paper, details=dict(one.paper.details), version=None)
        assert shown == replace(expected, details=dict(expected.details))
        assert tags_of(one) == entry.mark.tags


@given(st.lists(ENTRIES, max_size=3))
def test_our_own_format_loses_nothing(entries: list[Entry]) -> None:
    found = read_back(entries, "json")
    assert found.refused == []
    for one, entry in zip(found.papers, entries, strict=True):
        assert one.paper == entry.paper
        change = one.change or Change()
        assert change.applied(Mark()) == replace(entry.mark, changed=None)
        assert one.note == entry.note
        assert one.anchors == entry.anchors


@given(st.lists(ENTRIES, max_size=4))
def test_a_list_is_read_back_as_a_list(entries: list[Entry]) -> None:
    left_out: list[str] = []
    text = "".join(export(entries, "txt", Options("A  title"), left_out))
    (found,) = gathered(read(Input.of(text))).lists
    assert found.anchor.title == "A title"
    held = [entry.paper for entry in entries if entry.paper.abstract]
    assert [(paper.abstract, paper.truncated) for paper in found.papers] == [
        (paper.abstract, paper.truncated) for paper in held
    ]
    assert len(left_out) == len(entries) - len(held)


def test_a_list_without_a_title_has_one() -> None:
    assert written([], "txt") == "Related papers: Papers\n"


@pytest.mark.parametrize("form", FORMATS)
def test_no_papers_are_written_too(form: str) -> None:
    text = written([], form)
    assert form in ("ris", "bibtex") or text.endswith("\n")


@pytest.mark.parametrize("form", FORMATS)
@given(entry=hostile_entries())
def test_whatever_a_paper_holds_can_be_written(form: str, entry: Entry) -> None:
    assert isinstance(written([entry], form), str)


@given(hostile_entries())
def test_ris_has_one_record_a_paper_whatever_its_texts_hold(entry: Entry) -> None:
    found = read_back([entry, entry], "ris", "ris")
    assert len(found.papers) + len(found.refused) == 2


@given(hostile_entries())
def test_json_is_json_whatever_the_texts_hold(entry: Entry) -> None:
    assert len(json.loads(written([entry, entry], "csl-json"))) == 2
    assert len(json.loads(written([entry, entry], "json"))["papers"]) == 2


@given(hostile_entries())
def test_no_cell_is_a_formula_and_every_text_comes_back(entry: Entry) -> None:
    text = written([entry], "csv").removeprefix("\ufeff")
    header, row = csv.reader(io.StringIO(text, newline=""))
    assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row)
    table = dict(zip(header, row, strict=True))
    assert cells.restored(table["Title"]) == (entry.paper.title or "")
    assert cells.restored(table["Notes"]) == entry.note


@given(st.text(alphabet="'=+-@ab\t") | st.text())
def test_cells_come_back(text: str) -> None:
    assert cells.restored(cells.defused(text)) == text


@pytest.mark.parametrize("title", ["=1+1 is a title", "'=1 is a title", "@home with it", "-x-"])
def test_titles_that_look_like_formulas_are_read_back_from_tables(title: str) -> None:
    (found,) = read_back([Entry(Paper("k1", title=title, abstract="Words."))], "csv").papers
    assert found.paper.title == title


def test_texts_that_are_no_formulas_stay_as_they_are() -> None:
    assert [cells.defused(text) for text in ("'a'", "1-2", "a=b", "")] == ["'a'", "1-2", "a=b", ""]
    assert cells.defused("=1+1") == "'=1+1"


@pytest.mark.parametrize("form", [name for name in FORMATS if name != "txt"])
def test_notes_can_be_left_at_home(form: str) -> None:
    entry = Entry(Paper("k1", title="A title"), note="SECRET")
    assert "SECRET" in written([entry], form)
    assert "SECRET" not in written([entry], form, Options(notes=False))


def test_lines_of_a_note_are_not_taken_for_tags() -> None:
    entry = Entry(Paper("k1", title="A title"), note="first\nER  - \nTY  - JOUR")
    (found,) = read_back([entry], "ris").papers
    assert found.note == "first\nER  -\nTY  - JOUR"


def test_csl_json_is_what_csl_says() -> None:
    paper = Paper(
        "doe2020", title="A title", authors=("Doe, Jr., Jo", "{The Group}"), year=2020,
        date="2020-05/2020-06", venue="Journal of X", ids={"doi": "10.1000/x", "mag": "7"},
        details={"page": "1–2", "editor": "A. Bee and C. Dee", "accessed": "yesterday"},
    )  # fmt: skip
    (item,) = json.loads(written([Entry(paper, Mark(Status.READ, starred=True))], "csl-json"))
    assert item == {
        "id": "doe2020", "type": "document", "title": "A title", "container-title": "Journal of X",
        "author": [{"family": "Doe", "given": "Jo", "suffix": "Jr."}, {"literal": "The Group"}],
        "editor": [{"family": "Bee", "given": "A."}, {"family": "Dee", "given": "C."}],
        "issued": {"raw": "2020-05/2020-06"}, "accessed": {"raw": "yesterday"},
        "page": "1–2", "DOI": "10.1000/x", "URL": "https://doi.org/10.1000/x",
        "note": "mag: 7", "custom": {"starred": True, "status": "read"},
    } | {"issued": {"date-parts": [[2020, 5], [2020, 6]]}}  # fmt: skip


def test_writing_takes_one_paper_at_a_time() -> None:
    asked: list[int] = []

    def entries() -> Any:
        for number in range(3):
            asked.append(number)
            yield Entry(Paper(f"k{number}", title="A title", abstract="Words."))

    for form in ("ris", "csl-json", "csv", "json", "txt"):
        asked.clear()
        pieces = export(entries(), form)
        while "A title" not in (piece := next(pieces)) and "Words" not in piece:
            pass
        assert asked == [0]


@given(st.lists(hostile_entries(), max_size=3))
def test_no_list_holds_more_papers_than_there_are(entries: list[Entry]) -> None:
    text = written(entries, "txt", Options("T"))
    (found,) = gathered(read(Input.of(text.encode("utf-8", "replace")))).lists
    told = [one for one in entries if fingerprint_text(clean_line(one.paper.abstract or ""))]
    assert len(found.papers) <= len(told)
