"""Finding of a capacity study from its trials."""

import random
from collections.abc import Sequence

import msgspec

from scheduler.model.documents import TrialDone
from scheduler.model.host_properties import HostProperties
from scheduler.model.load_kinds import rate_unit
from scheduler.model.number_texts import format_users
from scheduler.model.results import MeasuredPoint
from scheduler.model.setting import UsersSetting, split_of
from scheduler.model.spec import RunSpec
from scheduler.model.split import Split
from scheduler.stats.study_answer import FindingAnswers
from scheduler.studies.capacity import capacity_texts
from scheduler.studies.capacity.declaration import CapacityFinding, CapacityMargin, CapacityStudy, KneeEstimate
from scheduler.studies.capacity.knee import CapacityCurve, KneeInterval, find_knee, fit_curve
from scheduler.studies.capacity.knee_search import choose_next_block
from scheduler.studies.capacity.plan import usable_rates
from scheduler.translation import _

_LEAST_NUMBERS = 2
_CONTRACT_FRAC = 0.5

_LIMITS = (
    _(
        "N95 is the smallest number of users at which the mean throughput reaches 95 % of the highest one "
        "within the range "
        "that was tried; between two numbers that were measured the curve is unknown, so that an interval is named."
    ),
    _(
        "The interval assumes that, up to a peak, each further user adds at most as much as the users before. "
        "Where a peak "
        "may lie between two measured numbers, the interval begins below them."
    ),
    _(
        "Users are closed-loop: each begins its next operation as soon as the last one has ended. People who think "
        "between two operations are many more for the same load."
    ),
)


def finding_of(
    trials: Sequence[TrialDone], points: Sequence[MeasuredPoint], spec: RunSpec, facts: HostProperties | None = None
) -> CapacityFinding:
    """Return the finding so far; deterministic.

    Args:
        trials: All trials, invalid ones included.
        points: Their points.
        spec: The plan.
        facts: Ignored.
    """
    del facts
    splits: Sequence[Split | None] = spec.splits or (None,)
    pairs = [(load.kind, split) for load in spec.loads for split in splits]
    knees = [knee for kind, split in pairs if (knee := _knee_of_load(trials, points, spec, kind, split))]
    demand = spec.study_as(CapacityStudy).demand_users
    said = [line for knee in knees for line in capacity_texts.knee_sentences(knee, demand)]
    return CapacityFinding(
        headline=capacity_texts.capacity_headline(knees),
        knees=tuple(knees),
        demand_users=demand,
        reasons=(*capacity_texts.compare_splits(knees), *said),
        advice=tuple(capacity_texts.capacity_advice(knee, demand) for knee in knees) if demand else (),
        limits=_LIMITS if knees else (),
    )


def _knee_of_load(
    trials: Sequence[TrialDone], points: Sequence[MeasuredPoint], spec: RunSpec, kind: str, split: Split | None
) -> KneeEstimate | None:
    """Return one load's knee at one split; None with too few numbers of users."""
    seen = usable_rates([trial for trial in trials if trial.load == kind and split_of(trial.setting) == split])
    if len({each.users for each in seen}) < _LEAST_NUMBERS:
        return None
    curve = fit_curve(seen)
    knee = find_knee(curve)
    best = curve.users[max(range(len(curve.users)), key=lambda place: curve.ln_rates[place])]
    at = {point.label: point for point in points if point.load == kind}
    found = KneeEstimate(
        load=kind,
        unit=rate_unit([kind], spec.units),
        split=split.label if split else "",
        above=knee.above,
        most=knee.most,
        open=knee.is_open,
        tried=curve.users[-1],
        highest_tps=knee.highest[0],
        highest_ci95_tps=knee.highest[1:],
        best_users=best,
        crossing_users=knee.crossing,
        falls_frac=knee.falls_frac,
        trials=len(seen),
        below_text=_bottleneck_text(at, knee.above, split),
        beyond_text=_bottleneck_text(at, _saturated_users(curve, knee, best), split),
    )
    next_users = (
        () if found.open or found.is_decided else tuple(sorted(choose_next_block(curve, knee, random.Random(0))))
    )
    room = _room_for_demand(found, spec.study_as(CapacityStudy).demand_users)
    return msgspec.structs.replace(found, room=room, next_users=next_users)


def _saturated_users(curve: CapacityCurve, knee: KneeInterval, best: int) -> int:
    """Return the number of users that certainly saturates the host; 0 for none.

    This is the best number where throughput falls beyond it, else the largest measured number.
    """
    if knee.is_open:
        return 0
    return best if knee.falls_frac else curve.users[-1]


def _bottleneck_text(at: dict[str, MeasuredPoint], users: int, split: Split | None) -> str:
    point = at.get(UsersSetting(users, split).label) if users else None
    if point is None or not point.bottleneck_text:
        return ""
    text = point.bottleneck_text
    return _("with {users}: {text}").format(users=format_users(users), text=text[:1].lower() + text[1:])


def _room_for_demand(knee: KneeEstimate, demand: int) -> CapacityMargin:
    if not demand:
        return CapacityMargin.UNKNOWN
    if demand <= knee.above:
        return CapacityMargin.CONTRACT if demand < _CONTRACT_FRAC * knee.above else CapacityMargin.ROOM
    if not knee.open and demand > knee.most:
        return CapacityMargin.EXPAND
    return CapacityMargin.AT_THE_KNEE if knee.is_decided else CapacityMargin.UNKNOWN


ANSWERS = FindingAnswers(finding_of)
