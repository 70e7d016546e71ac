from __future__ import annotations

import pytest
from anchorlight.store.latex import to_text
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"na\"{i}ve", "naïve"),
        (r"na{\"\i}ve", "naïve"),
        (r"na\"\i ve", "naïve"),
        (r"M\"uller", "Müller"),
        (r"{\'e}tude", "étude"),
        (r"Erd\H{o}s", "Erdős"),
        (r"Ho{\v r}ava and \v{S}koda", "Hořava and Škoda"),
        (r"fa\c{c}ade", "façade"),
        (r"{\L}ukasiewicz", "Łukasiewicz"),
        (r"Stra{\ss}e, S{\o}ren, \AA ngstr\"om", "Straße, Søren, Ångström"),
        (r"95\% of A\&B, item\_1, \#1", "95% of A&B, item_1, #1"),
        (r"costs \$5", "costs $5"),
        (r"costs \$5 or \$6", "costs $5 or $6"),
        ("pages 3--7, and --- so", "pages 3–7, and — so"),
        ("state-of-the-art", "state-of-the-art"),
    ],
)
def test_latex_becomes_the_text_it_stands_for(source: str, text: str) -> None:
    assert to_text(source) == text


@pytest.mark.parametrize(
    "source",
    [
        r"$\mathbb{E}[x]_{+}$ stays",
        r"the $O(n \log n)$ bound",
        r"$a--b$",
        r"Escaped \[x] and \\[y], [[double]]",
        r"\unknown{command} and \alpha",
        "--flag and -- end--",
        "plain [SEP] 100% #1 a_b",
    ],
)
def test_what_is_not_certain_stays_as_written(source: str) -> None:
    expected = source.replace(" -- ", " – ")
    assert to_text(source) == expected


@given(st.text(alphabet="\\\"'`^~=.uvHcdbkroOilL{}$%&_# \n-as"))
def test_any_source_has_a_text(source: str) -> None:
    assert isinstance(to_text(source), str)


@given(st.text(alphabet="abc [](){}$%&_#é東"))
def test_text_without_backslash_and_dashes_is_left_alone(source: str) -> None:
    assert to_text(source) == source
