"""Quick ways to act on the running program, and a check of all that it paints."""

from __future__ import annotations

from textual import events

from .conftest import Program
from .hostile import check_strip


async def paste(program: Program, text: str) -> None:
    """Put text into what has the keys in one go; typing waits after each letter."""
    assert program.app.focused is not None
    program.app.focused.post_message(events.Paste(text))
    await program.settle()


async def do(program: Program, name: str, count: int = 1) -> None:
    """Do a command of the reading screen, as its key does."""
    for _ in range(count):
        program.screen.do(name)
    await program.settle()


def check_screen(program: Program) -> str:
    """Check every line that is painted and return them."""
    screen = program.app.screen
    strips = screen._compositor.render_strips(screen.size)
    assert len(strips) == screen.size.height
    return "\n".join(check_strip(strip, screen.size.width) for strip in strips)
