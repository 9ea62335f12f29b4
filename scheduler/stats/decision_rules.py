"""Decision of a sweep, from its best split and the gains over the baseline.

Only these rules make a decision from estimates; m is the smallest gain that is worth a change:

- change: the 95 % interval of the gain lies above 0, and the gain is at least m; - stay: the interval lies below m, and
no other split has a real chance of a larger gain; - not yet: neither; - unknown: the gain was not measured; - stay as
well, where the weights had no effect: no split can matter then.

Where the CPU has to be divided, the decision is about the best split: change once that split is known, else not yet.
"""

import math
from collections.abc import Mapping

import msgspec

from scheduler.model.decision import MOST_MINUTES_LEFT, DecisionKind, SweepDecision, SweepPurpose
from scheduler.model.objective import Objective
from scheduler.model.results import SplitVerdict
from scheduler.model.setting import SplitSetting
from scheduler.model.spec import RunSpec
from scheduler.stats.gain import PairedGain, SplitGain
from scheduler.stats.student import CONFIDENCE
from scheduler.stats.verdict import SplitJudgement, estimate_more_trials

REST_DOUBT = 1 - CONFIDENCE
"""Largest sum of the other splits' chances of a gain worth a change at which none is assumed to have that gain."""

LEAST_BASELINE_PAIRS = 7
"""Least number of pairs of the leader and the original settings before its gain decides, of this sweep alone.

Leaders chosen after four pairs overstate their gain by 3 to 7 points; the pairs after the choice correct that.
"""

LEAST_IDLE_PASSES = 2
"""Blocks after which weights without effect end a sweep: shares of CPU vary far less than throughput. Chosen."""


class RemainingBlocks(msgspec.Struct, frozen=True):
    """Further blocks of a plan.

    Attributes:
        minutes_per_setting: Minutes that one setting takes in a block, under every load.
        settings: Settings in each block: for a race the best split and the original settings, else all of the plan.
        least_pairs: Blocks with the best split and the original settings before a gain decides; 0 for any number.
        adapts: True for a race, which also measures the splits that may still be the best.
    """

    minutes_per_setting: float
    settings: int
    least_pairs: int = 0
    adapts: bool = False


def classify_gain(gain: SplitGain | None, others: Mapping[str, float], worth_frac: float) -> DecisionKind:
    """Return the decision about a change that has to pay.

    Args:
        gain: Gain of the best split over the original settings; None when it was not measured.
        others: Label of every other split to its chance of gaining more than `worth_frac`, 0..1.
        worth_frac: Smallest gain that is worth a change, as a fraction, >= 0.
    """
    if gain is None:
        return DecisionKind.UNKNOWN
    if gain.ci95_frac is None:
        return DecisionKind.NOT_YET
    low_frac, high_frac = gain.ci95_frac
    if low_frac > 0 and gain.frac >= worth_frac:
        return DecisionKind.CHANGE
    if high_frac < worth_frac and math.fsum(others.values()) <= REST_DOUBT:
        return DecisionKind.STAY
    return DecisionKind.NOT_YET


def compute_gain_chances(gains: Mapping[str, PairedGain], worth_frac: float, named: str) -> dict[str, float]:
    """Return label to the chance that a split gains more than `worth_frac`.

    Args:
        gains: Label to the gain over the original settings.
        worth_frac: Smallest gain that is worth a change, as a fraction, >= 0.
        named: Label of the split to leave out.
    """
    return {label: gain.chance_above(worth_frac) for label, gain in gains.items() if label != named}


def make_decision(
    found: SplitJudgement,
    gain: SplitGain | None,
    others: Mapping[str, float],
    objective: Objective,
    *,
    rest: RemainingBlocks,
    missing: str = "",
) -> SweepDecision:
    """Return the decision of a sweep.

    Args:
        found: The best split and its verdict.
        gain: Its gain over the original settings; None when it was not measured.
        others: Label of every other split to its chance of a gain that is worth a change, 0..1.
        objective: Purpose of the sweep and the smallest gain that is worth a change.
        rest: Further blocks of the plan (`find_remaining_blocks`).
        missing: Reason why there is no valid baseline; empty when there is one.
    """
    worth_frac = objective.least_gain_frac
    kind = classify_gain(gain, others, worth_frac)
    reason = missing if kind is DecisionKind.UNKNOWN else ""
    if kind is not DecisionKind.UNKNOWN and not found.comparable:
        kind, reason = DecisionKind.NOT_YET, found.obstacle
    if objective.purpose is SweepPurpose.DIVIDE and kind is not DecisionKind.UNKNOWN:
        known = found.verdict is not SplitVerdict.NONE
        kind = DecisionKind.CHANGE if known else DecisionKind.NOT_YET
        reason = "" if known else found.obstacle
    minutes_left = _minutes_left(gain, worth_frac, found, rest)
    return SweepDecision(
        kind=kind,
        purpose=objective.purpose,
        setting=found.setting if isinstance(found.setting, SplitSetting) else None,
        gain_frac=gain.frac if gain else None,
        gain_ci95_frac=gain.ci95_frac if gain else None,
        worth_frac=worth_frac,
        minutes_left=None if reason or kind is not DecisionKind.NOT_YET else minutes_left,
        missing=reason,
    )


def keep_without_effect(decision: SweepDecision, reason: str) -> SweepDecision:
    """Return the decision to change nothing because weights had no effect.

    Args:
        decision: The decision from the gains.
        reason: Clause that explains why the weights had no effect.
    """
    return msgspec.structs.replace(decision, kind=DecisionKind.STAY, missing=reason, minutes_left=None)


def _minutes_left(
    gain: SplitGain | None, worth_frac: float, found: SplitJudgement, rest: RemainingBlocks
) -> float | None:
    """Return the fewest minutes that would decide if every estimate stays.

    The width of an interval falls with the square root of the number of pairs.
    """
    if gain is None or not gain.pairs or not math.isfinite(gain.half_width):
        return None
    ahead, worth = math.log1p(gain.frac), math.log1p(worth_frac)
    needed = ahead if ahead >= worth else worth - ahead
    if needed <= 0:
        return None
    more = estimate_more_trials(found.against) if found.against.threats else (0, ())
    if more is None:
        return None
    best_blocks, rivals = more
    narrower = (gain.pairs + gain.lent_pairs) * max(0.0, (gain.half_width / needed) ** 2 - 1)
    blocks = max(1, math.ceil(narrower), rest.least_pairs - gain.pairs, best_blocks)
    minutes = (blocks * rest.settings + (best_blocks * len(rivals) if rest.adapts else 0)) * rest.minutes_per_setting
    return minutes if 0 < minutes <= MOST_MINUTES_LEFT else None


def find_remaining_blocks(spec: RunSpec) -> RemainingBlocks:
    """Return the settings and the duration of the further blocks of a plan."""
    minutes = len(spec.mixes) * (spec.protocol.settle_s + spec.protocol.measure_s) / 60
    if spec.adapts:
        return RemainingBlocks(minutes, settings=2, least_pairs=LEAST_BASELINE_PAIRS, adapts=True)
    return RemainingBlocks(minutes, settings=len(spec.sides))


def block_minutes(spec: RunSpec) -> float:
    """Return the minutes of one further block, > 0."""
    rest = find_remaining_blocks(spec)
    return rest.settings * rest.minutes_per_setting
