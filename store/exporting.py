"""From papers to files: what formats there are, and how a file is written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple, Protocol, cast

from .errors import NotSavedError
from .files import reason, remove_file, sync_folder
from .formats.writers import Options
from .paper import Entry

__all__ = ["FORMATS", "Format", "Options", "export", "export_to"]


class Format(NamedTuple):
    """A format that papers are written in."""

    title: str
    """What it is called."""
    ending: str
    """How its files end."""
    module: str
    """The module of its writer, imported when it writes."""
    needs: str = ""
    """What a paper has to have to be written."""


class Writer(Protocol):
    """What a module of a writer has."""

    def write(self, entries: Iterable[Entry], options: Options) -> Iterator[str]:
        """Yield papers in the format, in pieces."""


_WRITERS = ".formats.writers"

FORMATS = {
    "bibtex": Format("BibTeX", ".bib", f"{_WRITERS}.bibtex"),
    "ris": Format("RIS", ".ris", f"{_WRITERS}.ris"),
    "csl-json": Format("CSL-JSON", ".json", f"{_WRITERS}.csl_json"),
    "csv": Format("CSV", ".csv", f"{_WRITERS}.csv_table"),
    "json": Format("Anchorlight's JSON", ".json", f"{_WRITERS}.own"),
    "txt": Format("related papers", ".txt", f"{_WRITERS}.seed", "an abstract"),
    "markdown": Format("review in Markdown", ".md", f"{_WRITERS}.review_markdown"),
    "html": Format("review in HTML", ".html", f"{_WRITERS}.review_html"),
}
"""The formats, by the names that are asked for."""


def export(
    entries: Iterable[Entry],
    format: str,  # noqa: A002
    options: Options | None = None,
    left_out: list[str] | None = None,
) -> Iterator[str]:
    """Yield papers in a format, in pieces of text.

    Args:
        entries: The papers, with what the reader did to them.
        format: One of `FORMATS`.
        options: How they are written.
        left_out: Takes the keys of papers that lack what the format needs, while pieces are taken.

    Raises:
        KeyError: There is no such format.
        ValueError: The options name what there is not.
    """
    module = import_module(FORMATS[format].module, __package__)
    holds: Callable[[Entry], bool] | None = getattr(module, "holds", None)
    if holds:
        entries = _held(entries, holds, [] if left_out is None else left_out)
    return cast(Writer, module).write(entries, options or Options())


def _held(
    entries: Iterable[Entry], holds: Callable[[Entry], bool], left_out: list[str]
) -> Iterator[Entry]:
    for entry in entries:
        if holds(entry):
            yield entry
        else:
            left_out.append(entry.paper.key)


def export_to(path: Path, pieces: Iterable[str], *, overwrite: bool = False) -> None:
    """Write text to a file: all of it, or nothing is there that was not.

    Args:
        path: The file.
        pieces: Its text.
        overwrite: Whether it may take the place of a file that is there.

    Raises:
        NotSavedError: It cannot be written, or is there already. What was there is as it was.
    """
    try:
        before = _status_of(path)
        if before and not stat.S_ISREG(before.st_mode):
            raise NotSavedError(f"Not written: {path} is no file that could be replaced.")
        if before and not overwrite:
            raise _there_is(path)
        _write(path, pieces, before, overwrite=overwrite)
    except OSError as error:
        raise NotSavedError(f"Not written: {path}: {reason(error)}.") from error


def _status_of(path: Path) -> os.stat_result | None:
    try:
        return os.stat(path)
    except FileNotFoundError:
        return None


def _there_is(path: Path) -> NotSavedError:
    return NotSavedError(
        f"Not written: there is a {path} already.", hint="Name another file, or say to overwrite."
    )


def _write(
    path: Path, pieces: Iterable[str], before: os.stat_result | None, *, overwrite: bool
) -> None:
    target = Path(os.path.realpath(path))  # a link stays one
    unfinished = target.with_name(f".{target.name[:200]}.{os.getpid()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
    try:
        handle = os.open(unfinished, flags, 0o666)
        with open(handle, "w", encoding="utf-8", errors="replace", newline="") as stream:
            if before:
                os.fchmod(handle, stat.S_IMODE(before.st_mode))
            stream.writelines(pieces)
            stream.flush()
            os.fsync(handle)
        if overwrite:
            os.replace(unfinished, target)
        else:
            _move_to_free(unfinished, target)
    except BaseException:
        remove_file(unfinished)
        raise
    sync_folder(target.parent)


def _move_to_free(unfinished: Path, target: Path) -> None:
    """Give a file its name, unless another has it by now."""
    try:
        os.link(unfinished, target)
    except FileExistsError as error:
        raise _there_is(target) from error
    except OSError:  # a file system without links
        if _status_of(target):
            raise _there_is(target) from None
        os.replace(unfinished, target)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(unfinished)
