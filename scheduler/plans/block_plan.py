"""Trials in whole blocks: in each every setting once, in random order, one load after the other.

What drifts meanwhile (caches, clocks, neighbours) is the same for all settings of a block, and cancels in differences.
"""

import random
from collections.abc import Iterable, Iterator

from scheduler.model.setting import Setting
from scheduler.model.spec import RunSpec
from scheduler.plans.trials import BlockOrder, Plan, PlannedTrial, is_responsive, plan_members


def sweep(spec: RunSpec) -> Plan:
    """Trial every setting as often as the others; one that cannot be held is left."""
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


def most_trials(spec: RunSpec) -> int:
    """Return how many trials there are."""
    return len(spec.settings) * len(spec.loads) * spec.protocol.repeats


def usual_trials(spec: RunSpec) -> float:
    """Return the same: their number is fixed."""
    return float(most_trials(spec))


def _block_order(spec: RunSpec) -> Iterator[tuple[Setting | None, str, int]]:
    shuffler, kinds = random.Random(spec.seed), [load.kind for load in spec.loads]
    orders = {kind: BlockOrder(shuffler) for kind in kinds}
    for block in range(spec.protocol.repeats):
        for kind in kinds:
            yield from ((setting, kind, block) for setting in orders[kind].next_block(spec.settings))
        kinds.reverse()  # go on with the load that is running
