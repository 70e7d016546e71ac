"""Whatever call of the system fails: what was acknowledged stays, what was not is no half thing.

A scene is played once for each call that it makes, with this call failing, and for many of them
with all later ones failing as well (`errors.py`).
"""

from __future__ import annotations

import pytest

from .errors import sweep
from .scenes import SCENES, Scene, check

each_scene = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)


@each_scene
def test_nothing_but_our_own_errors_comes_out(scene: Scene) -> None:
    check(sweep(scene), "not ours")


@each_scene
def test_what_was_acknowledged_is_on_disk_and_nothing_is_there_by_half(scene: Scene) -> None:
    check(sweep(scene), "on disk")


@each_scene
def test_what_is_shown_is_what_is_stored(scene: Scene) -> None:
    check(sweep(scene), "in memory")


@each_scene
def test_the_library_goes_on_once_the_error_is_gone(scene: Scene) -> None:

    check(sweep(scene), "stuck", "afterwards", "in the end")


@each_scene
def test_an_error_leaves_no_alarm_behind(scene: Scene) -> None:
    check(sweep(scene), "alarm")


@each_scene
def test_an_error_leaves_no_file_open_and_no_unfinished_file(scene: Scene) -> None:
    check(sweep(scene), "left open", "litter")
