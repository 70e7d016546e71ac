"""The screen on which papers that may be one are settled, pair after pair."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from anchorlight.store import Entry, Library, StoreError
from anchorlight.store.joining import joined_entry
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.getters import query_one
from textual.screen import Screen

from .comparing import compare
from .gateway import Gateway
from .widgets.pair_pane import PairPane
from .widgets.status_line import StatusLine

if TYPE_CHECKING:
    from anchorlight.store.duplicates import Pair

_HINTS = ("U undo", "n p go on, back", "1 2 which stays", "esc leave", "d differ", "enter join")


class _State(NamedTuple):
    """What is left to settle, and where the reader is in it."""

    pairs: tuple[Pair, ...]
    at: int


class SettlingScreen(Screen[str | None], inherit_bindings=False):
    """Shows papers that may be one side by side; the reader decides.

    The answer is the key of the paper that was joined last, an empty text where nothing but pairs
    kept apart was settled, and None where nothing was.

    Args:
        gateway: The library.
        titles: Titles of reading lists by their anchor.
    """

    AUTO_FOCUS = "#pair"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Leave", show=False),
        Binding("left,1,h", "keep(0)", show=False),
        Binding("right,2,l", "keep(1)", show=False),
        Binding("enter,m", "join", show=False),
        Binding("d", "different", show=False),
        Binding("n", "go(1)", show=False),
        Binding("p", "go(-1)", show=False),
        Binding("U", "undo", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("up,k", "scroll(-1)", show=False),
        Binding("pagedown,space,ctrl+f", "page(1)", show=False),
        Binding("pageup,ctrl+b", "page(-1)", show=False),
        Binding("home,g", "end(False)", show=False),
        Binding("end,G", "end(True)", show=False),
    ]

    pane = query_one("#pair", PairPane)
    heading = query_one("#heading", StatusLine)
    status = query_one("#status", StatusLine)

    def __init__(self, gateway: Gateway, titles: Mapping[str, str]) -> None:
        super().__init__()
        self._gateway = gateway
        self._titles = titles
        self._is_over = False
        self._is_busy = True
        self._state = _State((), 0)
        self._before: list[_State] = []
        self._kept = 0
        self._entries: Sequence[Entry] = ()
        self._answer: str | None = None

    def compose(self) -> ComposeResult:
        """Lay out a heading, the two papers and what can be done."""
        yield StatusLine(id="heading", heading=True)
        yield PairPane()
        yield StatusLine()

    def on_mount(self) -> None:
        """Begin to look for papers that may be one."""
        self.heading.place("duplicates", [])
        self.status.place("", ["esc end it"])
        self.pane.say("Looking for papers that may be one …")
        self.run_worker(self._find())

    def on_unmount(self) -> None:
        """Let nothing be looked for any more."""
        self._is_over = True

    async def _find(self) -> None:
        loop = asyncio.get_running_loop()

        def going_on(done: int, total: int) -> bool:
            if not self._is_over:
                loop.call_soon_threadsafe(self._tell, done, total)
            return not self._is_over

        pairs = await self._gateway.index(lambda library: library.duplicates(going_on))
        if not self._is_over:
            await self._show(_State(tuple(pairs), 0))

    def _tell(self, done: int, total: int) -> None:
        if not self._is_over and self._is_busy:
            told = f"{done:,} of {total:,} papers looked at" if done < total else "comparing …"
            self.heading.place("duplicates", [told])

    # Showing a pair

    async def _show(self, state: _State) -> None:
        """Show the pair that the reader is at; one of which a paper is gone is passed over."""
        self._is_busy = True
        while state.pairs:
            pair = state.pairs[state.at]
            try:
                self._entries = await self._gateway.read(partial(_entries, pair[:2]))
                break
            except KeyError:
                pairs = tuple(one for one in state.pairs if one is not pair)
                state = _State(pairs, min(state.at, max(len(pairs) - 1, 0)))
        self._is_busy = False
        self._state, self._kept = state, 0
        if state.pairs:
            self._draw()
        else:
            self.heading.place("duplicates", [])
            self.status.place("", ["esc leave", *(["U undo"] if self._before else [])])
            none = "Nothing is left to settle." if self._before else "No two papers look like one."
            self.pane.say(none)

    def _draw(self) -> None:
        pair = self._state.pairs[self._state.at]
        first, second = self._entries
        kept, other = (first, second) if self._kept == 0 else (second, first)
        rows = compare(first, second, joined_entry(kept, other), self._titles)
        count = f"{self._state.at + 1} of {len(self._state.pairs)}"
        self.heading.place(f"duplicates · {count}", [f"keeps {self._kept + 1}: {kept.paper.key}"])
        self.status.place("", _HINTS)
        self.pane.update(pair.evidence, rows, self._kept)

    # What the reader does

    def action_keep(self, which: int) -> None:
        """Choose which paper is kept."""
        if not self._is_busy and self._state.pairs:
            self._kept = which
            self._draw()

    def action_go(self, amount: int) -> None:
        """Go to another pair without deciding."""
        pairs, at = self._state
        if self._is_busy or not pairs:
            return
        wanted = min(max(at + amount, 0), len(pairs) - 1)
        if wanted == at:
            self.status.say("That is the last pair." if amount > 0 else "That is the first pair.")
            return
        self.status.hush()
        self._is_busy = True
        self.run_worker(self._show(_State(pairs, wanted)))

    def action_join(self) -> None:
        """Make the two papers one."""
        if self._is_busy or not self._state.pairs:
            return
        pair = self._state.pairs[self._state.at]
        keep, other = pair[:2] if self._kept == 0 else (pair.second, pair.first)
        self._settle(
            lambda library: library.join(keep, other).paper.key,
            _joined(self._state, keep, other),
            f"joined: {other} is {keep} now",
        )

    def action_different(self) -> None:
        """Call the two papers different; they are not offered again."""
        if self._is_busy or not self._state.pairs:
            return
        pairs, at = self._state
        first, second = pairs[at][:2]

        def keep_apart(library: Library) -> str:
            library.keep_apart(first, second)
            return ""

        rest = (*pairs[:at], *pairs[at + 1 :])
        self._settle(keep_apart, _State(rest, at), "kept apart")

    def action_undo(self) -> None:
        """Take back what was settled last on this screen."""
        if self._is_busy:
            return
        if not self._before:
            self.status.say("Nothing was settled here yet.")
            return
        self._is_busy = True
        self.run_worker(self._undo())

    def action_leave(self) -> None:
        """Go back to reading."""
        self._is_over = True
        self.dismiss(self._answer)

    def action_scroll(self, amount: int) -> None:
        """Scroll the papers."""
        self.pane.step(amount)

    def action_page(self, amount: int) -> None:
        """Scroll the papers by a page, keeping a line in view."""
        self.pane.step(amount * max(self.pane.page - 1, 1))

    def action_end(self, last: bool) -> None:
        """Scroll to the end or the beginning."""
        self.pane.to_end(last=last)

    def _settle(self, work: Callable[[Library], str], after: _State, said: str) -> None:
        self._is_busy = True
        self.run_worker(self._settled(work, after, said))

    async def _settled(self, work: Callable[[Library], str], after: _State, said: str) -> None:
        try:
            answer = await self._gateway.write(work)
        except StoreError as error:
            self._complain(error)
            return
        self._answer = answer or self._answer or ""
        self._before.append(self._state)
        await self._show(_State(after.pairs, min(after.at, max(len(after.pairs) - 1, 0))))
        self.status.say(said)

    async def _undo(self) -> None:
        try:
            step = await self._gateway.write(lambda library: library.undo())
        except StoreError as error:
            self._complain(error)
            return
        await self._show(self._before.pop())
        self.status.say(f"{step.what} taken back" if step else "Nothing to take back.")

    def _complain(self, error: StoreError) -> None:
        self._is_busy = False
        self.status.say(" ".join(filter(None, (error.message, error.hint))), error=True)


def _entries(keys: Sequence[str], library: Library) -> list[Entry]:
    return [library.entry(key) for key in keys]


def _joined(state: _State, keep: str, other: str) -> _State:
    """Return what is left once a paper was joined to another: pairs of it are pairs of that one."""
    seen: set[frozenset[str]] = set()
    left: list[Pair] = []
    at = state.at
    for index, pair in enumerate(state.pairs):
        first, second = (keep if key == other else key for key in pair[:2])
        name = frozenset((first, second))
        if first == second or name in seen:
            at -= index < state.at
            continue
        seen.add(name)
        left.append(pair._replace(first=first, second=second))
    return _State(tuple(left), at)
