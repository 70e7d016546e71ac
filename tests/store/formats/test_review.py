"""Reviews: what is in them, that no text becomes markup, and that notes stay the reader's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser

import pytest
from anchorlight.store import Entry, Mark, Paper, Status
from anchorlight.store.exporting import Options, export
from anchorlight.store.formats.writers import GROUPS
from anchorlight.store.formats.writers.review import review_of
from anchorlight.store.formats.writers.review_markdown import escaped, quoted
from anchorlight.store.text import clean_line
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from .papers import hostile_entries, hostile_text

READ = Entry(
    Paper("roe2020", title="A *first* title", authors=("Ann Roe",), year=2020, venue="X",
          abstract="It begins so. " + "word " * 80, ids={"doi": "10.1000/x"}),
    Mark(Status.READ, starred=True, tags=("moe", "memory")), "# Mine\n\nCompare **this**.",
)  # fmt: skip
UNREAD = Entry(Paper("doe2021", title="Second", authors=("Jo Doe", "Al Poe"), year=2021))
SKIPPED = Entry(Paper("k3", title="Third"), Mark(Status.SKIPPED, tags=("Memory",)))
ALL = (READ, UNREAD, SKIPPED)
MARKDOWN = MarkdownIt("commonmark")


def markdown(entries: Iterable[Entry], options: Options | None = None) -> str:
    return "".join(export(entries, "markdown", options))


def html(entries: Iterable[Entry], options: Options | None = None) -> str:
    return "".join(export(entries, "html", options))


def titles(entries: Iterable[Entry], group: str) -> dict[str, list[str | None]]:
    review = review_of(entries, Options(group=group))
    return {
        section.title: [item.entry.paper.title for item in section.items]
        for section in review.sections
    }


def test_papers_stand_in_the_groups_that_are_asked_for() -> None:
    first, second, third = "A *first* title", "Second", "Third"
    assert titles(ALL, "list") == {"": [first, second, third]}
    assert titles(ALL, "status") == {"Read": [first], "Unread": [second], "Skipped": [third]}
    assert titles(ALL, "year") == {"2021": [second], "2020": [first], "Year unknown": [third]}
    assert titles(ALL, "tag") == {
        "#memory": [first, third], "#moe": [first], "Without tags": [second],
    }  # fmt: skip


def test_the_summary_counts_what_was_done() -> None:
    assert review_of(ALL, Options()).summary == [
        "3 papers: 1 read, 1 unread, 1 skipped, 1 starred, 1 with notes.",
        "Tags: #memory (2), #moe (1).",
    ]
    assert review_of([], Options()).summary == ["0 papers."]


def test_a_review_in_markdown() -> None:
    assert markdown(ALL[:2], Options("Related to *X*", "status", "apa")) == (
        "# Related to \\*X\\*\n\n"
        "2 papers: 1 read, 1 unread, 1 starred, 1 with notes.\n"
        "Tags: \\#moe (1), \\#memory (1).\n"
        "\n## Read\n\n"
        "- **A \\*first\\* title** [@roe2020] (Roe, 2020) ★ read \\#moe \\#memory\n\n"
        "  > #### Mine\n  >\n  > Compare **this**.\n"
        "\n## Unread\n\n"
        "- **Second** [@doe2021] (Doe \\& Poe, 2021)\n"
        "\n## References\n\n"
        "- Doe, J., \\& Poe, A. (2021). Second.\n"
        "- Roe, A. (2020). A \\*first\\* title. X. https://doi.org/10.1000/x\n"
    )


def test_a_numbered_bibliography_is_in_the_order_of_the_text() -> None:
    text = markdown(ALL, Options(style="ieee"))
    assert "**Second** [@doe2021] \\[2\\]" in text
    assert "\n2. J. Doe and A. Poe" in text
    assert '<a href="#ref-2">[2]</a>' in html(ALL, Options(style="ieee"))


def test_a_note_is_quoted_once() -> None:
    text = markdown(ALL, Options(group="tag"))
    assert text.count("Compare") == 1
    assert text.count("(see above)") == 1


def test_openings_of_abstracts_are_quoted_if_asked() -> None:
    assert "It begins so." not in markdown(ALL)
    assert "It begins so." in markdown(ALL, Options(abstracts=True))
    assert len(review_of([READ], Options()).sections[0].items[0].opening.split()) == 60


@pytest.mark.parametrize(
    ("key", "citation"), [("doe:2020a", "[@doe:2020a]"), ("dö(1)", "[@{dö(1)}]"), ("a b", "")]
)
def test_keys_are_cited_as_pandoc_has_them(key: str, citation: str) -> None:
    assert f"**T** {citation}" in markdown([Entry(Paper(key, title="T"))])


def test_what_there_is_not_is_refused() -> None:
    for options in (Options(group="colour"), Options(style="mla")):
        with pytest.raises(ValueError, match="is none of"):
            markdown(ALL, options)


# Markdown: nothing becomes markup


def shown(source: str) -> str:
    """The text of one paragraph of Markdown; anything but text in it shows."""
    opened, inline, closed = MARKDOWN.parse(source)
    assert (opened.type, closed.type) == ("paragraph_open", "paragraph_close")
    kinds = {child.type for child in inline.children or ()}
    assert kinds <= {"text", "text_special"}, kinds
    return "".join(child.content for child in inline.children or ())


@given(hostile_text().filter(lambda text: bool(clean_line(text))))
def test_titles_stay_what_they_are(text: str) -> None:
    assert shown(f"x {escaped(text)} x") == f"x {clean_line(text)} x"


@pytest.mark.parametrize(
    "text",
    ["1. One", "2) Two", "- a", "+ a", "* a", "# a", "> a", "```", "~~~", "---", "===", "<b>",
     "a. b", "(1) a", ": a", "% a", "[a]: b", "| a |", "&amp;", "@doe", "\\*", "`a`", "$x$",
     "a -- b", "...", "![a](b)", "    a", "i. a"],
)  # fmt: skip
def test_no_line_begins_anything(text: str) -> None:
    abstract = Entry(Paper("k", title="T", abstract=text))
    source = markdown([abstract], Options(abstracts=True))
    paragraphs = [token.content for token in MARKDOWN.parse(source) if token.type == "inline"]
    quoted_opening = next(one for one in paragraphs[2:] if not one.startswith("**T**"))
    assert shown(quoted_opening) == clean_line(text)


@given(st.lists(hostile_entries(), max_size=3), st.sampled_from(GROUPS))
def test_no_text_changes_the_outline(entries: list[Entry], group: str) -> None:
    entries = [Entry(one.paper, Mark(one.mark.status, tags=("a",)), one.note) for one in entries]
    options = Options("T", group, abstracts=True)
    tokens = MARKDOWN.parse(markdown(entries, options))
    headings = [token.tag for token in tokens if token.type == "heading_open" and not token.level]
    sections = [section for section in review_of(entries, options).sections if section.title]
    assert headings == ["h1"] + ["h2"] * (len(sections) + bool(entries))
    deep = [token.tag for token in tokens if token.type == "heading_open" and token.level]
    assert not {"h1", "h2", "h3"}.intersection(deep)


# Notes


@pytest.mark.parametrize(
    ("note", "lines"),
    [
        ("# One\n## Two\n###### Six", ["#### One", "##### Two", "###### Six"]),
        ("#tag is no heading", ["#tag is no heading"]),
        ("```\n# code\n```\n# One", ["```", "# code", "```", "#### One"]),
        ("~~~~\n# code\n~~~\n~~~~\n# One", ["~~~~", "# code", "~~~", "~~~~", "#### One"]),
        ("One\n===\ntext", ["#### One", "text"]),
        ("text\nTwo\n---", ["text", "", "##### Two"]),
        ("- item\n---", ["- item", "---"]),
        ("\n---\n", ["---"]),
    ],
)
def test_headings_of_notes_stand_below_those_of_the_review(note: str, lines: list[str]) -> None:
    assert quoted(note) == lines


def test_a_note_that_opens_what_it_does_not_close_ends_with_itself() -> None:
    noted = [Entry(Paper(f"k{at}", title="T"), note="```\n<div>\n<!-- ") for at in range(2)]
    tokens = MARKDOWN.parse(markdown(noted))
    assert sum(token.type == "blockquote_open" for token in tokens) == 2
    assert sum(token.type == "heading_open" for token in tokens) == 2


# HTML


class Page(HTMLParser):
    """The elements of a page and its text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.addresses: list[str] = []
        self.texts: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.addresses += [value or "" for name, value in attributes if name in ("href", "src")]
        assert not [name for name, _ in attributes if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@given(st.lists(hostile_entries(), max_size=2), hostile_text())
def test_no_text_becomes_an_element(entries: list[Entry], heading: str) -> None:
    page = Page(html(entries, Options(heading, "status", abstracts=True)))
    assert set(page.tags) <= {
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "p", "section",
        "article", "a", "blockquote", "ol", "ul", "li",
    }  # fmt: skip
    assert all(re.match(r"#ref-\d+$|https?://", address) for address in page.addresses)


def test_a_page_needs_nothing_else_and_says_all() -> None:
    source = html(ALL, Options("Related <X>", "year", abstracts=True))
    page = Page(source)
    text = "".join(page.texts)
    assert "Related <X>" in text
    assert "# Mine\n\nCompare **this**." in text
    assert "https://doi.org/10.1000/x" in page.addresses
    assert "prefers-color-scheme: dark" in source
    assert "@media print" in source
    assert not re.search(r"<script|@import|url\(", source)
