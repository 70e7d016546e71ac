from __future__ import annotations

import gzip
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from anchorlight.store import copies as module
from anchorlight.store.copies import Copies, Copy, copy_at, thinned
from anchorlight.store.snapshot import encode
from hypothesis import given, settings
from hypothesis import strategies as st

from .conftest import Clock
from .helpers import full

START = datetime(2026, 1, 15, 12, tzinfo=UTC)


def a_file(text: str, seq: int = 1) -> bytes:
    return encode({"notes": {"k": {"text": text}}}, seq)


def a_copy(made: datetime) -> Copy:
    return Copy(Path(f"marks-{made:%Y%m%dT%H%M%S}.json.gz"), made)


@pytest.fixture
def copies(tmp_path: Path, clock: Clock) -> Copies:
    return Copies(tmp_path / "backups", clock)


def texts(copies: Copies) -> list[str]:
    return [snapshot.tables["notes"]["k"]["text"] for _, snapshot in copies.good()]


# Thinning


def test_of_hours_days_and_weeks_the_last_copy_is_kept() -> None:
    made = [START - timedelta(minutes=20 * number) for number in range(3 * 24 * 60)]
    kept = [copy.made for copy in thinned([*map(a_copy, made)], [1] * len(made))]
    hours = [START, *(START - timedelta(hours=number, minutes=20) for number in range(5))]
    days = [START.replace(day=day, hour=23, minute=40) for day in (14, 13, 12, 11, 10, 9)]
    # 2026-01-15 is a Thursday: the weeks before end on the 11th, the 4th, and in December.
    weeks = [
        datetime(2026, 1, 11, 23, 40, tzinfo=UTC), datetime(2026, 1, 4, 23, 40, tzinfo=UTC),
        datetime(2025, 12, 28, 23, 40, tzinfo=UTC), datetime(2025, 12, 21, 23, 40, tzinfo=UTC),
    ]  # fmt: skip
    assert kept == sorted({*hours, START - timedelta(minutes=20), *days, *weeks}, reverse=True)


times = st.lists(
    st.integers(0, 60 * 24 * 60).map(lambda minutes: START - timedelta(minutes=minutes)),
    unique=True,
    max_size=60,
).map(lambda made: sorted(made, reverse=True))


@given(times, st.data())
def test_what_is_kept_is_little_ordered_and_of_every_age(
    made: list[datetime], data: st.DataObject
) -> None:
    given_copies = [*map(a_copy, made)]
    sizes = data.draw(
        st.lists(st.integers(0, 1 << 22), min_size=len(made), max_size=len(made))
        | st.just([100] * len(made))
    )
    kept = thinned(given_copies, sizes)
    assert kept == [copy for copy in given_copies if copy in kept]
    assert kept[:2] == given_copies[:2]
    assert len(kept) <= 2 + sum(most for _, most in module.PERIODS)
    size_of = dict(zip(given_copies, sizes, strict=True))
    assert len(kept) <= 2 or sum(size_of[copy] for copy in kept) <= max(
        module.MOST_BYTES, sum(size_of[copy] for copy in kept[:2])
    )
    if sizes[:1] == [100]:
        for period, most in module.PERIODS:
            wanted = list(dict.fromkeys(f"{one:{period}}" for one in made))[:most]
            assert set(wanted) <= {f"{copy.made:{period}}" for copy in kept}
        assert thinned(kept, [100] * len(kept)) == kept


@settings(max_examples=20)
@given(st.lists(st.integers(1, 60 * 60), min_size=1, max_size=300))
def test_after_any_time_of_use_there_is_a_copy_of_every_hour_day_and_week(
    gaps: list[int],
) -> None:
    """Copies are thinned as they are made: none is missed that a later thinning would keep."""
    now, kept, made = START, list[Copy](), list[datetime]()
    for gap in gaps:
        now += timedelta(minutes=gap)
        made.insert(0, now)
        kept = thinned([a_copy(now), *kept], [1] * (len(kept) + 1))
    assert kept == thinned([*map(a_copy, made)], [1] * len(made))


def test_large_copies_are_fewer_and_two_are_kept_in_any_case() -> None:
    made = [a_copy(START - timedelta(days=number)) for number in range(7)]
    most = module.MOST_BYTES
    assert thinned(made, [most] * 7) == made[:2]
    assert thinned(made, [most * 3] * 7) == made[:2]
    assert thinned(made, [most // 4] * 7) == made[:4]
    assert thinned(made, [most // 2, 1, most, 1, most // 4, 1, most]) == [
        made[number] for number in (0, 1, 3, 4, 5)
    ]
    assert thinned([], []) == []
    assert thinned(made[:1], [most * 2]) == made[:1]


# The folder


def test_a_copy_is_kept_by_its_time_and_read_again(copies: Copies, tmp_path: Path) -> None:
    copies.keep(a_file("é", 7))
    (copy,) = copies.all()
    assert copy.path == tmp_path / "backups" / "marks-20260115T120000.json.gz"
    assert copy.made == START
    assert copy.read() == ({"notes": {"k": {"text": "é"}}}, 7, "")
    assert gzip.decompress(copy.path.read_bytes()) == a_file("é", 7)
    assert (tmp_path / "backups").stat().st_mode & 0o777 == 0o700
    assert copy.path.stat().st_mode & 0o777 == 0o600


def test_copies_are_thinned_as_they_are_kept(copies: Copies, clock: Clock) -> None:
    for number in range(30):
        clock.now = START + timedelta(minutes=10 * number)
        copies.keep(a_file(f"{number}"))
    # The last two, and the last of each hour: 12:50, 13:50, 14:50, 15:50, 16:50.
    assert texts(copies) == ["29", "28", "23", "17", "11", "5"]
    names = {path.name for path in copies.all()[0].path.parent.iterdir()}
    assert names == {copy.path.name for copy in copies.all()}


def test_two_copies_of_one_second_are_the_later(copies: Copies) -> None:
    copies.keep(a_file("old"))
    copies.keep(a_file("new"))
    assert texts(copies) == ["new"]


def test_the_copy_just_made_is_kept_whatever_the_clock_says(copies: Copies, clock: Clock) -> None:
    clock.now = datetime(2090, 1, 1, tzinfo=UTC)
    for number in range(20):
        clock.now += timedelta(days=7)
        copies.keep(a_file(f"{number}"))
    clock.now = START
    copies.keep(a_file("now"))
    assert "now" in texts(copies)


def test_copies_are_kept_by_their_size(
    copies: Copies, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 100)
    for number in range(5):
        clock.now = START + timedelta(days=number)
        copies.keep(a_file(f"{number}"))
    assert texts(copies) == ["4", "3"]


def test_times_are_those_of_utc(copies: Copies, clock: Clock) -> None:
    clock.now = START.astimezone(timezone(timedelta(hours=9)))
    copies.keep(a_file("x"))
    assert copies.all()[0].made == START


def test_there_need_be_no_folder(copies: Copies, tmp_path: Path) -> None:
    assert copies.all() == []
    assert list(copies.good()) == []
    assert not (tmp_path / "backups").exists()


@pytest.mark.parametrize("call", ["os.replace", "os.fsync", "os.mkdir", "os.pwrite"])
def test_a_copy_that_cannot_be_kept_costs_none_that_is(
    copies: Copies, clock: Clock, monkeypatch: pytest.MonkeyPatch, call: str, tmp_path: Path
) -> None:
    if call != "os.mkdir":
        copies.keep(a_file("old"))
    clock.now += timedelta(minutes=1)
    with monkeypatch.context() as patch:
        patch.setattr(call, full)
        with pytest.raises(OSError, match="No space"):
            copies.keep(a_file("new"))
    assert texts(copies) == (["old"] if call != "os.mkdir" else [])
    assert not list(tmp_path.glob("backups/.*"))


def test_a_copy_that_cannot_be_removed_is_no_trouble(
    copies: Copies, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.unlink", full)
    for number in range(4):
        clock.now += timedelta(minutes=1)
        copies.keep(a_file(f"{number}"))
    assert texts(copies) == ["3", "2", "1", "0"]


# Damage


@pytest.mark.parametrize(
    "damage", ["empty", "cut", "cut in its tail", "flipped", "nul", "other", "holds damage", "gone"]
)
def test_a_damaged_copy_is_passed_over_for_the_next(
    copies: Copies, clock: Clock, damage: str
) -> None:
    for text in ("oldest", "old", "new"):
        clock.now += timedelta(hours=1)
        copies.keep(a_file(text))
    newest = copies.all()[0]
    whole = newest.path.read_bytes()
    newest.path.write_bytes(
        {
            "empty": b"",
            "cut": whole[: len(whole) // 2],
            "cut in its tail": whole[:-3],
            "flipped": whole[:25] + bytes([whole[25] ^ 4]) + whole[26:],
            "nul": b"\x00" * len(whole),
            "other": b"no gzip",
            "holds damage": gzip.compress(a_file("new")[:-9]),
            "gone": b"",
        }[damage]
    )
    if damage == "gone":
        newest.path.unlink()
        newest.path.mkdir()
        with pytest.raises(IsADirectoryError):
            newest.read()
    else:
        with pytest.raises(ValueError, match=r"."):
            newest.read()
    assert texts(copies) == ["old", "oldest"]


@settings(max_examples=60)
@given(st.data())
def test_a_changed_byte_is_noticed_or_harmless(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        copies = Copies(Path(folder), lambda: START)
        copies.keep(a_file("a text of some length", 3))
        (copy,) = copies.all()
        whole = bytearray(copy.path.read_bytes())
        whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
        copy.path.write_bytes(whole)
        with suppress(ValueError):
            assert copy.read() == ({"notes": {"k": {"text": "a text of some length"}}}, 3, "")


NAMES = (
    "marks-20260115T120000.json", "marks-20260115T120000.json.gz.damaged-20260116T000000",
    "marks-20261315T120000.json.gz", "marks-20260230T120000.json.gz",
    "marks-20260115T250000.json.gz", "marks-00000101T000000.json.gz", "marks-.json.gz",
    "marks-2026011T120000.json.gz", "marks-20260115T1200001.json.gz",
    "xmarks-20260115T120000.json.gz",
    "marks-now.json.gz", ".marks-20260115T120000.json.gz.1-2.tmp",
    "before-restore-20260115T120000.zip",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_is_no_time_is_no_copy_and_left_alone(
    copies: Copies, tmp_path: Path, name: str
) -> None:
    assert copy_at(Path(name)) is None
    (tmp_path / "backups").mkdir()
    other = tmp_path / "backups" / name
    other.write_bytes(b"not ours")
    assert copies.all() == []
    copies.keep(a_file("x"))
    assert texts(copies) == ["x"]
    assert other.read_bytes() == b"not ours"


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Set TZ and call `time.tzset`; the zone before is set again afterwards."""
    with monkeypatch.context() as patch:
        yield patch
    time.tzset()


@pytest.mark.parametrize(
    ("where", "name", "told"),
    [
        ("UTC", "marks-20260115T120000.json.gz", "2026-01-15 12:00"),
        ("JST-9", "marks-20260115T200000.json.gz", "2026-01-16 05:00"),
        ("JST-9", "marks-99991231T235959.json.gz", "9999"),
        ("EST5", "marks-00010101T000000.json.gz", ""),
    ],
)
def test_a_time_is_told_in_the_readers_zone_and_never_raises(
    zone: pytest.MonkeyPatch, where: str, name: str, told: str
) -> None:
    zone.setenv("TZ", where)
    time.tzset()
    copy = copy_at(Path(name))
    assert copy
    assert told in copy.when
