"""The program in the terminal: themes, palette, and the reading screen."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from anchorlight.store import StoreError
from textual import events
from textual.app import App
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.screen import Screen

from .commands import all_commands
from .gateway import Gateway
from .keymap import shown
from .picture import picture_of
from .reading import ReadingScreen
from .themes import DARK, LIGHT, own_variables
from .view import Opening
from .widgets.lines import Lines

if TYPE_CHECKING:
    from .last_screen import LastScreen

KEY_SECONDS = 0.25
"""How long a key may take before the next one is looked at all the same."""


class CommandPalette(Provider):
    """Offers every command that is possible now, with its keys."""

    async def discover(self) -> Hits:
        """Offer all of them."""
        for one, run, help_text in self._possible():
            yield DiscoveryHit(one, run, help=help_text)

    async def search(self, query: str) -> Hits:
        """Offer those that fit what was typed."""
        matcher = self.matcher(query)
        for one, run, help_text in self._possible():
            if (score := matcher.match(one)) > 0:
                yield Hit(score, matcher.highlight(one), run, help=help_text)

    def _possible(self) -> list[tuple[str, Any, str]]:
        screen = self.screen
        if not isinstance(screen, ReadingScreen):
            return []
        return [
            (
                one.title,
                lambda name=one.name: screen.do(name),
                "  ".join(map(shown, screen.keys[one.name])),
            )
            for one in all_commands()
            if one.when(screen) and one.name != "palette"
        ]


class Anchorlight(App[None], inherit_bindings=False):
    """The program.

    Args:
        gateway: The library.
        opening: What to show first; None while the library is still being opened.
        keys: The keys of every command.
        theme: The theme that the config file names, if any.
        problems: What is wrong with the config file, a sentence each.
        last_screen: What may be on the terminal already, and keeps the screen for the next time.
    """

    TITLE = "Anchorlight"
    CSS_PATH = "anchorlight.tcss"
    COMMANDS: ClassVar[Any] = {CommandPalette}
    ENABLE_COMMAND_PALETTE = True
    COMMAND_PALETTE_BINDING = ""
    ESCAPE_TO_MINIMIZE = False
    NOTIFICATION_TIMEOUT = 4

    def __init__(
        self,
        gateway: Gateway,
        opening: Opening | None,
        keys: Mapping[str, tuple[str, ...]],
        *,
        theme: str = "",
        problems: Sequence[str] = (),
        last_screen: LastScreen | None = None,
    ) -> None:
        self._is_styled = False
        driver = None
        if last_screen and last_screen.is_shown:
            from .driver import driver_for

            driver = driver_for(last_screen)
        super().__init__(driver_class=driver)
        self._last_screen = last_screen
        self._gateway = gateway
        self._opening = opening
        self._keys = keys
        self._wanted_theme = theme
        self._problems = problems
        self.animation_level = "none"
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name
        if opening:
            self._use_theme(opening)

    def _watch_theme(self, theme_name: str) -> None:
        """Style everything anew for another theme, but not for the first one.

        Textual does so at every start as well, which takes longer than the first picture.
        """
        if self.is_running and self._is_styled:
            super()._watch_theme(theme_name)
            return
        self._is_styled = self.is_running
        self.set_class(self.current_theme.dark, "-dark-mode", update=False)
        self.set_class(not self.current_theme.dark, "-light-mode", update=False)
        self.stylesheet.set_variables(self.get_css_variables())

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Give Textual's own themes the colours that our screens name."""
        return own_variables(self.current_theme)

    def get_default_screen(self) -> Screen[None]:
        """Return the reading screen."""
        return ReadingScreen(self._gateway, self._keys, self._opening)

    def on_mount(self) -> None:
        """Watch for signals; what is missing of the library is waited for in a worker."""
        self._watch_signals()
        self.run_worker(self._start())
        self.call_after_refresh(_collect_garbage_from_now_on)

    async def _start(self) -> None:
        screen = self.screen
        if not isinstance(screen, ReadingScreen):
            return
        opening = self._opening
        if opening is None:
            try:
                opening = await self._gateway.read(Opening.of)
            except StoreError as error:
                self.exit(return_code=2, message=Content(f"anchorlight: {error.message}"))
                return
            self._use_theme(opening)
            screen.status.hush()
            screen.show_first(opening)
        # Importing Whoosh beside the first picture would hold it up: one thread works at a time.
        await screen.furnished.wait()
        screen.begin([*self._problems, *opening.notices])

    def _use_theme(self, opening: Opening) -> None:
        wanted = self._wanted_theme or str(opening.session.get("theme") or "")
        if wanted in self.available_themes:
            self.theme = wanted
        elif self._wanted_theme:
            names = ", ".join(sorted(self.available_themes))
            self._problems = (
                *self._problems, f"There is no theme “{wanted}”. There are: {names}."
            )  # fmt: skip

    def _watch_signals(self) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            try:
                loop.add_signal_handler(number, self._leave)
            except (NotImplementedError, RuntimeError, ValueError):
                return  # not the main thread, or a system without signals

    def _leave(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, ReadingScreen):
                screen.leave(at_once=True)

    def exit(self, *args: Any, **kwargs: Any) -> None:
        """Leave the program; without a terminal there is nothing to restore, nor to wait for."""
        if not self.is_headless and not _has_terminal():
            os._exit(128 + signal.SIGHUP)
        if self._last_screen and not self.is_headless:
            with suppress(Exception):  # whatever is wrong with the picture, leaving goes on
                self._last_screen.keep(self._picture())
        super().exit(*args, **kwargs)

    def _picture(self) -> list[str]:
        """Return the lines of the reading screen, if it can greet the reader at the next start."""
        screen = self.screen_stack[0] if self.screen_stack else None
        if not isinstance(screen, ReadingScreen) or not screen.view:
            return []
        if screen.has_class("noting") or screen.has_class("tiny"):
            return []
        screen.status.hush()
        return picture_of(screen)

    async def on_event(self, event: events.Event) -> None:
        """Handle one key after the other, Esc with a key right behind it as these two keys."""
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
            return
        if isinstance(self.screen, ReadingScreen):
            await self.screen.furnished.wait()
        modifier, plus, key = event.key.partition("+")
        if modifier == "alt" and plus and "+" not in key:
            await self._key(events.Key("escape", "\x1b"))
            event = events.Key(key, event.character or key)
        await self._key(event)

    async def _key(self, event: events.Key) -> None:
        """Handle a key whole: what is typed is in its place before the next key is looked at."""
        focused, screen = self.focused, self.screen
        if isinstance(screen, ReadingScreen):
            if isinstance(focused, Lines) and not screen.shown.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(screen.shown.wait(), KEY_SECONDS)
            if screen.press(event.key, event.character):
                return
        # A key that types nothing acts before the next one too, and not when it has bubbled up.
        if not event.is_printable and (
            await self._check_bindings(event.key, priority=True)
            or await self._check_bindings(event.key)
        ):
            return
        await super().on_event(event)
        if focused is not None and self.focused is focused and not isinstance(focused, Lines):
            done = asyncio.Event()
            focused.call_later(done.set)
            with suppress(TimeoutError):
                await asyncio.wait_for(done.wait(), KEY_SECONDS)


def _has_terminal() -> bool:
    """Tell whether the terminal is still there: one that was closed answers with an error."""
    try:
        import termios

        termios.tcgetattr(sys.__stdin__.fileno())  # type: ignore[union-attr]
    except ImportError:
        return True
    except (OSError, termios.error):
        return False
    return True


def _collect_garbage_from_now_on() -> None:
    """End the pause that start-up made: what was imported is never garbage."""
    gc.freeze()
    gc.enable()
