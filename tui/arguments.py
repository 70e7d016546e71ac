"""The command line's words: what commands there are, and what each takes."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn

from .version import VERSION

STATUSES = ("unread", "queued", "reading", "read", "skipped")
_SORTS = ("list", "year", "added", "title", "read")
_KEY = "a key or its beginning, an arXiv id, a DOI, or the beginning of a title"
_QUERY = 'words, "phrases", -words, OR, title: author: year: tag: is: has: and more'
_EPILOG = """\
A new library starts with three reading lists, unless its first command is `import`.
Exit codes: 0 done, 1 nothing found or partly refused, 2 wrong use or cannot open.
"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, and names the help."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help.\n")


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Return what the command line says. Exits with 2 where it makes no sense."""
    parser = build()
    library, words = _taken(list(words), "--library")
    if library is None:
        parser.error("--library needs a folder behind it")
    command, rest = words[0] if words else "open", words[1:]
    known = _commands(parser)
    if command not in known:  # no command, or files to read
        command, rest = "open", words
        _suggest(parser, rest, known)
    arguments = parser.parse_args([*library, command, *_in_order(command, rest)])
    arguments.edits = []
    if command == "tag":
        edits = [word for word in arguments.keys if word[0:1] in ("+", "-")]
        arguments.keys = [word for word in arguments.keys if word not in edits]
        arguments.edits = edits
    return arguments


def _taken(words: list[str], option: str) -> tuple[list[str] | None, list[str]]:
    """Take an option out of the words: it may stand before or after the command."""
    for at, word in enumerate(words):
        if word.startswith(f"{option}="):
            return [word], words[:at] + words[at + 1 :]
        if word == option:
            value = words[at + 1 : at + 2]
            return ([option, *value] if value else None), words[:at] + words[at + 2 :]
    return [], words


_FLAGS = {"-h", "--help", "--json", "--append", "--history"}
_VALUED = {"--limit", "--anchor", "--sort", "--save"}


def _in_order(command: str, words: list[str]) -> list[str]:
    """Put options first where anything else may begin with a hyphen: queries, notes and tags."""
    if command not in ("search", "note", "tag"):
        return words
    options: list[str] = []
    rest: list[str] = []
    ahead = iter(words)
    for word in ahead:
        if word in _FLAGS or word.partition("=")[0] in _VALUED:
            options.append(word)
            if word in _VALUED:
                options += [value for value in (next(ahead, None),) if value is not None]
        else:
            rest.append(word)
    return [*options, "--", *rest] if rest else options


def _suggest(parser: argparse.ArgumentParser, words: list[str], known: set[str]) -> None:
    """Stop at a word that is no file but looks like a command."""
    word = words[0] if words else ""
    close = get_close_matches(word, known, 1)
    if close and not Path(word).exists():
        parser.error(f"there is no command “{word}”; do you mean “{close[0]}”")


def _commands(parser: argparse.ArgumentParser) -> set[str]:
    names = {"-h", "--help", "--version"}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            names |= action.choices.keys()
    return names


def build() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    from anchorlight.store.citations import STYLES
    from anchorlight.store.exporting import FORMATS
    from anchorlight.store.formats import TITLES
    from anchorlight.store.formats.writers import GROUPS

    parser = _Parser(
        prog="anchorlight",
        description="Read the literature around a paper in the terminal, abstract by abstract.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"anchorlight {VERSION}")
    parser.add_argument("--library", metavar="DIR", help="the library's folder")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser)

    def add(name: str, what: str, example: str) -> argparse.ArgumentParser:
        one = commands.add_parser(
            name,
            help=what,
            description=what[0].upper() + what[1:] + ".",
            epilog=f"example: {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name != "open":
            one.add_argument("--json", action="store_true", help="print JSON for machines")
        return one

    one = add("open", "open the program (also without a command)", "anchorlight open lists/")
    one.add_argument("paths", nargs="*", metavar="PATH", help="files or folders to import first")

    one = add("list", "list the anchors, or an anchor's papers", "anchorlight list cephalo")
    one.add_argument("anchor", nargs="?", metavar="ANCHOR", help=f"{_KEY}; or search:NAME")
    one.add_argument("--sort", choices=_SORTS, help="the order of the papers")

    one = add("show", "show a paper", "anchorlight show 2104.04473")
    one.add_argument("key", metavar="KEY", help=_KEY)

    one = add("search", "search the library", 'anchorlight search "title:moe is:unread"')
    one.add_argument(
        "query",
        nargs="+",
        metavar="QUERY",
        help='words, "phrases", title: author: year: tag: is: has:, OR, -not',
    )
    one.add_argument("--limit", type=_count, metavar="N", help="print at most N papers")
    one.add_argument("--anchor", metavar="KEY", help="look in this anchor's list only")
    one.add_argument("--sort", choices=("relevance", *_SORTS), help="the order of the papers")
    one.add_argument("--save", metavar="NAME", help="save it as the list search:NAME")

    one = add(
        "note", "print or write the note on a paper", "anchorlight note zhao2025 'See fig. 3'"
    )
    one.add_argument("key", metavar="KEY", help=_KEY)
    one.add_argument("text", nargs="?", metavar="TEXT", help="the new note; - reads it from input")
    one.add_argument("--append", action="store_true", help="add to the note that is there")
    one.add_argument("--history", action="store_true", help="print the texts that it had")

    one = add("mark", "mark papers", "anchorlight mark zhao2025 --status read --star")
    one.add_argument("keys", nargs="+", metavar="KEY", help=_KEY)
    one.add_argument("--status", choices=STATUSES, help="how far you got")
    star = one.add_mutually_exclusive_group()
    star.add_argument("--star", action="store_true", default=None, help="star them")
    star.add_argument("--unstar", action="store_true", default=None, help="take the star away")

    one = add("tag", "add and remove tags", "anchorlight tag zhao2025 +moe -todo")
    one.usage = "anchorlight tag [-h] [--json] KEY... +TAG... -TAG..."
    one.add_argument("keys", nargs="+", metavar="KEY", help=_KEY)

    one = add("import", "take in files and folders", "anchorlight import refs.bib lists/")
    one.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file of any format, a folder, or - for the input",
    )
    one.add_argument("--format", choices=TITLES, metavar="FORMAT", help=f"{', '.join(TITLES)}")
    one.add_argument("--anchor", metavar="KEY|TITLE", help="put the papers into this list")
    one.add_argument("--notes", action="store_true", help="take the notes of other programs, too")
    one.add_argument("--dry-run", action="store_true", help="say what would be done, do nothing")

    one = add(
        "duplicates", "list papers that may be one, and settle them", "anchorlight duplicates"
    )
    one.add_argument(
        "--join", nargs=2, metavar=("KEEP", "OTHER"), help="make two papers one, under KEEP's key"
    )
    one.add_argument(
        "--apart",
        nargs=2,
        metavar=("KEY", "KEY"),
        help="call two papers different: not offered again",
    )

    one = add("export", "write papers to a file", "anchorlight export is:read -f ris")
    one.add_argument("query", nargs="*", metavar="QUERY", help="which papers; without it, all")
    one.add_argument("--anchor", metavar="KEY", help="the papers of this anchor's list")
    one.add_argument(
        "-f", "--format", choices=FORMATS, metavar="FORMAT", required=True, help=", ".join(FORMATS)
    )
    one.add_argument("-o", "--output", metavar="FILE", help="the file; without it, the output")
    one.add_argument("--overwrite", action="store_true", help="replace a file that is there")
    one.add_argument("--sort", choices=_SORTS, default="list", help="the order of the papers")
    one.add_argument("--group", choices=GROUPS, default="list", help="how a review is divided")
    one.add_argument("--style", choices=STYLES, default="apa", help="how a review cites")
    one.add_argument("--abstracts", action="store_true", help="quote abstracts in a review")
    one.add_argument("--no-notes", action="store_true", help="leave your notes out")
    one.add_argument("--unicode", action="store_true", help="BibTeX with letters as they are")

    add("config", "show the settings and where each came from", "anchorlight config")
    one = add("doctor", "check every file and mend what can be", "anchorlight doctor --dry-run")
    one.add_argument("--dry-run", action="store_true", help="change nothing, look alone")

    add("undo", "take back the last mark, note, import or merge", "anchorlight undo")
    add("redo", "do again what was taken back", "anchorlight redo")

    one = add("backup", "put the whole library into one file", "anchorlight backup ~/papers.zip")
    one.add_argument("file", metavar="FILE", help="the file to make, or a folder for it")

    one = add("restore", "put a backup in the library's place", "anchorlight restore papers.zip")
    one.add_argument(
        "file", nargs="?", metavar="FILE",
        help="a backup, or a copy of the marks; without it, list these copies",
    )  # fmt: skip

    one = add("merge", "join a library that went its own way", "anchorlight merge ~/laptop/papers")
    one.add_argument("other", metavar="OTHER", help="the folder of the other library")
    return parser


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"“{text}” is no number above 0")
    return int(text)
