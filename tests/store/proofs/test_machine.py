"""Anything may happen in any order to a library; a plain dictionary tells what must be in it."""

from __future__ import annotations

import contextlib
import copy
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from anchorlight.store import CannotUndoError, Change, Library, NoSuchPaperError, Status
from anchorlight.store.archive import back_up, restore
from anchorlight.store.notes import CONFLICT
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from ..conftest import Clock
from .layer import SOAK
from .scenes import place, release

Field = tuple[str, ...]
"""`paper`, `status`, `starred` or `note` and a key; `tag`, a key and a tag."""
Fields = dict[Field, Any]

KEYS = ("a", "b", "c", "d")
TAGS = ("x", "y", "z")
TEXTS = ("", "one", "one, and more of it", "two", "three\nlines\nof it", " \n ")
DEFAULTS: dict[str, Any] = {
    "paper": False, "status": Status.UNREAD, "starred": False, "tag": False, "note": "",
}  # fmt: skip
FILES: dict[str, tuple[dict[str, Any], ...]] = {
    "one": ({"key": "a", "title": "A Study of Anchors"}, {"key": "b", "title": "Boats at Sea"}),
    "two": ({"key": "c", "title": "Currents and Tides", "status": "queued", "tags": ["x"]},),
    "three": (
        {"key": "d", "title": "Depths Unknown", "note": "two", "starred": True},
        {"key": "a", "title": "A Study of Anchors", "starred": True, "note": "one"},
    ),
    "four": ({"key": "d", "title": "Depths Unknown", "note": "from a file"},),
}


def fields_of(library: Library) -> Fields:
    fields: Fields = {}
    for entry in library.listing("all"):
        key = entry.paper.key
        fields["paper", key] = True
        fields["status", key] = entry.mark.status
        fields["starred", key] = entry.mark.starred
        fields["note", key] = entry.note
        fields |= {("tag", key, tag): True for tag in entry.mark.tags}
        assert len(set(entry.mark.tags)) == len(entry.mark.tags)
    return without_defaults(fields)


def without_defaults(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if value != DEFAULTS[name[0]]}


def both(current: str, text: str, base: str) -> str:
    """Return a note that two wrote: what each has new, but no text that another goes on from."""

    def parts_of(note: str) -> list[str]:
        return note.split(CONFLICT) if note.strip() else []

    before, mine = parts_of(base), parts_of(text)
    kept = [part for part in parts_of(current) if part in mine or part not in before]
    new = [part for part in mine if part not in before and part not in kept]
    whole = [one for one in kept if not any(other.startswith(one) for other in new)]
    whole += [one for one in new if not any(other.startswith(one) for other in whole)]
    return CONFLICT.join(whole)


@dataclass
class Step:
    """What leads back over a change, or forward again."""

    values: Fields
    marked: tuple[str, ...] = ()
    noted: tuple[str, ...] = ()
    is_merge: bool = False


@dataclass
class Model:
    """What must be in a library.

    Attributes:
        fields: Everything but the defaults.
        done: The steps that can be undone, the last of them last.
        undone: Those that can be done again, the next of them last.
        touched: What was changed since the copy was made that is going to be merged.
        amended: Of those, the notes of which earlier texts are not kept.
        mended: Whether the papers were written anew, so that imports may not be undone any more.
    """

    fields: Fields = field(default_factory=dict)
    done: list[Step] = field(default_factory=list)
    undone: list[Step] = field(default_factory=list)
    touched: set[Field] = field(default_factory=set)
    amended: set[str] = field(default_factory=set)
    mended: bool = False

    def get(self, *name: str) -> Any:
        return self.fields.get(name, DEFAULTS[name[0]])

    def papers(self) -> list[str]:
        return sorted(name[1] for name in self.fields if name[0] == "paper")

    def visible(self) -> Fields:
        keys = self.papers()
        return {name: value for name, value in self.fields.items() if name[1] in keys}

    def put(self, values: Fields) -> Fields:
        """Set fields, and return what those that are different were before."""
        before = {name: self.get(*name) for name in values}
        self.fields = without_defaults(self.fields | values)
        different = {name: value for name, value in before.items() if value != values[name]}
        self.touched |= different.keys()
        return different

    def change(self, values: Fields, *, undoable: bool = True) -> None:
        if (before := self.put(values)) and undoable:
            marked = {name[1] for name in before if name[0] in ("status", "starred", "tag")}
            noted = {name[1] for name in before if name[0] == "note"}
            self.done.append(Step(before, tuple(sorted(marked)), tuple(sorted(noted))))
            self.undone.clear()

    def mark(self, changes: dict[str, Change]) -> None:
        values: Fields = {}
        for key, change in changes.items():
            if change.status is not None:
                values["status", key] = change.status
            if change.starred is not None:
                values["starred", key] = change.starred
            values |= {("tag", key, tag): True for tag in change.add_tags}
            values |= {("tag", key, tag): False for tag in change.remove_tags}
        self.change(values)

    def write_note(self, key: str, text: str, base: str | None, *, amends: bool) -> None:
        current = self.get("note", key)
        if base not in (None, current) and current not in (text, "") and not (
            text.startswith(current)
        ):  # fmt: skip
            text = both(current, text, base or "")
        last = self.done[-1] if self.done else None
        goes_on = amends and last is not None and last.noted == (key,) and not last.marked
        if amends:
            self.amended.add(key)
        self.change({("note", key): text if text.strip() else ""}, undoable=not goes_on)

    def take(self, records: tuple[dict[str, Any], ...]) -> None:
        values: Fields = {}
        for record in records:
            key = record["key"]
            values["paper", key] = True
            if record.get("status") and self.get("status", key) is Status.UNREAD:
                values["status", key] = Status(record["status"])
            if record.get("starred"):
                values["starred", key] = True
            values |= {("tag", key, tag): True for tag in record.get("tags", ())}
            note, text = self.get("note", key), record.get("note", "")
            if text not in note:
                values["note", key] = note + CONFLICT + text if note else text
        self.change(values)

    def undo(self) -> None:
        self._go_back_over(self.done, self.undone)

    def redo(self) -> None:
        self._go_back_over(self.undone, self.done)

    def _go_back_over(self, steps: list[Step], others: list[Step]) -> None:
        if steps:
            step = steps.pop()
            now = {name: self.get(*name) for name in step.values}
            self.put(step.values)
            others.append(replace(step, values=now))


changes = st.builds(
    Change,
    status=st.none() | st.sampled_from(Status),
    starred=st.none() | st.booleans(),
    add_tags=st.lists(st.sampled_from(TAGS), max_size=2, unique=True).map(tuple),
    remove_tags=st.lists(st.sampled_from(TAGS), max_size=1).map(tuple),
)
keys = st.sampled_from(KEYS)
who = st.sampled_from(("first", "second"))


class Machine(RuleBasedStateMachine):
    """A library that two programs write to and a third one reads, and a copy on another disk."""

    def __init__(self) -> None:
        super().__init__()
        self.stack = contextlib.ExitStack()
        self.clock = Clock()
        self.model = Model()
        self.libraries: dict[str, Library] = {}
        self.backups: list[tuple[Path, Model]] = []
        self.other: Model | None = None
        self.shared: Fields = {}

    @initialize(compact_bytes=st.sampled_from((1 << 18, 400)), names=st.sampled_from(("one", "")))
    def begin(self, compact_bytes: int, names: str) -> None:
        self.root = self.stack.enter_context(place(compact_bytes))
        self.home = self.root / "library"
        for name, records in FILES.items():
            lines = "".join(json.dumps(record) + "\n" for record in records)
            (self.root / f"{name}.jsonl").write_text(lines)
        for name in ("first", "second", "reader"):
            self.open(name)
        if names:
            self.take("first", names)

    def open(self, name: str) -> None:
        self.libraries[name] = self.opened(self.home, may_write=name != "reader")
        assert not self.libraries[name].read_only or name == "reader"

    def opened(self, folder: Path, **options: Any) -> Library:
        return Library(folder, self.root / "cache", clock=self.clock, **options)

    def teardown(self) -> None:
        with self.stack:
            for library in self.libraries.values():
                library.close()
            if self.libraries:
                library = self.opened(self.home)
                found = fields_of(library)
                library.close()
                assert found == self.model.visible()

    # What readers do

    @rule(who=who, key=keys, change=changes, more=st.none() | st.tuples(keys, changes))
    def mark(self, who: str, key: str, change: Change, more: tuple[str, Change] | None) -> None:
        wanted = {key: change} | ({more[0]: more[1]} if more else {})
        if wanted.keys() <= set(self.model.papers()):
            self.libraries[who].mark(wanted)
            self.model.mark(wanted)
        else:
            with pytest.raises(NoSuchPaperError):
                self.libraries[who].mark(wanted)

    @rule(
        who=who,
        key=keys,
        text=st.sampled_from(TEXTS),
        base=st.sampled_from(("none", "current", "", "one")),
        amends=st.booleans(),
    )
    def write_note(self, who: str, key: str, text: str, base: str, amends: bool) -> None:
        amends = amends and not (self.model.done and self.model.done[-1].is_merge)
        started_from = {"none": None, "current": self.model.get("note", key)}.get(base, base)
        if key in self.model.papers():
            self.libraries[who].write_note(key, text, started_from, amends=amends)
            self.model.write_note(key, text, started_from, amends=amends)
        else:
            with pytest.raises(NoSuchPaperError):
                self.libraries[who].write_note(key, text, started_from)

    @rule(who=who, name=st.sampled_from(sorted(FILES)))
    def take(self, who: str, name: str) -> None:
        self.libraries[who].import_files([self.root / f"{name}.jsonl"])
        self.model.take(FILES[name])

    @rule(who=who)
    def undo(self, who: str) -> None:
        with self.perhaps_not_any_more(self.model.done):
            assert (self.libraries[who].undo() is not None) == bool(self.model.done)
            self.model.undo()

    @rule(who=who)
    def redo(self, who: str) -> None:
        with self.perhaps_not_any_more(self.model.undone):
            assert (self.libraries[who].redo() is not None) == bool(self.model.undone)
            self.model.redo()

    @contextlib.contextmanager
    def perhaps_not_any_more(self, steps: list[Step]) -> Iterator[None]:
        try:
            yield
        except CannotUndoError:
            assert self.model.mended
            steps.pop()  # so that others can be reached

    @rule(seconds=st.sampled_from((1, 90, 4000, 90_000, -1, -4000, -90_000)))
    def wait(self, seconds: int) -> None:
        self.clock.now += timedelta(seconds=seconds)

    # What happens to programs

    @rule(who=st.sampled_from(("first", "second", "reader")))
    def close_and_reopen(self, who: str) -> None:
        self.libraries[who].close()
        self.open(who)

    @rule(who=who, torn=st.sampled_from((b"", b'0badc0de {"seq": 7, "set": {"no', b"0badc0de")))
    def crash_and_reopen(self, who: str, torn: bytes) -> None:
        release(self.libraries[who])
        if torn and (self.home / "marks.journal").exists():
            with (self.home / "marks.journal").open("ab") as file:
                file.write(torn)
        self.open(who)

    # What happens to files

    @precondition(lambda self: self.has_copy())
    @rule(who=who, how=st.sampled_from(("garbage", "empty", "cut", "gone")))
    def damage_marks(self, who: str, how: str) -> None:
        release(self.libraries[who])
        path = self.home / "marks.json"
        data = path.read_bytes()
        match how:
            case "garbage":
                path.write_bytes(b"\xff\x00 garbage")
            case "empty":
                path.write_bytes(b"")
            case "cut":
                path.write_bytes(data[: len(data) // 2])
            case _:
                path.unlink()
        self.open(who)

    def has_copy(self) -> bool:
        copies = (self.home / "backups").glob("marks-*.json.gz")
        return (self.home / "marks.json").exists() and any(copies)

    @rule(who=who, name=st.sampled_from(("session.json", "library.json")))
    def damage_another_file(self, who: str, name: str) -> None:
        release(self.libraries[who])
        (self.home / name).write_bytes(b"{")
        self.open(who)

    @rule(garbage=st.sampled_from((b"garbage\n", b"\x00\n\x00\xff\n", b'{"key": "torn')))
    def damage_papers(self, garbage: bytes) -> None:
        with (self.home / "papers.jsonl").open("ab") as file:
            file.write(garbage)

    @rule(who=who)
    def mend(self, who: str) -> None:
        self.libraries[who].mend()
        self.model.mended = True

    # Backups and copies

    @rule()
    def back_up(self) -> None:
        target = self.root / f"{len(self.backups)}.zip"
        back_up(self.home, target)
        self.backups.append((target, copy.deepcopy(self.model)))

    @precondition(lambda self: self.backups)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        source, model = data.draw(st.sampled_from(self.backups))
        restore(self.home, source)
        self.model = copy.deepcopy(model)
        everything = {*self.model.fields, *self.shared, *(self.other.fields if self.other else ())}
        self.model.touched = everything
        if self.other:
            self.other.touched = set(everything)

    @rule()
    def copy_to_another_disk(self) -> None:
        shutil.rmtree(self.root / "other", ignore_errors=True)
        shutil.copytree(self.home, self.root / "other")
        self.other = copy.deepcopy(self.model)
        self.shared = dict(self.model.fields)
        for model in (self.model, self.other):
            model.touched, model.amended = set(), set()

    @precondition(lambda self: self.other)
    @rule(key=keys, change=changes, text=st.none() | st.sampled_from(TEXTS), name=st.none() |
          st.sampled_from(sorted(FILES)))  # fmt: skip
    def change_the_copy(self, key: str, change: Change, text: str | None, name: str | None) -> None:
        assert self.other
        library = self.opened(self.root / "other")
        if name:
            library.import_files([self.root / f"{name}.jsonl"])
            self.other.take(FILES[name])
        if key in self.other.papers():
            library.mark({key: change})
            self.other.mark({key: change})
            if text is not None:
                library.write_note(key, text)
                self.other.write_note(key, text, None, amends=False)
        assert fields_of(library) == self.other.visible()
        library.close()

    @precondition(lambda self: self.other)
    @rule(who=who)
    def merge(self, who: str) -> None:
        assert self.other
        library = self.libraries[who]
        before = self.model.fields
        report = library.merge(self.root / "other")
        after = fields_of(library)
        self.check_merged(library, before, after)
        hidden = {
            name: value for name, value in before.items() if name[1] not in library_keys(after)
        }
        names = dict.fromkeys((*before, *after))
        step = self.model.put({name: after.get(name, DEFAULTS[name[0]]) for name in names
                               if name not in hidden})  # fmt: skip
        if report.added or report.completed or report.marked:
            self.model.done.append(Step(step, is_merge=True))
            self.model.undone.clear()
        self.other = None  # it could be merged again, but who did what is not known any more
        shutil.rmtree(self.root / "other")

    def check_merged(self, library: Library, before: Fields, after: Fields) -> None:
        """See that of each field the one that was changed is there, or one of both."""
        assert self.other
        theirs = self.other.visible()
        assert library_keys(after) == library_keys(before) | library_keys(theirs)
        for name in {*before, *theirs, *after}:
            default = DEFAULTS[name[0]]
            mine, other, now = (one.get(name, default) for one in (before, theirs, after))
            here, there = name in self.model.touched, name in self.other.touched
            amended = name[0] == "note" and name[1] in self.model.amended | self.other.amended
            if name[0] == "note" and name[1] in library_keys(after):
                versions = [now, *(one.text for one in library.note_versions(name[1]))]
                for text in (mine, other):
                    assert any(text in one for one in versions), (name, text)
            if name[0] == "paper" or amended or (here and there):
                assert now in (mine, other) or name[0] in ("paper", "note"), (name, now)
            elif name[1] in library_keys(after):
                expected = other if there else mine
                if name[0] == "note":  # parts that had been replaced before may be so again
                    replaced = {one.text for one in library.note_versions(name[1])}
                    assert parts(now) <= parts(expected) <= parts(now) | replaced
                else:
                    assert now == expected, (name, mine, other, now)

    @invariant()
    def everybody_sees_what_there_must_be(self) -> None:
        for library in self.libraries.values():
            library.refresh()
            assert fields_of(library) == self.model.visible()


def parts(note: str) -> set[str]:
    """Return the parts of a note that was also written elsewhere, which have no order."""
    return {*note.split(CONFLICT)} - {""}


def library_keys(fields: Fields) -> set[str]:
    return {name[1] for name in fields if name[0] == "paper"}


def test_a_library_is_what_a_dictionary_says_whatever_happens() -> None:
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=100 * SOAK,
            stateful_step_count=25,
            deadline=None,
            phases=set(Phase) - {Phase.explain},  # which takes minutes
        ),
    )
