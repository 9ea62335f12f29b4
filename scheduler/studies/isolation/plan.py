"""Trials of an isolation study: each guest alone and both, per split and mode.

The three trials of one split and mode follow each other in random order, so drift affects them equally.
"""

import random
from collections.abc import Iterable, Iterator
from itertools import groupby

from scheduler.model.earlier_run import EarlierRun
from scheduler.model.guests import LoadedGuests
from scheduler.model.member import Member
from scheduler.model.setting import GuestsSetting
from scheduler.model.spec import RunSpec
from scheduler.model.split import Settable
from scheduler.model.studies import Setting
from scheduler.plans.study_plan import PlanEstimate, estimate_trials
from scheduler.plans.trials import Plan, PlannedTrial, is_responsive


def sweep(spec: RunSpec, settable: Settable, history: EarlierRun | None) -> Plan:
    """Measure every setting equally often; drop a setting that becomes unresponsive.

    Args:
        spec: The plan.
        settable: Ignored.
        history: Ignored.
    """
    del settable, history
    left: set[Setting | None] = set()
    for trial in listed(spec):
        if trial.setting not in left and not is_responsive((yield trial)):
            left.add(trial.setting)


def listed(spec: RunSpec) -> Iterable[PlannedTrial]:
    """Yield all trials, in order.

    The load restarts for nearly each trial, so all trials settle as long as after a start.
    """
    protocol = spec.protocol
    settle_s = max(protocol.settle_s, protocol.load_settle_s)
    for setting, block in _shuffle_blocks(spec):
        members = plan_guest_members(spec, setting.loaded)
        yield PlannedTrial(setting, members, block, settle_s, protocol.measure_s, protocol.load_settle_s)


def estimate(spec: RunSpec) -> PlanEstimate:
    """Estimate the duration; the number of trials is fixed."""
    count = len(spec.settings) * spec.protocol.repeats
    return estimate_trials(spec, count, count, count)


def plan_guest_members(spec: RunSpec, loaded: LoadedGuests) -> tuple[Member, ...]:
    """Return one member for each loaded guest: its load on its own database.

    Args:
        spec: The plan of an isolation study.
        loaded: The guests that have users in the trial.
    """
    loads = spec.guest_loads
    return tuple(Member(loads[guest].name, guest, users=loads[guest].users) for guest in loaded.guests)


def _shuffle_blocks(spec: RunSpec) -> Iterator[tuple[GuestsSetting, int]]:
    shuffler = random.Random(spec.seed)
    settings = [setting for setting in spec.settings if isinstance(setting, GuestsSetting)]
    cells = [list(cell) for _, cell in groupby(settings, key=lambda setting: (setting.split, setting.mode))]
    for block in range(spec.protocol.repeats):
        for cell in shuffler.sample(cells, len(cells)):
            yield from ((setting, block) for setting in shuffler.sample(cell, len(cell)))
