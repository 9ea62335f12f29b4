"""Blocked racing: all splits first, then those that may still be the best.

Each block is a randomised complete block of the splits that are still in the race. The leader is always among them, so
that drift cancels in differences. After each block every split's chance of being better than the leader by more than
the tolerance decides if it stays. A dropped split can return. The race stops when the sum of those chances is small:
the decision must be certain, not each mean.

A study may name the neighbours of a split: those of the leader then join after each block, until all were measured.

With `refine` the race then adds a split between the measured ones that has a larger predicted gain. The race continues
until this split is decided. Where too many trials are not steady, all warm-up times are doubled, once.
"""

import math
import random
from collections.abc import Callable, Sequence
from statistics import fmean

import msgspec

from scheduler.model.documents import TrialDone
from scheduler.model.earlier_run import EarlierRun
from scheduler.model.protocols import MOST_ADDED_SPLITS
from scheduler.model.sentence_texts import join_names
from scheduler.model.setting import split_of
from scheduler.model.spec import RunSpec
from scheduler.model.split import Settable
from scheduler.model.studies import Setting
from scheduler.plans.trials import BlockOrder, Plan, PlannedTrial, is_responsive, plan_members
from scheduler.stats.racing import RaceState, assess_race, find_further_split
from scheduler.stats.stalls import is_interrupted
from scheduler.stats.trial_quality import assess_trials
from scheduler.translation import _

_LEAST_BLOCKS = 2
"""Least number of blocks before a decision: one block does not show the spread."""

_MANY = 4  # least number of settings at which a block has one pass

_FEW_SIDES_PASSES = {1: 4, 2: 4, 3: 3}
"""Passes of a block by its number of settings: a change of the load takes longer than a trial."""

_CARRIED_OVER = 0.02
"""Fraction of a rate by which the setting before may still shift it at the start of a trial. The average over the
trial is much smaller."""

ListsNeighbours = Callable[[Setting], Sequence[Setting]]
"""Returns the settings next to a setting on the study's axis."""
_MOST_NEIGHBOURS = 12
"""Largest number of neighbours that join one race: six steps of the leader. Chosen."""


def adaptive_sweep(
    spec: RunSpec,
    settable: Settable,
    history: EarlierRun | None = None,
    list_neighbours: ListsNeighbours | None = None,
) -> Plan:
    """Measure all splits, then the contenders, until the race is decided.

    The race also ends when the next block would exceed the time limit. The original settings take part in every block
    and are never dropped. A limit of 0 minutes means no limit. The limit counts settling and measuring. It never
    prevents the first block, so each split has at least one trial. A split joins only if the host can be set to it.

    Args:
        spec: The sweep.
        settable: Returns True when the host can be set to a split.
        history: The earlier run that the race begins with; None for none.
        list_neighbours: Returns the neighbours of the leader that join the race; None where none do.
    """
    race = _AdaptiveRace(spec, settable, history)
    while not race.over:
        yield from race.block()
        if list_neighbours is not None:
            race.admit_neighbours(list_neighbours)
        race.admit_promising_split()


class _AdaptiveRace:
    """State of one race: its trials, its active splits and the time used."""

    def __init__(self, spec: RunSpec, settable: Settable, history: EarlierRun | None) -> None:
        self._spec = spec
        self._earlier = history
        self._settable = settable
        self._mixes = list(spec.mixes)
        shuffler = random.Random(spec.seed)
        self._orders = {mix: BlockOrder(shuffler) for mix in self._mixes}
        self._done: list[TrialDone] = []
        self._last: Setting | None = None
        self._mix: tuple[str, ...] = ()
        self._spent_s = 0
        self._blocks = 0
        self._cold = False  # the database restarts before the next trial
        self._left: set[Setting | None] = set()  # became unresponsive
        self._standing: RaceState | None = None
        self._between: list[Setting] = []  # splits that the plan did not name
        self._newcomers: list[Setting] = []  # the last added splits, until they were measured
        self._rates: dict[tuple[Setting | None, str], list[float]] = {}  # mean_tps of the valid trials
        self._remark = ""  # for the next trial
        self._patience = 1  # factor on the plan's warm-up times; doubled once, when they are too short
        self.passes = 0

    @property
    def over(self) -> bool:
        """True when the race is decided, or when the next block exceeds a limit.

        The first block always fits.
        """
        if self._standing is None:
            return False
        return (
            not self._active_settings()
            or self._is_decided
            or self._is_too_late()
            or self.passes >= self._spec.protocol.repeats
        )

    @property
    def _is_decided(self) -> bool:
        """True when the best split is known and its gain over the baseline decides."""
        decided = self._standing is not None and self._standing.is_decided and not self._newcomers
        return decided and self._blocks >= _LEAST_BLOCKS

    def block(self) -> Plan:
        """Yield the trials of a block: the active splits, in one or more passes.

        A change of the load takes long, so a block of few settings has several passes. Each pass has a block number of
        its own in the documents.
        """
        active = self._active_settings()
        count = self._count_passes(active)
        self._cold = self._has_restarts and self._blocks > 0
        for mix in self._mixes:
            for at in range(count):
                for setting in self._orders[mix].next_block(self._block_settings(active, at)):
                    if setting not in self._left:
                        yield from self._yield_trials(setting, mix, self.passes + at)
        self._mixes.reverse()
        self.passes += count
        self._blocks += 1
        self._standing, self._newcomers = self._assess_race(), []
        if self._patience == 1 and assess_trials(self._done).has_many_unsteady:
            self._patience = 2

    def admit_neighbours(self, list_neighbours: ListsNeighbours) -> None:
        """Add the unmeasured neighbours of the leader, if the time limit allows it."""
        known = [*self._spec.settings, *self._between]
        leader = next((each for each in known if self._standing and each.label == self._standing.leader), None)
        room = _MOST_NEIGHBOURS - len(self._between)
        near = [] if leader is None else [each for each in list_neighbours(leader) if each not in known][:room]
        self._newcomers = [each for each in near if (split := split_of(each)) is None or self._settable(split)]
        if not self._newcomers:
            return
        if self._is_too_late() or self.passes >= self._spec.protocol.repeats:
            self._newcomers = []
            return
        self._between += self._newcomers
        self._remark = _("Next to the best so far: {label}.").format(
            label=join_names([each.label for each in self._newcomers])
        )

    def admit_promising_split(self) -> None:
        """Add an unmeasured split with a larger predicted gain to a decided race.

        Only a plan with `refine` does so.
        """
        if not self._spec.protocol.refine or not self._is_decided:
            return
        further = find_further_split(self._done, self._spec, self._settable, self._earlier)
        self._remark = further.text
        if further.setting is None or len(self._between) == MOST_ADDED_SPLITS:
            return
        self._newcomers = [further.setting]
        if self.over:  # its block would exceed the time limit
            self._newcomers = []
            return
        self._between.append(further.setting)
        self._remark += _(" It is measured now.")

    def _yield_trials(self, setting: Setting | None, mix: tuple[str, ...], block: int) -> Plan:
        protocol, restart = self._spec.protocol, self._cold
        settle_s = self._settle_s(setting, mix)
        settle_s = self._patience * (protocol.restart_settle_s if restart else settle_s)
        remark = self._remark
        self._last, self._mix, self._cold, self._remark = setting, mix, False, ""
        trial = PlannedTrial(
            setting,
            plan_members(self._spec, mix, setting),
            block,
            settle_s,
            protocol.measure_s,
            protocol.load_settle_s,
            without_stalls=True,
            restart=restart,
            remark=remark,
        )
        for again in (trial, msgspec.structs.replace(trial, settle_s=0, restart=False, remark="")):
            self._spent_s += again.settle_s + protocol.measure_s
            dones = yield again
            self._done.extend(dones)
            for done in dones:
                if done.valid and done.mean_tps > 0:
                    self._rates.setdefault((setting, done.load), []).append(done.mean_tps)
            if not is_responsive(dones):
                self._left.add(setting)
            if not any(done.valid and is_interrupted(done.rates_tps) for done in dones):
                break  # an interrupted trial is repeated once, and the later trial counts

    def _settle_s(self, setting: Setting | None, mix: tuple[str, ...]) -> int:
        """Return the seconds to exclude before a trial.

        Throughput moves from the rate of the setting before to its own like exp(-3 t / settle_s). The excluded seconds
        therefore grow with the logarithm of the difference, until `_CARRIED_OVER` of the rate is left of it.
        """
        protocol = self._spec.protocol
        if not self._mix:
            return protocol.warm_up_s
        if mix != self._mix:
            return protocol.load_settle_s
        if not self._blocks:
            return protocol.settle_s
        far = max((self._rate_difference(setting, load) for load in mix), default=math.inf)
        if not math.isfinite(far):
            return protocol.settle_s
        needed_s = protocol.settle_s / 3 * math.log(max(far / _CARRIED_OVER, 1.0))
        return max(min(1, protocol.settle_s), min(protocol.settle_s, math.ceil(needed_s)))

    def _rate_difference(self, setting: Setting | None, load: str) -> float:
        """Return the relative difference of the mean rates of the last and this setting."""
        before, now = (self._rates.get((one, load)) for one in (self._last, setting))
        if not before or not now:
            return math.inf
        return abs(fmean(before) / fmean(now) - 1)

    def _assess_race(self) -> RaceState:
        return assess_race(self._done, self._spec, self._earlier)

    @property
    def _has_restarts(self) -> bool:
        return self._spec.protocol.restart_settle_s > 0

    def _active_settings(self) -> list[Setting]:
        planned = [setting for setting in self._spec.settings if setting not in self._left]
        if self._standing is None:
            return planned
        newcomers = self._newcomers
        between = [setting for setting in self._between if setting not in self._left]
        known = [setting for setting in (*planned, *between) if setting not in newcomers]
        return [setting for setting in known if setting.label in self._standing.active] + newcomers or planned

    def _block_settings(self, active: Sequence[Setting], at: int) -> Sequence[Setting | None]:
        """Return the active settings and, once per block, the original settings.

        The original settings are in every pass while only the gain over them is undecided.
        """
        only_gain = self._standing is not None and self._standing.best_known and not self._standing.gain_known
        return (*active, None) if self._spec.baseline and (at == 0 or only_gain) else active

    def _count_passes(self, active: Sequence[Setting]) -> int:
        # A start of the database has the same effect on all passes of a block: more passes would be no evidence.
        sides = len(self._block_settings(active, at=1))
        wanted = 1 if self._has_restarts or sides >= _MANY else _FEW_SIDES_PASSES[sides]
        return max(1, min(wanted, self._spec.protocol.repeats - self.passes))

    def _is_too_late(self) -> bool:
        """Return True when the next block would end beyond the limit."""
        protocol, loads = self._spec.protocol, len(self._mixes)
        active = self._active_settings()
        trials = loads * sum(len(self._block_settings(active, at)) for at in range(self._count_passes(active)))
        changes = 2 * (loads - 1)
        settled_s = trials * protocol.settle_s + changes * (protocol.load_settle_s - protocol.settle_s)
        settled_s += max(0, protocol.restart_settle_s - protocol.settle_s)
        next_s = self._patience * settled_s + trials * protocol.measure_s
        return protocol.limit_min > 0 and self._spent_s + next_s > protocol.limit_min * 60
