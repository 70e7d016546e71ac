"""OpenAlex, Semantic Scholar and arXiv."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import Paper
from anchorlight.store.formats import read
from anchorlight.store.formats.input import Input
from anchorlight.store.names import Name, stored
from hypothesis import given
from hypothesis import strategies as st

from ..helpers import Gathered, gathered

FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">
  <title>arXiv Query</title>
"""
ENTRY = """  <entry>
    <id>http://arxiv.org/abs/quant-ph/0201082v3</id>
    <title>Naps for
  $n$ sleepers</title>
    <updated>2003-01-18T15:08:05Z</updated>
    <link href="https://arxiv.org/abs/quant-ph/0201082v3" rel="alternate" type="text/html"/>
    <link href="https://arxiv.org/pdf/quant-ph/0201082v3" rel="related" title="pdf"/>
    <summary>  We nap in
two lines.
  A new paragraph.</summary>
    <category term="quant-ph" scheme="http://arxiv.org/schemas/atom"/>
    <published>2002-01-18T15:08:05Z</published>
    <arxiv:comment>32 pages</arxiv:comment>
    <arxiv:doi>10.1000/Nap</arxiv:doi>
    <arxiv:journal_ref>J. Naps 3 (2002)</arxiv:journal_ref>
    <author>
      <name>Jan van der Berg</name>
      <arxiv:affiliation>Bern</arxiv:affiliation>
    </author>
  </entry>
"""
OLD = re.sub(r"<([\w:]+)", r'<\1 xmlns="http://www.w3.org/2005/Atom"', ENTRY)
ERROR = """<entry><id>http://arxiv.org/api/errors#incorrect_id_format_for_x</id>
<title>Error</title><summary>incorrect id format for x</summary></entry>"""
END = "</feed>\n"


def one(record: dict[str, Any]) -> Any:
    parsed = gathered(read(Input.of(json.dumps(record))))
    assert parsed.refused == []
    return parsed.papers[0].paper


def feed(text: str) -> Gathered:
    return gathered(read(Input.of(text), "arxiv"))


def work(**fields: Any) -> Any:
    return one({"id": "https://openalex.org/W1", "title": "T", **fields})


def test_a_work_of_openalex_is_read_whole() -> None:
    source = {"display_name": "J. Naps", "issn_l": "1234-5678", "type": "journal",
              "host_organization_name": "Press"}  # fmt: skip
    told = work(
        title="On <i>E. coli</i> &amp; $n^2$", type="article", publication_year=2018,
        publication_date="2018-02-13", doi="https://doi.org/10.1000/X", language="en",
        ids={"pmid": "https://pubmed.ncbi.nlm.nih.gov/29", "mag": "27", "pmcid": "https://x/PMC5/"},
        primary_location={"source": source, "landing_page_url": "https://doi.org/10.1000/X",
                          "pdf_url": "https://e.org/a.pdf"},
        locations=[{"landing_page_url": "http://arxiv.org/abs/2101.00001"}],
        authorships=[{"author": {"display_name": "Ana Núñez"}}, {"raw_author_name": "Lu Zhao"}],
        biblio={"volume": "6", "issue": None, "first_page": "1", "last_page": "9"},
        keywords=[{"display_name": "Citation"}], concepts=[{"display_name": "Law"}],
        open_access={"oa_url": "https://e.org/b.pdf"},
    )  # fmt: skip
    assert told == Paper(
        "", title="On E. coli & n²", authors=("Ana Núñez", "Lu Zhao"), year=2018, venue="J. Naps",
        ids={"openalex": "W1", "doi": "10.1000/x", "mag": "27", "pmid": "29", "pmcid": "PMC5",
             "arxiv": "2101.00001"},
        type="article-journal", date="2018-02-13",
        details={"volume": "6", "page": "1–9", "publisher": "Press", "ISSN": "1234-5678",
                 "language": "en"},
        files=("https://e.org/a.pdf", "https://e.org/b.pdf"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("index", "abstract"),
    [
        ({"b": [1], "a": [0, 2]}, "a b a"),
        ({"end": [10**9], "start": [-5], "mid": [10**30 - 10**30 + 7]}, "start mid end"),
        ({"a": [0], "b": [0]}, "a b"),
        ({"R&amp;D": [0], "&lt;b&gt;": [1]}, "R&D <b>"),
        ({"a": ["x", None, True, 1.5], "b": 5, "c": None}, None),
        ({"IndexLength": 2, "InvertedIndex": {"b": [1], "a": [0]}}, "a b"),
        ({}, None), (None, None), ([], None), ("text", None),
    ],
)  # fmt: skip
def test_an_abstract_is_put_in_order_whatever_its_positions(
    index: object, abstract: str | None
) -> None:
    assert work(abstract_inverted_index=index).abstract == abstract


def test_authors_that_are_not_named_are_missing() -> None:
    told = work(authorships=[{"author": {"display_name": None}}, {"author": None}, None])
    assert (told.authors, told.authors_complete) == ((), False)
    assert not work(authorships=[], is_authors_truncated=True).authors_complete


@pytest.mark.parametrize(
    ("kind", "source", "expected"),
    [("article", "conference", "paper-conference"), ("article", "repository", "article"),
     ("preprint", "", "article"), ("book-chapter", "", "chapter"),
     ("review", "", "article-journal"),
     (None, "journal", None), ("odd", "", "document")],
)  # fmt: skip
def test_the_place_helps_to_tell_the_type(
    kind: str | None, source: str, expected: str | None
) -> None:
    assert work(type=kind, primary_location={"source": {"type": source}}).type == expected


def test_a_paper_of_semantic_scholar_is_read_whole() -> None:
    told = one(
        {
            "paperId": "f" * 40, "title": "Naps", "abstract": "Words.", "year": 2023,
            "publicationDate": "2023-01-02", "venue": "J. Naps", "url": "https://s2.org/f",
            "externalIds": {"ArXiv": "2101.00001", "DOI": "10.1000/X", "DBLP": "journals/x/Y",
                            "MAG": "2", "ACL": "2023.acl-1.1", "PubMed": "3",
                            "PubMedCentral": "4", "CorpusId": 5},
            "journal": {"name": "J", "volume": " 8 ", "pages": "\n 1 - 9 "},
            "publicationVenue": {"name": "Journal of Naps", "issn": "1234-5678"},
            "openAccessPdf": {"url": "https://e.org/a.pdf"}, "tldr": {"text": "Short."},
            "publicationTypes": ["JournalArticle", "Conference"],
            "authors": [{"authorId": None, "name": "Jo Doe"}, {"name": None}],
        }
    )  # fmt: skip
    assert told == Paper(
        "", title="Naps", authors=("Jo Doe",), authors_complete=False, year=2023, venue="J. Naps",
        abstract="Words.",
        ids={"arxiv": "2101.00001", "doi": "10.1000/x", "pmid": "3", "pmcid": "PMC4", "mag": "2",
             "dblp": "journals/x/Y", "acl": "2023.acl-1.1", "corpusid": "5", "s2": "f" * 40},
        url="https://s2.org/f", type="paper-conference", date="2023-01-02",
        details={"volume": "8", "page": "1–9", "ISSN": "1234-5678"}, files=("https://e.org/a.pdf",),
    )  # fmt: skip


def test_both_sides_of_a_citation_and_the_data_sets_are_read() -> None:
    for side in ("citingPaper", "citedPaper"):
        assert one({"contexts": [], side: {"paperId": None, "title": "Naps"}}).title == "Naps"
    told = one({"corpusid": 5, "externalids": {"DOI": "10.1000/x"}, "title": "Naps"})
    assert told.ids == {"doi": "10.1000/x", "corpusid": "5"}
    parsed = gathered(read(Input.of('{"data": [{"citingPaper": null}]}')))
    assert "citation" in parsed.refused[0].reason


def snapshot(**fields: Any) -> Any:
    return one({"id": "0704.0001", "title": "T", "authors_parsed": [], **fields})


def test_a_record_of_the_snapshot_is_read_whole() -> None:
    told = snapshot(
        title="Sleep at\n  $O(n^2)$", authors="C. Bal\\'azs", doi="10.1000/X 10.1000/Y",
        abstract="  First\nline.\n  New paragraph.\n", comments="37 pages",
        **{"journal-ref": "J.Naps 7,2007", "report-no": "N-7"}, categories="hep-ph cs.LG",
        versions=[{"version": "v1", "created": "Mon, 2 Apr 2007 19:18:42 GMT"},
                  {"version": "v12", "created": "Tue, 24 Jul 2007 20:10:27 GMT"}],
        update_date="2008-11-26",
        authors_parsed=[["Balázs", "C.", ""], ["van der Berg", "Jan", "Jr."],
                        ["ATLAS Group", "", ""], ["de Witt", "A.", "", "Bern"], [], None],
    )  # fmt: skip
    assert told == Paper(
        "", title="Sleep at O(n²)",
        authors=("C. Balázs", "van der Berg, Jr., Jan", "{ATLAS Group}", "A. de Witt"), year=2007,
        venue="J.Naps 7,2007", abstract="First line.\n\nNew paragraph.",
        ids={"arxiv": "0704.0001", "doi": "10.1000/x"}, type="article", date="2007-04-02",
        details={"number": "N-7"}, version=12,
    )  # fmt: skip


def test_a_record_without_parsed_names_or_versions_is_read() -> None:
    told = snapshot(authors_parsed=None, authors="A. Doe, B. Roe and C. Poe", versions=None)
    assert (told.authors, told.version) == (("A. Doe", "B. Roe", "C. Poe"), None)
    assert snapshot(versions=[], update_date="2008-11-26").date == "2008-11-26"


WORDS = st.text(st.sampled_from("AbcdeZé. -'{},")) | st.sampled_from(["van", "Jr", "II", "And"])


@given(WORDS, WORDS, WORDS)
def test_plain_names_are_stored_as_all_others(family: str, given_name: str, suffix: str) -> None:
    expected = stored(Name(family, given_name, suffix))
    told = snapshot(authors_parsed=[[family, given_name, suffix]])
    assert told.authors == ((expected,) if expected else ())


@pytest.mark.parametrize("entry", [ENTRY, OLD])
def test_an_entry_of_either_feed_is_read_whole(entry: str) -> None:
    parsed = gathered(read(Input.of(FEED + entry + END)))
    (found,) = parsed.papers
    assert parsed.format == "arxiv"
    assert found.paper == Paper(
        "", title="Naps for n sleepers", authors=("Jan van der Berg",), year=2002,
        venue="J. Naps 3 (2002)", abstract="We nap in two lines.\n\nA new paragraph.",
        ids={"arxiv": "quant-ph/0201082", "doi": "10.1000/nap"}, type="article",
        date="2002-01-18", files=("https://arxiv.org/pdf/quant-ph/0201082v3",), version=3,
    )  # fmt: skip


def test_an_error_of_arxiv_is_refused_in_its_own_words() -> None:
    parsed = feed(FEED + ENTRY + ERROR + END)
    assert len(parsed.papers) == 1
    (refusal,) = parsed.refused
    assert "incorrect id format for x" in refusal.reason
    assert refusal.line == 24


def test_a_feed_without_entries_is_no_error() -> None:
    parsed = feed(FEED + END)
    assert (parsed.papers, parsed.refused) == ([], [])


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        (FEED + ENTRY + "<entry><title>R&D", "no XML", 24),
        (FEED + ENTRY + "<entry>\n<title>\x0b</title></entry>" + END, "no XML", 25),
        (FEED + ENTRY + "<entry>" * 100_000, "deep", 24),
        (FEED + ENTRY, "no XML", 24),
    ],
)
def test_what_stands_before_the_damage_is_read(text: str, reason: str, line: int) -> None:
    parsed = feed(text)
    assert len(parsed.papers) == 1
    (refusal,) = parsed.refused
    assert (reason in refusal.reason, refusal.line) == (True, line)


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE feed [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>',
        '<!doctype feed SYSTEM "file:///etc/passwd">',
        '<!-- <a> --><!DOCTYPE feed [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
    ],
)
def test_a_document_type_is_refused_before_it_is_parsed(declaration: str) -> None:
    text = declaration + FEED.partition("\n")[2] + ENTRY.replace("Naps", "&a;&b;&x;") + END
    parsed = feed(text)
    assert parsed.papers == []
    (refusal,) = parsed.refused
    assert "document type" in refusal.reason


@given(st.text(st.sampled_from('<>/&;" =ae![]-')), st.integers(0, len(ENTRY)))
def test_no_text_raises(odd: str, place: int) -> None:
    parsed = feed(FEED + ENTRY[:place] + odd + ENTRY[place:] + ENTRY + END)
    assert parsed.papers or parsed.refused


def test_real_feeds_are_read_whole(shared: Path) -> None:
    paths = sorted((shared / "corpora" / "arxiv_atom").glob("*.xml"))
    if not paths:
        pytest.skip("the corpora do not lie beside the cases")
    counts = []
    for path in paths:
        parsed = gathered(read(Input.of(path.read_bytes())))
        entries = len(re.findall(r"<(?:\w+:)?entry[\s>]", path.read_text("utf-8")))
        assert (parsed.format, len(parsed.papers), parsed.refused) == ("arxiv", entries, [])
        assert all(
            one.paper.title and one.paper.abstract and one.paper.year for one in parsed.papers
        )
        counts.append(entries)
    assert sum(counts) == 59
