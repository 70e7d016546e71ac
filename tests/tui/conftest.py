"""The program under test: the real app over a real library, driven by keys."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from shutil import copytree
from threading import get_ident
from typing import Any

import pytest
from anchorlight.seeds import FOLDER
from anchorlight.store import Library
from anchorlight.tui.app import Anchorlight
from anchorlight.tui.commands import all_commands
from anchorlight.tui.gateway import Gateway
from anchorlight.tui.keymap import keys_of
from anchorlight.tui.reading import ReadingScreen
from anchorlight.tui.view import Opening
from textual.pilot import Pilot
from textual.widget import Widget


class GuardedLibrary(Library):
    """A library that refuses to be called on the thread of the event loop."""

    loop_thread = 0

    def __getattribute__(self, name: str) -> Any:
        if not name.startswith("_") and get_ident() == object.__getattribute__(self, "loop_thread"):
            raise AssertionError(f"Library.{name} was called on the event loop's thread")
        return super().__getattribute__(name)


class Program:
    """The running program, as a test sees it."""

    def __init__(self, app: Anchorlight, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> ReadingScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, ReadingScreen)
        return screen

    async def press(self, *keys: str) -> None:
        """Press keys and wait until everything they caused has happened."""
        for key in keys:
            await self.pilot.press(key)
        await self.settle()

    async def type(self, text: str) -> None:
        """Type a text into whatever has the keys."""
        names = {" ": "space", "\n": "enter"}
        await self.press(*(names.get(char, char) for char in text))

    async def settle(self) -> None:
        """Wait for workers and messages, until nothing is left to happen."""
        await self.pilot.pause()
        while any(not worker.is_finished for worker in self.app.workers):
            await self.app.workers.wait_for_complete()
            await self.pilot.pause()

    def shown(self, widget: Widget | None = None) -> str:
        """Return what is drawn on the screen, or in one widget."""
        if widget is not None:
            lines = (widget.render_line(y) for y in range(widget.size.height))
            return "\n".join(strip.text.rstrip() for strip in lines)
        width, height = self.app.size
        screen = self.app.screen
        strips = screen._compositor.render_strips(screen.size)
        return "\n".join(strip.text[: width * 2].rstrip() for strip in strips[:height])

    @property
    def titles(self) -> list[str]:
        """Titles of the papers in the list."""
        return [entry.paper.display_title for entry in self.screen.papers.entries]

    @property
    def current(self) -> str:
        """The key of the current paper."""
        entry = self.screen.current
        return entry.paper.key if entry else ""

    @property
    def said(self) -> str:
        """The message in the status line."""
        return self.screen.status.message


Running = Callable[..., AbstractAsyncContextManager[Program]]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of the seed lists and its index, made once."""
    root = tmp_path_factory.mktemp("made")
    library = Library(root / "library", root / "cache", seeds=FOLDER)
    library.refresh_index()
    library.close()
    return root


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of the library that the program opens."""
    return tmp_path / "library"


@pytest.fixture
def running(folder: Path, tmp_path: Path, made: Path) -> Running:
    """Start the program: `async with running() as program`."""

    @asynccontextmanager
    async def run(
        *,
        size: tuple[int, int] = (120, 40),
        seeds: Path | None = FOLDER,
        library: Callable[..., Library] = GuardedLibrary,
        keys: dict[str, tuple[str, ...]] | None = None,
        theme: str = "",
        late: bool = False,
    ) -> AsyncIterator[Program]:
        if seeds == FOLDER and not folder.exists():
            copytree(made, tmp_path, dirs_exist_ok=True)
        opened: list[Library] = []

        def open_library() -> Library:
            opened.append(library(folder, tmp_path / "cache", seeds=seeds))
            return opened[0]

        gateway = Gateway(open_library)
        opening = None if late else gateway.ask(Opening.of).result()
        if opened and isinstance(opened[0], GuardedLibrary):
            object.__setattr__(opened[0], "loop_thread", get_ident())
        all_keys, problems = keys_of(all_commands(), keys or {})
        app = Anchorlight(gateway, opening, all_keys, theme=theme, problems=problems)
        async with app.run_test(size=size) as pilot:
            program = Program(app, pilot)
            await asyncio.wait_for(program.screen.furnished.wait(), 20)
            await program.settle()
            yield program
            if app.is_running:
                program.screen.leave()
                await program.settle()

    return run
