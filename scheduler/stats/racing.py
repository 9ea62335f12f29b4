"""State of a race: the splits that may still be the best, and its end.

Rules and constants after shared simulations of such sweeps, repeated by `make bench-decide`. A stop at a doubt of 0.014
keeps 95 % also where the gap is just above the tolerance, since the leader is chosen for its lead. `quick` stops at
0.02, which keeps 95 % on average only. `strict` stops when every other split is certified not to be better.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.decision import DecisionKind, SweepPurpose
from scheduler.model.documents import TrialDone
from scheduler.model.earlier_run import EarlierRun
from scheduler.model.setting import label_of
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import Settable
from scheduler.stats.control_variates import build_adjusted_cells
from scheduler.stats.decision_rules import (
    LEAST_BASELINE_PAIRS,
    LEAST_IDLE_PASSES,
    REST_DOUBT,
    classify_gain,
    compute_gain_chances,
)
from scheduler.stats.gain import paired_gains
from scheduler.stats.history_check import carry_history
from scheduler.stats.interpolation import SplitProspect, find_prospect
from scheduler.stats.leader_comparison import LeaderComparison, compare_with_leader, select_judged
from scheduler.stats.objective_words import estimate_objective_gain
from scheduler.stats.paired_comparison import TrialCells
from scheduler.stats.points import build_points
from scheduler.stats.regret import build_regret_table
from scheduler.stats.weight_effect import loads_without_effect

STOP_DOUBT = {"adaptive": 0.014, "quick": 0.02}
"""Largest doubt at which a race is decided: the sum of the others' chances of being better beyond the tolerance."""

NOISY_SD = 0.12
"""Deviation of a trial above which only half that doubt is allowed: the estimate then rests on the tails."""

ADJUSTED_FRAC = 0.4
"""Fraction of that doubt that is allowed where trials were adjusted for CPU time that others took. The measured CPU
time may be biased at some splits, which no number of trials shows. Calibrated by `make bench-variates`."""

_DROP_FRAC = 0.25  # a split stays while its chance is above this fraction of the doubt, divided by all others
_LEAST_PAIRS = 5  # least pairs with the leader before a split with a chance that is not negligible is dropped
_NEGLIGIBLE = 0.1
_MOST_FAILURES = 2  # trials that all failed: such a split is not measured again


class RaceState(msgspec.Struct, frozen=True):
    """The race after a block.

    Attributes:
        leader: Label of the best so far; empty when no split can be compared.
        active: Labels to measure further, the leader among them.
        best_known: True when the leader is the best to the protocol's tolerance.
        gain_known: True when the gain over the original settings decides, or need not.
        doubt: Sum of the others' chances of being better, 0..1.
    """

    leader: str
    active: tuple[str, ...]
    best_known: bool
    doubt: float
    gain_known: bool = False

    @property
    def is_decided(self) -> bool:
        """True when nothing more needs to be measured."""
        return self.best_known and self.gain_known


def assess_race(trials: Sequence[TrialDone], spec: RunSpec, history: EarlierRun | None = None) -> RaceState:
    """Return the state of the race after these trials.

    Loads without weight are measured but do not decide.

    Args:
        trials: All trials so far.
        spec: The sweep.
        history: The earlier run that the sweep begins with; None for none.
    """
    planned = [setting.label for setting in spec.settings]
    labels = list(dict.fromkeys([*planned, *(label_of(trial.setting) for trial in trials if trial.setting)]))
    all_cells, weights = _build_cells(trials, spec, history)
    cells = select_judged(all_cells, weights)
    if not cells.labels:
        return RaceState("", tuple(labels), best_known=False, doubt=1.0)
    found = compare_with_leader(cells, weights, objective=spec.objective)
    if found.passes >= LEAST_IDLE_PASSES and _without_effect(trials, spec, weights):
        return RaceState(found.leader, tuple(labels), best_known=True, doubt=found.doubt, gain_known=True)
    open_labels = [label for label in labels if label not in cells.labels and _may_work(label, trials)]
    if spec.needs_certificates:
        race = _certified_state(found, labels, open_labels)
    else:
        race = _doubt_state(found, labels, open_labels, STOP_DOUBT[spec.protocol.name])
    return _add_gain_state(race, found, all_cells, weights, spec)


def _without_effect(trials: Sequence[TrialDone], spec: RunSpec, weights: Mapping[str, float]) -> bool:
    """Return True when weights decided little under every load that counts.

    Further trials would then show only noise.
    """
    if spec.mode is not Mode.WEIGHTS:
        return False
    idle = loads_without_effect(build_points(trials, mode=spec.mode), spec.mode, cpus=1)
    return all(kind in idle for kind, weight in weights.items() if weight > 0)


def _add_gain_state(
    race: RaceState, found: LeaderComparison, cells: TrialCells, weights: Mapping[str, float], spec: RunSpec
) -> RaceState:
    """Add whether the gain over the original settings decides.

    While the gain does not decide, its splits stay in the race.
    """
    if not spec.baseline or spec.objective.purpose is SweepPurpose.DIVIDE:
        return msgspec.structs.replace(race, gain_known=True)
    worth_frac = spec.objective.least_gain_frac
    row = next(row for row in build_regret_table(select_judged(cells, weights), found) if row.label == found.leader)
    choices = 1 if race.best_known else 1 + len(found.possible)
    gain = estimate_objective_gain(spec.objective, row, cells, weights, choices)
    gains = paired_gains(cells, weights) if spec.objective.weighs else {}
    others = compute_gain_chances(
        {label: gains[label] for label in found.values if label in gains}, worth_frac, found.leader
    )
    kind = classify_gain(gain, others, worth_frac)
    enough = gain is None or gain.pairs >= LEAST_BASELINE_PAIRS
    if kind is DecisionKind.STAY and enough and spec.mode is Mode.WEIGHTS:
        return msgspec.structs.replace(race, best_known=True, gain_known=True)  # with weights no split has to be named
    if race.best_known and not enough:
        return msgspec.structs.replace(race, active=(race.leader,))
    if kind is not DecisionKind.NOT_YET and enough:
        return msgspec.structs.replace(race, gain_known=True)
    if not race.best_known:
        return race
    share = REST_DOUBT / max(1, len(others))
    hopeful = {label for label, chance in others.items() if chance > share}
    if gain is not None and gain.frac >= worth_frac:
        hopeful = set[str]()  # the leader is worth the change, whether or not others gain more
    active = tuple(label for label in race.active if label == found.leader or label in hopeful)
    more = tuple(label for label in others if label in hopeful and label not in active)
    return msgspec.structs.replace(race, active=(*active, *more))


def find_further_split(
    trials: Sequence[TrialDone], spec: RunSpec, settable: Settable, history: EarlierRun | None = None
) -> SplitProspect:
    """Return the interpolated split to measure next.

    Args:
        trials: All trials so far, at least one of them usable.
        spec: The sweep.
        settable: Returns True when the host can be set to a split.
        history: The earlier run that the sweep begins with; None for none.
    """
    all_cells, weights = _build_cells(trials, spec, history)
    cells = select_judged(all_cells, weights)
    return find_prospect(cells, compare_with_leader(cells, weights, objective=spec.objective), settable)


def _build_cells(
    trials: Sequence[TrialDone], spec: RunSpec, history: EarlierRun | None
) -> tuple[TrialCells, dict[str, float]]:
    """Return all trials, the original settings included, and the normalised weights."""
    cells, _ = carry_history(history, build_adjusted_cells(trials, spec))
    return cells, {load.name: spec.weight_of(load.name) for load in spec.loads}


def _certified_state(found: LeaderComparison, labels: Sequence[str], unmeasured: Sequence[str]) -> RaceState:
    left = {*found.uncertified_splits, *unmeasured}
    active = tuple(label for label in labels if label == found.leader or label in left)
    return RaceState(found.leader, active, best_known=not left, doubt=found.doubt)


def _doubt_state(
    found: LeaderComparison, labels: Sequence[str], unmeasured: Sequence[str], allowed: float
) -> RaceState:
    stop = (allowed / 2 if found.sd > NOISY_SD else allowed) * (ADJUSTED_FRAC if found.adjusted else 1)
    stop = min(stop, found.allowed_doubt)  # otherwise the race could end without a claim
    threshold = _DROP_FRAC * allowed / max(1, len(labels) - 1)
    thin = {
        label
        for label, rival in found.rivals.items()
        if rival.pairs + rival.lent_pairs < _LEAST_PAIRS and rival.p_better > threshold * _NEGLIGIBLE
    }
    active = {found.leader, *thin, *unmeasured}
    active |= {label for label, rival in found.rivals.items() if rival.p_better > threshold}
    active |= {*found.yardsticks}  # all other splits are compared with these
    if len(active) == 1 and found.rivals:
        active.add(max(found.rivals, key=lambda label: found.rivals[label].p_better))
    decided = found.doubt <= stop and not thin and not unmeasured
    return RaceState(found.leader, tuple(label for label in labels if label in active), decided, found.doubt)


def _may_work(label: str, trials: Sequence[TrialDone]) -> bool:
    """Return False for a split that became unresponsive or failed too often.

    Failed too often: every trial under some load failed, at least `_MOST_FAILURES` trials.
    """
    if any(trial.setting is not None and trial.setting.label == label and not trial.responsive for trial in trials):
        return False
    mine = [trial for trial in trials if trial.setting is not None and trial.setting.label == label]
    failed = Counter(trial.load for trial in mine if not trial.valid)
    worked = {trial.load for trial in mine if trial.valid}
    return not any(count >= _MOST_FAILURES and load not in worked for load, count in failed.items())
