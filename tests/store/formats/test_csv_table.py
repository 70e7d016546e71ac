from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import Change, Paper
from anchorlight.store.formats import csv_table, read
from anchorlight.store.formats.input import Input
from hypothesis import given
from hypothesis import strategies as st

from ..helpers import Gathered, gathered


def parse(text: str, name: str = "") -> Gathered:
    return gathered(read(Input.of(text), name))


def one(*rows: list[str]) -> Any:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    (found,) = parse(out.getvalue(), "csv").papers
    return found


def test_a_row_of_zotero_is_read_whole() -> None:
    found = one(
        ["Key", "Item Type", "Publication Year", "Author", "Title", "Publication Title", "ISSN",
         "DOI", "Url", "Abstract Note", "Date", "Date Added", "Pages", "Issue", "Volume", "Type",
         "Extra", "Notes", "File Attachments", "Manual Tags", "Automatic Tags", "Editor"],
        ["ABCD2345", "journalArticle", "2019", "van der Berg, Jan; Garcia Lopez, Ana; {x",
         "On <i>naps</i>", "J. of Naps", "1234-5678", "10.1000/X", "https://example.org",
         "One.\nTwo.", "2019-05-03", "2020-01-01", "1-9", "2", "3", "",
         "PMID: 5\nworth it", "<p>My <b>note</b></p>",
         "C:\\x\\a.pdf; b.pdf", "sleep; Models, Theoretical", "auto", "Roe, R."],
    )  # fmt: skip
    assert found.paper == Paper(
        "", title="On naps", authors=("Jan van der Berg", "Garcia Lopez, Ana", "x"), year=2019,
        venue="J. of Naps", abstract="One.\nTwo.",
        ids={"doi": "10.1000/x", "zotero": "ABCD2345", "pmid": "5"}, url="https://example.org",
        type="article-journal", date="2019-05-03",
        details={"volume": "3", "issue": "2", "page": "1–9", "ISSN": "1234-5678",
                 "editor": "R. Roe"},
        files=("C:\\x\\a.pdf", "b.pdf"),
    )  # fmt: skip
    assert found.change == Change(add_tags=("sleep", "Models, Theoretical", "auto"))
    assert found.note == "My note\n\nworth it"


def test_a_row_of_scopus_is_read_whole() -> None:
    found = one(
        ["Authors", "Author full names", "Author(s) ID", "Title", "Year", "Source title",
         "Art. No.", "Page start", "Page end", "DOI", "Link", "Abstract", "Author Keywords",
         "Index Keywords", "PubMed ID", "Document Type", "Source", "EID"],
        ["Garcia Lopez M.J.", "Garcia Lopez, Maria Jose (57193000000)", "1", "T", "2020", "", "e7",
         "11", "19", "10.1000/x", "https://scopus.com/x", "[No abstract available]",
         "sleep; naps", "Humans", "77", "Conference paper", "Scopus", "2-s2.0-1"],
    )  # fmt: skip
    told = found.paper
    assert told.authors == ("Garcia Lopez, Maria Jose",)
    assert (told.abstract, told.venue, told.type) == (None, None, "paper-conference")
    assert (told.details["page"], told.details["number"]) == ("11–19", "e7")
    assert found.change == Change(add_tags=("sleep", "naps"))


@pytest.mark.parametrize(
    ("cell", "names"),
    [
        ("Lim SM, Shiau CWC, Lau Y.", ("SM Lim", "CWC Shiau", "Y Lau")),
        ("N. A. Vandal; M. Savvides", ("N. A. Vandal", "M. Savvides")),
        ("['Marx, Karl', 'Lindgren, Astrid']", ("Karl Marx", "Astrid Lindgren")),
        ("Liu R., Adler D.G.", ("R. Liu", "D.G. Adler")),
        ("", ()),
    ],
)
def test_authors_come_in_many_lists(cell: str, names: tuple[str, ...]) -> None:
    assert one(["title", "authors"], ["T", cell]).paper.authors == names


@pytest.mark.parametrize(
    ("cell", "tags"),
    [("a; b, c", ("a", "b, c")), ("a, b (c, d)", ("a", "b (c, d)")), ("['a', 'b']", ("a", "b")),
     ("a|b", ("a", "b"))],
)  # fmt: skip
def test_keywords_come_in_many_lists(cell: str, tags: tuple[str, ...]) -> None:
    assert one(["title", "keywords"], ["T", cell]).change == Change(add_tags=tags)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_first_row_tells_what_parts_the_columns(delimiter: str, mark: str) -> None:
    rows = [["Article Title", "Authors", "Year"], ["A", "Doe, J.; Roe, R.", "2020"]]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows(rows)
    parsed = parse(mark + out.getvalue())
    (found,) = parsed.papers
    assert (parsed.format, parsed.guesses, parsed.refused) == ("csv", [], [])
    assert found.paper == Paper("", title="A", authors=("J. Doe", "R. Roe"), year=2020)


def test_what_the_first_row_does_not_tell_for_certain_is_told() -> None:
    parsed = parse("title,x;doi\nA,1;10.1000/x\n", "csv")
    assert parsed.guesses == ["its columns are taken to be parted by commas"]


@pytest.mark.parametrize(
    "text",
    [
        "Title, abstract and keywords were screened, by two reviewers.\nThen, we napped.",
        "Abstract\n\nWe nap.",
        "TY  - JOUR\nTI  - T\n",
        "@article{a, title = {T}, year = 2020}",
        '{"title": "T", "year": 2020}',
        "Related papers: title, year\n\nabstract, doi",
        "name,age\na,1\n",
        "<title,year>",
        "\n",
    ],
)
def test_what_is_no_table_of_papers_is_not_taken_for_one(text: str) -> None:
    assert not csv_table.looks_like(text)


def test_a_table_without_titles_is_refused() -> None:
    parsed = parse("name,age\na,1\n", "csv")
    assert [one.reason for one in parsed.refused] == ["no column is called title, abstract or DOI"]


def test_cells_may_be_very_long_and_hold_line_breaks() -> None:
    long = "word " * 40_000
    parsed = parse(f'title,abstract,year\nA,"One\n\ntwo, ""three""",2020\nB,"{long}",2021\n')
    first, second = (found.paper for found in parsed.papers)
    assert first.abstract == 'One\n\ntwo, "three"'
    assert second.abstract == long.strip()


def test_rows_with_other_numbers_of_cells_are_told() -> None:
    parsed = parse("title,year,doi\nA,2020,,,\nB,of sleep,2020,10.1000/x\nC,2021\n\n,,\nD,2022,\n")
    assert [found.paper.title for found in parsed.papers] == ["A", "C", "D"]
    (refusal,) = parsed.refused
    assert (refusal.line, refusal.entry) == (3, "B")
    assert refusal.reason == "it has 4 cells for 3 columns"
    assert parsed.guesses == ["1 of its rows have fewer cells than there are columns"]


def test_a_quotation_mark_without_end_costs_its_line_alone() -> None:
    parsed = parse('title,year\nA,2020\n"B,2021\nC,2022\nD,2023\n')
    assert [found.paper.title for found in parsed.papers] == ["A", "C", "D"]
    assert [one.line for one in parsed.refused] == [3]


def test_a_cell_beyond_all_bounds_costs_its_row_alone() -> None:
    parsed = parse("title,year\nA,2020\n" + "x" * (1 << 24) + "x,2021\nB,2022\n")
    assert [found.paper.title for found in parsed.papers] == ["A", "B"]
    assert [one.line for one in parsed.refused] == [3]


def test_rows_that_tell_no_paper_are_refused() -> None:
    parsed = parse("title,year\n,2020\n")
    assert ["to know the paper by" in one.reason for one in parsed.refused] == [True]


@pytest.mark.parametrize(
    ("source", "venue", "year"),
    [("Cancer (2004) 102:4 (253-258). Date: 2004", "Cancer", 2004), ("Cancer", "Cancer", None)],
)
def test_embase_tells_the_year_with_the_source(source: str, venue: str, year: int | None) -> None:
    told = one(["Title", "Source"], ["T", source]).paper
    assert (told.venue, told.year) == (venue, year)


def test_columns_are_known_by_meaning() -> None:
    told = one(
        ["abstract ", "place_published", "publication_year", "type_of_reference", "Start_Page",
         "Item DOI", "id"],
        ["Words.", "Bern", "2014//", "JOUR", "e7", "https://doi.org/10.1000/x", "99"],
    ).paper  # fmt: skip
    assert told == Paper(
        "", year=2014, abstract="Words.", ids={"doi": "10.1000/x"}, type="article-journal",
        details={"publisher-place": "Bern", "page": "e7"},
    )  # fmt: skip


CELLS = st.text(st.sampled_from("ab,;\"\n\t|é\x9b[]'."), max_size=12)


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=5))
def test_every_row_that_is_written_is_read_or_refused(rows: list[list[str]]) -> None:
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([["title", "abstract", "authors"], *rows])
    parsed = parse(out.getvalue(), "csv")
    full = sum(any(map(str.strip, row)) for row in rows)
    assert len(parsed.papers) + len(parsed.refused) == full


@given(st.text(st.sampled_from('ab,;"\n\t')))
def test_no_text_raises(text: str) -> None:
    parsed = parse("title,doi\n" + text, "csv")
    lines = sum(bool(line.strip(' ,;"\t')) for line in text.split("\n"))
    assert not lines or parsed.papers or parsed.refused


def test_real_tables_are_read_whole(shared: Path) -> None:
    folder = shared / "corpora" / "csv"
    paths = sorted(folder.glob("*.?sv"))
    if not paths:
        pytest.skip("the corpora do not lie beside the cases")
    total = 0
    for path in paths:
        parsed = gathered(read(Input.of(path.read_bytes())))
        text = io.StringIO(path.read_text("utf-8-sig"), newline="")
        rows = list(csv.reader(text, delimiter="\t" if "tab" in path.name else ","))
        assert (parsed.format, parsed.refused, parsed.guesses) == ("csv", [], []), path.name
        assert len(parsed.papers) == len(rows) - 1, path.name
        total += len(parsed.papers)
    assert (len(paths), total) == (10, 91)


def test_a_table_of_the_web_of_science_is_known_by_its_tags() -> None:
    parsed = parse("PT\tAU\tAF\tTI\tSO\tDI\tPM\tSN\tPY\nJ\tDoe, J\tDoe, Jo; Roe, R\tT\tJ. of T\t"
                   "10.1000/x\t7\t1234-5678\t2020\n")  # fmt: skip
    (found,) = parsed.papers
    assert found.paper == Paper(
        "", title="T", authors=("Jo Doe", "R Roe"), year=2020, venue="J. of T",
        ids={"doi": "10.1000/x", "pmid": "7"}, details={"ISSN": "1234-5678"},
    )  # fmt: skip
