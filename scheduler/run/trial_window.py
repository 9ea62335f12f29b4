"""Seconds of one member in one trial, and their figures.

Seconds of the warm-up are excluded.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypedDict

import msgspec

from scheduler.loads.latency import quantile_ms
from scheduler.loads.load_protocols import ClientSecond, LoadSecond
from scheduler.model.client_figures import ClientFigures
from scheduler.model.documents import HostSample, LoadSample, SettlingCause, TrialDone
from scheduler.model.domain_sample import DomainSample
from scheduler.model.load_kinds import find_load_kind
from scheduler.model.member import Member
from scheduler.model.named_figures import median_figures
from scheduler.model.operation_kinds import REPEATED_KIND, OperationFigures
from scheduler.model.sentence_texts import format_load_rate, join_names
from scheduler.model.split import DomainId
from scheduler.plans.trials import PlannedTrial
from scheduler.run.factor import AppliedSetting
from scheduler.stats.stalls import mark_counted_seconds
from scheduler.translation import _

# The engine samples just after the end of a second. A sample that is late on a busy computer still counts;
# otherwise a short trial might have none.
_EARLY_S, _LATE_S = 0.1, 0.6
_MOST_RATES = 3600  # rates in the results of one trial; the samples keep all of them


class _ServiceTimes(TypedDict):
    """Service times as in the documents, milliseconds."""

    p50_ms: float | None
    p95_ms: float | None
    p99_ms: float | None
    latency_ms: float | None


class TrialWindow:
    """Seconds of one member in one trial, on the monotonic clock.

    Args:
        index: Number of the trial.
        trial: The planned trial.
        starts_s: Time at which its setting was in force, on the monotonic clock.
        t_of: Start of the run on that clock: `t_s = monotonic - t_of`.
        change: Change before the trial.
        member: The member, with the unit of its rates; None for the first member.
    """

    def __init__(
        self,
        index: int,
        trial: PlannedTrial,
        starts_s: float,
        t_of: float,
        change: SettlingCause = SettlingCause.NONE,
        member: tuple[Member, str] | None = None,
    ) -> None:
        self._member, self._unit = member or (trial.members[0], "")
        self._index = index
        self._change = change
        self._trial = trial
        self._t_of = t_of
        self.first_second = math.ceil(starts_s) + trial.settle_s
        self.end_second = self.first_second + trial.measure_s
        self._starts_s = starts_s
        self._settled_s = self.first_second - starts_s
        self._samples: list[LoadSample] = []
        self._cut_tps: list[float] = []
        self._hosts: list[HostSample] = []
        self._seconds: list[LoadSecond] = []

    @property
    def complete(self) -> bool:
        """True when every measured second was reported."""
        return len(self._seconds) >= self._trial.measure_s

    def take(self, second: LoadSecond) -> LoadSample:
        """Add one second; return it as a document."""
        sample = self._load_sample(second)
        if self.first_second - self._trial.settle_s <= second.second < self.first_second:
            self._cut_tps.append(sample.throughput_tps)
        if self.first_second <= second.second < self.end_second:
            self._seconds.append(second)
            self._samples.append(sample)
        return sample

    def take_host(self, sample: HostSample, covers_from_s: float) -> None:
        """Add a sample of the host; a sample that is not inside the window is excluded.

        Args:
            sample: The sample.
            covers_from_s: Start of the time that the sample covers, on the monotonic clock.
        """
        ends_s = sample.t_s + self._t_of
        if covers_from_s >= self.first_second - _EARLY_S and ends_s <= self.end_second + _LATE_S:
            self._hosts.append(sample)

    def done(self, force: AppliedSetting, t_s: float, client_cpus: int) -> TrialDone:
        """Return the result of a complete trial.

        Args:
            force: The applied setting.
            t_s: Time of the result, seconds since the run began.
            client_cpus: Number of CPUs left to the clients, >= 1.
        """
        missing = sum(second.missing_users for second in self._seconds)
        done = self._build_result(force, t_s, client_cpus)
        errors = (
            _("{errors} operations failed{failed_operations}").format(
                errors=done.errors, failed_operations=_failed_operations(self._seconds)
            )
            if done.errors
            else ""
        )
        reason = _("{missing} reports of users are missing").format(missing=missing) if missing else errors
        return msgspec.structs.replace(done, valid=not reason, reason=reason)

    def left(self, force: AppliedSetting, t_s: float, client_cpus: int, why: str) -> TrialDone:
        """Return the partial result of a trial under which the host became unresponsive.

        The result is marked and never used as a complete one.

        Args:
            force: The applied setting.
            t_s: Time of the result, seconds since the run began.
            client_cpus: Number of CPUs left to the clients, >= 1.
            why: Cause.
        """
        done = self.discarded_results(force, t_s, client_cpus, _("became unresponsive: {why}").format(why=why))
        return msgspec.structs.replace(done, responsive=False)

    def discarded_results(self, force: AppliedSetting, t_s: float, client_cpus: int, why: str) -> TrialDone:
        """Return the result of an incomplete trial: discarded, with the reason.

        Args:
            force: The applied setting.
            t_s: Time of the result, seconds since the run began.
            client_cpus: Number of CPUs left to the clients, >= 1.
            why: Cause.
        """
        done = self._build_result(force, t_s, client_cpus)
        measured = _("nothing was measured before that")
        if self._seconds:
            rate = format_load_rate(done.mean_tps, done.load, done.unit)
            measured = _("{count} of {measure_s} s were measured before that, with {rate}").format(
                count=len(self._seconds), measure_s=self._trial.measure_s, rate=rate
            )
        settled_s = max(0.0, min(self._settled_s, t_s + self._t_of - self._starts_s))
        return msgspec.structs.replace(
            done,
            settled_s=settled_s,
            rates_tps=(),
            valid=False,
            reason=f"{why}; {measured}",
        )

    def _build_result(self, force: AppliedSetting, t_s: float, client_cpus: int) -> TrialDone:
        samples, hosts = self._samples, self._hosts
        rates_tps = [sample.throughput_tps for sample in samples]
        kind = find_load_kind(self._member.load)
        flows = self._trial.without_stalls and not (kind is not None and kind.round)
        counts = mark_counted_seconds(rates_tps) if flows else [True] * len(rates_tps)
        kept_tps = [rate for rate, count in zip(rates_tps, counts, strict=True) if count]
        stalled_at_s = tuple(sample.t_s for sample, count in zip(samples, counts, strict=True) if not count)
        figures = [figure for second in self._seconds for figure in second.figures]
        clients_s = sum(second.cpu_s for second in self._seconds)
        clients = _client_figures([second for second, kept in zip(self._seconds, counts, strict=True) if kept])
        client_frac = clients_s / max(1, len(self._seconds)) / max(1, client_cpus)
        return TrialDone(
            t_s=t_s,
            trial=self._index,
            setting=self._trial.setting,
            load=self._member.load,
            guest=self._member.guest,
            block=self._trial.block,
            seconds=float(len(self._seconds)),
            settled_s=self._settled_s,
            unit=self._unit,
            mean_tps=sum(kept_tps) / len(kept_tps) if kept_tps else 0.0,
            sorts=_operation_figures([second for second, kept in zip(self._seconds, counts, strict=True) if kept]),
            **_service_times(self._seconds),
            errors=sum(sample.errors for sample in samples),
            retries=sum(sample.retries for sample in samples),
            client_cpu_frac=_mean_known(sample.client_cpu_frac for sample in samples) or 0.0,
            clients_cpu_frac=max((each.cpu_frac for each in clients.values()), default=client_frac),
            used_frac=_domain_means(hosts, lambda sample: sample.used_frac),
            allotted_frac=dict(force.configured),
            params=force.params,
            throttled_frac=_domain_means(hosts, lambda sample: sample.throttled_frac),
            probe_tps=_mean_known(sample.probe_tps for sample in samples),
            stolen_frac=_mean_known(host.stolen_frac for host in hosts),
            foreign_frac=_mean_known(host.foreign_frac for host in hosts),
            clock_mhz=_mean_known(host.clock_mhz for host in hosts),
            stalled_frac=1 - len(kept_tps) / len(rates_tps) if rates_tps else 0.0,
            stalled_at_s=stalled_at_s,
            rates_tps=self._rates_tps(rates_tps),
            figures=median_figures(figures),
            clients=clients,
            change=self._change,
        )

    def _rates_tps(self, measured_tps: Sequence[float]) -> tuple[float, ...]:
        """Return all rates since the change; none when some are missing or for too many."""
        if len(self._cut_tps) < self._trial.settle_s or len(measured_tps) > _MOST_RATES:
            return ()
        return (*self._cut_tps, *measured_tps)

    def _load_sample(self, second: LoadSecond) -> LoadSample:
        return LoadSample(
            t_s=second.second + 1 - self._t_of,
            trial=self._index,
            load=self._member.load,
            guest=self._member.guest,
            settling=second.second < self.first_second,
            throughput_tps=float(second.count),
            **_service_times([second]),
            errors=second.errors,
            retries=second.retries,
            client_cpu_frac=second.busiest_cpu_frac,
            probe_tps=None if second.probe_count is None else float(second.probe_count),
        )


def _merge_histograms(seconds: Sequence[LoadSecond]) -> Mapping[int, int]:
    total: Counter[int] = Counter()
    for second in seconds:
        total.update(second.histogram)
    return total


def _operation_figures(seconds: Sequence[LoadSecond]) -> dict[str, OperationFigures]:
    """Return the figures of each kind of operation.

    The result is empty for a load with one kind, or with figures of its own.
    """
    totals: dict[str, Counter[int]] = {}
    for second in () if any(second.figures for second in seconds) else seconds:
        for sort, times in second.sorts.items():
            totals.setdefault(sort, Counter()).update(times)
    if not totals:
        return {}
    minutes = len(seconds) / 60
    figures = {
        sort: OperationFigures(times.total() / minutes, quantile_ms(times, 0.50), quantile_ms(times, 0.95))
        for sort, times in sorted(totals.items())
    }
    return {**figures, REPEATED_KIND: OperationFigures(sum(second.retries for second in seconds) / minutes)}


def _client_figures(seconds: Sequence[LoadSecond]) -> dict[str, ClientFigures]:
    """Return the figures of each client computer; empty for the local clients."""
    found: dict[str, list[ClientSecond]] = {}
    for second in seconds:
        for name, part in second.clients.items():
            found.setdefault(name, []).append(part)
    return {
        name: ClientFigures(
            rate_tps=sum(part.count for part in parts) / len(seconds),
            users=max(part.users for part in parts),
            cpu_frac=sum(part.cpu_s / part.cpus for part in parts) / len(parts),
            clock_error_ms=1000 * max(part.clock_error_s for part in parts),
        )
        for name, parts in sorted(found.items())
    }


def _failed_operations(seconds: Iterable[LoadSecond]) -> str:
    """Return the names of failed operations, where they have names: `: Q17 over 60 s`."""
    names = sorted({name for second in seconds for name in second.failures})
    return f": {join_names(names)}" if names else ""


def _service_times(seconds: Sequence[LoadSecond]) -> _ServiceTimes:
    """Return service times from the histogram, milliseconds.

    Without a histogram, the result has the means over the seconds of the program's own figures.
    """
    histogram = _merge_histograms(seconds)

    def told(name: str) -> float | None:
        return _mean_known(second.reported_ms.get(name) for second in seconds)

    def one(name: str, quantile: float) -> float | None:
        return quantile_ms(histogram, quantile) if histogram else told(name)

    return _ServiceTimes(
        p50_ms=one("p50", 0.50), p95_ms=one("p95", 0.95), p99_ms=one("p99", 0.99), latency_ms=told("latency")
    )


def _domain_means(hosts: Sequence[HostSample], what: Callable[[DomainSample], float]) -> dict[DomainId, float]:
    """Return each domain's mean over the samples that include the domain."""
    names = sorted({name for host in hosts for name in host.domains})
    return {
        name: _mean_known(what(host.domains[name]) for host in hosts if name in host.domains) or 0.0 for name in names
    }


def _mean_known(values: Iterable[float | None]) -> float | None:
    """Return the mean of the known values; None when no value is known."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
