"""Trials in whole blocks: every setting once per block, in random order.

Each load has blocks of its own. Drift within a block (caches, clocks, other guests) affects all settings of the block
and cancels in differences.
"""

import random
from collections.abc import Iterable, Iterator

from scheduler.model.earlier_run import EarlierRun
from scheduler.model.spec import RunSpec
from scheduler.model.split import Settable
from scheduler.model.studies import Setting
from scheduler.plans.study_plan import PlanEstimate, estimate_trials
from scheduler.plans.trials import BlockOrder, Plan, PlannedTrial, is_responsive, plan_members


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
        if trial.setting in left:
            continue
        dones = yield trial
        if not is_responsive(dones):
            left.add(trial.setting)


def listed(spec: RunSpec) -> Iterable[PlannedTrial]:
    """Yield all trials, in order."""
    protocol, kind_before = spec.protocol, ""
    for setting, kind, block in _block_order(spec):
        settle_s = protocol.settle_s if kind == kind_before else protocol.load_settle_s
        kind_before = kind
        yield PlannedTrial(
            setting, plan_members(spec, (kind,), setting), block, settle_s, protocol.measure_s, protocol.load_settle_s
        )


def estimate(spec: RunSpec) -> PlanEstimate:
    """Estimate the duration; the number of trials is fixed."""
    count = len(spec.settings) * len(spec.loads) * spec.protocol.repeats
    return estimate_trials(spec, count, count, count)


def _block_order(spec: RunSpec) -> Iterator[tuple[Setting | None, str, int]]:
    shuffler, kinds = random.Random(spec.seed), [load.kind for load in spec.loads]
    orders = {kind: BlockOrder(shuffler) for kind in kinds}
    for block in range(spec.protocol.repeats):
        for kind in kinds:
            yield from ((setting, kind, block) for setting in orders[kind].next_block(spec.settings))
        kinds.reverse()  # continue with the running load
