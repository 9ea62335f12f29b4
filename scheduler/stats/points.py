"""From visits to points: one per setting and load, with the interval over repeats.

The replicate is the visit, never the second: seconds of one visit share its luck (see docs on statistics). How much
visits differ is learned from all visits under a load (see `spread`).
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from scheduler.model.client_figures import average_clients
from scheduler.model.documents import VisitDone
from scheduler.model.load_kinds import rate_unit
from scheduler.model.named_figures import median_figures
from scheduler.model.operation_kinds import average_operations
from scheduler.model.results import MeasuredPoint
from scheduler.model.setting import GuestsSetting, label_of
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.stats.bottleneck import PointFigures, find_bottleneck
from scheduler.stats.spread import estimate_spread
from scheduler.stats.stalls import drop_superseded, sum_lost_s

_KEY_BASELINE = -math.inf


def build_points(visits: Sequence[VisitDone], *, mode: Mode | None = None, cpus: int = 1) -> tuple[MeasuredPoint, ...]:
    """Summarise the visits; the order in which they are given does not matter.

    Args:
        visits: All visits so far, invalid ones and baselines included.
        mode: Share or partition, for the bottleneck; None reads it from the figures.
        cpus: Number of CPUs that the domains share.

    Returns:
        The host as found first, then the settings along the axis; within one, loads by name.
    """
    groups: dict[tuple[float, str, str], list[VisitDone]] = {}
    for visit in sorted(visits, key=_measured_order):
        groups.setdefault(_axis_key(visit), []).append(visit)
    return tuple(add_intervals([build_point(group, mode, cpus) for _, group in sorted(groups.items())], visits))


def add_intervals(points: Sequence[MeasuredPoint], visits: Sequence[VisitDone]) -> Iterator[MeasuredPoint]:
    """Yield the points with their intervals, which rest on all visits under their load; all visits may be given."""
    spreads = {load: estimate_spread(visits, load) for load in {point.load for point in points}}
    for point in points:
        known = point.mean_tps is not None and all(point.visit_tps)
        interval = spreads[point.load].interval_tps(point.split, point.mean_tps or 0.0) if known else None
        borrowed = interval is not None and point.visits == 1
        yield msgspec.structs.replace(point, ci95_tps=interval, borrowed=borrowed)


def exact_mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean of at least one value, exact whatever their order."""
    return math.fsum(values) / len(values)


def geometric_mean(rates: Sequence[float]) -> float:
    """Return the geometric mean of at least one rate >= 0, which every comparison of rates rests on; 0 with a 0."""
    return math.exp(exact_mean([math.log(rate) for rate in rates])) if all(rates) else 0.0


def standard_deviation(values: Sequence[float]) -> float:
    """Return the standard deviation of at least two values (n - 1 in the denominator)."""
    middle = exact_mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def _measured_order(visit: VisitDone) -> tuple[float, float, float, float]:
    return visit.block, visit.visit, visit.t_s, visit.mean_tps


def _axis_key(visit: VisitDone) -> tuple[float, str, str]:
    position = _KEY_BASELINE if visit.setting is None else visit.setting.position
    return position, label_of(visit.setting), visit.load


def build_point(group: Sequence[VisitDone], mode: Mode | None, cpus: int) -> MeasuredPoint:
    """Summarise the visits to one setting under one load, at least one; without an interval: see `bounded`."""
    lasted = sorted(drop_superseded(group), key=_measured_order)
    good = [visit for visit in lasted if visit.valid]
    left = [visit for visit in group if not visit.held]
    label, load = label_of(group[0].setting), group[0].load
    if left or not good:
        reasons = sorted({visit.reason for visit in left or lasted if visit.reason})
        reason = "; ".join(reasons) or "no trial could be used"
        return MeasuredPoint(
            split=label,
            load=load,
            unit=_trial_unit(group[0]),
            mean_tps=None,
            ci95_tps=None,
            cv=None,
            visits=0,
            valid=False,
            reason=reason,
            held=not left,
        )
    return msgspec.structs.replace(_valid_point(label, good, mode, cpus), stalled_s=sum_lost_s(group))


def _cpus_of(visit: VisitDone, cpus: int) -> int:
    """Return how many CPUs the domains had: more than they share where the guest was given more."""
    sized = visit.params.get(GUEST_VCPUS)
    return max(cpus, sized.online) if isinstance(sized, VcpuParams) else cpus


def _valid_point(label: str, good: Sequence[VisitDone], mode: Mode | None, cpus: int) -> MeasuredPoint:
    tps = [visit.mean_tps for visit in good]
    middle = geometric_mean(tps)
    seen = PointFigures(
        delivered=_average_tables([visit.delivered_frac for visit in good]),
        configured=_average_tables([visit.configured_frac for visit in good]),
        throttled=_average_tables([visit.throttled_frac for visit in good]),
        client=exact_mean([visit.client_cpu_frac for visit in good]),
        clients=exact_mean([visit.clients_cpu_frac for visit in good]),
        cpus=_cpus_of(good[-1], cpus),
        mode=_mode_of(good[-1], mode),
    )
    kind, text = find_bottleneck(seen)
    return MeasuredPoint(
        split=label,
        load=good[0].load,
        unit=_trial_unit(good[0]),
        mean_tps=middle,
        ci95_tps=None,
        cv=standard_deviation(tps) / middle if len(tps) > 1 and middle > 0 else None,
        visits=len(good),
        visit_tps=tuple(tps),
        delivered_share={str(domain): share for domain, share in seen.delivered.items()},
        configured_share={str(domain): share for domain, share in seen.configured.items()},
        params=good[-1].params,
        p50_ms=_mean_of_known([visit.p50_ms for visit in good]),
        p95_ms=_mean_of_known([visit.p95_ms for visit in good]),
        p99_ms=_mean_of_known([visit.p99_ms for visit in good]),
        sorts=average_operations([visit.sorts for visit in good]),
        latency_ms=_mean_of_known([visit.latency_ms for visit in good]),
        client_cpu_frac=seen.client,
        probe_tps=_mean_of_known([visit.probe_tps for visit in good]),
        figures=median_figures(figure for visit in good for figure in visit.figures),
        clients=average_clients([visit.clients for visit in good]),
        bottleneck=kind,
        bottleneck_text=text,
    )


def _mode_of(visit: VisitDone, mode: Mode | None) -> Mode | None:
    """Return what divided the CPU: an isolation study compares modes, so its settings tell, not the plan."""
    return visit.setting.mode if isinstance(visit.setting, GuestsSetting) else mode


def _trial_unit(visit: VisitDone) -> str:
    return rate_unit([visit.load], {visit.load: visit.unit})


def _average_tables(tables: Sequence[Mapping[DomainId, float]]) -> dict[DomainId, float]:
    names = sorted({name for table in tables for name in table})
    return {name: exact_mean([table[name] for table in tables if name in table]) for name in names}


def _mean_of_known(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return exact_mean(known) if known else None
