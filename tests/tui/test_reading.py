"""The main job through keys: read, mark, move on, leave, come back."""

from __future__ import annotations

from pathlib import Path

from anchorlight.store import Library, Status
from textual import events

from .conftest import Running


async def test_the_first_screen_shows_lists_papers_and_an_abstract(running: Running) -> None:
    async with running() as program:
        shown = program.shown()
        for wanted in ("Cephalo", "Mimose", "Tesseract", "0/20", "All papers", "MemFine"):
            assert wanted in shown
        assert "The training of large-scale Mixture of Experts" in shown
        assert "1 of 20 · 20 unread" in shown
        assert "? keys" in shown


async def test_a_paper_without_title_shows_its_opening_words(running: Running) -> None:
    async with running() as program:
        assert program.titles[5].startswith("“Two aspects of improvements")
        await program.press("5", "j")
        assert "Title unknown" in program.shown(program.screen.paper)


async def test_moving_with_counts_ends_and_half_pages(running: Running) -> None:
    async with running() as program:
        await program.press("5", "j")
        assert program.screen.papers.index == 5
        await program.press("2", "k")
        assert program.screen.papers.index == 3
        await program.press("G")
        assert program.screen.papers.index == 19
        await program.press("g")
        assert program.screen.papers.index == 0
        await program.press("ctrl+d")
        assert program.screen.papers.index == program.screen.papers.page // 2
        await program.press("1", "0", "j")
        assert program.screen.papers.index == program.screen.papers.page // 2 + 10
        await program.press("down", "up")
        assert program.screen.papers.index == program.screen.papers.page // 2 + 10


async def test_the_paper_follows_the_list(running: Running) -> None:
    async with running() as program:
        await program.press("j")
        assert "Characterizing the Efficiency" in program.shown(program.screen.paper)


async def test_read_moves_on_and_counts(running: Running, folder: Path) -> None:
    async with running() as program:
        await program.press("r", "r", "x")
        assert program.screen.papers.index == 3
        assert "17 unread" in program.shown(program.screen.status)
        assert "3/20" in program.shown(program.screen.sidebar)
        await program.press("g", "s", "j", "w")
    library = Library(folder, folder.parent / "cache")
    marks = [library.entry(entry.paper.key).mark for entry in library.listing("all")[:3]]
    assert [mark.status for mark in marks] == [Status.READ, Status.QUEUED, Status.SKIPPED]
    assert [mark.starred for mark in marks] == [True, False, False]


async def test_a_paper_read_in_one_list_is_read_in_all(running: Running) -> None:
    async with running() as program:
        await program.press("r", "J")
        assert program.screen.place.name == "anchor:liao2022mimose"
        assert "19 unread" in program.shown(program.screen.status)
        entry = program.screen.papers.entries[1]
        assert entry.paper.key == "zhao2025memfine"
        assert entry.mark.status is Status.READ


async def test_space_reads_on_over_lists_until_everything_is_read(running: Running) -> None:
    async with running() as program:
        for _ in range(58 * 2):
            await program.press("space")
        assert program.said == "Everything is read."
        shown = program.shown(program.screen.sidebar)
        assert shown.count("20/20") == 3


async def test_space_scrolls_a_long_abstract_before_it_marks(
    running: Running, folder: Path
) -> None:
    async with running(size=(60, 12)) as program:
        await program.press("l")
        pane = program.screen.paper
        assert not pane.at_end
        await program.press("space")
        assert pane.top > 0
        assert program.screen.papers.entries[0].mark.status is Status.UNREAD
        for _ in range(3):
            await program.press("space")
        assert program.screen.papers.entries[0].mark.status is Status.READ


async def test_next_and_previous_unread(running: Running) -> None:
    async with running() as program:
        await program.press("j", "r", "r", "g", "n")
        assert program.screen.papers.index == 3
        await program.press("p")
        assert program.screen.papers.index == 0
        await program.press("p")
        assert program.said == "No unread paper before this one."


async def test_back_and_forward_through_what_was_read(running: Running) -> None:
    async with running() as program:
        first = program.current
        await program.press("n", "n", "n")
        third = program.current
        await program.press("ctrl+o", "ctrl+o", "ctrl+o")
        assert program.current == first
        await program.press("ctrl+o")
        assert program.said == "Nothing further back."
        await program.press("ctrl+n", "ctrl+n", "ctrl+n")
        assert program.current == third


async def test_selection_marks_many_and_undo_takes_all_back(running: Running) -> None:
    async with running() as program:
        await program.press("v", "v", "v")
        assert "3 selected" in program.shown(program.screen.status)
        await program.press("r")
        assert [e.mark.status for e in program.screen.papers.entries[:4]] == [
            *[Status.READ] * 3,
            Status.UNREAD,
        ]
        await program.press("U")
        assert {entry.mark.status for entry in program.screen.papers.entries} == {Status.UNREAD}
        await program.press("ctrl+r")
        assert program.screen.papers.entries[2].mark.status is Status.READ
        await program.press("V", "s", "U")
        assert not any(entry.mark.starred for entry in program.screen.papers.entries)
        await program.press("U", "U")
        assert program.said == "Nothing to take back."


async def test_tags_are_edited_in_a_dialog(running: Running, folder: Path) -> None:
    async with running() as program:
        await program.press("t")
        await program.type("moe memory")
        await program.press("enter")
        assert program.screen.current is not None
        assert program.screen.current.mark.tags == ("moe", "memory")
        assert "#moe #memory" in program.shown(program.screen.paper)
        assert "TAGS" in program.shown(program.screen.sidebar)
        await program.press("t", "ctrl+u")
        await program.type("moe")
        await program.press("enter")
        assert program.screen.current.mark.tags == ("moe",)
        await program.press("t")
        await program.type("never")
        await program.press("escape")
        assert program.screen.current.mark.tags == ("moe",)


async def test_the_same_place_is_shown_the_next_day(running: Running) -> None:
    async with running() as program:
        await program.press("J", "/")
        await program.type("memory")
        await program.press("enter", "j", "j")
        before = (program.screen.place, program.current)
        assert program.current
    async with running(seeds=None) as program:
        assert (program.screen.place, program.current) == before
        assert program.screen.box.value == "memory"
        assert "filter: memory" in program.shown(program.screen.status)


async def test_panes_take_the_keys_in_turn(running: Running) -> None:
    async with running() as program:
        focused = []
        for key in ("tab", "tab", "tab", "shift+tab", "h", "l", "escape"):
            await program.press(key)
            assert program.screen.focused is not None
            focused.append(program.screen.focused.id)
        assert focused == ["paper", "sidebar", "papers", "sidebar", "sidebar", "papers", "papers"]


async def test_moving_in_the_sidebar_opens_lists(running: Running) -> None:
    async with running() as program:
        await program.press("h", "j", "j")
        assert program.screen.place.name == "anchor:wang2022tesseract"
        await program.press("j")
        assert program.screen.place.name == "all"
        assert "61 papers" in program.shown(program.screen.heading)
        await program.press("k", "l", "j")
        assert program.screen.papers.index == 1


async def test_a_click_goes_to_a_line_and_the_wheel_scrolls(running: Running) -> None:
    async with running() as program:
        await program.pilot.click("#papers", offset=(10, 4))
        await program.settle()
        assert program.screen.papers.index == 4
        await program.pilot.click("#papers", offset=(10, 4))
        await program.settle()
        assert program.screen.focused is program.screen.paper
        await program.pilot.click("#sidebar", offset=(10, 2))
        await program.settle()
        assert program.screen.place.name == "anchor:liao2022mimose"


async def test_what_another_program_marks_shows_up(running: Running, folder: Path) -> None:
    from anchorlight.store import Change

    async with running() as program:
        other = Library(folder, folder.parent / "cache")
        other.mark({"zhao2025memfine": Change(starred=True)})
        other.close()
        await program.screen._poll()
        assert program.screen.papers.entries[0].mark.starred


async def test_the_web_page_is_opened_by_its_address(running: Running, monkeypatch) -> None:
    async with running() as program:
        opened: list[str] = []
        monkeypatch.setattr(program.app, "open_url", lambda url, **_: opened.append(url))
        await program.press("o")
        assert opened == ["https://arxiv.org/abs/2511.21431"]
        await program.press("5", "j", "o")
        assert len(opened) == 1
        assert program.said == "No web page is known for this paper."


async def test_digits_before_a_key_show_and_are_forgotten_by_it(running: Running) -> None:
    async with running() as program:
        await program.press("1", "2")
        assert "· 12" in program.shown(program.screen.status)
        await program.press("escape", "j")
        assert program.screen.papers.index == 1


async def test_a_library_that_opens_late_is_waited_for_without_a_frozen_key(
    running: Running,
) -> None:
    async with running(late=True) as program:
        assert program.titles[0].startswith("MemFine")
        await program.press("j")
        assert program.screen.papers.index == 1


async def test_what_is_wrong_with_the_library_is_said_first(running: Running, folder: Path) -> None:
    library = Library(folder, folder.parent / "cache")
    library.close()
    (folder / "marks.json").write_text("{")
    async with running(seeds=None) as program:
        assert "marks.json is damaged" in program.said


async def test_an_empty_library_says_what_to_do(running: Running) -> None:
    async with running(seeds=None) as program:
        shown = program.shown(program.screen.papers)
        assert "This library is empty." in shown
        assert "anchorlight import FILE" in shown
        await program.press("j", "r", "s", "e", "space", "n", "/", "x", "escape", "J", "t", "U")
        assert program.app.is_running


async def test_commands_wait_for_the_list_they_are_meant_for(running: Running) -> None:
    async with running() as program:
        for key in ("slash", *"colossal", "enter", "r"):
            program.app.post_message(events.Key(key, "/" if key == "slash" else key[:1]))
        await program.settle()
        await program.press("escape")
        read = [e.paper.key for e in program.screen.papers.entries if e.mark.status == "read"]
        assert read == ["li2023colossal"]


async def test_typing_into_a_window_that_became_too_small_marks_nothing(running: Running) -> None:
    async with running() as program:
        await program.press("e", "a")
        await program.pilot.resize_terminal(38, 9)
        await program.press("r", "x", "s")
        await program.pilot.resize_terminal(120, 40)
        await program.settle()
        assert program.screen.focused is program.screen.editor
        await program.press("b", "escape")
        entry = program.screen.papers.entries[0]
        assert (entry.mark.status, entry.mark.starred, entry.note) == ("unread", False, "ab")


async def test_papers_that_are_not_in_memory_are_tagged_too(running: Running, folder: Path) -> None:
    async with running() as program:
        await program.press("v", "v")
        kept = program.screen.papers.entries._kept
        del kept[0], kept[1]  # as in a list of many thousand, somewhere else in it
        await program.press("t")
        assert "2 papers" in program.shown()
        await program.type("many")
        await program.press("enter", "q")
    library = Library(folder, folder.parent / "cache")
    assert [(row.title, row.papers) for row in library.overview().tags] == [("many", 2)]
    library.close()
