"""Papers to be indexed, for tests: texts by number, and an index over them."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from anchorlight.store.bits import bits_of, numbers_in
from anchorlight.store.index import Document, State, TextIndex, own_digest
from anchorlight.store.match import matches
from anchorlight.store.parser import parse
from anchorlight.store.query import TEXT_FIELDS, Text
from anchorlight.store.texts import Own

Fields = Mapping[str, str]

WORDS = (
    "train training trains model models fine tuning fine-tuning finetuning fine-tuned GPT-4 GPT4 "
    "gpt 4 C++ C# C R 3D naïve nai\u0308ve naive Müller Müller’s don’t dont ﬁne 東京大学 東京 京 "
    "学 大学で e\u2011mail email state-of-the-art 802.11 10-100 32x AI aid it university universe "
    "optimization optimisation O(n) k-NN ガ 한국어 = =train mem memory"
).split()


def a_text(fields: str = "", **more: str) -> dict[str, str]:
    """Return the texts of a paper, all but some of them empty."""
    return dict.fromkeys(TEXT_FIELDS, "") | {"abstract": fields} | more


class Corpus:
    """Papers by number, in an index of their own."""

    def __init__(self, folder: Path, papers: Sequence[Fields] = ()) -> None:
        self.index = TextIndex(folder)
        self.papers = dict(enumerate(papers))

    @property
    def size(self) -> int:
        """One more than the highest number."""
        return max(self.papers, default=-1) + 1

    @property
    def state(self) -> State:
        """What the papers are now."""
        lines = array("Q", [0] * self.size)
        own = {}
        for number, fields in self.papers.items():
            lines[number] = _line(number, fields)
            if digest := _own(fields):
                own[number] = digest
        return State(lines, own)

    def update(self, numbers: Iterable[int] | None = None) -> None:
        """Index papers as they are now."""
        chosen = [*self.papers] if numbers is None else [*numbers]
        documents = [
            Document(f"p{one}", _line(one, fields), _own(fields), fields)
            for one in sorted(chosen)
            if (fields := self.papers.get(one))
        ]
        with self.index.writing() as alone:
            assert alone
            self.index.update(documents, bits_of(chosen, max(chosen, default=0) + 1), self.state)

    def parts(self, query: str, *, typing: bool = False) -> tuple[Text, ...]:
        """Return what is looked for in texts."""
        return parse(query, typing=typing).highlights()

    def found(self, query: str) -> set[int]:
        """Return the papers that a query of one part finds in the index."""
        (part,) = self.parts(query)
        return set(numbers_in(self.index.committed.matching(part)))

    def scanned(self, part: Text) -> set[int]:
        """Return the papers whose texts match a part."""
        return {number for number, fields in self.papers.items() if matches(part, fields)}

    def best(self, query: str, limit: int = 50) -> list[int]:
        """Return the papers that fit a query, best first."""
        among = bits_of([*self.papers], self.size)
        return [number for number, _ in self.index.committed.best(self.parts(query), among, limit)]


def _line(number: int, fields: Fields) -> int:
    told = repr((number, *(fields[name] for name in TEXT_FIELDS if name not in ("tags", "note"))))
    return int.from_bytes(
        blake2b(told.encode("utf-8", "replace"), digest_size=8).digest(), "little"
    )


def _own(fields: Fields) -> int:
    return own_digest(Own(fields["tags"], fields["note"]))
