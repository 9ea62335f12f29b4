"""Every setting as often as every other: the plans of `quick`, `replicate` and `calibrate`."""

import random
from collections.abc import Iterator

from scheduler.model.setting import Setting
from scheduler.model.spec import RunSpec
from scheduler.plans.visits import Plan, Visit, held, shuffled


def grid_sweep(spec: RunSpec) -> Plan:
    """Visit every setting under every load, `repeats` times, in blocks of seeded random order.

    Baselines come first and last. Consecutive blocks run the loads in opposite order (A B, B A, ...), so
    that between blocks no load is switched. A setting that could not be held once is not visited again.
    """
    protocol, previous = spec.protocol, ""
    left: set[Setting | None] = set()
    for setting, kind, block in _grid(spec):
        if setting in left:
            continue
        settle_s = protocol.settle_s if kind == previous else protocol.load_settle_s
        previous = kind
        done = yield Visit(setting, kind, block, settle_s, protocol.measure_s, protocol.load_settle_s)
        if not held(done):
            left.add(setting)


def _grid(spec: RunSpec) -> Iterator[tuple[Setting | None, str, int]]:
    kinds = [load.kind for load in spec.loads]
    yield from ((None, kind, -1) for kind in kinds)
    kinds.reverse()  # go on with the load that is running
    shuffler, last = random.Random(spec.seed), None
    for block in range(spec.protocol.repeats):
        for kind in kinds:
            order = shuffled(spec.visited, shuffler, last)
            last = order[-1]
            yield from ((setting, kind, block) for setting in order)
        kinds.reverse()
    yield from ((None, kind, spec.protocol.repeats) for kind in kinds)
