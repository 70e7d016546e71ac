"""Sets of numbered papers as the bits of one integer: bit n is paper n.

Uniting and intersecting sets of 100,000 papers takes a microsecond this way, which is what makes
a search answer between two keys.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import compress

_TO_DIGITS = bytes.maketrans(b"\0\1", b"01")
_FROM_DIGITS = bytes.maketrans(b"01", b"\0\1")
_BITS_IN = [tuple(bit for bit in range(8) if byte >> bit & 1) for byte in range(256)]


def bits_of(numbers: Collection[int], size: int) -> int:
    """Return the set of numbers, each below `size`."""
    if len(numbers) * 24 < size:
        raw = bytearray(size // 8 + 1)
        for number in numbers:
            raw[number >> 3] |= 1 << (number & 7)
        return int.from_bytes(raw, "little")
    flags = bytearray(size)
    for number in numbers:
        flags[number] = 1
    return bits_where(flags)


def bits_where(flags: bytes | bytearray) -> int:
    """Return the set of places at which a byte is 1; all others are 0."""
    return int(flags.translate(_TO_DIGITS)[::-1], 2) if flags else 0


def flags_of(bits: int, size: int) -> bytes:
    """Return a byte for each number below `size`: 1 where it is in the set, else 0."""
    return bin(bits)[:1:-1].encode("ascii").translate(_FROM_DIGITS).ljust(size, b"\0")


def numbers_in(bits: int) -> list[int]:
    """Return the numbers of a set, ascending."""
    size = bits.bit_length()
    if bits.bit_count() * 48 < size:  # few: only the bytes that are not empty are looked at
        raw = bits.to_bytes(size // 8 + 1, "little")
        return [8 * at + bit for at in compress(range(len(raw)), raw) for bit in _BITS_IN[raw[at]]]
    return list(compress(range(size), flags_of(bits, size)))
