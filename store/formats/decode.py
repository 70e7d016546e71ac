"""From the bytes of a file to its text."""

from __future__ import annotations

import codecs
from typing import NamedTuple

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_TEXT_CONTROLS = b"\t\n\x0c\r"


class Decoded(NamedTuple):
    """A file's text, how its encoding was guessed if it was, or why it is no text."""

    text: str
    guess: str = ""
    problem: str = ""


def decode(data: bytes) -> Decoded:
    """Return the text of a file: UTF-8, UTF-16 with a byte order mark, else Windows-1252."""
    if not data.strip():
        return Decoded("", problem="the file is empty")
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            return Decoded(_lines(data[len(bom) :].decode(encoding, "replace")))
    head = data[:65536]
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head)
    if b"\0" in head or controls * 20 > len(head):
        return Decoded("", problem="this is no text: it holds control bytes")
    try:
        return Decoded(_lines(data.decode("utf-8")))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        # Five bytes mean nothing in Windows-1252; Latin-1 has a character for each.
        try:
            text = data.decode("cp1252")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
        return Decoded(_lines(text), f"not UTF-8 (line {line}): read as Windows-1252")


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
