"""Keeping a library whole by command: undo, history, backup, restore, merge, doctor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from shutil import copytree

import pytest

from .conftest import Run

KEY = "zhao2025memfine"


def test_undo_takes_back_the_last_thing_and_redo_does_it_again(run: Run, folder: Path) -> None:
    assert run("mark", KEY, "--status", "read", "--star").code == 0
    assert run("note", KEY, "a thought").code == 0
    answer = run("undo", "--json")
    assert answer.json["step"]["what"] == "note"
    assert answer.json["step"]["keys"] == [KEY]
    assert run("note", KEY).code == 1
    assert "mark" in run("undo").out
    paper = run("show", KEY, "--json").json["paper"]
    assert (paper["status"], paper["starred"]) == ("unread", False)
    assert run("redo").code == run("redo").code == 0
    assert run("note", KEY).out == "a thought\n"
    answer = run("redo", "--json")
    assert (answer.code, answer.json) == (1, {"step": None})
    answer = run("redo")
    assert answer.code == 1
    assert "nothing" in answer.err


def test_an_import_is_undone(run: Run, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "more.jsonl"
    file.write_text(json.dumps({"key": "new", "title": "A New Paper"}) + "\n")
    assert run("import", str(file)).code == 0
    assert "import of 1 paper of" in run("undo").out
    assert run("show", "new").code == 1
    assert run("redo").code == 0
    assert run("show", "new").code == 0


def test_the_seeds_of_a_new_library_are_nothing_to_undo(run: Run, place: Path) -> None:
    assert run("list").code == 0
    assert run("undo").code == 1
    assert run("list").code == 0


def test_a_note_tells_its_earlier_texts(run: Run, folder: Path) -> None:
    assert run("note", KEY, "--history").code == 1
    for text in ("first", "second", "third"):
        run("note", KEY, text)
    texts = run("note", KEY, "--history", "--json").json["texts"]
    assert [one["text"] for one in texts] == ["first", "second", "third"]
    assert all(one["changed"].startswith("20") for one in texts)
    printed = run("note", KEY, "--history").out
    assert printed.index("first") < printed.index("second") < printed.index("third")
    run("note", KEY, "")
    assert "third" in run("note", KEY, "--history").out
    answer = run("note", KEY, "--history", "text")
    assert (answer.code, answer.out) == (2, "")


def test_a_backup_is_restored_and_what_was_there_is_kept(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    run("note", KEY, "before")
    file = tmp_path / "kept.zip"
    answer = run("backup", str(file), "--json")
    assert answer.json == {"file": str(file), "bytes": file.stat().st_size, "notices": []}
    with zipfile.ZipFile(file) as archive:
        assert {"library.json", "papers.jsonl", "marks.json"} <= set(archive.namelist())
    run("note", KEY, "after")
    run("import", str(_paper(tmp_path)))
    answer = run("restore", str(file), "--json")
    assert answer.code == 0
    kept = answer.json["kept"]
    assert run("note", KEY).out == "before\n"
    assert run("show", "new").code == 1
    assert run("restore", kept).code == 0
    assert run("note", KEY).out == "after\n"
    assert run("show", "new").code == 0


def _paper(tmp_path: Path) -> Path:
    file = tmp_path / "new.jsonl"
    file.write_text(json.dumps({"key": "new", "title": "A New Paper"}) + "\n")
    return file


def test_a_backup_goes_into_a_folder_and_over_nothing(
    run: Run, folder: Path, tmp_path: Path
) -> None:
    target = tmp_path / "backups"
    target.mkdir()
    assert run("backup", str(target)).code == 0
    (made,) = target.iterdir()
    before = made.read_bytes()
    answer = run("backup", str(made))
    assert (answer.code, answer.out) == (2, "")
    assert "already" in answer.err
    assert made.read_bytes() == before
    answer = run("backup", str(tmp_path / "no" / "such" / "folder.zip"))
    assert answer.code == 2
    assert answer.err.count("\n") == 1


def test_a_backup_is_restored_where_there_is_no_library(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("note", KEY, "taken along")
    file = tmp_path / "kept.zip"
    run("backup", str(file))
    monkeypatch.setenv("ANCHORLIGHT_LIBRARY", str(tmp_path / "elsewhere"))
    answer = run("restore", str(file), "--json")
    assert answer.json == {"library": str(tmp_path / "elsewhere"), "kept": None, "notices": []}
    assert run("note", KEY).out == "taken along\n"


def test_copies_of_the_marks_are_listed_and_restored(run: Run, folder: Path) -> None:
    for path in folder.glob("backups/*"):
        path.unlink()
    assert run("restore").code == 1
    assert run("restore", "--json").json == {"copies": []}
    run("note", KEY, "copied")
    (copy,) = run("restore", "--json").json["copies"]
    assert copy["file"] in run("restore").out
    older = folder / "backups" / "marks-20240101T000000.json.gz"
    older.write_bytes(Path(copy["file"]).read_bytes())
    run("note", KEY, "changed since")
    assert run("restore", str(older)).code == 0
    assert run("note", KEY).out == "copied\n"
    assert run("show", KEY).code == 0


@pytest.mark.parametrize("data", [b"", b"no archive", b"PK\x03\x04 cut", None])
def test_what_is_no_backup_is_refused_and_nothing_changed(
    run: Run, folder: Path, tmp_path: Path, data: bytes | None
) -> None:
    run("note", KEY, "mine")
    file = tmp_path / "file"
    if data is not None:
        file.write_bytes(data)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    answer = run("restore", str(file))
    assert (answer.code, answer.out) == (2, "")
    assert str(file) in answer.err
    assert answer.err.count("\n") == 1
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_library_that_went_its_own_way_is_merged(run: Run, folder: Path, tmp_path: Path) -> None:
    laptop = tmp_path / "laptop"
    copytree(folder, laptop)
    run("mark", KEY, "--star")
    run("note", "bare", "from here")
    run("--library", str(laptop), "mark", KEY, "--status", "read")
    run("--library", str(laptop), "note", "bare", "from there")
    run("--library", str(laptop), "import", str(_paper(tmp_path)))
    answer = run("merge", str(laptop), "--json")
    assert answer.code == 0
    assert answer.json == {
        "papers": 5, "added": 1, "completed": 0, "marked": 2, "notices": []
    }  # fmt: skip
    paper = run("show", KEY, "--json").json["paper"]
    assert (paper["status"], paper["starred"]) == ("read", True)
    note = run("note", "bare").out
    assert note.count("from here") == note.count("from there") == 1
    assert run("show", "new").code == 0
    again = run("merge", str(laptop), "--json").json
    assert (again["added"], again["marked"]) == (0, 0)
    assert "merge" in run("undo").out
    assert run("note", "bare").out == "from here\n"
    assert run("show", "new").code == 1


def test_only_another_library_can_be_merged(run: Run, folder: Path, tmp_path: Path) -> None:
    for other in (tmp_path / "nothing", tmp_path, folder):
        answer = run("merge", str(other))
        assert (answer.code, answer.out) == (2, "")
        assert str(other) in answer.err
        assert answer.err.count("\n") == 1


def test_doctor_mends_and_only_looks_where_told_to(run: Run, folder: Path) -> None:
    run("note", KEY, "precious")
    whole = (folder / "marks.json").read_bytes()
    (folder / "marks.json").write_bytes(whole[: len(whole) // 2])
    with (folder / "papers.jsonl").open("ab") as file:
        file.write(b"\0 not a paper\n")
    leftover = folder / ".marks.json.12-34.tmp"
    leftover.write_bytes(b"half")
    os.utime(leftover, (1, 1))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    answer = run("doctor", "--dry-run", "--json")
    assert (answer.code, answer.json["ok"]) == (1, False)
    bad = {check["name"] for check in answer.json["checks"] if not check["ok"]}
    assert bad == {"marks.json", "papers.jsonl", leftover.name}
    assert "BAD" in run("doctor", "--dry-run").out
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    answer = run("doctor", "--json")
    assert (answer.code, answer.json["ok"]) == (0, True)
    assert {check["name"] for check in answer.json["checks"] if check["mended"]} == bad
    assert not leftover.exists()
    assert run("note", KEY).out == "precious\n"
    assert run("doctor", "--dry-run").code == 0
    assert "MENDED" not in run("doctor").out


def test_a_file_system_without_locks_is_read_only_unless_told_otherwise(
    run: Run, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno
    import fcntl

    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    answer = run("mark", KEY, "--star")
    assert answer.code == 2
    assert "knows no locks" in answer.err
    assert "read-only" in answer.err
    assert run("show", KEY).code == 0
    config = tmp_path / "config.toml"
    config.write_text("locks = false\n")
    monkeypatch.setenv("ANCHORLIGHT_CONFIG", str(config))
    assert run("mark", KEY, "--star").code == 0
    assert run("show", KEY, "--json").json["paper"]["starred"] is True


def test_lines_that_many_append_at_once_are_all_there(run: Run, folder: Path) -> None:
    words = [sys.executable, "-m", "anchorlight.tui", "note", "bare", "--append"]
    many = [subprocess.Popen([*words, f"line {number}"]) for number in range(6)]
    assert [one.wait(60) for one in many] == [0] * 6
    lines = run("note", "bare").out.split("\n")
    assert sorted(filter(None, lines)) == [f"line {number}" for number in range(6)]


def test_nothing_from_standard_input_removes_no_note(run: Run, folder: Path) -> None:
    run("note", KEY, "kept")
    for words in (("note", KEY, "-"), ("note", KEY, "-", "--append")):
        answer = run(*words, stdin=b"\n")
        assert (answer.code, answer.out) == (2, "")
    assert run("note", KEY).out == "kept\n"
    assert run("backup", "").code == 2
