"""RIS, PubMed, EndNote and Web of Science: what their many writers do to them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from anchorlight.store import Paper
from anchorlight.store.formats import read
from anchorlight.store.formats.found import FoundPaper
from anchorlight.store.formats.input import Input
from hypothesis import given
from hypothesis import strategies as st

from ..helpers import Gathered, gathered

FORMATS = ("ris", "nbib", "endnote", "wos")
LINES = {
    "ris": (
        "TY  - JOUR", "TY  - ", "TI  - A title", "AB  - Words", "ER  - ", "ER  -", "AU  - Doe, J",
        "KW  - a; b", "PY  - 2001///", "DO  - 10.1000/x", "C1  - junk", "SN  - 1234-5678",
    ),
    "nbib": (
        "PMID- 123", "TI  - A title.", "      goes on", "AB  - Words", "FAU - Doe, Jo",
        "DP  - 2001 May", "PG  - 1-9", "LID - 10.1000/x [doi]", "PT  - Preprint",
    ),
    "endnote": (
        "%0 Book", "%0", "%T A title", "%A Doe, Jo", "%X Words", "%D 2001", "%R 10.1000/x",
        "%@ 1234-5678", "%K a",
    ),
    "wos": (
        "FN Thing", "VR 1.0", "PT J", "TI A title", "   goes on", "AU Doe, J", "ER", "EF",
        "PY 2001", "UT WOS:1",
    ),
}  # fmt: skip
TELLING = {
    "ris": ("TY", "TI", "T1", "CT", "BT", "AB", "N2", "DO"),
    "nbib": ("PMID", "TI", "BTI", "AB"),
    "endnote": ("%",),
    "wos": ("PT", "TI", "AB"),
}
"""How the lines begin of which every record has one."""


def parse(text: str, name: str = "") -> Gathered:
    return gathered(read(Input.of(text.encode("utf-8", "surrogatepass")), name))


def one(text: str, name: str = "") -> FoundPaper:
    parsed = parse(text, name)
    assert parsed.refused == []
    (found,) = parsed.papers
    return found


def paper(text: str, name: str = "") -> Paper:
    return one(text, name).paper


def ris(*lines: str) -> str:
    return "\n".join(("TY  - JOUR", *lines, "ER  - ", ""))


# RIS: where records begin and end


def test_what_stands_between_records_is_no_record() -> None:
    parsed = parse(
        "Search of 3 May\nHost: somewhere\n\n"
        + ris("TI  - One")
        + "\nFound at: https://a.org\n\nC1  - Base: one\n\nLines:\n1   a/ (12)\n\n2. \n"
        + ris("TI  - Two")
    )
    assert [found.paper.title for found in parsed.papers] == ["One", "Two"]
    assert (parsed.format, parsed.refused, parsed.guesses) == ("ris", [], [])


def test_lines_that_only_look_like_tags_go_on_with_the_text() -> None:
    text = ris(
        "AB  - Patients in",
        "ER wards, and the word",
        "TY too. A - B",
        "AI - a threat",
        "PY  - 2005",
    )
    found = paper(text)
    assert found.abstract == "Patients in ER wards, and the word TY too. A - B AI - a threat"
    assert found.year == 2005


def test_one_blank_before_the_hyphen_is_enough_where_the_file_does_so_throughout() -> None:
    assert paper("TY - JOUR\nTI - A title\nER - \n").title == "A title"


def test_the_type_may_come_late() -> None:
    found = paper("DB  - X\nTI  - A title\nTY  - CHAP\nER  - \n")
    assert (found.title, found.type) == ("A title", "chapter")


def test_a_record_without_a_type_is_one_if_it_has_a_title() -> None:
    parsed = parse(ris("TI  - One") + "TI  - Two\nER  - \n\nDB  - no paper\nER  - \n")
    assert [found.paper.title for found in parsed.papers] == ["One", "Two"]
    assert parsed.papers[1].paper.type is None


def test_records_that_are_not_closed_are_told_and_stay_apart() -> None:
    parsed = parse("TY  - JOUR\nTI  - One\n\nTY  - BOOK\nTI  - Two\nER  -\n")
    assert [found.paper.title for found in parsed.papers] == ["One", "Two"]
    assert parsed.guesses == ["the record at line 1 is not closed by ER"]
    parsed = parse("TY  - JOUR\nTI  - T\n" * 9)
    assert len(parsed.papers) == 9
    assert parsed.guesses == ["9 records are not closed by ER: lines 1, 3, 5, 7, 9 …"]


@pytest.mark.parametrize("end", ["ER  - ", "ER  -", "ER  - 12", "ER  -\t"])
def test_an_end_may_have_anything_behind_it(end: str) -> None:
    assert parse(f"TY  - JOUR\nTI  - One\n{end}\n").guesses == []


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_ends_and_a_byte_order_mark_are_no_part_of_values(ends: str) -> None:
    text = ris("TI  - A title", "AB  - Words", "on two lines").replace("\n", ends)
    found = paper("\ufeff" + text)
    assert (found.title, found.abstract) == ("A title", "Words on two lines")


def test_an_entry_with_nothing_to_know_it_by_is_refused_with_its_line() -> None:
    parsed = parse(ris("TI  - One") + "\nTY  - GEN\nN1  - only a note\nER  - \n")
    assert len(parsed.papers) == 1
    (refusal,) = parsed.refused
    assert refusal.line == 5
    assert "to know the paper by" in refusal.reason


# RIS: what the fields mean


def test_tags_have_older_names() -> None:
    found = paper(ris("T1  - A title", "A1  - Doe, Jo", "N2  - Words.", "Y1  - 2009/05//"))
    assert found == Paper(
        "", title="A title", authors=("Jo Doe",), abstract="Words.", year=2009, date="2009-05",
        type="article-journal",
    )  # fmt: skip


@pytest.mark.parametrize("words", ["NA", "N/A", "[No abstract available]", "No abstract", ""])
def test_words_that_say_there_is_no_abstract_are_none(words: str) -> None:
    assert paper(ris("TI  - T", f"AB  - {words}")).abstract is None


def test_the_day_of_access_is_not_when_it_came_out() -> None:
    assert paper(ris("TI  - T", "Y2  - 2019/03/28", "PY  - 2005")).year == 2005
    assert paper(ris("TI  - T", "Y2  - 2019/03/28")).year is None


@pytest.mark.parametrize(
    ("lines", "year", "date"),
    [
        (("PY  - 2005", "DA  - 2005/07/15", "Y1  - 2005/07"), 2005, "2005-07-15"),
        (("PY  - 2011", "DA  - Jun"), 2011, "2011-06"),
        (("PY  - 2018", "DA  - Mar 1"), 2018, "2018-03-01"),
        (("PY  - 2012///",), 2012, None),
        (("PY  - ///", "Y1  - 2012/13/"), 2012, "2012/13/"),
        (("PY  - in press",), None, "in press"),
        (("Y1  - ", "PY  - "), None, None),
    ],
)
def test_dates(lines: tuple[str, ...], year: int | None, date: str | None) -> None:
    found = paper(ris("TI  - T", *lines))
    assert (found.year, found.date) == (year, date)


@pytest.mark.parametrize(
    ("lines", "page"),
    [
        (("SP  - 12", "EP  - 19"), "12–19"),
        (("SP  - 349-69",), "349–69"),
        (("SP  - pp 37-64",), "37–64"),
        (("SP  - 12", "EP  - 12"), "12"),
        (("SP  - e0815",), "e0815"),
        (("EP  - 423",), "423"),
    ],
)
def test_pages(lines: tuple[str, ...], page: str) -> None:
    assert paper(ris("TI  - T", *lines)).details == {"page": page}


def test_what_contains_a_paper_follows_from_the_type() -> None:
    journal = paper(ris("TI  - T", "T2  - J. of X", "JF  - Journal of X", "JO  - J X", "J2  - JX"))
    assert journal.venue == "Journal of X"
    assert journal.details == {"container-title-short": "JX"}
    rest = "TI  - T\nT2  - Things\nPB  - House\nSP  - 150\nER  - \n"
    chapter, book = paper(f"TY  - CHAP\n{rest}"), paper(f"TY  - BOOK\n{rest}")
    assert (chapter.type, chapter.venue) == ("chapter", "Things")
    assert chapter.details == {"publisher": "House", "page": "150"}
    assert (book.type, book.venue) == ("book", "House")
    assert book.details == {
        "publisher": "House", "collection-title": "Things", "number-of-pages": "150",
    }  # fmt: skip


def test_serial_numbers_are_told_apart_and_named_once() -> None:
    numbers = ("SN  - 11112222 (ISSN)", "SN  - 1111-2222, 3333-444x", "SN  - 978-3-86490-311-3")
    assert paper(ris("TI  - T", *numbers)).details == {
        "ISSN": "1111-2222, 3333-444X", "ISBN": "978-3-86490-311-3",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "ids"),
    [
        (("DO  - https://doi.org/10.1000/ABC",), {"doi": "10.1000/abc"}),
        (("M3  - doi: 10.1000/a",), {"doi": "10.1000/a"}),
        (("N1  - doi: 10.1000/a",), {"doi": "10.1000/a"}),
        (("L2  - http://dx.doi.org/10.1000/a",), {"doi": "10.1000/a"}),
        (("N1  - See also 10.1000/a and others",), {}),
        (("DO  - 10.48550/arXiv.2101.00001",), {"arxiv": "2101.00001"}),
        (("JO  - arXiv preprint arXiv:2101.00001",), {"arxiv": "2101.00001"}),
        (("UR  - https://arxiv.org/abs/2101.00001v3",), {"arxiv": "2101.00001"}),
        (("DB  - PubMed", "AN  - 123"), {"pmid": "123"}),
        (("DB  - Other", "AN  - 123"), {}),
        (("U1  - 123[pmid]", "U2  - PMC77[pmcid]"), {"pmid": "123", "pmcid": "PMC77"}),
    ],
)
def test_identifiers_stand_in_many_places(lines: tuple[str, ...], ids: dict[str, str]) -> None:
    assert paper(ris("TI  - T", *lines)).ids == ids


def test_the_version_of_a_preprint_is_kept_and_makes_it_one() -> None:
    found = paper("TY  - UNPB\nTI  - T\nUR  - https://arxiv.org/abs/2101.00001v3\nER  - \n")
    assert (found.version, found.type) == (3, "article")


def test_keywords_become_tags_however_they_are_written() -> None:
    many = one(ris("TI  - T", "KW  - a", "KW  - b; c", "d, e", "", "KW  - a"))
    assert many.change
    assert many.change.add_tags == ("a", "b", "c", "d, e")


def test_names_of_all_writers() -> None:
    def authors(*values: str) -> tuple[tuple[str, ...], bool]:
        found = paper(ris("TI  - T", *(f"AU  - {value}" for value in values)))
        return found.authors, found.authors_complete

    assert authors("Doe, Jo", "van der Berg, Jan") == (("Jo Doe", "Jan van der Berg"), True)
    assert authors("Doe J.", "Roe A.B.") == (("J. Doe", "A.B. Roe"), True)
    assert authors("J. Doe", "R. Roe") == (("J. Doe", "R. Roe"), True)
    assert authors("World Health Organization,") == (("{World Health Organization}",), True)
    assert authors("Doe, Jo", "et al.") == (("Jo Doe",), False)
    assert authors("Doe, J., Roe, R., Poe, X.") == (("J. Doe", "R. Roe", "X. Poe"), True)


def test_notes_are_kept_as_they_are_laid_out_and_markup_goes() -> None:
    found = one(
        ris("TI  - The <i>b</i> &amp; c", "N1  - first", "  * second", "N1  - <p>third</p>")
    )
    assert found.paper.title == "The b & c"
    assert found.note == "first\n* second\n\nthird"


def test_nothing_of_a_file_reaches_a_terminal_as_a_control() -> None:
    found = one(
        ris("TI  - a\x1b[31mb", "AB  - c\x9bd", "KW  - e\x07", "L1  - f\x1b]g", "N1  - " + 99 * "h")
    )
    shown = repr(found)
    assert not re.search(r"\\x1b|\\x9b|\\x07", shown)


# The other formats


def test_pubmed() -> None:
    found = one(
        "\nPMID- 123\nTI  - A title that\n      goes on.\nIS  - 1111-2222 (Print)\nVI  - 5\n"
        "IP  - 2\nPG  - 67-9\nDP  - 2016 Apr 19\nLID - 10.1000/x [doi]\nPMC - PMC9\n"
        "FAU - Doe, Jo Ann\nAU  - Doe JA\nCN  - The Group\nAB  - Words and\n      more.\n"
        "JT  - Journal of X\nTA  - J X\n"
        "PT  - Journal Article\nOT  - one\nMH  - Two/*three\nLA  - eng\n"
    )
    assert found.paper == Paper(
        "", title="A title that goes on", authors=("Jo Ann Doe", "{The Group}"), year=2016,
        date="2016-04-19", venue="Journal of X", abstract="Words and more.",
        ids={"pmid": "123", "pmcid": "PMC9", "doi": "10.1000/x"}, type="article-journal",
        details={"container-title-short": "J X", "volume": "5", "issue": "2", "page": "67–9",
                 "language": "eng", "ISSN": "1111-2222"},
    )  # fmt: skip
    assert found.change
    assert found.change.add_tags == ("one", "Two")


def test_pubmed_records_need_no_line_between_them() -> None:
    parsed = parse("PMID- 1\nTI  - One.\nPMID- 2\nTI  - Two...\nPMID- 3\nBTI - A Book\n")
    titles = [(found.paper.title, found.paper.type) for found in parsed.papers]
    assert titles == [("One", None), ("Two...", None), ("A Book", "book")]


def test_endnote() -> None:
    found = one(
        "%0 Book Section\n%A Doe, Jo\n%A Roe, R.\n%E Poe, X.\n%D 2016\n%8 May 3\n%T A title\n"
        "%B A book\n%I House\n%C Town\n%P 12-19\n%R doi:10.1000/X\n%@ 978-3-86490-311-3\n"
        "%K one; two\nthree\n%X Words\n%U https://a.org\n%7 2\n%> a/b.pdf\n"
    )
    assert found.paper == Paper(
        "", title="A title", authors=("Jo Doe", "R. Roe"), year=2016, date="2016-05-03",
        venue="A book", abstract="Words", ids={"doi": "10.1000/x"}, url="https://a.org",
        type="chapter", files=("a/b.pdf",),
        details={"page": "12–19", "publisher": "House", "publisher-place": "Town", "edition": "2",
                 "editor": "X. Poe", "ISBN": "978-3-86490-311-3"},
    )  # fmt: skip
    assert found.change
    assert found.change.add_tags == ("one", "two", "three")


def test_records_of_refer_are_parted_by_empty_lines() -> None:
    parsed = parse("%T One\n%A J. Doe\n\n%A R. Roe\n%T Two\n\n\n")
    assert (parsed.format, [found.paper.title for found in parsed.papers]) == (
        "endnote",
        ["One", "Two"],
    )


def test_comments_of_tex_are_no_endnote() -> None:
    with_comments = "%A comment\n%\n% another\n\\documentclass{article}\n"
    assert parse(with_comments).format == ""


def test_web_of_science() -> None:
    found = one(
        "FN Thing\nVR 1.0\nPT J\nAU Doe, J\n   Roe, RT\nAF Doe, Jo\n   Roe, Rita T.\nTI A title\n"
        "   that goes on\nSO JOURNAL OF X\nDT Article; Proceedings Paper\nDE one; two\nID THREE\n"
        "AB Words\n   go on.\nSN 1111-2222\nEI 3333-4444\nJ9 J X\nPD SEP\nPY 2018\nVL 7\nIS 3\n"
        "BP 387\nEP 397\nDI 10.1000/X\nUT WOS:0001\nER\n\nEF"
    )
    assert found.paper == Paper(
        "", title="A title that goes on", authors=("Jo Doe", "Rita T. Roe"), year=2018,
        date="2018-09", venue="JOURNAL OF X", abstract="Words go on.", type="paper-conference",
        ids={"doi": "10.1000/x", "wos": "0001"},
        details={"container-title-short": "J X", "volume": "7", "issue": "3", "page": "387–397",
                 "ISSN": "1111-2222, 3333-4444"},
    )  # fmt: skip
    assert found.change
    assert found.change.add_tags == ("one", "two", "THREE")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ris", "Host: x\n\nTY  - JOUR\nTI  - T\nER  - \n"),
        ("nbib", "\n\nPMID- 1\nTI  - T\n"),
        ("endnote", "%0 Journal Article\n%T T\n"),
        ("wos", "FN X\nVR 1.0\nPT J\nTI T\nER\nEF\n"),
    ],
)
def test_the_format_is_told_by_the_content(name: str, text: str) -> None:
    parsed = gathered(read(Input.of(text, "file.ris")))
    assert (parsed.format, len(parsed.papers)) == (name, 1)


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_without_records_says_so(name: str) -> None:
    (refusal,) = parse("nothing of the kind\n", name).refused
    assert refusal.reason == "it holds no record"


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_any_lines_are_read_and_every_record_is_accounted_for(
    name: str, data: st.DataObject
) -> None:
    line = st.sampled_from((*LINES[name], "", "  more", "junk: x")) | st.text(max_size=12)
    lines = data.draw(st.lists(line, max_size=12))
    if any(map(str.strip, lines)):
        parsed = parse("\n".join(lines), name)
        papers = [found.paper for found in parsed.papers]
        assert all(paper.title or paper.abstract or paper.ids for paper in papers)
        told = len(papers) + len([one for one in parsed.refused if one.line])
        split = re.split(r"[\r\n]", "\n".join(lines))
        assert told <= sum(line.startswith(TELLING[name]) for line in split)


@given(
    st.lists(st.booleans(), min_size=1, max_size=8), st.sampled_from(["\n", "\r\n"]), st.booleans()
)
def test_what_is_read_and_refused_is_what_is_there(
    titled: list[bool], ends: str, has_ends: bool
) -> None:
    end = "ER  - " if has_ends else ""
    records = (
        f"TY  - JOUR\nPY  - 2001\n{f'TI  - Title {number}' if one else 'N1  - x'}\n{end}\n"
        for number, one in enumerate(titled)
    )
    parsed = parse("\n".join(records).replace("\n", ends))
    assert len(parsed.papers) == sum(titled)
    assert len(parsed.refused) == len(titled) - sum(titled)
    assert bool(parsed.guesses) is not has_ends


@pytest.mark.parametrize(
    "text",
    [
        "TY  - JOUR\nTI  - T\n" + "AU  - A, B\n" * 20_000,
        "TY  - JOUR\nTI  - T\nAB  - " + "x\n" * 300_000,
        "TY  - JOUR\n" * 200_000,
        "DB  - x\n\n" * 200_000 + "TY  - JOUR\nTI  - T\nER  - \n",
        "TY  - JOUR\nTI  - " + "<i>" * 100_000 + "{" * 100_000 + "\nER  - \n",
        "TY  - JOUR\nTI  - T\nSN  - " + "1-" * 200_000 + "\nSP  - " + "1" * 200_000 + "\n",
        "TY  - JOUR\nTI  - T\nAU  - " + "a, b and " * 10_000 + "\nKW  - " + "k;" * 200_000 + "\n",
    ],
)
def test_hostile_files_are_read_like_any_other(text: str) -> None:
    parsed = parse(text)
    assert len(parsed.papers) + len(parsed.refused) == 1


# Files that other programs wrote

READ = {
    "asreview_baseline_reference_types.ris": (0, 61),
    "asreview_baseline_tag_and_field_definitions.ris": (1, 0),
    "asreview_embase.ris": (6, 0),
    "asreview_proquest.ris": (6, 0),
    "asreview_pubmed_endnote.txt": (6, 0),
    "asreview_scopus.ris": (6, 0),
    "asreview_web_of_science.txt": (10, 0),
    "jabref_RisImporterTest1.ris": (2, 1),
    "litstudy_example.ris": (25, 0),
    "rispy_example_custom_list_tags.ris": (0, 1),
    "rispy_example_extraneous_data.ris": (2, 0),
    "rispy_example_multiline.ris": (3, 0),
}
"""Papers and refusals; rispy 0.10.0 agrees with the sum but for Test1, where it joins three."""


def test_files_of_other_programs(shared: Path) -> None:
    folder = shared / "corpora" / "ris"
    counts = {}
    for path in sorted(folder.iterdir()):
        parsed = gathered(read(Input.of(path.read_bytes(), path.name)))
        assert parsed.format == "ris", path.name
        counts[path.name] = (len(parsed.papers), len(parsed.refused))
    assert len(counts) == 34
    assert {name: counts[name] for name in READ} == READ
    # Every one of the others is read whole: as many papers as the types it names.
    for name in counts.keys() - READ.keys():
        named = re.findall(rb"(?m)^(?:\xef\xbb\xbf)?TY {2}-", (folder / name).read_bytes())
        assert counts[name] == (len(named), 0), name


def test_case_of_junk_around_records(shared: Path) -> None:
    for name in ("junk.ris", "junk-crlf.ris"):
        parsed = gathered(read(Input.of((shared / "cases/H07-ris-junk" / name).read_bytes(), name)))
        papers = [found.paper for found in parsed.papers]
        assert (len(papers), parsed.refused) == (4, [])
        assert (papers[0].year, papers[1].year, papers[3].year) == (2005, 2009, None)
        assert papers[1].authors == ("Jo Doe",)
        assert "ER settings" in (papers[0].abstract or "")
        assert papers[2].abstract is None
        assert parsed.guesses == ["the record at line 40 is not closed by ER"]


def test_files_in_other_formats(shared: Path) -> None:
    folder = shared / "corpora" / "other_formats"
    counts = {}
    for path in sorted(folder.iterdir()):
        parsed = gathered(read(Input.of(path.read_bytes(), path.name)))
        counts[path.name] = (parsed.format, len(parsed.papers), len(parsed.refused))
    assert counts == {
        "jabref.nbib": ("nbib", 1, 0),
        "jabref_Endnote.book.example.enw": ("endnote", 1, 0),
        "jabref_Endnote.entries.enw": ("endnote", 2, 3),
        "jabref_Endnote.pattern.E.enw": ("endnote", 0, 1),
    }
