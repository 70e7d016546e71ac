"""Starts the program: the library opens on a thread while Textual is imported."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as StillOpening
from concurrent.futures import wait
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anchorlight.store import Library

    from .config import Config
    from .last_screen import LastScreen
    from .view import Opening

HEAD_START_SECONDS = 0.1
"""How long the library may take to open before the imports of the screen begin beside it: two
threads at work at once would keep each other waiting."""

PATIENCE_SECONDS = 0.2
"""How long the first picture waits for the library before it is painted without."""

PATIENCE_WITH_PICTURE_SECONDS = 1.0
"""The same while the screen of the last session is looked at, which empty panes would replace."""


def run(
    config: Config,
    open_library: Callable[[], Library],
    paths: Sequence[Path] = (),
    *,
    last_screen: LastScreen | None = None,
) -> int:
    """Run the program and return its exit code.

    Args:
        config: The settings.
        open_library: Opens the library.
        paths: Files to take in first; the list of the last one is shown.
        last_screen: What is on the terminal meanwhile, and keeps the screen for the next time.

    Raises:
        StoreError: The library cannot be opened.
    """
    gc.disable()  # nothing that is imported is garbage; the program turns it on again
    from .gateway import Gateway

    def opened() -> Library:
        library = open_library()
        if paths:
            reports = library.import_files(paths)
            refused = sum(len(report.refused) for report in reports)
            if refused:
                library.tell(f"{refused} refused; anchorlight import says which and why.")
            anchors = [anchor for report in reports for anchor in report.anchors]
            if anchors:
                library.write_session({**library.session, "list": f"anchor:{anchors[0]}",
                                       "paper": "", "filter": ""})  # fmt: skip
        return library

    gateway = Gateway(opened)

    def first(library: Library) -> Opening:
        from .view import Opening

        return Opening.of(library)

    opening = gateway.ask(first)
    wait([opening], HEAD_START_SECONDS)
    from .app import Anchorlight
    from .commands import all_commands
    from .keymap import keys_of

    keys, mistakes = keys_of(all_commands(), config.settings.keys, config.where)
    problems = [*config.problems, *(f"{one.rstrip('?')}." for one in mistakes)]
    shown: Opening | None = None
    has_picture = last_screen is not None and last_screen.is_shown
    with suppress(StillOpening):
        shown = opening.result(PATIENCE_WITH_PICTURE_SECONDS if has_picture else PATIENCE_SECONDS)
    app = Anchorlight(
        gateway,
        shown,
        keys,
        theme=config.settings.theme,
        problems=problems,
        last_screen=None if paths else last_screen,
    )
    app.run()
    return app.return_code or 0
