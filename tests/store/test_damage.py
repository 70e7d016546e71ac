"""Every kind of damage to every file: the library opens, tells of it, and loses nothing it had."""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
import zlib
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import Change, Entry, Library, Status
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import SMALL, Clock
from .helpers import Open, contents, is_kept, look_everywhere, state

Damage = Callable[[bytes], bytes]
FILES = ("marks.json", "marks.journal", "papers.jsonl", "library.json", "session.json")


def cut(part: float) -> Damage:
    return lambda data: data[: int(len(data) * part)]


def hole(data: bytes) -> bytes:
    """Overwrite a third of a file, in its middle, with blocks that were never written."""
    third = len(data) // 3
    return data[:third] + b"\x00" * third + data[2 * third :]


GENERAL: dict[str, Damage] = {
    "cut to nearly nothing": cut(0.05),
    "cut to a third": cut(0.33),
    "cut to two thirds": cut(0.67),
    "cut near its end": lambda data: data[:-5],
    "empty": lambda _: b"",
    "nul": lambda data: b"\x00" * len(data),
    "hole": hole,
    "not utf-8": lambda data: data[: len(data) // 2] + b"\xff\xfe\xc3" + data[len(data) // 2 + 3 :],
    "null": lambda _: b"null",
    "a list": lambda _: b"[]",
    "a number": lambda _: b"7",
    "too deep": lambda _: b"[" * 100_000,
    "too large a number": lambda _: b'{"marks": ' + b"9" * 5000 + b"}",
    "of another program": lambda _: b"<html>\n<body>\n</body>\n</html>\n",
    "written twice": lambda data: data + data,
    "written twice in part": lambda data: data[: len(data) // 2] + data,
}
each_damage = pytest.mark.parametrize("damage", GENERAL.values(), ids=GENERAL.keys())


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library whose last changes stand in the journal, as a program leaves it that is killed."""
    place = tmp_path_factory.mktemp("whole")
    clock = Clock()
    library = Library(place / "library", place / "cache", clock=clock)
    records = [*SMALL, {"key": "listed", "title": "A Paper in a List", "anchors": ["moe"]}]
    (place / "papers.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    library.import_files([place / "papers.jsonl"])
    library.mark({"moe": Change(Status.READ, starred=True, add_tags=("GPU", "to-read"))})
    library.mark({"pipe": Change(Status.QUEUED)})
    library.write_note("moe", "An earlier note")
    library.write_note("moe", "A note é 東京\n\n\tof three lines")
    library.write_note("quant", "A note to be rewritten")
    library.write_session({"row": 3})
    library._marks.compact()
    clock.now += timedelta(minutes=20)
    library.mark({"bare": Change(starred=True)})
    library.write_note("quant", "Rewritten")
    library.refresh_index()
    shutil.copytree(library.folder, place / "copy")
    library.close()
    return place / "copy"


@pytest.fixture
def placed(whole: Path, folder: Path) -> Path:
    """Put the library in its place."""
    shutil.copytree(whole, folder)
    return folder


@pytest.fixture(params=["with copies", "without copies"])
def copied(request: pytest.FixtureRequest, placed: Path) -> bool:
    """Tell whether the library has copies of its marks, and see to it."""
    if request.param == "without copies":
        shutil.rmtree(placed / "backups")
    return request.param == "with copies"


@pytest.fixture(scope="module")
def before(whole: Path) -> dict[str, Entry]:
    """What the library holds where nothing is damaged."""
    return state(Library(whole, whole.parent / "cache", may_write=False))[0]


def told(library: Library, name: str) -> bool:
    return any(str(library.folder / name) in notice for notice in library.notices)


def check_like_before(entries: dict[str, Entry], before: dict[str, Entry]) -> None:
    """Check that every mark and note is as it was, or not there: none was made up."""
    for key, entry in entries.items():
        known = before[key]
        assert entry.note in ("", known.note, *(["A note to be rewritten"] * (key == "quant")))
        assert entry.mark == known.mark or entry.mark.changed is None


def check_goes_on(library: Library, open_library: Open) -> None:
    """Check that a library can be used and is sound when it is opened again."""
    key = next(iter(state(library)[0]), None)
    if key:
        library.mark({key: Change(Status.SKIPPED)})
        library.write_note(key, "Goes on")
    library.write_session({"row": 4})
    expected = state(library)
    library.close()
    again = open_library()
    assert state(again) == expected
    assert again.session == {"row": 4}
    assert [notice for notice in again.notices if "papers.jsonl" not in notice] == []
    look_everywhere(again)


def test_the_library_that_is_damaged_here_is_whole(
    placed: Path, folder: Path, open_library: Open
) -> None:
    library = open_library()
    entries, lists = state(library)
    assert library.notices == []
    assert list(entries) == ["moe", "pipe", "quant", "bare", "listed"]
    assert entries["moe"].mark.tags == ("GPU", "to-read")
    assert entries["moe"].note == "A note é 東京\n\n\tof three lines"
    assert (entries["quant"].note, entries["bare"].mark.starred) == ("Rewritten", True)
    assert lists["moe"].papers == ("listed",)
    assert (folder / "marks.journal").read_bytes().count(b"\n") == 2
    assert len(list((folder / "backups").iterdir())) == 1
    look_everywhere(library)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
@pytest.mark.parametrize("name", ["marks.json", "library.json", "session.json"])
def test_a_file_in_another_encoding_of_unicode_is_read_or_mended(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry], name: str,
    encoding: str,
) -> None:  # fmt: skip
    data = (folder / name).read_bytes().decode().encode(encoding)
    (folder / name).write_bytes(data)
    library = open_library()
    assert is_kept(folder, data)
    assert state(library)[0] == before
    assert library.session == {"row": 3} or told(library, "session.json")
    look_everywhere(library)


# Every kind for every file


@each_damage
def test_damaged_marks(
    copied: bool, folder: Path, open_library: Open, before: dict[str, Entry], damage: Damage
) -> None:
    path = folder / "marks.json"
    data = damage(path.read_bytes())
    path.write_bytes(data)
    library = open_library()
    assert told(library, "marks.json")
    assert is_kept(folder, data)
    look_everywhere(library)
    entries, _ = state(library)
    if copied:
        assert entries == before
        assert [one.text for one in library.note_versions("moe")] == [
            "An earlier note", before["moe"].note
        ]  # fmt: skip
    check_like_before(entries, before)
    assert entries["bare"].mark == before["bare"].mark  # these two stand in the journal
    assert entries["quant"].note == "Rewritten"
    assert library.session == {"row": 3}
    check_goes_on(library, open_library)


@each_damage
def test_a_damaged_journal(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry], damage: Damage
) -> None:
    path = folder / "marks.journal"
    whole_data = path.read_bytes()
    data = damage(whole_data)
    path.write_bytes(data)
    library = open_library()
    look_everywhere(library)
    entries, _ = state(library)
    for key in ("moe", "pipe", "listed"):
        assert entries[key] == before[key]
    check_like_before(entries, before)
    if data in (b"", whole_data * 2):
        assert library.notices == []  # nothing is there, or nothing new
    else:
        assert told(library, "marks.journal")
        assert is_kept(folder, data)
    if data.startswith(whole_data.splitlines(keepends=True)[0]):
        assert entries["bare"].mark.starred
    if data.endswith(whole_data):
        assert entries == before
    check_goes_on(library, open_library)


@each_damage
def test_damaged_papers(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry], damage: Damage
) -> None:
    path = folder / "papers.jsonl"
    whole_data = path.read_bytes()
    data = damage(whole_data)
    path.write_bytes(data)
    library = open_library()
    assert path.read_bytes() == data
    assert told(library, "papers.jsonl") is (data != whole_data * 2)
    look_everywhere(library)
    entries, _ = state(library)
    whole_lines = set(whole_data.splitlines())
    readable = {
        json.loads(line)["key"]
        for line in data.split(b"\n")
        if line in whole_lines and b'"list"' not in line
    }
    assert readable <= entries.keys()
    for key, entry in entries.items():
        assert (entry.mark, entry.note) == (before[key].mark, before[key].note)
        if key in readable:
            assert entry.paper == before[key].paper
    for key, entry in before.items():  # marks of papers that are lost for now are kept
        assert library._marks.note(key) == entry.note
        assert library._marks.mark(key) == entry.mark
    library.close()
    assert path.read_bytes() == data
    path.write_bytes(whole_data)
    assert state(open_library())[0] == before


@each_damage
def test_damaged_facts(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry], damage: Damage
) -> None:
    path = folder / "library.json"
    data = damage(path.read_bytes())
    path.write_bytes(data)
    library = open_library()
    assert told(library, "library.json")
    assert is_kept(folder, data)
    assert not library.read_only
    look_everywhere(library)
    assert state(library)[0] == before
    assert library.session == {"row": 3}
    check_goes_on(library, open_library)


@each_damage
def test_a_damaged_session(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry], damage: Damage
) -> None:
    path = folder / "session.json"
    data = damage(path.read_bytes())
    path.write_bytes(data)
    library = open_library()
    if library.session:  # a text in it can be damaged without a trace
        assert damage is GENERAL["too large a number"]
    else:
        assert told(library, "session.json")
        assert is_kept(folder, data)
    look_everywhere(library)
    assert state(library)[0] == before
    check_goes_on(library, open_library)


@settings(max_examples=80)
@given(data=st.data())
def test_any_damage_to_any_file_costs_no_mark_that_has_a_copy(
    whole: Path, before: dict[str, Entry], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "library"
        shutil.copytree(whole, folder)
        name = data.draw(st.sampled_from(FILES))
        path = folder / name
        whole_data = path.read_bytes()
        start, end = sorted(data.draw(st.integers(0, len(whole_data))) for _ in range(2))
        # A byte that stands in no such file: damage that gives another text cannot be noticed.
        garbage = st.binary(max_size=40).map(lambda more: b"\xff" + more)
        new = data.draw(garbage | st.just(b"\x00" * max(1, end - start)))
        path.write_bytes(whole_data[:start] + new + whole_data[end:])
        library = Library(folder, Path(place) / "cache")
        look_everywhere(library)
        entries, _ = state(library)
        for key, entry in before.items():
            mark, note = library._marks.mark(key), library._marks.note(key)
            if key in ("bare", "quant") and name == "marks.journal":
                continue
            assert (mark, note) == (entry.mark, entry.note)
            if key in entries and name != "papers.jsonl":
                assert entries[key] == entry
        assert entries.keys() == before.keys() or name == "papers.jsonl"
        library.close()
        again = Library(folder, Path(place) / "cache")
        assert state(again)[0] == entries
        again.close()


@each_damage
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_only_looked_at_where_nothing_may_be_written(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry], name: str,
    damage: Damage,
) -> None:  # fmt: skip
    (folder / "lock").unlink()
    path = folder / name
    whole_data = path.read_bytes()
    data = damage(whole_data)
    path.write_bytes(data)
    bytes_before = contents(folder)
    library = open_library(may_write=False)
    look_everywhere(library)
    entries, _ = state(library)
    if name in ("marks.json", "library.json", "session.json"):
        assert entries == before
    check_like_before(entries, before)
    assert told(library, name) or (name, data) in (
        ("marks.journal", b""), ("marks.journal", whole_data * 2),
        ("papers.jsonl", whole_data * 2), ("session.json", GENERAL["too large a number"](b"")),
    )  # fmt: skip
    library.close()
    assert contents(folder) == bytes_before
    assert not (folder / "lock").exists()


@pytest.mark.parametrize("damage", ["empty", "nul", "cut", "null", "flipped"])
def test_damaged_copies_cost_nothing_while_the_marks_are_whole(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry], damage: str
) -> None:
    (copy,) = (folder / "backups").iterdir()
    data = copy.read_bytes()
    copy.write_bytes(
        {
            "empty": b"", "nul": b"\x00" * 50, "cut": data[:-5], "null": gzip.compress(b"null"),
            "flipped": data[:40] + bytes([data[40] ^ 9]) + data[41:],
        }[damage]
    )  # fmt: skip
    damaged = copy.read_bytes()
    library = open_library()
    assert library.notices == []
    assert state(library)[0] == before
    look_everywhere(library)
    assert copy.read_bytes() == damaged


def test_where_copies_are_damaged_as_well_the_rest_is_read(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry]
) -> None:
    (copy,) = (folder / "backups").iterdir()
    copy.write_bytes(copy.read_bytes()[:-9])
    data = (folder / "marks.json").read_bytes().replace(b'"status": "queued"', b'"stat\x01')
    (folder / "marks.json").write_bytes(data)
    library = open_library()
    assert told(library, "marks.json")
    entries, _ = state(library)
    assert entries["pipe"].mark.status is Status.UNREAD
    assert {key: entry for key, entry in entries.items() if key != "pipe"} == {
        key: entry for key, entry in before.items() if key != "pipe"
    }
    assert is_kept(folder, data)


def test_everything_damaged_at_once_still_opens(
    copied: bool, folder: Path, open_library: Open
) -> None:
    for name in FILES:
        (folder / name).write_bytes(b"\x00" * 99)
    library = open_library()
    assert all(told(library, name) for name in FILES)
    assert len(library) == 0
    look_everywhere(library)
    assert library._marks.mark("moe").starred is copied
    assert library._marks.note("moe").startswith("A note") is copied


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_costs_nothing_else(
    copied: bool, folder: Path, open_library: Open, before: dict[str, Entry], name: str
) -> None:
    (folder / name).unlink()
    library = open_library()
    look_everywhere(library)
    entries, _ = state(library)
    check_like_before(entries, before)
    if name == "papers.jsonl":
        assert told(library, name)
        assert library._marks.note("moe") == before["moe"].note
    elif name == "marks.json":
        assert (entries == before) is copied
        assert told(library, name) is copied or any("no file any more" in one for one in
                                                    library.notices)  # fmt: skip
    elif name != "marks.journal":
        assert entries == before
    assert library.session == ({} if name == "session.json" else {"row": 3})


# Wrong types inside


def changed(path: Path, change: Callable[[dict[str, Any]], object]) -> bytes:
    """Change a JSON file as something else would that writes it whole, and return it."""
    data = json.loads(path.read_bytes())
    change(data)
    path.write_bytes(json.dumps(data).encode())
    return path.read_bytes()


def setting(*where: str, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(data: dict[str, Any]) -> None:
        for name in where[:-1]:
            data = data[name]
        data[where[-1]] = to

    return change


NO_DOCUMENTS: dict[str, Callable[[dict[str, Any]], None]] = {
    "marks as list": setting("marks", to=[1, {}]),
    "notes as number": setting("notes", to=7),
    "earlier as null": setting("earlier", to=None),
    "history as text": setting("history", to="x"),
    "a mark as number": setting("marks", "moe", to=7),
    "a note as text": setting("notes", "moe", to="A note"),
    "an earlier text as list": setting("earlier", "moe", to=[]),
    "a step as null": setting("history", "1", to=None),
    "its number as text": setting("_journal", "1", "seq", to="x"),
    "its number as list": setting("_journal", "1", "seq", to=[]),
    "its number as list of none": setting("_journal", to=[]),
}


@pytest.mark.parametrize("change", NO_DOCUMENTS.values(), ids=NO_DOCUMENTS.keys())
def test_marks_that_hold_what_is_no_document(
    copied: bool, folder: Path, open_library: Open, before: dict[str, Entry],
    change: Callable[[dict[str, Any]], None],
) -> None:  # fmt: skip
    data = changed(folder / "marks.json", change)
    library = open_library()
    assert told(library, "marks.json")
    assert is_kept(folder, data)
    look_everywhere(library)
    entries, _ = state(library)
    if copied:
        assert entries == before
    for key in ("pipe", "quant", "bare", "listed"):
        if change is not NO_DOCUMENTS["marks as list"]:
            assert entries[key].mark == before[key].mark
        if change is not NO_DOCUMENTS["notes as number"]:
            assert entries[key].note == before[key].note
    check_like_before(entries, before)
    check_goes_on(library, open_library)


WRONG_FIELDS: dict[str, Callable[[dict[str, Any]], None]] = {
    "text as number": setting("notes", "moe", "text", to=7),
    "text as list": setting("notes", "moe", "text", to=["A"]),
    "text as null": setting("notes", "moe", "text", to=None),
    "changed of a note as number": setting("notes", "moe", "changed", to=7),
    "tags as text": setting("marks", "moe", "tags", to="GPU"),
    "tags as null": setting("marks", "moe", "tags", to=None),
    "tags as numbers": setting("marks", "moe", "tags", to=[1, None, ["x"]]),
    "changed as number": setting("marks", "moe", "changed", to=7),
    "changed as list": setting("marks", "moe", "changed", to=[]),
    "starred as text": setting("marks", "moe", "starred", to="yes"),
    "starred as list": setting("marks", "moe", "starred", to=[True]),
    "status as number": setting("marks", "moe", "status", to=7),
    "status as list": setting("marks", "moe", "status", to=["read"]),
    "status of a newer version": setting("marks", "moe", "status", to="pondered"),
    "times as list": setting("marks", "moe", "at", to=[1]),
    "times as numbers": setting("marks", "moe", "at", to={"status": 7, "tag:gpu": None}),
    "earlier texts as text": setting("earlier", "moe", "texts", to="x"),
    "earlier texts as numbers": setting("earlier", "moe", "texts", to=[1, None, {"text": 5}]),
    "a step of another kind": setting("history", "2", to={"what": 7, "marks": 5}),
    "bytes of the papers as text": setting("library", "papers", "bytes", to="many"),
    "bytes of the papers as null": setting("library", "papers", to={}),
}


@pytest.mark.parametrize("change", WRONG_FIELDS.values(), ids=WRONG_FIELDS.keys())
def test_marks_whose_fields_are_of_wrong_types(
    copied: bool, folder: Path, open_library: Open, before: dict[str, Entry],
    change: Callable[[dict[str, Any]], None],
) -> None:  # fmt: skip
    """Such a field counts as not there, if there is no copy; the file is kept as it was."""
    data = changed(folder / "marks.json", change)
    library = open_library()
    assert is_kept(folder, data)
    look_everywhere(library)
    entries, _ = state(library)
    assert {key: entry for key, entry in entries.items() if key != "moe"} == {
        key: entry for key, entry in before.items() if key != "moe"
    }
    moe, known = entries["moe"], before["moe"]
    assert moe.mark.status in (known.mark.status, Status.UNREAD)
    assert moe.mark.starred in (known.mark.starred, False)
    assert moe.mark.tags in (known.mark.tags, ())
    assert moe.note in (known.note, "")
    library.undo()
    library.redo()
    library.mark({"pipe": Change(starred=True)})
    library._marks.compact()
    library.mark({"moe": Change(Status.READING, starred=False, add_tags=("new",))})
    library.write_note("moe", "New")
    check_goes_on(library, open_library)
    while library.undo():
        look_everywhere(library)


@pytest.mark.parametrize(
    "name", ["text as number", "tags as text", "changed as number", "starred as text"]
)
def test_a_field_of_a_wrong_type_is_told_and_found_in_the_copy(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry], name: str
) -> None:
    data = changed(folder / "marks.json", WRONG_FIELDS[name])
    library = open_library()
    assert told(library, "marks.json")
    assert is_kept(folder, data)
    assert state(library)[0] == before


def line(record: object) -> bytes:
    body = json.dumps(record).encode()
    return b"%08x %s\n" % (zlib.crc32(body), body)


@pytest.mark.parametrize(
    "record",
    [
        [], 7, {}, {"seq": 99}, {"seq": "99", "set": {}}, {"seq": 99, "set": []},
        {"seq": 99, "set": {"notes": []}}, {"seq": 99, "set": {"notes": {"moe": 7}}},
        {"seq": 99, "set": {"marks": {"moe": "read"}}}, {"seq": None, "set": {}},
        {"seq": 1e400, "set": {}},
    ],
)  # fmt: skip
def test_a_line_of_the_journal_that_is_none_is_told_and_kept(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry], record: object
) -> None:
    path = folder / "marks.journal"
    data = path.read_bytes() + line(record)
    path.write_bytes(data)
    library = open_library()
    assert told(library, "marks.journal")
    assert is_kept(folder, data)
    assert state(library)[0] == before
    look_everywhere(library)
    check_goes_on(library, open_library)


@pytest.mark.parametrize(
    "document",
    [{}, {"text": 7}, {"text": None, "changed": []}, {"status": ["read"]}, {"tags": "GPU"},
     {"changed": 7, "starred": "x", "at": 7}, {"texts": 7}, {"what": 1}],
)  # fmt: skip
@pytest.mark.parametrize("table", ["marks", "notes", "earlier", "history", "library", "future"])
def test_a_line_of_the_journal_whose_fields_are_of_wrong_types_is_no_trouble(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry], table: str,
    document: dict[str, Any],
) -> None:  # fmt: skip
    path = folder / "marks.journal"
    number = json.loads(path.read_bytes().splitlines()[-1].partition(b" ")[2])["seq"]
    id_ = "papers" if table == "library" else "pipe"
    path.write_bytes(path.read_bytes() + line({"seq": number + 1, "set": {table: {id_: document}}}))
    library = open_library()
    look_everywhere(library)
    entries, _ = state(library)
    assert {key: entry for key, entry in entries.items() if key != "pipe"} == {
        key: entry for key, entry in before.items() if key != "pipe"
    }
    library.undo()
    library.redo()
    check_goes_on(library, open_library)


WRONG_PAPERS = (
    {"key": "pipe", "ids": "2104.04473"}, {"key": "pipe", "ids": ["x"]}, {"key": "pipe", "ids": 7},
    {"key": "pipe", "authors": 7}, {"key": "pipe", "authors": None}, {"key": "pipe", "year": "x"},
    {"key": "pipe", "year": [2020]}, {"key": "pipe", "version": "x"}, {"list": "pipe"},
    {"list": "pipe", "papers": 7}, {"list": "pipe", "papers": None}, {"key": None}, {}, [], 7,
    None, "pipe", {"gone": True}, {"papers": ["moe"]},
)  # fmt: skip


@pytest.mark.parametrize("record", WRONG_PAPERS, ids=range(len(WRONG_PAPERS)))
def test_a_line_of_the_papers_that_is_none_is_told_and_changes_none(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry], record: object
) -> None:
    path = folder / "papers.jsonl"
    data = path.read_bytes() + json.dumps(record).encode() + b"\n"
    path.write_bytes(data)
    library = open_library()
    assert told(library, "papers.jsonl")
    assert f"line {len(data.splitlines())} " in library.notices[0]
    assert state(library)[0] == before
    look_everywhere(library)
    library.mend()
    assert library.notices == []
    assert is_kept(folder, data)
    assert state(library)[0] == before
    check_goes_on(library, open_library)


@pytest.mark.parametrize(
    "record",
    [
        {"key": 5}, {"key": 5.5, "title": 7}, {"key": True}, {"key": ["x"]}, {"key": {}},
        {"key": "x", "title": ["T"], "venue": {}, "url": 7, "source": [], "added": 5},
        {"key": "x", "abstract": 7, "truncated": "x", "authors_complete": []},
        {"key": "x", "authors": [1, None, ["A"]]}, {"key": "x", "authors": {"A": 1}},
        {"key": "x", "ids": {"arxiv": 7, "doi": None, "": ["x"]}}, {"key": "x", "year": -5},
        {"key": "x", "year": True, "version": True}, {"key": "x", "year": 10**30},
        {"list": 5, "papers": [1, "moe", None]}, {"list": "moe", "papers": {"pipe": 1}},
        {"list": "", "papers": []}, {"key": "x", "gone": 1}, {"key": "x\n[/b]", "mood": 3},
        {"key": ""},
    ],
    ids=range(19),
)  # fmt: skip
def test_a_line_of_the_papers_whose_fields_are_of_wrong_types_is_no_trouble(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry], record: object
) -> None:
    path = folder / "papers.jsonl"
    path.write_bytes(path.read_bytes() + json.dumps(record).encode() + b"\n")
    library = open_library()
    look_everywhere(library)
    entries, _ = state(library)
    for key, entry in before.items():
        assert (entries[key].paper, entries[key].mark) == (entry.paper, entry.mark)
    for key in entries.keys() - before.keys():
        library.mark({key: Change(Status.READ)})
        library.write_note(key, "A note")
    library.refresh_index()
    look_everywhere(library)
    library.mend()
    again = open_library()
    assert state(again) == state(library)


@pytest.mark.parametrize(
    "facts",
    [
        {"id": "abc"}, {"format": 2}, {"id": "abc", "format": "x"}, {"id": "abc", "format": None},
        {"id": "abc", "format": [2]}, {"id": ["abc"], "format": 2}, {"id": {}, "format": 2},
        {"id": "../..", "format": 2}, {"id": "", "format": 2}, {"id": "abc", "format": {}},
    ],
)  # fmt: skip
def test_facts_of_wrong_types_are_made_anew(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry], facts: dict[str, Any]
) -> None:
    data = json.dumps(facts).encode()
    (folder / "library.json").write_bytes(data)
    library = open_library()
    assert told(library, "library.json")
    assert is_kept(folder, data)
    assert not library.read_only
    assert state(library)[0] == before
    look_everywhere(library)
    check_goes_on(library, open_library)


@pytest.mark.parametrize("identifier", [None, 7, True, "ABC"])
def test_an_identifier_of_any_kind_is_no_trouble(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry], identifier: Any
) -> None:
    changed(folder / "library.json", setting("id", to=identifier))
    library = open_library()
    library.refresh_index()
    look_everywhere(library)
    assert state(library)[0] == before


# From the future


def test_a_library_of_a_newer_version_is_only_read(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry]
) -> None:
    changed(folder / "library.json", setting("format", to=99))
    changed(folder / "marks.json", setting("marks", "pipe", "mood", to=["new"]))
    bytes_before = contents(folder)
    library = open_library()
    assert "newer" in library.read_only
    assert state(library)[0] == before
    look_everywhere(library)
    library.close()
    assert contents(folder) == bytes_before


def test_what_a_newer_version_stores_beside_is_kept(
    placed: Path, folder: Path, open_library: Open, before: dict[str, Entry]
) -> None:
    def add(data: dict[str, Any]) -> None:
        data["shelves"] = {"1": {"name": "A shelf"}}
        data["marks"]["moe"]["mood"] = {"deep": [1]}
        data["notes"]["moe"]["language"] = "de"
        data["history"]["1"]["colour"] = "red"

    changed(folder / "marks.json", add)
    number = json.loads((folder / "marks.json").read_bytes())["_journal"]["1"]["seq"] + 3
    with (folder / "marks.journal").open("ab") as file:
        file.write(line({"seq": number, "set": {"shelves": {"2": {"name": "Another"}}}, "new": 1}))
    library = open_library()
    assert library.notices == []
    assert state(library)[0] == before
    look_everywhere(library)
    library.mark({"moe": Change(Status.READING)})
    library.close()
    kept = json.loads((folder / "marks.json").read_bytes())
    assert kept["shelves"] == {"1": {"name": "A shelf"}, "2": {"name": "Another"}}
    assert kept["marks"]["moe"]["mood"] == {"deep": [1]}
    assert kept["marks"]["moe"]["status"] == "reading"
    assert kept["notes"]["moe"]["language"] == "de"


# The index


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("no_open_files")
@pytest.mark.parametrize("files", ["*.toc", "*.seg", "version", "*"])
@pytest.mark.parametrize("damage", ["empty", "nul", "garbage", "gone"])
def test_a_damaged_index_changes_no_answer_and_no_file_of_the_library(
    whole: Path,
    placed: Path,
    folder: Path,
    open_library: Open,
    tmp_path: Path,
    files: str,
    damage: str,
) -> None:
    shutil.copytree(whole.parent / "cache", tmp_path / "cache")
    before = contents(folder)
    (index,) = (tmp_path / "cache").iterdir()
    for path in [path for path in index.glob(files) if path.is_file()]:
        match damage:
            case "empty":
                path.write_bytes(b"")
            case "nul":
                path.write_bytes(b"\x00" * path.stat().st_size)
            case "garbage":
                path.write_bytes(b"garbage")
            case "gone":
                path.unlink()
    library = open_library()
    checks = {check.name: check for check in library.checks()}
    assert checks["index"].detail
    for refreshed in (False, True):
        found = [e.paper.key for e in library.search("memory").entries]
        assert found == ["moe", "pipe"]
        assert {e.paper.key for e in library.search("memory", order="relevance").entries} == set(
            found
        )
        assert [e.paper.key for e in library.search("note:rewritten").entries] == ["quant"]
        if not refreshed:
            library.refresh_index()
    assert library.index_problem == ""
    assert library.notices == []
    assert contents(folder) == before
    look_everywhere(library)
