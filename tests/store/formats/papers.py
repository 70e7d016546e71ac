"""Papers of all kinds, to be written and read back."""

from __future__ import annotations

from typing import Any

from anchorlight.store import Entry, Mark, Paper, Status
from anchorlight.store.change import clean_tag
from anchorlight.store.formats.fields import readable
from anchorlight.store.names import parts, stored
from anchorlight.store.text import clean_line, clean_note, fingerprint_text, strip_ellipsis
from hypothesis import strategies as st


def _is_plain(text: str) -> bool:
    """Tell whether text is one that a reader leaves as it is."""
    return readable(text) == text and strip_ellipsis(text) == (text, False)


PLAIN = (
    st.text(st.characters(codec="utf-8", exclude_characters="<&\\$"), max_size=20)
    .map(lambda text: clean_line(f"A {text}"))
    .filter(lambda text: bool(fingerprint_text(text)) and _is_plain(text))
)
"""Texts of one line with a word in them, without markup or LaTeX."""

WORDS = st.from_regex(r"[A-ZÀÉÖŠ][a-zàéößš]{2,8}", fullmatch=True).filter(
    lambda word: word not in ("And", "Others")  # which are no names in a list
)
PEOPLE = st.one_of(
    st.builds("{} {}".format, WORDS, WORDS).map(lambda name: stored(parts(name))),
    st.builds("{} {}, {}".format, WORDS, WORDS, WORDS),
    st.builds("{}, Jr., {}".format, WORDS, WORDS),
    st.builds("J.-P. van der {}".format, WORDS),
    st.builds("{{{} and {}}}".format, WORDS, WORDS),
    WORDS,
    st.just("王, 小明"),
)
"""Names as they are stored."""
AUTHORS = st.lists(PEOPLE, max_size=4).map(tuple)

IDS = st.fixed_dictionaries(
    {},
    optional={
        "doi": st.from_regex(r"10\.[0-9]{4}/[a-z0-9]{1,6}", fullmatch=True),
        "arxiv": st.from_regex(r"2[0-3](0[1-9]|1[0-2])\.[0-9]{5}", fullmatch=True),
        "pmid": st.from_regex(r"[1-9][0-9]{0,7}", fullmatch=True),
        "pmcid": st.from_regex(r"PMC[1-9][0-9]{0,5}", fullmatch=True),
    },
)
YEARS = st.integers(1500, 2099)
DATES = st.one_of(
    st.tuples(st.none(), st.none()),
    st.tuples(YEARS, st.none()),
    st.builds(lambda year, month: (year, f"{year}-{month:02}"), YEARS, st.integers(1, 12)),
    st.builds(lambda year, day: (year, f"{year}-10-{day:02}"), YEARS, st.integers(1, 31)),
    st.just((1850, "circa 1850")),
    st.just((None, "in press")),
)
NUMBERS = st.from_regex(r"[1-9][0-9]{0,2}", fullmatch=True)
DETAILS: dict[str | None, tuple[str, ...]] = {
    "article-journal": ("volume", "issue", "page", "ISSN", "language", "publisher"),
    "paper-conference": ("volume", "page", "editor", "publisher", "publisher-place", "ISBN"),
    "chapter": ("page", "editor", "publisher", "edition", "ISBN", "collection-title"),
    "book": ("publisher", "edition", "publisher-place", "collection-title", "ISBN", "editor"),
    "thesis": ("publisher", "genre", "number-of-pages"),
    "report": ("publisher", "number", "genre"),
    "article": (),
    None: (),
}
_VALUES: dict[str, st.SearchStrategy[str]] = {
    "page": st.builds("{}–1{}".format, NUMBERS, NUMBERS) | NUMBERS,
    "ISSN": st.just("1234-567X"),
    "ISBN": st.just("978-3-86490-311-3"),
    "language": st.just("en"),
    "volume": NUMBERS,
    "issue": NUMBERS,
    "number": NUMBERS,
    "edition": NUMBERS,
    "number-of-pages": NUMBERS,
    "editor": st.builds("{} and {}".format, PEOPLE, PEOPLE),
}
TAGS = (
    st.from_regex(r"[A-Za-z][a-z]{0,5}(-[a-z]{1,3})?", fullmatch=True).map(clean_tag).filter(bool)
)


@st.composite
def papers(draw: st.DrawFn) -> Paper:
    """Papers that every format can hold, as far as it goes."""
    kind = draw(st.sampled_from(list(DETAILS)))
    year, date = draw(DATES)
    details = {
        name: draw(_VALUES.get(name, WORDS)) for name in DETAILS[kind] if draw(st.booleans())
    }
    is_whole = kind in ("book", "thesis", "report")
    venue = details.get("publisher") if is_whole else draw(st.none() | WORDS)
    if not is_whole and venue is None:
        details.pop("publisher", None)  # it would be where the paper came out
    authors = draw(AUTHORS)
    abstract = draw(st.none() | PLAIN.map("Words, then {}".format))
    return Paper(
        key=draw(st.from_regex(r"[a-z]{3,8}[0-9]{4}", fullmatch=True)),
        title=draw(PLAIN),
        authors=authors,
        authors_complete=not authors or draw(st.booleans()),
        year=year,
        date=date,
        venue=venue,
        abstract=abstract,
        truncated=abstract is not None and draw(st.booleans()),
        ids=draw(IDS),
        url=draw(st.none() | st.just("https://example.org/a?b=c")),
        type=kind,
        details=details,
        files=tuple(draw(st.lists(st.just("texts/a paper.pdf"), max_size=1))),
    )


MARKS = st.builds(
    Mark, st.sampled_from(Status), st.booleans(),
    st.lists(TAGS, max_size=3, unique_by=str.lower).map(tuple),
)  # fmt: skip
NOTES = st.text(max_size=40).map(clean_note).map(lambda note: note if note.strip() else "")
ENTRIES = st.builds(
    Entry,
    papers(),
    MARKS,
    NOTES,
    st.lists(WORDS.map(str.lower), max_size=2, unique=True).map(tuple),
)


def hostile_text() -> st.SearchStrategy[str]:
    """Texts with what formats give a meaning to."""
    sign = st.sampled_from("*_[]<>#`\\{}$~^@|&!-+=:.'\"%\n\t 1aé…《")
    return st.lists(sign | st.characters(codec="utf-8"), max_size=25).map("".join)


def hostile_entries() -> st.SearchStrategy[Entry]:
    """Entries whose texts no reader has cleaned."""
    text: Any = hostile_text()
    optional = st.none() | text
    paper = st.builds(
        Paper, key=text, title=optional, authors=st.lists(text, max_size=3).map(tuple),
        authors_complete=st.booleans(), year=st.none() | st.integers(-9, 99999), venue=optional,
        abstract=optional, truncated=st.booleans(),
        ids=st.dictionaries(st.sampled_from(["doi", "arxiv", "pmid", "x"]), text, max_size=2),
        url=optional, type=st.sampled_from([*DETAILS, "map", "nonsense"]), date=optional,
        details=st.dictionaries(
            st.sampled_from(["page", "editor", "volume", "edition", "publisher", "accessed", "y"]),
            text, max_size=3,
        ),
        files=st.lists(text, max_size=1).map(tuple),
    )  # fmt: skip
    marks = st.builds(
        Mark, st.sampled_from(Status), st.booleans(), st.lists(text, max_size=2).map(tuple)
    )
    return st.builds(Entry, paper, marks, text)
