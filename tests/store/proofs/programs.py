"""Programs that work on one library at the same time, or until they are killed.

Run as a script this is a process that has loaded all it needs and forks one for each program that
it is told to start: a line of JSON each on its input. What the programs say comes as lines of JSON
on its output, and so does the end of each.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from anchorlight.store import Change, Library, Status, identity, importing, journal
from anchorlight.store.notes import CONFLICT

Say = Callable[..., None]

PAPERS = [f"paper{number}" for number in range(12)]
STATUSES = list(Status)
NOTHING: dict[str, Any] = {"status": Status.UNREAD, "starred": False, "tags": (), "note": ""}
LONG = " long" * 12_000
"""A text that is more than the system writes at once."""


def short(sentences: list[str]) -> list[str]:
    """Return as much of some sentences as is said at once."""
    return [one[:300] for one in sentences[:5]]


# One that writes as fast as it can


State = dict[str, dict[str, Any]]


def act(library: Library, number: int, files: Path) -> None:
    """Do the change of a number."""
    key, other = PAPERS[number % 12], PAPERS[(number * 7 + 3) % 12]
    match number % 10:
        case 0 if number % 40 == 10:
            library.write_note(key, f"{number}{LONG}")
        case 1 | 6:
            library.mark({key: Change(starred=number % 20 < 10, status=STATUSES[number % 5])})
        case 2:
            library.mark({one: Change(add_tags=(f"t{number}",)) for one in (key, other)})
        case 3 if number % 30 == 13:
            file = files / f"{number}.jsonl"
            file.write_text(json.dumps({"key": f"new{number}", "title": f"New Paper {number}"}))
            library.import_files([file])
        case 4:
            tags = library.entry(key).mark.tags
            library.mark({key: Change(remove_tags=tags[:1], add_tags=(f"u{number}",))})
        case _:
            library.write_note(key, f"note {number}")


def acted(before: State, number: int) -> State:
    """Return what the change of a number makes of a state."""
    key, other = PAPERS[number % 12], PAPERS[(number * 7 + 3) % 12]
    state = {one: dict(paper) for one, paper in before.items()}
    match number % 10:
        case 0 if number % 40 == 10:
            state[key]["note"] = f"{number}{LONG}"
        case 1 | 6:
            state[key] |= {"starred": number % 20 < 10, "status": STATUSES[number % 5]}
        case 2:
            for one in (key, other):
                state[one]["tags"] = (*state[one]["tags"], f"t{number}")
        case 3 if number % 30 == 13:
            state[f"new{number}"] = dict(NOTHING)
        case 4:
            state[key]["tags"] = (*state[key]["tags"][1:], f"u{number}")
        case _:
            state[key]["note"] = f"note {number}"
    return state


def state_of(library: Library) -> State:
    """Return what changes leave in a library."""
    return {
        entry.paper.key: {
            "status": entry.mark.status,
            "starred": entry.mark.starred,
            "tags": entry.mark.tags,
            "note": entry.note,
        }
        for entry in library.listing("all")
    }


def scribble(say: Say, folder: str, files: str, start: int, compact_bytes: int) -> None:
    """Make one change after the other, and say of each that it was acknowledged."""
    journal.COMPACT_BYTES = compact_bytes
    library = Library(Path(folder), Path(files) / "cache")
    say("open", notices=short(library.notices), read_only=library.read_only)
    number = start
    while True:
        act(library, number, Path(files))
        say("done", number=number)
        number += 1


# Several that share a library


def lines_of(note: str) -> set[str]:
    """Return the lines of the note that all append to, whatever parts it fell into."""
    return {line for line in note.replace(CONFLICT, "\n").split("\n") if line}


def append_line(library: Library, line: str) -> None:
    """Append a line to the note that all append to, and join what was written at the same time."""
    note = library.entry("shared").note
    while True:
        text = "\n".join([*sorted(lines_of(note) - {line}), line])
        written = library.write_note("shared", text, note).note
        if CONFLICT not in written:
            return
        note = written


def work(say: Say, folder: str, files: str, number: int, changes: int) -> None:
    """Make changes to one's own papers and to shared ones."""
    stored = 0
    append = journal.JournalStorage.append

    def counted(storage: journal.JournalStorage, change: journal.Changes) -> None:
        nonlocal stored
        append(storage, change)
        stored += 1

    journal.JournalStorage.append = counted  # type: ignore[method-assign]
    library = Library(Path(folder), Path(files) / "cache")
    chance = random.Random(number)
    own = [f"own{number}.{one}" for one in range(5)]
    say("open", notices=short(library.notices))
    for one in range(changes):
        match one % 20:
            case 0:
                append_line(library, f"{number}.{one}")
            case 1:
                key = f"common{chance.randrange(3)}"
                library.mark({key: Change(add_tags=(f"w{number}n{one}",))})
            case 2 | 3:
                library.mark({f"own{number}.1": Change(starred=one % 4 == 2)})
            case 4:
                library.mark({key: Change(status=STATUSES[one % 100 // 20]) for key in own})
            case _:
                library.write_note(f"own{number}.0", f"{one}")
    library.close()
    say("worked", stored=stored, notices=short(library.notices))


def watch(say: Say, folder: str, files: str, workers: int) -> None:
    """Look at the library all the time, until a file says stop; nothing ever goes backwards."""
    library = Library(Path(folder), Path(files) / "cache", may_write=False)
    say("open", notices=short(library.notices))
    before = _state(library, workers)
    polls, problems = 0, []
    while not (Path(files) / "stop").exists():
        library.refresh()
        polls += 1
        now = _state(library, workers)
        problems += [
            f"{name}: {before[name]} is gone for {now[name]}"
            for name in now
            if not _goes_on(before[name], now[name])
        ]
        before = now
    say("watched", polls=polls, problems=short(problems), notices=short(library.notices))


def _state(library: Library, workers: int) -> dict[str, Any]:
    return {
        **{f"note {one}": int(library.entry(f"own{one}.0").note or -1) for one in range(workers)},
        **{f"tags {one}": {*library.entry(f"common{one}").mark.tags} for one in range(3)},
        "shared": lines_of(library.entry("shared").note),
        "seq": library._marks._storage.seq,
    }


def _goes_on(before: Any, now: Any) -> bool:
    return bool(before <= now)  # of numbers and of sets


# The process that starts them

PROGRAMS: dict[str, Callable[..., None]] = {"scribble": scribble, "work": work, "watch": watch}


def _say(kind: str, **more: Any) -> None:
    data = json.dumps({"kind": kind, "pid": os.getpid(), **more}).encode() + b"\n"
    assert len(data) <= select.PIPE_BUF  # it comes in one piece, or not at all
    os.write(1, data)


def _run(spec: dict[str, Any]) -> None:
    try:
        _say("started")
        PROGRAMS[spec.pop("program")](_say, **spec)
    except BaseException:
        _say("failed", error=traceback.format_exc()[-3000:])
        os._exit(1)
    os._exit(0)


def _orders() -> Iterator[dict[str, Any] | None]:
    """Yield what is to be started, and None when a program may have ended."""
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    rest = b""
    while True:
        ready, _, _ = select.select([0, ended], [], [])
        if ended in ready:
            os.read(ended, 4096)
            yield None
        if 0 in ready:
            data = os.read(0, 1 << 16)
            if not data:
                return
            *lines, rest = (rest + data).split(b"\n")
            yield from map(json.loads, lines)


def main() -> None:
    """Start programs until the input ends; those that still run then are ended."""
    running: set[int] = set()
    _say("ready", loaded=[identity.__name__, importing.__name__])
    for order in _orders():
        if order is not None:
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                _run(order)
            running.add(pid)
        while running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                break
            running.discard(pid)
            _say("ended", program=pid, status=status)
    for pid in running:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


if __name__ == "__main__":
    sys.stdin.close()
    main()
