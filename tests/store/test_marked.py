from __future__ import annotations

import json
import tempfile
from pathlib import Path

from anchorlight.store import Change, Status
from anchorlight.store.bits import numbers_in
from anchorlight.store.catalogue import Catalogue
from anchorlight.store.marked import Marked
from anchorlight.store.marks import Marks
from hypothesis import given, settings
from hypothesis import strategies as st

KEYS = "abcdefgh"

changes = st.builds(
    Change,
    status=st.sampled_from([None, *Status]),
    starred=st.sampled_from([None, True, False]),
    add_tags=st.lists(st.sampled_from("xyz"), max_size=2).map(tuple),
    remove_tags=st.lists(st.sampled_from("xyz"), max_size=2).map(tuple),
)
steps = st.lists(
    st.dictionaries(st.sampled_from(KEYS + "?"), st.tuples(changes, st.sampled_from(["", "n"]))),
    max_size=8,
)


@settings(max_examples=60)
@given(steps)
def test_sets_follow_every_change(made: list[dict[str, tuple[Change, str]]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "papers.jsonl"
        path.write_text("".join(json.dumps({"key": key}) + "\n" for key in KEYS))
        catalogue, marks = Catalogue(path), Marks(Path(folder) / "marks.json")
        marked = Marked(catalogue.columns, marks)
        for at, step in enumerate(made):
            now = f"2026-01-01T00:00:{at:02}.000+00:00"
            notes = {key: note for key, (_, note) in step.items()}
            marks.change("", now, {key: change for key, (change, _) in step.items()}, notes)
            marked.update(step)
            mark = {number: marks.mark(key) for number, key in enumerate(KEYS)}
            for status in Status:
                having = [one for one in mark if mark[one].status is status]
                assert numbers_in(marked.having(status)) == having
            assert numbers_in(marked.starred) == [one for one in mark if mark[one].starred]
            assert numbers_in(marked.noted) == [one for one in mark if marks.note(KEYS[one])]
            assert {tag: numbers_in(papers) for tag, papers in marked.tags.items()} == {
                tag: having
                for tag in "xyz"
                if (having := [one for one in mark if tag in mark[one].tags])
            }
            latest = sorted(
                (one for one in mark if mark[one].changed),
                key=lambda one: (str(mark[one].changed), -one),
                reverse=True,
            )
            assert marked.recent() == latest
        marks.close()
        catalogue.close()
