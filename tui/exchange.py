"""The commands that take papers in from files, and write them to files."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any

from anchorlight.store import Entry
from anchorlight.store import exporting as export
from anchorlight.store.formats.input import Input
from anchorlight.store.importing import ENDED_EARLY, Doing, FileReport, Options
from anchorlight.store.text import clean_line

from .cli import DONE, NOTHING, WRONG
from .printing import INDEX_AT_ONCE, print_json, print_raw, print_text, tell_working

if TYPE_CHECKING:
    from .call import Call

_MOST_REFUSALS = 20
"""Refusals of a file that are printed for people; `--json` has them all."""


def _import(call: Call) -> int:
    arguments = call.arguments
    if not all(arguments.paths):
        print_text("anchorlight import: an empty path names no file.", error=True)
        return WRONG
    options = Options(arguments.format or "", arguments.anchor or "", arguments.notes)
    sources = [_source(path) for path in arguments.paths]
    library = call.look() if arguments.dry_run and _is_there(call) else call.open()
    with _interruptible() as is_interrupted:

        def going_on(doing: Doing) -> bool:
            _tell(doing)
            return not is_interrupted()

        reports = library.import_files(sources, options, going_on, dry_run=arguments.dry_run)
    if not arguments.dry_run and len(library) <= INDEX_AT_ONCE:
        library.refresh_index()
    library.close()
    if arguments.json:
        print_json({"files": [report.to_json() for report in reports]})
    else:
        _print_reports(reports, dry_run=arguments.dry_run)
    if not reports:
        print_text("anchorlight: there is nothing to import there.", error=True)
        return NOTHING
    is_well = all(report.is_whole and not report.refused for report in reports)
    return DONE if is_well else NOTHING


def _is_there(call: Call) -> bool:
    return (call.config.settings.library / "library.json").exists()


def _source(path: str) -> Path | Input:
    return Input(sys.stdin.buffer, Path("standard input")) if path == "-" else Path(path)


@contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Let Ctrl+C end an import between two parts; give what tells whether it was pressed."""
    pressed: list[int] = []

    def note(number: int, _: Any) -> None:
        pressed.append(number)
        signal.signal(signal.SIGINT, before)  # a second one ends the program

    if current_thread() is not main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


def _tell(doing: Doing) -> None:
    """Tell somebody who waits how far the import is."""
    if doing.entries >= 1000:
        part = ", ".join(filter(None, (f"{doing.entries} entries", doing.percent)))
        tell_working(f"{clean_line(doing.path.name)}: {part} …")


def _print_reports(reports: list[FileReport], *, dry_run: bool) -> None:
    tell_working("")
    for report in reports:
        print_text(
            f"{clean_line(report.path)}: {report.format}, {report.read} read: "
            f"{report.added} {'to add' if dry_run else 'added'}, "
            f"{report.updated} {'to update' if dry_run else 'updated'}, "
            f"{report.unchanged} unchanged; {len(report.refused)} refused"
        )
        if not report.is_whole:
            print_text(f"  {ENDED_EARLY}")
        for guess in report.guesses:
            print_text(f"  {clean_line(guess)}")
        for one in report.refused[:_MOST_REFUSALS]:
            print_text(f"  refused: {clean_line(one.told)}")
        if (more := len(report.refused) - _MOST_REFUSALS) > 0:
            print_text(f"  … and {more} more; --json names them all")


def _export(call: Call) -> int:
    arguments = call.arguments
    library = call.open()
    anchor = library.find(arguments.anchor, anchors_only=True) if arguments.anchor else ""
    within = f"anchor:{anchor}" if anchor else None
    query = " ".join(arguments.query)
    entries: Sequence[Entry]
    if query.strip():
        entries = library.search(query, within, order=arguments.sort).entries
    else:
        entries = library.listing(within or "all", arguments.sort)
    if not entries:
        print_text("No paper is found to be written.", error=True)
        return NOTHING
    options = export.Options(
        heading=query or (library.entry(anchor).paper.display_title if anchor else "All papers"),
        group=arguments.group,
        style=arguments.style,
        abstracts=arguments.abstracts,
        notes=not arguments.no_notes,
        unicode=arguments.unicode,
    )
    left_out: list[str] = []
    pieces = export.export(entries, arguments.format, options, left_out)
    path = Path(arguments.output).expanduser() if arguments.output not in (None, "-") else None
    if path:
        export.export_to(path, pieces, overwrite=arguments.overwrite)
    else:
        print_raw(pieces)
    written = len(entries) - len(left_out)
    if arguments.json and path:
        print_json({"file": str(path), "papers": written, "left_out": left_out})
    elif path:
        print_text(f"{written} paper{'' if written == 1 else 's'} written to {path}.")
    if left_out:
        need = export.FORMATS[arguments.format].needs
        print_text(
            f"{len(left_out)} left out, as they have no {need.removeprefix('an ')}.", error=True
        )
    return NOTHING if left_out else DONE


COMMANDS: dict[str, Callable[[Call], int]] = {"import": _import, "export": _export}
