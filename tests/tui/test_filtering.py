"""The filter box: every key narrows the list, and the answer belongs to the last key."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from anchorlight.store import Found, Library
from textual import events

from .conftest import Running

HOSTILE = (
    '"', "(", ")(", "*", "*ing", "a AND (b OR", "NOT NOT a", "title:", "year:abc", "a~9", "[/]",
    "[red]x", "%s", "{0}", "\u202eabc", "\u200b", "😀", "日本", "10.1002/(SICI)<1::AID>3.0;2-#",
    "x" * 300, "a " * 200, "\\", "O(n^2)", "-", "is:nothing", "'", "E=mc^2", "a:b", "http://x/?q=1",
)  # fmt: skip


async def test_each_key_narrows_the_list(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("mem")
        mem = len(program.titles)
        assert 0 < mem < 20
        await program.type("ory bott")
        assert 0 < len(program.titles) < mem
        assert f"{len(program.titles)} of 20" in program.shown(program.screen.filter_state)
        await program.press("escape")
        assert len(program.titles) == 20
        assert program.screen.focused is program.screen.papers


async def test_the_number_shown_is_the_number_of_rows(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        for char in "training mod":
            await program.type(char)
            assert program.shown(program.screen.filter_state).startswith(
                f" {len(program.titles)} of 20"
            )


async def test_matches_are_marked_in_list_and_abstract(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("memory")
        mark = program.screen.papers.inks.mark

        def marked(widget: Any) -> set[str]:
            strips = [widget.render_line(y) for y in range(widget.size.height)]
            return {seg.text.lower() for strip in strips for seg in strip if seg.style == mark}

        assert marked(program.screen.papers) == {"memory"}
        assert marked(program.screen.paper) == {"memory"}


async def test_enter_keeps_the_filter_and_escape_ends_it(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("moe")
        await program.press("enter", "j")
        assert program.screen.place.query == "moe"
        await program.press("escape")
        assert program.screen.place.query == ""
        assert program.current == "zhao2025memfine"


async def test_tab_looks_in_the_whole_library(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("checkpointing")
        inside = set(program.titles)
        await program.press("tab")
        assert len(program.titles) > len(inside)
        assert "in the whole library" in program.shown(program.screen.filter_state)
        assert "heckpoint" in program.titles[0]
        await program.press("tab")
        assert set(program.titles) == inside


async def test_arrows_move_in_the_list_while_typing(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("gpu")
        await program.press("down", "down")
        assert program.screen.papers.index == 2
        await program.type("s")
        assert program.screen.box.value == "gpus"


async def test_a_search_without_hits_says_so_and_what_to_do(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("zzz[b]")
        shown = program.shown(program.screen.papers)
        assert "No match for “zzz[b]”" in shown
        assert "esc clears the filter" in shown
        await program.press("r", "s")
        await program.press("escape")
        assert len(program.titles) == 20


async def test_a_hint_says_what_was_not_understood(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        await program.type("*ing")
        assert "too broad" in program.shown(program.screen.filter_state)


async def test_no_query_harms_and_escape_gives_the_list_back(running: Running) -> None:
    async with running() as program:
        for query in HOSTILE:
            await program.press("/")
            program.screen.box.post_message(events.Paste(query))
            await program.settle()
            shown = program.shown(program.screen.papers)
            assert program.titles or "No match for" in shown, query
            await program.press("escape")
            assert len(program.titles) == 20, query


async def test_keys_in_a_burst_reach_what_they_are_meant_for(running: Running) -> None:
    async with running() as program:
        burst = ("3", "j", "r", "e", "x", "y", "escape", "slash", "m", "o", "e", "enter")
        for key in burst:
            character = {"slash": "/"}.get(key, key if len(key) == 1 else None)
            program.app.post_message(events.Key(key, character))
        await program.settle()
        assert program.screen.box.value == "moe"
        assert program.screen.focused is program.screen.papers
        await program.press("escape")
        entries = program.screen.papers.entries
        assert [entry.mark.status for entry in entries].count("read") == 1
        assert entries[3].mark.status == "read"
        assert entries[4].note == "xy"


async def test_a_paste_of_many_lines_arrives_joined(running: Running) -> None:
    async with running() as program:
        await program.press("/")
        program.screen.box.post_message(events.Paste("memory\nq j d\r\n\ttraining"))
        await program.settle()
        assert program.screen.box.value == "memory q j d training"


class GatedLibrary(Library):
    """A library whose searches wait for the test."""

    gate: threading.Event

    def search(self, text: str, *args: Any, **kwargs: Any) -> Found:
        if text == "m":
            assert self.gate.wait(20)
        return super().search(text, *args, **kwargs)


async def test_a_slow_answer_never_replaces_that_of_a_later_key(
    running: Running, folder: Path
) -> None:
    GatedLibrary.gate = threading.Event()
    async with running(library=GatedLibrary) as program:
        await program.pilot.press("/", "m", "o", "e")
        assert program.screen.box.value == "moe"  # keys are taken while the first answer waits
        GatedLibrary.gate.set()
        await program.settle()
        assert program.screen.view is not None
        assert program.screen.view.place.query == "moe"
        assert all("moe" in t.lower() or "mixture" in t.lower() for t in program.titles[:1])
