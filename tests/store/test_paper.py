from __future__ import annotations

import pytest
from anchorlight.store import Entry, Mark, Paper, Status


@pytest.mark.parametrize(
    ("paper", "title"),
    [
        (Paper("k", title="A [/b] title", abstract="x"), "A [/b] title"),
        (Paper("k", abstract="one two three"), "“one two three”"),
        (
            Paper("k", abstract="a b c d e f g h i j k l"),
            "“a b c d e f g h i j…”",
        ),
        (Paper("k", ids={"arxiv": "2101.00001"}, source="x.txt"), "(untitled: 2101.00001)"),
        (Paper("k", source="x.txt"), "(untitled: x.txt)"),
        (Paper("k"), "(untitled)"),
    ],
)
def test_a_paper_without_title_shows_a_stand_in(paper: Paper, title: str) -> None:
    assert paper.display_title == title


@pytest.mark.parametrize(
    ("authors", "complete", "line"),
    [
        ((), True, ""),
        ((), False, ""),
        (("A B",), True, "A B"),
        (("A B",), False, "A B, et al."),
        (("A", "B", "C"), True, "A, B, C"),
        (("A", "B", "C", "D"), True, "A, B, C, et al."),
    ],
)
def test_the_byline_names_three_authors(
    authors: tuple[str, ...], complete: bool, line: str
) -> None:
    assert Paper("k", authors=authors, authors_complete=complete).byline == line


@pytest.mark.parametrize(
    ("paper", "link"),
    [
        (Paper("k", url="https://a.org/p", ids={"doi": "10.1/x"}), "https://a.org/p"),
        (Paper("k", ids={"doi": "10.1/x", "arxiv": "2101.00001"}),
         "https://arxiv.org/abs/2101.00001"),
        (Paper("k", ids={"doi": "10.1/x"}), "https://doi.org/10.1/x"),
        (Paper("k"), None),
    ],
)  # fmt: skip
def test_the_link_is_the_best_address_known(paper: Paper, link: str | None) -> None:
    assert paper.link == link


def test_a_new_mark_is_unread() -> None:
    assert Mark() == Mark(Status.UNREAD, starred=False, tags=(), changed=None)


def test_the_json_of_a_bare_paper_has_every_field_as_null() -> None:
    assert Entry(Paper("k")).to_json() == {
        "key": "k", "title": None, "authors": [], "names": [], "authors_complete": True,
        "year": None, "date": None, "venue": None, "type": None, "abstract": None,
        "truncated": False, "ids": {"arxiv": None, "doi": None}, "url": None, "details": {},
        "files": [], "also": [], "version": None, "source": None, "added": None,
        "status": "unread", "starred": False, "tags": [], "changed": None, "note": None,
        "anchors": [],
    }  # fmt: skip


def test_the_json_of_a_paper_has_marks_note_and_lists() -> None:
    entry = Entry(
        Paper(
            "k", title="T", authors=("van der Berg, Jan", "{WHO Group}"), authors_complete=False,
            year=2020, ids={"arxiv": "2101.00001", "pmid": "7"}, type="article", date="2020-05",
            details={"volume": "7"}, files=("a.pdf",), also=("key:b",), version=2, source="s.bib",
            added="2026-01-01T00:00:00+00:00",
        ),
        Mark(Status.READ, True, ("t",), "2026-01-01T00:00:00+00:00"),
        "note",
        ("anchor",),
    )  # fmt: skip
    assert entry.to_json() == {
        "key": "k", "title": "T", "authors": ["Jan van der Berg", "WHO Group"],
        "names": ["van der Berg, Jan", "{WHO Group}"], "authors_complete": False, "year": 2020,
        "date": "2020-05", "venue": None, "type": "article", "abstract": None,
        "truncated": False, "ids": {"arxiv": "2101.00001", "doi": None, "pmid": "7"},
        "url": "https://arxiv.org/abs/2101.00001", "details": {"volume": "7"},
        "files": ["a.pdf"], "also": ["key:b"], "version": 2, "source": "s.bib",
        "added": "2026-01-01T00:00:00+00:00", "status": "read", "starred": True,
        "tags": ["t"], "changed": "2026-01-01T00:00:00+00:00", "note": "note",
        "anchors": ["anchor"],
    }  # fmt: skip
