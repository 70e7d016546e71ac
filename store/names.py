"""Names of people and bodies, as a library stores them: in the notation of BibTeX, without LaTeX.

Lu Zhao                      natural order: the last word is the family name, with the
                             lower-case words before it (Jan van der Berg)
García Márquez, Gabriel      family, given: where natural order would not tell the parts
Doe, Jr., John               family, suffix, given
{World Health Organization}  braces hold together what is not to be parted
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .text import clean_line


class Name(NamedTuple):
    """A name in its parts; particles ("van der") belong to the family name."""

    family: str
    given: str = ""
    suffix: str = ""
    literal: bool = False
    """Whether it is one whole, as the name of a body is; it is then all in `family`."""


_SUFFIXES = frozenset("jr jr. sr sr. ii iii iv 2nd 3rd".split())
_OTHERS = frozenset(("others", "et al", "et al.", "et. al.", "et. al", "...", "…"))
_BRACES = str.maketrans("", "", "{}")
_GROUPING = re.compile(r"[{}]")
_BLANK, _COMMA = re.compile(r"[\s{}]"), re.compile("[,{}]")
_ET_AL = re.compile(r"(?<=[\s,;])et\.? al\b\.?\s*$", re.IGNORECASE)
_LEADING_AND = re.compile(r"\A(?:and|&)(?:\s+|$)", re.IGNORECASE)
_LABELLED = re.compile(r'"?(family|given|prefix|suffix)\s*=\s*(.*)', re.DOTALL)
_OTHER_LABEL = re.compile(r'"?(?:[a-z]+-i|use[a-z]+|id|hash|nametemplates)\s*=')
_EAST_ASIAN = ("\u1100\u11ff", "\u3005\u3007", "\u3040\u30ff", "\u3400\u9fff", "\uac00\ud7a3",
               "\uf900\ufaff", "\U00020000\U0003ffff")  # fmt: skip
"""First and last letter of each range; as a pattern they would take 6 ms at every start."""
_INITIALS = re.compile(r"[^\W\d_](?:\.?[-‐ ]?[^\W\d_]){0,3}\.?")


def parts(stored: str) -> Name:
    """Return the parts of a stored name; of any other text, the most sensible ones.

    No word is lost. Only of a text without any word are all parts empty.
    """
    text = _balanced(clean_line(stored))
    if _enclosed(text):
        return Name(_bare(text), literal=True)
    pieces = [piece.strip() for piece in _split(text, _COMMA)] if "," in text else [text]
    if len(pieces) == 1:
        return _natural_parts(_words(text))
    family, *rest = pieces
    if len(rest) == 1 and _is_suffix(rest[0]):  # Martin Luther King, Jr.
        name = _natural_parts(_words(family))
        return name._replace(suffix=_joined((name.suffix, rest[0])))
    suffix, given = ("", rest) if len(rest) == 1 else (rest[0], rest[1:])
    if given and _is_suffix(given[-1]) and not _is_suffix(suffix):  # Doe, John, Jr.
        suffix, given = given[-1], [suffix, *given[:-1]]
    return _of(_bare(family), _bare(_joined(given)), _bare(suffix))


def stored(name: Name) -> str:
    """Return a name as it is stored, so that `parts` gives the same name again.

    Natural order goes before the form with commas, and this before braces. A family name of
    several words that stands alone is stored as a whole, in braces. The result is one cleaned
    line, without a name empty.
    """
    name = _of(*(_bare(clean_line(part)) for part in name[:3]), literal=name.literal)
    family, given, suffix, literal = name
    if literal or not (given or suffix):
        alone = not (literal or _needs_braces(family) or family.lower() in _OTHERS)
        return family if not family or (alone and parts(family) == name) else f"{{{family}}}"
    forms = [", ".join(map(_protected, (family, suffix, given) if suffix else (family, given)))]
    if not suffix and not _needs_braces(natural_order := _shown(name)):
        forms.insert(0, natural_order)
    if not given:
        forms[:0] = [f"{family}, {suffix}", f"{{{family}}}, {suffix}"]
    return next((form for form in forms if parts(form) == name), forms[-1]).rstrip()


def natural(stored: str) -> str:
    """Return a stored name as it is shown: "Jan van der Berg", "John Doe Jr.", "王小明"."""
    if "," not in stored and "{" not in stored:
        return stored
    return _shown(parts(stored))


def from_bibtex(value: str) -> tuple[tuple[str, ...], bool]:
    """Return the names, as stored, in the value of a BibTeX field, and whether they are all.

    Names are parted by "and" outside of braces, and may have the forms of BibTeX ("First von
    Last", "von Last, First", "von Last, Jr, First") and of biblatex ("family=Berg, given=Jan").
    "and others" or "et al." at the end tells that names are missing. A value that holds a list
    of another kind ("J. Doe, R. Roe, X. Poe") is read as `from_list` reads it.
    """
    from .latex import to_text  # every start of the program needs names, and none needs LaTeX

    text = _balanced(" ".join(to_text(value).split()))
    text, complete = _without_et_al(text)
    names: list[Name] = []
    for piece in _split_and(text):
        if piece.lower() in _OTHERS:
            complete = False
            continue
        commas = [part.strip() for part in _split(piece, _COMMA)]
        if labelled := _labelled(commas):
            names.append(labelled)
        elif ";" in piece and not re.search(r"&#?\w+;", piece) and not _enclosed(piece):
            more, whole = from_list(piece)
            names.extend(map(parts, more))
            complete = complete and whole
        elif _is_list(commas):
            names.extend(_comma_list(commas))
        else:
            names.append(parts(piece))
    return _all_stored(names), complete


def from_list(value: str) -> tuple[tuple[str, ...], bool]:
    """Return the names, as stored, in a loose list on one line, and whether they are all.

    What parts the names is the first of these that stands in the list: semicolons, vertical
    bars, line feeds; else commas and "and" or "&". A comma parts family from given name where
    names are parted by something else ("Doe, J.; Roe, R."), where initials follow ("Doe, J.,
    Roe, R."), and where two pieces are no two whole names ("Doe, John"). Initials at the end of
    every name ("Doe J, Roe R.") are given names. The list of a Python program ("['Doe, J.']")
    is read, too.
    """
    text = value.strip()
    if re.fullmatch(r"\[\s*['\"].*['\"]\s*\]", text, re.DOTALL):
        text = re.sub(r"(['\"])\s*,\s*(['\"])", ";", text.strip("[] ")[1:-1])
    text, complete = _without_et_al(_balanced(text))
    mark = next((mark for mark in ";|\n" if mark in text), None)
    if mark:
        pieces = [_LEADING_AND.sub("", clean_line(piece).strip(" ,")) for piece in text.split(mark)]
        names = _unless_initials(piece for piece in pieces if _has_word(piece))
    else:
        names = []
        groups = [
            [piece for piece in map(str.strip, _split(group, _COMMA)) if _has_word(piece)]
            for group in _split_and(clean_line(text).replace(" & ", " and "))
        ]
        pieces = [piece for group in groups for piece in group]
        families = len(groups) == 2 and len(groups[1]) == 1 and not _is_paired(groups[0])
        if families and not any(" " in piece for piece in pieces):
            names = [Name(piece) for piece in pieces]  # Doe, Roe and Poe
        elif all(len(group) == 1 or _all_ending_in_initials(group) for group in groups):
            names = _unless_initials(pieces)
        else:
            for group in groups:
                names.extend(_comma_list(group))
    kept = [name for name in names if name.family.lower() not in _OTHERS]
    return _all_stored(kept), complete and len(kept) == len(names)


def _of(family: str, given: str, suffix: str, *, literal: bool = False) -> Name:
    """A name of one part only is all family name; a literal one is of one part."""
    if literal:
        return Name(_joined((given, family, suffix)), literal=True)
    if not family:
        return Name(given, "", suffix) if given else Name(suffix)
    return Name(family, given, suffix)


def _shown(name: Name) -> str:
    family, given, suffix, _ = name
    if given and all(map(_is_east_asian, family + given)):
        return family + given + (f" {suffix}" if suffix else "")
    return _joined((given, family, suffix))


def _is_east_asian(char: str) -> bool:
    return any(ends[0] <= char <= ends[1] for ends in _EAST_ASIAN)


def _natural_parts(words: Sequence[str]) -> Name:
    suffix = ""
    if len(words) > 2 and _is_suffix(words[-1]):
        *words, suffix = words
    if not words:
        return Name("")
    last = len(words) - 1
    first = next((place for place in range(last) if _is_lower(words[place])), last)
    return Name(_bare(_joined(words[first:])), _bare(_joined(words[:first])), _bare(suffix))


def _is_lower(word: str) -> bool:
    """Tell whether a word is a particle: its first letter outside of braces is lower-case."""
    depth = 0
    for char in word:
        if char in "{}":
            depth += 1 if char == "{" else -1
        elif not depth and char.isalpha():
            return char.islower()
    return False


def _is_suffix(word: str) -> bool:
    return word.lower() in _SUFFIXES


def _joined(words: Iterable[str]) -> str:
    return " ".join(filter(None, words))


def _bare(text: str) -> str:
    return " ".join(text.translate(_BRACES).split())


def _has_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def _protected(text: str) -> str:
    return f"{{{text}}}" if _needs_braces(text) else text


def _needs_braces(text: str) -> bool:
    return "," in text or "and" in text.lower().split()


def _all_stored(names: Iterable[Name]) -> tuple[str, ...]:
    return tuple(filter(None, map(stored, names)))


def _balanced(text: str) -> str:
    """Return text without the braces that have no partner."""
    if "{" not in text and "}" not in text:
        return text
    opened: list[int] = []
    odd: set[int] = set()
    for brace in _GROUPING.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif opened:
            opened.pop()
        else:
            odd.add(brace.start())
    odd.update(opened)
    return "".join(char for place, char in enumerate(text) if place not in odd) if odd else text


def _enclosed(text: str) -> bool:
    """Tell whether one pair of braces holds the whole of a balanced text."""
    if not (text.startswith("{") and text.endswith("}")):
        return False
    depth = 0
    for brace in _GROUPING.finditer(text):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end() == len(text)
    return False


def _split(text: str, marks: re.Pattern[str]) -> list[str]:
    """Split a balanced text at marks outside of braces; marks has to match braces as well."""
    pieces: list[str] = []
    start = depth = 0
    for mark in marks.finditer(text):
        if mark[0] in "{}":
            depth += 1 if mark[0] == "{" else -1
        elif not depth:
            pieces.append(text[start : mark.start()])
            start = mark.end()
    pieces.append(text[start:])
    return pieces


def _words(text: str) -> list[str]:
    return [word for word in _split(text, _BLANK) if word] if "{" in text else text.split()


def _split_and(text: str) -> Iterator[str]:
    """Yield the texts between the words "and" outside of braces, where there is any word."""
    words: list[str] = []
    for word in (*_words(text), "and"):
        if word.lower() != "and":
            words.append(word)
            continue
        piece = " ".join(words).strip(" ,;")
        if _has_word(piece) or piece in _OTHERS:
            yield piece
        words = []


def _without_et_al(text: str) -> tuple[str, bool]:
    found = _ET_AL.search(text)
    return (text[: found.start()].rstrip(" ,;&"), False) if found else (text, True)


def _labelled(pieces: Sequence[str]) -> Name | None:
    """Return the name that biblatex's extended format tells (family=Berg, prefix=van der)."""
    found: dict[str, str] = {}
    for piece in pieces:
        if match := _LABELLED.fullmatch(piece):
            found[match[1]] = _bare(match[2].strip('" '))
        elif not _OTHER_LABEL.match(piece):
            return None
    if not found:
        return None
    family = _joined((found.get("prefix", ""), found.get("family", "")))
    return _of(family, found.get("given", ""), found.get("suffix", ""))


def _is_initials(text: str) -> bool:
    letters = filter(str.isalpha, text)
    return _INITIALS.fullmatch(text) is not None and all(map(str.isupper, letters))


def _is_list(pieces: Sequence[str]) -> bool:
    """Tell whether what commas part are several names, and not the parts of one."""
    if len(pieces) < 3 or any(map(_is_suffix, pieces)):
        return False
    whole = all(len(_words(piece)) > 1 and not _is_initials(piece) for piece in pieces)
    return whole or _is_paired(pieces)


def _is_paired(pieces: Sequence[str]) -> bool:
    return len(pieces) % 2 == 0 and all(map(_is_initials, pieces[1::2]))


def _all_ending_in_initials(pieces: Sequence[str]) -> bool:
    return len(pieces) > 0 and all(_initials_last(piece) for piece in pieces)


def _initials_last(piece: str) -> Name | None:
    """Return the name "Doe J" or "van Dyke J.-P.", given name last, or None."""
    words = piece.split()
    first = next((place for place in range(1, len(words)) if _is_initials(words[place])), 0)
    if not first or _is_initials(words[0]) or not all(map(_is_initials, words[first:])):
        return None
    return Name(_joined(words[:first]), _joined(words[first:]))


def _unless_initials(pieces: Iterable[str]) -> list[Name]:
    """Return the names of whole pieces; initials at the end are given names if all have them."""
    pieces = list(pieces)
    found = [None if "," in piece else _initials_last(piece) for piece in pieces]
    every = all(name or "," in piece for name, piece in zip(found, pieces, strict=True))
    return [
        name if every and name else parts(piece) for name, piece in zip(found, pieces, strict=True)
    ]


def _comma_list(pieces: Sequence[str]) -> list[Name]:
    """Return the names in what commas part: one name, pairs, or a name a piece."""
    if len(pieces) < 2:
        return [parts(piece) for piece in pieces]
    if _is_paired(pieces):  # Doe, J., Roe, R.
        return [
            _of(_bare(pieces[at]), _bare(pieces[at + 1]), "") for at in range(0, len(pieces), 2)
        ]
    if _all_ending_in_initials(pieces):
        return _unless_initials(pieces)
    several = all(len(_words(piece)) > 1 for piece in pieces[:2])
    if len(pieces) == 2 and not several:
        return [parts(", ".join(pieces))]
    names: list[Name] = []
    for piece in pieces:
        if _is_suffix(piece) and names:  # Martin King, Jr., Rosa Parks
            names[-1] = names[-1]._replace(suffix=_bare(piece))
        else:
            names.append(parts(piece))
    return names
