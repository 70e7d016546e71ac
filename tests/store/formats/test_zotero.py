from __future__ import annotations

import json
from typing import Any

import pytest
from anchorlight.store import Change, Paper
from anchorlight.store.formats import read
from anchorlight.store.formats.input import Input
from hypothesis import given
from hypothesis import strategies as st

from ..helpers import Gathered, gathered

RDF = """<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:z="http://www.zotero.org/namespaces/export#" xmlns:dcterms="http://purl.org/dc/terms/"
 xmlns:bib="http://purl.org/net/biblio#" xmlns:foaf="http://xmlns.com/foaf/0.1/"
 xmlns:link="http://purl.org/rss/1.0/modules/link/" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:prism="http://prismstandard.org/namespaces/1.2/basic/"
 xmlns:vcard="http://nwalsh.com/rdf/vCard#">
"""
ARTICLE = """
<bib:Article rdf:about="https://doi.org/10.1000/one">
  <z:itemType>journalArticle</z:itemType>
  <dcterms:isPartOf rdf:resource="urn:issn:1234-5678"/>
  <bib:authors><rdf:Seq>
    <rdf:li><foaf:Person><foaf:surname>van der Berg</foaf:surname>
      <foaf:givenName>Jan</foaf:givenName></foaf:Person></rdf:li>
    <rdf:li><foaf:Person><foaf:surname>Sleep Group</foaf:surname></foaf:Person></rdf:li>
  </rdf:Seq></bib:authors>
  <link:link rdf:resource="#item_3"/><link:link rdf:resource="#item_4"/>
  <dcterms:isReferencedBy rdf:resource="#item_9"/>
  <dc:title>Sleep &amp;amp; memory &lt;i&gt;in vivo&lt;/i&gt;</dc:title>
  <dcterms:abstract>First part.&#10;Second part.</dcterms:abstract>
  <dc:date>May 3, 2019</dc:date>
  <dc:subject>sleep</dc:subject>
  <dc:subject><z:AutomaticTag><rdf:value>memory traces</rdf:value></z:AutomaticTag></dc:subject>
  <bib:pages>1-11</bib:pages>
  <dc:description>PMID: 77&#10;Citation Key: berg2019&#10;worth it</dc:description>
  <dc:identifier><dcterms:URI><rdf:value>https://example.org/1</rdf:value></dcterms:URI>
  </dc:identifier>
</bib:Article>
"""
AROUND = """
<bib:Journal rdf:about="urn:issn:1234-5678">
  <dc:identifier>DOI 10.1000/ONE</dc:identifier><prism:volume>64</prism:volume>
  <prism:number>2</prism:number><dc:title>Journal of Naps</dc:title>
  <dcterms:alternative>J Naps</dcterms:alternative><dc:identifier>ISSN 1234-5678</dc:identifier>
</bib:Journal>
<z:Attachment rdf:about="#item_3"><z:itemType>attachment</z:itemType>
  <z:path rdf:resource="files/3/one.pdf"/><dc:title>PDF</dc:title></z:Attachment>
<z:Attachment rdf:about="#item_4"><z:itemType>attachment</z:itemType>
  <rdf:resource rdf:resource="files/4/two.pdf"/></z:Attachment>
<bib:Memo rdf:about="#item_9"><rdf:value>&lt;p&gt;Read &lt;b&gt;twice&lt;/b&gt;.&lt;/p&gt;
</rdf:value></bib:Memo>
<z:Collection rdf:about="#collection_1"><dc:title>Sleep Lab</dc:title>
  <dcterms:hasPart rdf:resource="https://doi.org/10.1000/one"/></z:Collection>
"""
SECTION = """
<bib:BookSection rdf:about="#item_7">
  <z:itemType>bookSection</z:itemType>
  <dcterms:isPartOf><bib:Book>
    <dcterms:isPartOf><bib:Series><dc:title>Naps Series</dc:title></bib:Series></dcterms:isPartOf>
    <dc:title>A Book</dc:title><dc:identifier>ISBN 978-3-16-148410-0</dc:identifier>
  </bib:Book></dcterms:isPartOf>
  <dc:publisher><foaf:Organization><vcard:adr><vcard:Address>
    <vcard:locality>Bern</vcard:locality></vcard:Address></vcard:adr>
    <foaf:name>Press</foaf:name></foaf:Organization></dc:publisher>
  <bib:editors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>Roe</foaf:surname>
    <foaf:givenname>R.</foaf:givenname></foaf:Person></rdf:li></rdf:Seq></bib:editors>
  <dc:title>A chapter</dc:title><dc:date>2001</dc:date>
</bib:BookSection>
"""
END = "</rdf:RDF>"


def parse(text: str) -> Gathered:
    return gathered(read(Input.of(text)))


def one(item: dict[str, Any]) -> Any:
    (found,) = parse(json.dumps({"config": {"id": 1}, "items": [item]})).papers
    return found


def test_an_item_of_better_bibtex_is_read_whole() -> None:
    found = one(
        {
            "itemType": "conferencePaper", "itemID": 5, "citationKey": "berg2019",
            "title": "On <i>naps</i>",
            "creators": [
                {"creatorType": "author", "firstName": "Jan", "lastName": "van der Berg"},
                {"creatorType": "author", "name": "Sleep Group"},
                {"creatorType": "editor", "firstName": "R.", "lastName": "Roe"},
            ],
            "proceedingsTitle": "Proc. Naps", "conferenceName": "Nap Days", "publisher": "Press",
            "pages": "1-9", "date": "2019-05-03", "DOI": "10.1000/X", "abstractNote": "Words.",
            "tags": [{"tag": "sleep", "type": 1}, "two words"], "url": "https://example.org",
            "extra": "arXiv:2101.00001 [cs]\nworth it", "ISBN": "978-3-16-148410-0",
            "notes": ["<p>One</p>", {"note": "<b>Two</b>"}],
            "attachments": [{"path": "/home/x/a.pdf", "title": "PDF"}, {"url": "https://e.org/b"}],
        }
    )  # fmt: skip
    assert found.paper == Paper(
        "berg2019", title="On naps", authors=("Jan van der Berg", "{Sleep Group}"), year=2019,
        venue="Proc. Naps", abstract="Words.", ids={"doi": "10.1000/x", "arxiv": "2101.00001"},
        url="https://example.org", type="paper-conference", date="2019-05-03",
        details={"editor": "R. Roe", "event-title": "Nap Days", "publisher": "Press",
                 "page": "1–9", "ISBN": "978-3-16-148410-0"},
        files=("/home/x/a.pdf", "https://e.org/b"),
    )  # fmt: skip
    assert found.change == Change(add_tags=("sleep", "two words"))
    assert found.note == "One\n\nTwo\n\nworth it"


def test_items_of_the_web_are_known_by_their_key_and_so_is_what_hangs_on_them() -> None:
    parsed = parse(
        json.dumps(
            [
                {"key": "ABCD2345", "library": {"id": 1}, "data": {
                    "key": "ABCD2345", "itemType": "book", "title": "T",
                    "creators": [{"creatorType": "author", "lastName": "Doe", "firstName": "J."}]}},
                {"key": "N", "data": {"itemType": "note", "parentItem": "ABCD2345",
                                      "note": "<p>My</p>"}},
                {"key": "F", "data": {"itemType": "attachment", "parentItem": "ABCD2345",
                                      "filename": "a.pdf"}},
                {"key": "X", "data": {"itemType": "note", "note": "alone"}},
                {"key": "Y", "data": {"itemType": "annotation", "parentItem": "F"}},
            ]
        )
    )  # fmt: skip
    book, note, file = parsed.papers
    assert (book.paper.title, book.paper.authors) == ("T", ("J. Doe",))
    assert book.paper.ids == note.paper.ids == file.paper.ids == {"zotero": "ABCD2345"}
    assert (note.note, file.paper.files) == ("My", ("a.pdf",))
    assert ["without a paper" in parsed.refused[0].reason, "mark" in parsed.refused[1].reason] == [
        True, True,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("item_type", "kind"),
    [("letter", "personal_communication"), ("thesis", "thesis"), ("preprint", "article"),
     ("journalArticle", "article-journal"), ("computerProgram", "software"), ("odd", "document")],
)  # fmt: skip
def test_item_types_are_those_of_csl(item_type: str, kind: str) -> None:
    assert one({"itemType": item_type, "title": "T"}).paper.type == kind


def test_an_article_of_rdf_is_joined_with_its_journal_files_notes_and_collections() -> None:
    parsed = parse(RDF + ARTICLE + AROUND + END)
    (found,) = parsed.papers
    assert (parsed.format, parsed.refused) == ("zotero-rdf", [])
    assert found.paper == Paper(
        "berg2019", title="Sleep & memory in vivo", authors=("Jan van der Berg", "{Sleep Group}"),
        year=2019, venue="Journal of Naps", abstract="First part.\nSecond part.",
        ids={"doi": "10.1000/one", "pmid": "77"}, url="https://example.org/1",
        type="article-journal", date="2019-05-03",
        details={"volume": "64", "issue": "2", "page": "1–11", "container-title-short": "J Naps",
                 "ISSN": "1234-5678"},
        files=("files/3/one.pdf", "files/4/two.pdf"),
    )  # fmt: skip
    assert found.change == Change(add_tags=("sleep", "memory traces", "Sleep Lab"))
    assert found.note == "Read twice.\n\nworth it"


def test_a_section_of_rdf_is_joined_with_the_book_it_holds() -> None:
    (found,) = parse(RDF + SECTION + END).papers
    told = found.paper
    assert (told.title, told.venue, told.type) == ("A chapter", "A Book", "chapter")
    assert told.details == {
        "publisher": "Press", "publisher-place": "Bern", "collection-title": "Naps Series",
        "ISBN": "978-3-16-148410-0", "editor": "R. Roe",
    }  # fmt: skip


def test_what_hangs_on_nothing_is_refused() -> None:
    parsed = parse(RDF + AROUND + END)
    assert parsed.papers == []
    assert [one.entry for one in parsed.refused] == ["PDF", "#item_4", "#item_9"]
    assert [one.line for one in parsed.refused] == [14, 16, 18]


def test_what_stands_before_the_damage_is_read() -> None:
    parsed = parse(RDF + ARTICLE + SECTION + "<bib:Article><dc:title>cut")
    assert [found.paper.title for found in parsed.papers] == ["Sleep & memory in vivo", "A chapter"]
    assert [(one.line, "no XML" in one.reason) for one in parsed.refused] == [(43, True)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('<!DOCTYPE r [<!ENTITY a "x">]>' + RDF + END, "document type"),
        (RDF + "<dc:title>&a;</dc:title>" + END, "undefined entity"),
        (RDF + "<a>" * 100_000, "deep"),
        ("<!doctype html><html>purl.org/net/biblio <rdf:RDF>", "web page"),
    ],
)
def test_what_is_dangerous_or_no_xml_is_refused(text: str, reason: str) -> None:
    parsed = gathered(read(Input.of(text), "zotero-rdf"))
    assert [reason in one.reason for one in parsed.refused] == [True]


@given(st.text(st.sampled_from('<>/&;" =abi:')), st.integers(0, len(ARTICLE)))
def test_no_text_raises(odd: str, place: int) -> None:
    text = RDF + ARTICLE[:place] + odd + ARTICLE[place:] + AROUND + END
    parsed = gathered(read(Input.of(text), "zotero-rdf"))
    assert parsed.papers or parsed.refused
