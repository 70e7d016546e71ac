"""What speaks for two records being one paper, and the traps."""

from __future__ import annotations

from typing import Any

import pytest
from anchorlight.store import Paper
from anchorlight.store.likeness import likeness

LONG = (
    "Routing tokens to experts leaves some of the devices idle while others run out of memory, "
    "so that training slows down. "
)
TITLE = "Efficient Pipeline Parallel Training"


def paper(title: str | None = TITLE, *authors: str, year: int | None = 2021, **more: Any) -> Paper:
    return Paper("key", title=title, authors=authors or ("Ann Lee", "Bo Li"), year=year, **more)


@pytest.mark.parametrize(
    ("one", "two", "evidence"),
    [
        (paper(), paper(), "same title, authors and year"),
        (paper(), paper("Eficient pipeline-parallel training"), "titles 98 % alike, same authors"),
        (paper(), paper("Efficient Pipeline Parallell Training", "A. Lee"), "same first author"),
        (paper(), paper(year=2022), "years 2021 and 2022"),
        (
            paper(ids={"arxiv": "2104.04473"}),
            paper(ids={"doi": "10.1/x"}),
            "preprint arXiv:2104.04473 and published 10.1/x",
        ),
        (paper(ids={"doi": "10.1/x"}), paper(ids={"doi": "10.1/y"}), "linked: DOIs differ"),
        (
            paper("Data", "Ann Lee", ids={"doi": "10.1/x"}),
            paper("A Study of Something", "Ann Lee", ids={"doi": "10.1/x"}),
            "same DOI, titles differ",
        ),
        (paper(None, abstract=LONG), paper(abstract=LONG + "More."), "abstracts begin alike"),
        (paper(), Paper("key", title=TITLE), "authors of one are not known"),
        (paper(), paper(f"{TITLE}: A Survey of Methods"), "one title has a subtitle more"),
        (paper(), paper("Efficient Pipeline Para…"), "one title is the beginning of the other"),
        (
            paper("On a Data Base for Texts"),
            paper("On a Database for Texts"),
            "same title, authors and year",
        ),
        (paper(TITLE, "Jörg Müller"), paper(TITLE, "Mueller, J."), "same title, authors and year"),
    ],
)
def test_what_looks_like_one(one: Paper, two: Paper, evidence: str) -> None:
    found, turned = likeness(one, two), likeness(two, one)
    assert found
    assert evidence in "; ".join(found.evidence)
    assert turned
    assert (turned.score, {*turned.evidence}) == (found.score, {*found.evidence})
    assert 0 < found.score <= 1


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (paper("A Theory of Everything, Part I"), paper("A Theory of Everything, Part II")),
        (paper("A Theory of Everything"), paper("A Theory of Everything. Part 2")),
        (paper("A Theory of Everything I"), paper("A Theory of Everything II")),
        (paper("Training on 10 GPUs and more"), paper("Training on 100 GPUs and more")),
        (paper("Findings of the 2015 Shared Task"), paper("Findings of the 2016 Shared Task")),
        (paper(), paper(f"Erratum: {TITLE}")),
        (paper(), paper(f"Erratum to “{TITLE}”")),
        (paper(), paper(f"Corrigendum: {TITLE}")),
        (paper(), paper(f"{TITLE} (Erratum)")),
        (paper(), paper(f"Comment on: {TITLE}")),
        (paper("Preface", "Ann Lee"), paper("Preface", "Bo Li")),
        (paper("Preface", "Ann Lee"), paper("Preface", "Ann Lee", year=2022)),
        (Paper("a", title="Editorial"), Paper("b", title="Editorial")),
        (Paper("a", abstract="No abstract."), Paper("b", abstract="No abstract.")),
        (paper(TITLE, "Ann Lee"), paper(TITLE, "Somebody Else")),
        (paper(year=2000), paper(year=2021)),
        (paper(type="book", year=2000), paper(type="book", year=2003)),
        (paper(details={"edition": "1"}), paper(details={"edition": "2"})),
        (
            paper("One Thing", "Ann Lee", ids={"doi": "10.1/proceedings"}),
            paper("Quite Another", "Bo Li", ids={"doi": "10.1/proceedings"}),
        ),
        (paper("Supervised Learning of Words"), paper("Unsupervised Learning of Words")),
        (
            paper("Translation from English to German by Machines"),
            paper("Translation from English to French by Machines"),
        ),
        (paper("One Thing and Another", abstract=LONG), paper("Unlike That", "C D", abstract=LONG)),
        (Paper("a"), Paper("b")),
    ],
)
def test_what_is_told_apart(one: Paper, two: Paper) -> None:
    assert likeness(one, two) is None
    assert likeness(two, one) is None


def test_more_evidence_is_surer() -> None:
    pairs = [
        (paper(abstract=LONG), paper(abstract=LONG)),
        (paper(), paper()),
        (paper(), paper("Eficient Pipeline Parallel Training")),
        (
            paper(ids={"doi": "10.1/x"}),
            paper("Eficient Pipeline Parallel Training", ids={"doi": "10.1/y"}),
        ),
    ]
    scores = [found.score for one, two in pairs if (found := likeness(one, two))]
    assert len(scores) == len(pairs)
    assert scores == sorted(scores, reverse=True)
