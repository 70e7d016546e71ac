"""Superscripts and subscripts, as far as Unicode has characters for them."""

from __future__ import annotations

_RAISED = dict(
    zip(
        "0123456789+-−–=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWαβγδεθφχ′*∗",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵅᵝᵞᵟᵋᶿᵠᵡ′**",
        strict=True,
    )
)
_LOWERED = dict(
    zip(
        "0123456789+-−–=()aehijklmnoprstuvxβγρφχ",
        "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
        strict=True,
    )
)


def superscript(text: str) -> str | None:
    """Return text in superscript characters, or None where one of them does not exist."""
    return _turned(text, _RAISED)


def subscript(text: str) -> str | None:
    """Return text in subscript characters, or None where one of them does not exist."""
    return _turned(text, _LOWERED)


def written_script(text: str, *, above: bool) -> str | None:
    """Return running text set above or below the line, or None where it should stay as it is.

    What is above is left alone where it has letters ("19th", "™"), but for n and i.
    """
    if above and any(map(str.isalpha, text)) and text not in ("n", "i"):
        return None
    return superscript(text) if above else subscript(text)


def _turned(text: str, table: dict[str, str]) -> str | None:
    turned = [table.get(char, "") for char in text]
    return "".join(turned) if all(turned) else None


def grouped(text: str) -> str:
    """Return a part of a formula as it may stand beside another sign: "a", but "(a+b)"."""
    return text if text.isalnum() or len(text) < 2 else f"({text})"
