from __future__ import annotations

import shutil
from array import array
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any, cast

import pytest
from anchorlight.store.bits import bits_of, numbers_in
from anchorlight.store.columns import digest_of
from anchorlight.store.index import TextIndex
from anchorlight.store.match import Fields
from anchorlight.store.parser import parse
from anchorlight.store.search import Asking, Search
from anchorlight.store.texts import Own, Texts

from .index.corpus import a_text


class _Papers:
    """What searching needs to know of a library: texts by number, and what they were indexed as."""

    def __init__(self) -> None:
        self.by_number: dict[int, Fields] = {}
        self.keys = "abcde"

    @property
    def columns(self) -> Any:
        return self

    @property
    def here(self) -> int:
        return bits_of([*self.by_number], len(self.keys))

    @property
    def digests(self) -> array[int]:
        lines = array("Q", [0] * len(self.keys))
        for number, fields in self.by_number.items():
            told = repr([text for name, text in fields.items() if name not in ("tags", "note")])
            lines[number] = digest_of(f"{number} {told}".encode())
        return lines

    def __len__(self) -> int:
        return len(self.keys)

    def fields(self, number: int) -> Fields:
        return self.by_number.get(number, a_text())

    def document(self, number: int) -> tuple[str, int, Fields]:
        return self.keys[number], self.digests[number], self.fields(number)

    def own(self, numbers: Iterable[int] | None = None) -> dict[int, Own]:
        own = {
            number: Own(fields["tags"], fields["note"]) for number, fields in self.by_number.items()
        }
        chosen = own.keys() if numbers is None else own.keys() & set(numbers)
        return {number: own[number] for number in chosen if any(own[number])}


class Corpus:
    """Papers whose texts can be changed, and a search over them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.papers = _Papers()
        for key, fields in {
            "a": a_text(title="gpu memory"),
            "b": a_text(abstract="gpu training"),
            "c": a_text(note="gpu"),
            "d": a_text(title="other"),
        }.items():
            self.put(key, fields)
        self.search = self.new()

    def put(self, key: str, fields: Fields | None) -> None:
        """Change a paper behind the search's back."""
        number = self.papers.keys.index(key)
        if fields is None:
            del self.papers.by_number[number]
        else:
            self.papers.by_number[number] = fields

    def change(self, key: str, fields: Fields | None) -> None:
        """Change a paper and tell the search."""
        self.put(key, fields)
        self.search.touch(1 << self.papers.keys.index(key))

    def new(self) -> Search:
        return Search(self.folder, cast("Texts", self.papers))

    def _keys(self, numbers: Iterable[int]) -> list[str]:
        return [self.papers.keys[number] for number in numbers]

    def found(self, query: str, asking: Asking | None = None) -> set[str]:
        (part,) = parse(query).highlights()
        here = self.papers.here
        return {*self._keys(numbers_in(self.search.matching(part, here, asking or Asking())))}

    def ranked(self, query: str, among: str = "") -> list[str]:
        chosen = among or "".join(self.found(query))
        papers = bits_of([*map(self.papers.keys.index, chosen)], 5)
        return self._keys(self.search.ranked(parse(query).highlights(), papers))


@pytest.fixture
def corpus(tmp_path: Path) -> Iterator[Corpus]:
    corpus = Corpus(tmp_path / "index")
    yield corpus
    corpus.search.close()


@pytest.mark.parametrize("indexed", [False, True])
def test_the_same_is_found_with_and_without_an_index(corpus: Corpus, indexed: bool) -> None:
    if indexed:
        corpus.search.refresh()
    assert corpus.search.pending == (0 if indexed else 4)
    assert corpus.found("gpu") == {"a", "b", "c"}
    assert corpus.found("title:gpu") == {"a"}
    assert corpus.found('"gpu training"') == {"b"}


@pytest.mark.parametrize("indexed", [False, True])
def test_title_ranks_above_abstract_above_note(corpus: Corpus, indexed: bool) -> None:
    if indexed:
        corpus.search.refresh()
    assert corpus.ranked("gpu") == ["a", "b", "c"]


def test_papers_that_the_words_do_not_score_are_not_ranked(corpus: Corpus) -> None:
    corpus.search.refresh()
    assert corpus.ranked("gpu", "dca") == ["a", "c"]
    assert corpus.search.ranked((), 0b1001) == []


def test_a_changed_paper_is_found_by_its_new_text_before_the_index_knows(corpus: Corpus) -> None:
    corpus.search.refresh()
    corpus.change("a", a_text(title="tpu"))
    corpus.change("e", a_text(title="gpu"))
    assert corpus.search.pending == 2
    assert corpus.found("gpu") == {"b", "c", "e"}
    assert corpus.ranked("tpu") == ["a"]
    corpus.search.refresh()
    assert corpus.search.pending == 0
    assert corpus.found("gpu") == {"b", "c", "e"}


def test_a_removed_paper_is_found_no_more(corpus: Corpus) -> None:
    corpus.search.refresh()
    corpus.change("a", None)
    assert corpus.found("gpu") == {"b", "c"}
    corpus.search.refresh()
    assert corpus.found("gpu") == {"b", "c"}


def test_a_partial_index_does_not_pass_for_a_whole_one(corpus: Corpus) -> None:
    whole = dict(corpus.papers.by_number)
    for key in "cd":
        corpus.put(key, None)
    corpus.search.refresh()
    corpus.search.close()
    corpus.papers.by_number = whole
    corpus.search = corpus.new()
    corpus.search.open()
    assert corpus.search.pending == 2
    assert not corpus.search.ready
    assert corpus.found("gpu") == {"a", "b", "c"}
    corpus.search.refresh()
    assert corpus.search.ready


def test_rebuilding_makes_a_whole_index_out_of_anything(corpus: Corpus) -> None:
    for _ in range(2):
        corpus.search.rebuild()
        assert corpus.search.ready
        assert corpus.search.pending == 0
        assert corpus.found("gpu") == {"a", "b", "c"}


def test_an_index_of_another_state_is_brought_up_to_date(corpus: Corpus) -> None:
    corpus.search.refresh()
    corpus.search.close()
    corpus.put("a", a_text(title="tpu"))
    corpus.put("b", None)
    with closing(corpus.new()) as search:
        corpus.search = search
        search.open()
        assert corpus.found("tpu") == {"a"}
        assert corpus.found('"gpu training"') == set()
        assert search.problem == ""
        assert corpus.found("gpu") == {"c"}
        search.refresh()
        assert search.pending == 0
        assert corpus.found("gpu") == {"c"}


def test_a_text_that_changes_while_it_is_indexed_stays_pending(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus.search.refresh()
    update = TextIndex.update

    def and_meanwhile(self: TextIndex, *args: Any) -> None:
        update(self, *args)
        corpus.change("a", a_text(title="newest"))

    corpus.change("a", a_text(title="newer"))
    with monkeypatch.context() as patch:
        patch.setattr(TextIndex, "update", and_meanwhile)
        corpus.search.refresh()
    assert corpus.search.pending == 1
    assert corpus.found("newest") == {"a"}
    assert corpus.found("newer") == set()


def test_progress_is_told(corpus: Corpus) -> None:
    told: list[tuple[int, int]] = []
    corpus.search.refresh(lambda done, total: told.append((done, total)))
    assert told == [(4, 4)]


def test_without_time_the_stale_papers_that_were_not_looked_at_are_told(corpus: Corpus) -> None:
    asking = Asking(deadline=monotonic() - 1)
    assert corpus.found("gpu", asking) == set()
    assert asking.left == corpus.papers.here
    corpus.search.refresh()
    corpus.change("b", a_text(title="gpu"))
    asking = Asking(deadline=monotonic() - 1)
    assert corpus.found("gpu", asking) == {"a", "c"}
    assert asking.left == 0b10
    asking = Asking(deadline=monotonic() + 60)
    assert corpus.found("gpu", asking) == {"a", "b", "c"}
    assert asking.left == 0


def test_a_word_that_occurs_nowhere_has_a_suggestion(corpus: Corpus) -> None:
    corpus.search.refresh()
    assert corpus.search.suggestion(parse("gpu trainnig").highlights()) == ("trainnig", "training")
    assert corpus.search.suggestion(parse("gpu training").highlights()) is None
    assert corpus.search.suggestion(parse("zzyzx").highlights()) is None


def test_nothing_is_suggested_while_the_index_is_not_whole(corpus: Corpus) -> None:
    assert corpus.search.suggestion(parse("trainnig").highlights()) is None


def test_an_index_that_is_deleted_under_us_is_not_missed(corpus: Corpus) -> None:
    corpus.search.refresh()
    shutil.rmtree(corpus.folder)
    assert corpus.found("gpu") == {"a", "b", "c"}
    assert corpus.ranked("gpu") == ["a", "b", "c"]
    if corpus.search.pending:  # the texts answer for an index that was given up
        assert not corpus.search.ready
    corpus.change("d", a_text(title="gpu gpu"))
    assert set(corpus.ranked("gpu")) == {"a", "b", "c", "d"}
    corpus.search.refresh()
    corpus.search.refresh()
    assert corpus.search.pending == 0
    assert corpus.search.problem == ""
    assert corpus.found("gpu") == {"a", "b", "c", "d"}


# Whoosh leaves the file open that it fails on; the collector may come before the fixture.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.usefixtures("no_open_files")
@pytest.mark.parametrize("damage", ["cut", "zeros", "garbage", "gone"])
@pytest.mark.parametrize("files", ["*.toc", "*.seg"])
def test_a_damaged_index_is_built_anew_on_the_next_start(
    corpus: Corpus, files: str, damage: str
) -> None:
    corpus.search.refresh()
    corpus.search.close()
    damaged = list(corpus.folder.glob(files))
    assert damaged
    for file in damaged:
        size = file.stat().st_size
        if damage == "gone":
            file.unlink()
        elif damage == "cut":
            file.write_bytes(file.read_bytes()[: size // 2])
        else:
            file.write_bytes(bytes(size) if damage == "zeros" else b"\x80garbage" * 40)
    with closing(corpus.new()) as search:
        corpus.search = search
        assert corpus.found("gpu") == {"a", "b", "c"}
        search.refresh()
        assert search.pending == 0
        assert corpus.found("gpu") == {"a", "b", "c"}


def test_where_no_index_can_be_made_the_texts_answer_and_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    corpus = Corpus(tmp_path / "file" / "index")
    corpus.search.refresh()
    assert "index" in corpus.search.problem
    assert corpus.search.pending == 4
    assert corpus.ranked("gpu") == ["a", "b", "c"]


def test_an_index_in_a_linked_folder_is_neither_trusted_nor_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").write_text("kept")
    (tmp_path / "index").symlink_to(elsewhere, target_is_directory=True)
    corpus = Corpus(tmp_path / "index")
    corpus.search.refresh()
    assert corpus.search.problem
    assert corpus.found("gpu") == {"a", "b", "c"}
    assert [file.name for file in elsewhere.iterdir()] == ["file"]
