"""What a command was called with."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import argparse

    from anchorlight.store import Library

    from .config import Config


class Call(NamedTuple):
    """What a command was called with."""

    arguments: argparse.Namespace
    config: Config
    open: Callable[[], Library]
    look: Callable[[], Library]
    """Opens the library for reading alone: nothing is made, mended or written."""
