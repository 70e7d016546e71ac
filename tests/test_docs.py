"""The manual names every command, key, setting, field and format; the pages it links to exist."""

from __future__ import annotations

import asyncio
import re
from dataclasses import fields
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from anchorlight.store import SMART_LISTS, Status
from anchorlight.store.citations import STYLES
from anchorlight.store.exporting import FORMATS
from anchorlight.store.formats import TITLES
from anchorlight.store.formats.writers import GROUPS
from anchorlight.store.query import FIELDS, HAS, IS
from anchorlight.tui.arguments import build
from anchorlight.tui.commands import all_commands
from anchorlight.tui.config import Settings
from anchorlight.tui.keymap import shown
from anchorlight.tui.widgets.paper_list import NOTE, SIGNS, STAR

textual, rich = version("textual"), version("rich")
DRAWN_WITH = ("8.2.8", "15.0.0")
"""What `make screenshots` last ran with; other versions write the same picture otherwise."""

ROOT = Path(__file__).parent.parent
MANUAL = (ROOT / "docs" / "manual.md").read_text("utf-8")
FORMATS_PAGE = (ROOT / "docs" / "formats.md").read_text("utf-8")


def test_every_command_stands_in_the_manual_with_its_keys() -> None:
    for one in all_commands():
        keys = " ".join(f"`{shown(key)}`" for key in one.keys)
        assert f"| {keys} | {one.title} | `{one.name}` |" in MANUAL


def test_every_setting_stands_in_the_manual() -> None:
    for one in fields(Settings):
        assert f"| `{one.name}` |" in MANUAL


def test_every_command_of_the_command_line_stands_in_the_manual_with_its_options() -> None:
    commands = next(action for action in build()._actions if action.dest == "command")
    assert commands.choices
    for name, parser in commands.choices.items():
        assert f"`anchorlight {name}" in MANUAL
        for action in parser._actions:
            for option in action.option_strings:
                if option not in ("-h", "--help"):
                    assert option in MANUAL, f"{name} {option}"
        assert parser.epilog.startswith("example: anchorlight")


def test_everything_a_query_can_ask_stands_in_the_manual() -> None:
    for name in FIELDS:
        assert f"`{name}:" in MANUAL, name
    for name in IS:
        assert f"`is:{name}`" in MANUAL
    for name in HAS:
        assert f"`has:{name}`" in MANUAL


def test_every_sign_and_format_stands_in_the_manual() -> None:
    for sign in (*SIGNS.values(), STAR, NOTE):
        assert f"| `{sign}` |" in MANUAL
    assert set(SIGNS) == set(Status)
    for name in TITLES:
        assert f"| **{name}** |" in FORMATS_PAGE
    for name in FORMATS:
        assert f"**{name}**" in FORMATS_PAGE
    for name in (*GROUPS, *STYLES):
        assert name in FORMATS_PAGE
    assert SMART_LISTS


def test_what_the_pages_link_to_exists() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    assert len(pages) >= 5
    for page in pages:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_readme_begins_with_two_commands_that_the_makefile_has() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    block = re.search(r"```\n(.*?)```", readme, re.DOTALL)
    assert block
    assert block[1].split("\n")[:2] == ["make run", "make test"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for name in ("run", "test", "check", "bench", "compat", "screenshots", "clean"):
        assert re.search(rf"^{name}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("name", ["screenshot-dark.svg", "screenshot-light.svg"])
def test_the_pictures_show_the_program_as_it_is(name: str) -> None:
    if (textual, rich) != DRAWN_WITH:
        pytest.skip(f"the pictures were drawn with Textual and Rich {DRAWN_WITH}")
    spec = spec_from_file_location("screenshots", ROOT / "docs" / "screenshots.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert asyncio.run(module.draw(name)) == (ROOT / "docs" / name).read_text("utf-8")
