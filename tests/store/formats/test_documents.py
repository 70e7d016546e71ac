from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store.formats import input as inputs
from anchorlight.store.formats import read
from anchorlight.store.formats.found import Refusal
from anchorlight.store.formats.input import Input
from hypothesis import given
from hypothesis import strategies as st

from ..helpers import Gathered, gathered

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
FIELDS = st.sampled_from(
    "id key title author authors DOI ids type issued abstract paperId externalIds itemType data "
    "creators tags notes extra authors_parsed versions abstract_inverted_index authorships note "
    "citingPaper container-title year date biblio primary_location journal error message papers "
    "keyword collections attachments names details files also status starred".split()
)
RECORDS = st.dictionaries(FIELDS, JSON, max_size=6)


def parse(text: str | bytes, name: str = "") -> Gathered:
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return gathered(read(Input.of(content), name))


def titles(parsed: Gathered) -> list[str | None]:
    return [found.paper.title for found in parsed.papers]


A, B = '{"title": "A"}', '{"title": "B"}'


@pytest.mark.parametrize(
    "text",
    [
        f"{A}\n{B}\n",
        f"\n{A}\n\n  {B}",
        f"{A} {B}",
        f"{A},\n{B}",
        f"[{A}, {B}]",
        f"\ufeff[\n  {A},\n  {B}\n]\n",
        f'{{"items": [{A}, {B}]}}',
        f'{{"total": 2, "data": [{A}, {B}], "next": {{"data": 1}}}}',
        f'{{"results": [\n{A},\n{B}\n]}}',
        f'{{"message": {{"items": [{A}, {B}]}}, "status": "ok"}}',
        f'{{"query": "x", "papers": [{A}, {B}]}}',
        f'{{"anchor": {A}, "papers": [{B}]}}',
        f'{{"paper": {A}}}\n{{"paper": {B}}}',
        '{\n  "title": "A"\n}\n{\n  "title": "B"\n}',
        f"[{A}, {B},]",
        f"[{A} {B}]",
    ],
)
def test_records_are_found_in_lists_lines_and_wrappers(text: str) -> None:
    parsed = parse(text)
    assert titles(parsed) == ["A", "B"]
    assert parsed.refused == []
    assert parsed.format == "jsonl"


@pytest.mark.parametrize("text", ["[]", '{"data": []}', '{"total": 0, "results": [ ]}\n'])
def test_an_answer_without_papers_is_no_error(text: str) -> None:
    parsed = parse(text)
    assert (parsed.papers, parsed.refused, parsed.format) == ([], [], "json")


def test_one_pretty_printed_object_is_one_record() -> None:
    record = {"title": "A", "authors": ["Lu Zhao"], "ids": {"doi": "10.1000/x"}}
    (found,) = parse(json.dumps(record, indent=2)).papers
    assert (found.paper.title, found.paper.authors) == ("A", ("Lu Zhao",))


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ({"id": "0704.0001", "title": "T", "authors_parsed": []}, "arxiv-snapshot"),
        ({"id": "https://openalex.org/W1", "title": "T"}, "openalex"),
        ({"doi": "https://doi.org/10.1000/x", "open_access": {}}, "openalex"),
        ({"paperId": "a", "title": "T"}, "semantic-scholar"),
        ({"title": "T", "authors": [{"name": "Lu Zhao"}]}, "semantic-scholar"),
        ({"citedPaper": {"title": "T"}}, "semantic-scholar"),
        ({"itemType": "book", "title": "T"}, "zotero-json"),
        ({"key": "A", "data": {"itemType": "book", "title": "T"}}, "zotero-json"),
        ({"DOI": "10.1000/x", "indexed": {}, "title": ["T"]}, "crossref"),
        ({"DOI": "10.1000/x", "title": "T"}, "csl-json"),
        ({"id": 5, "title": "T"}, "csl-json"),
        ({"title": "T", "author": [{"family": "Zhao"}]}, "csl-json"),
        ({"key": "k", "title": "T", "type": "article", "ids": {}}, "jsonl"),
        ({"title": "T", "authors": ["Lu Zhao"], "year": 2020}, "jsonl"),
    ],
)
def test_the_fields_tell_the_schema(record: dict[str, Any], name: str) -> None:
    assert parse(json.dumps(record)).format == name
    assert parse(json.dumps([record], indent=1)).format == name


def test_a_file_may_be_said_to_be_of_one_schema() -> None:
    parsed = parse('{"title": "T", "year": 2020}', "semantic-scholar")
    assert (parsed.format, parsed.papers[0].paper.year) == ("semantic-scholar", 2020)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"error": "Paper not found"}', "Paper not found"),
        ('{"message": "Not  found\\u001b[31m"}', "“Not found[31m”"),
        ('{"error": {"code": 404, "message": "No such work"}}', "No such work"),
        ('{"errors": [{"detail": "Gone"}]}', "Gone"),
        ('{"status": "error", "message": {"message": "x"}}', "x"),
        ('{"a": 1}', "no record of a paper"),
        ("<!DOCTYPE html><html><title>429 Too &lt; Many</title></html>", "429"),
        ("<html lang=en>", "web page"),
    ],
)
def test_an_answer_that_is_no_paper_is_refused_with_what_it_says(text: str, reason: str) -> None:
    parsed = parse(text, "json")
    assert parsed.papers == []
    (refusal,) = parsed.refused
    assert reason in refusal.reason


@pytest.mark.parametrize("value", ["null", "5", '"text"', "[1]", "true"])
def test_what_is_no_object_is_refused_and_counted(value: str) -> None:
    for text in (f"[{A}, {value}, {B}]", f"{A}\n{value}\n{B}"):
        parsed = parse(text)
        assert titles(parsed) == ["A", "B"]
        (refusal,) = parsed.refused
        assert (refusal.entry, "object" in refusal.reason) == ("entry 2", True)


def test_a_broken_element_costs_itself_and_is_told_with_line_column_and_name() -> None:
    text = f'[\n  {A},\n  {{"id": "zhao", "title" "X"}},\n  {B}\n]'
    parsed = parse(text)
    assert titles(parsed) == ["A", "B"]
    (refusal,) = parsed.refused
    assert (refusal.line, refusal.entry) == (3, "zhao")
    assert "column 26" in refusal.reason


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f'{{"title" "X"}}\n{A}\n{B}', 1),
        (f'{{\n "title" "X"\n}}\n{A}\n{B}', 2),
        (f'{{"items": [\n{A},\n{{"a": [1;\n{B}\n]}}', 3),
        (f'{A}\n{{"items": [oops]}}\n{B}', 2),
        (f'[\n{A},\n{{"a": {"[" * 50},\n{B}\n]', 3),
    ],
)
def test_reading_goes_on_behind_an_error(text: str, line: int) -> None:
    parsed = parse(text)
    assert titles(parsed) == ["A", "B"]
    assert [refusal.line for refusal in parsed.refused] == [line]


@pytest.mark.parametrize("end", ["", ",", ', {"title": "C', ', {"title": "C"'])
def test_what_stands_before_the_end_of_a_cut_file_is_read(end: str) -> None:
    parsed = parse(f'{{"data": [\n{A},\n{B}{end}')
    assert titles(parsed) == ["A", "B"]
    assert len(parsed.refused) == 1


def test_what_is_lost_behind_an_error_is_told() -> None:
    parsed = parse(f'[{A}, {{"title" "X"}}, {B}]')
    assert titles(parsed) == ["A"]
    assert [one.reason.endswith("nothing after it is read") for one in parsed.refused] == [True]


def test_a_number_without_end_costs_no_other() -> None:
    parsed = parse(f'[{A}, {{"title": "X", "year": {"9" * 5000}}}, {B}]')
    assert titles(parsed) == ["A", "B"]
    assert [one.entry for one in parsed.refused] == ["X"]


@pytest.mark.parametrize(
    "text",
    ["[", '{"a":', '{"message":', '{"data":[', '[\n{"title": "A"},\n{"a":[', "[\n", '{"a":\n'],
)
def test_what_is_nested_without_end_is_refused(text: str) -> None:
    parsed = parse(text * 100_000)
    assert any("deep" in refusal.reason for refusal in parsed.refused)
    assert len(parsed.refused) <= 2


def test_many_errors_are_told_one_by_one() -> None:
    parsed = parse("[\n" + '{"a" 1},\n' * 5000 + A + "]")
    assert titles(parsed) == ["A"]
    assert [refusal.line for refusal in parsed.refused] == list(range(2, 5002))


def test_going_back_after_errors_comes_to_an_end() -> None:
    element = '{"title": [1' + ",1" * 2000 + ",\n"
    parsed = parse("[\n" + element * 500 + A + "]")
    assert len(parsed.refused) >= 1


def test_long_lines_are_refused_and_the_others_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "LONGEST_LINE", 1000)
    text = f'{A}\n{{"title": "{"x" * 2_000_000}"}}\n{B}\n'
    parsed = gathered(read(Input(io.BytesIO(text.encode()), Path("a.jsonl"))))
    assert titles(parsed) == ["A", "B"]
    assert parsed.refused == [Refusal(2, "entry 2", "the line is too long")]


def test_half_an_emoji_and_controls_are_defused() -> None:
    (found,) = parse(
        '{"title": "a\\ud83d\\u001b[31m\\u0000b", "authors": ["Lu\\u202e Zhao"]}'
    ).papers
    assert (found.paper.title, found.paper.authors) == ("a\ufffd[31mb", ("Lu Zhao",))


def test_text_in_utf_16_is_read() -> None:
    assert titles(parse(f"[{A}]".encode("utf-16"))) == ["A"]


@given(st.lists(RECORDS, max_size=5), st.sampled_from([None, 1]), st.sampled_from(["", "data"]))
def test_every_record_is_read_or_refused(
    records: list[dict[str, Any]], indent: int | None, wrapper: str
) -> None:
    records = [record for record in records if record.keys().isdisjoint(("papers", "message"))]
    value = {wrapper: records} if wrapper else records
    parsed = parse(json.dumps(value, indent=indent))
    assert len(parsed.papers) + len(parsed.refused) == len(records)


@given(st.lists(RECORDS, min_size=1, max_size=5))
def test_records_of_lines_with_wrappers_among_them_never_raise(
    records: list[dict[str, Any]],
) -> None:
    parse("\n".join(map(json.dumps, records)), "json")


@given(
    st.sampled_from(["json", "openalex", "semantic-scholar", "zotero-json", "crossref", "csl-json",
                     "arxiv-snapshot", "jsonl"]),
    RECORDS,
)  # fmt: skip
def test_no_schema_raises_on_any_record(name: str, record: dict[str, Any]) -> None:
    record = {field: value for field, value in record.items() if field != "papers"}
    parsed = parse(json.dumps([record]), name)
    assert len(parsed.papers) + len(parsed.refused) == 1


@given(st.text(st.sampled_from('{}[]",:\\ \n1aé')))
def test_no_text_raises(text: str) -> None:
    parsed = parse(text, "json")
    assert not text.strip(" ,\n[]") or parsed.papers or parsed.refused or "[" in text


def test_the_cases_of_services_are_read(shared: Path) -> None:
    folder = shared / "cases" / "H09-openalex-s2-json"
    found = {path.name: gathered(read(Input.of(path.read_bytes()), "json"))
             for path in folder.glob("*.json")}  # fmt: skip
    works = [one.paper for one in found["openalex_list.json"].papers]
    assert works[0].abstract == "the more data the models better, R&D <b> and"
    assert works[0] == found["openalex_single.json"].papers[0].paper
    assert [work.abstract for work in works[1:4]] == [None, None, "start end"]
    assert works[2].title is None
    first, second = (one.paper for one in found["s2_search.json"].papers)
    assert first.ids["arxiv"] == "2101.00001"
    assert second.title == "Emoji half � and NUL"
    assert len(found["s2_search.json"].refused) == 1
    assert "Paper not found" in found["not_found.json"].refused[0].reason
    assert "web page" in found["html_instead.json"].refused[0].reason


def independent_count(path: Path) -> int:
    if path.suffix == ".jsonl":
        return sum(bool(line.strip()) for line in path.read_text("utf-8").split("\n"))
    value = json.loads(path.read_text("utf-8-sig"))
    if isinstance(value, dict):
        value = next(
            (value[name] for name in ("data", "results", "items") if name in value), [value]
        )
    return len(value)


@pytest.mark.parametrize(
    ("folder", "name", "files"),
    [("csl_json", "csl-json", 13), ("s2_openalex", "", 24), ("zotero", "zotero-json", 2),
     ("arxiv_snapshot", "arxiv-snapshot", 1), ("large", "csl-json", 1)],
)  # fmt: skip
def test_real_files_are_read_whole(shared: Path, folder: str, name: str, files: int) -> None:
    if not (shared / "corpora").is_dir():
        pytest.skip("the corpora do not lie beside the cases")
    paths = [path for path in (shared / "corpora" / folder).iterdir() if "json" in path.suffix]
    assert len(paths) == files
    for path in paths:
        parsed = gathered(read(Input.of(path.read_bytes())))
        assert len(parsed.papers) + len(parsed.refused) == independent_count(path), path.name
        expected = name or path.name.replace("s2_", "semantic-scholar_").partition("_")[0]
        assert parsed.format == expected, path.name
        assert all("null" in refusal.reason for refusal in parsed.refused), path.name
