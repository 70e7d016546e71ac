"""A review as one HTML page that needs nothing else: no script, no font, no picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from ...citations import address, cite
from ...paper import Entry, Paper
from ...text import clean, clean_line, clean_note
from . import Options
from .review import Item, review_of

_STYLE = """
:root { color-scheme: light dark; --ink: #1d1d1f; --soft: #5c5c66; --line: #d8d8de;
  --paper: #fdfdfb; --link: #1a4f8b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e3; --soft: #a2a2aa; --line: #3c3c44;
  --paper: #18181b; --link: #8fb8ea; } }
body { margin: 3rem auto; padding: 0 1.25rem; max-width: 42rem; color: var(--ink);
  background: var(--paper); font: 1.0625rem/1.55 Charter, Georgia, "Noto Serif", serif;
  overflow-wrap: break-word; }
h1, h2 { line-height: 1.25; font-weight: 600; }
h1 { font-size: 1.7rem; }
h2 { margin-top: 2.5rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line);
  font-size: 1.25rem; }
h3 { margin: 1.6rem 0 .1rem; font-size: 1.0625rem; }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px; }
p { margin: .3rem 0; }
.soft { color: var(--soft); font-size: .92em; }
blockquote { margin: .5rem 0 0; padding: .1rem 0 .1rem .9rem; border-left: 3px solid var(--line);
  white-space: pre-wrap; }
ol, ul { padding-left: 1.6rem; }
.plain { padding-left: 0; list-style: none; }
.plain li { padding-left: 1.6rem; text-indent: -1.6rem; }
li { margin: .4rem 0; }
@media print { :root { --ink: #000; --soft: #444; --line: #999; --paper: #fff; --link: #000; }
  body { margin: 0; max-width: none; font-size: 10.5pt; } article { break-inside: avoid; }
  h2, h3 { break-after: avoid; } a { text-decoration: none; } }
"""


def write(entries: Iterable[Entry], options: Options) -> Iterator[str]:
    """Yield the page. Every text in it is escaped; a note stands as it was written.

    Raises:
        ValueError: The options name no group or style that there is.
    """
    review = review_of(entries, options)
    title = _text(review.title)
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    )
    for sentence in review.summary:
        yield f'<p class="soft">{_text(sentence)}</p>\n'
    for section in review.sections:
        yield "<section>\n"
        if section.title:
            yield f"<h2>{_text(section.title)}</h2>\n"
        for item in section.items:
            yield "".join(_article(item, options))
        yield "</section>\n"
    if review.bibliography:
        tag, kind = ("ol", "") if options.style == "ieee" else ("ul", ' class="plain"')
        yield f"<section>\n<h2>References</h2>\n<{tag}{kind}>\n"
        for number, paper in enumerate(review.bibliography, 1):
            yield f'<li id="ref-{number}">{_citation(paper, options.style)}</li>\n'
        yield f"</{tag}>\n</section>\n"
    yield "</body>\n</html>\n"


def _article(item: Item, options: Options) -> Iterator[str]:
    entry = item.entry
    yield f"<article>\n<h3>{_text(entry.paper.display_title)}</h3>\n"
    signs = "".join(f" · {_text(sign)}" for sign in item.signs)
    yield f'<p class="soft"><a href="#ref-{item.number}">{_text(item.mention)}</a>{signs}</p>\n'
    if item.is_again:
        yield '<p class="soft">(see above)</p>\n'
    else:
        if options.abstracts and item.opening:
            yield f"<p>{_text(item.opening)}</p>\n"
        if options.notes and entry.note.strip():
            note = clean_note(entry.note).strip("\n")
            yield f"<blockquote>{escape(note)}</blockquote>\n"
    yield "</article>\n"


def _text(text: str) -> str:
    return escape(clean_line(text))


def _citation(paper: Paper, style: str) -> str:
    """Return the entry of the bibliography, its address as a link."""
    text, link = clean(cite(paper, style)), clean_line(address(paper))
    if link and text.endswith(link):
        before = escape(text.removesuffix(link))
        return f'{before}<a href="{escape(link)}" rel="noreferrer">{escape(link)}</a>'
    return escape(text)
