"""Every setting as often as every other: the plans of `quick`, `replicate` and `calibrate`."""

import random
from collections.abc import Iterator

from scheduler.model.setting import Setting
from scheduler.model.spec import RunSpec
from scheduler.plans.visits import Plan, Visit, held, shuffled


def grid_sweep(spec: RunSpec) -> Plan:
    """Visit every setting under every mix of loads, `repeats` times, in blocks of seeded random order.

    Baselines come first and last. Consecutive blocks run the mixes in opposite order (A B, B A, ...), so
    that between blocks no load is switched. A setting that could not be held once is not visited again.
    """
    protocol, previous = spec.protocol, tuple[str, ...]()
    left: set[Setting | None] = set()
    for setting, mix, block in _grid(spec):
        if setting in left:
            continue
        settle_s = protocol.settle_s if mix == previous else protocol.load_settle_s
        previous = mix
        dones = yield Visit(setting, mix, block, settle_s, protocol.measure_s, protocol.load_settle_s)
        if not held(dones):
            left.add(setting)


def _grid(spec: RunSpec) -> Iterator[tuple[Setting | None, tuple[str, ...], int]]:
    mixes = list(spec.mixes)
    yield from ((None, mix, -1) for mix in mixes)
    mixes.reverse()  # go on with the load that is running
    shuffler, last = random.Random(spec.seed), None
    for block in range(spec.protocol.repeats):
        for mix in mixes:
            order = shuffled(spec.visited, shuffler, last)
            last = order[-1]
            yield from ((setting, mix, block) for setting in order)
        mixes.reverse()
    yield from ((None, mix, spec.protocol.repeats) for mix in mixes)
