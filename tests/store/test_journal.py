from __future__ import annotations

import gzip
import json
import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import files, journal
from anchorlight.store.copies import Copies
from anchorlight.store.journal import JournalStorage, JournalTable
from hypothesis import given, settings
from hypothesis import strategies as st
from tinydb import TinyDB, where
from tinydb.table import Document

from .helpers import contents, full

Model = dict[str, dict[str, Any]]

documents = st.one_of(
    st.none(),
    st.dictionaries(
        st.sampled_from("ab"), st.one_of(st.integers(), st.text(max_size=5)), max_size=2
    ),
)
puts = st.lists(
    st.tuples(
        st.sampled_from(["marks", "notes"]),
        st.dictionaries(st.sampled_from(["k1", "k2", "é東"]), documents, min_size=1, max_size=2),
    ),
    max_size=8,
)


def applied(model: Model, table: str, documents: dict[str, Any]) -> None:
    for key, document in documents.items():
        if document is None:
            model.get(table, {}).pop(key, None)
        else:
            model.setdefault(table, {})[key] = document


def content(storage: JournalStorage) -> Model:
    return {name: table for name, table in (storage.read() or {}).items() if table}


def filled(model: Model) -> Model:
    return {name: table for name, table in model.items() if table}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "marks.json"


@pytest.fixture
def storage(path: Path) -> Iterator[JournalStorage]:
    with closing(JournalStorage(path)) as storage:
        yield storage


def reopened(path: Path) -> Model:
    with closing(JournalStorage(path)) as storage:
        assert storage.notices == []
        return content(storage)


@settings(max_examples=60)
@given(puts, st.sampled_from([0, 60, 1 << 18]), st.sets(st.integers(0, 8)))
def test_any_puts_are_there_after_reopening_and_seen_by_another(
    puts: list[tuple[str, Any]], limit: int, compacted: set[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(journal, "COMPACT_BYTES", limit)
        path = Path(folder) / "marks.json"
        model: Model = {}
        with closing(JournalStorage(path)) as one, closing(JournalStorage(path)) as two:
            for number, (table, changes) in enumerate(puts):
                writer, reader = (one, two) if number % 3 else (two, one)
                writer.poll()
                writer.append({table: changes})
                applied(model, table, changes)
                if number in compacted:
                    writer.compact()
                changed = reader.poll()
                assert content(reader) == content(writer) == filled(model)
                assert all(changed.keys() <= {"marks", "notes"} for _ in changed)
            assert reopened(path) == filled(model)


@settings(max_examples=25)
@given(
    puts.filter(bool), st.integers(1, 400), documents.filter(lambda document: document is not None)
)
def test_a_journal_cut_at_any_byte_keeps_every_whole_line_and_takes_new_ones(
    puts: list[tuple[str, Any]], cut: int, new: Any
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "marks.json"
        log = path.with_suffix(".journal")
        states: list[tuple[int, str]] = []
        with closing(JournalStorage(path)) as storage:
            for table, changes in puts:
                storage.append({table: changes})
                states.append((log.stat().st_size, json.dumps(content(storage), sort_keys=True)))
        data = log.read_bytes()
        for length in {len(data) - 1, max(0, len(data) - cut), len(data) // 2}:
            log.write_bytes(data[:length])
            whole = [state for size, state in states if size <= length] or ["{}"]
            # A line that lacks only its end may count, or not.
            possible = {*whole[-1:], *(state for size, state in states if size == length + 1)}
            path.unlink(missing_ok=True)
            with closing(JournalStorage(path)) as storage:
                model = content(storage)
                assert json.dumps(model, sort_keys=True) in possible
                storage.append({"notes": {"new": new}})
                applied(model, "notes", {"new": new})
                assert content(storage) == filled(model)
            with closing(JournalStorage(path)) as storage:
                assert content(storage) == filled(model)


def test_a_save_after_a_journal_lost_only_its_last_line_end_is_not_lost(path: Path) -> None:
    with closing(JournalStorage(path)) as storage:
        storage.append({"notes": {"a": {"text": "one"}}})
        storage.append({"notes": {"b": {"text": "two"}}})
    log = path.with_suffix(".journal")
    log.write_bytes(log.read_bytes()[:-1])
    with closing(JournalStorage(path)) as storage:
        storage.append({"notes": {"c": {"text": "three"}}})
    with closing(JournalStorage(path)) as storage:
        assert storage.table("notes")["c"] == {"text": "three"}
        assert storage.table("notes")["a"] == {"text": "one"}


def test_a_change_costs_one_line_of_its_own_size(storage: JournalStorage, path: Path) -> None:
    log = path.with_suffix(".journal")
    storage.append({"marks": {"k": {"status": "read"}}})
    first = log.stat().st_size
    storage.append({"marks": {f"k{n}": {"status": "read"} for n in range(100)}})
    before = log.stat().st_size
    storage.append({"marks": {"k": {"status": "read"}}})
    assert log.stat().st_size - before == first
    assert not path.exists()


def test_a_journal_line_is_a_checksum_and_json(storage: JournalStorage, path: Path) -> None:
    storage.append({"notes": {"é": {"text": "a\nb"}}})
    checksum, _, body = path.with_suffix(".journal").read_bytes().rstrip(b"\n").partition(b" ")
    assert int(checksum, 16) == zlib.crc32(body)
    assert json.loads(body) == {"seq": 1, "set": {"notes": {"é": {"text": "a\nb"}}}}


def test_compacting_leaves_what_plain_tinydb_reads(storage: JournalStorage, path: Path) -> None:
    storage.append({"marks": {"k": {"status": "read"}}, "notes": {"k": {"text": "x"}}})
    storage.compact()
    tables = json.loads(path.read_bytes())
    assert tables["marks"] == {"k": {"status": "read"}}
    assert tables["notes"] == {"k": {"text": "x"}}
    assert path.with_suffix(".journal").read_bytes() == b""
    assert storage.is_folded


def test_a_snapshot_of_plain_tinydb_is_read(path: Path) -> None:
    path.write_text('{"marks": {"k": {"status": "read"}}}')
    assert reopened(path) == {"marks": {"k": {"status": "read"}}}


def test_lines_that_the_snapshot_holds_are_not_applied_twice(
    storage: JournalStorage, path: Path
) -> None:
    storage.append({"notes": {"k": {"text": "old"}}})
    storage.append({"notes": {"k": {"text": "new"}}})
    log = path.with_suffix(".journal")
    before = log.read_bytes()
    storage.compact()
    first = before.splitlines(keepends=True)[0]
    log.write_bytes(first)  # as after a crash between the two files
    assert reopened(path) == {"notes": {"k": {"text": "new"}}}


@pytest.mark.parametrize("failing", ["pwrite", "_sync"])
def test_a_failed_write_changes_nothing_and_the_next_one_works(
    storage: JournalStorage, path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    storage.append({"notes": {"k": {"text": "old"}}})
    with monkeypatch.context() as patch:
        patch.setattr(files if failing == "_sync" else os, failing, full)
        with pytest.raises(OSError, match="No space"):
            storage.append({"notes": {"k": {"text": "lost"}, "j": {"text": "lost"}}})
    assert content(storage) == {"notes": {"k": {"text": "old"}}}
    assert reopened(path) == {"notes": {"k": {"text": "old"}}}
    storage.append({"notes": {"j": {"text": "new"}}})
    expected = {"notes": {"k": {"text": "old"}, "j": {"text": "new"}}}
    assert content(storage) == expected
    assert reopened(path) == expected


def test_after_a_failed_write_nothing_is_stored_before_all_is_written_anew(
    storage: JournalStorage, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a failed sync left on the disk is unknown: only new files can be trusted."""
    storage.append({"notes": {"k": {"text": "old"}}})
    with monkeypatch.context() as patch:
        patch.setattr(files, "_sync", full)
        with pytest.raises(OSError, match="No space"):
            storage.append({"notes": {"k": {"text": "lost"}}})
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.raises(OSError, match="No space"):
            storage.append({"notes": {"k": {"text": "lost"}}})
    assert reopened(path) == content(storage) == {"notes": {"k": {"text": "old"}}}
    assert not path.exists()
    storage.append({"notes": {"k": {"text": "new"}}})
    assert json.loads(path.read_bytes())["notes"] == {"k": {"text": "old"}}
    assert reopened(path) == content(storage) == {"notes": {"k": {"text": "new"}}}


@pytest.mark.parametrize("failing", ["replace", "fsync"])
def test_a_journal_that_cannot_be_folded_only_grows_longer(
    storage: JournalStorage, path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    storage.append({"notes": {"k": {"text": "old"}}})
    with monkeypatch.context() as patch:
        patch.setattr(journal, "COMPACT_BYTES", 0)
        patch.setattr(os, failing, full)
        storage.append({"notes": {"j": {"text": "new"}}})
        assert not path.exists()
    expected = {"notes": {"k": {"text": "old"}, "j": {"text": "new"}}}
    assert content(storage) == reopened(path) == expected
    monkeypatch.setattr(journal, "COMPACT_BYTES", 0)
    storage.append({"notes": {"j": {"text": "newer"}}})
    assert json.loads(path.read_bytes())["notes"] == expected["notes"]
    assert reopened(path)["notes"]["j"] == {"text": "newer"}


# Damage


DAMAGED = (
    b"", b"{", b"not json", b"null", b"[]", b"7", b'"x"', b"\xff\xfe\x00", b'{"marks": null}',
    b'{"marks": []}', b'{"marks": {"k": 5}}', b'{"_journal": {"1": {"seq": 1e999}}}',
    b'{"_journal": 3}', b"[" * 100_000, b"\x00" * 200,
)  # fmt: skip


@pytest.mark.parametrize("data", DAMAGED)
def test_a_damaged_snapshot_is_told_left_and_set_aside_when_it_is_mended(
    path: Path, data: bytes
) -> None:
    with closing(JournalStorage(path)) as storage:
        storage.append({"notes": {"k": {"text": "kept"}}})
    path.write_bytes(data)
    before = contents(path.parent)
    with closing(JournalStorage(path)) as storage:
        assert content(storage) == {"notes": {"k": {"text": "kept"}}}
        assert storage.is_damaged
        (notice,) = storage.notices
        assert str(path) in notice
        assert "damaged" in notice
        assert contents(path.parent) == before
        storage.compact()
        assert not storage.is_damaged
        (aside,) = path.parent.glob("marks.json.damaged-*")
        assert aside.read_bytes() == data
        told, moved = storage.notices
        assert told == notice
        assert str(path) in moved
        assert aside.name in moved
    assert reopened(path) == {"notes": {"k": {"text": "kept"}}}


@pytest.mark.parametrize("data", [b"\x00\xff garbage\n", b"half a li"])
def test_a_damaged_journal_is_set_aside_when_it_is_mended(path: Path, data: bytes) -> None:
    log = path.with_suffix(".journal")
    with closing(JournalStorage(path)) as storage:
        storage.append({"notes": {"k": {"text": "kept"}}})
    damaged = log.read_bytes() + data
    log.write_bytes(damaged)
    with closing(JournalStorage(path)) as storage:
        assert storage.is_damaged
        storage.compact()
        (aside,) = path.parent.glob("marks.journal.damaged-*")
        assert aside.read_bytes() == damaged
        told, moved = storage.notices
        assert str(log) in told
        assert aside.name in moved
        assert not storage.is_damaged
    assert reopened(path) == {"notes": {"k": {"text": "kept"}}}


def test_what_another_program_left_half_written_is_set_aside_too(
    storage: JournalStorage, path: Path
) -> None:
    storage.append({"notes": {"k": {"text": "kept"}}})
    log = path.with_suffix(".journal")
    damaged = log.read_bytes() + b"half a li"
    log.write_bytes(damaged)
    assert storage.poll() == {}
    assert not storage.is_damaged  # it may still be written
    storage.compact()
    (aside,) = path.parent.glob("marks.journal.damaged-*")
    assert aside.read_bytes() == damaged
    assert reopened(path) == {"notes": {"k": {"text": "kept"}}}


def test_changes_that_are_in_no_file_any_more_are_counted(path: Path) -> None:
    with closing(JournalStorage(path)) as storage:
        for number in range(4):
            storage.append({"notes": {"k": {"text": f"{number}"}}})
        storage.compact()
        storage.append({"notes": {"j": {"text": "last"}}})
    path.unlink()
    with closing(JournalStorage(path)) as storage:
        assert content(storage) == {"notes": {"j": {"text": "last"}}}
        (notice,) = storage.notices
        assert notice.startswith("4 changes")
        assert str(path.with_suffix(".journal")) in notice


@pytest.mark.parametrize("call", ["pwrite", "replace", "fsync"])
@pytest.mark.parametrize("data", [b'{"notes": {"j": {"text": "whole"}}, "marks": []}', b"null"])
def test_damage_that_cannot_be_mended_stays_as_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch, call: str, data: bytes
) -> None:
    with closing(JournalStorage(path)) as storage:
        storage.append({"notes": {"k": {"text": "kept"}}})
    path.write_bytes(data)
    before = contents(path.parent)
    with closing(JournalStorage(path)) as storage:
        whole = content(storage)
        with monkeypatch.context() as patch:
            patch.setattr(os, call, full)
            with pytest.raises(OSError, match="No space"):
                storage.compact()
        assert content(storage) == whole
        assert storage.is_damaged
    assert contents(path.parent) == before
    with closing(JournalStorage(path)) as storage:
        assert content(storage) == whole
        storage.compact()
    assert reopened(path) == whole


# Copies


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 1, 15, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(hours=1)
        return self.now


@pytest.fixture
def copies(path: Path) -> Copies:
    return Copies(path.parent / "backups", Clock())


def test_every_rewriting_leaves_a_copy(path: Path, copies: Copies) -> None:
    with closing(JournalStorage(path, copies=copies)) as storage:
        for number in range(3):
            storage.append({"notes": {"k": {"text": f"{number}"}}})
            storage.compact()
            assert copies.all()[0].read().tables == content(storage)
    assert len(copies.all()) == 3
    assert gzip.decompress(copies.all()[0].path.read_bytes()) == path.read_bytes()


@pytest.mark.parametrize("data", [None, *DAMAGED])
def test_a_damaged_or_missing_snapshot_costs_nothing_where_there_is_a_copy(
    path: Path, copies: Copies, data: bytes | None
) -> None:
    with closing(JournalStorage(path, copies=copies)) as storage:
        storage.append({"notes": {"k": {"text": "old"}, "gone": {"text": "x"}}})
        storage.compact()
        storage.append({"notes": {"k": {"text": "new"}, "gone": None}})
        storage.append({"marks": {"m": {"status": "read"}}})
    path.unlink()
    if data is not None:
        path.write_bytes(data)
    before = contents(path.parent)
    expected = {"notes": {"k": {"text": "new"}}, "marks": {"m": {"status": "read"}}}
    with closing(JournalStorage(path, copies=copies)) as storage:
        assert content(storage) == expected
        assert contents(path.parent) == before
        assert str(path) in storage.notices[0]
        assert ("missing" if data is None else "damaged") in storage.notices[0]
        assert copies.all()[0].when in storage.notices[0]
        storage.compact()
        assert not storage.is_damaged
    assert reopened(path) == expected
    assert len(list(path.parent.glob("marks.json.damaged-*"))) == (data is not None)


def test_a_damaged_snapshot_that_is_newer_than_its_copy_is_laid_over_it(
    path: Path, copies: Copies
) -> None:
    documents = {f"k{number}": {"text": "old"} for number in range(4)}
    with closing(JournalStorage(path, copies=copies)) as storage:
        storage.append({"notes": documents})
        storage.compact()
    with closing(JournalStorage(path)) as storage:  # its copy could not be kept
        storage.append({"notes": {"k1": {"text": "new"}, "k2": {"text": "newer"}}})
        storage.compact()
    lines = path.read_bytes().splitlines(keepends=True)
    (number,) = (number for number, line in enumerate(lines) if b'"k2"' in line)
    lines[number] = b"\x00" * (len(lines[number]) - 1) + b"\n"
    path.write_bytes(b"".join(lines))
    with closing(JournalStorage(path, copies=copies)) as storage:
        assert content(storage)["notes"] == documents | {"k1": {"text": "new"}}
        (notice,) = storage.notices
        assert copies.all()[0].when in notice


def test_a_strange_field_of_a_newer_snapshot_is_looked_up_in_its_copy(
    path: Path, copies: Copies
) -> None:
    first = {"text": "kept", "changed": "2026"}
    with closing(JournalStorage(path, copies=copies)) as storage:
        storage.append({"notes": {"k": first}})
        storage.compact()
    with closing(JournalStorage(path)) as storage:  # its copy could not be kept
        storage.append({"notes": {"j": {"text": "new", "changed": "2027"}}})
        storage.compact()
    tables = json.loads(path.read_bytes())
    tables["notes"]["k"]["text"] = 7
    path.write_text(json.dumps(tables))
    with closing(JournalStorage(path, copies=copies)) as storage:
        assert storage.notices
        assert storage.table("notes")["j"]["text"] == "new"
        assert storage.table("notes")["k"] == first


def test_a_damaged_snapshot_that_is_older_than_its_copy_does_not_count(
    path: Path, copies: Copies
) -> None:
    """As where a disk gives back what stood there before."""
    with closing(JournalStorage(path, copies=copies)) as storage:
        storage.append({"notes": {"k": {"text": "old"}, "gone": {"text": "x"}}})
        storage.compact()
        older = path.read_bytes()
        storage.append({"notes": {"k": {"text": "new"}, "gone": None}})
        storage.compact()
        storage.append({"marks": {"m": {"status": "read"}}})
    path.write_bytes(older[:-3])
    with closing(JournalStorage(path, copies=copies)) as storage:
        assert content(storage) == {
            "notes": {"k": {"text": "new"}}, "marks": {"m": {"status": "read"}}
        }  # fmt: skip


def test_of_several_copies_the_one_that_holds_most_is_used_whatever_the_clock_said(
    path: Path,
) -> None:
    clock = Clock()
    copies = Copies(path.parent / "backups", clock)
    with closing(JournalStorage(path, copies=copies)) as storage:
        for year, text in ((2030, "old"), (2026, "new")):
            clock.now = datetime(year, 1, 1, tzinfo=UTC)
            storage.append({"notes": {text: {"text": text}}})
            storage.compact()
    path.unlink()
    with closing(JournalStorage(path, copies=copies)) as storage:
        expected = {"notes": {"old": {"text": "old"}, "new": {"text": "new"}}}
        assert content(storage) == expected


def test_a_copy_that_cannot_be_kept_is_told_and_costs_nothing_else(
    path: Path, copies: Copies
) -> None:
    (path.parent / "backups").write_text("in the way")
    with closing(JournalStorage(path, copies=copies)) as storage:
        storage.append({"notes": {"k": {"text": "kept"}}})
        storage.compact()
        (notice,) = storage.notices
        assert "No copy" in notice
        assert str(path) in notice
        assert storage.is_folded
    assert reopened(path) == {"notes": {"k": {"text": "kept"}}}


def line(record: object) -> bytes:
    body = json.dumps(record).encode()
    return b"%08x %s\n" % (zlib.crc32(body), body)


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\xff garbage\n", b"00000000 {}\n", b"zz\n", b" \n", b"12345678\n", b"{}\n",
        line({"seq": 2})[:-4] + b"\n", line({"seq": 2}), line([]), line({"seq": "x", "set": {}}),
        line({"seq": 2, "set": []}), line({"seq": 2, "set": {"notes": 5}}),
        line({"seq": float("inf"), "set": {}}),
    ],
)  # fmt: skip
def test_garbage_in_the_journal_is_passed_over_with_a_notice(path: Path, garbage: bytes) -> None:
    log = path.with_suffix(".journal")
    good = [line({"seq": n, "set": {"notes": {f"k{n}": {"text": "x"}}}}) for n in (1, 3)]
    log.write_bytes(good[0] + garbage + good[1])
    with closing(JournalStorage(path)) as storage:
        assert content(storage) == {"notes": {"k1": {"text": "x"}, "k3": {"text": "x"}}}
        (notice,) = storage.notices
    assert str(log) in notice
    assert log.read_bytes() == good[0] + garbage + good[1]


def test_polling_tells_which_documents_may_have_changed(path: Path) -> None:
    with closing(JournalStorage(path)) as one, closing(JournalStorage(path)) as two:
        one.append({"notes": {"a": {"text": "x"}}})
        assert two.poll() == {"notes": {"a"}}
        one.append({"notes": {"a": None}, "marks": {"b": {"status": "read"}}})
        assert two.poll() == {"notes": {"a"}, "marks": {"b"}}
        one.compact()
        one.append({"marks": {"c": {"status": "read"}}})
        assert two.poll().get("marks") == {"c"}
        assert two.poll() == {}


def test_a_table_is_used_as_any_of_tinydb(path: Path) -> None:
    class Database(TinyDB):
        table_class = JournalTable

    with Database(path, storage=JournalStorage) as database:
        table = database.table("notes")
        table.insert(Document({"text": "one"}, doc_id="a"))  # type: ignore[arg-type]
        table.insert(Document({"text": "two"}, doc_id="b"))  # type: ignore[arg-type]
        table.update({"text": "three"}, where("text") == "two")
        assert table.get(doc_id="b") == {"text": "three"}  # type: ignore[arg-type]
        table.remove(where("text") == "one")
        assert [document["text"] for document in table.all()] == ["three"]
        assert reopened(path) == {"notes": {"b": {"text": "three"}}}
        database.drop_tables()
    assert reopened(path) == {}


def test_putting_nothing_writes_nothing(path: Path) -> None:
    class Database(TinyDB):
        table_class = JournalTable

    with Database(path, storage=JournalStorage) as database:
        table = database.table("notes")
        assert isinstance(table, JournalTable)
        table.put({})
    assert not list(path.parent.iterdir())


@pytest.mark.parametrize("how", ["emptied", "older", "cut", "garbage", "gone"])
def test_a_program_that_runs_keeps_what_a_damaged_journal_has_lost(path: Path, how: str) -> None:
    log = path.with_suffix(".journal")
    with closing(JournalStorage(path)) as storage:
        storage.append({"notes": {"a": {"text": "one"}}})
        storage.compact()
        storage.append({"notes": {"b": {"text": "two"}}})
        older = log.read_bytes()
        storage.append({"notes": {"c": {"text": "three"}}})
        whole = log.read_bytes()
        if how == "gone":
            log.unlink()
        else:
            data = {"emptied": b"", "older": older, "cut": whole[: len(whole) // 2]}
            log.write_bytes(data.get(how, b"\x00 garbage\n"))
        assert storage.poll() == {}
        assert storage.table("notes").keys() == {"a", "b", "c"}
        assert any(str(log.with_suffix("")) in notice for notice in storage.notices)
        storage.append({"notes": {"d": {"text": "four"}}})
    assert reopened(path)["notes"].keys() == {"a", "b", "c", "d"}


def test_a_snapshot_that_is_a_link_stays_one(path: Path) -> None:
    real = path.parent / "elsewhere" / "marks.json"
    real.parent.mkdir()
    path.symlink_to(real)
    with closing(JournalStorage(path)) as storage:
        storage.append({"notes": {"a": {"text": "one"}}})
        storage.compact()
    assert path.is_symlink()
    assert json.loads(real.read_bytes())["notes"] == {"a": {"text": "one"}}
