"""Text that breaks terminals and markup, and what no terminal may be sent."""

from __future__ import annotations

import re

from anchorlight.store import Entry, Mark, Paper, Status
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.strip import Strip

FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]"
)
"""Controls, and the invisible characters that turn direction or hide text."""

BRACKETS = (
    "[/]",
    "[b",
    "[/b] sets",
    "[[double]]",
    r"\[x] and \\[y]",
    "[bold red]alarm[/bold red]",
    "[@click=app.quit]here[/]",
    "[link=file:///etc/passwd]passwd[/link]",
    "[CLS] [SEP] [a-z]+ [0, 1]",
    "$\\mathbb{E}[x]_{+}$",
)
WIDE = (
    "機械学習による自然言語処理の研究",
    "👩‍🔬 Women ❤️ 🇩🇪 👍🏽 1️⃣ ☎︎",
    "ộ Z͓͑͒algo ภาษาไทย हिन्दी 한국어 ①② ±×",
    "דרך ארוכה عربي mixed (1) [2]",
    "ｆｕｌｌ ｱｲｳ Müller",
)
CONTROLS = (
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;http://x\x07link\x1b]8;;\x07",
    "a\x00b\x07\x08c\x7fd\x9be",
    "tab\tand\nline\r\nend\u2028\x85.",
    "\u202eevil\u202c \u2066x\u2069 zero\u200bwidth\u2060\ufeff",
)
HOSTILE = (*BRACKETS, *WIDE, *CONTROLS)

any_text = st.text(
    st.one_of(
        st.sampled_from(
            [
                *"[]\\/@=$ \t\n\x1b\x9b\x07\x00\u202e\u200d\u2066\ufe0f\u0301",
                "👩",
                "🇩",
                "界",
                "ש",
                "e",
            ]
        ),
        st.characters(codec="utf-8"),
    ),
    max_size=60,
)

few = settings(
    max_examples=60,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def check_strip(strip: Strip, width: int) -> str:
    """Check that a line fills its width and holds nothing that a terminal acts on."""
    text = strip.text
    assert cell_len(text) == strip.cell_length == width, repr(text)
    assert not FORBIDDEN.search(text), repr(text)
    for segment in strip:
        assert not segment.style or not segment.style.link
        assert not segment.style or "@click" not in segment.style.meta
    return text


def hostile_entry(text: str, *, status: Status = Status.UNREAD, key: str = "k") -> Entry:
    """Return a paper that has a text in every place."""
    paper = Paper(
        key=key,
        title=text,
        authors=(f"{{{text}}}", f"{{{text}}}"),  # in braces, as names that are not to be parted
        year=2020,
        venue=text,
        abstract=text,
        truncated=True,
        ids={"arxiv": "2104.04473", "other": text},
        url=text,
        source=text,
    )
    return Entry(paper, Mark(status, starred=True, tags=(text,)), note=text, anchors=("a",))
