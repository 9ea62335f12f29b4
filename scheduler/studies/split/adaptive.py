"""Blocked racing: all splits first, then those that may still be the best, until the decision is certain.

Each block is a randomised complete block of the splits that are still in the race, the leader among them, so that
drift cancels in differences. After each block every split's chance of being better than the leader by more than
the zone decides who goes on; one that was dropped can return. It stops when those chances together are small: the
decision is what must be certain, not each mean. With `refine` a split between the measured ones that promises more
then joins as a newcomer, until that is decided, too. Where too many trials turn out to be not steady, all cuts are
doubled, once.
"""

import math
import random
from collections.abc import Sequence
from statistics import fmean

import msgspec

from scheduler.model.documents import TrialDone
from scheduler.model.earlier_run import EarlierRun
from scheduler.model.protocols import MOST_ADDED_SPLITS
from scheduler.model.setting import Setting
from scheduler.model.spec import RunSpec
from scheduler.model.split import Settable
from scheduler.plans.trials import BlockOrder, Plan, PlannedTrial, is_responsive, plan_members
from scheduler.stats.racing import RaceState, assess_race, find_further_split
from scheduler.stats.stalls import is_interrupted
from scheduler.stats.trial_quality import assess_trials

_LEAST_BLOCKS = 2
"""Blocks before anything is decided: one tells nothing of the spread."""

_MANY = 4  # sides from which on a block has one pass

_FEW_SIDES_PASSES = {1: 4, 2: 4, 3: 3}
"""Passes of a block by its sides: a change of the load takes longer than a trial."""

_CARRIED_OVER = 0.02
"""Part of a rate by which the setting before may still move it when a trial begins; far less on average over it."""


def adaptive_sweep(spec: RunSpec, settable: Settable, history: EarlierRun | None = None) -> Plan:
    """Trial all splits, then the contenders, until it is decided or the time limit would be passed.

    The original settings take part in every block and are never dropped. A limit of 0 minutes means none; the limit
    counts settling and measuring, and one trial of each split is made whatever it says. A split joins only if the host
    can be set to it.
    """
    race = _AdaptiveRace(spec, settable, history)
    while not race.over:
        yield from race.block()
        race.admit_promising_split()


class _AdaptiveRace:
    """The state of one sweep: what was measured, who is in, how much time has gone."""

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
        self._cold = False  # the next trial finds a database that was just started
        self._left: set[Setting | None] = set()  # could not be held
        self._standing: RaceState | None = None
        self._between: list[Setting] = []  # splits that the plan did not name
        self._newcomer: Setting | None = None  # the last of them, until it was measured
        self._rates: dict[tuple[Setting | None, str], list[float]] = {}  # mean_tps of the valid trials
        self._remark = ""  # for the next trial
        self._patience = 1  # times what the plan cuts; doubled once, when it turns out to be too little
        self.passes = 0

    @property
    def over(self) -> bool:
        """True when it is decided, or when the next block would not fit into the time; the first always does."""
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
        """True when the best split is known and its gain over the original settings decides."""
        decided = self._standing is not None and self._standing.is_decided and self._newcomer is None
        return decided and self._blocks >= _LEAST_BLOCKS

    def block(self) -> Plan:
        """Trial whoever is in the race, in as many passes as make it worth switching the load."""
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
        self._standing, self._newcomer = self._assess_race(), None
        if self._patience == 1 and assess_trials(self._done).has_many_unsteady:
            self._patience = 2

    def admit_promising_split(self) -> None:
        """Once it is decided, let a split that nobody measured and that promises more join, if it is to be refined."""
        if not self._spec.protocol.refine or not self._is_decided:
            return
        further = find_further_split(self._done, self._spec, self._settable, self._earlier)
        self._remark = further.text
        if further.setting is None or len(self._between) == MOST_ADDED_SPLITS:
            return
        self._newcomer = further.setting
        if self.over:  # its block would not fit into the time
            self._newcomer = None
            return
        self._between.append(self._newcomer)
        self._remark += " It is measured now."

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
                break  # else once more: the later trial counts, however it turns out

    def _settle_s(self, setting: Setting | None, mix: tuple[str, ...]) -> int:
        """Return the seconds to exclude before a trial: as long as the trial before can still be seen in it.

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
        """Return how far the means of the setting before and of this one lie apart under a load, as a fraction."""
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
        newcomers = [] if self._newcomer is None else [self._newcomer]
        between = [setting for setting in self._between if setting not in self._left]
        known = [setting for setting in (*planned, *between) if setting not in newcomers]
        return [setting for setting in known if setting.label in self._standing.active] + newcomers or planned

    def _block_settings(self, active: Sequence[Setting], at: int) -> Sequence[Setting | None]:
        """Return these settings and the original ones: once a block, in every pass while only their gain is open."""
        only_gain = self._standing is not None and self._standing.best_known and not self._standing.gain_known
        return (*active, None) if self._spec.baseline and (at == 0 or only_gain) else active

    def _count_passes(self, active: Sequence[Setting]) -> int:
        # What a start of the database has frozen is the same in all passes of a block: more would be no evidence.
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
