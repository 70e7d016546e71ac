from __future__ import annotations

import pytest
from anchorlight.store import Paper
from anchorlight.store.citations import STYLES, address, cite, in_order, mention
from hypothesis import given

from .formats.papers import hostile_entries

ARTICLE = Paper(
    "k1", title="Deep things", authors=("Lu Zhao", "García Márquez, Gabriel", "King, Jr., Martin"),
    year=2025, date="2025-03", venue="Journal of X", type="article-journal",
    details={"volume": "3", "issue": "2", "page": "12-19"}, ids={"doi": "10.1000/x"},
)  # fmt: skip
CHAPTER = Paper(
    "k2", title="Is it?", authors=("Jan van der Berg", "{World Health Organization}"), year=2024,
    venue="Proc. of Y", type="paper-conference",
    details={"page": "7", "publisher": "House", "editor": "A. Bee and Cy Dee"},
)  # fmt: skip
PREPRINT = Paper(
    "k3", title="Early", authors=("Jean-Paul Roe",), authors_complete=False, year=2021,
    ids={"arxiv": "2101.00001"}, type="article",
)  # fmt: skip
BOOK = Paper(
    "k4", title="A book", authors=("Wu TJ", "TJ Luke"), date="in press", venue="House",
    type="book", details={"publisher": "House", "edition": "2"},
)  # fmt: skip
THESIS = Paper(
    "k5", title="My years", authors=("王, 小明",), year=2020, venue="Uni", type="thesis",
    details={"publisher": "Uni", "genre": "PhD thesis"},
)  # fmt: skip
UNKNOWN = Paper("k6", abstract="Only an abstract of a paper that nobody has named as yet.")


@pytest.mark.parametrize(
    ("paper", "style", "expected"),
    [
        (ARTICLE, "apa", "Zhao, L., García Márquez, G., & King, M., Jr. (2025). Deep things. "
         "Journal of X, 3(2), 12–19. https://doi.org/10.1000/x"),
        (ARTICLE, "ieee", "L. Zhao, G. García Márquez, and M. King Jr., “Deep things,” "
         "Journal of X, vol. 3, no. 2, pp. 12–19, Mar. 2025, doi: 10.1000/x."),
        (ARTICLE, "acm", "Lu Zhao, Gabriel García Márquez, and Martin King Jr. 2025. Deep things. "
         "Journal of X 3, 2 (2025), 12–19. https://doi.org/10.1000/x"),
        (CHAPTER, "apa", "van der Berg, J., & World Health Organization. (2024). Is it? "
         "In A. Bee & C. Dee (Eds.), Proc. of Y (p. 7). House."),
        (CHAPTER, "ieee", "J. van der Berg and World Health Organization, “Is it?” "
         "in Proc. of Y, House, p. 7, 2024."),
        (CHAPTER, "acm", "Jan van der Berg and World Health Organization. 2024. Is it? "
         "In Proc. of Y, 7. House."),
        (PREPRINT, "apa", "Roe, J.-P., et al. (2021). Early. arXiv:2101.00001. "
         "https://arxiv.org/abs/2101.00001"),
        (PREPRINT, "ieee", "J.-P. Roe et al., “Early,” arXiv:2101.00001, 2021. "
         "[Online]. Available: https://arxiv.org/abs/2101.00001"),
        (BOOK, "apa", "TJ, W., & Luke, T. J. (in press). A book (2nd ed.). House."),
        (BOOK, "ieee", "W. TJ and T. J. Luke, A book, 2nd ed., House, in press."),
        (THESIS, "apa", "王, 小. (2020). My years [PhD thesis]. Uni."),
        (THESIS, "acm", "王小明. 2020. My years. PhD thesis. Uni."),
        (UNKNOWN, "apa", "“Only an abstract of a paper that nobody has named…” (n.d.)."),
        (UNKNOWN, "acm", "“Only an abstract of a paper that nobody has named…” n.d."),
    ],
)  # fmt: skip
def test_citations(paper: Paper, style: str, expected: str) -> None:
    assert cite(paper, style) == expected


def many(number: int) -> Paper:
    names = tuple(f"Ann {chr(65 + at % 26)}oe{'x' * (at // 26)}" for at in range(number))
    return Paper("k", title="Many", authors=names, year=2000)


def test_long_lists_of_authors_are_cut_as_the_style_says() -> None:
    assert cite(many(20), "apa").startswith("Aoe, A., Boe, A.,")
    assert "Soe, A., & Toe, A. (2000)" in cite(many(20), "apa")
    assert "Soe, A., … Uoe, A. (2000)" in cite(many(21), "apa")
    assert "E. Foe" not in cite(many(7), "ieee")
    assert cite(many(7), "ieee").startswith("A. Aoe et al., ")
    assert "A. Eoe, and A. Foe" in cite(many(6), "ieee")
    assert "and Ann Doex. 2000" in cite(many(30), "acm")


def test_mentions() -> None:
    assert mention(ARTICLE, "apa", 4) == "(Zhao et al., 2025)"
    assert mention(CHAPTER, "apa", 4) == "(van der Berg & World Health Organization, 2024)"
    assert mention(CHAPTER, "acm", 4) == "[van der Berg and World Health Organization 2024]"
    assert mention(PREPRINT, "acm", 4) == "[Roe et al. 2021]"
    assert mention(ARTICLE, "ieee", 4) == "[4]"
    assert mention(UNKNOWN, "apa", 4) == "(“Only an abstract of…”, n.d.)"


def test_bibliographies_are_in_order_of_authors_unless_they_are_numbered() -> None:
    papers = [ARTICLE, CHAPTER, PREPRINT]
    assert in_order(papers, "ieee") == papers
    assert in_order(papers, "apa") == [PREPRINT, CHAPTER, ARTICLE]


def test_only_addresses_of_the_web_are_links() -> None:
    assert address(ARTICLE) == "https://doi.org/10.1000/x"
    assert address(Paper("k", url="https://a.org/b")) == "https://a.org/b"
    assert address(Paper("k", url="javascript:alert(1)")) == ""
    assert address(Paper("k", url="https://a.org/b c")) == ""


@given(hostile_entries())
def test_whatever_a_paper_holds_can_be_cited_on_one_line(entry: object) -> None:
    paper = entry.paper  # type: ignore[attr-defined]
    for style in STYLES:
        assert "\n" not in cite(paper, style)
        assert cite(paper, style)
        assert mention(paper, style, 1)
