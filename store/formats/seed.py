"""The text that a "related papers" service prints: a title and abstracts, all cut short.

The first line is `Related papers: TITLE`, the title cut at 50 characters; then one paragraph an
abstract, cut at a word before about 240 characters, with an ellipsis. What is known about the
papers beyond that stands in `seed-facts.json` beside the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..files import UNREADABLE
from ..identity import normal_ids
from ..latex import to_text
from ..paper import Paper
from ..text import ELLIPSIS, clean_line, fingerprint_text, strip_ellipsis
from .found import Found, FoundList, Guess, Refusal, RefusedError
from .input import Input

FACTS_NAME = "seed-facts.json"

_HEADER = re.compile(r"\s*Related papers:[^\S\n]*(?P<title>[^\n]*)(?:\n|$)")

Fact = dict[str, Any]

_KINDS = {"title": str, "authors": list, "year": int, "venue": str, "arxiv_id": str, "doi": str}


def looks_like(head: str) -> bool:
    """Tell whether a file that begins like this is a seed list."""
    return _HEADER.match(head) is not None


def read(source: Input) -> Iterator[Found]:
    """Yield the list, with the facts beside it where there are any.

    Raises:
        RefusedError: It has no header.
    """
    text = source.text()
    header = _HEADER.match(text)
    if not header:
        raise RefusedError("the first line is not “Related papers: …”", 1)
    facts, guesses = _facts(source.path)
    title = _titled(header["title"])
    anchor = Paper("", title=title, source=source.path.name)
    anchor = _completed(anchor, facts.get(None), title, guesses)
    papers = []
    first_line = text.count("\n", 0, header.end()) + 1
    for position, (line, paragraph) in enumerate(_paragraphs(text[header.end() :], first_line), 1):
        abstract, truncated = strip_ellipsis(to_text(clean_line(paragraph)))
        if not fingerprint_text(abstract):
            yield Refusal(line, f"abstract {position}", "the paragraph holds no words")
            continue
        paper = Paper("", abstract=abstract, truncated=truncated, source=source.path.name)
        papers.append(_completed(paper, facts.get(position), abstract, guesses))
    yield FoundList(anchor, tuple(papers))
    yield from map(Guess, guesses)


def _titled(text: str) -> str | None:
    title, cut = strip_ellipsis(to_text(clean_line(text)))
    return (title + ELLIPSIS if cut else title) or None


def _paragraphs(text: str, line: int) -> Iterator[tuple[int, str]]:
    """Yield paragraphs with the number of their first line; blanks alone make a line empty."""
    held: list[str] = []
    start = line
    for number, content in enumerate([*text.split("\n"), ""], line):
        if content.strip():
            if not held:
                start = number
            held.append(content)
        elif held:
            yield start, " ".join(held)
            held = []


def _facts(path: Path) -> tuple[dict[int | None, Fact], list[str]]:
    """Return what is known of a file's papers by position, None the anchor's, and what is wrong."""
    facts_path = path.with_name(FACTS_NAME)
    try:
        data = json.loads(facts_path.read_bytes())
        return {fact["position"]: fact for fact in data if fact["seed_file"] == path.name}, []
    except (FileNotFoundError, NotADirectoryError):
        return {}, []
    except (OSError, *UNREADABLE) as error:
        return {}, [f"{facts_path} cannot be used: {error}"]


def _completed(paper: Paper, fact: Fact | None, text: str | None, guesses: list[str]) -> Paper:
    """Join what is known to a paper, if it fits the words that the list has of it."""
    if not fact or not fact.get("title"):
        return paper
    opening = _titled(str(fact.get("opening") or "").removeprefix("Related papers:")) or ""
    known = fingerprint_text(strip_ellipsis(opening)[0])
    if not known or not fingerprint_text(text or "").startswith(known):
        guesses.append(f"the facts for “{opening}” do not fit the list: left out")
        return paper
    bad = [name for name, kind in _KINDS.items() if not isinstance(fact.get(name), kind | None)]
    if "authors" not in bad and not all(isinstance(n, str) for n in fact.get("authors") or ()):
        bad.append("authors")
    if bad:
        guesses.append(f"the facts for “{opening}”: {', '.join(bad)} cannot be used")
        fact = {name: value for name, value in fact.items() if name not in bad}
    names = fact.get("authors") or []
    told = {"arxiv": fact.get("arxiv_id"), "doi": fact.get("doi")}
    return replace(
        paper,
        title=clean_line(fact.get("title") or "") or None,
        authors=tuple(clean_line(name) for name in names if isinstance(name, str)),
        authors_complete=fact.get("authors_complete") is not False,
        year=fact.get("year"),
        venue=clean_line(fact.get("venue") or "") or None,
        ids=normal_ids((scheme, value) for scheme, value in told.items() if value),
    )
