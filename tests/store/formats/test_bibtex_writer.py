from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import Any

import pytest
from anchorlight.store import Entry, Mark, Paper, latex
from anchorlight.store.dates import date_of
from anchorlight.store.formats import read
from anchorlight.store.formats.bibtex_types import DETAILS, number_variable
from anchorlight.store.formats.fields import abstract_of
from anchorlight.store.formats.input import Input
from anchorlight.store.formats.item_types import CSL_TYPES
from anchorlight.store.formats.writers import Options, bibtex, latex_escape
from anchorlight.store.formats.writers.latex_escape import escape
from anchorlight.store.names import Name, stored
from anchorlight.store.text import clean, clean_line
from hypothesis import assume, given
from hypothesis import strategies as st

from ..helpers import gathered

# Letters and signs that Unicode and LaTeX write in more ways than one.
AWKWARD = "\\{}$&%#_~^<>|\"'`-–—“”‘’,;=@().:/!? 019aAzZßéÉñŁőėễïǐæøÅα∞×²₃…„«°§中文🙂\u0301"
TWINS = "ϕϵ"
"""Letters that LaTeX writes as φ and ε in another hand."""
signs = st.characters(exclude_categories=["C", "Z"], exclude_characters=TWINS)
line = st.text(alphabet=st.sampled_from(AWKWARD) | signs, max_size=30).map(clean_line)
word = st.from_regex(r"[abzABZéŁßö][abzABZéŁß.'-]{0,6}", fullmatch=True)
name = st.builds(Name, word, word | st.just(""), st.sampled_from(["", "Jr."])).map(stored)
ids = st.fixed_dictionaries(
    {},
    optional={
        "doi": st.from_regex(r"10\.[0-9]{4}/[a-z0-9()<>;_%~#$&.-]{0,8}[a-z0-9]", fullmatch=True),
        "arxiv": st.sampled_from(["2101.00001", "hep-th/9901001"]),
        "pmid": st.sampled_from(["123"]), "openalex": st.sampled_from(["W12"]),
    },
)  # fmt: skip
dates = st.sampled_from(
    [None, "2019-05", "2019-05-03", "1910/1917", "circa 1850", "in press", "2019-21"]
)
details = st.dictionaries(
    st.sampled_from(sorted({*DETAILS.values(), "page", "issue", "number"} - {"genre"})), line,
    max_size=4,
)  # fmt: skip


@st.composite
def papers(draw: Any) -> Paper:
    kind = draw(st.sampled_from(sorted(CSL_TYPES)))
    date = draw(dates)
    told = {at: value for at, value in draw(details).items() if value}
    number = number_variable(kind, in_series="collection-title" in told)
    for other in {"issue", "number"} - {number, "issue"}:
        told.pop(other, None)
    if "page" in told:
        told["page"] = "1–9"
    venue = draw(line)
    return Paper(
        "k", title=draw(line) or "T",  # a book without a title takes that of its container
        authors=tuple(filter(None, draw(st.lists(name, max_size=3)))),
        year=date_of(date).year if date else draw(st.none() | st.integers(1000, 2100)),
        venue=venue or told.get("publisher"), abstract=draw(line) or None, ids=draw(ids), type=kind,
        date=date, details=told, url=draw(st.none() | st.just("https://a.org/x_y%20z~a?b=c&d#e")),
    )  # fmt: skip


def text_of(*papers: Paper, **options: Any) -> str:
    return "".join(bibtex.write((Entry(paper) for paper in papers), Options(**options)))


def read_back(text: str) -> list[Paper]:
    parsed = gathered(read(Input.of(text), "bibtex"))
    assert (parsed.refused, parsed.guesses) == ([], [])
    return [found.paper for found in parsed.papers]


@given(papers(), st.booleans())
def test_what_is_written_is_read_back(paper: Paper, unicode: bool) -> None:
    assume(not re.search(r"(?i)arxiv|abs/|\w+://", f"{paper.venue}{paper.details}"))
    assume(not paper.abstract or abstract_of(paper.abstract) == (paper.abstract, False))
    text = text_of(paper, unicode=unicode)
    (back,) = read_back(text)
    assert back == paper


@given(st.text(), st.text(), st.lists(st.text(), max_size=3), st.text(), st.booleans())
def test_nothing_breaks_the_file(
    key: str, title: str, names: list[str], other: str, unicode: bool
) -> None:
    """Whatever a record holds, what follows is read, and braces are balanced."""
    paper = Paper(key, title=title, authors=tuple(names), venue=other, abstract=other, url=other,
                  ids={"doi": other, "openalex": title}, type=other, date=title,
                  details={"editor": other, "page": title, "publisher": title})  # fmt: skip
    text = "".join(
        bibtex.write([Entry(paper, Mark(tags=(title,)), other)], Options(unicode=unicode))
    )
    depth = 0
    for found in re.finditer(r"[{}]", text):
        depth += 1 if found[0] == "{" else -1
        assert depth >= 0
    assert depth == 0
    printed = re.sub(r"(?m)^  (url|doi|openalex|entrysubtype) .*$", "", text)
    assert not re.search(r"(?<!\\)%", printed)
    assert [one.key for one in gathered_keys(text + "@book{after, title = {x}}")][-1] == "after"


def gathered_keys(text: str) -> list[Paper]:
    return [found.paper for found in gathered(read(Input.of(text), "bibtex")).papers]


@given(line | st.text(alphabet=AWKWARD, max_size=20).map(clean))
def test_escaped_text_is_the_same_text_again(text: str) -> None:
    assert latex.to_text(escape(text), braces=True) == text
    assert latex.to_text(escape(text, unicode=True), braces=True) == text


def test_every_command_that_is_written_is_read() -> None:
    known = {**latex_escape._LETTERS, **latex_escape._MATH, **latex_escape._RAISED}
    for char in (*known, *latex_escape._LOWERED, *latex_escape._SPECIAL, *latex_escape._RUNS):
        if char not in TWINS:
            for text in (char, f"a{char}b", f"({char}, {char}2)", char * 2):
                assert latex.to_text(escape(text), braces=True) == text


def test_letters_with_accents_become_plain_ascii() -> None:
    letters = [chr(code) for code in range(0xC0, 0x180) if chr(code).isalpha()]
    for letter in letters:
        base = unicodedata.normalize("NFD", letter)
        if len(base) == 2 and base[1] in latex_escape._ACCENTS:
            assert escape(letter).isascii(), letter


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50% of R&D_1 #2 $5", r"50\% of R\&D\_1 \#2 \$5"),
        ("a{b}c\\d",
         r"a{\textbraceleft}b{\textbraceright}c{\textbackslash}d"),
        ("Erdős, Čech, naïve", r"Erd{\H o}s, {\v C}ech, na{\"\i}ve"),
        ("O(n²)", r"O(n\textsuperscript{2})"),
        ("α-stable", r"{$\alpha$}-stable"), ("“x” – y", "``x'' -- y"), ("ễ", r"{\~{\^e}}"),
        ("&amp;", r"{\&}amp;"), ("中", "中"),
    ],
)  # fmt: skip
def test_text_becomes_what_latex_prints_the_same(text: str, expected: str) -> None:
    assert escape(text) == expected


def test_an_entry_as_it_is_written() -> None:
    paper = Paper(
        "roe24", title="BERT on GPUs: a study of Bayes", authors=("Rita Roe", "{The Group}"),
        authors_complete=False, year=2024, date="2024-02-03", venue="Proc. of ABC",
        ids={"arxiv": "2101.00001", "doi": "10.1000/a_b"}, version=2, type="paper-conference",
        abstract="It goes on", truncated=True, details={"page": "1–9", "publisher": "P & Co"},
    )  # fmt: skip
    entry = Entry(paper, Mark(tags=("deep", "to-read")), "My note")
    assert "".join(bibtex.write([entry], Options())) == (
        """@inproceedings{roe24,
  author = {Rita Roe and {The Group} and others},
  title = {{BERT} on {GPUs:} a study of Bayes},
  booktitle = {Proc. of ABC},
  publisher = {P \\& Co},
  pages = {1--9},
  year = {2024},
  month = feb,
  day = {3},
  eprint = {2101.00001v2},
  archiveprefix = {arXiv},
  doi = {10.1000/a_b},
  abstract = {It goes on{\\ldots}},
  keywords = {deep, to-read},
  annote = {My note},
}

"""
    )
    assert "annote" not in "".join(bibtex.write([entry], Options(notes=False)))
    (back,) = read_back("".join(bibtex.write([entry], Options(notes=False))))
    assert back == paper


@pytest.mark.parametrize(
    ("genre", "kind", "field"),
    [("PhD thesis", "@phdthesis{", None), ("Master's thesis", "@mastersthesis{", None),
     ("", "@phdthesis{", "type = {Thesis}"), ("Habilitation", "@phdthesis{", "type = {Habil")],
)  # fmt: skip
def test_theses_keep_their_kind(genre: str, kind: str, field: str | None) -> None:
    paper = Paper("k", type="thesis", title="T", details={"genre": genre} if genre else {})
    text = text_of(paper)
    assert text.startswith(kind)
    assert field in text if field else "type =" not in text
    assert read_back(text) == [paper]


@pytest.mark.parametrize("kind", sorted(CSL_TYPES))
def test_every_type_is_read_back(kind: str) -> None:
    bare = Paper("k", type=kind, title="T")
    in_venue = replace(bare, venue="V")
    for paper in (bare, in_venue, replace(in_venue, ids={"arxiv": "2101.00001"})):
        assert read_back(text_of(paper)) == [paper]


def test_keys_are_legal_and_unique_whatever_their_case() -> None:
    keys = ["a", "A", "a", "Mü ll{er},#%~'\"()=\\1", "中", "", "a-2"]
    text = text_of(*(Paper(key, title="T") for key in keys))
    written = re.findall(r"@\w+\{(.*),", text)
    assert written == ["a", "A-2", "a-3", "Muller1", "paper", "paper-2", "a-2-2"]
    assert re.findall(r"@\w+\{(.*),", text_of(Paper("Mü中", title="T"), unicode=True)) == ["Mü中"]
