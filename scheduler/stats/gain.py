"""A split against the host as found.

Baselines are visited before the first and after the last block, so they are not paired with a split; the interval
therefore rests on the whole spread of visits, drift between blocks included (see `spread`).
"""

import math
from collections.abc import Mapping

import msgspec

from scheduler.model.setting import BASELINE
from scheduler.model.spec import Mode
from scheduler.model.words import interval, percent, signed_percent
from scheduler.stats.spread import Spread
from scheduler.stats.student import two_sided

_LEVEL = 0.05  # an interval of the gain inside this and around 0 is called no real difference


class Gain(msgspec.Struct, frozen=True):
    """Weighted gain of a split over the host as found.

    Attributes:
        frac: Relative gain; negative when the host as found is faster.
        ci95_frac: Its 95 % interval; None where nothing is known of it.
    """

    frac: float
    ci95_frac: tuple[float, float] | None

    @property
    def certain(self) -> bool:
        """True when the interval does not hold 0."""
        return self.ci95_frac is not None and (self.ci95_frac[0] > 0 or self.ci95_frac[1] < 0)


def gain_of(label: str, spreads: Mapping[str, Spread], weights: Mapping[str, float]) -> Gain | None:
    """Compare a setting with the baseline; None unless both were measured under every load with weight."""
    total, variance, dofs = 0.0, 0.0, list[int]()
    for kind, weight in weights.items():
        if weight <= 0:
            continue
        cells = spreads[kind].cells
        if label not in cells or BASELINE not in cells:
            return None
        total += weight * (cells[label].mean - cells[BASELINE].mean)
        for one in (label, BASELINE):
            per_mean, dof = spreads[kind].of_mean(one) or (0.0, 0)
            variance += weight**2 * per_mean
            dofs.append(dof)
    return Gain(math.expm1(total), _interval(total, variance, min(dofs)))


def _interval(total: float, variance: float, dof: int) -> tuple[float, float] | None:
    if dof < 1:
        return None
    half = two_sided(dof) * math.sqrt(variance)
    return math.expm1(total - half), math.expm1(total + half)


def baseline_sentence(gain: Gain, label: str, mode: Mode, where: str = "") -> str:
    """Return what a setting gains or costs against the host as found, plainly; `where`: under which load."""
    known = f" (95 % interval {interval(*gain.ci95_frac)})" if gain.ci95_frac else " (no interval: single visits)"
    if not gain.certain:
        level = gain.ci95_frac is not None and max(map(abs, gain.ci95_frac)) <= _LEVEL
        start = "No real difference to the host as found" if level else "Against the host as found nothing is certain"
        return f"{start}: {signed_percent(gain.frac)}{where}{known}."
    if gain.frac > 0:
        return f"{label} gives {signed_percent(gain.frac)} over the host as found{where}{known}."
    cost = percent(-gain.frac)
    if mode is Mode.PARTITION:
        return (
            f"The host as found, without limits, is faster than the best partition: dividing the CPU {label} "
            f"costs {cost} of the throughput{where}{_flipped(gain)}. Partition only if you need the isolation."
        )
    return f"The host as found is faster: {label} costs {cost}{where}{_flipped(gain)}. Leave it as it is."


def _flipped(gain: Gain) -> str:
    return f" (95 % interval {interval(-gain.ci95_frac[1], -gain.ci95_frac[0])})" if gain.ci95_frac else ""
