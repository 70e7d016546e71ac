from __future__ import annotations

import json
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from anchorlight.store import CannotUndoError, Paper, ReadingList
from anchorlight.store.catalogue import Catalogue, Span
from hypothesis import given, settings
from hypothesis import strategies as st

from .helpers import contents, full

NOW = "2026-01-15T12:00:00+00:00"
WHOLE = Paper(
    "", title="A [/b] “Title”", authors=("A B", "C"), authors_complete=False, year=2020, venue="V",
    abstract="An abstract\nof two lines", truncated=True, ids={"arxiv": "2101.00001"},
    url="https://a.org", source="x.txt",
)  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "papers.jsonl"


@pytest.fixture
def catalogue(path: Path) -> Iterator[Catalogue]:
    with closing(Catalogue(path)) as catalogue:
        yield catalogue


def test_a_paper_is_the_same_after_reopening(catalogue: Catalogue, path: Path) -> None:
    key, outcome = catalogue.stage_paper(WHOLE, NOW)
    assert outcome == "added"
    catalogue.commit()
    with closing(Catalogue(path)) as again:
        assert again.papers == catalogue.papers == {key: catalogue.papers[key]}
        assert again.papers[key].added == NOW
        assert again.known.by_id("arxiv", "2101.00001") == key


def test_a_paper_known_already_keeps_its_key(catalogue: Catalogue) -> None:
    assert catalogue.stage_paper(Paper("mine", ids={"doi": "10.1000/x"}), NOW)[0] == "mine"
    record = Paper("other", title="T", ids={"doi": "10.1000/x"})
    assert catalogue.stage_paper(record, NOW) == ("mine", "updated")
    assert catalogue.stage_paper(record, NOW) == ("mine", "unchanged")
    assert catalogue.papers["mine"].title == "T"


def test_a_key_that_is_taken_is_not_given_again(catalogue: Catalogue) -> None:
    assert catalogue.stage_paper(Paper("k", title="One thing"), NOW) == ("k", "added")
    assert catalogue.stage_paper(Paper("k", title="Other thing"), NOW) == ("other-thing", "added")
    assert catalogue.stage_paper(Paper("", title="Other thing"), NOW) == ("other-thing-2", "added")


def test_nothing_is_written_before_the_commit(catalogue: Catalogue, path: Path) -> None:
    catalogue.stage_paper(WHOLE, NOW)
    assert not path.exists()
    catalogue.commit()
    size = path.stat().st_size
    catalogue.commit()
    assert path.stat().st_size == size


def test_a_commit_that_fails_leaves_nothing_visible(
    catalogue: Catalogue, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue.stage_paper(Paper("a", title="A"), NOW)
    catalogue.commit()
    before = path.read_bytes()

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    catalogue.stage_paper(Paper("b", title="B"), NOW)
    catalogue.stage_list(ReadingList("a", ("b",)))
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", full)
        with pytest.raises(OSError, match="No space"):
            catalogue.commit()
    assert list(catalogue.papers) == ["a"]
    assert catalogue.lists == {}
    assert path.read_bytes() == before
    catalogue.stage_paper(Paper("c", title="C"), NOW)
    catalogue.commit()
    with closing(Catalogue(path)) as again:
        assert list(again.papers) == ["a", "c"]


def test_a_paper_knows_the_lists_it_stands_in(catalogue: Catalogue, path: Path) -> None:
    for key in "abxy":
        catalogue.stage_paper(Paper(key, title=f"Title {key}"), NOW)
    assert catalogue.stage_list(ReadingList("a", ("x", "y")))
    assert catalogue.stage_list(ReadingList("b", ("x",)))
    assert not catalogue.stage_list(ReadingList("b", ("x",)))
    assert catalogue.stage_list(ReadingList("a", ("y",), "new.txt"))
    catalogue.commit()
    with closing(Catalogue(path)) as again:
        for one in (catalogue, again):
            assert one.anchors_of("x") == ("b",)
            assert one.anchors_of("y") == ("a",)
            assert one.anchors_of("none") == ()
            assert one.lists["a"] == ReadingList("a", ("y",), "new.txt")


def test_the_list_that_came_or_changed_last_is_told_last(catalogue: Catalogue, path: Path) -> None:
    for anchor, papers in (("a", ("x",)), ("b", ("x",)), ("a", ("y", "x"))):
        catalogue.stage_list(ReadingList(anchor, papers))
        catalogue.commit()
    with closing(Catalogue(path)) as again:
        for one in (catalogue, again):
            assert one.anchors_of("x") == ("b", "a")
            assert list(one.lists) == ["a", "b"]


def test_a_later_line_replaces_an_earlier_one(path: Path) -> None:
    path.write_text('{"key": "a", "title": "Old"}\n{"key": "b"}\n{"key": "a", "title": "New"}\n')
    with closing(Catalogue(path)) as catalogue:
        assert [paper.title for paper in catalogue.papers.values()] == ["New", None]


@settings(max_examples=25)
@given(st.data())
def test_a_file_cut_at_any_byte_opens_with_the_papers_before(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "papers.jsonl"
        with closing(Catalogue(path)) as catalogue:
            for number in range(4):
                catalogue.stage_paper(Paper(f"k{number}", title=f"東京 {number}"), NOW)
            catalogue.stage_list(ReadingList("k0", ("k1",)))
            catalogue.commit()
        whole = path.read_bytes()
        cut = data.draw(st.integers(0, len(whole)))
        path.write_bytes(whole[:cut])
        complete = whole[:cut].count(b"\n")
        with closing(Catalogue(path)) as catalogue:
            keys = list(catalogue.papers)
            assert keys[:complete] == [f"k{number}" for number in range(min(complete, 4))]
            assert len(keys) <= complete + 1
            catalogue.stage_paper(Paper("new", title="New"), NOW)
            catalogue.commit()
        with closing(Catalogue(path)) as again:
            assert list(again.papers) == [*keys, "new"]


@pytest.mark.parametrize(
    "garbage",
    [
        b"\xff\x00\x80", b"{", b"null", b"[]", b"7", b'"list"', b'"x"', b"{}", b'{"key": ',
        b'{"list": "a"}', b'{"list": "a", "papers": null}', b'{"key": "g", "year": "soon"}',
        b'{"key": "g", "year": 1e999}', b'{"key": "g", "authors": 5}', b'{"key": "g", "ids": []}',
        b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_damaged_line_costs_no_other_and_is_told(path: Path, garbage: bytes) -> None:
    data = b'{"key": "a"}\n' + garbage + b'\n{"key": "b"}\n'
    path.write_bytes(data)
    with closing(Catalogue(path)) as catalogue:
        assert list(catalogue.papers) == ["a", "b"]
        (notice,) = catalogue.notices
        assert str(path) in notice
        assert "line 2" in notice
    assert path.read_bytes() == data


@pytest.mark.parametrize(
    ("line", "authors"),
    [('{"key": "g", "authors": "Ann Lee"}', ("Ann Lee",)), ('{"key": "g", "authors": null}', ())],
)
def test_authors_written_by_hand_are_not_cut_into_letters(
    path: Path, line: str, authors: tuple[str, ...]
) -> None:
    path.write_text(line + "\n")
    with closing(Catalogue(path)) as catalogue:
        if "g" in catalogue.papers:
            assert catalogue.papers["g"].authors == authors
        else:
            assert catalogue.notices


def test_texts_written_by_hand_are_cleaned(path: Path) -> None:
    record = {"key": "a", "title": "a\x1b[31m\nb", "abstract": "x\u202ey", "authors": ["A\tB"]}
    path.write_text(json.dumps(record))
    with closing(Catalogue(path)) as catalogue:
        paper = catalogue.papers["a"]
        assert (paper.title, paper.abstract, paper.authors) == ("a[31m b", "xy", ("A B",))


def test_what_another_program_added_is_taken_in(catalogue: Catalogue, path: Path) -> None:
    assert not catalogue.poll()
    with closing(Catalogue(path)) as other:
        for key in "ab":
            other.stage_paper(Paper(key, title=f"Title {key}"), NOW)
            other.commit()
            assert catalogue.poll()
            assert catalogue.papers == other.papers
    assert not catalogue.poll()


def test_a_file_that_was_replaced_is_read_anew(catalogue: Catalogue, path: Path) -> None:
    catalogue.stage_paper(Paper("a", title="A"), NOW)
    catalogue.commit()
    new = path.with_name("new")
    new.write_text('{"key": "b"}\n')
    new.replace(path)
    assert catalogue.poll()
    assert list(catalogue.papers) == ["b"]


def test_a_damaged_line_is_told_once(catalogue: Catalogue, path: Path) -> None:
    path.write_text('{"key": "a"}\ngarbage\n')
    catalogue.poll()
    new = path.with_name("new")
    new.write_text('{"key": "a"}\ngarbage\n{"key": "b"}\n')
    new.replace(path)
    catalogue.poll()
    assert len(set(catalogue.notices)) == len(catalogue.notices) == 1


def test_a_notice_names_the_line_of_the_file(catalogue: Catalogue, path: Path) -> None:
    path.write_text('{"key": "a"}\n{"key": "b"}\n')
    catalogue.poll()
    with path.open("a") as file:
        file.write("garbage\n")
    catalogue.poll()
    assert "line 3" in catalogue.notices[0]


def test_what_a_newer_version_adds_to_a_line_is_no_damage(path: Path) -> None:
    path.write_text('{"key": "a", "mood": 3}\n{"list": "a", "papers": ["b"], "mood": []}\n')
    with closing(Catalogue(path)) as catalogue:
        assert catalogue.notices == []
        assert list(catalogue.papers) == ["a"]
        assert catalogue.lists["a"].papers == ("b",)


def test_a_list_whose_papers_are_a_text_is_damaged(path: Path) -> None:
    path.write_text('{"key": "a"}\n{"list": "a", "papers": "xyz"}\n')
    with closing(Catalogue(path)) as catalogue:
        assert "a" not in catalogue.lists
        assert "line 2" in catalogue.notices[0]


def test_a_paper_without_a_key_is_damaged(path: Path) -> None:
    path.write_text('{"key": null, "title": "T"}\n{"key": "a"}\n')
    with closing(Catalogue(path)) as catalogue:
        assert list(catalogue.papers) == ["a"]
        assert "line 1" in catalogue.notices[0]


# What is gone


def test_a_line_takes_away_a_paper_or_a_list(path: Path) -> None:
    path.write_text(
        '{"key": "a", "title": "A"}\n{"key": "b"}\n{"list": "a", "papers": ["b"]}\n'
        '{"key": "b", "gone": true}\n'
    )
    with closing(Catalogue(path)) as catalogue:
        assert list(catalogue.papers) == ["a"]
        assert catalogue.lists["a"].papers == ("b",)
        with path.open("a") as file:
            file.write('{"list": "a", "gone": true}\n{"key": "none", "gone": true}\n')
        assert catalogue.poll() >= {"a"}
        assert catalogue.lists == {}
        assert catalogue.anchors_of("b") == ()
        assert catalogue.notices == []
        with path.open("a") as file:
            file.write('{"key": "b", "title": "Again"}\n')
        assert catalogue.poll() == {"b"}
        assert catalogue.papers["b"].title == "Again"


@pytest.mark.parametrize("order", ["paper first", "list first"])
def test_an_anchor_that_is_gone_with_its_list_leaves_no_paper(path: Path, order: str) -> None:
    gone = ['{"key": "a", "gone": true}\n', '{"list": "a", "gone": true}\n']
    path.write_text(
        '{"key": "a", "title": "A"}\n{"key": "b"}\n{"list": "a", "papers": ["b"]}\n'
        + "".join(gone if order == "paper first" else reversed(gone))
    )
    with closing(Catalogue(path)) as catalogue:
        assert catalogue.lists == {}
        assert list(catalogue.papers) == ["b"]


def test_a_list_whose_anchor_is_gone_has_an_anchor_without_title(path: Path) -> None:
    path.write_text(
        '{"key": "a", "title": "A"}\n{"list": "a", "papers": [], "source": "x.txt"}\n'
        '{"key": "a", "gone": true}\n'
    )
    with closing(Catalogue(path)) as catalogue:
        assert catalogue.papers == {"a": Paper("a", source="x.txt")}


# Taking back


def filled(catalogue: Catalogue, *keys: str) -> Span:
    for key in keys:
        catalogue.stage_paper(Paper(key, title=f"Title {key}", ids={"doi": f"10.1000/{key}"}), NOW)
    span = catalogue.commit()
    assert span
    return span


def test_a_commit_tells_the_lines_that_it_wrote(catalogue: Catalogue, path: Path) -> None:
    first = filled(catalogue, "a")
    second = filled(catalogue, "b", "é")
    data = path.read_bytes()
    assert (first.start, first.end, second.end) == (0, second.start, len(data))
    lines = data[second.start : second.end]
    assert [json.loads(line)["key"] for line in lines.splitlines()] == ["b", "é"]
    assert second.checksum == zlib.crc32(lines)
    assert catalogue.commit() is None


def test_the_lines_of_a_commit_are_known_behind_a_torn_one(path: Path) -> None:
    path.write_text('{"key": "torn"}')
    with closing(Catalogue(path)) as catalogue:
        span = filled(catalogue, "a")
        assert json.loads(path.read_bytes()[span.start : span.end])["key"] == "a"
        assert catalogue.stage_undoing(span) == {"a"}
        catalogue.commit()
        assert list(catalogue.papers) == ["torn"]


def test_a_commit_is_undone_and_done_again(catalogue: Catalogue, path: Path) -> None:
    filled(catalogue, "a", "x")
    catalogue.stage_list(ReadingList("a", ("x",), "1.txt"))
    catalogue.commit()
    before = dict(catalogue.papers), dict(catalogue.lists)
    catalogue.stage_paper(Paper("", year=2020, ids={"doi": "10.1000/x"}), NOW)
    catalogue.stage_paper(Paper("new", title="New"), NOW)
    catalogue.stage_list(ReadingList("a", ("new", "x"), "1.txt"))
    catalogue.stage_list(ReadingList("x", ("new",)))
    done = catalogue.commit()
    after = dict(catalogue.papers), dict(catalogue.lists)
    assert done
    assert catalogue.stage_undoing(done) == {"x", "new"}
    undone = catalogue.commit()
    assert (catalogue.papers, catalogue.lists) == before
    assert catalogue.anchors_of("new") == ()
    assert catalogue.anchors_of("x") == ("a",)
    with closing(Catalogue(path)) as again:
        assert (again.papers, again.lists) == before
    assert undone
    assert catalogue.stage_undoing(undone) == {"x", "new"}
    catalogue.commit()
    assert (catalogue.papers, catalogue.lists) == after
    with closing(Catalogue(path)) as again:
        assert (again.papers, again.lists) == after
        assert again.anchors_of("new") == ("a", "x")
    assert path.read_bytes().count(b'"gone": true') == 2


def test_what_is_taken_back_is_not_known_by_its_identifiers(catalogue: Catalogue) -> None:
    filled(catalogue, "a")
    assert catalogue.stage_paper(Paper("", title="Title a", ids={"arxiv": "2101.00001"}), NOW)
    catalogue.stage_paper(Paper("", ids={"arxiv": "2101.00001", "doi": "10.1000/a"}), NOW)
    span = filled(catalogue, "b")
    catalogue.stage_undoing(span)
    catalogue.commit()
    assert catalogue.known.by_id("doi", "10.1000/b") is None
    assert catalogue.known.by_id("doi", "10.1000/a") == "a"


def test_an_identifier_that_is_taken_back_names_the_paper_no_longer(
    catalogue: Catalogue, path: Path
) -> None:
    filled(catalogue, "a")
    record = Paper("", ids={"doi": "10.1000/a", "arxiv": "2101.00001"})
    assert catalogue.stage_paper(record, NOW) == ("a", "updated")
    span = catalogue.commit()
    assert span
    catalogue.stage_undoing(span)
    catalogue.commit()
    assert catalogue.papers["a"].ids == {"doi": "10.1000/a"}
    with closing(Catalogue(path)) as again:
        assert again.known.by_id("arxiv", "2101.00001") is None
    assert catalogue.known.by_id("arxiv", "2101.00001") is None


@pytest.mark.parametrize("how", ["rewritten", "shorter", "damaged", "empty"])
def test_lines_that_are_not_there_any_more_cannot_be_taken_back(
    catalogue: Catalogue, path: Path, how: str
) -> None:
    filled(catalogue, "a")
    span = filled(catalogue, "b")
    data = path.read_bytes()
    path.write_bytes(
        {
            "rewritten": data[: span.start].replace(b"Title", b"A title") + data[span.start :],
            "shorter": data[:-3],
            "damaged": data[:-9] + b"\x00" + data[-8:],
            "empty": b"",
        }[how]
    )
    catalogue.poll()
    before, papers = path.read_bytes(), dict(catalogue.papers)
    with pytest.raises(CannotUndoError, match=path.name):
        catalogue.stage_undoing(span)
    catalogue.drop_staged()
    assert catalogue.papers == papers
    assert path.read_bytes() == before
    assert catalogue.commit() is None


def test_a_commit_is_rolled_back(catalogue: Catalogue, path: Path) -> None:
    filled(catalogue, "a")
    before = path.read_bytes()
    catalogue.roll_back(filled(catalogue, "b").start)
    assert list(catalogue.papers) == ["a"]
    assert path.read_bytes() == before
    filled(catalogue, "c")
    with closing(Catalogue(path)) as again:
        assert list(again.papers) == ["a", "c"]


def test_rolling_back_loses_no_line_that_lacked_its_end(path: Path) -> None:
    before = b'{"key": "a"}\n{"key": "torn", "title": "Whole"}'
    path.write_bytes(before)
    with closing(Catalogue(path)) as catalogue:
        catalogue.roll_back(filled(catalogue, "b").start)
        assert path.read_bytes().startswith(before)
        assert list(catalogue.papers) == ["a", "torn"]


# Rewriting


def test_rewriting_leaves_out_what_cannot_be_read_and_keeps_the_file_before(path: Path) -> None:
    data = (
        b'{"key": "a", "title": "Old"}\ngarbage\n{"key": "b", "authors": ["\xc3\xa9"]}\n'
        b'{"key": "a", "title": "New"}\n{"list": "b", "papers": ["a", "lost"]}\n'
        b'{"key": "c"}\n{"key": "c", "gone": true}\n\xff\xfe'
    )
    path.write_bytes(data)
    with closing(Catalogue(path)) as catalogue, closing(Catalogue(path)) as other:
        papers, lists = dict(catalogue.papers), dict(catalogue.lists)
        aside = catalogue.rewrite()
        assert aside
        assert aside.read_bytes() == data
        assert aside.name.startswith("papers.jsonl.damaged-")
        assert catalogue.notices == []
        other.poll()
        with closing(Catalogue(path)) as again:
            for one in (catalogue, other, again):
                assert (one.papers, one.lists, one.notices) == (papers, lists, [])
    assert path.read_text().splitlines() == [
        '{"key": "a", "title": "New"}',
        '{"key": "b", "authors": ["é"]}',
        '{"list": "b", "papers": ["a", "lost"]}',
    ]


def test_a_file_that_can_be_read_is_not_rewritten(path: Path) -> None:
    path.write_text('{"key": "a"}\n\n{"key": "a", "title": "x"}\n{"key": "b"}')
    before = contents(path.parent)
    with closing(Catalogue(path)) as catalogue:
        assert catalogue.rewrite() is None
    assert contents(path.parent) == before


@pytest.mark.parametrize("call", ["replace", "fsync", "pwrite"])
def test_rewriting_that_fails_leaves_the_file_before(
    path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path.write_bytes(b'{"key": "a"}\ngarbage\n')
    with closing(Catalogue(path)) as catalogue:
        before = contents(path.parent)
        with monkeypatch.context() as patch:
            patch.setattr(os, call, full)
            with pytest.raises(OSError, match="No space"):
                catalogue.rewrite()
        assert contents(path.parent) == before
        assert list(catalogue.papers) == ["a"]
        assert catalogue.rewrite()
