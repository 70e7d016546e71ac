from __future__ import annotations

import pytest
from anchorlight.store.bits import Ascending, bits_of, bits_where, flags_of, numbers_in
from hypothesis import given
from hypothesis import strategies as st

SIZES = (0, 1, 7, 8, 9, 64, 500, 5000)


@given(st.sampled_from(SIZES), st.data())
def test_a_set_holds_the_numbers_it_is_made_of(size: int, data: st.DataObject) -> None:
    numbers = data.draw(st.sets(st.integers(0, size - 1)) if size else st.just(set()))
    bits = bits_of(sorted(numbers), size)
    assert numbers_in(bits) == sorted(numbers)
    assert [number for number in range(size) if bits >> number & 1] == sorted(numbers)
    flags = flags_of(bits, size)
    assert len(flags) == max(size, len(flags))
    assert [number for number in range(size) if flags[number]] == sorted(numbers)
    assert bits_where(flags) == bits


@pytest.mark.parametrize("step", [1, 3, 40, 1000])
def test_many_and_few_numbers_are_found_alike(step: int) -> None:
    numbers = list(range(0, 10_000, step))
    assert numbers_in(bits_of(numbers, 10_000)) == numbers
    assert bits_of(numbers * 2, 10_000) == sum(1 << number for number in numbers)


@given(st.sets(st.integers(0, 20_000), max_size=60))
def test_numbers_are_the_same_however_they_are_looked_at(chosen: set[int]) -> None:
    numbers = sorted(chosen)
    made = bits_of(numbers, 20_001)
    assert [Ascending(made)[at] for at in range(len(numbers))] == numbers
    assert list(Ascending(made)) == list(reversed(list(reversed(Ascending(made))))) == numbers
    assert Ascending(made)[1:5] == numbers[1:5]
    assert len(Ascending(made)) == len(numbers)
    assert [Ascending(made).index(one) for one in numbers] == list(range(len(numbers)))
    if numbers:
        assert Ascending(made)[-1] == numbers[-1]


@pytest.mark.parametrize(("value", "start"), [(3, 0), (9000, 0), (5, 1)])
def test_a_number_that_is_not_there_has_no_place(value: int, start: int) -> None:
    with pytest.raises(ValueError, match="not in the set"):
        Ascending(bits_of([5, 8000], 8001)).index(value, start)
