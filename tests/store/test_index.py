from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path

import pytest
from anchorlight.store.index import IndexUnusableError, TextIndex, stamp, terms
from anchorlight.store.match import matches
from anchorlight.store.parser import parse
from anchorlight.store.query import TEXT_FIELDS
from hypothesis import given, settings
from hypothesis import strategies as st

Fields = dict[str, str]

WORDS = (
    "train training trains model models fine tuning fine-tuning finetuning fine-tuned GPT-4 GPT4 "
    "gpt 4 C++ C# C R 3D naïve nai\u0308ve naive Müller Müller’s don’t dont ﬁne 東京大学 東京 京 "
    "学 大学で e\u2011mail email state-of-the-art 802.11 10-100 32x AI aid it university universe "
    "optimization optimisation O(n) k-NN ガ 한국어 = =train mem memory"
).split()
QUERIES = (
    *WORDS, *(f'"{one} {two}"' for one, two in pairwise(WORDS)),
    "tr*", "t*", "m*", "fine-t*", "東*", "optimi?ation", "t*g", "m?del", "trian~", "modle~2",
    "memoyr~", "naïfe~", "title:train", "abstract:fine-tuning", 'note:"fine tuning"', "tag:gpt*",
)  # fmt: skip


def a_text(fields: str = "abstract", **more: str) -> Fields:
    return dict.fromkeys(TEXT_FIELDS, "") | more


@pytest.fixture
def index(tmp_path: Path) -> Iterator[TextIndex]:
    with closing(TextIndex(tmp_path / "index")) as index:
        index.create()
        yield index


def found(index: TextIndex, query: str, corpus: dict[str, Fields]) -> set[str]:
    (part,) = parse(query).highlights()
    return index.matching(part, corpus.keys(), corpus.__getitem__)


sentences = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
papers = st.builds(
    lambda title, abstract, note, tags: a_text(
        title=title, abstract=abstract, note=note, tags=tags
    ),
    sentences,
    sentences,
    sentences,
    st.sampled_from(["", "gpt-4", "naïve mem"]),
)
queries = st.one_of(
    st.sampled_from(QUERIES),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(lambda w: f'"{" ".join(w)}"'),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map("-".join),
    st.sampled_from(WORDS).map(lambda w: w[:3]),
)


@settings(max_examples=40)
@given(
    st.lists(papers, min_size=3, max_size=8),
    st.lists(papers, max_size=3),
    st.lists(st.tuples(queries, st.booleans()), min_size=25, max_size=40),
)
def test_the_index_finds_what_a_scan_of_the_texts_finds(
    first: list[Fields], later: list[Fields], asked: list[tuple[str, bool]]
) -> None:
    with tempfile.TemporaryDirectory() as folder, closing(TextIndex(Path(folder) / "i")) as index:
        index.create()
        corpus = {f"p{number}": fields for number, fields in enumerate(first)}
        assert index.update(corpus)
        if later:
            corpus |= {f"p{number * 2}": fields for number, fields in enumerate(later)}
            assert index.update({f"p{n * 2}": fields for n, fields in enumerate(later)})
        for query, typing in [*asked, *((query, False) for query in QUERIES[:: len(first)])]:
            for part in parse(query, typing=typing).highlights():
                scanned = {key for key, fields in corpus.items() if matches(part, fields)}
                assert index.matching(part, corpus.keys(), corpus.__getitem__) == scanned, part


def test_the_index_survives_closing_with_the_stamps_of_its_papers(
    index: TextIndex, tmp_path: Path
) -> None:
    corpus = {"a": a_text(title="One"), "b": a_text(note="Two")}
    index.update(corpus)
    index.close()
    with closing(TextIndex(tmp_path / "index")) as again:
        assert again.open() == {key: stamp(fields) for key, fields in corpus.items()}
        assert found(again, "one", corpus) == {"a"}


def test_a_paper_that_changed_is_found_by_its_new_words_only(index: TextIndex) -> None:
    index.update({"a": a_text(title="old")})
    new = {"a": a_text(title="new")}
    index.update(new)
    assert found(index, "old", new) == set()
    assert found(index, "new", new) == {"a"}


def test_a_removed_paper_is_not_found(index: TextIndex) -> None:
    corpus = {"a": a_text(title="word"), "b": a_text(title="word")}
    index.update(corpus)
    index.update({}, ["a"])
    assert found(index, "word", corpus) == {"b"}


def test_a_word_of_any_length_can_be_indexed(index: TextIndex) -> None:
    corpus = {"a": a_text(abstract=f"{'x' * 100_000} short {'é' * 40_000}")}
    index.update(corpus)
    assert found(index, "short", corpus) == {"a"}
    assert found(index, "x" * 100_000, corpus) == {"a"}
    assert found(index, "x*", corpus) == {"a"}


def test_the_title_weighs_more_than_the_abstract_and_that_more_than_the_note(
    index: TextIndex,
) -> None:
    index.update(
        {
            "note": a_text(note="gpu"), "title": a_text(title="gpu"),
            "abstract": a_text(abstract="gpu"), "none": a_text(title="cpu"),
        }
    )  # fmt: skip
    scores = index.scores(parse("gpu").highlights(), {"note", "title", "abstract", "none"})
    assert sorted(scores, key=scores.__getitem__) == ["note", "abstract", "title"]


def test_scores_are_given_for_the_papers_asked_for_only(index: TextIndex) -> None:
    index.update({"a": a_text(title="gpu"), "b": a_text(title="gpu")})
    assert index.scores(parse('"gpu"').highlights(), {"b"}).keys() == {"b"}


def test_stems_do_not_mix_with_words_as_typed() -> None:
    assert set(terms("Fine-tuning")) == {
        "fine", "=fine", "tuning", "=tune", "finetuning", "=finetun"
    }  # fmt: skip


def test_the_stamp_tells_texts_and_fields_apart() -> None:
    texts = [a_text(), a_text(title="a"), a_text(note="a"), a_text(title="a", note="a")]
    assert len({stamp(fields) for fields in texts}) == 4
    assert stamp(a_text(title="a")) == stamp(a_text(title="a"))


def test_a_missing_index_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusableError):
        TextIndex(tmp_path / "none").open()


# Whoosh leaves the file open that it fails on; the collector may come before the fixture.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("no_open_files")
@pytest.mark.parametrize("damage", ["version", "no version", "cut", "garbage", "empty"])
def test_a_damaged_or_other_index_is_refused(index: TextIndex, tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "index"
    index.update({"a": a_text(title="word")})
    index.close()
    if damage == "version":
        (folder / "version").write_text("0")
    elif damage == "no version":
        (folder / "version").unlink()
    elif damage == "empty":
        for file in folder.iterdir():
            if file.name != "version":
                file.unlink()
    else:
        for file in folder.glob("*.toc"):
            data = file.read_bytes()
            file.write_bytes(data[: len(data) // 2] if damage == "cut" else b"\x80garbage" * 40)
    with closing(TextIndex(folder)) as again, pytest.raises(IndexUnusableError):
        again.open()


@pytest.mark.skipif(os.name != "posix", reason="the rights of folders are those of POSIX")
@pytest.mark.parametrize("kind", ["writable by others", "link"])
def test_an_index_that_others_could_have_written_is_not_opened(
    index: TextIndex, tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / "index"
    index.update({"a": a_text(title="word")})
    index.close()
    if kind == "link":
        folder = tmp_path / "link"
        folder.symlink_to(tmp_path / "index", target_is_directory=True)
    else:
        folder.chmod(0o777)
    with closing(TextIndex(folder)) as again, pytest.raises(IndexUnusableError):
        again.open()


def test_the_folder_of_a_new_index_is_the_readers_own(index: TextIndex, tmp_path: Path) -> None:
    if os.name == "posix":
        assert (tmp_path / "index").stat().st_mode & 0o077 == 0


def test_an_index_that_another_program_writes_to_is_left_to_it(
    index: TextIndex, tmp_path: Path
) -> None:
    from whoosh.index import open_dir

    other = open_dir(tmp_path / "index")
    writer = other.writer()
    try:
        assert index.update({"a": a_text(title="word")}) is False
    finally:
        writer.cancel()
        with suppress(Exception):
            other.close()
    assert index.update({"a": a_text(title="word")}) is True
