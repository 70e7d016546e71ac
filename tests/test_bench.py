"""What the benches measure with: limits, the corpora, and queries in the languages of peers."""

from __future__ import annotations

import importlib
import json
import sqlite3
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest

BENCH = Path(__file__).parent.parent / "bench"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, ModuleType]:
    monkeypatch.syspath_prepend(str(BENCH))
    modules = {name: importlib.import_module(name) for name in ("corpus", "queries", "table")}
    for module in (modules["corpus"], modules["table"]):
        monkeypatch.setattr(module, "OUT", tmp_path)
    monkeypatch.setattr(modules["corpus"], "REAL", tmp_path / "absent")
    monkeypatch.setattr(modules["corpus"], "INVENTED", 30)
    return modules


def test_a_corpus_comes_out_the_same_and_begins_a_larger_one(bench: dict[str, ModuleType]) -> None:
    corpus = bench["corpus"]
    large = list(corpus.papers(50))
    assert len({record["key"] for record in large}) == 50
    assert len({json.dumps(record["ids"]) for record in large}) == 50
    assert list(corpus.papers(40)) == large[:40]
    lines = corpus.corpus(50).read_text("utf-8").splitlines()
    assert [json.loads(line) for line in lines] == large


def test_resampled_papers_are_of_sentences_that_there_are(bench: dict[str, ModuleType]) -> None:
    made = list(islice(bench["corpus"].papers(60), 30, None))
    known = " ".join(record["abstract"] for record in bench["corpus"].papers(30))
    assert all(record["key"].startswith("resampled") for record in made)
    assert all(record["abstract"].split(". ")[0] in known for record in made)


def test_a_limit_binds_by_its_number_and_by_what_others_measured(
    bench: dict[str, ModuleType],
) -> None:
    table = bench["table"]
    most, least = table.at_most(6, FTS5=0.2), table.at_least(stock=6)
    assert most.holds(6, {"FTS5": 30})
    assert not most.holds(6.1, {"FTS5": 100})
    assert not most.holds(6, {"FTS5": 29})
    assert most.holds(6, {})
    assert least.holds(60, {"stock": 10})
    assert not least.holds(59, {"stock": 10})
    assert str(most) == "at most 6.00 and 0.2 x FTS5"


def test_a_run_is_compared_with_the_one_before(
    bench: dict[str, ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    table = bench["table"]
    assert table.tell([table.Figure("one", 10), table.Figure("two", 5)], "kept") == 0
    capsys.readouterr()
    missed = table.Figure("one", 12, {"bare": 4}, table.at_most(bare=2))
    assert table.tell([missed], "kept") == 1
    told = capsys.readouterr().out
    assert "+20%" in told
    assert "4.00 (3.00x)" in told
    assert "MISSED" in told
    kept = {one["name"]: one["ours"] for one in json.loads((table.OUT / "kept.json").read_text())}
    assert kept == {"one": 12, "two": 5}


@pytest.mark.parametrize("typing", [True, False])
def test_a_peer_understands_every_query_that_is_put_to_it(
    bench: dict[str, ModuleType], typing: bool
) -> None:
    queries = bench["queries"]
    assert len(queries.ASKED) == 40
    base = sqlite3.connect(":memory:")
    try:
        base.execute("CREATE VIRTUAL TABLE papers USING fts5(title, abstract)")
        base.execute("INSERT INTO papers VALUES ('memory', 'a cache for attention')")
        sql = "SELECT count(*) FROM papers WHERE papers MATCH ?"
        said = [queries.translated(query, typing=typing) for query in queries.ASKED]
        counts = [base.execute(sql, (one,)).fetchone()[0] for one in said if one]
    finally:
        base.close()
    assert said.count(None) == 3
    assert sum(counts) > 5


def test_a_query_is_put_as_the_peer_says_it(bench: dict[str, ModuleType]) -> None:
    translated = bench["queries"].translated
    assert translated("memory bott", typing=True) == "memory AND bott*"
    assert translated("memory ", typing=True) == "memory"
    wanted = "( memory OR cache ) AND attention NOT graph"
    assert translated("(memory OR cache) attention -graph") == wanted
    assert translated("memry~", fuzzy=True) == "memry~"
