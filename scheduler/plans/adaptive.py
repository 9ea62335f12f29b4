"""Blocked racing: all splits first, then those that may still be the best, until the decision is certain.

Each block is a randomised complete block of the splits that are still in the race, the leader among them, so that
drift cancels in differences. After each block every split's chance of being better than the leader by more than
the zone decides who goes on; one that was dropped can return. It stops when those chances together are small: the
decision is what must be certain, not each mean. With `refine` a split between the measured ones that promises more
then joins as a newcomer, until that is decided, too. Where too many visits turn out to be not steady, all cuts are
doubled, once.
"""

import random
from collections.abc import Sequence

import msgspec

from scheduler.model.documents import VisitDone
from scheduler.model.protocols import MOST_BETWEEN
from scheduler.model.setting import Setting, split_setting
from scheduler.model.spec import RunSpec
from scheduler.model.split import Settable
from scheduler.plans.visits import Plan, Visit, held, shuffled
from scheduler.stats.racing import Race, further_splits, standing_of
from scheduler.stats.stalls import disturbed
from scheduler.stats.troubles import troubles_of

_LEAST_BLOCKS = 2
"""Blocks before anything is decided: one tells nothing of the spread."""

_MANY = 4  # splits from which on a block has one pass


def adaptive_sweep(spec: RunSpec, settable: Settable) -> Plan:
    """Visit all splits, then the contenders, until it is decided or the time limit would be passed.

    Baselines come first and last. A limit of 0 minutes means none; the limit counts settling and measuring, and one
    visit to each split is made whatever it says. What joins is what the host can be set to.
    """
    race = _Race(spec, settable)
    yield from race.baselines(-1)
    while not race.over:
        yield from race.block()
        race.look_between()
    yield from race.baselines(race.passes)


class _Race:
    """The state of one sweep: what was measured, who is in, how much time has gone."""

    def __init__(self, spec: RunSpec, settable: Settable) -> None:
        self._spec = spec
        self._settable = settable
        self._mixes = list(spec.mixes)
        self._shuffler = random.Random(spec.seed)
        self._done: list[VisitDone] = []
        self._last: Setting | None = None
        self._mix: tuple[str, ...] = ()
        self._spent_s = 0
        self._blocks = 0
        self._cold = False  # the next visit finds a database that was just started
        self._left: set[Setting | None] = set()  # could not be held
        self._standing: Race | None = None
        self._between: list[Setting] = []  # splits that the plan did not name
        self._newcomer: Setting | None = None  # the last of them, until it was measured
        self._remark = ""  # for the next visit
        self._patience = 1  # times what the plan cuts; doubled once, when it turns out to be too little
        self.passes = 0

    @property
    def over(self) -> bool:
        """True when it is decided, or when the next block would not fit into the time; the first always does."""
        if self._standing is None:
            return False
        return not self._active() or self._decided or self._too_late() or self.passes >= self._spec.protocol.repeats

    @property
    def _decided(self) -> bool:
        decided = self._standing is not None and self._standing.decided and self._newcomer is None
        return decided and self._blocks >= _LEAST_BLOCKS

    def baselines(self, block: int) -> Plan:
        """Visit the host as found under each mix of loads."""
        for mix in self._mixes:
            yield from self._visit(None, mix, block)
        self._mixes.reverse()  # go on with the load that is running

    def block(self) -> Plan:
        """Visit whoever is in the race, in as many passes as make it worth switching the load."""
        active = self._active()
        count = self._passes_of(active)
        self._cold = self._restarts and self._blocks > 0
        for mix in self._mixes:
            for at in range(count):
                for setting in shuffled(active, self._shuffler, self._last):
                    if setting not in self._left:
                        yield from self._visit(setting, mix, self.passes + at)
        self._mixes.reverse()
        self.passes += count
        self._blocks += 1
        self._standing, self._newcomer = self._judge(), None
        if self._patience == 1 and troubles_of(self._done).unsettled:
            self._patience = 2

    def look_between(self) -> None:
        """Once it is decided, let a split that nobody measured and that promises more join, if it is to be refined."""
        if not self._spec.protocol.refine or not self._decided:
            return
        further = further_splits(self._done, self._spec, self._settable)
        self._remark = further.text
        if not further.split or len(self._between) == MOST_BETWEEN:
            return
        self._newcomer = split_setting(further.split)
        if self.over:  # its block would not fit into the time
            self._newcomer = None
            return
        self._between.append(self._newcomer)
        self._remark += " It is measured now."

    def _visit(self, setting: Setting | None, mix: tuple[str, ...], block: int) -> Plan:
        protocol, restart = self._spec.protocol, self._cold
        settle_s = protocol.settle_s if mix == self._mix else protocol.load_settle_s
        settle_s = self._patience * (protocol.restart_settle_s if restart else settle_s)
        remark = self._remark
        self._last, self._mix, self._cold, self._remark = setting, mix, False, ""
        visit = Visit(
            setting,
            mix,
            block,
            settle_s,
            protocol.measure_s,
            protocol.load_settle_s,
            without_stalls=True,
            restart=restart,
            remark=remark,
        )
        for again in (visit, msgspec.structs.replace(visit, settle_s=0, restart=False, remark="")):
            self._spent_s += again.settle_s + protocol.measure_s
            dones = yield again
            troubled = any(disturbed(done, self._done) for done in dones)
            self._done.extend(dones)
            if not held(dones):
                self._left.add(setting)
            if not troubled:
                break  # else once more as it stands: the later one counts

    def _judge(self) -> Race:
        return standing_of(self._done, self._spec)

    @property
    def _restarts(self) -> bool:
        return self._spec.protocol.restart_settle_s > 0

    def _active(self) -> list[Setting]:
        planned = [setting for setting in self._spec.settings if setting not in self._left]
        if self._standing is None:
            return planned
        newcomers = [] if self._newcomer is None else [self._newcomer]
        between = [setting for setting in self._between if setting not in self._left]
        known = [setting for setting in (*planned, *between) if setting not in newcomers]
        return [setting for setting in known if setting.label in self._standing.active] + newcomers or planned

    def _passes_of(self, active: Sequence[Setting]) -> int:
        # What a start of the database has frozen is the same in all passes of a block: more would be no evidence.
        wanted = 1 if self._restarts or len(active) >= _MANY else 2 if len(active) == _MANY - 1 else 3
        return max(1, min(wanted, self._spec.protocol.repeats - self.passes))

    def _too_late(self) -> bool:
        """Return True when the next block and the last baselines would end beyond the limit."""
        protocol, loads = self._spec.protocol, len(self._mixes)
        active = self._active()
        visits = loads * (len(active) * self._passes_of(active) + 1)
        changes = 2 * (loads - 1)
        settled_s = visits * protocol.settle_s + changes * (protocol.load_settle_s - protocol.settle_s)
        settled_s += max(0, protocol.restart_settle_s - protocol.settle_s)
        next_s = self._patience * settled_s + visits * protocol.measure_s
        return protocol.limit_min > 0 and self._spent_s + next_s > protocol.limit_min * 60
