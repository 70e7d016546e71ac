"""Key help, palette and keys of one's own: all of them know every command."""

from __future__ import annotations

from anchorlight.tui.commands import all_commands
from anchorlight.tui.dialogs import KeyList
from anchorlight.tui.keymap import shown
from textual.command import CommandList

from .conftest import Program, Running
from .driving import paste

COMMANDS = list(all_commands())


def key_lines(program: Program) -> list[str]:
    """Return the lines of the key help, those out of view too."""
    keys = program.app.screen.query_one(KeyList)
    return [keys.draw(index, keys.size.width).text.rstrip() for index in range(keys.count)]


def offered(program: Program) -> list[str]:
    """Return what the palette offers, a line each: title and keys."""
    options = program.app.screen.query_one(CommandList)
    return [str(option.prompt).replace("\n", " | ") for option in options.options]


async def test_the_help_lists_every_command_with_its_keys(running: Running) -> None:
    async with running(size=(200, 50)) as program:
        await program.press("?")
        lines = key_lines(program)
        for one in COMMANDS:
            (line,) = [line for line in lines if line.endswith(one.title)]
            keys = line.removesuffix(one.title).split()
            assert keys == [shown(key) for key in one.keys]
        for group in {one.group for one in COMMANDS}:
            assert f" {group.upper()}" in lines
        await program.press("escape")
        assert program.app.screen is program.screen


async def test_the_help_scrolls_to_its_end(running: Running) -> None:
    async with running(size=(80, 24)) as program:
        await program.press("?")
        assert COMMANDS[0].title in program.shown()
        await program.press(*["pagedown"] * 8)
        assert COMMANDS[-1].title in program.shown()
        await program.press(*["pageup"] * 8, "down", "up")
        assert COMMANDS[0].title in program.shown()


async def test_the_help_is_searched_by_title_name_group_and_key(running: Running) -> None:
    async with running(size=(200, 50)) as program:
        await program.press("?")
        for wanted, found in (
            ("AR, O", "star"),
            ("page-d", "half-page-down"),
            ("PgDn", "page-down"),
            ("ctrl+r", "redo"),
        ):
            await paste(program, wanted)
            title = next(one.title for one in COMMANDS if one.name == found)
            titled = [line for line in key_lines(program) if line.endswith(title)]
            assert len(titled) == 1
            assert len(key_lines(program)) < len(COMMANDS)
            await program.press("ctrl+u")
        assert len(key_lines(program)) > len(COMMANDS)
        await paste(program, "note")
        for one in COMMANDS:
            if one.group == "Note":
                assert any(line.endswith(one.title) for line in key_lines(program))
        await program.press("ctrl+u")
        await paste(program, "[/]b[")
        assert "No command fits." in program.shown()
        await program.press("escape")
        assert program.app.screen is program.screen
        assert program.screen.papers.index == 0


async def test_the_palette_offers_every_command_that_is_possible(running: Running) -> None:
    async with running() as program:
        for key in (":", "ctrl+p"):
            await program.press(key)
            lines = offered(program)
            for one in COMMANDS:
                line = f"{one.title} | {'  '.join(map(shown, one.keys))}"
                assert (line in lines) == (one.name not in ("palette", "remove-search")), line
            await program.press("escape")


async def test_the_palette_offers_nothing_that_is_impossible(running: Running) -> None:
    async with running(seeds=None) as program:
        await program.press(":")
        lines = offered(program)
        assert lines
        for one in COMMANDS:
            possible = one.when(program.screen) and one.name != "palette"
            assert any(line.startswith(f"{one.title} |") for line in lines) == possible
        assert not any(line.startswith("Star") for line in lines)
        await program.press("escape")


async def test_a_command_is_done_from_the_palette(running: Running) -> None:
    async with running() as program:
        await program.press("ctrl+p")
        await paste(program, "star, ")
        await program.press("enter", "enter")
        if program.app.screen is not program.screen:
            await program.press("enter")
        assert program.screen.papers.entries[0].mark.starred
        await program.press(":")
        await paste(program, "[/]")
        await program.press("escape")
        assert program.app.screen is program.screen


async def test_keys_of_ones_own(running: Running) -> None:
    keys = {
        "star": ("z", "ctrl+s"),
        "skip": ("s",),
        "undo": (",",),
        "redo": (";", "[", "/", "]"),
        "down": ("ü", "f5"),
        "up": ("日", "shift+tab"),
        "last": ("+",),
        "quit": (),
        "help": ("!",),
    }
    async with running(keys=keys) as program:
        screen = program.screen

        def first() -> object:
            return screen.papers.entries[0].mark

        before = first()
        await program.press("x")  # the reader gave its key away
        assert (first(), screen.papers.index) == (before, 0)
        await program.press("z")
        assert first().starred  # type: ignore[attr-defined]
        await program.press("ctrl+s")
        assert not first().starred  # type: ignore[attr-defined]
        await program.press("s")
        assert first().status == "skipped"  # type: ignore[attr-defined]
        assert screen.papers.index == 1
        await program.press(",")
        assert first().status == "unread"  # type: ignore[attr-defined]
        await program.press(";")
        assert first().status == "skipped"  # type: ignore[attr-defined]
        await program.press(",", "[", ",", "]", ",", "/")
        assert first().status == "skipped"  # type: ignore[attr-defined]
        assert not screen.has_class("filtering")
        await program.press("g", "ü", "f5", "日")
        assert screen.papers.index == 1
        await program.press("shift+tab", "j", "k")
        assert screen.papers.index == 0
        assert screen.focused is screen.papers
        await program.press("+")
        assert screen.papers.index == 19
        await program.press("q", "ctrl+q")
        assert program.app.is_running
        assert "! keys" in program.shown(screen.status)
        await program.press("!")
        lines = key_lines(program)
        assert any(line.split()[:2] == ["z", "ctrl+s"] for line in lines)
        assert any(line.split()[:4] == [";", "[", "/", "]"] for line in lines)
        assert any(line.split()[:2] == ["—", "Quit;"] for line in lines)
        await program.press("escape", ":")
        lines = offered(program)
        assert any(line.endswith("z  ctrl+s") for line in lines)
        assert any(line.endswith(";  [  /  ]") for line in lines)
        assert any(line.startswith("Quit") for line in lines)
        await program.press("escape")


async def test_the_keys_of_help_and_palette_can_be_changed(running: Running) -> None:
    keys = {"palette": ("f2",), "help": ("f1",), "filter": ("f",), "note": ("i", "enter")}
    async with running(keys=keys) as program:
        await program.press("ctrl+p", ":", "?")
        assert program.app.screen is program.screen
        await program.press("f2")
        assert offered(program)
        await program.press("escape", "f1")
        assert key_lines(program)
        await program.press("escape", "f")
        assert program.screen.has_class("filtering")
        await paste(program, "if")  # letters again, inside the box
        assert program.screen.box.value == "if"
        await program.press("escape", "enter")
        assert program.screen.focused is program.screen.editor
