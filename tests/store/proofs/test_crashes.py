"""Wherever the power goes off: what was acknowledged is there, what was not is no half thing.

The operations of a scene are recorded; after each of them all that may be on the disk is made
(`crashes.py`), opened, looked at, and written to.
"""

from __future__ import annotations

import functools
import os
import random
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from anchorlight.store import Change, copies, journal
from anchorlight.store.files import replace_file

from .crashes import Disk, all_crashes
from .layer import SOAK, Layer, Operation
from .scenes import (
    CLOSE,
    MARK,
    NOTE,
    OPEN,
    SCENES,
    Bench,
    Finding,
    Scene,
    Tree,
    View,
    brought_papers_alone,
    check,
    difference,
    filled,
    memory,
    place,
    put_tree,
    without_copies,
)

MORE = 12 * SOAK
"""Random states after each operation, besides the five that are not."""


@dataclass(frozen=True)
class Recording:
    """What was done in a scene.

    Attributes:
        scene: The scene.
        tree: What there was before.
        numbers: The numbers of the files there.
        log: The operations.
        acknowledged: How many operations had been done when each step returned.
        states: What was to be seen before each step, and after the last.
    """

    scene: Scene
    tree: Tree
    numbers: dict[str, int]
    log: list[Operation]
    acknowledged: list[int]
    states: list[View]

    def where(self, number: int) -> str:
        """Return in words where in the scene so many operations lead."""
        done = self.steps_done(number)
        steps = [*(step.name for step in self.scene.steps), "the end"]
        last = self.log[number - 1] if number else None
        after = f"after {last.kind} {last.name} ({number})" if last else "at first"
        return f"{self.scene.name}, in “{steps[done]}” {after}"

    def steps_done(self, number: int) -> int:
        """Return how many steps were acknowledged after so many operations."""
        return sum(at <= number for at in self.acknowledged)

    def allowed(self, done: int) -> list[View]:
        """Return what may be seen on opening it again after so many steps."""
        opening_makes_up_for_it = done == 0 and self.scene.opens == self.scene.steps[0].act
        return self.states[1:2] if opening_makes_up_for_it else self.states[done : done + 2]


def recorded(scene: Scene, root: Path, unrecorded: tuple[str, ...] = ()) -> Recording:
    bench = Bench(root / "now", root / "files")
    for folder in (bench.folder, bench.files):
        folder.mkdir()
    scene.prepare(bench)
    states = [bench.seen(root / "aside")[0]]
    acknowledged = []
    with Layer(bench.folder, unrecorded=unrecorded) as layer:
        for step in scene.steps:
            step.act(bench)
            acknowledged.append(len(layer.log))
            with layer.paused():
                states.append(bench.seen(root / "aside")[0])
    bench.close()
    return Recording(scene, layer.start, layer.numbers, layer.log, acknowledged, states)


def examined(recording: Recording, root: Path, seed: int) -> list[Finding]:
    """Return what is wrong after crashes."""
    disk = Disk(recording.tree, recording.numbers)
    findings: list[Finding] = []
    seen: set[tuple[int, int]] = set()
    for number, how, tree in all_crashes(disk, recording.log, random.Random(seed), MORE):
        done = recording.steps_done(number)
        fingerprint = done, hash(tuple(tree.items()))
        if fingerprint not in seen:
            seen.add(fingerprint)
            where = f"{recording.where(number)}, there is {how} (seed {seed})"
            findings += [
                Finding(kind, where, detail)
                for kind, detail in looked_at(recording, root, tree, done)
            ]
    return findings


def looked_at(recording: Recording, root: Path, tree: Tree, done: int) -> list[tuple[str, str]]:
    """Open what a crash left, write to it, and return what is wrong, in which way."""
    put_tree(tree, root / "now")
    bench = Bench(root / "now", root / "files")
    found = []
    try:
        recording.scene.opens(bench)
        view, notices = memory(bench.now), bench.now.notices
        found += compared(view, recording.allowed(done))
        if bench.now.read_only:
            found.append(("unusable", bench.now.read_only))
        elif view.get("papers"):
            found += written_to(bench, view)
        if recording.scene.again and (bench.folder / "all.zip").exists():
            found += repeated(bench, recording)
    except Exception as error:  # this is what is looked for
        return [*found, ("unusable", repr(error))]
    finally:
        bench.close()
    alarms = ("in no file any more", "may be missing", "yet there are marks")
    found += [("alarm", one) for one in notices if any(alarm in one for alarm in alarms)]
    return found


def compared(view: View, allowed: list[View]) -> list[tuple[str, str]]:
    """Return in what a view is neither of those allowed.

    It is a half thing where each part is as it was before or is to be, or belongs to a paper that
    comes or goes; and a loss otherwise.
    """
    if view in allowed:
        return []
    if len(allowed) > 1 and brought_papers_alone(view, *allowed):
        return []
    differences = [difference(one, view) for one in allowed]
    stay = set.intersection(*(set(one["papers"]) for one in allowed))
    lost = {
        where
        for where in set.intersection(*({line.partition(" is ")[0] for line in one}
                                        for one in differences))
        if len(parts := where.split("/")) < 3 or parts[2] in stay
    }  # fmt: skip
    nearest = "; ".join(min(differences, key=len))
    return [("lost", f"{sorted(lost)}: {nearest}") if lost else ("half", nearest)]


def written_to(bench: Bench, view: View) -> list[tuple[str, str]]:
    """Store one more mark, and return what is wrong after opening once more."""
    key, paper = next(iter(view["papers"].items()))
    bench.now.mark({key: Change(starred=not paper["starred"])})
    bench.close()
    bench.open()
    again = memory(bench.now)
    paper["starred"] = not paper["starred"]
    differences = [*difference(view["papers"], again["papers"]),
                   *difference(view["notes"], again["notes"])]  # fmt: skip
    return [("unusable", "; ".join(differences))] if differences else []


def repeated(bench: Bench, recording: Recording) -> list[tuple[str, str]]:
    """Do again what was interrupted, and return what is wrong then."""
    bench.close()
    again = recording.scene.again
    assert again
    again.act(bench)
    bench.open()
    expected = recording.states[recording.scene.steps.index(again) + 1]
    differences = difference(expected, memory(bench.now))
    return [("unusable", f"after {again.name} again: {'; '.join(differences)}")] * bool(differences)


@functools.cache
def crashed(scene: Scene) -> list[Finding]:
    with place(scene.compact_bytes) as root:
        return examined(recorded(scene, root), root, random.getrandbits(32))


each_scene = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)


@each_scene
def test_what_was_acknowledged_outlives_a_crash(scene: Scene) -> None:
    check(crashed(scene), "lost")


@each_scene
def test_what_was_not_acknowledged_is_there_wholly_or_not(scene: Scene) -> None:
    check(crashed(scene), "half")


@each_scene
def test_a_library_can_be_used_after_a_crash(scene: Scene) -> None:
    check(crashed(scene), "unusable")


@each_scene
def test_a_crash_leaves_no_alarm_behind(scene: Scene) -> None:
    check(crashed(scene), "alarm")


# The model finds what it is there for

FOLDING = Scene("folding", filled, (OPEN, MARK, NOTE, CLOSE), compact_bytes=0)


def write_in_place(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.pwrite(handle, data, 0)
    os.fsync(handle)
    os.close(handle)


@pytest.mark.parametrize("unrecorded", ["sync", "sync folder"])
def test_a_writer_that_does_not_sync_is_caught(unrecorded: str) -> None:
    with place(0) as root:
        recording = recorded(FOLDING, root, (unrecorded,))
        assert "lost" in {finding.kind for finding in examined(recording, root, 1)}


def test_a_writer_that_writes_in_place_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = replace(FOLDING, prepare=without_copies)
    with place(scene.compact_bytes) as root:
        with monkeypatch.context() as patch:
            patch.setattr(journal, "replace_file", write_in_place)
            patch.setattr(copies.Copies, "keep", lambda *_: None)
            recording = recorded(scene, root)
        assert "lost" in {finding.kind for finding in examined(recording, root, 1)}


def test_a_writer_that_empties_the_journal_first_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[tuple[Path, bytes]] = []

    def write_the_other_way_round(path: Path, data: bytes) -> None:
        written.append((path, data))
        if path.suffix == ".journal":
            while written:
                replace_file(*written.pop())

    with place(0) as root:
        with monkeypatch.context() as patch:
            patch.setattr(journal, "replace_file", write_the_other_way_round)
            recording = recorded(FOLDING, root)
        assert "lost" in {finding.kind for finding in examined(recording, root, 1)}


def test_the_writer_that_there_is_is_not() -> None:
    with place(0) as root:
        assert examined(recorded(FOLDING, root), root, 1) == []
