"""Uneven random numbers of TPC-C (2.1.6) and last names (4.3.2.3)."""

from collections.abc import Callable

A_LAST, A_CUSTOMER, A_ITEM = 255, 1023, 8191
"""Published widths for last names, customers and items."""

C_LOAD = 71
"""Constant for last names while loading."""

# TPC-C 2.1.6.1: the distance from C_LOAD to C_LAST must be 65..119, but neither 96 nor 112.
C_LAST, C_CUSTOMER, C_ITEM = C_LOAD + 87, 517, 3163
"""Constants of a run, equal for all users."""

_SYLLABLES = ("BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING")


def draw_uneven(draw: Callable[[int, int], int], a: int, c: int, low: int, high: int) -> int:
    """Return an uneven random number from `low` to `high` (NURand, TPC-C 2.1.6).

    Args:
        draw: Returns a uniform random number between two bounds, both included.
        a: Width of the unevenness.
        c: Constant that shifts the numbers.
        low: Smallest result.
        high: Largest result.
    """
    return ((draw(0, a) | draw(low, high)) + c) % (high - low + 1) + low


def last_name(number: int) -> str:
    """Return the last name of a number 0..999: one syllable per digit."""
    return _SYLLABLES[number // 100] + _SYLLABLES[number // 10 % 10] + _SYLLABLES[number % 10]
