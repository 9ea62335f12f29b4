"""Verdict on the splits: one split, several as good as each other, or none yet."""

import math
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.number_texts import format_percent, format_trials
from scheduler.model.objective import Objective
from scheduler.model.results import MeasuredPoint, SplitVerdict
from scheduler.model.sentence_texts import join_names
from scheduler.model.studies import Setting
from scheduler.stats.leader_comparison import LeaderComparison, compare_with_leader
from scheduler.stats.paired_comparison import PairwiseComparison, TrialCells
from scheduler.stats.student import CONFIDENCE, student_cdf
from scheduler.translation import _, ngettext

EQUIVALENT_MAX_FRAC = 0.10
"""Largest possible difference, as a fraction, of splits that are recommended as equivalent."""

TOO_NOISY = 0.30
"""Deviation of a trial, of ln(throughput), above which no split is judged; chosen, not simulated or measured."""

_WEIGHTED = Objective()
_MOST_LOSS = 0.5  # a larger bound is useless
_MOST_TRIALS = 60  # more trials of a split are no practical advice


class SplitJudgement(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict and its evidence.

    Attributes:
        verdict: recommend, equivalent or none.
        named: Label to use; the best guess when the verdict is none.
        setting: The setting with that label.
        members: Labels of all splits that are as good, `named` first.
        against: Comparison of all splits with `named`.
        spread_frac: Largest loss between any member and `named` at 95 % confidence, as a fraction.
        proven: True when every member is proven to be within the tolerance.
        obstacle: Reason why there is no recommendation; empty otherwise.
        comparable: False when the trials cannot be compared at all; there is then no gain over the original settings.
    """

    verdict: SplitVerdict
    named: str
    setting: Setting
    members: tuple[str, ...]
    against: LeaderComparison
    spread_frac: float = 0.0
    proven: bool = False
    obstacle: str = ""
    comparable: bool = True


def judge_splits(
    cells: TrialCells,
    weights: Mapping[str, float],
    points: Mapping[tuple[str, str], MeasuredPoint],
    *,
    objective: Objective = _WEIGHTED,
    certify: bool = False,
) -> SplitJudgement:
    """Return the verdict on the splits of `cells`.

    Args:
        cells: The judged splits (`select_judged`), at least one.
        weights: Load to normalised weight, 0..1.
        points: (label, load) to point.
        objective: Meaning of "best", and the tolerance.
        certify: True to recommend nothing without certificates.
    """
    first = compare_with_leader(cells, weights, objective=objective)
    members = _list_equivalent(first)
    spread = max((_largest_difference(first, label) for label in members[1:]), default=0.0)
    incomparable = _noise_obstacle(first) or _comparison_obstacle(first)
    obstacle = incomparable
    if not obstacle and certify:
        obstacle = _certificate_obstacle(first)
    if not obstacle and spread > EQUIVALENT_MAX_FRAC:
        obstacle = _undecided_obstacle(first, members, spread)
    if obstacle or len(members) == 1:
        verdict = SplitVerdict.NONE if obstacle else SplitVerdict.RECOMMEND
        return SplitJudgement(
            verdict=verdict,
            named=first.leader,
            setting=cells.find_setting(first.leader),
            members=(first.leader,),
            against=first,
            obstacle=obstacle,
            comparable=not incomparable,
        )
    proven = all(_is_proven_equal(first, label) for label in members[1:])
    against = _choose_steadiest(cells, weights, points, first, members, objective) if proven else first
    return SplitJudgement(
        verdict=SplitVerdict.EQUIVALENT,
        named=against.leader,
        setting=cells.find_setting(against.leader),
        members=(against.leader, *(label for label in members if label != against.leader)),
        against=against,
        spread_frac=spread,
        proven=proven,
    )


def _list_equivalent(first: LeaderComparison) -> tuple[str, ...]:
    """Return the leader and all splits that may be as good.

    These are proven equal, a threat to the leader, or not clearly behind.
    """

    def belongs(label: str) -> bool:
        rival = first.rivals[label]
        # A split measured within the tolerance is excluded only at the Bonferroni level of all splits.
        allowed = (1 - CONFIDENCE) / 2 / (len(first.rivals) if rival.ahead <= first.tolerance else 1)
        level = rival.p_ahead > allowed and _largest_difference(first, label) <= EQUIVALENT_MAX_FRAC
        return label in first.threats or _is_proven_equal(first, label) or level

    return (first.leader, *(label for label in first.values if label != first.leader and belongs(label)))


def _is_proven_equal(first: LeaderComparison, label: str) -> bool:
    rival = first.rivals[label]
    return rival.p_worse <= 1 - CONFIDENCE and rival.p_better <= 1 - CONFIDENCE


def loss_bound(against: LeaderComparison) -> float | None:
    """Return the upper bound of the leader's loss at 95 % confidence, as a fraction.

    None beyond one half. The bound is a claim like any other, so the allowed doubt applies.
    """
    if not against.rivals:
        return None
    if against.bound is not None:
        loss = max(0.0, -math.expm1(-against.bound))
        return loss if loss <= _MOST_LOSS else None

    def doubt(loss: float) -> float:
        tolerance = -math.log1p(-loss)
        return math.fsum(
            student_cdf(rival.dof, -(rival.ahead + tolerance) / rival.scale) for rival in against.rivals.values()
        )

    low, high, most = 0.0, _MOST_LOSS, min(1 - CONFIDENCE, against.allowed_doubt)
    if doubt(low) <= most:
        return low
    if not doubt(high) <= most:
        return None
    for _unused in range(20):  # halves 0.5 to less than a millionth
        middle = (low + high) / 2
        low, high = (low, middle) if doubt(middle) <= most else (middle, high)
    return high


def estimate_more_trials(seen: LeaderComparison) -> tuple[int, tuple[str, ...]] | None:
    """Return the number of further trials that would decide, and of which splits.

    The estimate assumes that all estimates stay. None when no number would decide. Only the splits in doubt, and the
    leader with each of them, need more trials.
    """
    labels = seen.threats or seen.possible
    if not labels:
        return None
    for count in range(1, _MOST_TRIALS):
        rivals = {
            label: _project_comparison(rival, count if label in labels else 0) for label, rival in seen.rivals.items()
        }
        then = msgspec.structs.replace(seen, rivals=rivals, dof=seen.dof + count * len(labels))
        if then.doubt <= then.allowed_doubt:
            return count, labels
    return None


def _project_comparison(rival: PairwiseComparison, count: int) -> PairwiseComparison:
    """Return the comparison after `count` more pairs, if all estimates stay."""
    if not count:
        return rival
    scale, dof = rival.scale * math.sqrt(max(rival.pairs, 1) / (rival.pairs + count)), rival.dof + count
    p_better = student_cdf(dof, -(rival.ahead + rival.tolerance) / scale)
    return msgspec.structs.replace(rival, scale=scale, dof=dof, p_better=p_better)


def _largest_difference(seen: LeaderComparison, label: str) -> float:
    rival = seen.rivals[label]
    low, _ = rival.interval_frac
    return max(rival.loss_bound_frac, -low / (1 - low) if math.isfinite(low) else math.inf)


def _noise_obstacle(seen: LeaderComparison) -> str:
    if seen.sd <= TOO_NOISY:
        return ""
    return _("trials of the same split differ by {sd} (standard deviation), too much for a decision").format(
        sd=format_percent(seen.sd)
    )


def _comparison_obstacle(seen: LeaderComparison) -> str:
    if not seen.rivals:
        return _("only {leader} was measured under every load, so no comparison is possible").format(leader=seen.leader)
    if seen.passes == 1:
        return _("each split was measured in one trial, which does not show how much trials of the same split differ")
    return ""


def _certificate_obstacle(seen: LeaderComparison) -> str:
    if not seen.uncertified_splits:
        return ""
    return ngettext(
        "{splits} is not certified to be no better than {leader} by more than {tolerance}",
        "{splits} are not certified to be no better than {leader} by more than {tolerance}",
        len(seen.uncertified_splits),
    ).format(
        splits=join_names(seen.uncertified_splits),
        leader=seen.leader,
        tolerance=format_percent(seen.tolerance_frac),
    )


def describe_trial_counts(seen: LeaderComparison, labels: Sequence[str]) -> str:
    """Return the number of trials of each split: `4 trials each`, `74 and 4 trials`.

    Args:
        seen: The comparison of the splits.
        labels: Labels of the splits, at least one.
    """
    counts = [seen.trials[label] for label in labels]
    if len(set(counts)) > 1:
        return _("{counts} trials").format(counts=join_names(map(str, counts)))
    trials = format_trials(counts[0])
    return _("{trials} each").format(trials=trials) if len(counts) > 1 else trials


def _undecided_obstacle(seen: LeaderComparison, members: Sequence[str], spread: float) -> str:
    return _("{members} show no clear difference after {trial_counts}; they may differ by up to {spread}").format(
        members=join_names(members),
        trial_counts=describe_trial_counts(seen, members),
        spread=format_percent(min(spread, 1.0)),
    )


def _choose_steadiest(
    cells: TrialCells,
    weights: Mapping[str, float],
    points: Mapping[tuple[str, str], MeasuredPoint],
    first: LeaderComparison,
    members: Sequence[str],
    objective: Objective,
) -> LeaderComparison:
    """Return the comparison with the steadiest of the splits that are proven equal.

    Among equally steady splits the more central one wins. A split with a threat is never chosen.
    """

    def unrest(label: str) -> tuple[float, float]:
        cvs = [(points[label, kind].cv or 0.0) for kind, weight in weights.items() if weight > 0]
        return round(math.fsum(cvs), 6), abs(cells.positions[cells.labels.index(label)])

    for label in sorted(members, key=unrest):
        seen = first if label == first.leader else compare_with_leader(cells, weights, label, objective)
        if not seen.threats:
            return seen
    return first
