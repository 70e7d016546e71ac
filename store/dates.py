"""Dates as sources write them become ISO 8601; what is no date stays as it was written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from .text import clean_line, fold


class Date(NamedTuple):
    """When something came out."""

    text: str
    """ISO 8601 ("2019", "2019-05", "2019-05-03", "1910/1917"), or as it was written ("circa
    1850"); empty where nothing was."""
    year: int | None
    """The (first) year in it, from 1000 to 2100; None where there is none."""


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "jan january januar jaenner janner janvier janv",
            "feb february februar febr fevrier fevr fev",
            "mar march maerz marz mrz mars",
            "apr april avril avr",
            "may mai",
            "jun june juni juin",
            "jul july juli juillet juil",
            "aug august aout",
            "sep september sept septembre",
            "oct october oktober okt octobre",
            "nov november novembre",
            "dec december dezember dez decembre",
        ),
        1,
    )
    for name in names.split()
}
_WEEKDAYS = re.compile(r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,? ", re.IGNORECASE)
_TIME = re.compile(r"(?<=\d)[T ,]+\d{1,2}:\d{2}\b.*")
_YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20\d{2}|2100)(?!\d)", re.ASCII)
_NUMBERS = re.compile(
    r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?/{0,3}|(\d{4})(\d\d)(\d\d)"
    r"|(\d{4})年(?:(\d{1,2})月(?:(\d{1,2})日)?)?",
    re.ASCII,
)
_DAY_FIRST = re.compile(r"(?:(\d{1,2})([-/.]))?(\d{1,2})[-/.](\d{4})", re.ASCII)
_YEARS = re.compile(r"(\d{4}) ?[-–/] ?(\d{4})", re.ASCII)
_RIS_REST = re.compile(r"(\d{4})/(\d{0,2})/(\d{0,2})/(?=[^/])(.+)", re.ASCII)
_PARTS = re.compile(r"[\s,./~-]+")
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er)?", re.ASCII)
_SEASONS = {13: 21, 14: 22, 15: 23, 16: 24}  # the pseudo-months of CSL; 21 to 24 are EDTF's


def date_of(text: str) -> Date:
    """Return the date that text tells, in whatever common form, or the text as it stands.

    What could be the third of April and the fourth of March (03/04/2019) is no date; neither is
    a day that no month has. Ranges and seasons of EDTF stay as they are.
    """
    written = clean_line(text)
    plain = _TIME.sub("", _WEEKDAYS.sub("", written, count=1)).strip(" ,;()[]")
    if not plain.endswith(".."):
        plain = plain.removesuffix(".")
    if len(plain) <= 40 and (iso := _iso_of(plain)):
        return Date(iso, _year_in(iso))
    return Date(written, _year_in(written))


def date_from_parts(parts: Sequence[object]) -> Date:
    """Return the date that CSL's date-parts tell: year, month and day, as numbers or strings.

    Parts that are missing, empty or zero end the date; the seasons that CSL and EDTF number as
    months from 13 or 21 on become EDTF's ("2019-21" is spring). Parts that are no numbers are
    read as `date_of` reads their text.
    """
    words = [_word(part) for part in parts[:3]]
    known = words[: words.index("")] if "" in words else words
    if not known:
        return Date("", None)
    year, *rest = known
    if not re.fullmatch(r"-?\d{1,4}", year, re.ASCII):
        return date_of(" ".join(known))
    sign, digits = ("-", year[1:]) if year.startswith("-") else ("", year)
    months = [month_number(rest[0]) or _season(rest[0])] if rest else []
    if rest and not months[0]:
        return date_of(" ".join(known))
    numbers = [int(digits), *filter(None, months), *(int(d) for d in rest[1:] if d.isdecimal())]
    iso = _iso(*numbers) or _iso(*numbers[:2]) or digits
    return Date(sign + iso, None if sign else _year_in(iso))


def month_number(text: str) -> int | None:
    """Return the number of a month (1 to 12) told by its number or its name, or None.

    Names may be short or whole, in English, German or French.
    """
    plain = fold(text.strip().rstrip("."))
    if re.fullmatch(r"\d{1,2}", plain, re.ASCII):
        return int(plain) if 1 <= int(plain) <= 12 else None
    return _MONTHS.get(plain)


def _year_in(text: str) -> int | None:
    if text.startswith("-"):  # before our era
        return None
    found = _YEAR.search(text)
    return int(found[0]) if found else None


def _iso(year: int, month: int = 0, day: int = 0) -> str | None:
    """Return the date in ISO 8601, without the parts that are zero; None if there is none such."""
    if not year:
        return None
    if not month:
        return f"{year:04}"
    if month in _SEASONS.values() and not day:
        return f"{year:04}-{month}"
    try:
        date(year, month, day or 1)
    except ValueError:
        return None
    return f"{year:04}-{month:02}" + (f"-{day:02}" if day else "")


def _iso_of(text: str) -> str | None:
    if found := _YEARS.fullmatch(text):
        return f"{found[1]}/{found[2]}" if found[1] <= found[2] else None
    if found := _NUMBERS.fullmatch(text):
        return _iso(*(int(number) for number in found.groups() if number is not None))
    if found := _RIS_REST.fullmatch(text):  # 1998/05//Spring issue
        iso = _iso(*(int(number or 0) for number in found.groups()[:3]))
        return iso if found[2] else _of_words(f"{found[4]} {found[1]}")
    if found := _DAY_FIRST.fullmatch(text):
        return _of_day_first(found[1], found[2], int(found[3]), int(found[4]))
    return _of_words(text)


def _of_day_first(day: str | None, mark: str | None, month: int, year: int) -> str | None:
    if day is None:
        return _iso(year, month) if 1 <= month <= 12 else None
    one = int(day)
    if mark == "." or one > 12 or one == month:
        return _iso(year, month, one)
    return _iso(year, one, month) if month > 12 else None


def _of_words(text: str) -> str | None:
    """Return the date told by a year and the name of a month, with or without a day."""
    year = month = day = 0
    for word in _PARTS.split(text):
        if re.fullmatch(r"\d{4}", word, re.ASCII) and not year:
            year = int(word)
        elif (found := _ORDINAL.fullmatch(word)) and not day:
            day = int(found[1])
        elif not word[:1].isdigit() and (number := month_number(word)) and not month:
            month = number
        elif word:
            return None
    return _iso(year, month, day) if month else None


def _word(part: object) -> str:
    """Return a part of a date as text, empty if it is not known."""
    if isinstance(part, float):
        return str(int(part)) if part.is_integer() and part else ""
    if isinstance(part, bool) or not isinstance(part, str | int):
        return ""
    word = clean_line(str(part)) if isinstance(part, str) or abs(part) < 10**9 else ""
    return "" if not word.strip("0") else word


def _season(word: str) -> int | None:
    number = int(word) if re.fullmatch(r"\d\d", word, re.ASCII) else 0
    number = _SEASONS.get(number, number)
    return number if number in _SEASONS.values() else None
