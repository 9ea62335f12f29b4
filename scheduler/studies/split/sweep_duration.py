"""Estimate of the number of trials and the duration of a split sweep."""

import msgspec

from scheduler.model.protocols import MOST_ADDED_SPLITS
from scheduler.model.spec import RunSpec
from scheduler.plans.study_plan import PREPARE_S, START_S, SWITCH_S, PlanEstimate

_LEAST_REPEATS = 1  # fewest passes of all splits in a race
_LEAST_RIVALS, _LEAST_PASSES = 2, 3  # fewest splits and passes of the second block of a race
_LEAST_RESTARTED = 2  # fewest later blocks, of one pass each, where the database restarts before each block
# Trials until the decision beyond the fewest, for each load. Source: minutes of nine splits, two loads and shared noise
# in docs/decisions/0052 (44.4, 33.4 and about 80), without the 9.5 that are certain, at 13.3 s each.
_USUAL_TRIALS = {"adaptive": 78.8, "quick": 54.0, "strict": 159.0}


def estimate_sweep(spec: RunSpec) -> PlanEstimate:
    """Estimate a split sweep; fast for any number of repeats."""
    certain = shorten_to_certain(spec)
    best_s, worst_s = _duration_s(spec, certain)
    usual_s = (best_s + worst_s) / 2
    if spec.adapts:
        protocol = spec.protocol
        trials = len(spec.mixes) * _USUAL_TRIALS.get(protocol.name, _USUAL_TRIALS["adaptive"])
        usual_s = min(best_s + trials * (protocol.settle_s + protocol.measure_s + SWITCH_S), worst_s)
    return PlanEstimate(_grid_count(certain), best_s, worst_s, usual_s)


def _duration_s(spec: RunSpec, certain: RunSpec) -> tuple[float, float]:
    """Return the shortest and the longest duration in seconds.

    `certain` is the plan without further trials.
    """
    best, worst = _grid_s(certain)
    if not spec.adapts:
        return best, worst
    most = _grid_s(spec)[1]
    limit_s = spec.protocol.limit_min * 60
    decided = best + _later_blocks_s(spec)
    best = best if limit_s and decided > limit_s else decided
    return best, max(worst, min(most, limit_s * 1.1 + START_S[1]) if limit_s else most)


def shorten_to_certain(spec: RunSpec) -> RunSpec:
    """Return the plan without the trials that depend on results."""
    if not spec.adapts:
        return spec
    least = msgspec.structs.replace(spec.protocol, repeats=_LEAST_REPEATS, refine=False)
    return msgspec.structs.replace(spec, protocol=least)


def _grid_count(spec: RunSpec) -> int:
    sides = len(spec.sides) + (MOST_ADDED_SPLITS if spec.protocol.refine else 0)
    return len(spec.mixes) * sides * spec.protocol.repeats


def _grid_s(spec: RunSpec) -> tuple[float, float]:
    loads, protocol = len(spec.mixes), spec.protocol
    trials = _grid_count(spec)
    changes = 1 + (loads - 1) * protocol.repeats  # of the load, the first start included
    settled_s = (
        changes * protocol.load_settle_s
        + protocol.warm_up_s
        - protocol.load_settle_s
        + (trials - changes) * protocol.settle_s
    )
    steady_s = settled_s + trials * (protocol.measure_s + SWITCH_S)
    best, worst = (start + changes * prepare for start, prepare in zip(START_S, PREPARE_S, strict=True))
    return steady_s + best, steady_s * 1.1 + worst


def _later_blocks_s(spec: RunSpec) -> float:
    """Return the seconds of the fewest blocks after the first."""
    protocol, loads = spec.protocol, len(spec.mixes)
    restarts = protocol.restart_settle_s > 0
    most = protocol.repeats - _LEAST_REPEATS
    blocks, passes = (min(_LEAST_RESTARTED, most), 1) if restarts else (1, min(_LEAST_PASSES, most))
    trials = loads * (min(_LEAST_RIVALS, len(spec.settings)) + len(spec.sides) - len(spec.measured_settings)) * passes
    if not most:
        return 0.0
    # Changes of the load within a block; the first load of a block settles with the restart of its database.
    changes_s = (loads - 1) * (protocol.load_settle_s - protocol.settle_s + PREPARE_S[0])
    restart_s = protocol.restart_settle_s - protocol.settle_s if restarts else 0
    return blocks * (trials * (protocol.settle_s + protocol.measure_s + SWITCH_S) + changes_s + restart_s)
