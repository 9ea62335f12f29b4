"""Trials of a plan, and the random order of the trials in a block."""

import random
from collections.abc import Generator, Sequence

import msgspec

from scheduler.model.documents import TrialDone
from scheduler.model.load_name import LoadName, title_of
from scheduler.model.member import Member, Route, load_names
from scheduler.model.setting import has_direct_route, users_of
from scheduler.model.spec import RunSpec
from scheduler.model.studies import Setting


class PlannedTrial(msgspec.Struct, frozen=True):
    """Trial of one setting under one mix of loads.

    Attributes:
        setting: The setting; None for the original settings.
        members: The loads that run together; one member where a load runs alone.
        block: Number of the block; trials of one block are compared with each other. -1 for the first baselines.
        settle_s: Whole seconds to exclude as warm-up.
        measure_s: Whole seconds to count.
        load_settle_s: Whole seconds to exclude when the load has just been started, even if the plan did not expect
            that.
        without_stalls: True to exclude seconds in which the work was stalled.
        restart: True to restart the database before the trial.
        remark: Message for the user before the trial, for example a decision of the plan.
    """

    setting: Setting | None
    members: tuple[Member, ...]
    block: int
    settle_s: int
    measure_s: int
    load_settle_s: int = 0
    without_stalls: bool = False
    restart: bool = False
    remark: str = ""

    @property
    def load(self) -> str:
        """Name of the mix, or of the one load that runs alone."""
        return title_of(self.mix)

    @property
    def mix(self) -> tuple[LoadName, ...]:
        """Names of the loads that run together."""
        return load_names(self.members)


def plan_members(spec: RunSpec, loads: Sequence[str], setting: Setting | None) -> tuple[Member, ...]:
    """Return the members of a trial on one guest's database.

    Args:
        spec: The plan.
        loads: Names of the loads that run together.
        setting: Setting of the trial, which may name the number of users and the route; None for the baseline.
    """
    route = Route.DIRECT if has_direct_route(setting) else Route.IO_DOMAIN
    users = users_of(setting)
    found = map(spec.load_of, loads)
    return tuple(Member(load.name, route=route, users=users or load.users) for load in found)


TrialResults = tuple[TrialDone, ...]
"""Results of one trial, one for each load that ran."""

Plan = Generator[PlannedTrial, TrialResults, None]


def is_responsive(dones: TrialResults | None) -> bool:
    """Return False for a trial in which the host became unresponsive.

    One such trial excludes a split. A split at which the host accepts no commands cannot be recommended, and each
    further trial could let the guard fire. None is the result of a trial that is only listed.
    """
    return all(done.responsive for done in dones or ())


_MIRRORED = 2  # number of settings at which blocks are drawn in pairs
_NEVER_TWICE = 4  # least number of settings at which no block begins with the last setting: enough orders are left


class BlockOrder:
    """Orders of the blocks under one load (random order: Abedi and Brecht, ICPE 2017).

    Two settings: an order is drawn for a pair of blocks, and the second block mirrors it (A B, B A), so that a trend in
    time cancels in the mean difference. Three: each block draws from all six orders. Four and more: the same, but no
    block begins with the setting that ended the block before.

    With two or three settings a setting may follow itself at the edge of a block. The engine still runs a separate
    trial: it writes the setting again, reads it back and settles as long as in any other trial. The two trials share
    the state of the host that a change would have renewed (warm caches, placement of threads). A ban on such repeats
    would leave too few orders: one of two, four of six.

    Args:
        shuffler: Source of the draws. Several loads may share it; each load needs its own `BlockOrder`.
    """

    def __init__(self, shuffler: random.Random) -> None:
        self._shuffler = shuffler
        self._to_mirror: list[Setting | None] = []  # the first block of a pair
        self._ended_with: list[Setting | None] = []  # at most one

    def next_block(self, settings: Sequence[Setting | None]) -> list[Setting | None]:
        """Return the settings in the order of the next block; None is the baseline."""
        first, self._to_mirror = self._to_mirror, []
        if len(settings) == _MIRRORED and set(first) == set(settings):
            self._ended_with = first[:1]
            return first[::-1]
        order = list(settings)
        self._shuffler.shuffle(order)
        if len(order) == _MIRRORED:
            self._to_mirror = order
        elif len(order) >= _NEVER_TWICE and order[:1] == self._ended_with:
            order.append(order.pop(0))
        self._ended_with = order[-1:]
        return order
