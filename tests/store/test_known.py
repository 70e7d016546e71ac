from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from anchorlight.store import Paper
from anchorlight.store import known as known_papers
from anchorlight.store.catalogue import Catalogue
from anchorlight.store.columns import Columns
from anchorlight.store.known import KnownPapers, record_name

LONG = (
    "Sparse expert layers move most of their parameters out of reach of the accelerator, so that "
    "every routing decision pays for a transfer; we measure what this costs and how far a planner "
    "that knows the next batch can hide it behind the computation of the batch before."
)
CUT = LONG[:170]


def index(*papers: Paper) -> KnownPapers:
    columns = Columns()
    known = KnownPapers(columns, papers.__getitem__)
    for paper in papers:
        known.add(columns.show(paper), paper)
    return known


@pytest.mark.parametrize(
    ("known", "record"),
    [
        (Paper("k", title="A", ids={"arxiv": "2101.00001"}),
         Paper("", title="A revised", ids={"arxiv": "2101.00001"})),
        (Paper("k", title="A b", ids={"doi": "10.1000/x"}), Paper("", ids={"doi": "10.1000/x"})),
        (Paper("k", title="A b", ids={"pmid": "7"}),
         Paper("", title="a-B", ids={"pmid": "7"})),
        (Paper("k", abstract=LONG), Paper("", abstract=LONG.upper())),
        (Paper("k", abstract=CUT, truncated=True), Paper("", title="T", abstract=LONG)),
        (Paper("k", title="T", abstract=LONG), Paper("", abstract=CUT, truncated=True)),
        (Paper("k", title="T of a…", abstract=CUT, truncated=True),
         Paper("", title="T of a paper", abstract=LONG)),
        (Paper("k", title="A Title", authors=("Zhao, Lu",), year=2020),
         Paper("", title="a title", authors=("L. Zhao", "B"), year=2020)),
    ],
)  # fmt: skip
def test_records_of_one_paper_meet(known: Paper, record: Paper) -> None:
    assert index(known).match(record) == "k"


@pytest.mark.parametrize(
    ("known", "record"),
    [
        (Paper("k", title="Preface"), Paper("", title="Preface")),
        (Paper("k", title="Preface", year=2020), Paper("", title="Preface", year=2020)),
        (Paper("k", title="Preface", authors=("A B",), year=2020),
         Paper("", title="Preface", authors=("A B",), year=2021)),
        (Paper("k", title="On x, Part I", authors=("A B",), year=2020),
         Paper("", title="On x, Part II", authors=("A B",), year=2020)),
        (Paper("k", title="One", ids={"doi": "10.1000/proc"}),
         Paper("", title="Two", ids={"doi": "10.1000/proc"})),
        (Paper("k", abstract=LONG[:90], truncated=True), Paper("", abstract=LONG)),
        (Paper("k", abstract=CUT), Paper("", abstract=LONG)),  # not known to be cut
        (Paper("k", title="One", abstract=LONG), Paper("", title="Two", abstract=LONG)),
        (Paper("k", abstract=LONG, ids={"arxiv": "2101.00001"}),
         Paper("", abstract=LONG, ids={"arxiv": "2101.00002"})),
        (Paper("k", title="T", abstract="No abstract available."),
         Paper("", abstract="No abstract available.")),
        (Paper("k"), Paper("")),
    ],
)  # fmt: skip
def test_records_of_different_papers_stay_apart(known: Paper, record: Paper) -> None:
    assert index(known).match(record) is None


@pytest.mark.parametrize("scheme", ["arxiv", "doi"])
def test_the_same_title_author_and_year_is_no_match_when_identifiers_differ(scheme: str) -> None:
    one, two = {
        "arxiv": ("2101.00001", "2101.00002"),
        "doi": ("10.1000/editorial-1", "10.1000/editorial-2"),
    }[scheme]
    known = Paper("k", title="Editorial", authors=("A B",), year=2020, ids={scheme: one})
    record = replace(known, key="", ids={scheme: two})
    assert index(known).match(record) is None


def test_a_preprint_and_its_published_version_are_not_merged_silently() -> None:
    preprint = Paper("k", title="T", abstract=LONG, ids={"doi": "10.1000/preprint"})
    published = Paper("", title="T", abstract=LONG, ids={"doi": "10.2000/journal"})
    assert index(preprint).match(published) is None


def test_an_arxiv_id_counts_more_than_a_doi() -> None:
    identity = index(
        Paper("a", title="T", ids={"arxiv": "2101.00001"}),
        Paper("d", title="T", ids={"doi": "10.1000/x"}),
    )
    record = Paper("", title="T", ids={"doi": "10.1000/x", "arxiv": "2101.00001"})
    assert identity.match(record) == "a"


def test_a_newer_state_of_a_paper_is_found_by_what_it_learned() -> None:
    papers = [Paper("k", abstract=CUT, truncated=True)]
    columns = Columns()
    identity = KnownPapers(columns, papers.__getitem__)
    identity.add(columns.show(papers[0]), papers[0])
    papers[0] = Paper("k", title="T", abstract=LONG, ids={"doi": "10.1000/x"})
    identity.add(0, papers[0])
    assert identity.by_id("doi", "10.1000/x") == "k"
    assert identity.match(Paper("", abstract=LONG)) == "k"


def test_what_joined_records_are_known_by_counts_whatever_else_differs() -> None:
    other = Paper("o", title="Another Title", ids={"doi": "10.1000/o"}, source="o.bib")
    known = Paper("k", title="T", ids={"doi": "10.1000/k"}, also=("doi:10.1000/o",))
    assert index(known).match(other) == "k"
    bare = Paper("b", title="Another Title", source="o.bib")
    assert index(Paper("k", title="T", also=(record_name(bare),))).match(bare) == "k"


def test_one_boilerplate_abstract_in_thousands_is_no_burden() -> None:
    text = "This is the editorial of the present issue, in which its papers are introduced, " * 2
    papers = [Paper(f"k{one}", title=f"Issue {one}", abstract=text) for one in range(500)]
    read: list[int] = []
    columns = Columns()

    def paper_at(number: int) -> Paper:
        read.append(number)
        return papers[number]

    known = KnownPapers(columns, paper_at)
    for paper in papers:
        assert known.match(paper) is None
        known.add(columns.show(paper), paper)
    assert len(read) <= 64 * len(papers)


def test_what_is_sorted_in_is_found_like_what_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_papers, "_MOST_LOOSE", 7)
    papers = [paper(number) for number in range(60)]
    known = index(*papers)
    assert len(known._more) < 40
    assert [known.match(one) for one in papers] == [one.key for one in papers]
    assert known.match(paper(99)) is None


# Stored with a library


def paper(number: int) -> Paper:
    return Paper(
        f"k{number}", title=f"Title {number}", ids={"doi": f"10.1000/{number}"}, source="f"
    )


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[], Catalogue]:
    return lambda: Catalogue(tmp_path / "papers.jsonl", tmp_path / "cache" / "it.papers")


def fill(catalogue: Catalogue, numbers: range) -> None:
    for number in numbers:
        catalogue.stage_paper(paper(number), "2026-01-15T12:00:00+00:00")
    catalogue.commit()


def test_what_is_stored_is_found_again_without_reading_the_papers(
    opened: Callable[[], Catalogue], monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(opened()) as catalogue:
        fill(catalogue, range(1200))
        catalogue.keep_known()
    with closing(opened()) as catalogue:
        with monkeypatch.context() as patched:
            patched.setattr(KnownPapers, "add", lambda *_: pytest.fail("a paper was read"))
            known = catalogue.known
        assert all(known.match(paper(number)) == f"k{number}" for number in (0, 600, 1199))
        assert known.match(paper(5000)) is None


def test_what_changed_since_it_was_stored_is_known(opened: Callable[[], Catalogue]) -> None:
    with closing(opened()) as catalogue:
        fill(catalogue, range(1200))
        catalogue.keep_known()
        other = Paper("k7", title="Title 7", ids={"doi": "10.1000/seven"})
        catalogue.stage_replacing(other)
        fill(catalogue, range(1200, 1300))
    with closing(opened()) as catalogue:
        assert catalogue.known.by_id("doi", "10.1000/seven") == "k7"
        assert catalogue.known.by_id("doi", "10.1000/7") is None
        assert catalogue.known.match(paper(1299)) == "k1299"
        assert catalogue.known.match(paper(3)) == "k3"


@pytest.mark.parametrize("damage", [b"", b"garbage", None])
def test_what_was_stored_and_damaged_is_made_anew(
    opened: Callable[[], Catalogue], tmp_path: Path, damage: bytes | None
) -> None:
    with closing(opened()) as catalogue:
        fill(catalogue, range(1200))
        catalogue.keep_known()
    file = tmp_path / "cache" / "it.known"
    data = file.read_bytes()
    flipped = data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]
    file.write_bytes(flipped if damage is None else damage)
    with closing(opened()) as catalogue:
        assert catalogue.known.match(paper(600)) == "k600"


def test_a_paper_that_is_taken_away_is_not_known(opened: Callable[[], Catalogue]) -> None:
    with closing(opened()) as catalogue:
        fill(catalogue, range(3))
        catalogue.stage_paper(paper(9), "")
        span = catalogue.commit()
        assert span
        assert catalogue.known.match(paper(9)) == "k9"
        catalogue.stage_undoing(span)
        catalogue.commit()
        assert catalogue.known.match(paper(9)) is None
        assert catalogue.known.match(paper(1)) == "k1"
