"""Undo and redo through real keys: in one sitting, in the next, and beside another program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from anchorlight.store import Change, Library, NotSavedError, Status
from anchorlight.store.history import Step

from .conftest import Running

FIRST = "zhao2025memfine"


@contextmanager
def another(folder: Path, when: datetime | None = None) -> Iterator[Library]:
    """Another program on the same library, perhaps at another time."""
    library = Library(folder, folder.parent / "cache", clock=lambda: when or datetime.now(UTC))
    try:
        yield library
    finally:
        library.close()


async def test_what_was_done_yesterday_can_be_undone_today(running: Running, folder: Path) -> None:
    async with running() as program:
        await program.press("s")
        await program.press("e")
        await program.type("a thought")
        await program.press("escape")
    async with running() as program:
        entry = program.screen.papers.entries[0]
        assert (entry.note, entry.mark.starred) == ("a thought", True)
        await program.press("U")
        assert program.said == "note taken back"
        assert program.screen.papers.entries[0].note == ""
        await program.press("U")
        assert program.said == "mark taken back"
        assert not program.screen.papers.entries[0].mark.starred
        await program.press("U")
        assert program.said == "Nothing to take back."
    async with running() as program:
        await program.press("ctrl+r", "ctrl+r")
        entry = program.screen.papers.entries[0]
        assert (entry.note, entry.mark.starred) == ("a thought", True)
        await program.press("ctrl+r")
        assert program.said == "Nothing to do again."


async def test_an_old_step_says_of_which_day_it_is(running: Running, folder: Path) -> None:
    async with running():
        pass
    with another(folder, datetime(2024, 3, 5, 12, tzinfo=UTC)) as library:
        library.mark({FIRST: Change(status=Status.READ)})
    async with running() as program:
        await program.press("U")
        assert program.said == "mark of 5 March taken back"


async def test_a_note_typed_in_one_sitting_is_one_step_however_often_it_was_saved(
    running: Running, folder: Path
) -> None:
    async with running() as program:
        await program.press("e")
        for word in ("one ", "two ", "three"):
            await program.type(word)
            program.screen.editor.save()  # as the pause in typing does
            await program.settle()
        await program.press("escape", "e")
        await program.type(" four")
        await program.press("escape")
        assert program.screen.papers.entries[0].note == "one two three four"
        await program.press("U")
        assert program.screen.papers.entries[0].note == "one two three"
        await program.press("U")
        assert program.screen.papers.entries[0].note == ""
        await program.press("ctrl+r", "ctrl+r")
        assert program.screen.papers.entries[0].note == "one two three four"
    with another(folder) as library:
        texts = [version.text for version in library.note_versions(FIRST)]
    assert texts[-1] == "one two three four"
    assert "one two three" in texts
    assert "one " not in texts


async def test_undo_goes_to_the_paper_it_is_about(running: Running) -> None:
    async with running() as program:
        await program.press("s", "j", "j", "j", "U")
        assert program.current == FIRST
        assert not program.screen.papers.entries[0].mark.starred


async def test_an_import_is_undone_with_its_list_and_done_again(
    running: Running, folder: Path, tmp_path: Path
) -> None:
    file = tmp_path / "more.jsonl"
    records = ({"key": "top", "title": "A New Anchor"},
               {"key": "under", "title": "A Paper under It", "anchors": ["top"]})  # fmt: skip
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    async with running():
        pass
    with another(folder) as library:
        library.import_files([file])
        library.write_session({**library.session, "list": "anchor:top", "paper": "under"})
    async with running() as program:
        assert program.titles == ["A Paper under It"]
        await program.press("U")
        assert program.said == "import of 2 papers taken back"
        assert "A New Anchor" not in program.shown()
        assert program.titles  # the list is gone, so another one is shown
        await program.press("ctrl+r")
        assert "A New Anchor" in program.shown(program.screen.sidebar)


async def test_a_step_of_another_program_is_undone_too(running: Running, folder: Path) -> None:
    async with running() as program:
        with another(folder) as library:
            library.mark({FIRST: Change(starred=True)})
        await program.press("U")
        assert program.said == "mark taken back"
        assert not program.screen.papers.entries[0].mark.starred
    with another(folder) as library:
        assert not library.entry(FIRST).mark.starred


class StubbornLibrary(Library):
    """A library that cannot store what is undone."""

    def undo(self) -> Step | None:
        raise NotSavedError("Not saved: the disk is full.")


async def test_what_cannot_be_undone_says_why(running: Running) -> None:
    async with running(library=StubbornLibrary) as program:
        await program.press("s", "U")
        assert "the disk is full" in program.said
        assert program.screen.papers.entries[0].mark.starred
