"""The command that lists papers that may be one, and settles them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .cli import DONE, NOTHING, WRONG
from .printing import INDEX_AT_ONCE, line_of, print_json, print_text, tell_working

if TYPE_CHECKING:
    from anchorlight.store import Library
    from anchorlight.store.duplicates import Pair

    from .call import Call


def _duplicates(call: Call) -> int:
    arguments = call.arguments
    if arguments.join and arguments.apart:
        print_text("anchorlight duplicates: say either --join or --apart.", error=True)
        return WRONG
    library = call.open()
    if arguments.join:
        keep, other = map(library.find, arguments.join)
        entry = library.join(keep, other)
        library.close()
        if arguments.json:
            print_json({"paper": entry.to_json()})
        else:
            print_text(f"{other} is joined to {keep}; anchorlight undo takes it back.")
            print_text(line_of(entry))
        return DONE
    if arguments.apart:
        first, second = map(library.find, arguments.apart)
        library.keep_apart(first, second)
        library.close()
        if arguments.json:
            print_json({"apart": [first, second]})
        else:
            print_text(f"{first} and {second} are not offered as duplicates any more.")
        return DONE
    return _list(call, library)


def _list(call: Call, library: Library) -> int:
    pairs = library.duplicates(_tell)
    tell_working("")
    if call.arguments.json:
        print_json({"pairs": [_shape(library, pair) for pair in pairs]})
    else:
        for pair in pairs:
            print_text(f"{pair.score:4.0%}  {'; '.join(pair.evidence)}")
            for key in (pair.first, pair.second):
                print_text(f"      {line_of(library.entry(key))}")
        if not pairs:
            print_text("No two papers look like one.", error=True)
    return DONE if pairs else NOTHING


def _shape(library: Library, pair: Pair) -> dict[str, Any]:
    papers = [library.entry(key).to_json() for key in (pair.first, pair.second)]
    return {"score": pair.score, "evidence": list(pair.evidence), "papers": papers}


def _tell(done: int, total: int) -> bool:
    """Tell somebody who waits how many papers were looked at."""
    if total > INDEX_AT_ONCE:
        tell_working(f"looking at {done} of {total} papers …")
    return True


COMMANDS: dict[str, Callable[[Call], int]] = {"duplicates": _duplicates}
