"""The styles that lines are drawn with, taken from the theme once."""

from __future__ import annotations

from collections.abc import Mapping

from rich.style import Style
from textual.color import Color


class Inks:
    """A style for each meaning, on the theme's background.

    Args:
        variables: The theme's colours by name. Textual's own themes lack a few of ours, which
            are then mixed from what they have.
    """

    def __init__(self, variables: Mapping[str, str]) -> None:
        def colour(name: str, otherwise: Color) -> Color:
            return Color.parse(variables[name]) if name in variables else otherwise

        self._ground = ground = Color.parse(variables["background"])
        text = Color.parse(variables["foreground"])
        if ground.ansi is not None or text.ansi is not None:  # the terminal's own colours
            muted = rule = Color.parse("ansi_bright_black")
            cursor = blurred = Color.parse("ansi_bright_black")
            mark, mark_ground = Color.parse("ansi_black"), Color.parse("ansi_yellow")
        else:
            muted = colour("muted", text.blend(ground, 0.32))
            rule = colour("rule", text.blend(ground, 0.8))
            cursor = colour("cursor", Color.parse(variables["primary"]).blend(ground, 0.72))
            blurred = colour("cursor-blurred", text.blend(ground, 0.9))
            mark_ground = colour("mark-background", Color.parse(variables["accent"]))
            mark = colour("mark", mark_ground.get_contrast_text(1.0))
        self.text = self._style(text)
        self.strong = self._style(text, bold=True)
        self.muted = self._style(muted)
        self.rule = self._style(rule)
        self.primary = self._style(Color.parse(variables["primary"]))
        self.accent = self._style(Color.parse(variables["accent"]))
        self.good = self._style(Color.parse(variables["success"]))
        self.error = self._style(Color.parse(variables["error"]), bold=True)
        self.mark = Style(color=mark.rich_color, bgcolor=mark_ground.rich_color, bold=True)
        self.cursor = Style(bgcolor=cursor.rich_color)
        self.blurred_cursor = Style(bgcolor=blurred.rich_color)
        panel = Style(bgcolor=Color.parse(variables["panel"]).rich_color)
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
