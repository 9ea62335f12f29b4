"""Points from trials: one per setting and load, with the interval over repeats.

The replicate is the trial, never the second: the seconds of one trial are not independent (see docs on statistics). The
spread of trials is learned from all trials under a load (see `spread`).
"""

import math
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from scheduler.model.client_figures import average_clients
from scheduler.model.documents import TrialDone
from scheduler.model.load_kinds import rate_unit
from scheduler.model.named_figures import median_figures
from scheduler.model.operation_kinds import average_operations
from scheduler.model.results import MeasuredPoint
from scheduler.model.setting import label_of, mode_of
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId
from scheduler.model.studies import Setting
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.stats.bottleneck import PointFigures, find_bottleneck
from scheduler.stats.spread import estimate_spread
from scheduler.stats.stalls import drop_superseded, sum_lost_s
from scheduler.translation import _

_KEY_BASELINE = -math.inf


def build_points(trials: Sequence[TrialDone], *, mode: Mode | None = None, cpus: int = 1) -> tuple[MeasuredPoint, ...]:
    """Summarise the trials as points; the order of the trials does not matter.

    Args:
        trials: All trials so far, invalid ones and baselines included.
        mode: Caps or weights, for the bottleneck; None derives the mode from the figures.
        cpus: Number of CPUs that the domains share, >= 1.

    Returns:
        The original settings first, then the settings along the axis; within a setting, loads by name.
    """
    groups: dict[tuple[float, str, str, str], list[TrialDone]] = {}
    for trial in sorted(trials, key=_measured_order):
        groups.setdefault(_axis_key(trial), []).append(trial)
    return tuple(add_intervals([build_point(group, mode, cpus) for _, group in sorted(groups.items())], trials))


def add_intervals(points: Sequence[MeasuredPoint], trials: Sequence[TrialDone]) -> Iterator[MeasuredPoint]:
    """Yield the points with their intervals.

    Args:
        points: The points, without intervals.
        trials: All trials; the interval of a point rests on all trials under its load.
    """
    of_guest = {guest: [trial for trial in trials if trial.guest == guest] for guest in {each.guest for each in points}}
    spreads = {member: estimate_spread(of_guest[member[1]], member[0]) for member in {each.member for each in points}}
    for point in points:
        known = point.mean_tps is not None and all(point.trial_tps)
        interval = spreads[point.member].interval_tps(point.label, point.mean_tps or 0.0) if known else None
        pooled = interval is not None and point.trials == 1
        yield msgspec.structs.replace(point, ci95_tps=interval, pooled=pooled)


def exact_mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean of at least one value, independent of their order."""
    return math.fsum(values) / len(values)


def geometric_mean(rates: Sequence[float]) -> float:
    """Return the geometric mean of at least one rate >= 0; 0 when a rate is 0.

    Every comparison of rates rests on this mean.
    """
    return math.exp(exact_mean([math.log(rate) for rate in rates])) if all(rates) else 0.0


def standard_deviation(values: Sequence[float]) -> float:
    """Return the standard deviation of at least two values (n - 1 in the denominator)."""
    middle = exact_mean(values)
    return math.sqrt(math.fsum((value - middle) ** 2 for value in values) / (len(values) - 1))


def _measured_order(trial: TrialDone) -> tuple[float, float, float, float]:
    return trial.block, trial.trial, trial.t_s, trial.mean_tps


def _axis_key(trial: TrialDone) -> tuple[float, str, str, str]:
    position = _KEY_BASELINE if trial.setting is None else trial.setting.position
    return position, label_of(trial.setting), trial.load, trial.guest or ""


def build_point(group: Sequence[TrialDone], mode: Mode | None, cpus: int) -> MeasuredPoint:
    """Summarise the trials of one setting under one load, without an interval.

    Args:
        group: The trials, at least one.
        mode: Caps or weights; None derives the mode from the figures.
        cpus: Number of CPUs that the domains share, >= 1.
    """
    lasted = sorted(drop_superseded(group), key=_measured_order)
    good = [trial for trial in lasted if trial.valid]
    left = [trial for trial in group if not trial.responsive]
    setting, load, guest = group[0].setting, group[0].load, group[0].guest
    if left or not good:
        reasons = sorted({trial.reason for trial in left or lasted if trial.reason})
        reason = "; ".join(reasons) or _("no trial could be used")
        return MeasuredPoint(
            setting=setting,
            load=load,
            guest=guest,
            unit=_trial_unit(group[0]),
            mean_tps=None,
            ci95_tps=None,
            cv=None,
            trials=0,
            valid=False,
            reason=reason,
            responsive=not left,
        )
    return msgspec.structs.replace(_valid_point(setting, good, mode, cpus), stalled_s=sum_lost_s(group))


def _cpus_of(trial: TrialDone, cpus: int) -> int:
    """Return the number of CPUs of the domains in a trial.

    A guest with more vCPUs has more than the domains share.
    """
    sized = trial.params.get(GUEST_VCPUS)
    return max(cpus, sized.online) if isinstance(sized, VcpuParams) else cpus


def _valid_point(setting: Setting | None, good: Sequence[TrialDone], mode: Mode | None, cpus: int) -> MeasuredPoint:
    tps = [trial.mean_tps for trial in good]
    middle = geometric_mean(tps)
    seen = PointFigures(
        used=_average_tables([trial.used_frac for trial in good]),
        allotted=_average_tables([trial.allotted_frac for trial in good]),
        throttled=_average_tables([trial.throttled_frac for trial in good]),
        client=exact_mean([trial.client_cpu_frac for trial in good]),
        clients=exact_mean([trial.clients_cpu_frac for trial in good]),
        cpus=_cpus_of(good[-1], cpus),
        in_cpus=cpus > 1,
        mode=_mode_of(good[-1], mode),
    )
    kind, text = find_bottleneck(seen)
    return MeasuredPoint(
        setting=setting,
        load=good[0].load,
        guest=good[0].guest,
        unit=_trial_unit(good[0]),
        mean_tps=middle,
        ci95_tps=None,
        cv=standard_deviation(tps) / middle if len(tps) > 1 and middle > 0 else None,
        trials=len(good),
        trial_tps=tuple(tps),
        used_share={str(domain): share for domain, share in seen.used.items()},
        allotted_share={str(domain): share for domain, share in seen.allotted.items()},
        params=good[-1].params,
        p50_ms=_mean_of_known([trial.p50_ms for trial in good]),
        p95_ms=_mean_of_known([trial.p95_ms for trial in good]),
        p99_ms=_mean_of_known([trial.p99_ms for trial in good]),
        sorts=average_operations([trial.sorts for trial in good]),
        latency_ms=_mean_of_known([trial.latency_ms for trial in good]),
        client_cpu_frac=seen.client,
        probe_tps=_mean_of_known([trial.probe_tps for trial in good]),
        figures=median_figures(figure for trial in good for figure in trial.figures),
        clients=average_clients([trial.clients for trial in good]),
        bottleneck=kind,
        bottleneck_text=text,
    )


def _mode_of(trial: TrialDone, mode: Mode | None) -> Mode | None:
    """Return the mode of a trial: that of its setting, else that of the plan.

    An isolation study compares modes, so its settings have modes of their own.
    """
    return mode_of(trial.setting, mode)


def _trial_unit(trial: TrialDone) -> str:
    return rate_unit([trial.load], {trial.load: trial.unit})


def _average_tables(tables: Sequence[Mapping[DomainId, float]]) -> dict[DomainId, float]:
    names = sorted({name for table in tables for name in table})
    return {name: exact_mean([table[name] for table in tables if name in table]) for name in names}


def _mean_of_known(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return exact_mean(known) if known else None
