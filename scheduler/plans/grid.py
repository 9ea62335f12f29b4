"""Plans with equally many trials per setting: `grid`, `replicate`, `calibrate`."""

import random
from collections.abc import Iterator

from scheduler.model.spec import RunSpec
from scheduler.model.studies import Setting
from scheduler.plans.trials import BlockOrder, Plan, PlannedTrial, is_responsive, plan_members


def grid_sweep(spec: RunSpec) -> Plan:
    """Measure every setting under every mix, `repeats` times, in random blocks.

    The original settings take part in every block. Consecutive blocks run the mixes in opposite order (A B, B A, ...),
    so no load is switched between blocks. A setting that became unresponsive once is not measured again.
    """
    protocol, previous = spec.protocol, tuple[str, ...]()
    left: set[Setting | None] = set()
    for setting, mix, block in _grid_order(spec):
        if setting in left:
            continue
        settle_s = protocol.settle_s if mix == previous else protocol.load_settle_s
        settle_s = settle_s if previous else protocol.warm_up_s
        previous = mix
        members = plan_members(spec, mix, setting)
        dones = yield PlannedTrial(setting, members, block, settle_s, protocol.measure_s, protocol.load_settle_s)
        if not is_responsive(dones):
            left.add(setting)


def _grid_order(spec: RunSpec) -> Iterator[tuple[Setting | None, tuple[str, ...], int]]:
    mixes, shuffler = list(spec.mixes), random.Random(spec.seed)
    orders = {mix: BlockOrder(shuffler) for mix in mixes}
    for block in range(spec.protocol.repeats):
        for mix in mixes:
            yield from ((setting, mix, block) for setting in orders[mix].next_block(spec.sides))
        mixes.reverse()
