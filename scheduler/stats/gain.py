"""A split against the host as found.

Baselines are visited before the first and after the last block, so they are not paired with a split; the interval
therefore rests on the whole spread of visits, drift between blocks included.
"""

import math
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.documents import VisitDone
from scheduler.model.setting import BASELINE, label_of
from scheduler.model.spec import Mode
from scheduler.model.words import interval, percent, signed_percent
from scheduler.stats.points import mean
from scheduler.stats.stalls import lasting
from scheduler.stats.student import two_sided

_LEVEL = 0.05  # an interval of the gain inside this and around 0 is called no real difference


class Gain(msgspec.Struct, frozen=True):
    """Weighted gain of a split over the host as found.

    Attributes:
        frac: Relative gain; negative when the host as found is faster.
        ci95_frac: Its 95 % interval; None when no cell was visited twice.
    """

    frac: float
    ci95_frac: tuple[float, float] | None

    @property
    def certain(self) -> bool:
        """True when the interval does not hold 0."""
        return self.ci95_frac is not None and (self.ci95_frac[0] > 0 or self.ci95_frac[1] < 0)


class Spread(msgspec.Struct, frozen=True):
    """How the usable visits under one load lie, of ln(throughput); no weight changes it.

    Attributes:
        means: Label to the mean of its visits, the host as found included.
        visits: Label to their number.
        squares: Sum of squares about those means.
        dof: Its degrees of freedom, >= 0.
    """

    means: Mapping[str, float]
    visits: Mapping[str, int]
    squares: float
    dof: int


def spread_of(visits: Sequence[VisitDone], kind: str) -> Spread:
    """Return how the visits under one load lie; all visits may be given."""
    cells: dict[str, list[float]] = {}
    for visit in lasting(visits):
        if visit.load == kind and visit.valid and visit.mean_tps > 0:
            cells.setdefault(label_of(visit.setting), []).append(math.log(visit.mean_tps))
    means = {label: mean(values) for label, values in cells.items()}
    squares = math.fsum((x - means[label]) ** 2 for label, values in cells.items() for x in values)
    counts = {label: len(values) for label, values in cells.items()}
    return Spread(means, counts, squares, sum(counts.values()) - len(counts))


def gain_of(label: str, spreads: Mapping[str, Spread], weights: Mapping[str, float]) -> Gain | None:
    """Compare a setting with the baseline; None unless both were measured under every load with weight."""
    total, variance, dofs = 0.0, 0.0, list[int]()
    for kind, weight in weights.items():
        if weight <= 0:
            continue
        seen = spreads[kind]
        if label not in seen.means or BASELINE not in seen.means:
            return None
        total += weight * (seen.means[label] - seen.means[BASELINE])
        dofs.append(seen.dof)
        per_visit = seen.squares / max(seen.dof, 1)
        variance += weight**2 * per_visit * (1 / seen.visits[label] + 1 / seen.visits[BASELINE])
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
