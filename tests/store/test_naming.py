from __future__ import annotations

import pytest
from anchorlight.store import Library, NoSuchPaperError

from .helpers import Put


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("moe", "moe"), ("mo", "moe"), (" quant ", "quant"), ("2104.04473", "pipe"),
        ("arXiv:2104.04473v9", "pipe"), ("https://arxiv.org/abs/2511.21431", "moe"),
        ("https://doi.org/10.1145/3458817.3476209", "pipe"), ("Efficient Pipe", "pipe"),
        ("memory-aware", "moe"), ("QUANTIZATION of", "quant"),
    ],
)  # fmt: skip
def test_a_paper_is_found_by_what_names_it(library: Library, name: str, key: str) -> None:
    assert library.find(name) == key


def test_a_key_with_capitals_is_found_by_its_beginning(library: Library, put_papers: Put) -> None:
    put_papers(library, {"key": "Knuth84", "title": "Literate Programming"})
    assert library.find("Knuth8") == "Knuth84"
    assert library.find("knuth") == "Knuth84"


@pytest.mark.parametrize("name", ["", " ", "none", "[/b]", "2104.99999", "10.1000/none"])
def test_a_name_of_no_paper_is_refused_with_a_hint(library: Library, name: str) -> None:
    with pytest.raises(NoSuchPaperError) as caught:
        library.find(name)
    assert name in caught.value.message
    assert caught.value.hint


def test_a_name_of_several_papers_is_refused_with_their_keys(
    library: Library, put_papers: Put
) -> None:
    put_papers(library, {"key": "moe2", "title": "T"})
    assert library.find("moe") == "moe"
    with pytest.raises(NoSuchPaperError, match="moe, moe2"):
        library.find("mo")


def test_only_anchors_are_found_where_an_anchor_is_meant(seed_library: Library) -> None:
    anchor = seed_library.find("Cephalo", anchors_only=True)
    assert len(seed_library.reading_list(anchor).papers) == 20
    paper = seed_library.reading_list(anchor).papers[0]
    assert seed_library.reading_list(paper).papers == ()
    with pytest.raises(NoSuchPaperError):
        seed_library.find(paper, anchors_only=True)
