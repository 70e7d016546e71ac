"""What researchers type that is no plain word: each row finds its papers, indexed and not."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from anchorlight.store import Library

from .helpers import Open, Put

PAPERS = {
    "r": ("Learning R by example", "Models fitted in R and C++, but never in C#. Who cares?"),
    "gpt4": ("GPT-4 looks at 3D scenes", "GPT-4 beats T5 on 3D data in 4K. An AI, and no aid."),
    "gpt2": ("GPT-2 tells stories", "GPT-2 and GPT-3 are older models of this kind."),
    "who": ("What the WHO counts", "The WHO tells who falls ill, and where it happens."),
    "uni": ("Universities in the universe", "A university has a policy, no police; so do organs."),
    "go": ("C meets Go", "C is a language, Go a game; .NET and F1 have names as short."),
    "sort": ("O(n log n) is enough", "k-NN takes O(n log n); p<0.05 on 802.11 with L1/L2."),
    "tuning": ("Fine-tuning naïve models", "Müller’s fine-tuning is state-of-the-art; don’t."),
    "finetuning": ("Finetuning is cheap", "Finetuning, Muller says, is fine, no tuning; I dont."),
    "nfd": (unicodedata.normalize("NFD", "Müller, naïve"), unicodedata.normalize("NFD", "étude")),
    "erdos": ("Erdős numbers", "Pál Erdős, Jan Łukasiewicz, Søren, and a Straße."),
    "tokyo": ("東京大学の機械学習", "東京大学で深層学習を学ぶ。"),
    "wifi": ("Wi\u2010Fi by e\u2011mail", "A soft\u00adhyphen, a ﬁne ligature, and “curly” marks."),
    "nino": ("El Niño", "A warm current called Niño, and a child called nino."),
}  # fmt: skip

ROWS = [
    ("R", "r", "gpt4 who"), ("C++", "r", "go"), ("C#", "r", "go"), ("c", "go", "gpt4 r"),
    ("GPT-4", "gpt4", "gpt2"), ("gpt", "gpt4 gpt2", ""), ("3D", "gpt4", "r"), ("T5", "gpt4", ""),
    ("AI", "gpt4", "tuning"), ("who", "r who", ""), ("WHO", "r who", ""), ("it", "who", "uni"),
    ("the", "who uni", ""), ("university", "uni", ""), ("universe", "uni", ""), ("Go", "go", ""),
    (".NET", "go", ""), ("F1", "go", ""), ("k-NN", "sort", ""), ("802.11", "sort", ""),
    ("O(n log n)", "sort", ""), ('"log n"', "sort", ""), ("gpt -older", "gpt4", "gpt2"),
    ("gpt NOT older", "gpt4", "gpt2"), ("title:universe", "uni", ""), ("l1", "sort", ""),
    ("fine-tuning", "tuning finetuning", "wifi"), ('"fine-tuning"', "tuning", ""),
    ("finetuning", "tuning finetuning", ""), ("naive", "tuning nfd", ""),
    ("naïve", "tuning nfd", ""), ("Muller", "tuning finetuning nfd", ""),
    ("Müller", "tuning nfd", ""), ("don't", "tuning finetuning", ""),
    ("don’t", "tuning finetuning", ""), ("erdos", "erdos", ""), ("Erdős", "erdos", ""),
    ("lukasiewicz", "erdos", ""), ("soren", "erdos", ""), ("strasse", "erdos", ""),
    ("東京", "tokyo", ""), ("機械学習", "tokyo", ""), ("学習", "tokyo", ""), ("wi-fi", "wifi", ""),
    ("e-mail", "wifi", ""), ("softhyphen", "wifi", ""), ("curly", "wifi", ""),
    ("fine", "tuning finetuning wifi", ""), ("niño", "nino", ""), ("nino", "nino", ""),
    ("etude", "nfd", ""),
]  # fmt: skip


@pytest.fixture(params=["plain", "indexed"])
def library(open_library: Open, put_papers: Put, request: pytest.FixtureRequest) -> Library:
    library = open_library()
    papers = [
        {"key": key, "title": title, "abstract": abstract}
        for key, (title, abstract) in PAPERS.items()
    ]
    put_papers(library, *papers)
    if request.param == "indexed":
        library.refresh_index()
        assert library.unindexed == 0
    return library


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(("query", "found", "not_found"), ROWS, ids=[row[0] for row in ROWS])
def test_a_token_is_found(
    library: Library, query: str, found: str, not_found: str, form: str
) -> None:
    form_of_query: str = unicodedata.normalize(form, query)  # type: ignore[arg-type]
    keys = {entry.paper.key for entry in library.search(form_of_query).entries}
    assert set(found.split()) <= keys
    assert not set(not_found.split()) & keys
    ranked = library.search(form_of_query, order="relevance").entries
    assert {entry.paper.key for entry in ranked} == keys


def rows_of(folder: Path) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield queries with the numbers of the files that must and must not be found."""
    for line in (folder / "queries.tsv").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            query, found, not_found = [*line.split("\t"), "", ""][:3]
            yield query, found.split(), not_found.split()


@pytest.mark.parametrize("case", ["H11-short-tokens", "H12-hyphens-accents-cjk"])
@pytest.mark.parametrize("indexed", [False, True])
def test_every_row_of_a_case_is_found(
    open_library: Open, shared: Path, case: str, indexed: bool
) -> None:
    folder = shared / "cases" / case
    library = open_library()
    library.import_files([folder])
    if indexed:
        library.refresh_index()
    for query, found, not_found in rows_of(folder):
        for form in ("NFC", "NFD"):
            form_of_query: str = unicodedata.normalize(form, query)  # type: ignore[arg-type]
            papers = [entry.paper for entry in library.search(form_of_query).entries]
            sources = {(paper.source or "")[:3] for paper in papers}
            assert sources if found == ["any"] else set(found) <= sources, query
            # The lists' own titles are papers too, and may match where their abstracts do not.
            assert not {(one.source or "")[:3] for one in papers if one.abstract} & set(not_found)


@pytest.mark.parametrize("indexed", [False, True])
def test_no_query_of_a_case_raises_however_far_it_is_typed(
    open_library: Open, seeds: Path, shared: Path, indexed: bool
) -> None:
    library = open_library(seeds=seeds)
    if indexed:
        library.refresh_index()
    queries = json.loads((shared / "cases/H13-hostile-queries/queries.json").read_text("utf-8"))
    assert len(queries) > 100
    for query in queries:
        for end in {*range(1, min(len(query), 20)), len(query)}:
            for typing, order in ((True, "list"), (False, "relevance")):
                found = library.search(query[:end], typing=typing, order=order).entries
                assert len(found) == len({entry.paper.key for entry in found})


@pytest.mark.parametrize("query", ["*", "*e*", "??*", "?", "**a", "*a* *e*", "?a OR *b"])
def test_what_is_too_broad_is_refused_with_a_sentence(library: Library, query: str) -> None:
    assert "too broad" in library.search(query).query.hint


@pytest.mark.parametrize(
    "query", ["a*", "a*e", "(a* OR b* OR c*) AND (d* OR e*)", "u?iver*", "e*e*"]
)
def test_broad_beginnings_are_answered(library: Library, query: str) -> None:
    answer = library.search(query)
    assert answer.query.hint == ""
    assert len(answer.entries)
