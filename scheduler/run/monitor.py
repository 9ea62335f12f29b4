"""Host monitor: rates from the counters of both domains, once a second."""

from collections.abc import Mapping

from scheduler.hosts.protocols import Host
from scheduler.model.documents import HostSample
from scheduler.model.domain_sample import DomainSample
from scheduler.model.host_properties import CpuUsage, DomainUsage
from scheduler.model.split import DomainId
from scheduler.run.factor import ConfiguredShares


class HostMonitor:
    """Differences of a host's counters.

    Args:
        host: The host.
        shared_cpus: Number of shared CPUs, >= 1.
    """

    def __init__(self, host: Host, shared_cpus: int) -> None:
        self._host = host
        self._shared_cpus = shared_cpus
        self._last: Mapping[DomainId, DomainUsage] = {}
        self._last_cpus: CpuUsage | None = None
        self._last_s = 0.0

    def restart(self, now_s: float) -> None:
        """Begin a new series: the next sample covers the time from now on.

        Args:
            now_s: Time on the engine's clock, seconds.
        """
        self._last = self._host.usage()
        self._last_cpus = self._host.cpu_usage()
        self._last_s = now_s

    def sample(self, now_s: float, t_s: float, trial: int, configured: ConfiguredShares) -> HostSample:
        """Return the rates since the last call.

        Args:
            now_s: Time on the engine's clock, seconds.
            t_s: The same time, seconds since the run began.
            trial: Number of the trial.
            configured: Domain to its allotted share, 0..1.
        """
        usage, cpus = self._host.usage(), self._host.cpu_usage()
        elapsed_s = max(now_s - self._last_s, 1e-6)
        domains = {
            domain: _domain_rates(self._last[domain], usage[domain], elapsed_s, configured.get(domain))
            for domain in usage
            if domain in self._last
        }
        busy_frac = sum(sample.used_frac for sample in domains.values()) / self._shared_cpus
        stolen_frac, foreign_frac = _foreign_fractions(self._last_cpus, cpus, elapsed_s * self._shared_cpus, busy_frac)
        self._last, self._last_cpus, self._last_s = usage, cpus, now_s
        return HostSample(
            t_s=t_s,
            trial=trial,
            domains=domains,
            idle_frac=max(0.0, 1.0 - busy_frac),
            stolen_frac=stolen_frac,
            foreign_frac=foreign_frac,
            clock_mhz=cpus.clock_mhz if cpus else None,
        )


def _foreign_fractions(
    before: CpuUsage | None, after: CpuUsage | None, cpu_s: float, domains_frac: float
) -> tuple[float | None, float | None]:
    """Return the shares of `cpu_s` used by other machines and by other programs, 0..1.

    The domains used `domains_frac` of `cpu_s`. A share is None when the host does not count it.
    """
    if before is None or after is None:
        return None, None
    stolen_frac = _clamp_frac((after.stolen_s - before.stolen_s) / cpu_s)
    if before.busy_s is None or after.busy_s is None:
        return stolen_frac, None
    return stolen_frac, _clamp_frac((after.busy_s - before.busy_s) / cpu_s - domains_frac)


def _clamp_frac(value: float) -> float:
    return min(1.0, max(0.0, value))  # rounding: the kernel counts CPUs in ticks, groups in nanoseconds


def _domain_rates(before: DomainUsage, after: DomainUsage, elapsed_s: float, configured: float | None) -> DomainSample:
    def per_s(name: str) -> float:
        # A counter that restarts (with its domain) must not yield a negative rate.
        return max(0.0, ((getattr(after, name) or 0.0) - (getattr(before, name) or 0.0)) / elapsed_s)

    return DomainSample(
        user_frac=per_s("user_s"),
        system_frac=per_s("system_s"),
        memory_bytes=after.memory_bytes,
        in_bytes=per_s("in_bytes"),
        out_bytes=per_s("out_bytes"),
        throttled_frac=min(1.0, per_s("throttled_s")),
        allotted_frac=configured,
    )
