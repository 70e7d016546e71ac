from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import Change
from anchorlight.store.formats import read
from anchorlight.store.formats.input import Input

from ..helpers import gathered


def one(record: dict[str, Any], name: str = "csl-json") -> Any:
    parsed = gathered(read(Input.of(json.dumps([record])), name))
    assert parsed.refused == []
    (found,) = parsed.papers
    return found


def paper(**fields: Any) -> Any:
    return one(
        {"id": 1, "title": "T", **{name.replace("_", "-"): fields[name] for name in fields}}
    ).paper


def test_an_item_is_read_whole() -> None:
    found = one(
        {
            "id": "berg2019", "type": "article-journal",
            "title": "On  <i>E. coli</i> &amp; CO<sub>2</sub>",
            "author": [
                {"family": "Berg", "given": "Jan", "non-dropping-particle": "van der"},
                {"literal": "The Sleep Group"}, {"given": "Plato"},
            ],
            "editor": [{"family": "Roe", "given": "R."}, {"family": "Poe", "given": "X."}],
            "container-title": "Journal of Naps", "publisher": "Press", "volume": 5, "issue": "2",
            "page": "11-19", "ISSN": "1234-5678", "DOI": "https://doi.org/10.1000/ABC",
            "URL": "https://example.org/a", "issued": {"date-parts": [[2019, "5", 3]]},
            "abstract": "<jats:p>One.</jats:p><jats:p>Two.</jats:p>", "keyword": "sleep, memory",
            "note": "PMID: 77\nmy own words\narXiv: 2101.00001 [cs]", "annote": "<p>More</p>",
            "accessed": {"date-parts": [[2020, 1]]}, "event": "Nap Days", "file": "a/b.pdf",
        }
    )  # fmt: skip
    told = found.paper
    assert (told.key, told.type, told.title) == (
        "berg2019", "article-journal", "On E. coli & CO₂"
    )  # fmt: skip
    assert told.authors == ("Jan van der Berg", "{The Sleep Group}", "Plato")
    assert (told.year, told.date, told.venue) == (2019, "2019-05-03", "Journal of Naps")
    assert told.abstract == "One.\n\nTwo."
    assert told.ids == {"doi": "10.1000/abc", "pmid": "77", "arxiv": "2101.00001"}
    assert told.details == {
        "volume": "5", "issue": "2", "page": "11–19", "publisher": "Press", "ISSN": "1234-5678",
        "event-title": "Nap Days", "editor": "R. Roe and X. Poe", "accessed": "2020-01",
    }  # fmt: skip
    assert (told.url, told.files) == ("https://example.org/a", ("a/b.pdf",))
    assert found.change == Change(add_tags=("sleep", "memory"))
    assert found.note == "More\n\nmy own words"


@pytest.mark.parametrize(
    ("issued", "date", "year"),
    [
        ({"date-parts": [["2019"]]}, None, 2019),
        ({"date-parts": [[2019, 3]]}, "2019-03", 2019),
        ({"date-parts": [["1910"], ["1917"]]}, "1910/1917", 1910),
        ({"date-parts": [[2019, 13]]}, "2019-21", 2019),
        ({"date-parts": [[-50]]}, "-0050", None),
        ({"raw": "circa 1850"}, "circa 1850", 1850),
        ({"date-parts": [[1850]], "circa": True}, "circa 1850", 1850),
        ({"literal": "in press"}, "in press", None),
        ({"date-parts": [[None]]}, None, None),
        ({"date-parts": []}, None, None),
        ({"date-parts": [5, {}]}, None, None),
        ({}, None, None),
        ("2019-05", "2019-05", 2019),
        (2019, None, 2019),
        ([2019], None, 2019),
        (None, None, None),
    ],
)
def test_dates_come_in_parts_as_text_and_not_at_all(
    issued: object, date: str | None, year: int | None
) -> None:
    told = paper(issued=issued)
    assert (told.date, told.year) == (date, year)


@pytest.mark.parametrize(
    ("author", "names", "are_all"),
    [
        ("Doe, J.", ("J. Doe",), True),
        ("Doe, J.; Roe, R.", ("J. Doe", "R. Roe"), True),
        (["Lu Zhao", {"family": "Doe"}], ("Lu Zhao", "Doe"), True),
        ([{"family": "Doe", "given": "J."}, {"literal": "et al."}], ("J. Doe",), False),
        ([{"family": "Doe", "given": "J.", "suffix": "Jr."}], ("Doe, Jr., J.",), True),
        ([{"name": "Sleep Group"}, {"literal": "WHO"}], ("{Sleep Group}", "WHO"), True),
        ([{}, 5, None, [], {"family": None}], (), True),
        ({"family": "Doe"}, (), True),
        (None, (), True),
    ],
)
def test_authors_come_in_every_form(
    author: object, names: tuple[str, ...], *, are_all: bool
) -> None:
    told = paper(author=author)
    assert (told.authors, told.authors_complete) == (names, are_all)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("zhao2019", "zhao2019"), ("Bennett.Checkel_2015", "Bennett.Checkel_2015"),
        ("Müller2020", "Müller2020"), ("noauthor_object_nodate", "noauthor_object_nodate"),
        (12, ""), ("12", ""), ("two words", ""), ("https://example.org/1", ""),
        ("http://zotero.org/users/1/items/ABCD2345", ""), ("a" * 60, ""),
        ("c0ffee00-1234-5678-9abc-def012345678", ""), (None, ""),
    ],
)  # fmt: skip
def test_only_what_looks_like_a_citation_key_is_one(name: object, key: str) -> None:
    assert paper(id=name).key == key


def test_a_citation_key_may_stand_apart() -> None:
    assert (
        paper(id="http://zotero.org/users/1/items/ABCD2345", citation_key="zhao2019").key
        == "zhao2019"
    )
    told = paper(id="http://zotero.org/users/1/items/ABCD2345", note="Citation Key: zhao2020")
    assert (told.key, told.ids) == ("zhao2020", {"zotero": "ABCD2345"})


@pytest.mark.parametrize(
    "fields",
    [
        {"URL": "https://arxiv.org/abs/2101.00001v2"}, {"number": "arXiv:2101.00001"},
        {"DOI": "10.48550/arXiv.2101.00001"}, {"note": "arXiv:2101.00001 [cs.LG]"},
    ],
)  # fmt: skip
def test_arxiv_ids_are_found_where_they_stand(fields: dict[str, str]) -> None:
    assert paper(**fields).ids == {"arxiv": "2101.00001"}


@pytest.mark.parametrize(
    "abstract", ["NA", "n/a", "[No abstract available]", "No abstract.", " ", None, 5.5, {}]
)
def test_words_for_no_abstract_are_none(abstract: object) -> None:
    assert paper(abstract=abstract).abstract in (None, "5.5")


def test_titles_may_be_lists() -> None:
    told = paper(title=["First", "Second"], container_title=["J. One", "J1"])
    assert (told.title, told.venue) == ("First", "J. One")


def test_books_came_out_where_their_publisher_is() -> None:
    told = paper(type="book", publisher="Press", publisher_place="Bern")
    assert (told.type, told.venue, told.details["publisher-place"]) == ("book", "Press", "Bern")
    assert paper(type="something-new").type == "document"


def test_a_work_of_crossref_is_read_whole() -> None:
    found = one(
        {
            "DOI": "10.1000/X", "type": "proceedings-article", "title": ["Sleep"],
            "subtitle": ["a study"], "container-title": ["Proc. Naps"], "reference-count": 3,
            "issued": {"date-parts": [[None]]}, "published-online": {"date-parts": [[2021, 2]]},
            "author": [{"family": "Doe", "given": "J.", "sequence": "first"},
                       {"name": "WHO Group"}],
            "event": {"name": "Nap Days", "location": "Bern"}, "page": "1-2", "language": "en",
            "abstract": "<jats:title>Abstract</jats:title><jats:p>One &amp; two.</jats:p>",
            "subject": ["Biology"], "publisher": "Press", "ISSN": ["1234-5678", "8765-4321"],
            "link": [{"URL": "https://e.org/a.pdf", "content-type": "application/pdf"},
                     {"URL": "https://e.org/a.xml", "content-type": "text/xml"}],
        },
        "crossref",
    )  # fmt: skip
    told = found.paper
    assert (told.title, told.type, told.venue) == (
        "Sleep: a study",
        "paper-conference",
        "Proc. Naps",
    )
    assert (told.date, told.authors) == ("2021-02", ("J. Doe", "{WHO Group}"))
    assert (told.abstract, told.files) == ("One & two.", ("https://e.org/a.pdf",))
    assert told.details == {
        "page": "1–2", "publisher": "Press", "event-title": "Nap Days", "event-place": "Bern",
        "language": "en", "ISSN": "1234-5678 8765-4321",
    }  # fmt: skip
    assert found.change is None


@pytest.mark.parametrize(
    ("title", "subtitle", "expected"),
    [(["A"], [], "A"), (["A: b"], ["B"], "A: b"), (["A:"], ["b"], "A: b"), ([], ["b"], "b")],
)
def test_a_subtitle_is_joined_once(title: list[str], subtitle: list[str], expected: str) -> None:
    record = {"DOI": "10.1000/x", "title": title, "subtitle": subtitle}
    assert one(record, "crossref").paper.title == expected


def test_the_case_of_markup_is_read(shared: Path) -> None:
    path = shared / "cases" / "H10-jats-html-abstracts" / "crossref_csl.json"
    first, second, third = (one.paper for one in gathered(read(Input.of(path.read_bytes()))).papers)
    assert first.title == "Effects of CO₂ & E. coli at p < 0.05"
    assert first.abstract.split("\n") == [
        "Aim", "To test whether a < b, i.e. x<y and R&D.", "", "Methods",
        "We used in vitro assays.",
    ]  # fmt: skip
    assert first.names == ("J. Doe", "WHO Group", "Plato")
    assert (second.title, second.abstract, second.date) == ("List title", "Bare HTML", "circa 1850")
    assert (third.title, third.year) == ("No id, year as text", 2019)
