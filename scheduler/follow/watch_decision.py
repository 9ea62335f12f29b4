"""Decide whether watched minutes carry an order: the estimated gain of a split is none by itself.

The gain has an interval: Student's t over stretches of ten minutes, since single minutes of a load depend on each
other, widened by the error of the model behind the estimate. An I/O domain whose CPU use does not follow the load has
no gain that could be estimated: a program that polls uses CPU that it does not need.
"""

import math
from collections.abc import Sequence

import msgspec
import numpy as np

from scheduler.follow.load_minutes import AS_GOOD_FRAC, LoadMinute
from scheduler.model.decision import DecisionKind
from scheduler.model.number_texts import format_percent
from scheduler.stats.student import student_quantile

STRETCH_MIN = 10
LEAST_STRETCHES = 3
WORTH_FRAC = AS_GOOD_FRAC  # smallest gain that is worth a change
_ERROR_FRAC = 0.05
_MODEL_ERROR_FRAC = 0.5  # of ln(gain); predicted and measured gains of a recorded sweep were up to 20 % apart
_ALWAYS_FRAC = 0.9  # of the minutes
_CONSTANT, _CHANGING = 0.15, 0.5  # spread of ln(CPU used) over the middle 80 % of the minutes


class WatchDecision(msgspec.Struct, frozen=True):
    """Decision about one static split.

    Attributes:
        kind: Only `change` is an order.
        low_frac: Lower end of the gain's interval, > -1; None with too few minutes, or where no gain can be estimated.
        high_frac: Upper end of it; None without one.
        doubt: Reason why the CPU that the I/O domain used may not be need, a sentence; empty where it follows the load.
    """

    kind: DecisionKind
    low_frac: float | None = None
    high_frac: float | None = None
    doubt: str = ""

    @property
    def enough(self) -> bool:
        """True when the minutes are enough for an order of any kind."""
        return self.low_frac is not None


def decide_split(minutes: Sequence[LoadMinute], place: int) -> WatchDecision:
    """Decide about a split.

    Args:
        minutes: Those in which the limits decided something, in their order; at least one.
        place: Index of the split on the grid.
    """
    doubt = find_usage_doubt(minutes)
    if doubt:
        return WatchDecision(DecisionKind.UNKNOWN, doubt=doubt)
    ends = _gain_interval([float(minute.gains[place]) for minute in minutes])
    if ends is None:
        return WatchDecision(DecisionKind.NOT_YET)
    gain = math.expm1(float(np.mean([minute.gains[place] for minute in minutes])))
    low, high = (math.expm1(end) for end in ends)
    kind = DecisionKind.NOT_YET
    if low > 0 and gain >= WORTH_FRAC:
        kind = DecisionKind.CHANGE
    elif high < WORTH_FRAC:
        kind = DecisionKind.STAY
    return WatchDecision(kind, low, high)


def find_usage_doubt(minutes: Sequence[LoadMinute]) -> str:
    """Return the reason why the I/O domain's CPU use may not be need, a sentence; empty where there is none.

    Too few minutes for an order raise no doubt either.
    """
    if len(minutes) < LEAST_STRETCHES * STRETCH_MIN:
        return ""
    saturated = sum(minute.io_saturated for minute in minutes) / len(minutes)
    if saturated >= _ALWAYS_FRAC:
        return (
            f"The I/O domain was saturated in {format_percent(saturated)} of the minutes, whatever the "
            "load did: a program "
            "that polls or spins looks the same as need."
        )
    io, guest = (_log_spread([getattr(minute.use, name) for minute in minutes]) for name in ("io_cpus", "guest_cpus"))
    if io < _CONSTANT and guest > _CHANGING:
        return (
            "The I/O domain used the same CPU while the guest's use changed: a program that polls or spins does that, "
            "and need does not."
        )
    return ""


def _gain_interval(gains: Sequence[float]) -> tuple[float, float] | None:
    """Return the ends of ln(gain); None of too few minutes."""
    count = len(gains) // STRETCH_MIN
    if count < LEAST_STRETCHES:
        return None
    means = [float(np.mean(part)) for part in np.array_split(np.array(gains), count)]
    mean = math.fsum(means) / count
    half = student_quantile(count - 1, 1 - _ERROR_FRAC / 2) * float(np.std(means, ddof=1)) / math.sqrt(count)
    both = math.hypot(half, _MODEL_ERROR_FRAC * mean)
    return mean - both, mean + both


def _log_spread(cpus: Sequence[float]) -> float:
    low, high = np.quantile(np.log(np.maximum(cpus, 1e-6)), (0.1, 0.9))
    return float(high - low)
