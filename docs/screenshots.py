"""Draws the pictures of the README from the program itself, over the three seed lists."""

from __future__ import annotations

import asyncio
import re
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from anchorlight.seeds import FOLDER
from anchorlight.store import Change, Library, Status
from anchorlight.tui.app import Anchorlight
from anchorlight.tui.commands import all_commands
from anchorlight.tui.gateway import Gateway
from anchorlight.tui.keymap import keys_of
from anchorlight.tui.reading import ReadingScreen
from anchorlight.tui.view import Opening

HERE = Path(__file__).parent
SIZE = (118, 36)
PICTURES = {
    "screenshot-dark.svg": ("anchorlight-dark", "8j", ""),
    "screenshot-light.svg": ("anchorlight-light", "J2j", "memory"),
}


def library(folder: Path) -> Library:
    """Return a library somebody has read in for a while."""
    day = datetime(2026, 11, 30, 14, 2, tzinfo=UTC)
    made = Library(folder / "library", folder / "index", clock=lambda: day, seeds=FOLDER)
    first = [entry.paper.key for entry in made.listing("anchor:guo2025cephalo")]
    second = [entry.paper.key for entry in made.listing("anchor:liao2022mimose")]
    read = Change(status=Status.READ)
    made.mark(dict.fromkeys([*first[:5], first[6], *second[2:4]], read))
    made.mark({first[9]: Change(status=Status.QUEUED), second[6]: Change(status=Status.SKIPPED)})
    made.mark(dict.fromkeys([first[8], first[1], second[4]], Change(starred=True)))
    made.mark(dict.fromkeys([first[0], second[4]], Change(add_tags=("memory", "moe"))))
    made.mark({first[8]: Change(add_tags=("memory", "offloading"))})
    made.write_note(first[8], "Compare with Harmony: one GPU, optimizer states in CPU memory.")
    made.refresh_index()
    return made


async def draw(name: str) -> str:
    """Return a picture as SVG."""
    theme, keys, query = PICTURES[name]
    with tempfile.TemporaryDirectory() as folder:
        gateway = Gateway(lambda: library(Path(folder)))
        opening = gateway.ask(Opening.of).result()
        known, _ = keys_of(all_commands(), {})
        app = Anchorlight(gateway, opening, known, theme=theme)
        async with app.run_test(size=SIZE) as pilot:
            screen = app.screen
            assert isinstance(screen, ReadingScreen)
            await screen.furnished.wait()
            for key in (*keys, *(["slash", *query, "enter"] if query else [])):
                await pilot.press(key)
                await app.workers.wait_for_complete()
            await pilot.pause()
            picture = app.export_screenshot(title="anchorlight")
            screen.leave()
            await app.workers.wait_for_complete()
    # Ids of a picture are made from what is in it; fonts come from the reader's own machine.
    return re.sub(r"@font-face\s*\{[^}]*\}\s*", "", picture)


def main() -> None:
    """Write all pictures."""
    for name in PICTURES:
        (HERE / name).write_text(asyncio.run(draw(name)), "utf-8")


if __name__ == "__main__":
    main()
