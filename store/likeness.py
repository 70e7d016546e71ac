"""How much two records look like one paper, and what speaks for it in a few words.

What tells papers apart speaks louder than what they share: a number in the title ("Part II"), an
erratum, another edition. A title that stands on many papers ("Preface") is no evidence.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from rapidfuzz import fuzz

from .identity import OPENING_LENGTH, TELLING_LENGTH
from .names import parts
from .paper import Paper
from .text import fingerprint_text, fold, strip_ellipsis

ALIKE = 88.0
"""How alike titles are, in percent of their letters, that may be spellings of one."""

_WORD_ALIKE = 80.0
"""The same for a word that stands in one title only, and one that stands in the other only."""

_OPENING_ALIKE = 95.0
"""The same for the openings of abstracts."""

_ROUGHLY = 50.0
"""The same for titles of papers whose authors and abstracts are the same."""

_TELLING_WORDS, _TELLING_LETTERS = 3, 18
"""Fewer words or letters than this make a title that stands on many papers."""

_SOME_YEARS = 3
"""As many years may lie between a preprint and what was printed."""

_NOTICE = re.compile(
    r"^\W*(?:author(?:s|'s|s')? )?(?:errat(?:um|a)|corrigend(?:um|a)|correction|retract(?:ion|ed)|"
    r"addend(?:um|a)|withdrawn|expression of concern|repl(?:y|ies)|response|rejoinder|"
    r"comments?|discussion|review|publisher.?s note)\b\W|\b(?:erratum|corrigendum)\W*$"
)
_GENERIC = re.compile(
    r"^\W*(?:preface|foreword|editorial|introduction|front ?matter|back ?matter|contents|index|"
    r"table of contents|guest editorial|book reviews?|news|obituary|author index|"
    r"acknowledge?ments?|(?:message|welcome) from .*|guest editor.* introduction.*|"
    r"introduction to the .*)\W*$"
)
_PART_WORDS = frozenset(
    "part volume vol chapter paper study no number book section lecture lectures supplement "
    "edition episode round phase".split()
)
_COUNTS = re.compile("[a-z]|one|two|three|four|five|six|first|second|third|last")
_ROMAN = frozenset("ii iii iv vi vii viii ix xi xii xiii xiv xv".split())
_MINOR = frozenset("a an and as at by for from in into is of on or the to via with".split())
_WORD = re.compile(r"[^\W_]+(?:\.\d+)*")
_UMLAUT = re.compile("([aou])e")
_BOOKS = frozenset(("book", "collection", "thesis", "report"))


class Likeness(NamedTuple):
    """What speaks for two records being one paper.

    Attributes:
        score: How sure it is, from 0 to 1.
        evidence: What it is, in short sentences.
    """

    score: float
    evidence: tuple[str, ...]


class Sketch:
    """What of a record is compared.

    Args:
        paper: The record.
    """

    __slots__ = ("is_cut", "is_notice", "numbers", "paper", "spelled", "title", "words")

    def __init__(self, paper: Paper) -> None:
        self.paper = paper
        title, self.is_cut = strip_ellipsis(paper.title or "")
        folded = fold(title)
        self.words = _WORD.findall(folded)
        self.spelled = " ".join(self.words)
        self.title = "".join(self.words)
        self.is_notice = bool(_NOTICE.search(f"{folded} "))
        self.numbers = _numbers(self.words)

    @property
    def is_telling(self) -> bool:
        """Whether the title is unlikely to stand on another paper."""
        return (
            len(self.words) >= _TELLING_WORDS
            and len(self.title) >= _TELLING_LETTERS
            and not _GENERIC.match(self.spelled)
        )

    @property
    def families(self) -> list[str]:
        """The family names of the authors, as far as they are compared."""
        return [family_of(name) for name in self.paper.authors]

    @property
    def opening(self) -> str:
        """The first letters and digits of the abstract, folded; empty where there are too few."""
        text = fingerprint_text((self.paper.abstract or "")[: 2 * OPENING_LENGTH])
        return text[:OPENING_LENGTH] if len(text) >= TELLING_LENGTH else ""


def family_of(name: str) -> str:
    """Return an author's family name as it is compared: "Müller" is "Mueller"."""
    return _UMLAUT.sub(r"\1", fingerprint_text(parts(name).family))


def _numbers(words: list[str]) -> Counter[str]:
    """Return what counts or names a part in a title: digits, Roman numbers, what follows "part"."""
    last = len(words) - 1
    return Counter(
        word
        for at, word in enumerate(words)
        if any(map(str.isdigit, word))
        or word in _ROMAN
        or (at and words[at - 1] in _PART_WORDS and _COUNTS.fullmatch(word))
        or (at == last and at and word in ("i", "v", "x"))
    )


def likeness(first: Paper, second: Paper) -> Likeness | None:
    """Return what speaks for two records being one paper; None where too little does."""
    one, two = Sketch(first), Sketch(second)
    if one.is_notice != two.is_notice or _is_other_edition(first, second):
        return None
    shared = [scheme for scheme, name in first.ids.items() if second.ids.get(scheme) == name]
    if "arxiv" in shared:
        return Likeness(0.98, (f"same arXiv number {first.ids['arxiv']}",))
    if one.numbers != two.numbers and not (one.is_cut or two.is_cut):
        return None
    title = _titles_alike(one, two)
    authors = _authors_alike(one, two)
    abstracts = _abstracts_alike(one, two)
    if shared:
        scheme = shared[0]
        name = "DOI" if scheme == "doi" else scheme
        if title:
            return _of(0.95 if title.is_same else 0.9, f"same {name}", title.told)
        if authors.weight >= _SAME_FIRST or abstracts:
            return _of(0.65, f"same {name}, titles differ", authors.told, abstracts)
        return None  # such as the DOI of proceedings
    years = _years_between(first, second)
    base = _score(one, two, title, authors, abstracts, years)
    if base is None:
        return None
    return _of(
        base - (0.1 if _clash(first, second) else 0.0),
        _title_and_rest(title or _UNLIKE, authors, first, second),
        abstracts,
        _versions(first, second),
    )


class _Alike(NamedTuple):
    told: str
    is_same: bool


_UNLIKE = _Alike("", False)


class _Authors(NamedTuple):
    weight: int
    told: str


_DIFFERENT, _UNKNOWN, _SOME, _SAME_FIRST, _SAME = range(5)


def _of(score: float, *told: str) -> Likeness:
    return Likeness(round(score, 3), tuple(dict.fromkeys(filter(None, told))))


def _score(
    one: Sketch, two: Sketch, title: _Alike | None, authors: _Authors, abstracts: str, years: int
) -> float | None:
    """Return how sure it is without any identifier that is shared."""
    if title is None:
        untitled = not (one.title and two.title)
        if not abstracts or authors.weight == _DIFFERENT:
            return None
        if untitled:
            return 0.85
        is_one = authors.weight == _SAME and fuzz.ratio(one.spelled, two.spelled) >= _ROUGHLY
        return 0.6 if is_one else None
    if abstracts and authors.weight != _DIFFERENT:
        return 0.97 if title.is_same else 0.92
    if authors.weight == _DIFFERENT and not abstracts:
        return None
    telling = one.is_telling and two.is_telling
    if not telling:  # "Preface": only where everything else is the same, too
        is_one = title.is_same and authors.weight == _SAME and years == 0 and not _clash(
            one.paper, two.paper)  # fmt: skip
        return 0.6 if is_one and one.paper.venue == two.paper.venue else None
    if years > _SOME_YEARS and not abstracts:
        return None
    score = {_SAME: 0.93, _SAME_FIRST: 0.85, _SOME: 0.65, _UNKNOWN: 0.7, _DIFFERENT: 0.6}
    return score[authors.weight] - (0 if title.is_same else 0.15) - 0.05 * min(years, 3)


def _titles_alike(one: Sketch, two: Sketch) -> _Alike | None:
    if not one.title or not two.title:
        return None
    if one.title == two.title:
        return _Alike("same title", True)
    for short, long in ((one, two), (two, one)):
        begins = long.spelled.startswith(short.spelled)
        if short.is_cut and begins and short.is_telling:
            return _Alike("one title is the beginning of the other", True)
        if (
            begins
            and short.is_telling
            and re.match(
                rf"\W*{re.escape(short.words[0])}.*?{re.escape(short.words[-1])}\s*[:.?!–—-]\s",
                fold(long.paper.title or ""),
            )
        ):
            return _Alike("one title has a subtitle more", False)
    alike = fuzz.ratio(one.spelled, two.spelled)
    if alike < ALIKE or not _words_alike(one, two):
        return None
    return _Alike(f"titles {int(alike)} % alike", False)


def _words_alike(one: Sketch, two: Sketch) -> bool:
    """Tell whether words that stand in one title only are spellings of those in the other.

    "supervised" and "unsupervised" are not, nor are "German" and "French".
    """
    ours, theirs = Counter(one.words), Counter(two.words)
    mine = [word for word in (ours - theirs).elements() if word not in _MINOR]
    yours = [word for word in (theirs - ours).elements() if word not in _MINOR]
    if "".join(mine) == "".join(yours):
        return True  # such as "data base" and "database"
    if len(mine) != len(yours):
        return False
    return all(
        first[:2] == second[:2] and fuzz.ratio(first, second) >= _WORD_ALIKE
        for first, second in zip(mine, yours, strict=True)
    )


def _authors_alike(one: Sketch, two: Sketch) -> _Authors:
    mine, yours = one.families, two.families
    if not mine or not yours:
        return _Authors(_UNKNOWN, "authors of one are not known" if mine or yours else "")
    if {*mine} == {*yours}:
        return _Authors(_SAME, "same authors")
    if mine[0] == yours[0]:
        return _Authors(_SAME_FIRST, "same first author")
    if {*mine} & {*yours}:
        return _Authors(_SOME, "authors in common")
    return _Authors(_DIFFERENT, "")


def _abstracts_alike(one: Sketch, two: Sketch) -> str:
    return "abstracts begin alike" if openings_alike(one.opening, two.opening) else ""


def openings_alike(one: str, two: str) -> bool:
    """Tell whether the openings of two abstracts are spellings of one."""
    length = min(len(one), len(two))
    return bool(length) and fuzz.ratio(one[:length], two[:length]) >= _OPENING_ALIKE


def _years_between(first: Paper, second: Paper) -> int:
    return abs(first.year - second.year) if first.year and second.year else 0


def _title_and_rest(title: _Alike, authors: _Authors, first: Paper, second: Paper) -> str:
    """Return what is so of titles, authors and years, as one says it."""
    same_year = first.year is not None and first.year == second.year
    if authors.weight == _SAME and same_year:
        told = f"{title.told}, " if title.told else ""
        return f"{told}{'' if title.is_same else 'same '}authors and year"
    parts = [title.told, authors.told]
    if first.year and second.year:
        low, high = sorted((first.year, second.year))
        parts.append("same year" if low == high else f"years {low} and {high}")
    return ", ".join(filter(None, parts))


def _versions(first: Paper, second: Paper) -> str:
    """Return which identifiers tell the records apart."""
    for one, two in ((first, second), (second, first)):
        arxiv, doi = one.ids.get("arxiv"), two.ids.get("doi")
        if arxiv and doi and "doi" not in one.ids and "arxiv" not in two.ids:
            return f"preprint arXiv:{arxiv} and published {doi}"
    names = [
        f"{'DOIs' if scheme == 'doi' else 'arXiv numbers' if scheme == 'arxiv' else scheme} differ"
        for scheme in first.ids
        if scheme in second.ids and first.ids[scheme] != second.ids[scheme]
    ]
    return f"linked: {', '.join(names)}" if names else ""


def _clash(first: Paper, second: Paper) -> bool:
    return any(second.ids.get(scheme, name) != name for scheme, name in first.ids.items())


def _is_other_edition(first: Paper, second: Paper) -> bool:
    one, two = first.details.get("edition"), second.details.get("edition")
    if one and two and fold(one) != fold(two):
        return True
    is_book = first.type in _BOOKS or second.type in _BOOKS
    return is_book and _years_between(first, second) > 0
