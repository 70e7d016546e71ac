r"""LaTeX that strays into running text (`na\"{i}ve`, `95\%`, `--`) becomes readable Unicode.

Only what is certain is turned; mathematics between dollar signs and every command not listed here
stay as written, since a guess would lose the author's words.
"""

from __future__ import annotations

import re
import unicodedata

_ACCENTS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "d": "\u0323",
    "b": "\u0331", "k": "\u0328", "r": "\u030a",
}  # fmt: skip
_LETTERS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł",
    "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ",
    "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ",
}  # fmt: skip

_MATH = re.compile(r"((?<!\\)\$[^$\n]*[^$\n\\]\$)")
_BASE = r"(?:\{\\?([A-Za-z])\}|\\([ij])(?:(?![A-Za-z\s])|\s)|([A-Za-z]))"
_ACCENT = re.compile(
    rf"\{{\\([\"'`^~=.])\s*{_BASE}\}}"  # {\"u}
    rf"|\\([\"'`^~=.])\s*{_BASE}"  # \"u \"{u}
    rf"|\{{\\([uvHcdbkr])(?:\s+|(?=[{{\\])){_BASE}\}}"  # {\v s}
    r"|\\([uvHcdbkr])\{\\?([A-Za-z])\}"  # \v{s}
)
_LETTER = re.compile(
    r"\{\\(" + "|".join(sorted(_LETTERS, key=len, reverse=True)) + r")\}"
    r"|\\(" + "|".join(sorted(_LETTERS, key=len, reverse=True)) + r")(?:\{\}|(?![A-Za-z])\s?)"
)
_ESCAPE = re.compile(r"\\([%&_#$])")
_DASHES = re.compile(r"(?<=[^\W_])(-{2,3})(?=[^\W_])|(?<=\s)(-{2,3})(?=\s)")


def to_text(source: str) -> str:
    """Return source with accents, special letters, escapes and dashes as Unicode."""
    if "\\" not in source and "--" not in source:
        return source
    pieces = _MATH.split(source)
    pieces[::2] = [_plain(piece) for piece in pieces[::2]]
    return "".join(pieces)


def _plain(source: str) -> str:
    source = _ACCENT.sub(_accented, source)
    source = _LETTER.sub(lambda found: _LETTERS[found[1] or found[2]], source)
    source = _ESCAPE.sub(r"\1", source)
    return _DASHES.sub(lambda found: "–" if len(found[0]) == 2 else "—", source)


def _accented(found: re.Match[str]) -> str:
    accent, base = (group for group in found.groups() if group)
    return unicodedata.normalize("NFC", base + _ACCENTS[accent])
