"""Anchorlight's own two themes: calm, with colour only where it says something.

Text has a contrast of at least 4.5:1 against its background (WCAG 2.1, 1.4.3); a test checks it.
"""

from textual.color import Color
from textual.theme import Theme

DARK = Theme(
    name="anchorlight-dark",
    primary="#7fb4e6",
    secondary="#8fa3b8",
    accent="#e8b063",
    success="#8ec07c",
    warning="#e8b063",
    error="#f07f78",
    foreground="#d8dce2",
    background="#15181d",
    surface="#15181d",
    panel="#1f242b",
    dark=True,
    variables={
        "muted": "#98a1ad",
        "rule": "#343b45",
        "cursor": "#2b3644",
        "cursor-blurred": "#20262e",
        "mark": "#15181d",
        "mark-background": "#e8b063",
        "input-selection-background": "#3d5a7a",
    },
)

LIGHT = Theme(
    name="anchorlight-light",
    primary="#1f5f9e",
    secondary="#4c5b6b",
    accent="#8a5300",
    success="#2f6b1f",
    warning="#8a5300",
    error="#b3261e",
    foreground="#22262b",
    background="#fbfaf7",
    surface="#fbfaf7",
    panel="#efede7",
    dark=False,
    variables={
        "muted": "#5c646e",
        "rule": "#d3cfc5",
        "cursor": "#dbe7f3",
        "cursor-blurred": "#eceae3",
        "mark": "#22262b",
        "mark-background": "#ffd68a",
        "input-selection-background": "#bcd6ef",
    },
)


def own_variables(theme: Theme) -> dict[str, str]:
    """Return our colours as they follow from one of Textual's own themes."""
    colours = theme.to_color_system().generate()
    ground, text = Color.parse(colours["background"]), Color.parse(colours["foreground"])
    if theme.ansi or ground.ansi is not None or text.ansi is not None:  # the terminal's colours
        grey = "ansi_bright_black"
        return {
            "muted": grey,
            "rule": grey,
            "cursor": grey,
            "cursor-blurred": grey,
            "mark": "ansi_black",
            "mark-background": "ansi_yellow",
        }
    mark = Color.parse(colours["accent"])
    return {
        "muted": text.blend(ground, 0.32).hex6,
        "rule": text.blend(ground, 0.8).hex6,
        "cursor": Color.parse(colours["primary"]).blend(ground, 0.72).hex6,
        "cursor-blurred": text.blend(ground, 0.9).hex6,
        "mark": mark.get_contrast_text(1.0).hex6,
        "mark-background": mark.hex6,
    }
