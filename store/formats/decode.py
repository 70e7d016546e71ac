"""From the bytes of a file to its text."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_TEXT_CONTROLS = b"\t\n\x0c\r"
_LOOKED_AT = 1 << 16
_EMPTY = "the file is empty"

_DECLARED = re.compile(
    rb"""(?:%\s*Encoding:\s*|<\?xml[^>]{0,99}?encoding=["'])([\w.:-]+)""", re.IGNORECASE
)
"""How a file says its encoding: BibTeX as JabRef writes it, and XML."""

_NAMES = {"cp1252": "Windows-1252", "iso8859-1": "Latin-1", "gb18030": "GBK"}
_GBK_RUNS = re.compile(rb"[\x80-\xff]+")
_GBK_COMMON = re.compile(rb"[\xa1-\xa3\xb0-\xd7][\xa1-\xfe]")
"""Punctuation and the characters of GB 2312 that are in common use."""


class Decoded(NamedTuple):
    """A file's text, how its encoding was guessed if it was, or why it is no text."""

    text: str
    guess: str = ""
    problem: str = ""


def decode(data: bytes, *, is_whole: bool = True) -> Decoded:
    """Return the text of a file, its lines ending in line feeds.

    A byte order mark tells the encoding; else it is UTF-8 where the bytes are; else what the file
    says, where the bytes are that; else it is guessed: UTF-16, GBK or Windows-1252.

    Args:
        data: The content.
        is_whole: Whether it is all of it; otherwise the last character may be cut.
    """
    if not data.strip():
        return Decoded("", problem=_EMPTY)
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            text = data[len(bom) :].decode(encoding, "replace")
            if not text.strip():
                return Decoded("", problem=_EMPTY)
            return Decoded(_lines(text if is_whole else text.removesuffix("\ufffd")))
    if encoding := _utf_16(data[:_LOOKED_AT]):
        text = data.decode(encoding, "replace")
        kind = "big" if encoding.endswith("be") else "little"
        return Decoded(_lines(text), f"no byte order mark: read as UTF-16, {kind} end first")
    head = data[:_LOOKED_AT]
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head)
    if b"\0" in head or controls * 20 > len(head):
        return Decoded("", problem="this is no text: it holds control bytes")
    try:
        return Decoded(_lines(_strictly(data, "utf-8", is_whole=is_whole)))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
    return _declared_or_guessed(data, line, is_whole=is_whole)


def _declared_or_guessed(data: bytes, line: int, *, is_whole: bool) -> Decoded:
    found = _DECLARED.search(data[:1024])
    declared = found[1].decode("ascii", "replace") if found else ""
    try:
        encoding = codecs.lookup(declared).name if declared else ""
        if encoding:
            return Decoded(_lines(_strictly(data, encoding, is_whole=is_whole)))
    except (LookupError, UnicodeError, ValueError):
        pass
    what = f"it says {declared}, but is not" if declared else "not UTF-8"
    for encoding in ("gb18030", "cp1252", "iso8859-1"):  # the last knows every byte
        if encoding == "gb18030" and not _looks_like_gbk(data):
            continue
        try:
            text = _strictly(data, encoding, is_whole=is_whole)
        except UnicodeError:
            continue
        return Decoded(_lines(text), f"{what} (line {line}): read as {_NAMES[encoding]}")
    raise AssertionError("Latin-1 decodes everything")


def _strictly(data: bytes, encoding: str, *, is_whole: bool) -> str:
    """Decode all bytes, but for a character that is cut at the end of a part.

    Raises:
        LookupError: No encoding of texts has this name.
        UnicodeError: They are of another encoding.
    """
    if is_whole:
        return data.decode(encoding)
    return codecs.getincrementaldecoder(encoding)().decode(data)


def _utf_16(head: bytes) -> str:
    """Return which UTF-16 bytes look like: every other one is zero in what is mostly Latin."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    if min(even, odd) * 20 < max(even, odd) > len(head) // 8:
        return "utf-16-be" if even > odd else "utf-16-le"
    return ""


def _looks_like_gbk(data: bytes) -> bool:
    """Tell Chinese from Western letters: several in a row, in pairs, mostly common ones."""
    runs = _GBK_RUNS.findall(data[:_LOOKED_AT])
    pairs = [run[at : at + 2] for run in runs for at in range(0, len(run), 2)]
    common = sum(_GBK_COMMON.fullmatch(pair) is not None for pair in pairs)
    return len(pairs) >= 2 * len(runs) and common * 10 > len(pairs) * 7


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
