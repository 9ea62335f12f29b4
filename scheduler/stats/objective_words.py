"""Sentences about the objective, and the gain of a split in the objective."""

import math
from collections.abc import Mapping, Sequence

from scheduler.model.number_texts import format_percent
from scheduler.model.objective import LIMITED, WORST_CASE, Objective
from scheduler.model.results import MeasuredPoint, RegretRow
from scheduler.model.sentence_texts import join_names, load_title
from scheduler.model.setting import BASELINE
from scheduler.stats.gain import SplitGain, paired_gains
from scheduler.stats.paired_comparison import TrialCells
from scheduler.translation import _


def format_objective(objective: Objective, kinds: Sequence[str]) -> str:
    """Return the objective as the start of a headline.

    Empty for weights, which are shown next to the headline.

    Args:
        objective: Meaning of "best".
        kinds: Load kinds of the sweep.
    """
    if objective.weighs:
        return ""
    if objective.name == WORST_CASE:
        return _("Worst case")
    others = [load_title(kind) for kind in _other_loads(objective, kinds)]
    whose = _("each of {others}").format(others=join_names(others)) if len(others) > 1 else join_names(others)
    return _("Best for {load}, at most {limit_frac} of {whose} lost").format(
        load=load_title(objective.load), limit_frac=format_percent(objective.limit_frac), whose=whose
    )


def describe_gain_scope(objective: Objective) -> str:
    """Return the scope of a gain or a cost as part of a sentence.

    Empty for weights.
    """
    if objective.weighs:
        return ""
    return (
        _(" under the load that suffers most")
        if objective.name == WORST_CASE
        else _(" under {load}").format(load=load_title(objective.load))
    )


def describe_claim(objective: Objective, named: str, splits: int) -> str:
    """Return the claim of a recommendation as a clause.

    Args:
        objective: Meaning of "best", and the tolerance.
        named: Label of the recommended split.
        splits: Number of splits that were compared, >= 1.
    """
    tolerance = format_percent(objective.tolerance_frac)
    if objective.weighs or objective.name == WORST_CASE:
        start = named if objective.weighs else _("In the worst case {named}").format(named=named)
        return _("{start} loses at most {tolerance} against any of the {splits} splits measured").format(
            start=start, tolerance=tolerance, splits=splits
        )
    load = load_title(objective.load)
    return _("Of {splits} splits none within the limit is over {tolerance} better for {load} than {named}").format(
        splits=splits, tolerance=tolerance, load=load, named=named
    )


def list_objective_reasons(
    objective: Objective, named: str, table: Sequence[RegretRow], points: Mapping[tuple[str, str], MeasuredPoint]
) -> list[str]:
    """Return sentences on how the named split meets the objective.

    With a limit, a further sentence reports that the original settings break it.

    Args:
        objective: Meaning of "best".
        named: Label of the split.
        table: The regret table.
        points: (label, load) to point, baseline included.
    """
    row = next((row for row in table if row.label == named), None)
    if objective.weighs or row is None or len(row.loss_frac) < 2:
        return []
    if objective.name == WORST_CASE:
        kind, loss = max(row.loss_frac.items(), key=lambda pair: pair[1])
        if loss <= 0:
            return [_("{named} is the best split for every load.").format(named=named)]
        best = _("{loss} of that load's best").format(loss=format_percent(1 - loss))
        return [
            _("Under the load that suffers most, {load}, {named} still gives {best}.").format(
                load=load_title(kind), named=named, best=best
            )
        ]
    return [*_limit_reasons(objective, row, table), *_original_limit_reasons(objective, points)]


def _limit_reasons(objective: Objective, row: RegretRow, table: Sequence[RegretRow]) -> list[str]:
    kind, loss = _largest_loss(objective, row)
    other, load, limit = load_title(kind), load_title(objective.load), objective.limit_frac
    apart = (
        _(", beyond the limit of {limit}, though not certainly so").format(limit=format_percent(limit))
        if loss > limit
        else ""
    )
    lines = (
        [
            _("{label} loses {loss} of {other}{apart}.").format(
                label=row.label, loss=format_percent(loss), other=other, apart=apart
            )
        ]
        if loss > 0
        else []
    )
    rest = [one for one in table if one.label != row.label and len(one.loss_frac) == len(row.loss_frac)]
    lost = {one.label: _largest_loss(objective, one) for one in rest}
    least = min(rest, key=lambda one: lost[one.label][1], default=None)
    if loss <= 0 and least is not None and lost[least.label][1] > limit:
        others = join_names(load_title(one) for one in _other_loads(objective, list(row.loss_frac)))
        lines.append(
            _(
                "Only {label}, which is also the best split for {others}, meets the limit of "
                "{limit}; of the others {label_2} loses least, {lost}."
            ).format(
                label=row.label,
                others=others,
                limit=format_percent(limit),
                label_2=least.label,
                lost=format_percent(lost[least.label][1]),
            )
        )
    clearly = row.loss_frac[objective.load] - objective.tolerance_frac
    faster = [one for one in rest if one.loss_frac[objective.load] < clearly]
    over = (one for one in faster if lost[one.label][1] > limit)
    beyond = min(over, key=lambda one: lost[one.label][1], default=None)
    if beyond is not None:
        kind, loss = lost[beyond.label]
        lines.append(
            _("{label} is faster for {load} but loses {loss} of {load_2}.").format(
                label=beyond.label, load=load, loss=format_percent(loss), load_2=load_title(kind)
            )
        )
    return lines


def _original_limit_reasons(objective: Objective, points: Mapping[tuple[str, str], MeasuredPoint]) -> list[str]:
    return [
        _("The original settings break the limit: they lose {loss} of {load}.").format(
            loss=format_percent(loss), load=load_title(kind)
        )
        for kind, loss in find_broken_limits(objective, points).items()
    ]


def find_broken_limits(objective: Objective, points: Mapping[tuple[str, str], MeasuredPoint]) -> dict[str, float]:
    """Return load to the loss of the original settings, where it exceeds the limit.

    The loss is a fraction against the best split of that load.

    Args:
        objective: Meaning of "best"; only `limited` has a limit.
        points: (label, load) to point, baseline included.
    """
    if objective.name != LIMITED:
        return {}
    broken: dict[str, float] = {}
    for kind in dict.fromkeys(load for _unused, load in points if load != objective.load):
        rates = {label: point.mean_tps for (label, load), point in points.items() if load == kind and point.mean_tps}
        base_tps = rates.pop(BASELINE, None)
        if base_tps and rates and (loss := 1 - base_tps / max(rates.values())) > objective.limit_frac:
            broken[kind] = loss
    return broken


def estimate_objective_gain(
    objective: Objective, row: RegretRow, cells: TrialCells, weights: Mapping[str, float], choices: int = 1
) -> SplitGain | None:
    """Return the gain of a split over the original settings, in the objective.

    None without a baseline under every load that counts, and where the original settings break the limit.

    Args:
        objective: Meaning of "best".
        row: The split's row of the regret table.
        cells: All trials, the original settings included.
        weights: Load to normalised weight, 0..1.
        choices: Number of splits that may be the best, this one among them, >= 1.
    """
    if objective.weighs:
        return _estimate_gain(cells, row.label, weights, choices)
    gains = {kind: _estimate_gain(cells, row.label, {kind: 1.0}, choices) for kind in weights}
    known = {kind: gain for kind, gain in gains.items() if gain is not None and kind in row.loss_frac}
    if len(known) < len(gains):
        return None
    if objective.name == WORST_CASE:
        return _worst_case_gain(row, known)
    others = _other_loads(objective, list(known))
    kept = min((1 - row.loss_frac[kind]) / (1 + known[kind].frac) for kind in others)
    return known[objective.load] if kept >= 1 - objective.limit_frac else None


def _estimate_gain(cells: TrialCells, label: str, weights: Mapping[str, float], choices: int) -> SplitGain | None:
    found = paired_gains(cells, weights).get(label)
    return found.gain(choices) if found else None


def _worst_case_gain(row: RegretRow, gains: Mapping[str, SplitGain]) -> SplitGain:
    """Return the gain of the load that loses most against its own best split.

    The ends of the interval are computed from the ends of the loads' intervals.
    """

    def ratio(frac_of: Mapping[str, float]) -> float:
        host = min((1 - row.loss_frac[kind]) / (1 + frac) for kind, frac in frac_of.items())
        return min(1 - loss for loss in row.loss_frac.values()) / host - 1

    ends = [gain.ci95_frac for gain in gains.values() if gain.ci95_frac is not None]
    low, high = (
        ratio({kind: end[side] for kind, end in zip(gains, ends, strict=True)}) if len(ends) == len(gains) else math.nan
        for side in (0, 1)
    )
    span = None if math.isnan(low) else (low, high)
    pairs = min(gain.pairs for gain in gains.values())
    return SplitGain(frac=ratio({kind: gain.frac for kind, gain in gains.items()}), ci95_frac=span, pairs=pairs)


def _other_loads(objective: Objective, kinds: Sequence[str]) -> list[str]:
    return [kind for kind in kinds if kind != objective.load]


def _largest_loss(objective: Objective, row: RegretRow) -> tuple[str, float]:
    """Return the load with the largest loss at a split, and that loss.

    The favoured load is left out.
    """
    return max(
        ((kind, row.loss_frac[kind]) for kind in _other_loads(objective, list(row.loss_frac))), key=lambda one: one[1]
    )
