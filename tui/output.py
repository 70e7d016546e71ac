"""The commands of the command line: plain text for people, one JSON shape each for machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from anchorlight.store import (
    SEARCH_PREFIX,
    Change,
    Entry,
    Status,
)
from anchorlight.store.change import clean_tag
from anchorlight.store.text import clean_line

from . import duplicates, exchange, keeping
from .cli import DONE, NOTHING, WRONG
from .printing import (
    line_of,
    local_time,
    print_entries,
    print_entry,
    print_json,
    print_text,
    tell_progress,
)

if TYPE_CHECKING:
    from anchorlight.store import Found
    from anchorlight.store.notes import Version
    from anchorlight.store.snippets import Snippet

    from .call import Call

SNIPPET_WIDTH = 90
"""Characters of what is printed around a match."""


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
            print_json({"anchors": shapes, "searches": saved})
        else:
            for shape in shapes:
                done = f"{shape['papers'] - shape['unread']}/{shape['papers']}"  # type: ignore[operator]
                print_text(f"{done:>8}  {shape['key']}  {shape['title']}")
            for name, query in searches.items():
                print_text(
                    f"{'search':>8}  {clean_line(SEARCH_PREFIX + name)}  {clean_line(query)}"
                )
        if not shapes:
            print_text("There are no reading lists yet; anchorlight import FILE.", error=True)
        return DONE if shapes else NOTHING
    order = call.arguments.sort or "list"
    if library.saved_query(call.arguments.anchor):
        if not library.read_only:
            library.refresh_index(tell_progress)
        return _print_papers(call, library.listing(call.arguments.anchor, order))
    anchor = library.find(call.arguments.anchor, anchors_only=True)
    entries = library.listing(f"anchor:{anchor}", order)
    if call.arguments.json:
        shape = {
            "anchor": library.entry(anchor).to_json(),
            "papers": [entry.to_json() for entry in entries],
        }
        print_json(shape)
    else:
        print_text(library.entry(anchor).paper.display_title)
        print_entries(entries)
    return DONE if entries else NOTHING


def _show(call: Call) -> int:
    library = call.open()
    return _print_papers(call, [library.entry(library.find(call.arguments.key))], one=True)


def _print_papers(call: Call, entries: Sequence[Entry], *, one: bool = False) -> int:
    if call.arguments.json:
        shapes = [entry.to_json() for entry in entries]
        print_json({"paper": shapes[0]} if one else {"papers": shapes})
    elif one:
        print_entry(entries[0])
    else:
        print_entries(entries)
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
        library.refresh_index(tell_progress)
    if arguments.save is not None:
        library.save_search(arguments.save, query)
    found = library.search(query, within, order=arguments.sort or "relevance")
    entries = found.entries[: arguments.limit]
    hint = found.query.hint or None
    if arguments.json:
        shape: dict[str, Any] = {"query": query, "total": len(found.entries), "hint": hint}
        papers = [{**entry.to_json(), "snippet": _snippet_shape(found, entry)} for entry in entries]
        print_json({**shape, "papers": papers})
    else:
        for entry in entries:
            print_text(line_of(entry))
            if shown := _snippet_of(found, entry):
                print_text(f"          {shown.text}")
        if hint:
            print_text(f"hint: {clean_line(hint)}", error=True)
        if not found.entries:
            print_text(f"No match for “{clean_line(query)}”.", error=True)
    return DONE if found.entries else NOTHING


def _note(call: Call) -> int:
    arguments = call.arguments
    text = arguments.text
    if arguments.append and text is None:
        print_text("anchorlight note: --append needs a text.", error=True)
        return WRONG
    if arguments.history and text is not None:
        print_text("anchorlight note: --history takes no text.", error=True)
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
                print_text("anchorlight note: nothing came in; '' removes a note.", error=True)
                return WRONG
        if arguments.append:
            entry = library.append_note(key, text)
        else:
            entry = library.write_note(key, text)
        library.close()
    if arguments.json:
        print_json({"paper": entry.to_json()})
    elif arguments.text is None:
        if entry.note:
            print_text(entry.note)
        else:
            print_text(f"There is no note on {key}.", error=True)
            return NOTHING
    return DONE


def _note_history(call: Call, key: str, versions: Sequence[Version]) -> int:
    if call.arguments.json:
        texts = [{"changed": one.changed or None, "text": one.text} for one in versions]
        print_json({"key": key, "texts": texts})
        return DONE if versions else NOTHING
    for one in versions:
        print_text(f"--- {local_time(one.changed)}")
        print_text(one.text)
    if not versions:
        print_text(f"There never was a note on {key}.", error=True)
    return DONE if versions else NOTHING


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
        print_text("anchorlight mark: say --status, --star or --unstar.", error=True)
        return WRONG
    status = Status(arguments.status) if arguments.status else None
    return _change(call, Change(status=status, starred=starred))


def _tag(call: Call) -> int:
    edits = call.arguments.edits
    if not edits or not call.arguments.keys or any(not clean_tag(edit[1:]) for edit in edits):
        print_text("anchorlight tag: say KEY, and +TAG to add or -TAG to remove.", error=True)
        return WRONG
    added = tuple(edit[1:] for edit in edits if edit.startswith("+"))
    removed = tuple(edit[1:] for edit in edits if edit.startswith("-"))
    return _change(call, Change(add_tags=added, remove_tags=removed))


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
        print_json(
            {
                "path": str(config.path),
                "settings": settings,
                "origins": dict(config.origins),
                "problems": list(config.problems),
            }
        )
    else:
        there = "" if config.path.exists() else " (not there; defaults are used)"
        print_text(f"# {config.path}{there}")
        for name, value in settings.items():
            shown = json.dumps(value, ensure_ascii=False)
            print_text(f"{name} = {shown}  # {config.origins[name]}")
    return WRONG if config.problems else DONE


COMMANDS: dict[str, Callable[[Call], int]] = {
    **keeping.COMMANDS,
    **exchange.COMMANDS,
    **duplicates.COMMANDS,
    "list": _list,
    "show": _show,
    "search": _search,
    "note": _note,
    "mark": _mark,
    "tag": _tag,
    "config": _config,
}
"""What each command does, by name; `open` is the program itself."""
