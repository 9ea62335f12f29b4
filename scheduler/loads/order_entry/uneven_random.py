"""The uneven random numbers of TPC-C (2.1.6), and the last names that hang on them (4.3.2.3)."""

from collections.abc import Callable

A_LAST, A_CUSTOMER, A_ITEM = 255, 1023, 8191
"""Published widths: of last names, customers and items."""

C_LOAD = 71
"""Constant of the last names while loading."""

# 2.1.6.1: from the one while loading to the one of a run there are 65 to 119, but neither 96 nor 112.
C_LAST, C_CUSTOMER, C_ITEM = C_LOAD + 87, 517, 3163
"""Constants of a run; every user has the same."""

_SYLLABLES = ("BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING")


def draw_uneven(draw: Callable[[int, int], int], a: int, c: int, low: int, high: int) -> int:
    """Return an uneven random number from `low` to `high`.

    Args:
        draw: Returns an even one between two bounds, both included.
        a: Width of the unevenness.
        c: Constant that moves it.
        low: The least.
        high: The largest.
    """
    return ((draw(0, a) | draw(low, high)) + c) % (high - low + 1) + low


def last_name(number: int) -> str:
    """Return the last name of a number from 0 to 999: a syllable for each of its digits."""
    return _SYLLABLES[number // 100] + _SYLLABLES[number // 10 % 10] + _SYLLABLES[number % 10]
