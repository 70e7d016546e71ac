"""The commands that look after a library: check, back up, restore, merge, undo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from anchorlight.store import CannotOpenError, Library, NoSuchPaperError
from anchorlight.store.text import clean_line

from .cli import DONE, NOTHING, WRONG
from .printing import local_time, print_json, print_text

if TYPE_CHECKING:
    from anchorlight.store.copies import Copy

    from .call import Call


def _doctor(call: Call) -> int:
    if not (call.config.settings.library / "library.json").exists():
        raise NoSuchPaperError(f"There is no library in {call.config.settings.library}.")
    from anchorlight.store.doctor import examine

    def opened(may_write: bool) -> Library:
        return call.open() if may_write else call.look()

    checks = examine(opened, dry_run=call.arguments.dry_run)
    well = all(check.ok for check in checks)
    folder = call.config.settings.library
    if call.arguments.json:
        shapes = [
            {"name": one.name, "ok": one.ok, "mended": one.mended, "detail": one.detail}
            for one in checks
        ]
        print_json({"library": str(folder), "ok": well, "checks": shapes})
    else:
        print_text(str(folder))
        for one in checks:
            state = "MENDED" if one.mended else "ok" if one.ok else "BAD"
            print_text(f"  {state:<6}  {one.name}: {one.detail}")
    return DONE if well else NOTHING


def _backup(call: Call) -> int:
    from anchorlight.store.archive import back_up

    folder, target = call.config.settings.library, Path(call.arguments.file).expanduser()
    if not call.arguments.file:
        print_text("anchorlight backup: an empty path names no file.", error=True)
        return WRONG
    if target.is_dir():
        target /= f"anchorlight-{datetime.now():%Y-%m-%d-%H%M%S}.zip"
    notices = back_up(folder, target)
    size = target.stat().st_size
    if call.arguments.json:
        print_json({"file": str(target), "bytes": size, "notices": notices})
    else:
        _print_notices(notices)
        print_text(f"{folder} is backed up in {target} ({_size(size)}).")
    return DONE


def _restore(call: Call) -> int:
    from anchorlight.store.archive import copies_in, restore

    folder = call.config.settings.library
    if call.arguments.file is None:
        try:
            return _print_copies(call, copies_in(folder))
        except OSError as error:
            raise CannotOpenError(
                f"The copies of {folder} cannot be listed: {error.strerror}."
            ) from error
    source = Path(call.arguments.file).expanduser()
    kept, notices = restore(folder, source, needs_locks=call.config.settings.locks)
    if call.arguments.json:
        print_json(
            {"library": str(folder), "kept": str(kept) if kept else None, "notices": notices}
        )
    else:
        _print_notices(notices)
        print_text(f"{folder} is restored from {source}.")
        if kept:
            print_text(f"What was there before is in {kept}.")
    return DONE


def _print_notices(notices: Iterable[str]) -> None:
    for notice in notices:
        print_text(f"anchorlight: {clean_line(notice)}", error=True)


def _print_copies(call: Call, copies: Sequence[Copy]) -> int:
    if call.arguments.json:
        shapes = [{"file": str(one.path), "made": one.made.isoformat()} for one in copies]
        print_json({"copies": shapes})
        return DONE if copies else NOTHING
    for one in copies:
        print_text(f"{one.when}  {one.path}")
    if not copies:
        print_text("There are no copies of the marks yet; give the file of a backup.", error=True)
    return DONE if copies else NOTHING


def _merge(call: Call) -> int:
    library = call.open()
    report = library.merge(Path(call.arguments.other).expanduser())
    library.close()
    if call.arguments.json:
        print_json(
            {
                "papers": report.papers,
                "added": report.added,
                "completed": report.completed,
                "marked": report.marked,
                "notices": list(report.notices),
            }
        )
    else:
        _print_notices(report.notices)
        print_text(
            f"{report.papers} papers looked at: {report.added} added, {report.completed} "
            f"completed; marks or notes of {report.marked} changed."
        )
    return DONE


def _undo(call: Call) -> int:
    library = call.open()
    is_undo = call.arguments.command == "undo"
    step = library.undo() if is_undo else library.redo()
    library.close()
    if call.arguments.json:
        shape = {"what": step.what, "when": step.when, "keys": list(step.keys)} if step else None
        print_json({"step": shape})
    elif step:
        print_text(
            f"{step.what} of {local_time(step.when)} {'taken back' if is_undo else 'done again'}."
        )
    else:
        print_text(f"There is nothing to {'take back' if is_undo else 'do again'}.", error=True)
    return DONE if step else NOTHING


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1e3))} kB"


COMMANDS: dict[str, Callable[[Call], int]] = {
    "doctor": _doctor,
    "undo": _undo,
    "redo": _undo,
    "backup": _backup,
    "restore": _restore,
    "merge": _merge,
}
