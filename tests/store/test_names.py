from __future__ import annotations

import pytest
from anchorlight.store.names import Name, from_bibtex, from_list, natural, parts, stored
from anchorlight.store.text import clean_line
from hypothesis import given
from hypothesis import strategies as st

VAN = Name("van der Berg", "Jan")
WHO = Name("World Health Organization", literal=True)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Lu Zhao", Name("Zhao", "Lu")),
        ("Plato", Name("Plato")),
        ("Jan van der Berg", VAN),
        ("van der Berg, Jan", VAN),
        ("van Gogh", Name("van Gogh")),
        ("García Márquez, Gabriel", Name("García Márquez", "Gabriel")),
        ("Jean {de la Fontaine}", Name("de la Fontaine", "Jean")),
        ("{Barnes and Noble}, Jr., John", Name("Barnes and Noble", "John", "Jr.")),
        ("Doe, Jr., John", Name("Doe", "John", "Jr.")),
        ("Doe, John, Jr.", Name("Doe", "John", "Jr.")),
        ("Martin Luther King, Jr.", Name("King", "Martin Luther", "Jr.")),
        ("Martin Luther King Jr.", Name("King", "Martin Luther", "Jr.")),
        ("{World Health Organization}", WHO),
        ("{{WHO} and {UN}}", Name("WHO and UN", literal=True)),
        ("Charles {van} Dyke", Name("Dyke", "Charles van")),
        ("王, 小明", Name("王", "小明")),
        ("Doe, Jr., John, PhD", Name("Doe", "John PhD", "Jr.")),
        ("Doe,", Name("Doe")),
        (", John", Name("John")),
        ("{Unbalanced Name", Name("Name", "Unbalanced")),
        ("Odd} Name{", Name("Name", "Odd")),
        ("  ", Name("")),
        (",", Name("")),
        ("{}", Name("", literal=True)),
    ],
)
def test_a_name_has_parts(text: str, name: Name) -> None:
    assert parts(text) == name


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (Name("Zhao", "Lu"), "Lu Zhao"),
        (VAN, "Jan van der Berg"),
        (Name("García Márquez", "Gabriel"), "García Márquez, Gabriel"),
        (Name("Márquez", "de"), "Márquez, de"),
        (Name("Doe", "John", "Jr."), "Doe, Jr., John"),
        (Name("Doe", "", "Jr."), "Doe, Jr."),
        (Name("García Márquez", "", "Jr."), "{García Márquez}, Jr."),
        (Name("Doe", "", "Esq."), "Doe, Esq.,"),
        (WHO, "{World Health Organization}"),
        (Name("WHO", literal=True), "{WHO}"),
        (Name("García Márquez"), "{García Márquez}"),
        (Name("", "Plato"), "Plato"),
        (Name("others"), "{others}"),
        (Name("Smith and Sons", "X"), "{Smith and Sons}, X"),
        (Name("Doe, Inc.", "X"), "{Doe, Inc.}, X"),
        (Name("王", "小明"), "王, 小明"),
        (Name("Do{e", "J\x1b[31m\nx"), "Doe, J[31m x"),
        (Name(""), ""),
    ],
)
def test_a_name_is_stored_so_that_its_parts_can_be_told(name: Name, text: str) -> None:
    assert stored(name) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Lu Zhao", "Lu Zhao"),
        ("van der Berg, Jan", "Jan van der Berg"),
        ("Doe, Jr., John", "John Doe Jr."),
        ("{World Health Organization}", "World Health Organization"),
        ("王, 小明", "王小明"),
        ("김, 민수", "김민수"),
        ("Wang, 小明", "小明 Wang"),
    ],
)
def test_a_name_is_shown_in_natural_order(text: str, shown: str) -> None:
    assert natural(text) == shown


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (r"Haddaway, N. and {World Health Organization} and van der Berg, Jan",
         ["N. Haddaway", "{World Health Organization}", "Jan van der Berg"]),
        ("Knuth, Donald E.\n  AND\tLamport, Leslie", ["Donald E. Knuth", "Leslie Lamport"]),
        (r"M{\"u}ller, J{\"o}rg and \'Etienne de la Fontaine",
         ["Jörg Müller", "Étienne de la Fontaine"]),
        (r"{Fern{\'a}ndez-Garrido}, Sergio", ["Sergio Fernández-Garrido"]),
        ("{{Council on Critical Care, and others}} and Doe, J.",
         ["{Council on Critical Care, and others}", "J. Doe"]),
        ("{{a and b} and c} and D E", ["{a and b and c}", "D E"]),
        (r"{Barnes \& Noble}", ["{Barnes & Noble}"]),
        ("Costa, Jr., P. T. and McCrae, R. R.", ["Costa, Jr., P. T.", "R. R. McCrae"]),
        ("family=Berg, given={Jan, Maria}, prefix=van der, useprefix=true, given-i=J",
         ["van der Berg, {Jan, Maria}"]),
        ("given=A=B, family=C", ["A=B C"]),
        ("Dang, Le Si", ["Le Si Dang"]),
        ("Doe, J., Roe, R.", ["J. Doe", "R. Roe"]),
        ("Doe, J., and Roe, R.", ["J. Doe", "R. Roe"]),
        ("Jane Doe, Richard Roe, Xenia Poe", ["Jane Doe", "Richard Roe", "Xenia Poe"]),
        ("Doe, Jane; Roe, Richard", ["Jane Doe", "Richard Roe"]),
        ("A and , and and B and", ["A", "B"]),
        ("{A and B", ["A", "B"]),
        ("", []),
        (" and ", []),
    ],
)  # fmt: skip
def test_a_bibtex_value_holds_names(value: str, names: list[str]) -> None:
    assert from_bibtex(value) == (tuple(names), True)


@pytest.mark.parametrize(
    "value",
    ["Doe, J. and others", "J. Doe and Others", "Doe, J. et al.", "Doe, J., et al", "Doe, J and …"],
)
def test_a_bibtex_value_may_tell_that_names_are_missing(value: str) -> None:
    names, complete = from_bibtex(value)
    assert [parts(name).family for name in names] == ["Doe"]
    assert not complete


@pytest.mark.parametrize(
    ("value", "names"),
    [
        ("Doe, J.; Roe, R.", ["J. Doe", "R. Roe"]),
        ("N. A. Vandal; M. Savvides;", ["N. A. Vandal", "M. Savvides"]),
        ("Smith & Sons; Roe, R.", ["Smith & Sons", "R. Roe"]),
        ("J. Doe, R. Roe and X. Poe", ["J. Doe", "R. Roe", "X. Poe"]),
        ("J. Doe, R. Roe, and X. Poe", ["J. Doe", "R. Roe", "X. Poe"]),
        ("Doe J, van Roe R.M., Poe X.-Y.", ["J Doe", "R.M. van Roe", "X.-Y. Poe"]),
        ("Lim SM, Shiau CWC, Lau Y.", ["SM Lim", "CWC Shiau", "Y. Lau"]),
        ("Doe J; Roe R", ["J Doe", "R Roe"]),
        ("Doe, J., Roe, R., and Poe, X.", ["J. Doe", "R. Roe", "X. Poe"]),
        ("Doe, J. and Roe, Rita", ["J. Doe", "Rita Roe"]),
        ("Doe, John", ["John Doe"]),
        ("García Márquez, Gabriel", ["García Márquez, Gabriel"]),
        ("Jane Doe, Richard Roe", ["Jane Doe", "Richard Roe"]),
        ("Jane Doe & Richard Roe", ["Jane Doe", "Richard Roe"]),
        ("Smith, Jones and Brown", ["Smith", "Jones", "Brown"]),
        ("Jane Doe\nRichard Roe", ["Jane Doe", "Richard Roe"]),
        ("['Marx, Karl', \"O'Neill, Ann\"]", ["Karl Marx", "Ann O'Neill"]),
        ("Martin King, Jr., Rosa Parks", ["King, Jr., Martin", "Rosa Parks"]),
        ("王小明; 李雷", ["王小明", "李雷"]),
        ("", []),
        (" ; , and", []),
    ],
)
def test_a_loose_list_holds_names(value: str, names: list[str]) -> None:
    assert from_list(value) == (tuple(names), True)


@pytest.mark.parametrize(
    "value", ["Doe, J.; et al.", "J. Doe, R. Roe et al.", "J. Doe and others", "Doe J, et al."]
)
def test_a_loose_list_may_tell_that_names_are_missing(value: str) -> None:
    names, complete = from_list(value)
    assert parts(names[0]).family == "Doe"
    assert len(names) == value.count("oe")
    assert not complete


words = st.lists(
    st.sampled_from(["Jan", "van", "O'Neil", "and", "x,y", "é", "王", "Al."]), max_size=3
)
some = st.one_of(words.map(" ".join), st.text(max_size=8))
written = st.text(alphabet="aBé王 ,.;{}\\\"'&|~=\nand", max_size=60)


@given(some, some, some, st.booleans())
def test_stored_names_keep_their_parts(family: str, first: str, suffix: str, literal: bool) -> None:
    text = stored(Name(family, first, suffix, literal))
    assert text == clean_line(text)
    assert text.count("{") == text.count("}")
    name = parts(text)
    kept = " ".join(" ".join(part.split()) for part in name[:3])
    wanted = clean_line(f"{family} {first} {suffix}".translate(str.maketrans("", "", "{}")))
    assert sorted(kept.split()) == sorted(wanted.split())
    if name.given or name.suffix:
        assert stored(name) == text
    assert stored(parts(stored(name))) == stored(name)


@given(st.sampled_from(["Berg", "van der Berg", "García Márquez", "x and y", "A, B", "王"]),
       st.sampled_from(["Jan", "J. P.", "小明", "and", "van", "A, B"]),
       st.sampled_from(["", "Jr.", "Esq.", "x, and y"]))  # fmt: skip
def test_parts_are_the_inverse_of_stored(family: str, first: str, suffix: str) -> None:
    name = Name(family, first, suffix)
    assert parts(stored(name)) == name


@given(written)
def test_any_value_has_names_and_no_word_is_lost(value: str) -> None:
    for names in (from_bibtex(value)[0], from_list(value)[0]):
        assert all(name == clean_line(name) for name in names)
        assert all(name.count("{") == name.count("}") for name in names)
        shown = "".join(map(natural, names))
        assert value.count("王") == shown.count("王")
        if "\\" not in value:  # else it may have got an accent
            assert value.count("B") == shown.count("B")


@given(st.lists(st.tuples(some, some), max_size=4))
def test_stored_names_may_be_joined_and_parted_again(pairs: list[tuple[str, str]]) -> None:
    names = tuple(filter(None, (stored(Name(*pair)) for pair in pairs)))
    joined = " and ".join(name for name in names if "\\" not in name)
    if all(any(map(str.isalnum, name)) for name in names) and not set(joined) & set("~`'-$;\""):
        assert from_bibtex(joined)[0] == tuple(n for n in names if "\\" not in n)
