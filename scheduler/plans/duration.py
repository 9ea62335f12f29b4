"""How many trials a plan has and how long it takes, as far as that is known before it is carried out."""

import msgspec

from scheduler.model.protocols import MOST_ADDED_SPLITS
from scheduler.model.spec import RunSpec
from scheduler.plans.grid import grid_sweep
from scheduler.plans.plan_choice import load_plan_module
from scheduler.plans.trials import PlannedTrial

# What a change costs beside settling, for estimates only: writes, and a fresh start of the load's tables.
# Rough bounds, not measured ones.
_SWITCH_S = 0.3
_PREPARE_S = (1.5, 6.0)
_START_S = (2.0, 20.0)
_LEAST_REPEATS = 1  # of a plan that decides as it goes: a block of all splits
_LEAST_RIVALS, _LEAST_PASSES = 2, 3  # and one of the leader and a rival, before anything is decided
_LEAST_ANEW = 2  # or two such blocks of one pass, where each finds a database that was just started
# Trials beyond the fewest until it is decided, for each load: the minutes of nine splits, two loads and shared noise in
# docs/decisions/0052 (44.4, 33.4 and about 80), without the 9.5 that are certain, at 13.3 s each.
_USUAL_TRIALS = {"adaptive": 78.8, "quick": 54.0, "strict": 159.0}
SIMULATED_SPEED = 400.0  # simulated seconds in one of the window's, drawn; 1,300 without a window, on two cores of 2020
_SIMULATED_START_S = 2.0


def list_certain_trials(spec: RunSpec) -> list[PlannedTrial]:
    """Return the trials that are certain: all of a grid's, in order; of an adaptive sweep as many as its least."""
    return list(load_plan_module(spec).listed(spec) if spec.kind.module else grid_sweep(_shorten_to_certain(spec)))


def count_certain_trials(spec: RunSpec) -> int:
    """Return the number of trials that are certain; an adaptive sweep may make more."""
    return len(list_certain_trials(spec)) if spec.kind.module else _grid_count(_shorten_to_certain(spec))


def duration_s(spec: RunSpec) -> tuple[float, float]:
    """Return the best and the worst duration in seconds, pauses aside; cheap however many repeats there are."""
    if spec.kind.module:
        return _study_duration_s(spec)
    best, worst = _grid_s(_shorten_to_certain(spec))
    if not spec.adapts:
        return best, worst
    most = _grid_s(spec)[1]
    limit_s = spec.protocol.limit_min * 60
    decided = best + _later_blocks_s(spec)
    best = best if limit_s and decided > limit_s else decided
    return best, max(worst, min(most, limit_s * 1.1 + _START_S[1]) if limit_s else most)


def usual_s(spec: RunSpec) -> float:
    """Return about how long the plan usually takes, in seconds: of one that decides as it goes, see `_USUAL_TRIALS`."""
    best, worst = duration_s(spec)
    if not spec.adapts:
        return (best + worst) / 2
    if spec.kind.module:
        return min(max(best, _steady_s(spec, load_plan_module(spec).usual_trials(spec))), worst)
    protocol = spec.protocol
    trials = len(spec.mixes) * _USUAL_TRIALS.get(protocol.name, _USUAL_TRIALS["adaptive"])
    return min(best + trials * (protocol.settle_s + protocol.measure_s + _SWITCH_S), worst)


def simulation_time_s(seconds_s: float) -> float:
    """Return how long so many simulated seconds take to simulate and to draw, roughly."""
    return _SIMULATED_START_S + seconds_s / SIMULATED_SPEED


def is_simulated(spec: RunSpec) -> bool:
    """Return whether the plan's host is simulated, as its URL says."""
    return spec.host_url.partition(":")[0].strip() == "sim"


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
    steady_s = settled_s + trials * (protocol.measure_s + _SWITCH_S)
    best, worst = (start + changes * prepare for start, prepare in zip(_START_S, _PREPARE_S, strict=True))
    return steady_s + best, steady_s * 1.1 + worst


def _study_duration_s(spec: RunSpec) -> tuple[float, float]:
    """Return the best and the worst duration of a study that has the load started anew for each trial, at worst."""
    best = _steady_s(spec, count_certain_trials(spec)) + _START_S[0]
    most = _steady_s(spec, load_plan_module(spec).most_trials(spec))
    limit_s = spec.protocol.limit_min * 60 if spec.adapts else 0
    return best, max(best, (min(most, limit_s) if limit_s else most) * 1.1 + _START_S[1])


def _steady_s(spec: RunSpec, trials: float) -> float:
    protocol = spec.protocol
    return trials * (protocol.settle_s + protocol.measure_s + _PREPARE_S[0] + _SWITCH_S) + protocol.load_settle_s


def _later_blocks_s(spec: RunSpec) -> float:
    """Return what the fewest blocks after the first take."""
    protocol, loads = spec.protocol, len(spec.mixes)
    anew = protocol.restart_settle_s > 0
    most = protocol.repeats - _LEAST_REPEATS
    blocks, passes = (min(_LEAST_ANEW, most), 1) if anew else (1, min(_LEAST_PASSES, most))
    trials = loads * (min(_LEAST_RIVALS, len(spec.settings)) + len(spec.sides) - len(spec.measured_settings)) * passes
    if not most:
        return 0.0
    # Of the load within the block; one in the first load's place, whose database has just been started.
    changes_s = (loads - 1) * (protocol.load_settle_s - protocol.settle_s + _PREPARE_S[0])
    restart_s = protocol.restart_settle_s - protocol.settle_s if anew else 0
    return blocks * (trials * (protocol.settle_s + protocol.measure_s + _SWITCH_S) + changes_s + restart_s)


def _shorten_to_certain(spec: RunSpec) -> RunSpec:
    if not spec.adapts:
        return spec
    least = msgspec.structs.replace(spec.protocol, repeats=_LEAST_REPEATS, refine=False)
    return msgspec.structs.replace(spec, protocol=least)
