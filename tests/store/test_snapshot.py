from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store.snapshot import decode, encode
from hypothesis import given, settings
from hypothesis import strategies as st
from tinydb import TinyDB

texts = st.text(max_size=8) | st.sampled_from(['a": {', "}", "},", "\n", "\r\u2028", "\\", '"'])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)
documents = st.dictionaries(texts, values, max_size=3)
tables = st.dictionaries(
    texts.filter(lambda name: name != "_journal"),
    st.dictionaries(texts, documents, max_size=4),
    max_size=3,
)

TABLES: dict[str, dict[str, Any]] = {
    "marks": {"moe": {"status": "read", "tags": ["a", "b"]}, "pipe": {"starred": True}},
    "notes": {"moe": {"text": "é 東京\n} \u2028 {"}, "quant": {"text": "more"}},
    "history": {"1": {"what": "note"}},
}


@settings(max_examples=50)
@given(tables, st.integers(0, 1 << 40))
def test_what_was_encoded_is_decoded(tables: dict[str, Any], seq: int) -> None:
    assert decode(encode(tables, seq)) == (tables, seq, "")


@settings(max_examples=50)
@given(tables, st.integers(0, 9))
def test_a_document_takes_one_line_and_the_number_comes_first(
    tables: dict[str, Any], seq: int
) -> None:
    lines = encode(tables, seq).decode().split("\n")
    assert lines[:4] == ["{", '"_journal": {', f'"1": {{"seq": {seq}}}', "}" + "," * bool(tables)]
    rows = [line for line in lines if line.startswith('"') and not line.endswith(": {")]
    held = [json.loads("{" + line.removesuffix(",") + "}") for line in rows]
    assert len(held) == 1 + sum(map(len, tables.values()))
    found = [document for table in tables.values() for document in table.items()]
    for id_, document in found:
        assert {id_: document} in held


def test_the_same_tables_are_the_same_file() -> None:
    assert encode(TABLES, 7) == encode(json.loads(json.dumps(TABLES)), 7)


def test_plain_tinydb_reads_the_file(tmp_path: Path) -> None:
    (tmp_path / "marks.json").write_bytes(encode(TABLES, 7))
    with TinyDB(tmp_path / "marks.json", encoding="utf-8") as database:
        assert database.tables() == {"_journal", *TABLES}
    assert json.loads((tmp_path / "marks.json").read_bytes())["notes"] == TABLES["notes"]


def test_a_text_that_utf_8_cannot_hold_is_kept() -> None:
    tables = {"notes": {"k\udc80": {"text": "a\ud800b"}}}
    assert decode(encode(tables, 1)) == (tables, 1, "")


def test_a_file_without_a_number_is_the_first() -> None:
    assert decode(b'{"marks": {"k": {"status": "read"}}}') == (
        {"marks": {"k": {"status": "read"}}}, 0, ""
    )  # fmt: skip
    assert decode(b"{}") == ({}, 0, "")


# Damage


@given(st.binary(max_size=60) | texts.map(lambda text: text.encode("utf-8", "replace")))
def test_no_bytes_raise(data: bytes) -> None:
    tables, seq, problem = decode(data)
    assert isinstance(problem, str)
    assert isinstance(seq, int)
    assert all(isinstance(one, dict) for table in tables.values() for one in table.values())


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"null", b"[]", b"7", b'"x"', b"true", b"NaN", b"\xff\xfe", b"\x00" * 99,
        b"[" * 100_000, b'{"a":' * 100_000, b"9" * 10_000, b'{"marks": null}', b'{"marks": []}',
        b'{"marks": "text"}', b'{"marks": 7}', b'{"marks": {"k": 5}}', b'{"marks": {"k": null}}',
        b'{"_journal": 3}', b'{"_journal": []}', b'{"_journal": {}}', b'{"_journal": {"1": 7}}',
        b'{"_journal": {"1": {"seq": "x"}}}', b'{"_journal": {"1": {"seq": 1e999}}}',
        b'{"_journal": {"1": {"seq": null}}}', b'{"_journal": {"1": {"seq": NaN}}}',
    ],
)  # fmt: skip
def test_what_is_no_snapshot_is_told(data: bytes) -> None:
    tables, _, problem = decode(data)
    assert problem
    assert all(not table for table in tables.values())


def test_what_is_of_a_wrong_type_costs_nothing_else() -> None:
    data = {**TABLES, "history": [], "marks": {**TABLES["marks"], "pipe": 5}}
    found, seq, problem = decode(json.dumps({"_journal": {"1": {"seq": 3}}, **data}).encode())
    assert found == {"marks": {"moe": TABLES["marks"]["moe"]}, "notes": TABLES["notes"]}
    assert seq == 3
    assert "history" in problem or "marks" in problem


@settings(max_examples=50)
@given(st.data())
def test_a_file_cut_at_any_byte_gives_every_whole_line_and_its_number(data: st.DataObject) -> None:
    whole = encode(TABLES, 1234)
    cut = data.draw(st.integers(0, len(whole) - 2))
    found, seq, problem = decode(whole[:cut])
    assert problem
    expected: dict[str, dict[str, Any]] = {}
    name, end = "", 0
    for line in whole.splitlines(keepends=True):
        start, end = end, end + len(line)
        text = line.rstrip(b"\n").removesuffix(b",")
        if text.endswith(b": {"):
            name = json.loads(text.removesuffix(b": {"))
        elif text.startswith(b'"') and start + len(text) <= cut:
            expected.setdefault(name, {}).update(json.loads(b"{" + text + b"}"))
    assert seq == expected.pop("_journal", {"1": {"seq": 0}})["1"]["seq"]
    assert {name: table for name, table in found.items() if table} == expected


@settings(max_examples=50)
@given(st.data())
def test_a_damaged_line_costs_no_document_but_its_own(data: st.DataObject) -> None:
    lines = encode(TABLES, 7).split(b"\n")
    documents = [number for number, line in enumerate(lines) if line.startswith(b'"') and
                 not line.endswith(b": {")][1:]  # fmt: skip
    damaged = data.draw(st.sampled_from(documents))
    garbage = data.draw(st.sampled_from([b"\x00" * 20, b"\xff\xfe", b"{", b'"x": {"y"', b"}"]))
    lost = json.loads(b"{" + lines[damaged].removesuffix(b",") + b"}")
    lines[damaged] = garbage
    found, seq, problem = decode(b"\n".join(lines))
    assert problem
    assert seq == 7
    expected = {
        name: {id_: one for id_, one in table.items() if lost.get(id_) != one}
        for name, table in TABLES.items()
    }
    if garbage[:1] in b"}\0":  # what follows may belong to another table, so it is left out
        for name, table in found.items():
            assert table.items() <= expected[name].items()
    else:
        assert found == expected


@pytest.mark.parametrize("garbage", [b"\x00", b"x", b"\xff", b"{"])
@pytest.mark.parametrize("head", [b'"marks": {', b'"notes": {', b'"history": {'])
def test_a_damaged_head_costs_no_other_table(head: bytes, garbage: bytes) -> None:
    data = encode(TABLES, 7).replace(head, garbage * len(head))
    found, seq, problem = decode(data)
    assert problem
    assert seq == 7
    name = head.split(b'"')[1].decode()
    assert {key: table for key, table in found.items() if table} == {
        key: table for key, table in TABLES.items() if key != name
    }


def test_a_hole_over_the_end_of_a_table_and_the_next_head_puts_no_note_among_the_marks() -> None:
    whole = encode(TABLES, 7)
    hole = b'},\n"notes": {'
    assert hole in whole
    found, _, problem = decode(whole.replace(hole, b"\x00" * len(hole)))
    assert problem
    assert found["marks"] == TABLES["marks"]
    assert found["history"] == TABLES["history"]


def test_of_a_file_written_twice_the_later_counts() -> None:
    older = {**TABLES, "notes": {"moe": {"text": "old"}, "bare": {"text": "old"}}}
    found, seq, problem = decode(encode(older, 7) + encode(TABLES, 8))
    assert problem
    assert seq == 8
    assert found["notes"] == {**TABLES["notes"], "bare": {"text": "old"}}
    assert found["marks"] == TABLES["marks"]


def test_a_whole_file_that_was_damaged_inside_a_text_is_read_as_it_stands() -> None:
    data = encode(TABLES, 7).replace("東京".encode(), b"\xff\xff\xff\xff\xff\xff")
    found, _, problem = decode(data)
    assert problem
    assert "moe" not in found["notes"]
    assert found["notes"]["quant"] == TABLES["notes"]["quant"]
