"""Importing files from within the program."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event

import pytest
from anchorlight.store import Library
from anchorlight.tui.file_dialogs import rows_of

from .conftest import GuardedLibrary, Running
from .driving import check_screen


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files to import; the program runs in it."""
    place = tmp_path / "files"
    (place / "sub [b]").mkdir(parents=True)
    (place / "good.jsonl").write_text(
        '{"key": "new1", "title": "A New Paper"}\n{"key": "new2", "title": "Another [/]"}\n'
    )
    (place / "half.jsonl").write_text('{"key": "new1", "title": "A New Paper"}\n{"year": 1}\n')
    (place / "list.txt").write_text("Related papers: A Brought List\n\nIts one abstract…\n")
    (place / "sub [b]" / "deep.jsonl").write_text('{"key": "deep", "title": "Deep"}\n')
    (place / ".hidden.txt").write_text("")
    monkeypatch.chdir(place)
    monkeypatch.setenv("HOME", str(tmp_path))
    return place


def lines(count: int) -> str:
    return "".join(json.dumps({"key": f"m{n}", "title": f"M {n}"}) + "\n" for n in range(count))


async def test_a_file_is_chosen_and_taken_in(running: Running, files: Path) -> None:
    async with running() as program:
        await program.press("i")
        shown = program.shown()
        assert "~/files/" in shown
        assert "sub [b]/" in shown
        assert ".hidden" not in shown
        await program.type("goo")
        assert "half.jsonl" not in program.shown()
        await program.press("enter")
        assert "2 added" in program.said
        library = await program.screen.gateway.read(lambda library: len(library))
        assert library == 63
        program.screen.flow.open("all")
        await program.press("G")
        assert "Another [/]" in program.shown(program.screen.papers)


async def test_a_list_that_was_brought_is_opened(running: Running, files: Path) -> None:
    async with running() as program:
        await program.press("i")
        await program.type("list")
        await program.press("tab", "enter")
        assert program.screen.view
        assert program.screen.view.title == "A Brought List"
        assert "A Brought List" in program.shown(program.screen.sidebar)


async def test_what_was_refused_is_shown(running: Running, files: Path) -> None:
    async with running() as program:
        await program.press("i")
        await program.type("half")
        await program.press("enter")
        shown = program.shown()
        assert "imported" in shown
        assert "1 refused" in shown
        assert "line 2: entry 2: this is no record of a paper" in shown
        check_screen(program)
        await program.press("escape")
        assert "imported" not in program.shown()


async def test_folders_are_gone_into(running: Running, files: Path) -> None:
    async with running() as program:
        await program.press("i")
        await program.type("sub")
        await program.press("enter")
        assert "deep.jsonl" in program.shown()
        await program.press("down", "up", "enter")
        assert "1 added" in program.said


async def test_papers_join_the_list_that_is_open(running: Running, files: Path) -> None:
    async with running() as program:
        anchor = program.screen.wanted.name
        count = len(program.titles)
        await program.press("i", "ctrl+l", "ctrl+n")
        assert ": yes" in program.shown()
        assert "notes of other programs: yes" in program.shown()
        await program.type("good")
        await program.press("enter")
        assert program.screen.wanted.name == anchor
        assert len(program.titles) == count + 2
        await program.press("U")
        assert len(program.titles) == count


async def test_escape_imports_nothing(running: Running, files: Path) -> None:
    async with running() as program:
        await program.press("i", "escape")
        assert program.said == ""
        await program.press("j")
        assert program.screen.papers.index == 1


async def test_an_import_is_ended_by_its_key_and_what_it_took_stays(
    running: Running, files: Path
) -> None:
    many = files / "many.jsonl"
    many.write_text(
        "".join(json.dumps({"key": f"m{n}", "title": f"M {n}"}) + "\n" for n in range(5000))
    )

    is_asked_to_end = Event()

    class Slow(GuardedLibrary):
        """A library whose imports wait in the middle until they are asked to end."""

        def import_files(self, sources, options=None, going_on=None, **more):  # type: ignore[no-untyped-def]
            def waiting(doing):  # type: ignore[no-untyped-def]
                if doing.entries == 1500:
                    going_on(doing)
                    is_asked_to_end.wait(20)
                return going_on(doing)

            return super().import_files(sources, options, waiting, **more)

    async with running(library=Slow) as program:
        await program.press("i")
        await program.type("many")
        await program.pilot.press("enter")
        while "entries · i ends it" not in program.shown(program.screen.status):
            await program.pilot.pause()
        await program.pilot.press("j", "i")
        is_asked_to_end.set()
        await program.settle()
        assert "1500 added" in program.said
        assert "ended before the end" in program.shown()


async def test_quitting_ends_an_import(
    running: Running, files: Path, folder: Path, tmp_path: Path
) -> None:
    many = files / "many.jsonl"
    many.write_text(
        "".join(json.dumps({"key": f"m{n}", "title": f"M {n}"}) + "\n" for n in range(9000))
    )
    async with running() as program:
        await program.press("i")
        await program.type("many")
        await program.pilot.press("enter")
        await program.pilot.press("q")
        await program.settle()
    library = Library(folder, tmp_path / "cache")
    assert (len(library) - 61) % 100 == 0
    assert library.notices == []
    library.close()


async def test_a_read_only_library_takes_nothing_in(
    running: Running, files: Path, folder: Path
) -> None:
    async with running() as program:
        pass
    facts = folder / "library.json"
    facts.write_text(facts.read_text().replace('"format": ', '"format": 9'))
    async with running() as program:
        await program.press("i")
        assert "Nothing can be imported" in program.said


@pytest.mark.parametrize("size", [(200, 50), (80, 24), (40, 12)])
async def test_it_fits_every_screen(running: Running, files: Path, size: tuple[int, int]) -> None:
    async with running(size=size) as program:
        await program.press("i")
        assert "good.jsonl" in check_screen(program)


def test_what_cannot_be_listed_says_why(files: Path) -> None:
    rows, problem = rows_of("none/x")
    assert rows == []
    assert "No such file" in problem
    assert rows_of("zzz") == ([], "Nothing here is called like that.")
    assert [row.name for row in rows_of(".hid")[0]] == [".hidden.txt"]
    assert rows_of("")[0][-1].path == Path()
