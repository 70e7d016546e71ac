from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest
from anchorlight.store.bits import numbers_in
from anchorlight.store.index import IndexUnusableError, TextIndex
from anchorlight.store.index.schema import terms
from hypothesis import given, settings
from hypothesis import strategies as st

from .corpus import WORDS, Corpus, Fields, a_text

QUERIES = (
    *WORDS, *(f'"{one} {two}"' for one, two in pairwise(WORDS)),
    "tr*", "t*", "m*", "fine-t*", "東*", "optimi?ation", "t*g", "m?del", "trian~", "modle~2",
    "memoyr~", "naïfe~", "title:train", "abstract:fine-tuning", 'note:"fine tuning"', "tag:gpt*",
)  # fmt: skip


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    corpus = Corpus(tmp_path / "index")
    corpus.index.create()
    with closing(corpus.index):
        yield corpus


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
    with tempfile.TemporaryDirectory() as folder:
        corpus = Corpus(Path(folder) / "i", first)
        with closing(corpus.index):
            corpus.index.create()
            corpus.update()
            corpus.papers |= {number * 2: fields for number, fields in enumerate(later)}
            corpus.update([number * 2 for number in range(len(later))])
            for query, typing in [*asked, *((query, False) for query in QUERIES[:: len(first)])]:
                for part in corpus.parts(query, typing=typing):
                    found = set(numbers_in(corpus.index.committed.matching(part)))
                    assert found == corpus.scanned(part), part


def test_the_index_survives_closing(corpus: Corpus, tmp_path: Path) -> None:
    corpus.papers = {0: a_text(title="One"), 1: a_text(note="Two")}
    corpus.update()
    corpus.index.close()
    corpus.index = TextIndex(tmp_path / "index")
    corpus.index.open(corpus.state)
    assert corpus.index.committed.known == 0b11
    assert corpus.found("one") == {0}


@pytest.mark.parametrize("field", ["title", "note", "tags"])
def test_a_paper_that_changed_is_known_no_more(corpus: Corpus, field: str) -> None:
    corpus.papers = {0: a_text(title="same"), 1: a_text(**{field: "old"}), 2: a_text(title="same")}
    corpus.update()
    corpus.papers[1] = a_text(**{field: "new"})
    corpus.index.place(corpus.state)
    assert corpus.index.committed.known == 0b101
    assert corpus.found("old") == set()
    corpus.update([1])
    assert corpus.index.committed.known == 0b111
    assert corpus.found("old") == set()
    assert corpus.found("new") == {1}


def test_a_removed_paper_is_not_found(corpus: Corpus) -> None:
    corpus.papers = {0: a_text(title="word"), 1: a_text(title="word")}
    corpus.update()
    del corpus.papers[0]
    corpus.update([0])
    assert corpus.found("word") == {1}


def test_papers_are_known_by_their_lines_wherever_they_stand(corpus: Corpus) -> None:
    corpus.papers = {number: a_text(title=f"word w{number}") for number in range(6)}
    corpus.update()
    state = corpus.state
    for order in ([5, 3, 1], [0, 0, 1, 2, 3, 4, 5], [1, 2, 3], []):
        lines = state.lines[:0]
        lines.extend(0 if not at and order[1:2] == [0] else state.lines[one]
                     for at, one in enumerate(order))  # fmt: skip
        corpus.index.place(state._replace(lines=lines))
        here = {at for at, line in enumerate(lines) if line}
        assert corpus.found("word") == here
        assert corpus.found("w3") == {at for at in here if order[at] == 3}
        assert set(corpus.best("word")) == here & {*corpus.papers}


def test_a_word_of_any_length_can_be_indexed(corpus: Corpus) -> None:
    corpus.papers = {0: a_text(abstract=f"{'x' * 100_000} short {'é' * 40_000}")}
    corpus.update()
    assert corpus.found("short") == {0}
    assert corpus.found("x" * 100_000) == {0}
    assert corpus.found("x*") == {0}


def test_a_word_may_stand_in_a_text_more_often_than_is_counted(corpus: Corpus) -> None:
    corpus.papers = {0: a_text("train trains " * 300), 1: a_text("train")}
    corpus.update()
    assert corpus.found("train") == {0, 1}
    assert corpus.found('"trains train"') == {0}
    assert corpus.best("train") == [0, 1]


def test_segments_stay_few_however_often_papers_change(corpus: Corpus) -> None:
    corpus.papers = {number: a_text(title=f"word {number}") for number in range(100)}
    corpus.update()
    for number in range(60):
        corpus.papers[number] = a_text(title=f"newer {number}")
        more = numbers_in(corpus.index.to_rewrite(1))
        corpus.update({number, *more})
    segments = [path for path in corpus.index.folder.iterdir() if path.suffix == ".seg"]
    assert len(segments) < 9
    assert corpus.found("newer") == set(range(60))
    assert corpus.found("word") == set(range(60, 100))
    assert corpus.index.committed.known == (1 << 100) - 1


def test_stems_do_not_mix_with_words_as_typed() -> None:
    assert set(terms("Fine-tuning")) == {
        "fine", "=fine", "tuning", "=tune", "finetuning", "=finetun"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "near"),
    [("memroy", "memory"), ("bottlneck", "bottleneck"), ("gpv", "gpu"), ("zzyzx", ""), ("a", "")],
)
def test_the_nearest_word_is_found(corpus: Corpus, typed: str, near: str) -> None:
    corpus.papers = {0: a_text("memory bottleneck gpu gpus"), 1: a_text("gpu meadow")}
    corpus.update()
    assert corpus.index.committed.nearest(typed) == near


def test_of_words_equally_near_the_commonest_is_chosen(corpus: Corpus) -> None:
    corpus.papers = {0: a_text("cat"), 1: a_text("cut"), 2: a_text("cut")}
    corpus.update()
    assert corpus.index.committed.nearest("cet") == "cut"


def test_a_missing_index_is_not_opened(tmp_path: Path) -> None:
    with pytest.raises(IndexUnusableError):
        TextIndex(tmp_path / "none").open(Corpus(tmp_path).state)


# Whoosh leaves the file open that it fails on; the collector may come before the fixture.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("no_open_files")
@pytest.mark.parametrize(
    "damage",
    ["version", "no version", "cut", "garbage", "empty", "no segment", "cut segment", "zeros"],
)
def test_a_damaged_or_other_index_is_refused(corpus: Corpus, tmp_path: Path, damage: str) -> None:
    folder = tmp_path / "index"
    corpus.papers = {0: a_text(title="word")}
    corpus.update()
    corpus.index.close()
    (segment,) = folder.glob("*.seg")
    if damage == "version":
        (folder / "version").write_text("0")
    elif damage == "no version":
        (folder / "version").unlink()
    elif damage == "no segment":
        segment.unlink()
    elif damage == "cut segment":
        segment.write_bytes(segment.read_bytes()[:-20])
    elif damage == "zeros":
        segment.write_bytes(bytes(segment.stat().st_size))
    elif damage == "empty":
        for file in folder.iterdir():
            if file.name != "version":
                file.unlink()
    else:
        for file in folder.glob("*.toc"):
            data = file.read_bytes()
            file.write_bytes(data[: len(data) // 2] if damage == "cut" else b"\x80garbage" * 40)
    with closing(TextIndex(folder)) as again, pytest.raises(IndexUnusableError):
        again.open(corpus.state)


@pytest.mark.skipif(os.name != "posix", reason="the rights of folders are those of POSIX")
@pytest.mark.parametrize("kind", ["writable by others", "link"])
def test_an_index_that_others_could_have_written_is_not_opened(
    corpus: Corpus, tmp_path: Path, kind: str
) -> None:
    folder = tmp_path / "index"
    corpus.papers = {0: a_text(title="word")}
    corpus.update()
    corpus.index.close()
    if kind == "link":
        folder = tmp_path / "link"
        folder.symlink_to(tmp_path / "index", target_is_directory=True)
    else:
        folder.chmod(0o777)
    with closing(TextIndex(folder)) as again, pytest.raises(IndexUnusableError):
        again.open(corpus.state)


@pytest.mark.usefixtures("corpus")
def test_the_folder_of_a_new_index_is_the_readers_own(tmp_path: Path) -> None:
    if os.name == "posix":
        assert (tmp_path / "index").stat().st_mode & 0o077 == 0


def test_an_index_that_another_program_writes_to_is_left_to_it(
    corpus: Corpus, tmp_path: Path
) -> None:
    with closing(TextIndex(tmp_path / "index")) as other:
        other.open(corpus.state)
        with other.writing() as theirs, corpus.index.writing() as ours:
            assert theirs
            assert not ours
        with corpus.index.writing() as ours:
            assert ours


def test_what_another_program_wrote_is_seen(corpus: Corpus, tmp_path: Path) -> None:
    corpus.papers = {0: a_text(title="word")}
    with closing(TextIndex(tmp_path / "index")) as other:
        other.open(corpus.state)
        assert other.is_current
        corpus.update()
        assert not other.is_current
        other.open(corpus.state)
        assert other.is_current
        assert other.committed.known == 1
