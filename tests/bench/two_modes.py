"""Part of `make bench-decide`: a benchmark with two modes that no split changes.

python -m tests.bench.two_modes [TRIALS]

Each sweep runs as a whole at one of two rates, 1 : 1.5, as a public benchmark did (TPC-Council/HammerDB issue 822).
All four splits and the original settings are equal, so that an order to change is a false claim.
"""

import os
import statistics
import sys
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor

import msgspec

from scheduler.model.decision import DecisionKind
from scheduler.model.protocols import PROTOCOLS
from scheduler.stats.points import build_points
from scheduler.stats.recommendation import recommend_split
from tests.bench.decide_trial import Case, spec_of, trials_of
from tests.bench.figure import Figure

_SPLITS = ("1:5", "1:2", "2:1", "5:1")
_LOAD = "osdb-ir"
_MODES_TPS = (1_000.0, 1_500.0)
_FIRST_SEED = 13_900_000


class Outcome(msgspec.Struct, frozen=True):
    """One sweep's claims: `ordered` and `gain_missed` are wrong ones; `missed` of `intervals` hold no true mean."""

    minutes: float
    ordered: bool
    gain_missed: bool
    intervals: int
    missed: int


def outcome_of(seed: int) -> Outcome:
    """Carry one sweep out."""
    surface: Mapping[str, Mapping[str, float]] = {_LOAD: dict.fromkeys((*_SPLITS, "1:1"), 1.0)}
    quick = msgspec.structs.replace(PROTOCOLS["quick"], limit_min=15)
    case = Case(surface, "lab", quick, (_LOAD,), seed, splits=_SPLITS, baseline={_LOAD: 1.0}, modes=_MODES_TPS)
    spec = spec_of(case)
    trials, minutes = trials_of(spec, case)
    decision = recommend_split(trials, spec).decision
    span = decision.gain_ci95_frac
    true_tps = statistics.geometric_mean(_MODES_TPS)  # of which the intervals are
    spans = [point.ci95_tps for point in build_points(trials) if point.ci95_tps is not None]
    return Outcome(
        minutes=minutes,
        ordered=decision.kind is DecisionKind.CHANGE,
        gain_missed=span is not None and not span[0] <= 0 <= span[1],
        intervals=len(spans),
        missed=sum(not low <= true_tps <= high for low, high in spans),
    )


def figures(runs: int) -> list[Figure]:
    """Simulate so many sweeps; return the promises."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(outcome_of, range(_FIRST_SEED, _FIRST_SEED + runs), chunksize=4))
    missed, intervals = sum(one.missed for one in found), sum(one.intervals for one in found)
    print(f"two modes: {runs} sweeps, {statistics.mean(one.minutes for one in found):.1f} min, {intervals} intervals")
    return [
        Figure(name="two modes: orders to change, %", value=100 * sum(one.ordered for one in found) / runs, at_most=5),
        Figure(
            name="two modes: gain's interval holds, %",
            value=100 - 100 * sum(one.gain_missed for one in found) / runs,
            at_least=93,
        ),
        Figure(
            name="two modes: throughput's interval holds, %", value=100 - 100 * missed / max(1, intervals), at_least=93
        ),
    ]


def main(words: list[str]) -> int:
    """Print the promises; return the exit code."""
    found = figures(int(words[0]) if words else 300)
    for figure in found:
        print(figure.line)
    return 0 if all(figure.fine for figure in found) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
