from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from anchorlight.store import CannotOpenError
from anchorlight.store.folder import FORMAT, prepare

NOW = "2026-01-15T12:00:00+00:00"


def test_a_new_library_gets_an_id_and_a_date(folder: Path) -> None:
    state = prepare(folder, NOW)
    facts = json.loads((folder / "library.json").read_bytes())
    assert facts == {"format": FORMAT, "id": state.library_id, "created": NOW}
    assert state.is_new
    assert not state.read_only
    assert not state.notices
    assert [path.name for path in folder.iterdir()] == ["library.json"]


def test_a_library_is_found_again(folder: Path) -> None:
    first = prepare(folder, NOW)
    second = prepare(folder, "later")
    assert second.library_id == first.library_id
    assert second.is_new  # nothing was stored in it yet
    assert not second.read_only
    assert [path.name for path in folder.iterdir()] == ["library.json"]
    (folder / "papers.jsonl").touch()
    assert not prepare(folder, "later").is_new


def test_two_libraries_have_two_ids(tmp_path: Path) -> None:
    assert prepare(tmp_path / "a", NOW).library_id != prepare(tmp_path / "b", NOW).library_id


@pytest.mark.parametrize("name", ["papers.jsonl", "marks.json"])
def test_a_folder_with_papers_or_marks_is_no_new_library(folder: Path, name: str) -> None:
    folder.mkdir()
    (folder / name).write_text("")
    assert not prepare(folder, NOW).is_new


def test_a_newer_format_is_read_only(folder: Path) -> None:
    folder.mkdir()
    (folder / "library.json").write_text(json.dumps({"format": FORMAT + 1, "id": "abc"}))
    state = prepare(folder, NOW)
    assert state.library_id == "abc"
    assert "newer" in state.read_only
    assert [path.name for path in folder.iterdir()] == ["library.json"]


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"null", b"[]", b"{}", b'{"id": "abc"}', b'{"id": "abc", "format": "x"}',
        b'{"id": "../../x", "format": 1}', b'{"id": "", "format": 1}', b"\xff\x00",
        b'{"id": "abc", "format": 1e999}', b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_damaged_library_file_is_set_aside_and_made_anew(folder: Path, data: bytes) -> None:
    folder.mkdir()
    (folder / "library.json").write_bytes(data)
    state = prepare(folder, NOW)
    (aside,) = folder.glob("library.json.damaged-*")
    assert aside.read_bytes() == data
    (notice,) = state.notices
    assert "library.json" in notice
    assert aside.name in notice
    assert not state.is_new
    assert prepare(folder, NOW).library_id == state.library_id


def test_a_place_where_nothing_can_be_made_cannot_be_opened(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotOpenError, match="library"):
        prepare(tmp_path / "file" / "library", NOW)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(CannotOpenError, match="link") as caught:
        prepare(tmp_path / "link", NOW)
    assert "--library" in caught.value.hint


def test_a_library_file_that_cannot_be_read_cannot_be_opened(folder: Path) -> None:
    (folder / "library.json").mkdir(parents=True)
    with pytest.raises(CannotOpenError, match=r"library\.json"):
        prepare(folder, NOW)


@pytest.mark.parametrize("damaged", [False, True])
def test_a_folder_that_cannot_be_written_is_read_only_and_left_alone(
    folder: Path, make_unwritable: Callable[[Path], None], damaged: bool
) -> None:
    prepare(folder, NOW)
    if damaged:
        (folder / "library.json").write_text("{")
    before = (folder / "library.json").read_bytes()
    make_unwritable(folder)
    state = prepare(folder, NOW)
    assert str(folder) in state.read_only
    assert bool(state.notices) is damaged
    assert [path.name for path in folder.iterdir()] == ["library.json"]
    assert (folder / "library.json").read_bytes() == before
