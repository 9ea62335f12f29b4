"""Interpolation between the measured splits, to propose a further split.

One step of successive parabolic interpolation (Brent, Algorithms for Minimization without Derivatives, 1973, ch. 5):
the parabola through the leader and its two adjacent splits, ln(utility) over ln(I/O domain / guest). A monotone cubic
would never rise above the measured values, so it could propose nothing. The result proposes trials and is never
evidence.
"""

import math
from functools import cache

import msgspec

from scheduler.model.number_texts import format_percent
from scheduler.model.setting import SplitSetting
from scheduler.model.split import Settable, Split, split_between
from scheduler.stats.leader_comparison import LeaderComparison
from scheduler.stats.paired_comparison import TrialCells
from scheduler.stats.regret import compute_load_means
from scheduler.translation import _

_MOST_PARTS = 20  # of a proposed split a:b: noise hides the differences of finer splits
_NEARLY = 0.9  # of the gain at the top: the simplest split with this predicted gain is proposed
_LEAST_SPLITS = 3


class SplitProspect(msgspec.Struct, frozen=True, kw_only=True):
    """The interpolated split between the measured splits.

    Attributes:
        text: The result as a sentence; empty when there is no curve.
        setting: Split to measure next; None when none has enough predicted gain.
        gain_frac: Predicted gain over the leader, as a fraction, > 0.
        between: The adjacent measured splits, the leader and one other, smaller I/O share first.
        log_tps: Load kind to ln(its throughput / the leader's), on parabolas through the same splits.
        beyond: True when the leader is the outermost split: the best may lie where nothing was measured.
    """

    text: str = ""
    setting: SplitSetting | None = None
    gain_frac: float = 0.0
    between: tuple[str, str] = ("", "")
    log_tps: dict[str, float] = {}
    beyond: bool = False


class Parabola(msgspec.Struct, frozen=True):
    """The parabola through the leader and its adjacent splits.

    Attributes:
        places: Positions on the axis: left split, leader, right split.
        behind: Loss of the left and the right split against the leader, of ln(utility), >= 0.
        scales: Scales of these two differences.
    """

    places: tuple[float, float, float]
    behind: tuple[float, float]
    scales: tuple[float, float]

    def parts(self, at: float) -> tuple[float, float]:
        """Return the weights of the adjacent splits at a position (Lagrange).

        The leader has the remaining weight.
        """
        left, middle, right = self.places
        return (
            (at - middle) * (at - right) / ((left - middle) * (left - right)),
            (at - middle) * (at - left) / ((right - middle) * (right - left)),
        )

    def gain(self, at: float) -> float:
        """Return ln(utility) at a position minus that of the leader."""
        return -sum(part * loss for part, loss in zip(self.parts(at), self.behind, strict=True))

    def error(self, at: float) -> float:
        """Return an upper bound of the standard error of the gain at a position.

        Next to the leader, the weights of the adjacent splits have opposite signs. Both losses are differences to the
        leader, so their errors are positively correlated and partly cancel.
        """
        return math.hypot(*(part * scale for part, scale in zip(self.parts(at), self.scales, strict=True)))

    @property
    def top(self) -> float:
        """Position of the maximum.

        The maximum is never beyond the middle between the leader and either adjacent split.
        """
        left, middle, right = self.places
        low, high = middle - left, right - middle
        to_left, to_right = self.behind[0] / low, self.behind[1] / high
        if to_left + to_right <= 0:
            return middle  # all three are equal
        slope = (to_left * high - to_right * low) / (low + high)
        return middle + slope * (low + high) / (2 * (to_left + to_right))


def find_prospect(cells: TrialCells, found: LeaderComparison, settable: Settable) -> SplitProspect:
    """Return the split to measure next between the leader's adjacent splits.

    A split is proposed when its predicted gain exceeds both the tolerance and the standard error of that prediction.
    Otherwise the text gives the reason.

    Args:
        cells: The judged splits.
        found: Their comparison with the best of them.
        settable: Returns True when the host can be set to a split.
    """
    if len(cells.labels) < _LEAST_SPLITS:
        return SplitProspect()
    around = _adjacent_splits(cells, found.leader)
    if around is None:
        text = _("{leader} is the outermost split that was measured: the best may lie beyond it.").format(
            leader=found.leader
        )
        return SplitProspect(text=text, beyond=True)
    curve = _fit_parabola(cells, found, around)
    enough = [part for part in _list_candidates(curve) if _is_promising(curve, part, found.tolerance_frac)]
    chosen = next((part for part in enough if settable(part)), None)
    if chosen is None:
        where = _("no split between {around} and {around_2}").format(around=around[0], around_2=around[1])
        why = _("{where} has a predicted gain over {leader} of more than {tolerance_frac} and more than noise").format(
            where=where, leader=found.leader, tolerance_frac=format_percent(found.tolerance_frac)
        )
        if enough:
            why = _(
                "{where} with a larger predicted gain than {leader} can be set on this host without a warning"
            ).format(where=where, leader=found.leader)
        return SplitProspect(text=_("Interpolated, not measured: {why}.").format(why=why))
    at = _axis_position(chosen)
    gain_frac = math.expm1(curve.gain(at))
    between = (around[0], found.leader) if at < curve.places[1] else (found.leader, around[1])
    return SplitProspect(
        text=_(
            "Interpolated, not measured: {label}, between {between} and {between_2}, may gain "
            "{gain_frac} over {leader}."
        ).format(
            label=chosen.label,
            between=between[0],
            between_2=between[1],
            gain_frac=format_percent(gain_frac),
            leader=found.leader,
        ),
        setting=SplitSetting(chosen),
        gain_frac=gain_frac,
        between=between,
        log_tps=_log_tps(cells, found.leader, around, curve.parts(at)),
    )


def _adjacent_splits(cells: TrialCells, leader: str) -> tuple[str, str] | None:
    """Return the next splits on both sides of the leader; None at the outermost."""
    places = dict(zip(cells.labels, cells.positions, strict=True))
    left = [label for label in cells.labels if places[label] < places[leader] - 1e-9]
    right = [label for label in cells.labels if places[label] > places[leader] + 1e-9]
    return (left[-1], right[0]) if left and right else None


def _fit_parabola(cells: TrialCells, found: LeaderComparison, around: tuple[str, str]) -> Parabola:
    places = dict(zip(cells.labels, cells.positions, strict=True))
    left, right = around
    return Parabola(
        (places[left], places[found.leader], places[right]),
        (max(0.0, -found.values[left]), max(0.0, -found.values[right])),
        (found.rivals[left].scale, found.rivals[right].scale),
    )


def _list_candidates(curve: Parabola) -> list[Split]:
    """Return simple splits inside the parabola, the preferred first.

    Splits that are nearly as good as the top come first. Within each group splits with smaller numbers come first.
    """
    left, _, right = curve.places
    inside = [split for place, split in _simple_splits() if left < place < right]
    nearly = _NEARLY * curve.gain(curve.top)
    return sorted(inside, key=lambda split: (curve.gain(_axis_position(split)) < nearly, split.io + split.guest))


def _is_promising(curve: Parabola, split: Split, tolerance_frac: float) -> bool:
    gain = curve.gain(_axis_position(split))
    return gain > math.log1p(tolerance_frac) and gain > curve.error(_axis_position(split))


def _log_tps(cells: TrialCells, leader: str, around: tuple[str, str], parts: tuple[float, float]) -> dict[str, float]:
    found: dict[str, float] = {}
    for number, kind in enumerate(cells.kinds):
        means = compute_load_means(cells, number)
        if all(label in means for label in (leader, *around)):
            found[kind] = sum(part * (means[at] - means[leader]) for part, at in zip(parts, around, strict=True))
    return found


def _axis_position(split: Split) -> float:
    return math.log(split.io / split.guest)


@cache
def _simple_splits() -> tuple[tuple[float, Split], ...]:
    """Return every split of whole numbers up to `_MOST_PARTS` in lowest terms.

    Each has its position; the order is along the axis.
    """
    numbers = range(1, _MOST_PARTS + 1)
    splits = [split_between(io, guest) for io in numbers for guest in numbers if math.gcd(io, guest) == 1]
    return tuple(sorted(((_axis_position(split), split) for split in splits), key=lambda pair: pair[0]))
