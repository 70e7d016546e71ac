"""Text as it is kept: readable Unicode, without anything a terminal could act on."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

ELLIPSIS = "…"

# C0 and C1 controls, and the invisible characters that change direction, hide text or have no
# width that two terminals agree on. ZWJ and ZWNJ stay: emoji and several scripts need them.
_UNWANTED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb]"
)
_BREAKS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_SURROGATES = re.compile("[\ud800-\udfff]")

# Letters that Unicode does not decompose, as researchers type them on a plain keyboard.
_LETTERS = str.maketrans(
    {
        "ß": "ss", "ẞ": "ss", "æ": "ae", "Æ": "ae", "œ": "oe", "Œ": "oe", "ø": "o", "Ø": "o",
        "ł": "l", "Ł": "l", "đ": "d", "Đ": "d", "ð": "d", "Ð": "d", "þ": "th", "Þ": "th",
        "ħ": "h", "Ħ": "h", "ı": "i", "ŋ": "n", "Ŋ": "n", "ĸ": "k", "ŧ": "t", "Ŧ": "t",
    }
)  # fmt: skip


_NO_ALNUM = bytes(code for code in range(128) if not chr(code).isalnum())
_FIRST_MARK = "\u0300"
"""No character before this one is a combining mark."""


def clean(text: str) -> str:
    """Return text in NFC, with line feeds as its only control characters (tabs become blanks)."""
    if text.isascii() and text.isprintable():
        return text
    if all(map(str.isprintable, text.split("\n"))):  # quicker than to look for what is unwanted
        return unicodedata.normalize("NFC", text)
    text = _SURROGATES.sub("\ufffd", text)
    text = _BREAKS.sub("\n", text).replace("\t", " ")
    return unicodedata.normalize("NFC", _UNWANTED.sub("", text))


def clean_line(text: str) -> str:
    """Return text as one cleaned line, each run of white space as one blank."""
    plain = text.isascii() and text.isprintable()  # as most are: there are many at once
    return " ".join((text if plain else clean(text)).split())


def clean_note(text: str) -> str:
    """Return a note as it is stored: the reader's own layout, tabs too, without controls."""
    return "\t".join(clean(part) for part in text.split("\t"))


@lru_cache(maxsize=1 << 16)
def fold(text: str) -> str:
    """Return text without case, accents, ligatures or width variants, for comparing.

    The form is NFKD without combining marks, case-folded (Unicode Standard, sections 3.11, 5.18).
    """
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    bare = "".join(
        [char for char in decomposed if char < _FIRST_MARK or not unicodedata.combining(char)]
    )
    bare = bare.translate(_LETTERS)  # what decomposes into a letter and an accent, as ǽ does
    return unicodedata.normalize("NFKC", bare.casefold())


def fingerprint_text(text: str) -> str:
    """Return the folded letters and digits of text: what two spellings of one text share."""
    if text.isascii():  # without `fold`, which remembers: texts come by once, and are long
        return text.lower().encode("ascii").translate(None, _NO_ALNUM).decode("ascii")
    return "".join(filter(str.isalnum, fold(text)))


def strip_ellipsis(text: str) -> tuple[str, bool]:
    """Split a cut text into its words and whether it was cut ("…" or "..." at its end)."""
    stripped = text.rstrip()
    for mark in (ELLIPSIS, "..."):
        if stripped.endswith(mark):
            return stripped.removesuffix(mark).rstrip(), True
    return stripped, False


def opening(text: str, words: int = 10) -> str:
    """Return the first words of text, with an ellipsis where more follow."""
    first = text.split(maxsplit=words)
    return " ".join(first[:words]) + (ELLIPSIS if len(first) > words else "")
