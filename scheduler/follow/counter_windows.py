"""Windows of ten seconds between two snapshots of counters, grouped by load."""

import math
from collections.abc import Mapping, Sequence

import msgspec

from scheduler.follow.split_rule import IDLE_CPUS, PairUsage
from scheduler.model.host_properties import CpuUsage, DomainUsage
from scheduler.model.split import GUEST, IO, DomainId
from scheduler.translation import _

WINDOW_S = 10.0
LEAST_KEPT = 3
MOST_KEPT = 6
_ANOTHER_LOAD = 0.35  # two windows in a row this far from the others' mean ln(b_io/b_g) are another load
LONGEST_S = 3 * WINDOW_S  # the use within a longer window is not known
_MOST_OVER = 1.1  # allows for two clocks, and for toolstacks that update their counters every few seconds
_LEAST_LEFT = 0.05
_LEAST_CPUS = 1e-6


class CounterSnapshot(msgspec.Struct, frozen=True):
    """CPU counters at one moment.

    Attributes:
        at_s: Time on a monotonic clock, seconds.
        domains: Counters of each domain.
        cpus: Counters of the shared CPUs; None when the host does not report them.
    """

    at_s: float
    domains: Mapping[DomainId, DomainUsage]
    cpus: CpuUsage | None = None


class CounterWindow(msgspec.Struct, frozen=True):
    """CPU use between two snapshots.

    Attributes:
        use: CPU used by both domains.
        others_frac: Share of the shared CPUs that others used, 0..1; None when it is not known.
        full_frac: Share of the shared CPUs that was used by any program, 0..1; None when it is not known.
        throttled_frac: Share of time in which a domain was throttled, 0..1, the larger one; None when not reported.
    """

    use: PairUsage
    others_frac: float | None = None
    full_frac: float | None = None
    throttled_frac: float | None = None


def window_between(
    before: CounterSnapshot, after: CounterSnapshot, most_cpus: Mapping[DomainId, float], cpus: int
) -> CounterWindow | str:
    """Return the window between two snapshots, or the reason to discard it.

    Args:
        before: The earlier snapshot.
        after: The later snapshot.
        most_cpus: Number of vCPUs of each domain.
        cpus: Number of shared CPUs, >= 1.
    """
    took_s = after.at_s - before.at_s
    if not 0 < took_s <= LONGEST_S:
        return _("{took_s:.0f} s passed between two looks").format(took_s=took_s)
    received: dict[DomainId, float] = {}
    held: list[float] = []
    for domain in (IO, GUEST):
        old, new = before.domains.get(domain), after.domains.get(domain)
        if old is None or new is None:
            return _("{domain} has no counters").format(domain=domain)
        received[domain] = (new.user_s + new.system_s - old.user_s - old.system_s) / took_s
        if old.throttled_s is not None and new.throttled_s is not None:
            held.append(min(1.0, (new.throttled_s - old.throttled_s) / took_s))
        if received[domain] < 0:
            return _("the counter of {domain} went back").format(domain=domain)
        if received[domain] > most_cpus.get(domain, 1.0) * _MOST_OVER:
            return _("the counter of {domain} went on by {received:.1f} CPUs, more than it has").format(
                domain=domain, received=received[domain]
            )
    others, full = _foreign_fractions(before.cpus, after.cpus, took_s * cpus, sum(received.values()) / cpus)
    left_frac = 1.0 if others is None else max(_LEAST_LEFT, 1.0 - others)
    return CounterWindow(PairUsage(received[IO], received[GUEST], left_frac), others, full, max(held, default=None))


class WindowBuffer:
    """The newest windows of one load at one split, at most six."""

    def __init__(self) -> None:
        self._windows: list[PairUsage] = []
        self._skips = False

    def changed(self) -> None:
        """Clear the buffer after a change of the split, and skip the next window.

        The next window lies partly before the change.
        """
        self._windows, self._skips = [], True

    def add(self, use: PairUsage) -> None:
        """Add a window; an idle window clears the buffer.

        Two windows in a row of another load remove the earlier windows.
        """
        if self._skips:
            self._skips = False
        elif use.together_cpus < IDLE_CPUS:
            self._windows = []
        else:
            self._windows.append(use)
            older, newer = self._windows[:-2], self._windows[-2:]
            if len(older) >= LEAST_KEPT:
                mean = sum(map(_ln_ratio, older)) / len(older)
                if all(abs(_ln_ratio(each) - mean) > _ANOTHER_LOAD for each in newer):
                    self._windows = newer
            del self._windows[:-MOST_KEPT]

    @property
    def count(self) -> int:
        """Number of windows in the buffer."""
        return len(self._windows)

    def mean(self) -> PairUsage | None:
        """Return the mean CPU use of the buffer; None with fewer than three windows."""
        return mean_usage(self._windows) if len(self._windows) >= LEAST_KEPT else None


def mean_usage(uses: Sequence[PairUsage]) -> PairUsage:
    """Return the mean of the CPU use of at least one window."""
    count = len(uses)
    io, guest = sum(each.io_cpus for each in uses), sum(each.guest_cpus for each in uses)
    return PairUsage(io / count, guest / count, sum(each.left_frac for each in uses) / count)


def _foreign_fractions(
    before: CpuUsage | None, after: CpuUsage | None, cpu_s: float, domains_frac: float
) -> tuple[float | None, float | None]:
    """Return the shares of `cpu_s` that others used, and that was used at all.

    `domains_frac` is the share that both domains used.
    """
    if before is None or after is None:
        return None, None
    stolen = max(0.0, (after.stolen_s - before.stolen_s) / cpu_s)
    if before.busy_s is None or after.busy_s is None:
        return min(1.0, stolen), min(1.0, stolen + domains_frac)
    busy = max(domains_frac, (after.busy_s - before.busy_s) / cpu_s)
    return min(1.0, stolen + busy - domains_frac), min(1.0, stolen + busy)


def _ln_ratio(use: PairUsage) -> float:
    return math.log(max(use.io_cpus, _LEAST_CPUS) / max(use.guest_cpus, _LEAST_CPUS))
