from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from anchorlight.store import Paper, ReadingList
from anchorlight.store.catalogue import Catalogue
from hypothesis import given, settings
from hypothesis import strategies as st

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
        assert again.identity.by_id("arxiv", "2101.00001") == key


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
