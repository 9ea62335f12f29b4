"""Trials of a capacity study: doubling numbers of users, then deciding numbers.

Each load at each split has a search of its own. The next numbers of all searches are measured together, so that started
users serve every split. A block contains all unfinished searches, and its common luck cancels.
"""

import math
import random
from collections.abc import Generator, Iterator, Sequence

from scheduler.model.documents import TrialDone
from scheduler.model.earlier_run import EarlierRun
from scheduler.model.setting import UsersSetting, users_of
from scheduler.model.spec import RunSpec
from scheduler.model.split import Settable, Split
from scheduler.model.studies import Setting
from scheduler.plans.study_plan import PlanEstimate, estimate_trials
from scheduler.plans.trials import Plan, PlannedTrial, plan_members
from scheduler.studies.capacity.declaration import DECIDED_RATIO
from scheduler.studies.capacity.knee import TrialRate, find_knee, fit_curve
from scheduler.studies.capacity.knee_search import CLOSE_RATIO, choose_next_block, is_search_over

QUICK_CLOSE = float(DECIDED_RATIO)
"""Ratio of the ends of an interval for `quick`: a knee between two doubling numbers is enough."""

_GRID_REPEATS = 3
_LEAST_ROUNDS = 4
_USUAL_FRACS = {"adaptive": 0.95, "quick": 0.55}  # of the largest number of trials; curves of `make bench-capacity`
_PLANNING_DRAWS = 800


def estimate(spec: RunSpec) -> PlanEstimate:
    """Estimate the number of trials and the duration."""
    certain, most = sum(1 for _ in listed(spec)), _most_trials(spec)
    usual = max(certain, _USUAL_FRACS.get(spec.protocol.name, 1.0) * most)
    return estimate_trials(spec, certain, most, usual)


def _most_trials(spec: RunSpec) -> int:
    return max(1, len(spec.splits)) * sum(_most_trials_per_load(spec, load.kind) for load in spec.loads)


def _most_trials_per_load(spec: RunSpec, kind: str) -> int:
    """Return the largest number of trials of one search.

    An adaptive search makes about half of the trials that measuring each number of users three times would need.
    """
    first = len(first_user_numbers(spec, kind))
    if not spec.adapts:
        return first * spec.protocol.repeats
    return max(_LEAST_ROUNDS * first, _GRID_REPEATS * spec.load_of(kind).users // 2)


def first_user_numbers(spec: RunSpec, kind: str) -> tuple[int, ...]:
    """Return the numbers of users that the plan names for a load, rising.

    The load's own largest number is included.

    Args:
        spec: The plan.
        kind: Load kind.
    """
    most = spec.load_of(kind).users
    numbers = {most, *(users_of(setting) or 0 for setting in spec.settings)}
    return tuple(sorted(number for number in numbers if 0 < number <= most))


def usable_rates(trials: Sequence[TrialDone]) -> list[TrialRate]:
    """Return the rates of the valid trials of one load at one split."""
    return [
        TrialRate(trial.block, users, math.log(trial.mean_tps))
        for trial in trials
        if trial.valid and trial.mean_tps > 0 and (users := users_of(trial.setting))
    ]


class _KneeSearch:
    """Search for the knee of one load at one split."""

    def __init__(self, spec: RunSpec, kind: str, split: Split | None) -> None:
        self.kind = kind
        self.split = split
        self._spec = spec
        self._shuffler = random.Random(f"{spec.seed} {kind} {split and split.label}")
        self._trials: list[TrialDone] = []
        self._left: set[Setting | None] = set()  # became unresponsive
        self._wanted = first_user_numbers(spec, kind)
        self._made = 0
        self._used = 0  # usable trials before this block
        self.over = False

    @property
    def wanted(self) -> tuple[UsersSetting, ...]:
        """Settings of the next block; none when the search is over."""
        if self.over:
            return ()
        block = (UsersSetting(users, self.split) for users in self._wanted)
        return tuple(setting for setting in block if setting not in self._left)

    def take(self, done: TrialDone | None) -> None:
        """Take a trial's result; None where the plan is only listed."""
        self._made += 1
        if done is None:
            return
        self._trials.append(done)
        if not done.responsive:
            self._left.add(done.setting)

    def close_block(self) -> None:
        """Choose the numbers of the next block, or end the search."""
        most = _most_trials_per_load(self._spec, self.kind)
        if not self._spec.adapts or not self._trials:
            self.over = self._made >= most
            return
        seen = usable_rates(self._trials)
        if len(seen) == self._used:  # a whole block without a usable trial
            self.over = True
            return
        self._used = len(seen)
        curve = fit_curve(seen, _PLANNING_DRAWS)
        knee = find_knee(curve)
        self._wanted = choose_next_block(curve, knee, self._shuffler)
        close = QUICK_CLOSE if self._spec.protocol.name == "quick" else CLOSE_RATIO
        self.over = is_search_over(knee, close) or self._made + len(self._wanted) > most or not self.wanted


def sweep(spec: RunSpec, settable: Settable, history: EarlierRun | None) -> Plan:
    """Measure numbers of users until each knee is known or the time is over.

    The first numbers are always measured.

    Args:
        spec: The plan.
        settable: Ignored.
        history: Ignored.
    """
    del settable, history
    return search_knees(spec)


def search_knees(spec: RunSpec) -> Plan:
    """Yield the trials: the first numbers of each search, then the deciding numbers."""
    shuffler, order = random.Random(spec.seed), [load.kind for load in spec.loads]
    splits: Sequence[Split | None] = spec.splits or (None,)
    searches = [_KneeSearch(spec, kind, split) for kind in order for split in splits]
    spent_s, block, kind_before = 0.0, 0, ""
    while any(search.wanted for search in searches) and not (block and _exceeds_time_limit(spec, searches, spent_s)):
        for kind in order:
            for search, setting in _shuffle_block([each for each in searches if each.kind == kind], shuffler):
                trial = _plan_trial(spec, setting, kind, block, switched=kind != kind_before)
                kind_before = kind
                spent_s += trial.settle_s + trial.measure_s
                search.take(*(yield trial) or (None,))
        for search in searches:
            if search.wanted:
                search.close_block()
        order.reverse()  # continue with the running load
        block += 1


def _shuffle_block(
    searches: Sequence[_KneeSearch], shuffler: random.Random
) -> Iterator[tuple[_KneeSearch, UsersSetting]]:
    """Yield a block of one load in random order.

    Both the numbers of users and the splits at each number are shuffled.
    """
    pairs = [(search, setting) for search in searches for setting in search.wanted]
    numbers = sorted({setting.users for _, setting in pairs})
    shuffler.shuffle(numbers)
    for number in numbers:
        there = [pair for pair in pairs if pair[1].users == number]
        shuffler.shuffle(there)
        yield from there


def _plan_trial(spec: RunSpec, setting: UsersSetting, kind: str, block: int, *, switched: bool) -> PlannedTrial:
    protocol = spec.protocol
    settle_s = protocol.load_settle_s if switched else protocol.settle_s
    load_settle_s = protocol.load_settle_s
    members = plan_members(spec, (kind,), setting)
    return PlannedTrial(
        setting, members, block, settle_s, protocol.measure_s, load_settle_s, without_stalls=spec.adapts
    )


def _exceeds_time_limit(spec: RunSpec, searches: Sequence[_KneeSearch], spent_s: float) -> bool:
    """Return True when the next block would end beyond the limit."""
    protocol = spec.protocol
    trials = sum(len(search.wanted) for search in searches)
    next_s = trials * (protocol.settle_s + protocol.measure_s)
    return protocol.limit_min > 0 and spent_s + next_s > protocol.limit_min * 60


def listed(spec: RunSpec) -> Generator[PlannedTrial, None, None]:
    """Yield the trials that are certain.

    These are the first numbers of each load at each split, or all trials of a grid.
    """
    plan = search_knees(spec)
    blocks = 1 if spec.adapts else spec.protocol.repeats
    for trial in plan:
        if trial.block >= blocks:
            return
        yield trial
