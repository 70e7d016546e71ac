r"""Text as LaTeX, so that BibTeX's styles and pdflatex print what was meant.

Letters with accents and the signs below become commands. What LaTeX has no command for, such as
Chinese, stays as it is: only XeLaTeX and LuaLaTeX print it, with a font that has it. Some letters
(đ, ð, þ, ŋ, ą) and quotes („, «) need `\usepackage[T1]{fontenc}`.
"""

from __future__ import annotations

import re
import unicodedata

from ...text import clean

_SPECIAL = {
    "\\": r"{\textbackslash}", "{": r"{\textbraceleft}", "}": r"{\textbraceright}",
    "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "~": r"{\textasciitilde}",
    "^": r"{\textasciicircum}", "<": r"{\textless}", ">": r"{\textgreater}",
    "|": r"{\textbar}", "`": r"{\textasciigrave}",
}  # fmt: skip
"""What LaTeX reads as something else; braces are commands, as BibTeX counts escaped ones too."""

_RUNS = {"-": "-", "–": "--", "—": "---", "'": "'", "“": "``", "”": "''"}
"""What becomes something else beside its like."""

_ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0323": "d",
    "\u0327": "c", "\u0328": "k", "\u0331": "b",
}  # fmt: skip

_LETTERS = {
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l",
    "Ł": "L", "ı": "i", "ȷ": "j", "đ": "dj", "Đ": "DJ", "ð": "dh", "Ð": "DH", "þ": "th",
    "Þ": "TH", "ŋ": "ng", "Ŋ": "NG", "å": "aa", "Å": "AA",
    "‘": "textquoteleft", "’": "textquoteright", "‚": "quotesinglbase", "„": "quotedblbase",
    "«": "guillemotleft", "»": "guillemotright", "‹": "guilsinglleft", "›": "guilsinglright",
    "…": "ldots", "§": "S", "¶": "P", "©": "copyright", "®": "textregistered",
    "™": "texttrademark", "†": "dag", "‡": "ddag", "•": "textbullet", "£": "pounds",
    "€": "texteuro", "°": "textdegree", "¿": "textquestiondown", "¡": "textexclamdown",
    "·": "textperiodcentered", "ª": "textordfeminine", "º": "textordmasculine",
    "µ": "textmu", "½": "textonehalf", "¼": "textonequarter", "¾": "textthreequarters",
    "−": "textminus", "¥": "textyen", "¢": "textcent",
}  # fmt: skip

_MATH = {
    **{chr(code): name for code, name in zip(
        (*range(0x3B1, 0x3BF), *range(0x3C0, 0x3CA)),
        "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho "
        "varsigma sigma tau upsilon varphi chi psi omega".split(),
        strict=True,
    )},
    "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi",
    "Σ": "Sigma", "Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega", "ϕ": "phi",
    "ϵ": "epsilon", "×": "times", "÷": "div", "±": "pm", "∓": "mp", "≤": "leq", "≥": "geq",
    "≠": "neq", "≈": "approx", "≡": "equiv", "∼": "sim", "∝": "propto", "∞": "infty",
    "→": "rightarrow", "←": "leftarrow", "↔": "leftrightarrow", "⇒": "Rightarrow",
    "⇐": "Leftarrow", "⇔": "Leftrightarrow", "∈": "in", "∉": "notin", "⊂": "subset",
    "⊆": "subseteq", "∪": "cup", "∩": "cap", "∅": "emptyset", "∀": "forall", "∃": "exists",
    "∑": "sum", "∏": "prod", "∫": "int", "∂": "partial", "∇": "nabla", "⊗": "otimes",
    "⊕": "oplus", "ℓ": "ell",
    "≪": "ll", "≫": "gg", "⟨": "langle", "⟩": "rangle", "∘": "circ", "⊥": "perp", "∥": "parallel",
    "⊤": "top", "∧": "wedge", "∨": "vee", "¬": "neg", "∗": "ast", "⋯": "cdots", "≃": "simeq",
    "≅": "cong", "⊃": "supset", "⊇": "supseteq", "∖": "setminus", "↦": "mapsto",
}  # fmt: skip

_RAISED = dict(
    zip(
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ",
        "0123456789+-=()abcdefghijklmnoprstuvwxyz",
        strict=True,
    )
)
_LOWERED = dict(
    zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", "0123456789+-=()aehijklmnoprstuvx", strict=True)
)

_ENTITY = re.compile(r"&(?=#?\w+;)")
_ASCII = re.compile(r"[\\{}$&%#_~^<>|`]|[-–—]+|['“”]+")
_WITHOUT_BRACES = re.compile(r"[\\$&%#_~^<>|`]|[-–—]+|['“”]+")
_OTHER = re.compile("[^\x00-\x7f\u0300-\u036f][\u0300-\u036f]*|[A-Za-z=][\u0300-\u036f]+")


def escape(text: str, *, unicode: bool = False, braces: bool = False) -> str:
    """Return text as LaTeX.

    Args:
        text: Any text; control characters are left out.
        unicode: Whether letters and signs beyond ASCII stay as they are.
        braces: Whether braces in the text are balanced, and hold together (as in names).
    """
    text = clean(text)
    pattern = _WITHOUT_BRACES if braces and _is_balanced(text) else _ASCII
    opened = 0

    def special(found: re.Match[str]) -> str:
        nonlocal opened
        if found[0] in _SPECIAL:
            return _SPECIAL[found[0]]
        if unicode:
            return "{}".join(found[0])
        shown = []
        for char in found[0]:
            if char == "”" and not opened:
                shown.append(r"{\textquotedblright}")
                continue
            opened += (char == "“") - (char == "”")
            shown.append(_RUNS[char])
        return "{}".join(shown)

    # What would be read as an entity of HTML is held apart.
    shown = r"{\&}".join(pattern.sub(special, piece) for piece in _ENTITY.split(text))
    if unicode or shown.isascii():
        return shown
    decomposed = unicodedata.normalize("NFD", shown)
    return unicodedata.normalize("NFC", _OTHER.sub(_command, decomposed))


def _is_balanced(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return False
    return not depth


def _command(found: re.Match[str]) -> str:
    """Return the command for a character with its accents, or both as they are."""
    whole = unicodedata.normalize("NFC", found[0])
    if whole == "\xa0":
        return "~"
    if whole in _RAISED:
        raised = _RAISED[whole]  # letters in text are ordinals, as in 1st
        return f"{{$^{{{raised}}}$}}" if raised.isalpha() else rf"\textsuperscript{{{raised}}}"
    if whole in _LOWERED:
        return rf"\textsubscript{{{_LOWERED[whole]}}}"
    if whole in _MATH:
        return rf"{{$\{_MATH[whole]}$}}"
    if whole in _LETTERS:
        return rf"{{\{_LETTERS[whole]}}}"
    char, accents = found[0][0], found[0][1:]
    if not accents or not all(accent in _ACCENTS for accent in accents):
        return whole
    if char in "ij" and accents[0] not in "\u0323\u0327\u0328\u0331":
        shown = f"\\{char}"
    elif char.isalpha() and char.isascii():
        shown = char
    elif char.isalpha() and char in _LETTERS:
        shown = f"\\{_LETTERS[char]}"
    else:
        return whole
    for accent in map(_ACCENTS.__getitem__, accents):
        gap = " " if accent.isalpha() and shown[0].isalpha() else ""
        shown = rf"{{\{accent}{gap}{shown}}}"
    return shown
