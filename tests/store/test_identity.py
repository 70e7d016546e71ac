from __future__ import annotations

import pytest
from anchorlight.store import Paper
from anchorlight.store.identity import (
    merged,
    new_key,
    normal_arxiv,
    normal_doi,
    normal_ids,
    titles_agree,
)

LONG = (
    "Sparse expert layers move most of their parameters out of reach of the accelerator, so that "
    "every routing decision pays for a transfer; we measure what this costs and how far a planner "
    "that knows the next batch can hide it behind the computation of the batch before."
)
CUT = LONG[:170]


@pytest.mark.parametrize(
    ("text", "arxiv"),
    [
        ("2104.04473", "2104.04473"),
        ("arXiv:2104.04473v3", "2104.04473"),
        ("https://arxiv.org/abs/2104.04473v2", "2104.04473"),
        ("http://arxiv.org/pdf/2104.04473.pdf", "2104.04473"),
        ("https://arxiv.org/pdf/2104.04473v1.pdf", "2104.04473"),
        ("hep-th/9901001v1", "hep-th/9901001"),
        ("arXiv:math.GT/0309136", "math.gt/0309136"),
        ("10.48550/arXiv.2104.04473", "2104.04473"),
        ("10.1145/3458817.3476209", None),
        ("1234.5", None),
        ("word", None),
        ("", None),
    ],
)
def test_an_arxiv_id_has_one_form_without_version(text: str, arxiv: str | None) -> None:
    assert normal_arxiv(text) == arxiv


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1145/3458817.3476209", "10.1145/3458817.3476209"),
        ("https://doi.org/10.1145/3458817.ABC", "10.1145/3458817.abc"),
        ("doi:10.1000/X.1.", "10.1000/x.1"),
        ("10.1/x", None),
        ("", None),
    ],
)
def test_a_doi_has_one_form(text: str, doi: str | None) -> None:
    assert normal_doi(text) == doi


def test_an_arxiv_doi_counts_as_an_arxiv_id() -> None:
    ids = normal_ids([("DOI", "10.48550/arXiv.2104.04473"), ("PMID", " 12 "), ("x", " ")])
    assert ids == {"arxiv": "2104.04473", "pmid": "12"}


@pytest.mark.parametrize(
    ("one", "two", "agree"),
    [
        ("Deep Nets", "deep-nets", True),
        ("Deep Nets", None, True),
        ("Deep Ne…", "Deep Nets for All", True),
        ("Deep Nets for All", "Deep Ne...", True),
        ("Deep Ne…", "Deep Learning", False),
        ("Sorting, Part I", "Sorting, Part II", False),
        ("Deep Nets", "Deep Nets: Erratum", False),
    ],
)
def test_titles_agree_when_they_can_be_of_one_paper(one: str, two: str | None, agree: bool) -> None:
    assert titles_agree(one, two) is agree


def test_merging_completes_what_is_missing_or_cut_and_keeps_the_rest() -> None:
    known = Paper(
        "k", title="A Ti…", authors=("A",), authors_complete=False, abstract=CUT, truncated=True,
        venue="V", ids={"arxiv": "2101.00001"}, source="x.txt", added="2026",
    )  # fmt: skip
    record = Paper(
        "other", title="A Title", authors=("A", "B"), year=2020, abstract=LONG, venue="W",
        ids={"doi": "10.1000/x"}, url="https://a.org", source="y.bib", added="2027",
    )  # fmt: skip
    assert merged(known, record) == Paper(
        "k", title="A Title", authors=("A", "B"), year=2020, abstract=LONG, venue="V",
        ids={"arxiv": "2101.00001", "doi": "10.1000/x"}, url="https://a.org", source="x.txt",
        added="2026",
    )  # fmt: skip


def test_merging_what_adds_nothing_returns_the_paper_itself() -> None:
    known = Paper("k", title="A Title", abstract=LONG, year=2020)
    assert merged(known, Paper("", title="A Ti…", abstract=CUT, truncated=True)) is known


@pytest.mark.parametrize(
    ("paper", "key"),
    [
        (Paper("", title="MemFine: Memory-Aware", authors=("Lu Zhao",), year=2025),
         "zhao2025memfine"),
        (Paper("", title="The Art of It", authors=("Müller, Mia",)), "mullerart"),
        (Paper("", title="Mimose: An Input-Aware Planner for E…"), "mimose-input-aware-planner"),
        (Paper("", abstract="We study the naïve case of it"), "study-naive-case-it"),
        (Paper("", title="東京大学"), "paper"),
        (Paper(""), "paper"),
    ],
)  # fmt: skip
def test_a_new_key_is_short_and_typeable(paper: Paper, key: str) -> None:
    assert new_key(paper, ()) == key


def test_a_new_key_is_unique() -> None:
    assert new_key(Paper(""), {"paper", "paper-2"}) == "paper-3"
