"""Laws that measure, and so need the computer to themselves: marked `alone`, run one after the other at the end.

A promise that is kept beside other work is kept. One that is not counts only where nobody else was at work: else the
law waits for quiet and measures again, and where quiet never comes it is *not measured*, a failure of its own kind.
"""

import time
from collections.abc import Callable
from typing import NoReturn, TypeVar

import psutil
import pytest

TRIES = 3  # a neighbour of a virtual machine may come and go within a measurement
QUIET_S = 90.0  # how long is waited for quiet, in all
_LOOK_S = 1.0
_BUSY_FRAC = 0.15  # of all CPUs, while we do nothing; a computer at rest shows 0 to 5 %

Measured = TypeVar("Measured")


class NotMeasured(pytest.fail.Exception):
    """Others kept the computer busy: nothing is known about the law."""


def until_fine(measure: Callable[[], Measured], fine: Callable[[Measured], bool], tries: int = TRIES) -> Measured:
    """Measure until it is fine, so many times at most; return the last, which the law then judges.

    Raises:
        NotMeasured: It was not fine, and the computer did not become quiet.
    """
    for left in reversed(range(tries)):
        measured = measure()
        if fine(measured):
            break
        print(f"not as promised, tries left: {left}; seen: {measured}")
        _wait_for_quiet(measured)
    return measured


def until_kept(measure: Callable[[], Measured], fine: Callable[[Measured], bool], tries: int = 6) -> Measured:
    """Do the same for what holds beside other work, and needs no quiet: nobody waits for it."""
    for left in reversed(range(tries)):
        measured = measure()
        if fine(measured):
            break
        print(f"not as promised, tries left: {left}; seen: {measured}")
    return measured


def _wait_for_quiet(measured: object) -> None:
    deadline_s = time.monotonic() + QUIET_S
    while (busy_frac := busy()) > _BUSY_FRAC:
        if time.monotonic() > deadline_s:
            _not_measured(f"other programs kept {busy_frac:.0%} of the CPUs busy for {QUIET_S:.0f} s", measured)


def busy() -> float:
    """Look for a second; return how much of all CPUs was used, or taken by other machines, while we did nothing."""
    used = psutil.cpu_times_percent(_LOOK_S)
    return 1.0 - (used.idle + used.iowait) / 100


def _not_measured(why: str, measured: object) -> NoReturn:
    raise NotMeasured(f"not measured: {why}; end them and try again (seen last: {measured})", pytrace=False)
