from __future__ import annotations

import re

import pytest
from anchorlight.store.dates import Date, date_from_parts, date_of, month_number
from anchorlight.store.text import clean_line
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2019", "2019"),
        ("(2019)", "2019"),
        ("2019-05", "2019-05"),
        ("2019-5", "2019-05"),
        ("2019-05-03", "2019-05-03"),
        ("2019/05/03/", "2019-05-03"),
        ("2019/05//", "2019-05"),
        ("2019///", "2019"),
        ("2019//", "2019"),
        ("2019///May 3", "2019-05-03"),
        ("2019/05/03/Epub", "2019-05-03"),
        ("2019.05.03", "2019-05-03"),
        ("20190503", "2019-05-03"),
        ("2019-05-00", "2019-05"),
        ("2019-00-00", "2019"),
        ("May 2019", "2019-05"),
        ("may, 2019", "2019-05"),
        ("Sept. 2019", "2019-09"),
        ("3 May 2019", "2019-05-03"),
        ("3. Mai 2019", "2019-05-03"),
        ("1er février 2019", "2019-02-01"),
        ("3. März 2019", "2019-03-03"),
        ("May 3, 2019", "2019-05-03"),
        ("May 3rd, 2019", "2019-05-03"),
        ("Friday, May 3, 2019", "2019-05-03"),
        ("2019 May 3", "2019-05-03"),
        ("2019 May", "2019-05"),
        ("2019-May-03", "2019-05-03"),
        ("03-May-2019", "2019-05-03"),
        ("1998 10~nov", "1998-11-10"),
        ("2019-05-03T10:00:00Z", "2019-05-03"),
        ("2019-05-03 10:00:00.123+02:00", "2019-05-03"),
        ("Mon, 2 Apr 2007 19:18:42 GMT", "2007-04-02"),
        ("2 Apr 2007 19:18:42 +0100", "2007-04-02"),
        ("13/04/2019", "2019-04-13"),
        ("04/13/2019", "2019-04-13"),
        ("03.04.2019", "2019-04-03"),
        ("05/2019", "2019-05"),
        ("2019年5月3日", "2019-05-03"),
        ("2019年", "2019"),
        ("1910/1917", "1910/1917"),
        ("1910–1917", "1910/1917"),
        ("2019-21", "2019-21"),
        (" 2019-05 \n", "2019-05"),
    ],
)
def test_a_date_becomes_iso(text: str, iso: str) -> None:
    assert date_of(text) == Date(iso, int(iso[:4]))


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("circa 1850", 1850),
        ("c1850", 1850),
        ("in press", None),
        ("forthcoming", None),
        ("n.d.", None),
        ("13th Century", None),
        ("03/04/2019", 2019),
        ("2019-02-31", 2019),
        ("2019/20", 2019),
        ("2019-05/2019-07", 2019),
        ("2010/..", 2010),
        ("../2010", 2010),
        ("1984~", 1984),
        ("199X", None),
        ("-1723~", None),
        ("Summer 2019", 2019),
        ("2019 May-Jun", 2019),
        ("30 May-1 June 1998", 1998),
        ("14-19 July 1998", 1998),
        ("May", None),
        ("12 May", None),
        ("19 99", None),
        ("12345", None),
        ("0999", None),
        ("9999", None),
        ("2019///Spring", 2019),
        ("", None),
    ],
)
def test_what_is_no_date_stays_as_written(text: str, year: int | None) -> None:
    assert date_of(text) == Date(text, year)


@pytest.mark.parametrize(
    ("parts", "date"),
    [
        ([2019, 5, 3], Date("2019-05-03", 2019)),
        (["2019", "05", "3"], Date("2019-05-03", 2019)),
        ([2019.0, 5.0], Date("2019-05", 2019)),
        ([2019, 0, 0], Date("2019", 2019)),
        ([2019, None, 3], Date("2019", 2019)),
        ([2019, ""], Date("2019", 2019)),
        (["2019", "May"], Date("2019-05", 2019)),
        ([2019, 21], Date("2019-21", 2019)),
        ([2019, 14], Date("2019-22", 2019)),
        ([2019, 2, 31], Date("2019-02", 2019)),
        ([2019, 99], Date("2019 99", 2019)),
        ([2019, "spring"], Date("2019 spring", 2019)),
        (["circa 1850"], Date("circa 1850", 1850)),
        ([800], Date("0800", None)),
        ([-44, 3, 15], Date("-0044-03-15", None)),
        ([None], Date("", None)),
        ([[2019]], Date("", None)),
        ([float("nan"), float("inf"), True], Date("", None)),
        ([10**5000], Date("", None)),
        ([0], Date("", None)),
        ([], Date("", None)),
    ],
)
def test_date_parts_become_a_date(parts: list[object], date: Date) -> None:
    assert date_from_parts(parts) == date


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("jan", 1), ("January", 1), ("JAN.", 1), ("1", 1), ("01", 1), ("12", 12), ("Sept", 9),
        ("März", 3), ("Dezember", 12), ("août", 8), ("Mai", 5), ("0", None), ("13", None),
        ("Spring", None), ("", None), ("jan-feb", None),
    ],
)  # fmt: skip
def test_a_month_has_a_number(text: str, number: int | None) -> None:
    assert month_number(text) == number


def some_text() -> st.SearchStrategy[str]:
    return st.one_of(st.text(), st.text(alphabet="0129-/.~ Mayjun,T:Zxth年月日", max_size=24))


@given(some_text())
def test_any_text_has_a_date_that_stays_itself(text: str) -> None:
    date = date_of(text)
    assert date.text == clean_line(date.text)
    assert date_of(date.text) == date
    assert date.year is None or str(date.year) in date.text
    month_number(text)


@given(st.lists(st.one_of(some_text(), st.integers(), st.floats(), st.none(), st.booleans())))
def test_any_parts_have_a_date(parts: list[object]) -> None:
    assert isinstance(date_from_parts(parts), Date)


@given(st.dates())
def test_every_day_is_told_from_its_iso_form_and_from_its_parts(day: object) -> None:
    iso = str(day)
    year = int(iso[:4])
    expected = Date(iso, year if 1000 <= year <= 2100 else None)
    assert date_of(iso) == date_from_parts([*map(int, re.split("-", iso))]) == expected
