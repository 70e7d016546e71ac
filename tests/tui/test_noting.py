"""Notes: saved by themselves, never lost, never markup."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from anchorlight.store import Entry, Library, NotSavedError
from anchorlight.store.notes import CONFLICT
from textual import events

from .conftest import Running


def _note(folder: Path, key: str = "zhao2025memfine") -> str:
    library = Library(folder, folder.parent / "cache")
    try:
        return library.entry(key).note
    finally:
        library.close()


async def test_a_note_is_saved_by_itself_and_says_so(running: Running, folder: Path) -> None:
    async with running() as program:
        await program.press("e")
        await program.type("Compare with Mimose")
        program.screen.editor.save()  # what the pause in typing does
        await program.settle()
        assert "saved" in str(program.screen.editor.border_title)
        assert _note(folder) == "Compare with Mimose"


async def test_the_pause_in_typing_starts_the_save(running: Running) -> None:
    async with running() as program:
        await program.press("e")
        await program.type("x")
        pause = program.screen.editor._pause
        assert pause is not None
        assert pause._interval <= 1.0


async def test_escape_saves_and_the_next_key_acts_on_the_list(
    running: Running, folder: Path
) -> None:
    async with running(size=(160, 40)) as program:
        await program.press("e")
        await program.type("mine")
        await program.press("escape", "j")
        assert program.screen.papers.index == 1
        assert not program.screen.editor.display
        assert "✎ mine" in program.shown(program.screen.papers)
    assert _note(folder) == "mine"


async def test_quitting_with_the_editor_open_saves(running: Running, folder: Path) -> None:
    async with running() as program:
        await program.press("e")
        await program.type("unsaved words")
    assert _note(folder) == "unsaved words"


async def test_escape_with_a_key_right_behind_it_is_not_alt(running: Running) -> None:
    async with running() as program:
        await program.press("e")
        await program.type("abc")
        program.app.post_message(events.Key("alt+j", "j"))
        await program.settle()
        assert program.screen.papers.index == 1
        assert program.screen.papers.entries[0].note == "abc"


async def test_brackets_and_markup_stay_text(running: Running) -> None:
    text = "[/x] [CLS] [@click=app.quit]x[/] [b"
    async with running() as program:
        await program.press("e")
        program.screen.editor.post_message(events.Paste(text))
        await program.settle()
        await program.press("escape")
        assert text in program.shown(program.screen.paper)
        await program.press("e")
        assert program.screen.editor.text == text


async def test_a_paste_arrives_whole_and_without_control_characters(running: Running) -> None:
    async with running() as program:
        await program.press("e")
        pasted = "one\ntwo with q j d\n\n- bullet ü 日本 [x]\n\tTabbed\x1b[31m\x07\nlast"
        program.screen.editor.post_message(events.Paste(pasted))
        await program.settle()
        assert program.screen.editor.text == (
            "one\ntwo with q j d\n\n- bullet ü 日本 [x]\n\tTabbed[31m\nlast"
        )
        assert program.screen.papers.index == 0


async def test_tab_in_a_note_inserts_a_tab(running: Running) -> None:
    async with running() as program:
        await program.press("e", "a", "tab", "b")
        assert program.screen.editor.text == "a\tb"


class FailingLibrary(Library):
    """A library whose disk is full until the test says otherwise."""

    full = True

    def write_note(self, *args: Any, **kwargs: Any) -> Entry:
        if self.full:
            raise NotSavedError("Not saved: the disk is full.")
        return super().write_note(*args, **kwargs)


async def test_a_note_that_cannot_be_saved_stays_in_the_editor(
    running: Running, folder: Path
) -> None:
    FailingLibrary.full = True
    async with running(library=FailingLibrary) as program:
        await program.press("e")
        await program.type("precious")
        await program.press("escape")
        assert program.screen.has_class("noting")
        assert program.screen.editor.text == "precious"
        assert "the disk is full" in program.said
        assert "not saved" in str(program.screen.editor.border_title)
        program.screen.leave()
        await program.settle()
        assert program.app.is_running  # it does not leave with an unsaved note
        FailingLibrary.full = False
        await program.press("escape")
        assert not program.screen.has_class("noting")
    assert _note(folder) == "precious"


class GatedLibrary(Library):
    """A library whose writes wait for the test: a very slow disk."""

    gate: threading.Event

    def mark(self, *args: Any, **kwargs: Any) -> list[Entry]:
        assert self.gate.wait(20)
        return super().mark(*args, **kwargs)


async def test_a_slow_disk_freezes_no_key(running: Running, folder: Path) -> None:
    GatedLibrary.gate = threading.Event()
    async with running(library=GatedLibrary) as program:
        await program.pilot.press("r", "s", "j", "j")
        assert program.screen.papers.index == 3
        assert program.screen.papers.entries[0].mark.status == "read"  # shown before it is stored
        GatedLibrary.gate.set()
        await program.settle()
    library = Library(folder, folder.parent / "cache")
    assert library.entry("zhao2025memfine").mark.status == "read"
    assert library.entry("go2025characterizing").mark.starred


async def test_the_same_note_written_elsewhere_meanwhile_is_kept_too(
    running: Running, folder: Path
) -> None:
    async with running() as program:
        await program.press("e")
        await program.type("here")
        other = Library(folder, folder.parent / "cache")
        other.write_note("zhao2025memfine", "there")
        other.close()
        await program.press("escape")
        assert "both texts are kept" in program.said
    assert "here" in _note(folder)
    assert "there" in _note(folder)


async def test_undo_takes_a_note_back(running: Running, folder: Path) -> None:
    async with running() as program:
        await program.press("e")
        await program.type("oops")
        await program.press("escape", "U")
        assert program.screen.papers.entries[0].note == ""
        await program.press("ctrl+r")
        assert program.screen.papers.entries[0].note == "oops"


async def test_the_readers_own_editor_is_used(running: Running, monkeypatch, tmp_path) -> None:
    script = tmp_path / "editor"
    script.write_text("#!/bin/sh\nprintf 'from outside' > \"$1\"\n")
    script.chmod(0o755)
    async with running() as program:
        await program.press("E")
        assert "$EDITOR" in program.said
        monkeypatch.setenv("EDITOR", str(script))
        await program.press("E")  # a test has no terminal to lend
        assert "cannot be lent" in program.said


async def test_a_note_of_ten_thousand_lines_opens_and_is_kept(
    running: Running, folder: Path
) -> None:
    text = "\n".join(f"line {number} of a very long note" for number in range(10_000))
    async with running() as program:
        library = Library(folder, folder.parent / "cache")
        library.write_note("zhao2025memfine", text)
        library.close()
        await program.screen._poll()
        assert "line 0 of a very long note" in program.shown(program.screen.paper)
        await program.press("e", "x", "escape")
    assert _note(folder) == text + "x"


async def test_on_a_narrow_screen_the_editor_says_what_the_note_is_about(running: Running) -> None:
    async with running(size=(50, 14)) as program:
        await program.press("e")
        assert "MemFine" in str(program.screen.editor.border_title)
    async with running(size=(120, 40)) as program:
        await program.press("e")
        assert "MemFine" not in str(program.screen.editor.border_title)


async def test_damage_that_is_found_while_reading_is_told_once(
    running: Running, folder: Path
) -> None:
    async with running() as program:
        await program.press("s")
        with (folder / "marks.journal").open("ab") as file:
            file.write(b"garbage\n")
        await program.screen._poll()
        assert "marks.journal: 1 damaged entry" in program.said
        await program.press("j")
        await program.screen._poll()
        assert "damaged" not in program.said
        await program.press("s")
        assert program.screen.papers.entries[1].mark.starred


async def test_typing_goes_on_in_ones_own_text_where_another_writes_too(
    running: Running, folder: Path
) -> None:
    async with running() as program:
        await program.press("e")
        await program.type("here")
        for number in range(3):
            other = Library(folder, folder.parent / "cache")
            theirs = "there" + "!" * number
            base = _parts(other.entry("zhao2025memfine").note).get("there", "")
            other.write_note("zhao2025memfine", theirs, base)
            other.close()
            program.screen.editor.save()
            await program.settle()
            await program.type(f"{number}")
        await program.press("escape")
    assert set(_parts(_note(folder)).values()) == {"here012", "there!!"}


def _parts(note: str) -> dict[str, str]:
    """Return the parts of a note by their first word."""
    return {part[: part.index("ere") + 3]: part for part in note.split(CONFLICT) if part}
