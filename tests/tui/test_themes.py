"""Themes: text can be read in ours, and every theme of Textual's can be used."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from anchorlight.store import Library
from anchorlight.tui.ink import Inks, inks_of
from anchorlight.tui.themes import DARK, LIGHT, own_variables
from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.theme import BUILTIN_THEMES, Theme

from .conftest import Program, Running
from .driving import paste

OURS = [pytest.param(theme, id=theme.name) for theme in (DARK, LIGHT)]
ALL = [pytest.param(theme, id=theme.name) for theme in (DARK, LIGHT, *BUILTIN_THEMES.values())]
LEAST = 4.5
"""Contrast of text and ground (WCAG 2.1, 1.4.3)."""


def luminance(colour: Color) -> float:
    """Return the relative luminance of a colour (WCAG 2.1)."""
    channels = [part / 255 for part in colour.get_truecolor()]
    linear = [(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(style: Style) -> float:
    """Return the contrast of a style's text and ground."""
    assert style.color is not None
    assert style.bgcolor is not None
    brighter, darker = sorted((luminance(style.color), luminance(style.bgcolor)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def variables(theme: Theme) -> dict[str, str]:
    """Return a theme's variables as the app has them."""
    return own_variables(theme) | theme.to_color_system().generate() | theme.variables


def test_contrast_is_computed_as_the_standard_says() -> None:
    assert round(contrast(Style.parse("#000000 on #ffffff")), 2) == 21.0
    assert round(contrast(Style.parse("#777777 on #ffffff")), 2) == 4.48


@pytest.mark.parametrize("theme", OURS)
@pytest.mark.parametrize("ground", ["", "cursor", "blurred_cursor"])
@pytest.mark.parametrize("name", ["text", "strong", "muted", "primary", "accent", "good"])
def test_inks_can_be_read_on_every_ground(theme: Theme, name: str, ground: str) -> None:
    inks = Inks(variables(theme))
    style = getattr(inks, name) + (getattr(inks, ground) if ground else Style.null())
    assert contrast(style) >= LEAST


@pytest.mark.parametrize("theme", OURS)
@pytest.mark.parametrize("name", ["error", "mark", "bar", "bar_muted", "bar_error"])
def test_inks_with_a_ground_of_their_own_can_be_read(theme: Theme, name: str) -> None:
    assert contrast(getattr(Inks(variables(theme)), name)) >= LEAST


@pytest.mark.parametrize("theme", OURS)
def test_the_cursor_is_told_from_the_ground(theme: Theme) -> None:
    inks = Inks(variables(theme))
    grounds = [inks.text.bgcolor, inks.cursor.bgcolor, inks.blurred_cursor.bgcolor]
    assert len(set(grounds)) == 3


@pytest.mark.parametrize("theme", ALL)
def test_every_theme_has_inks(theme: Theme) -> None:
    inks = Inks(variables(theme))
    for name in ("text", "strong", "muted", "primary", "accent", "good", "error", "mark", "bar"):
        style = getattr(inks, name)
        assert style.color is not None
        assert style.color != style.bgcolor or style.color.is_default  # the terminal's own two
    assert inks.cursor.bgcolor != inks.text.bgcolor


def test_themes_do_not_take_each_others_inks() -> None:
    for theme in (DARK, LIGHT, *BUILTIN_THEMES.values()):
        theirs = variables(theme)
        assert vars(inks_of(theirs)) == vars(Inks(theirs)), theme.name


def test_ours_need_no_fallback() -> None:
    for theme in (DARK, LIGHT):
        assert set(own_variables(theme)) <= set(theme.variables)


# On the screen


def segments(program: Program, part: str = "Screen") -> Iterator[Segment]:
    """Yield what is painted in a part of the screen, as it goes to the terminal."""
    screen = program.app.screen
    region = screen.region if part == "Screen" else screen.query_one(part).region
    for strip in screen._compositor.render_strips(screen.size)[region.y : region.bottom]:
        yield from strip.crop(region.x, region.right)


def ground_of_list(program: Program) -> Color | None:
    """Return the colour that the list is painted on, below its last paper."""
    strips = program.app.screen._compositor.render_strips(program.app.screen.size)
    region = program.screen.papers.region
    style = next(iter(strips[region.bottom - 1].crop(region.x, region.x + 1))).style
    return style.bgcolor if style else None


def unreadable(program: Program, *parts: str) -> list[tuple[str, str, float]]:
    """Return the text in parts of the screen that has too little contrast.

    What lies behind a dialog is dimmed and no part of it.
    """
    painted = [one for part in parts or ("Screen",) for one in segments(program, part)]
    found = [one for one in painted if any(map(str.isalnum, one.text))]
    assert found
    weak = [one for one in found if not one.style or contrast(one.style) < LEAST]
    return [(one.text.strip(), str(one.style), contrast(one.style or Style())) for one in weak]


@pytest.mark.parametrize("theme", OURS)
async def test_everything_on_the_screen_can_be_read(running: Running, theme: Theme) -> None:
    weak = {}
    async with running(size=(120, 50), theme=theme.name) as program:
        await program.press("s", "t")
        await paste(program, "moe")
        weak["tags"] = unreadable(program, "#dialog")
        await program.press("enter", "e")
        await paste(program, "A note")
        weak["editor"] = unreadable(program)
        await program.press("escape", "j", "r", "j", "x", "v", "g")
        weak["list"] = unreadable(program)
        await program.press("/")
        await paste(program, "mem")
        weak["filter"] = unreadable(program)
        await program.press("enter", "l")
        weak["filtered"] = unreadable(program)
        await program.press("h", "h")
        weak["sidebar"] = unreadable(program)
        program.screen.complain("something went wrong")
        await program.settle()
        weak["error"] = unreadable(program)
        await program.press("escape", "?")
        weak["help"] = unreadable(program, "#dialog")
        await program.press("escape", "/", "ctrl+u")
        await paste(program, "zz")
        weak["no match"] = unreadable(program)
        await program.press("escape", "ctrl+p")
        weak["palette"] = unreadable(program, "CommandInput", "CommandList")
    assert {where: found for where, found in weak.items() if found} == {}


async def test_every_theme_renders_and_repaints_the_list(running: Running) -> None:
    async with running(size=(120, 30)) as program:
        await program.press("s", "j")
        for name, theme in program.app.available_themes.items():
            program.app.theme = name
            await program.settle()
            shown = program.shown()
            assert "MemFine" in shown
            assert "? keys" in shown
            if theme.background and theme.background.startswith("#"):
                assert ground_of_list(program) == Color.parse(theme.background.lower()), name
        for key, wanted in (("?", "keys"), ("t", "tags"), ("ctrl+p", "Down one line")):
            await program.press(key)
            assert wanted in program.shown()
            await program.press("escape")


async def test_an_unknown_theme_is_told_and_another_is_used(running: Running) -> None:
    async with running(theme="[/]nord") as program:
        assert program.app.theme == DARK.name
        assert "[/]nord" in program.said
        assert LIGHT.name in program.said or "nord" in program.said.partition("”")[2]
        assert "MemFine" in program.shown()


async def test_the_theme_is_kept_for_the_next_day(running: Running) -> None:
    async with running() as program:
        await program.press("T")
        await paste(program, "anchorlight-light")
        await program.press("enter")
        assert program.app.theme == LIGHT.name
    async with running() as program:
        assert program.app.theme == LIGHT.name
        assert ground_of_list(program) == Color.parse(LIGHT.background or "")


async def test_without_colour_the_current_line_and_every_status_are_told_apart(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with running(library=Library, size=(100, 30)) as program:
        await program.press("r", "x", "w", "s", "g", "v")
        for segment in segments(program):
            for colour in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                assert colour is None or len(set(colour.get_truecolor())) == 1
        shown = program.shown(program.screen.papers)
        assert all(sign in shown for sign in "✓–◷●★▌")
        lines = program.app.screen._compositor.render_strips(program.app.screen.size)
        top = program.screen.papers.region.y
        grounds = [
            {segment.style.bgcolor for segment in lines[top + y] if segment.style} for y in (0, 5)
        ]
        assert program.screen.papers.index == 1
        grounds[0] = {part.style.bgcolor for part in lines[top + 1] if part.style}
        assert grounds[0] != grounds[1]
