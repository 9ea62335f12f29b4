"""Plans: generators that decide which visit comes next. No host, clock or file here.

A plan yields `Visit`s and is sent the `VisitDone` of each; an adaptive protocol is one more generator.
"""

import random
from collections.abc import Generator, Iterator

import msgspec

from scheduler.model.documents import VisitDone
from scheduler.model.setting import Setting
from scheduler.model.spec import RunSpec


class Visit(msgspec.Struct, frozen=True):
    """One stay at one setting under one load.

    Attributes:
        setting: The setting; None for the host as found.
        load: Load kind.
        block: Visits of one block are compared with each other; -1 for the first baselines.
        settle_s: Whole seconds to cut.
        measure_s: Whole seconds to count.
        load_settle_s: Whole seconds to cut when the load has only just been started, whatever the plan expected.
    """

    setting: Setting | None
    load: str
    block: int
    settle_s: int
    measure_s: int
    load_settle_s: int = 0


Plan = Generator[Visit, VisitDone, None]

# What a change costs beside settling, for estimates only: writes, and a fresh start of the load's tables.
# Rough bounds, not measured ones.
_SWITCH_S = 0.3
_PREPARE_S = (1.5, 6.0)
_START_S = (2.0, 20.0)


def plan_for(spec: RunSpec) -> Plan:
    """Return the plan of the spec's protocol."""
    return grid_sweep(spec)


def grid_sweep(spec: RunSpec) -> Plan:
    """Visit every setting under every load, `repeats` times, in blocks of seeded random order.

    Baselines come first and last. Consecutive blocks run the loads in opposite order (A B, B A, ...), so
    that between blocks no load is switched. Random order within a block is after Abedi and Brecht, ICPE 2017.
    """
    previous = ""
    for visit, block in _grid(spec):
        settle_s = spec.protocol.settle_s if visit[1] == previous else spec.protocol.load_settle_s
        previous = visit[1]
        yield Visit(visit[0], visit[1], block, settle_s, spec.protocol.measure_s, spec.protocol.load_settle_s)


def _grid(spec: RunSpec) -> Iterator[tuple[tuple[Setting | None, str], int]]:
    kinds = [load.kind for load in spec.loads]
    yield from (((None, kind), -1) for kind in kinds)
    kinds.reverse()  # go on with the load that is running
    shuffler = random.Random(spec.seed)
    for block in range(spec.protocol.repeats):
        for kind in kinds:
            order = list(spec.visited)
            shuffler.shuffle(order)
            yield from (((setting, kind), block) for setting in order)
        kinds.reverse()
    yield from (((None, kind), spec.protocol.repeats) for kind in kinds)


def visits_of(spec: RunSpec) -> list[Visit]:
    """Return all visits of a plan that does not depend on its results."""
    return list(grid_sweep(spec))


def duration_s(spec: RunSpec) -> tuple[float, float]:
    """Return the best and the worst duration in seconds, pauses aside; cheap however many repeats there are."""
    loads, protocol = len(spec.loads), spec.protocol
    visits = visit_count(spec)
    changes = loads + (loads - 1) * (protocol.repeats + 1)  # of the load, the first start included
    settled_s = changes * protocol.load_settle_s + (visits - changes) * protocol.settle_s
    steady_s = settled_s + visits * (protocol.measure_s + _SWITCH_S)
    best, worst = (start + changes * prepare for start, prepare in zip(_START_S, _PREPARE_S, strict=True))
    return steady_s + best, steady_s * 1.1 + worst


def visit_count(spec: RunSpec) -> int:
    """Return the number of visits of a grid."""
    return len(spec.loads) * (len(spec.visited) * spec.protocol.repeats + 2)
