"""A review as Markdown, as CommonMark and pandoc read it, with pandoc's citation keys."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...citations import cite
from ...paper import Entry
from ...text import clean_line, clean_note
from . import Options
from .review import Item, review_of

NOTE_LEVEL = 4
"""The level of the highest heading in a note: those of the review are of the first two."""

_SPECIAL = re.compile(r"[\\`*_\[\]<>#~$^@|&!{}]|(?<=-)-|-(?=-)|(?<=\.)\.(?=\.)")
_LINE_START = re.compile(
    r"([-+=:%]|\d+(?=[.)])|[a-z]{1,5}(?=[.)])|[IVXLCDM]{2,5}(?=\.)|[A-Z]{1,5}(?=\))"
    r"|\([A-Za-z\d]{1,5}(?=\)))"
)
"""What begins a list, an underline or a definition, numbers of pandoc's lists among them."""

_KEY = re.compile(r"[A-Za-z0-9_](?:[:.#$%&+?<>~/-]?[A-Za-z0-9_])*")
_BRACED_KEY = re.compile(r"[^{}\s\\]+")
_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})(.*)")
_HEADING = re.compile(r"( {0,3})(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_NO_PARAGRAPH = re.compile(
    r"\s*$| {4}|\t| {0,3}(?:[#>|]|[-+*](?:\s|$)|\d+[.)]\s|<|[`~]{3}|[-*_=]{3})"
)


def write(entries: Iterable[Entry], options: Options) -> Iterator[str]:
    """Yield the review.

    Raises:
        ValueError: The options name no group or style that there is.
    """
    review = review_of(entries, options)
    yield f"# {escaped(review.title)}\n\n"
    yield "\n".join(map(_sentence, review.summary)) + "\n"
    for section in review.sections:
        if section.title:
            yield f"\n## {escaped(section.title)}\n"
        for item in section.items:
            yield "\n" + "".join(_lines(item, options))
    if review.bibliography:
        yield "\n## References\n\n"
    for number, paper in enumerate(review.bibliography, 1):
        bullet = f"{number}." if options.style == "ieee" else "-"
        yield f"{bullet} {_sentence(cite(paper, options.style))}\n"


def _lines(item: Item, options: Options) -> Iterator[str]:
    entry = item.entry
    key = _citation(entry.paper.key)
    told = " ".join(filter(None, (key, escaped(item.mention))))
    signs = escaped(" ".join(item.signs))
    yield f"- **{escaped(entry.paper.display_title)}** {told}{' ' if signs else ''}{signs}\n"
    if item.is_again:
        yield "\n  (see above)\n"
        return
    if options.abstracts and item.opening:
        yield f"\n  {_sentence(item.opening)}\n"
    if options.notes and entry.note.strip():
        yield "\n"
        for line in quoted(entry.note):
            yield f"  > {line}".rstrip() + "\n"


def escaped(text: str) -> str:
    """Return text on one line so that no character of it is taken for markup."""
    return _SPECIAL.sub(r"\\\g<0>", clean_line(text))


def _sentence(text: str) -> str:
    """Return text that begins a line, where more is taken for markup."""
    line = escaped(text)
    found = _LINE_START.match(line)
    if not found:
        return line
    at = found.end() if found[1][0].isalnum() or found[1][0] == "(" else 0
    return f"{line[:at]}\\{line[at:]}"


def _citation(key: str) -> str:
    """Return pandoc's citation of a key; none for a key that it cannot have."""
    if _KEY.fullmatch(key):
        return f"[@{key}]"
    return f"[@{{{key}}}]" if _BRACED_KEY.fullmatch(key) else ""


def quoted(note: str) -> list[str]:
    """Return the lines of a note, which is Markdown, its headings below those of the review.

    What stands in fenced code is no heading.
    """
    lines: list[str] = []
    fence = ""
    for line in clean_note(note).strip("\n").split("\n"):
        if found := _FENCE.fullmatch(line):
            if not fence and not (found[2][0] == "`" and "`" in found[3]):
                fence = found[2]
            elif found[2].startswith(fence) and not found[3].strip():
                fence = ""
        elif not fence and (heading := _HEADING.match(line)):
            level = min(6, len(heading[2]) + NOTE_LEVEL - 1)
            line = f"{heading[1]}{'#' * level}{line[heading.end() :]}"
        elif not fence and (under := _UNDERLINE.fullmatch(line)) and _is_paragraph(lines):
            level = NOTE_LEVEL if under[1][0] == "=" else NOTE_LEVEL + 1
            last = lines.pop()
            lines += [
                *([""] if lines and lines[-1].strip() else []),
                f"{'#' * level} {last.strip()}",
            ]
            continue
        lines.append(line)
    return lines


def _is_paragraph(lines: list[str]) -> bool:
    return bool(lines) and not _NO_PARAGRAPH.match(lines[-1])
