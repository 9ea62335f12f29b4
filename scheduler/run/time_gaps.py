"""Gaps in time: the computer slept, or the process was stopped.

A sleeping computer shows in two clocks of Linux: CLOCK_BOOTTIME goes on, CLOCK_MONOTONIC does not (clock_gettime(2)).
A stopped process (SIGSTOP, a frozen control group) shows as a wait that took much longer than its time limit.
"""

import time
from typing import NamedTuple

from scheduler.model.number_texts import format_duration
from scheduler.translation import _

STOPPED_S = 5.0
"""Delay of a wait of 0.25 s from which the process counts as stopped; an overloaded computer delays by less."""

_ASLEEP_S = 1.0  # the two clocks are read one after the other, so that shorter differences mean nothing


class TimeGap(NamedTuple):
    """Time in which a run saw nothing.

    Attributes:
        seconds: Length, seconds, > 0.
        asleep: True when the computer slept; False when this process alone was stopped.
    """

    seconds: float
    asleep: bool

    @property
    def text(self) -> str:
        """Cause of an excluded trial or window: `the computer slept 11 min`."""
        length = format_duration(self.seconds)
        return (
            _("the computer slept {length}").format(length=length)
            if self.asleep
            else _("DomTune was stopped for {length}").format(length=length)
        )

    @property
    def remark(self) -> str:
        """Remark of a trial that was measured again after the gap."""
        length = format_duration(self.seconds)
        if self.asleep:
            return _("measured again, because the computer slept {length}").format(length=length)
        return _("measured again, because DomTune was stopped for {length}").format(length=length)

    @property
    def sentence(self) -> str:
        """Sentence about the gap for the notices of a run."""
        length = format_duration(self.seconds)
        return (
            _("The computer slept {length}.").format(length=length)
            if self.asleep
            else _("DomTune was stopped for {length}.").format(length=length)
        )


class GapFound(Exception):
    """A gap in time during a trial; `RunControl.take_gap` returns the gap."""


def asleep_s() -> float:
    """Return the seconds for which this computer has slept since its start.

    The result is 0 where the system does not report it.
    """
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()


class GapMeter:
    """Sum of the gaps since the last call of `take`.

    Args:
        asleep: Seconds for which the computer has slept, at the start.
    """

    def __init__(self, asleep: float) -> None:
        self._asleep_s = asleep
        self._slept_s = self._stopped_s = 0.0

    def note_wait(self, late_s: float, asleep: float) -> None:
        """Note the end of a wait.

        Args:
            late_s: Delay of the end, seconds on CLOCK_MONOTONIC.
            asleep: Seconds for which the computer has slept so far.
        """
        if asleep - self._asleep_s > _ASLEEP_S:
            self._slept_s += asleep - self._asleep_s
        self._asleep_s = asleep
        if late_s > STOPPED_S:
            self._stopped_s += late_s

    def look(self, asleep: float) -> TimeGap | None:
        """Return the gap since the last call of `take`; None without a gap.

        Args:
            asleep: Seconds for which the computer has slept so far.
        """
        self.note_wait(0.0, asleep)
        length_s = self._slept_s + self._stopped_s
        return TimeGap(length_s, asleep=self._slept_s >= self._stopped_s) if length_s else None

    def take(self, asleep: float) -> TimeGap | None:
        """Return the gap since the last call; None without a gap.

        Args:
            asleep: Seconds for which the computer has slept so far.
        """
        gap = self.look(asleep)
        self._slept_s = self._stopped_s = 0.0
        return gap
