"""The command line: `anchorlight` opens the program, its commands do one thing each.

What is imported up here delays the first picture: see `last_screen`.
"""

from __future__ import annotations

import os
import sys

from .last_screen import LastScreen
from .version import VERSION

TYPE_CHECKING = False  # as `typing` has it, without importing it
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from anchorlight.store import Library, StoreError

    from .call import Call
    from .config import Config

DONE, NOTHING, WRONG = 0, 1, 2
"""Exit codes: done; nothing found or partly refused; wrong use or cannot open."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    _replace_closed_streams()
    words = list(sys.argv[1:] if argv is None else argv)
    if words == ["--version"]:
        print(f"anchorlight {VERSION}")
        return DONE
    try:
        try:
            with LastScreen(words) as last_screen:
                for stream in (sys.stdout, sys.stderr):
                    if hasattr(stream, "reconfigure"):
                        stream.reconfigure(errors="replace")
                code = _run(words, last_screen)
        except SystemExit as leaving:  # the parser has said what there is to say
            code = leaving.code if isinstance(leaving.code, int) else DONE
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        complain(f"{error.strerror or error}.")
        return WRONG


def _replace_closed_streams() -> None:
    """Open what was closed before the start, or a file of the library would get its number.

    There is nothing to read from it; writing output to it fails, as it would have.
    """
    for name, mode, way in (
        ("stdin", "r", os.O_RDONLY),
        ("stdout", "w", os.O_RDONLY),
        ("stderr", "w", os.O_WRONLY),
    ):
        if getattr(sys, name) is None:
            handle = os.open(os.devnull, way)
            setattr(sys, name, os.fdopen(handle, mode, encoding="utf-8", closefd=False))


def _run(words: list[str], last_screen: LastScreen) -> int:
    arguments = _parsed(words)
    from .config import load_config

    config = load_config(arguments.library)
    from anchorlight.store import NoSuchPaperError, StoreError

    from .call import Call

    # A library that begins with the reader's own files needs no others.
    brings_own = arguments.command == "import" or bool(getattr(arguments, "paths", ()))

    def look() -> Library:
        return _open(config, seeded=False, may_write=False)

    def open_library() -> Library:
        library = _open(config, seeded=not brings_own)
        if arguments.command not in ("open", "doctor"):
            for notice in library.notices:
                complain(notice)
        return library

    try:
        if arguments.command == "open":
            return _open_program(Call(arguments, config, open_library, look), last_screen)
        for problem in config.problems:
            complain(problem)
        from . import output

        return output.COMMANDS[arguments.command](Call(arguments, config, open_library, look))
    except NoSuchPaperError as error:
        _complain(error)
        return NOTHING
    except StoreError as error:
        _complain(error)
        return WRONG


def _parsed(words: list[str]) -> argparse.Namespace:
    if words:
        from .arguments import parse

        return parse(words)
    # The commonest call needs no parser, whose import and building would delay the first picture.
    from types import SimpleNamespace
    from typing import cast

    return cast("argparse.Namespace", SimpleNamespace(command="open", library=None, paths=[]))


def complain(sentence: str) -> None:
    """Print a sentence to standard error, without anything that a terminal could act on."""
    from anchorlight.store.text import clean

    line = clean(sentence).replace("\n", " ").strip()
    print(f"anchorlight: {line}", file=sys.stderr)


def _complain(error: StoreError) -> None:
    complain(f"{error.message} {error.hint}")


def _open(config: Config, *, seeded: bool, may_write: bool = True) -> Library:
    from anchorlight.seeds import FOLDER
    from anchorlight.store import Library

    from .config import cache_folder

    seeds = FOLDER if seeded and config.settings.seeds else None
    return Library(
        config.settings.library,
        cache_folder() / "index",
        seeds=seeds,
        may_write=may_write,
        needs_locks=config.settings.locks,
    )


def _open_program(call: Call, last_screen: LastScreen) -> int:
    from pathlib import Path

    paths = [Path(path) for path in call.arguments.paths]
    for path in paths:
        if not path.exists():
            complain(f"there is no command and no file “{path}”.")
            return WRONG
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(
            "anchorlight: the program needs a terminal; try anchorlight list, or --help.",
            file=sys.stderr,
        )
        return WRONG
    from .start import run

    try:
        return run(call.config, call.open, paths, last_screen=last_screen)
    finally:
        last_screen.take_down()  # before anything is said: it would vanish with the picture


if __name__ == "__main__":
    sys.exit(main())
