"""Importing files while reading goes on."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from anchorlight.store import Library, StoreError

if TYPE_CHECKING:
    from anchorlight.store.importing import Doing, FileReport

    from .file_dialogs import Wanted
    from .reading import ReadingScreen


_PATIENCE_SECONDS = 5.0


class TakingIn:
    """Asks for files, takes them in on a thread of its own, and tells what became of them."""

    def __init__(self, screen: ReadingScreen) -> None:
        self._screen = screen
        self._folder = Path()
        self._is_running = self._is_ended = False
        self._done = asyncio.Event()

    def ask(self) -> None:
        """Let the reader choose a file; or end the import that is going on."""
        from .file_dialogs import FileDialog

        screen = self._screen
        if self._is_running:
            self.end()
            return
        if screen.read_only:
            screen.complain(f"Nothing can be imported: {screen.read_only}")
            return
        name = screen.wanted.name
        anchor = name.removeprefix("anchor:") if name.startswith("anchor:") else ""
        title = screen.view.title if screen.view and anchor else ""

        def answered(wanted: Wanted | None) -> None:
            if wanted:
                self._folder = wanted.path if wanted.path.is_dir() else wanted.path.parent
                screen.run_worker(self._take(wanted, anchor))

        screen.app.push_screen(FileDialog(self._folder, title), answered)

    def end(self) -> None:
        """End the import that is going on, if any; what it took until then stays."""
        self._is_ended = True

    async def finish(self) -> None:
        """End the import that is going on, and wait until what it took is stored."""
        self.end()
        if self._is_running:
            with suppress(TimeoutError):  # of a file that does not answer
                await asyncio.wait_for(self._done.wait(), _PATIENCE_SECONDS)

    async def _take(self, wanted: Wanted, anchor: str) -> None:
        from anchorlight.store.importing import Options

        screen, loop = self._screen, asyncio.get_running_loop()
        options = Options("", anchor if wanted.joins_list else "", wanted.takes_notes)

        def going_on(doing: Doing) -> bool:
            loop.call_soon_threadsafe(self._tell, doing)
            return not self._is_ended

        def work(library: Library) -> list[FileReport]:
            return library.import_files([wanted.path], options, going_on)

        self._is_running, self._is_ended = True, False
        self._done.clear()
        screen.tell_background("importing …")
        try:
            reports = await screen.gateway.index(work)
        except StoreError as error:
            screen.complain_of(error)
            return
        finally:
            self._is_running = False
            self._done.set()
            screen.tell_background("")
            screen.reload()
        self._tell_done(reports)

    def _tell(self, doing: Doing) -> None:
        if self._is_running:
            importing = f"importing {doing.percent}".rstrip()
            self._screen.tell_background(f"{importing}, {doing.entries} entries · i ends it")

    def _tell_done(self, reports: list[FileReport]) -> None:
        from .file_dialogs import ReportDialog

        screen = self._screen
        added = sum(report.added for report in reports)
        updated = sum(report.updated for report in reports)
        if anchors := [anchor for report in reports for anchor in report.anchors]:
            screen.flow.open(f"anchor:{anchors[0]}")
        screen.status.say(f"{added} added, {updated} updated")
        if any(one.refused or one.guesses or not one.is_whole for one in reports) or not added:
            screen.app.push_screen(ReportDialog(reports))
