from __future__ import annotations

import json
import os
import tempfile
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import CannotUndoError, Paper, ReadingList, contents, files
from anchorlight.store.catalogue import Catalogue
from anchorlight.store.columns import HAS_BITS, blake2b, milliseconds
from anchorlight.store.text import fold
from hypothesis import given, settings
from hypothesis import strategies as st

NOW = "2026-01-15T12:00:00+00:00"
LONG_AGO = count(1_500_000_000_000_000_000, 1_000_000_000)


@pytest.fixture(autouse=True)
def _small_libraries_count_as_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_KNOWN_AGAIN", 8)
    monkeypatch.setattr(contents, "_WORTH_PAPERS", 0)
    monkeypatch.setattr(contents, "_WORTH_LINES", 0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "papers.jsonl"


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "columns"


def aged(path: Path) -> None:
    """Let a file be one that was written long ago, at a time when no other was."""
    when = next(LONG_AGO)
    os.utime(path, ns=(when, when))


def columns_of(catalogue: Catalogue) -> list[tuple[object, ...]]:
    """Return what the columns hold of every paper, without the numbers."""
    columns = catalogue.columns
    titles, names = columns.titles(), columns.names()
    assert len(columns) == len(columns.keys) == len(titles) == len(names) == len(columns.has)
    rows: list[tuple[object, ...]] = []
    for number, key in enumerate(columns.keys):
        assert bool(columns.here >> number & 1) == bool(key)
        row = [
            column[number]
            for column in (
                columns.offsets, columns.lengths, columns.digests, columns.years, columns.added,
                columns.has, titles, names,
            )
        ]  # fmt: skip
        if key:
            assert columns.number(key) == number
            rows.append((key, *row))
        else:
            assert not any(row)
    return rows


def view(catalogue: Catalogue) -> dict[str, Any]:
    """Return all that a catalogue shows."""
    columns = columns_of(catalogue)
    papers = list(catalogue.papers.items())
    assert len(papers) == len(catalogue.papers)
    return {
        "papers": papers,
        "columns": columns,
        "lists": list(catalogue.lists.items()),
        "anchors": {key: catalogue.anchors_of(key) for key, _ in papers},
        "notices": catalogue.notices,
        "size": catalogue.size,
    }


def scanned(path: Path) -> dict[str, Any]:
    """Return what a catalogue shows that has read the whole file."""
    with closing(Catalogue(path)) as catalogue:
        return view(catalogue)


def write(path: Path, *lines: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("".join(f"{line}\n" for line in lines))


def keep(path: Path, stored: Path) -> None:
    """Store the columns of a file that was written long ago."""
    aged(path)
    with closing(Catalogue(path, stored)) as catalogue:
        catalogue.keep_columns()
    assert stored.exists()


# What the columns hold


def test_columns_tell_what_is_known_of_every_paper(path: Path) -> None:
    line = (
        '{"key": "Ä", "title": "Éa B", "year": 2020, "added": "2026-01-15T12:00:00.5+00:00", '
        '"abstract": "x", "ids": {"arxiv": "2101.1", "DOI": "10.1/X"}}'
    )
    write(path, line, '{"list": "l", "papers": ["Ä"]}', '{"key": "b", "url": "http://a/B.PDF"}')
    with closing(Catalogue(path)) as catalogue:
        columns = catalogue.columns
        assert columns.keys == ["Ä", "l", "b"]
        assert list(columns.years) == [2020, 0, 0]
        assert list(columns.added) == [1_768_478_400_500, 0, 0]
        assert columns.titles() == [fold("Éa B"), "", ""]
        assert columns.names() == ["\x1fä\x1f2101.1\x1f10.1/x\x1f", "\x1fl\x1f", "\x1fb\x1f"]
        assert columns.has[0] == sum(HAS_BITS[name] for name in ("abstract", "arxiv", "url", "pdf"))
        assert columns.has[2] == HAS_BITS["url"] | HAS_BITS["pdf"]
        data = path.read_bytes()
        start, length = columns.offsets[0], columns.lengths[0]
        assert data[start : start + length].decode() == line
        assert columns.digests[0] == int.from_bytes(blake2b(line.encode()).digest()[:8], "little")
        assert (columns.lengths[1], columns.digests[1]) == (0, 0)


@pytest.mark.parametrize("year", [-1, 0, 70_000, 10**30])
def test_a_year_that_none_can_be_is_unknown(path: Path, year: int) -> None:
    write(path, f'{{"key": "a", "year": {year}}}')
    with closing(Catalogue(path)) as catalogue:
        assert list(catalogue.columns.years) == [0]
        assert catalogue.papers["a"].year == year


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        ("1970-01-01T00:00:01Z", 1000), ("1970-01-01T01:00:00+01:00", 0),
        ("1970-01-02", 86_400_000), ("1970-01-01T00:00:01", 1000),
        ("soon", 0), ("", 0), ("\ud800", 0),
    ],
)  # fmt: skip
def test_a_moment_is_told_in_milliseconds(moment: str, expected: int) -> None:
    assert milliseconds(moment) == expected


def test_a_paper_that_comes_back_gets_a_new_number(path: Path) -> None:
    write(path, '{"key": "a", "year": 1}', '{"key": "b"}', '{"key": "a", "gone": true}')
    with closing(Catalogue(path)) as catalogue:
        columns, version = catalogue.columns, catalogue.columns.version
        assert (columns.keys, columns.here) == (["", "b"], 0b10)
        with pytest.raises(KeyError):
            catalogue.paper_at(0)
        write(path, '{"key": "a", "year": 2}')
        assert catalogue.poll() == {"a"}
        assert (columns.keys, columns.here, list(columns.years)) == (
            ["", "b", "a"],
            0b110,
            [0, 0, 2],
        )
        assert catalogue.paper_at(2) == catalogue.papers["a"] == Paper("a", year=2)
        assert columns.version > version
        assert list(catalogue.papers) == ["b", "a"]


def test_what_is_staged_is_in_the_columns_and_has_its_line_once_stored(path: Path) -> None:
    with closing(Catalogue(path)) as catalogue:
        catalogue.stage_paper(Paper("a", title="A\n title", year=2020), NOW)
        columns = catalogue.columns
        assert (columns.keys, list(columns.years), list(columns.lengths)) == (["a"], [2020], [0])
        assert catalogue.papers["a"].year == 2020
        catalogue.commit()
        assert columns.lengths[0]
        assert view(catalogue) == scanned(path)


def test_the_version_goes_on_where_the_file_is_read_anew(path: Path, stored: Path) -> None:
    write(path, '{"key": "a"}')
    keep(path, stored)
    with closing(Catalogue(path, stored)) as catalogue:
        before = catalogue.columns
        catalogue.stage_paper(Paper("b"), NOW)
        version = before.version
        catalogue.drop_staged()
        assert catalogue.columns is not before
        assert catalogue.columns.version > version
        assert list(catalogue.papers) == ["a"]


# Reading papers when they are asked for


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "_AT_HAND", 1)


@pytest.mark.usefixtures("forgetful")
def test_a_line_that_was_changed_is_no_paper_until_the_file_is_read_anew(path: Path) -> None:
    write(path, '{"key": "a", "title": "One"}', '{"key": "b", "title": "Two"}', '{"key": "c"}')
    with closing(Catalogue(path)) as catalogue:
        with path.open("r+b") as file:
            file.write(path.read_bytes().replace(b"Two", b"Six"))
        assert catalogue.papers["c"]
        with pytest.raises(OSError, match="changed"):
            catalogue.papers["b"]
        assert catalogue.poll() == {"a", "b", "c"}
        assert catalogue.papers["b"].title == "Six"
        assert catalogue.poll() == set()


@pytest.mark.usefixtures("forgetful")
def test_a_file_that_was_replaced_is_read_as_it_was_until_it_is_read_anew(path: Path) -> None:
    write(path, *(f'{{"key": "{key}"}}' for key in "abc"))
    with closing(Catalogue(path)) as catalogue:
        before = view(catalogue)
        path.with_name("new").write_text('{"key": "x"}\n')
        path.with_name("new").replace(path)
        assert view(catalogue) == before
        assert catalogue.poll() == set("abcx")
        assert list(catalogue.papers.values()) == [Paper("x")]


@pytest.mark.usefixtures("forgetful")
def test_papers_are_kept_while_they_are_where_they_were(path: Path) -> None:
    with closing(Catalogue(path)) as catalogue:
        for number in range(4):
            catalogue.stage_paper(Paper(f"k{number}", title=f"Title {number}"), NOW)
            catalogue.commit()
        before = view(catalogue)
        span = catalogue.commit()
        assert span is None
        catalogue.stage_replacing(Paper("k1", title="Other"))
        span = catalogue.commit()
        assert span
        assert catalogue.papers["k1"].title == "Other"
        catalogue.roll_back(span.start)
        assert view(catalogue) == before == scanned(path)


def test_lines_that_were_replaced_leave_room_for_papers_at_hand(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "_AT_HAND", 2)
    write(path, *(f'{{"key": "a", "year": {year}}}' for year in range(2000, 2010)), '{"key": "b"}')
    reads = Reads(path, monkeypatch)
    with closing(Catalogue(path)) as catalogue:
        before = reads.bytes
        assert list(catalogue.papers.values()) == [Paper("a", year=2009), Paper("b")]
        assert reads.bytes == before > 0


def test_what_goes_and_comes_back_in_one_write_is_where_the_file_has_it(path: Path) -> None:
    with closing(Catalogue(path)) as catalogue:
        catalogue.stage_replacing(Paper("b"))
        catalogue.commit()
        catalogue.stage_replacing(Paper("a", title="A"))
        catalogue.stage_list(ReadingList("b", ("a",)))
        span = catalogue.commit()
        assert span
        catalogue.stage_undoing(span)
        catalogue.stage_replacing(Paper("c"))
        catalogue.stage_replacing(Paper("a", title="Again"))
        catalogue.stage_replacing(Paper("a", title="And again"))
        catalogue.commit()
        assert list(catalogue.papers) == ["b", "c", "a"]
        assert view(catalogue) == scanned(path)


def test_a_file_that_cannot_be_read_leaves_what_is_known(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, '{"key": "a"}')
    with closing(Catalogue(path)) as catalogue:
        path.with_name("new").write_text('{"key": "x"}\n')
        path.with_name("new").replace(path)

        def broken(*_: object) -> bytes:
            raise OSError(5, "Input/output error")

        with monkeypatch.context() as patch:
            patch.setattr(os, "pread", broken)
            with pytest.raises(OSError, match="Input"):
                catalogue.poll()
            assert list(catalogue.papers.items()) == [("a", Paper("a"))]
        assert catalogue.poll() == {"a", "x"}
        path.unlink()
        with pytest.raises(FileNotFoundError):
            catalogue.poll()
        assert list(catalogue.papers) == ["x"]


def test_what_completes_a_line_without_end_is_read_with_it(path: Path) -> None:
    path.write_text('{"key": "a"}\n{"key": "b"}')
    with closing(Catalogue(path)) as catalogue:
        assert list(catalogue.papers) == ["a", "b"]
        write(path, "", "garbage")
        catalogue.poll()
        assert view(catalogue) == scanned(path)
        assert "line 3" in catalogue.notices[0]
    path.write_text('{"key": "a"}\n{"key": "b"}')
    with closing(Catalogue(path)) as catalogue:
        write(path, "x", '{"key": "c"}')
        catalogue.poll()
        assert view(catalogue) == scanned(path)
        assert list(catalogue.papers) == ["a", "c"]


def test_a_line_that_grew_unseen_behind_the_end_is_read_in_the_end(path: Path) -> None:
    path.write_text('{"key": "a"}\n{"key": "b"}')
    with closing(Catalogue(path)) as catalogue:
        path.write_text('{"key": "a"}\n{"key": "b"}x')
        catalogue.stage_paper(Paper("c"), NOW)
        catalogue.commit()
        catalogue.poll()
        assert view(catalogue) == scanned(path)
        assert list(catalogue.papers) == ["a", "c"]


# Stored columns


LINES = (
    '{"key": "a", "title": "Á", "year": 2001, "ids": {"doi": "10.1/a"}}', '{"key": "b"}', "garbage",
    '{"list": "l", "papers": ["a", "b"], "source": "x.txt"}', '{"list": "a", "papers": ["b"]}',
    '{"list": "l", "papers": ["b"]}', '{"key": "gone"}', '{"key": "gone", "gone": true}',
)  # fmt: skip


class Reads:
    """Counts the bytes that are read of a file."""

    def __init__(self, path: Path, patch: pytest.MonkeyPatch) -> None:
        self.bytes = 0
        pread = os.pread

        def counting(handle: int, size: int, at: int) -> bytes:
            data = pread(handle, size, at)
            if path.exists() and os.fstat(handle).st_ino == path.stat().st_ino:
                self.bytes += len(data)
            return data

        patch.setattr(os, "pread", counting)


def test_stored_columns_are_all_that_is_read(
    path: Path, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, *LINES, '{"key": "long", "abstract": "%s"}' % ("x" * 9000))
    keep(path, stored)
    expected = scanned(path)
    reads = Reads(path, monkeypatch)
    with closing(Catalogue(path, stored)) as catalogue:
        assert reads.bytes <= 4096
        assert list(catalogue.papers) == ["a", "b", "l", "long"]
        assert columns_of(catalogue) == expected["columns"]
        assert reads.bytes <= 4096
        assert view(catalogue) == expected
        write(path, '{"key": "new"}', '{"list": "new", "papers": ["a"]}')
        assert catalogue.poll() == {"new", "a"}
        assert view(catalogue) == scanned(path)


def test_only_what_came_since_is_taken_in_anew(path: Path, stored: Path) -> None:
    write(path, *LINES)
    keep(path, stored)
    write(path, '{"key": "b", "title": "New"}', "more garbage", '{"key": "c"}')
    with closing(Catalogue(path, stored)) as catalogue:
        assert not catalogue._contents._at_hand.keys() & {0}
        assert view(catalogue) == scanned(path)
        catalogue.keep_columns()
    with closing(Catalogue(path, stored)) as catalogue:
        assert view(catalogue) == scanned(path)
        assert "lines 3, 10 cannot" in catalogue.notices[0]


def test_texts_are_made_anew_where_the_stored_ones_are_damaged(path: Path, stored: Path) -> None:
    write(path, *LINES, '{"key": "title", "title": "A rare title"}')
    keep(path, stored)
    data = stored.read_bytes()
    stored.write_bytes(data.replace(b"a rare title", b"a rash title"))
    assert stored.read_bytes() != data
    with closing(Catalogue(path, stored)) as catalogue:
        write(path, '{"key": "b", "gone": true}', '{"key": "c", "title": "C"}')
        catalogue.poll()
        assert view(catalogue) == scanned(path)


def test_stored_columns_that_are_replaced_are_still_read(path: Path, stored: Path) -> None:
    write(path, *LINES)
    keep(path, stored)
    with closing(Catalogue(path, stored)) as first:
        write(path, '{"key": "c"}')
        with closing(Catalogue(path, stored)) as second:
            second.keep_columns()
        stored.unlink()
        first.poll()
        assert view(first) == scanned(path)


def test_the_time_of_a_file_that_was_written_just_now_proves_nothing(
    path: Path, stored: Path
) -> None:
    write(path, *LINES)
    with closing(Catalogue(path, stored)) as catalogue:
        catalogue.keep_columns()
    status, data = path.stat(), path.read_bytes()
    with path.open("r+b") as file:
        file.write(data.replace(b"2001", b"2002"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    with closing(Catalogue(path, stored)) as catalogue:
        assert catalogue.papers["a"].year == 2002
        assert view(catalogue) == scanned(path)


@pytest.mark.parametrize("how", ["cut", "flipped", "empty", "longer", "a folder"])
def test_stored_columns_that_are_damaged_count_as_none(path: Path, stored: Path, how: str) -> None:
    write(path, *LINES)
    keep(path, stored)
    expected, data = scanned(path), stored.read_bytes()
    for at in range(0, len(data), 7):
        stored.unlink()
        if how == "a folder":
            stored.mkdir()
        else:
            flipped = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
            stored.write_bytes(
                {"cut": data[:at], "flipped": flipped, "empty": b"", "longer": data + b"x"}[how]
            )
        with closing(Catalogue(path, stored)) as catalogue:
            assert view(catalogue) == expected
            if how == "a folder":
                catalogue.keep_columns()
                break


def test_columns_of_a_small_library_are_not_stored(
    path: Path, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "_WORTH_PAPERS", 4)
    write(path, *LINES)
    with closing(Catalogue(path, stored)) as catalogue:
        catalogue.keep_columns()
        assert not stored.exists()
        write(path, '{"key": "c"}', '{"key": "d"}')
        catalogue.poll()
        catalogue.keep_columns()
        assert stored.exists()


def test_columns_are_stored_anew_when_many_lines_have_come(
    path: Path, stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "_WORTH_LINES", 2)
    write(path, *LINES)
    keep(path, stored)
    data = stored.read_bytes()
    with closing(Catalogue(path, stored)) as catalogue:
        for number in range(3):
            catalogue.keep_columns()
            assert stored.read_bytes() == data
            catalogue.stage_paper(Paper(f"new{number}"), NOW)
            catalogue.commit()
        catalogue.keep_columns()
        assert stored.read_bytes() != data
    with closing(Catalogue(path, stored)) as catalogue:
        assert view(catalogue) == scanned(path)


@pytest.mark.parametrize("state", ["staged", "torn", "torn and gone", "changed", "odd"])
def test_columns_that_are_not_those_of_the_file_are_not_stored(
    path: Path, stored: Path, state: str
) -> None:
    write(path, *LINES)
    size = path.stat().st_size
    if state.startswith("torn"):
        with path.open("a") as file:
            file.write('{"key": "torn"}')
    if state == "odd":
        write(path, '{"key": "a\\nb"}')
    with closing(Catalogue(path, stored)) as catalogue:
        if state == "staged":
            catalogue.stage_list(ReadingList("b"))
        if state == "changed":
            with path.open("r+b") as changed:
                changed.write(b'{"key": "A"')
        if state == "torn and gone":
            os.truncate(path, size)
        catalogue.keep_columns()
        assert not stored.exists()
        catalogue.drop_staged()
        if state == "changed":
            catalogue.poll()
        if state == "torn and gone":
            catalogue.stage_paper(Paper("new"), NOW)
            catalogue.commit()
            catalogue.poll()
        assert view(catalogue) == scanned(path)


def test_the_folder_of_stored_columns_is_the_readers_own(path: Path, stored: Path) -> None:
    write(path, *LINES)
    keep(path, stored)
    assert stored.parent.stat().st_mode & 0o777 == 0o700
    assert stored.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in stored.parent.iterdir()] == [stored.name]


# Whatever happens, stored columns show what reading the file shows

KEYS = st.sampled_from(["a", "b", "c", "d", "\udc80é", "\x1f"])
TITLES = st.sampled_from(["", "Ä title", "Long " * 40, "x\ty"])
RECORDS = st.one_of(
    st.fixed_dictionaries({"key": KEYS, "title": TITLES}),
    st.fixed_dictionaries({"key": KEYS, "year": st.integers(-1, 3), "ids": st.just({"doi": "1"})}),
    st.fixed_dictionaries({"list": KEYS, "papers": st.lists(KEYS, max_size=3)}),
    st.fixed_dictionaries({"list": KEYS, "papers": st.just([]), "source": TITLES}),
    st.fixed_dictionaries({"key": KEYS, "gone": st.just(True)}),
    st.fixed_dictionaries({"list": KEYS, "gone": st.just(True)}),
)
RAW = st.one_of(
    RECORDS.map(lambda record: json.dumps(record).encode()),
    st.sampled_from([b"", b"  ", b"garbage", b'{"key": 7}', b'{"key": "a"']),
)
FILE_STEPS = st.one_of(
    st.tuples(st.just("append"), RAW, st.booleans()),
    st.tuples(st.sampled_from(["cut", "flip", "swap"]), st.integers(0, 400), st.booleans()),
    st.tuples(st.just("stored"), st.sampled_from(["cut", "flip", "none"]), st.integers(0, 4000)),
)
PAPERS = st.builds(Paper, KEYS, title=TITLES, ids=st.sampled_from([{}, {"doi": "1"}]))
LISTS = st.builds(ReadingList, KEYS, st.lists(KEYS, max_size=3).map(tuple))
STEPS = st.sampled_from(
    ["poll", "keep", "keep", "reopen", "commit", "drop", "roll back", "undo", "redo", "rewrite"]
)


class History:
    """A file of papers, its stored columns, and a program that has it open."""

    def __init__(self, folder: Path) -> None:
        self.path, self.stored = folder / "papers.jsonl", folder / "columns"
        self.path.touch()
        self.catalogue = Catalogue(self.path, self.stored)
        self.spans: list[Any] = []

    def close(self) -> None:
        self.catalogue.close()

    def reopen(self) -> None:
        self.catalogue.close()
        self.catalogue = Catalogue(self.path, self.stored)

    def take(self, step: Any) -> None:
        """Let the program do something, as the library does: it polls, stages, and commits."""
        catalogue = self.catalogue
        if step in ("undo", "redo", "rewrite"):
            catalogue.drop_staged()
        if step not in ("reopen", "keep") and not catalogue._staged:
            catalogue.poll()
        if isinstance(step, Paper):
            catalogue.stage_replacing(step)
        elif isinstance(step, ReadingList):
            catalogue.stage_list(step)
        elif step == "reopen":
            self.reopen()
        elif step in ("commit", "undo", "redo", "roll back"):
            self._commit(step)
        elif step in ("keep", "drop", "rewrite"):
            {
                "keep": catalogue.keep_columns,
                "drop": catalogue.drop_staged,
                "rewrite": catalogue.rewrite,
            }[step]()

    def _commit(self, step: str) -> None:
        if step in ("undo", "redo") and self.spans:
            with suppress(CannotUndoError):
                self.catalogue.stage_undoing(self.spans[-1], again=step == "redo")
        span = self.catalogue.commit()
        if span and step == "roll back":
            self.catalogue.roll_back(span.start)
        elif span:
            self.spans.append(span)

    def disturb(self, step: Any) -> None:
        """Let somebody else do something to the files."""
        kind, what, more = step
        file = self.stored if kind == "stored" else self.path
        if not file.exists():
            return
        data = file.read_bytes()
        at = more if kind == "stored" else what
        if kind == "append":
            data += what + (b"\n" if more else b"")
        elif "cut" in (kind, what):
            data = data[:at]
        elif "flip" in (kind, what) and data:
            at %= len(data)
            data = data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :]
        elif kind == "swap":
            data = data[at:] + data[:at]
        if kind in ("flip", "swap") and more:
            file.with_name("new").write_bytes(data)
            file.with_name("new").replace(file)
        else:
            file.write_bytes(data)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(FILE_STEPS, STEPS, PAPERS, LISTS), max_size=25), st.booleans())
def test_stored_columns_never_show_anything_else(steps: list[Any], is_old: bool) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(History(Path(folder))) as history:
        for step in [*steps, "keep", "reopen"]:
            if isinstance(step, tuple):
                history.disturb(step)
            else:
                if is_old and step != "reopen" and history.path.exists():
                    aged(history.path)
                try:
                    history.take(step)
                except OSError:  # what it read is not there any more: it reads anew
                    history.catalogue.drop_staged()
                    history.catalogue.poll()
            if step == "reopen":
                assert view(history.catalogue) == scanned(history.path)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(STEPS, PAPERS, LISTS), max_size=25))
def test_a_program_shows_what_the_file_says_that_it_wrote(steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(History(Path(folder))) as history:
        for step in steps:
            history.take(step)
            if not history.catalogue._staged:
                assert view(history.catalogue) == scanned(history.path)
