"""Lets every call of the system fail that a scene makes, one after the other, and looks."""

from __future__ import annotations

import errno
import functools
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from anchorlight.store import ReadOnlyError, StoreError

from .layer import EVERY, SOAK, WRITING, Fault, Layer
from .scenes import (
    Bench,
    Finding,
    Scene,
    Step,
    Tree,
    View,
    brought_papers_alone,
    difference,
    memory,
    place,
    put_tree,
    tree_of,
)

ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT, errno.EACCES)
MAY_MISS = ("open to write", "replace", "rename", "unlink", "mkdir", "rmdir")
"""Calls that may say that something is not there. Of a file that is to be read that would be true:
it is missing then, which is no error.
"""

LASTING = (
    (("open to write", "pwrite", "mkdir"), errno.ENOSPC, 2),
    (tuple(kind for kind in WRITING if "sync" not in kind), errno.EROFS, 3),
    (EVERY, errno.EIO, 12),
)
"""A full disk, one that nothing can be changed on, and one that does nothing any more; and of how
many calls one is tried, where there is no time for all.
"""
HOWS = {
    "pwrite": ("before", "part", "after"),
    "fsync": ("before", "dropped"),
    "fdatasync": ("before", "dropped"),
} | dict.fromkeys(("replace", "rename", "ftruncate", "mkdir"), ("before", "after"))
MORE_STEPS = 1
"""How many steps are done after the one in which something failed."""


@dataclass
class Trial:
    """One run of some steps, in one of which a call fails, or every one from then on."""

    bench: Bench
    scene: Scene
    states: list[View]
    layer: Layer
    aside: Path
    where: str = ""
    step: tuple[View, View] | None = None
    """What was before the step in which something failed, and is after it."""
    has_half: bool = False
    findings: list[Finding] = field(default_factory=list)

    def find(self, kind: str, detail: str) -> None:
        self.findings.append(Finding(kind, self.where, detail))

    def run(self, first: int, failing: int, fault: Fault | None) -> None:
        """Do the steps from one on; the fault is in another, and some more follow."""
        number = first
        for number in range(first, min(failing + 1 + MORE_STEPS, len(self.scene.steps))):
            if number == failing:
                self.layer.arm(fault)
            if not self._step(number):
                break
        else:
            self.bench.close()
            self._end(self.states[number + 1])
        self.layer.arm(None)
        self.bench.close()
        if left := self.layer.open_files:
            self.find("left open", ", ".join(left))
            self.layer.close_files()

    def _step(self, number: int) -> bool:
        """Do a step; tell whether it makes sense to go on."""
        step, after = self.scene.steps[number], self.states[number + 1]
        if step.others:
            with self.layer.paused():
                step.act(self.bench)
            return True
        fault, fired = self.layer.fault, len(self.layer.fired)
        if fault:
            self.where = f"{self.scene.name}, {step.name}: {fault}"
        raised = self._attempt(step)
        if len(self.layer.fired) == fired and not raised:
            return True
        calls = ", ".join(f"{call.kind} {call.name}" for call in self.layer.fired[fired:][:3])
        told = f"{type(raised).__name__} ({raised})" if raised else "nothing raised"
        self.where += f" ({calls}), {told}"
        allowed = (self.states[number], after) if raised else (after,)
        self.step = allowed if raised else None  # type: ignore[assignment]
        held = (*allowed, *(self._before_others(number) if raised else ()))
        self._look(allowed, held)
        if fault and fault.lasts and raised:
            self._attempt(step)
            self._look(allowed, held)
        self.layer.arm(None)
        return self._go_on(step, bool(raised), after)

    def _before_others(self, number: int) -> Iterator[View]:
        """Yield what was to be seen before what others did that we need not have seen."""
        while number and self.scene.steps[number - 1].others:
            number -= 1
            yield self.states[number]

    def _attempt(self, step: Step) -> Exception | None:
        raised: Exception | None = None
        try:
            step.act(self.bench)
        except StoreError as error:
            raised = error
        except Exception as error:  # this is what is looked for
            calls = [f"{call.kind} {call.name}" for call in self.layer.fired[-1:]]
            self.find("not ours", f"{error!r} came out, after {', '.join(calls)}")
            raised = error
        if self.bench.library is None and self.layer.open_files:
            self.find("left open", ", ".join(self.layer.open_files))
            self.layer.close_files()
        if self.bench.library is not None and self.bench.library.read_only:
            raised = ReadOnlyError(self.bench.library.read_only)
            self.bench.close()
        return raised

    def _look(self, allowed: tuple[View, ...], held: tuple[View, ...]) -> None:
        """See that what was acknowledged is there, and what was not is there wholly or not."""
        with self.layer.paused():
            try:
                view, notices = self.bench.seen(self.aside)
            except Exception as error:  # this is what is looked for
                self.find("on disk", f"cannot be opened: {error!r}")
                return
        self._compare("on disk", view, allowed)
        for notice in notices:
            if "in no file any more" in notice or "may be missing" in notice:
                self.find("alarm", notice)
        if self.bench.library is None:
            return
        try:
            view = memory(self.bench.library)
        except Exception as error:  # this is what is looked for
            self.find("in memory", f"reading raised {error!r}")
            return
        if any(call.name.endswith("session.json") for call in self.layer.fired):
            view = {**view, "session": held[0]["session"]}
        self._compare("in memory", view, held)

    def _compare(self, kind: str, view: View, allowed: tuple[View, ...]) -> None:
        if self.step and brought_papers_alone({**view}, *self.step):
            self.has_half = True
        elif not any(view == one for one in allowed):
            parts = min((difference(one, view) for one in allowed), key=len)
            self.find(kind, "; ".join(parts))

    def _go_on(self, step: Step, again: bool, after: View) -> bool:
        """The error is gone: the same library can be used, and what failed can be done."""
        try:
            if self.bench.library is not None:
                self.bench.library.refresh()
            if again and (step.repeatable or self._now() != after):
                step.act(self.bench)
            now = self._now()
        except Exception as error:  # this is what is looked for
            self.find("stuck", f"afterwards {error!r}")
            return False
        if self.has_half:  # its papers are there already, so what follows counts others
            return False
        now = {**now, "session": after["session"]}  # nothing reads that again
        self._compare("afterwards", now, (after,))
        return now == after

    def _now(self) -> View:
        if self.bench.library is not None:
            return memory(self.bench.library)
        with self.layer.paused():
            return self.bench.seen(self.aside)[0]

    def _end(self, last: View) -> None:
        with self.layer.paused():
            view, notices = self.bench.seen(self.aside)
        self._compare("in the end", view, (last,))
        odd = [one for one in notices if not any(part in one for part in self.scene.notices)]
        if odd:
            self.find("alarm", f"in the end: {odd}")
        failed = {call.kind for call in self.layer.fired}
        left = [path.name for path in self.bench.home.rglob("*.tmp")]
        if left and "unlink" not in failed:
            self.find("litter", f"in the end: {left}")


def faults(calls: list[str], turn: int) -> Iterator[Fault]:
    """Yield what is to fail: each call of a step by each error, or by one of them in turn."""
    for kind, count in Counter(calls).items():
        errors = (*ERRORS, errno.ENOENT if kind in MAY_MISS else errno.ESTALE)
        for number in range(count):
            for how in HOWS.get(kind, ("before",)):
                turn += 1
                for error in errors if SOAK > 1 else (errors[turn % len(errors)],):
                    yield Fault((kind,), number, error, how)
    for kinds, error, every in LASTING:
        every = 1 if SOAK > 1 else every
        for number in range(turn % every, sum(call in kinds for call in calls), every):
            yield Fault(kinds, number, error, lasts=True)


class Stage:
    """A scene that can be begun at any step.

    Args:
        scene: The scene.
        root: A folder for it.
    """

    def __init__(self, scene: Scene, root: Path) -> None:
        self.scene = scene
        self.root = root
        self.aside = root / "aside"
        self.states: list[View] = []
        self._is_open: list[bool] = []
        self._trees: list[Tree] = []
        for name in ("files", "now"):
            (root / name).mkdir()
        bench = Bench(root / "now", root / "files", locks=True)
        scene.prepare(bench)
        self._take(bench)
        for step in scene.steps:
            step.act(bench)
            self._take(bench)

    def _take(self, bench: Bench) -> None:
        self._trees.append(tree_of(bench.folder))
        self.states.append(bench.seen(self.aside)[0])
        self._is_open.append(bench.library is not None)

    def bench(self, number: int) -> Bench:
        """Return everything as it is before a step, but for the library, which is closed."""
        put_tree(self._trees[number], self.root / "now")
        return Bench(self.root / "now", self.root / "files", locks=True)

    def first_for(self, number: int) -> int:
        """Return the step to begin with where one shall fail: some step of ours before it."""
        first = max(0, number - 1)
        while first and self.scene.steps[first].others:
            first -= 1
        return first

    def trial(self, number: int, fault: Fault) -> list[Finding]:
        """Let one call of a step fail, and return what is wrong then."""
        first = self.first_for(number)
        bench = self.bench(first)
        with Layer(bench.folder) as layer:
            trial = Trial(bench, self.scene, self.states, layer, self.aside)
            if self._is_open[first]:
                bench.open()
            trial.run(first, number, fault)
        return trial.findings

    def calls(self, number: int) -> list[str]:
        """Return the calls of a step."""
        first = self.first_for(number)
        bench = self.bench(first)
        with Layer(bench.folder) as layer:
            if self._is_open[first]:
                bench.open()
            for step in self.scene.steps[first:number]:
                with layer.paused() if step.others else nullcontext():
                    step.act(bench)
            layer.arm(None)
            self.scene.steps[number].act(bench)
            calls = [call.kind for call in layer.armed_calls]
            bench.close()
        return calls


@functools.cache
def sweep(scene: Scene) -> list[Finding]:
    """Return what is wrong in a scene in which calls fail."""
    findings: list[Finding] = []
    count = 0
    with place(scene.compact_bytes) as root:
        stage = Stage(scene, root)
        for number, step in enumerate(scene.steps):
            if not step.others and (SOAK > 1 or step in scene.new):
                for fault in faults(stage.calls(number), count):
                    findings += stage.trial(number, fault)
                    count += 1
    return findings
