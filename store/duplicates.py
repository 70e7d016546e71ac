"""Which papers of a library may be one: pairs that look alike, the surest first.

Every paper is read once. Papers that share something rare (an identifier, the title, two rare
words of it, the beginning of the abstract) are looked at together, so that never all pairs are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from rapidfuzz import fuzz

from .likeness import ALIKE, Sketch, family_of, likeness, openings_alike
from .paper import Paper

_MOST_SHARING = 24
"""What more papers than this share is nothing rare."""

_RARE_WORDS = 4
"""Words of a title, its rarest ones, of which two papers need to share two."""

_AT_ONCE = 500
"""Papers that are read between two looks at whether to go on."""

_PIECE = 40
"""Letters and digits of an abstract's opening that need to be the same: the first, or the next."""

_NUMBER_BITS = 32


class Pair(NamedTuple):
    """Two papers that may be one.

    Attributes:
        first: The key of the one of which more is known, or which came first.
        second: The key of the other.
        evidence: What speaks for it, in short sentences.
        score: How sure it is, from 0 to 1.
    """

    first: str
    second: str
    evidence: tuple[str, ...]
    score: float


def find_pairs(
    keys: Sequence[str],
    read: Callable[[Sequence[str]], Sequence[Paper]],
    going_on: Callable[[int, int], bool] = lambda *_: True,
) -> list[Pair]:
    """Return pairs of papers that may be one, the surest first.

    Args:
        keys: The papers, in the order in which they came.
        read: Reads several of them, and leaves out those that cannot be.
        going_on: Called now and then with how many papers were looked at, and of how many; ends
            it by returning False. There are no pairs then.
    """
    sketches = _Sketches()
    for start in range(0, len(keys), _AT_ONCE):
        if not going_on(start, len(keys)):
            return []
        for paper in read(keys[start : start + _AT_ONCE]):
            sketches.add(paper)
    pairs = []
    for looked_at, (one, two) in enumerate(sketches.candidates()):
        if not looked_at % _AT_ONCE and not going_on(len(keys), len(keys)):
            return []
        papers = read([sketches.keys[one], sketches.keys[two]])
        if len(papers) == 2 and (found := likeness(*papers)):
            first, second = sorted(papers, key=_known_of, reverse=True)
            pairs.append(Pair(first.key, second.key, found.evidence, found.score))
    return sorted(pairs, key=lambda pair: -pair.score)


def _known_of(paper: Paper) -> tuple[bool, int]:
    """Return how much is known of a paper: what was published counts more than a preprint."""
    fields = (paper.title, paper.authors, paper.year, paper.venue, paper.abstract, paper.url)
    return "doi" in paper.ids, sum(map(bool, fields)) + len(paper.ids) - paper.truncated


class _Sketches:
    """What is kept of every paper until all of them are read."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self._titles: list[str] = []
        # Names that papers share, and by which paper: the hash of one above the other's number.
        self._shared: list[int] = []
        self._openings: list[str] = []
        self._families: list[str] = []
        self._years: list[int | None] = []
        self._count: Counter[str] = Counter()

    def add(self, paper: Paper) -> None:
        """Take in a paper."""
        number, sketch = len(self.keys), Sketch(paper)
        self.keys.append(paper.key)
        self._titles.append(sketch.spelled)
        self._count.update({*sketch.words})
        family = family_of(paper.authors[0]) if paper.authors else ""
        self._families.append(family)
        self._years.append(paper.year)
        self._openings.append(sketch.opening)
        title = sketch.title
        names = [f"{scheme}:{name}" for scheme, name in paper.ids.items()]
        if title:
            names += [f"{name}|{title}" for name in names]
            names += [f"title:{title}", f"title:{title}|{family}", f"title:{title}|{paper.year}"]
        self._put(number, names)

    def _put(self, number: int, names: Sequence[str]) -> None:
        mask = (1 << _NUMBER_BITS) - 1
        self._shared.extend((hash(name) & mask) << _NUMBER_BITS | number for name in names)

    def candidates(self) -> Iterator[tuple[int, int]]:
        """Yield the numbers of pairs that are worth being looked at, each once."""
        seen = {*self._sharing()}
        self._shared.clear()
        yield from sorted(seen)
        for number, opening in enumerate(self._openings):
            names = self._rare_in(number)
            if opening:
                names += [opening[:_PIECE], opening[_PIECE : 2 * _PIECE]]
            self._put(number, names)
        more = {*self._sharing()} - seen
        yield from (pair for pair in sorted(more) if self._are_near(*pair))

    def _are_near(self, one: int, two: int) -> bool:
        """Tell, by what is at hand, whether two papers that share little are worth a look."""
        ours, theirs = self._titles[one], self._titles[two]
        if fuzz.ratio(ours, theirs, score_cutoff=ALIKE) or _begins(ours, theirs):
            return True
        by_same = self._families[one] == self._families[two]
        if not by_same and ours and theirs:
            return False
        return openings_alike(self._openings[one], self._openings[two])

    def _rare_in(self, number: int) -> list[str]:
        """Return what a paper whose title is spelled a little differently shares with this one."""
        words = sorted({*self._titles[number].split()}, key=lambda word: (self._count[word], word))
        rare = sorted(words[:_RARE_WORDS])
        beside = f"{self._families[number]}|{self._years[number]}"
        names = [f"words:{one} {two}" for one, two in combinations(rare, 2)]
        return [*names, *(f"word:{word}|{beside}" for word in words[:2])]

    def _sharing(self) -> Iterator[tuple[int, int]]:
        """Yield pairs of papers that share something that few do."""
        self._shared.sort()
        mask = (1 << _NUMBER_BITS) - 1
        together: list[int] = []
        name = -1
        for one in (*self._shared, -1):
            if one >> _NUMBER_BITS != name:
                if 1 < len(together) <= _MOST_SHARING:
                    yield from combinations(together, 2)
                together, name = [], one >> _NUMBER_BITS
            together.append(one & mask)


def _begins(one: str, two: str) -> bool:
    short, long = sorted((one, two), key=len)
    return len(short) > 18 and long.startswith(short)
