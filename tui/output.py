"""The commands of the command line: plain text for people, one JSON shape each for machines."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anchorlight.store import (
    SEARCH_PREFIX,
    CannotOpenError,
    Change,
    Entry,
    NoSuchPaperError,
    Status,
)
from anchorlight.store.change import clean_tag
from anchorlight.store.text import clean_line, clean_note

from .cli import DONE, NOTHING, WRONG

if TYPE_CHECKING:
    from anchorlight.store import Found, Library
    from anchorlight.store.copies import Copy
    from anchorlight.store.notes import Version
    from anchorlight.store.snippets import Snippet

    from .call import Call

SNIPPET_WIDTH = 90
"""Characters of what is printed around a match."""

INDEX_AT_ONCE = 2000
"""Up to how many papers an import indexes; more wait for the first search, or for the program."""


def _print(text: str, *, error: bool = False) -> None:
    """Print text, with tabs and line ends as its only control characters."""
    print(clean_note(text), file=sys.stderr if error else sys.stdout)


# What JSON may hold unescaped, but a terminal may act on.
_RAW = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def _print_json(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    print(_RAW.sub(lambda char: f"\\u{ord(char[0]):04x}", text))


def _tell_progress(done: int, total: int) -> None:
    """Tell somebody who waits how far the index is."""
    if total > INDEX_AT_ONCE and sys.stderr.isatty():
        end = "\n" if done == total else "\r"
        print(f"indexing {done} of {total} papers …", end=end, file=sys.stderr, flush=True)


def _line(entry: Entry) -> str:
    paper, mark = entry.paper, entry.mark
    signs = f"{mark.status.value:<8}{'*' if mark.starred else ' '}"
    facts = ", ".join(filter(None, (paper.byline, str(paper.year or ""))))
    return f"{signs} {paper.key}  {paper.display_title}{'  — ' + facts if facts else ''}"


def _print_entries(entries: Iterable[Entry]) -> None:
    for entry in entries:
        _print(_line(entry))


def _print_entry(entry: Entry) -> None:
    paper, mark = entry.paper, entry.mark
    facts = {
        "key": paper.key,
        "authors": ", ".join(paper.names) + ("" if paper.authors_complete else ", et al."),
        "year": str(paper.year or ""),
        "venue": paper.venue or "",
        **paper.ids,
        "url": paper.link or "",
        "status": mark.status.value + (", starred" if mark.starred else ""),
        "tags": " ".join(mark.tags),
        "anchors": ", ".join(entry.anchors),
    }
    _print(paper.display_title)
    for name, value in facts.items():
        if value.strip(", "):
            _print(f"{name}: {value}")
    if paper.abstract:
        _print(f"\n{paper.abstract}{'…' if paper.truncated else ''}")
    if entry.note:
        _print(f"\nnote:\n{entry.note}")


def _list(call: Call) -> int:
    library = call.open()
    if call.arguments.anchor is None:
        anchors = library.overview(patience=0).anchors
        shapes = [
            {
                "key": one.key.removeprefix("anchor:"),
                "title": one.title,
                "papers": one.papers,
                "unread": one.unread,
            }
            for one in anchors
        ]
        searches = library.searches
        if call.arguments.json:
            saved = [{"name": name, "query": query} for name, query in searches.items()]
            _print_json({"anchors": shapes, "searches": saved})
        else:
            for shape in shapes:
                done = f"{shape['papers'] - shape['unread']}/{shape['papers']}"  # type: ignore[operator]
                _print(f"{done:>8}  {shape['key']}  {shape['title']}")
            for name, query in searches.items():
                _print(f"{'search':>8}  {clean_line(SEARCH_PREFIX + name)}  {clean_line(query)}")
        if not shapes:
            _print("There are no reading lists yet; anchorlight import FILE.", error=True)
        return DONE if shapes else NOTHING
    order = call.arguments.sort or "list"
    if library.saved_query(call.arguments.anchor):
        if not library.read_only:
            library.refresh_index(_tell_progress)
        return _print_papers(call, library.listing(call.arguments.anchor, order))
    anchor = library.find(call.arguments.anchor, anchors_only=True)
    entries = library.listing(f"anchor:{anchor}", order)
    if call.arguments.json:
        shape = {
            "anchor": library.entry(anchor).to_json(),
            "papers": [entry.to_json() for entry in entries],
        }
        _print_json(shape)
    else:
        _print(library.entry(anchor).paper.display_title)
        _print_entries(entries)
    return DONE if entries else NOTHING


def _show(call: Call) -> int:
    library = call.open()
    return _print_papers(call, [library.entry(library.find(call.arguments.key))], one=True)


def _print_papers(call: Call, entries: Sequence[Entry], *, one: bool = False) -> int:
    if call.arguments.json:
        shapes = [entry.to_json() for entry in entries]
        _print_json({"paper": shapes[0]} if one else {"papers": shapes})
    elif one:
        _print_entry(entries[0])
    else:
        _print_entries(entries)
    return DONE


def _snippet_of(found: Found, entry: Entry) -> Snippet | None:
    """Return what stands around the match in a paper's abstract or note."""
    from anchorlight.store.snippets import snippet

    return snippet(entry, found.query.highlights(), SNIPPET_WIDTH)


def _snippet_shape(found: Found, entry: Entry) -> dict[str, Any] | None:
    shown = _snippet_of(found, entry)
    if not shown:
        return None
    matches = [[start, end - start] for start, end in shown.spans]
    return {"field": shown.field, "text": shown.text, "matches": matches}


def _search(call: Call) -> int:
    arguments, library = call.arguments, call.open()
    query = " ".join(arguments.query)
    within = None
    if arguments.anchor:
        within = f"anchor:{library.find(arguments.anchor, anchors_only=True)}"
    if not library.read_only:
        library.refresh_index(_tell_progress)
    if arguments.save is not None:
        library.save_search(arguments.save, query)
    found = library.search(query, within, order=arguments.sort or "relevance")
    entries = found.entries[: arguments.limit]
    hint = found.query.hint or None
    if arguments.json:
        shape: dict[str, Any] = {"query": query, "total": len(found.entries), "hint": hint}
        papers = [{**entry.to_json(), "snippet": _snippet_shape(found, entry)} for entry in entries]
        _print_json({**shape, "papers": papers})
    else:
        for entry in entries:
            _print(_line(entry))
            if shown := _snippet_of(found, entry):
                _print(f"          {shown.text}")
        if hint:
            _print(f"hint: {clean_line(hint)}", error=True)
        if not found.entries:
            _print(f"No match for “{clean_line(query)}”.", error=True)
    return DONE if found.entries else NOTHING


def _note(call: Call) -> int:
    arguments = call.arguments
    text = arguments.text
    if arguments.append and text is None:
        _print("anchorlight note: --append needs a text.", error=True)
        return WRONG
    if arguments.history and text is not None:
        _print("anchorlight note: --history takes no text.", error=True)
        return WRONG
    library = call.open()
    key = library.find(arguments.key)
    if arguments.history:
        return _note_history(call, key, library.note_versions(key))
    entry = library.entry(key)
    if text is not None:
        if text == "-":
            text = sys.stdin.buffer.read().decode("utf-8", "replace").rstrip("\n")
            if not text.strip():
                _print("anchorlight note: nothing came in; '' removes a note.", error=True)
                return WRONG
        if arguments.append:
            entry = library.append_note(key, text)
        else:
            entry = library.write_note(key, text)
        library.close()
    if arguments.json:
        _print_json({"paper": entry.to_json()})
    elif arguments.text is None:
        if entry.note:
            _print(entry.note)
        else:
            _print(f"There is no note on {key}.", error=True)
            return NOTHING
    return DONE


def _note_history(call: Call, key: str, versions: Sequence[Version]) -> int:
    if call.arguments.json:
        texts = [{"changed": one.changed or None, "text": one.text} for one in versions]
        _print_json({"key": key, "texts": texts})
        return DONE if versions else NOTHING
    for one in versions:
        _print(f"--- {_local(one.changed)}")
        _print(one.text)
    if not versions:
        _print(f"There never was a note on {key}.", error=True)
    return DONE if versions else NOTHING


def _local(time: str) -> str:
    """Return a stored time in the reader's own zone."""
    try:
        return f"{datetime.fromisoformat(time).astimezone():%Y-%m-%d %H:%M}"
    except ValueError:
        return "time unknown"


def _change(call: Call, change: Change) -> int:
    library = call.open()
    keys = [library.find(name) for name in call.arguments.keys]
    entries = library.mark(dict.fromkeys(keys, change))
    library.close()
    return _print_papers(call, entries)


def _mark(call: Call) -> int:
    arguments = call.arguments
    starred = True if arguments.star else False if arguments.unstar else None
    if arguments.status is None and starred is None:
        _print("anchorlight mark: say --status, --star or --unstar.", error=True)
        return WRONG
    status = Status(arguments.status) if arguments.status else None
    return _change(call, Change(status=status, starred=starred))


def _tag(call: Call) -> int:
    edits = call.arguments.edits
    if not edits or not call.arguments.keys or any(not clean_tag(edit[1:]) for edit in edits):
        _print("anchorlight tag: say KEY, and +TAG to add or -TAG to remove.", error=True)
        return WRONG
    added = tuple(edit[1:] for edit in edits if edit.startswith("+"))
    removed = tuple(edit[1:] for edit in edits if edit.startswith("-"))
    return _change(call, Change(add_tags=added, remove_tags=removed))


def _import(call: Call) -> int:
    if not all(call.arguments.paths):
        _print("anchorlight import: an empty path names no file.", error=True)
        return WRONG
    library = call.open()
    reports = library.import_files(Path(path) for path in call.arguments.paths)
    if len(library) <= INDEX_AT_ONCE:
        library.refresh_index()
    library.close()
    if call.arguments.json:
        _print_json({"files": [report.to_json() for report in reports]})
    else:
        for report in reports:
            name = clean_line(report.path)
            _print(
                f"{name}: {report.format}, {report.read} read: {report.added} added, "
                f"{report.updated} updated, {report.unchanged} unchanged; "
                f"{len(report.refused)} refused"
            )
            for guess in report.guesses:
                _print(f"  {guess}")
            for one in report.refused:
                line = f"line {one.line}: " if one.line else ""
                _print(f"  refused: {line}{one.entry + ': ' if one.entry else ''}{one.reason}")
    if not reports:
        _print("anchorlight: there is nothing to import there.", error=True)
        return NOTHING
    return NOTHING if any(report.refused for report in reports) else DONE


def _config(call: Call) -> int:
    config = call.config
    settings = {
        "library": str(config.settings.library),
        "theme": config.settings.theme,
        "seeds": config.settings.seeds,
        "locks": config.settings.locks,
        "keys": {name: list(keys) for name, keys in config.settings.keys.items()},
    }
    if call.arguments.json:
        _print_json(
            {
                "path": str(config.path),
                "settings": settings,
                "origins": dict(config.origins),
                "problems": list(config.problems),
            }
        )
    else:
        there = "" if config.path.exists() else " (not there; defaults are used)"
        _print(f"# {config.path}{there}")
        for name, value in settings.items():
            shown = json.dumps(value, ensure_ascii=False)
            _print(f"{name} = {shown}  # {config.origins[name]}")
    return WRONG if config.problems else DONE


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
        _print_json({"library": str(folder), "ok": well, "checks": shapes})
    else:
        _print(str(folder))
        for one in checks:
            state = "MENDED" if one.mended else "ok" if one.ok else "BAD"
            _print(f"  {state:<6}  {one.name}: {one.detail}")
    return DONE if well else NOTHING


def _backup(call: Call) -> int:
    from anchorlight.store.archive import back_up

    folder, target = call.config.settings.library, Path(call.arguments.file).expanduser()
    if not call.arguments.file:
        _print("anchorlight backup: an empty path names no file.", error=True)
        return WRONG
    if target.is_dir():
        target /= f"anchorlight-{datetime.now():%Y-%m-%d-%H%M%S}.zip"
    notices = back_up(folder, target)
    size = target.stat().st_size
    if call.arguments.json:
        _print_json({"file": str(target), "bytes": size, "notices": notices})
    else:
        _print_notices(notices)
        _print(f"{folder} is backed up in {target} ({_size(size)}).")
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
        _print_json(
            {"library": str(folder), "kept": str(kept) if kept else None, "notices": notices}
        )
    else:
        _print_notices(notices)
        _print(f"{folder} is restored from {source}.")
        if kept:
            _print(f"What was there before is in {kept}.")
    return DONE


def _print_notices(notices: Iterable[str]) -> None:
    for notice in notices:
        _print(f"anchorlight: {clean_line(notice)}", error=True)


def _print_copies(call: Call, copies: Sequence[Copy]) -> int:
    if call.arguments.json:
        shapes = [{"file": str(one.path), "made": one.made.isoformat()} for one in copies]
        _print_json({"copies": shapes})
        return DONE if copies else NOTHING
    for one in copies:
        _print(f"{one.when}  {one.path}")
    if not copies:
        _print("There are no copies of the marks yet; give the file of a backup.", error=True)
    return DONE if copies else NOTHING


def _merge(call: Call) -> int:
    library = call.open()
    report = library.merge(Path(call.arguments.other).expanduser())
    library.close()
    if call.arguments.json:
        _print_json(
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
        _print(
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
        _print_json({"step": shape})
    elif step:
        _print(f"{step.what} of {_local(step.when)} {'taken back' if is_undo else 'done again'}.")
    else:
        _print(f"There is nothing to {'take back' if is_undo else 'do again'}.", error=True)
    return DONE if step else NOTHING


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{max(1, round(count / 1e3))} kB"


COMMANDS: dict[str, Callable[[Call], int]] = {
    "list": _list,
    "show": _show,
    "search": _search,
    "note": _note,
    "mark": _mark,
    "tag": _tag,
    "import": _import,
    "config": _config,
    "doctor": _doctor,
    "undo": _undo,
    "redo": _undo,
    "backup": _backup,
    "restore": _restore,
    "merge": _merge,
}
"""What each command does, by name; `open` is the program itself."""
