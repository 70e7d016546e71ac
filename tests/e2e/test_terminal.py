"""The main job in a real terminal: read, filter, note, quit, come back; and what may go wrong."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from anchorlight.store import Library

from .conftest import Start

pytestmark = pytest.mark.terminal

ESC = "\x1b"
FIRST = "MemFine: Memory-Aware"


def _pasted(text: str) -> str:
    return f"{ESC}[200~{text}{ESC}[201~"


def _note(environment: dict[str, str], key: str = "zhao2025memfine") -> str:
    folder = Path(environment["ANCHORLIGHT_LIBRARY"])
    library = Library(folder, folder.parent / "check")
    try:
        return library.entry(key).note
    finally:
        library.close()


def test_read_filter_note_quit_and_find_it_all_again(start: Start) -> None:
    terminal = start()
    terminal.wait(FIRST)
    terminal.wait("1 of 20 · 20 unread")
    terminal.send("j")
    terminal.wait("2 of 20")
    terminal.send("r")
    terminal.wait("19 unread")
    terminal.send("/memory")
    terminal.wait("filter: memory")
    terminal.send("\r")
    terminal.send("e")
    terminal.wait("─note")
    terminal.send("Compare [/x] with Mimose")
    terminal.wait("· saved")
    terminal.send(ESC)
    terminal.wait(lambda text: "─note" not in text)
    terminal.send("s")
    terminal.wait("★")
    terminal.send("q")
    assert terminal.end() == 0

    again = start()
    again.wait("filter: memory")
    again.wait("Compare [/x] with Mimose")
    again.wait("★")
    again.send(ESC)
    again.wait("19 unread")
    again.wait("✓")
    again.send("q")
    assert again.end() == 0


def test_keys_typed_before_the_first_picture_arrive(start: Start) -> None:
    terminal = start()
    terminal.send("3j/memory")
    terminal.wait("filter: memory")
    terminal.send("\r")
    terminal.send("q")
    assert terminal.end() == 0


@pytest.mark.parametrize("size", [(200, 50), (100, 30), (80, 24), (60, 20), (40, 12)])
def test_every_size_shows_the_list_and_the_paper(start: Start, size: tuple[int, int]) -> None:
    terminal = start(size=size)
    terminal.wait("MemFine")
    terminal.wait("unread")
    terminal.send("l")
    terminal.wait("The training of large-scale")
    terminal.send("h")
    terminal.wait("MemFine")
    terminal.send("q")
    assert terminal.end() == 0


def test_resizing_while_a_note_is_written_keeps_it(
    start: Start, environment: dict[str, str]
) -> None:
    terminal = start()
    terminal.wait(FIRST)
    terminal.send("e")
    terminal.wait("─note")
    terminal.send("before")
    terminal.wait("before")
    terminal.resize(60, 20)
    terminal.send(" and after")
    terminal.wait("before and after")
    terminal.resize(120, 40)
    terminal.wait(lambda text: "before and after" in text and "ANCHORS" in text)
    terminal.send(ESC)
    terminal.wait("✎")
    terminal.send("q")
    assert terminal.end() == 0
    assert _note(environment) == "before and after"


def test_a_paste_arrives_whole_and_is_never_taken_for_commands(
    start: Start, environment: dict[str, str]
) -> None:
    text = "first line\nq and j and d\n\n- item ü 日本 [x]\n\tTab\nno end"
    terminal = start()
    terminal.wait(FIRST)
    terminal.send("e")
    terminal.wait("─note")
    terminal.send(_pasted(text))
    terminal.wait("no end")
    terminal.send(ESC + "j")  # in one go: closes the editor, then goes down
    terminal.wait("2 of 20")
    terminal.send("/")
    terminal.send(_pasted("memory\nbottleneck\nq"))
    terminal.wait("memory bottleneck q")
    terminal.send("\x08\x08")
    terminal.wait("filter: memory bottleneck (")
    terminal.send(ESC)
    terminal.wait("20 unread")
    terminal.send("q")
    assert terminal.end() == 0
    assert _note(environment) == text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_the_program_with_the_note_saved(
    start: Start, environment: dict[str, str], number: signal.Signals
) -> None:
    terminal = start()
    terminal.wait(FIRST)
    terminal.send("e")
    terminal.wait("─note")
    terminal.send("half a thought")
    terminal.wait("half a thought")
    terminal.signal(number)
    assert terminal.end() == 0
    assert terminal.output.rstrip().endswith(b"\x1b[?25h") or b"\x1b[?1049l" in terminal.output
    assert _note(environment) == "half a thought"


def test_closing_the_terminal_ends_the_program_with_the_note_saved(
    start: Start, environment: dict[str, str]
) -> None:
    terminal = start()
    terminal.wait(FIRST)
    terminal.send("e")
    terminal.wait("─note")
    terminal.send("before the window closed")
    terminal.wait("before the window closed")
    terminal.hang_up()
    assert _note(environment) == "before the window closed"


def test_a_damaged_file_is_told_on_the_first_screen(
    start: Start, environment: dict[str, str]
) -> None:
    terminal = start()
    terminal.wait(FIRST)
    terminal.send("sq")
    terminal.end()
    marks = Path(environment["ANCHORLIGHT_LIBRARY"]) / "marks.json"
    marks.write_bytes(marks.read_bytes()[:20])
    again = start()
    again.wait("marks.json is damaged")
    again.send("q")
    assert again.end() == 0


def test_a_library_that_vanishes_keeps_what_is_shown_and_typed(
    start: Start, environment: dict[str, str], tmp_path: Path
) -> None:
    terminal = start(size=(160, 40))
    terminal.wait(FIRST)
    terminal.send("e")
    terminal.wait("─note")
    Path(environment["ANCHORLIGHT_LIBRARY"]).rename(tmp_path / "away")
    terminal.wait("cannot be read any more")
    terminal.send("precious")
    terminal.wait("not saved")
    terminal.send(ESC)
    terminal.wait("its text is in")
    assert FIRST in terminal.text
    terminal.send("q")
    terminal.wait(lambda text: "Not saved" in text or "saving" in text)


def test_what_was_confirmed_survives_a_kill(start: Start, environment: dict[str, str]) -> None:
    terminal = start()
    terminal.wait(FIRST)
    terminal.send("e")
    terminal.wait("─note")
    terminal.send("kept")
    terminal.wait("· saved")
    terminal.kill()
    assert _note(environment) == "kept"
    again = start()
    again.wait("kept")
    again.send("q")
    assert again.end() == 0


def test_hostile_titles_are_shown_as_written(start: Start, tmp_path: Path) -> None:
    folder = tmp_path / "lists"
    folder.mkdir()
    (folder / "a.txt").write_text(
        "Related papers: On [/b] and [red]\n\n"
        "Tokens [CLS] and [/usr/bin], [@click=app.quit]press[/] me\x1b[31m\x07…\n\n"
        "日本語の論文です。機械学習 👩‍🔬 ❤️ 🇩🇪 \u202eabc\u202c שלום…\n"
    )
    terminal = start(str(folder), size=(100, 24))
    text = terminal.wait("[@click=app.quit]press[/]")
    assert "On [/b] and [red]" in text
    assert "[CLS] and [/usr/bin]" in text
    assert "\u202e" not in text
    assert b"\x1b[31m\x07" not in terminal.output
    terminal.send("j")
    terminal.wait("機械学習")
    terminal.send("q")
    assert terminal.end() == 0


def test_two_programs_see_each_others_marks(start: Start) -> None:
    one = start()
    one.wait(FIRST)
    two = start()
    two.wait(FIRST)
    one.send("s")
    one.wait("★")
    two.wait("★")
    two.send("e")
    two.wait("─note")
    two.send("from the second")
    two.wait("· saved")
    one.wait("from the second")
    for terminal in (one, two):
        terminal.send(ESC)
        terminal.send("q")
        assert terminal.end() == 0


def test_without_a_terminal_one_sentence_says_so(environment: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "anchorlight.tui"],
        env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "needs a terminal" in done.stderr


def test_the_readers_own_editor_gets_the_terminal(
    start: Start, environment: dict[str, str], tmp_path: Path
) -> None:
    script = tmp_path / "editor.py"
    script.write_text(
        "import sys\n"
        "open(sys.argv[1], 'a').write('answer: ' + input('EDITING '))\n"
    )  # fmt: skip
    terminal = start(env={"EDITOR": f"{sys.executable} {script}"})
    terminal.wait(FIRST)
    terminal.send("E")
    terminal.wait("EDITING")
    terminal.send("forty-two\n")
    terminal.wait(FIRST)
    terminal.wait("answer: forty-two")
    terminal.send("q")
    assert terminal.end() == 0
    assert _note(environment) == "answer: forty-two"
