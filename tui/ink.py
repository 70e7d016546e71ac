"""The styles that lines are drawn with, taken from the theme once."""

from __future__ import annotations

from collections.abc import Mapping

from rich.style import Style
from textual.color import Color

_COLOURS = (
    "background", "foreground", "panel", "primary", "accent", "success", "error",
    "muted", "rule", "cursor", "cursor-blurred", "mark", "mark-background",
)  # fmt: skip


class Inks:
    """A style for each meaning, on the theme's background.

    Args:
        variables: The theme's colours by name.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        colours = {name: Color.parse(variables[name]) for name in _COLOURS}
        self._ground = colours["background"]
        text, muted, rule = colours["foreground"], colours["muted"], colours["rule"]
        cursor, blurred = colours["cursor"], colours["cursor-blurred"]
        mark, mark_ground = colours["mark"], colours["mark-background"]
        self.text = self._style(text)
        self.strong = self._style(text, bold=True)
        self.muted = self._style(muted)
        self.rule = self._style(rule)
        self.primary = self._style(colours["primary"])
        self.accent = self._style(colours["accent"])
        self.good = self._style(colours["success"])
        self.error = self._style(colours["error"], bold=True)
        self.mark = Style(color=mark.rich_color, bgcolor=mark_ground.rich_color, bold=True)
        self.cursor = Style(bgcolor=cursor.rich_color)
        self.blurred_cursor = Style(bgcolor=blurred.rich_color)
        panel = Style(bgcolor=colours["panel"].rich_color)
        self.bar = self.text + panel
        self.bar_muted = self.muted + panel
        self.bar_error = self.error + panel

    def _style(self, colour: Color, *, bold: bool = False) -> Style:
        return Style(color=colour.rich_color, bgcolor=self._ground.rich_color, bold=bold)


_KNOWN: dict[tuple[str, ...], Inks] = {}
_TELLING = ("background", "foreground", "primary", "accent")


def inks_of(variables: Mapping[str, str]) -> Inks:
    """Return the styles of a theme; made once, since every line that is drawn asks."""
    key = tuple([variables[name] for name in _TELLING])
    inks = _KNOWN.get(key)
    if inks is None:
        inks = _KNOWN[key] = Inks(variables)
    return inks
