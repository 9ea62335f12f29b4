"""From the seconds of a measured window to the figures of its visit."""

from collections.abc import Mapping, Sequence

import msgspec

from scheduler.model.documents import HostSample, LoadSample
from scheduler.model.split import DomainId


class WindowFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The numeric fields of a `VisitDone` that come from its seconds; names and units are the same there.

    Attributes:
        errors: Operations that failed.
        retries: Operations repeated.
        client_cpu_frac: CPU of the busiest user process, mean, 0..1.
        delivered_frac: Domain to CPU received, fraction of one CPU.
        throttled_frac: Domain to the part of the time in which its quota held it back.
        probe_tps: Rate of the probe reader; None when there was none.
        stolen_frac: CPU time that other machines took; None where it is not known.
        foreign_frac: CPU time that other programs took; None likewise.
        clock_mhz: Frequency of the contended CPU; None likewise.
    """

    errors: int
    retries: int
    client_cpu_frac: float
    delivered_frac: Mapping[DomainId, float]
    throttled_frac: Mapping[DomainId, float]
    probe_tps: float | None
    stolen_frac: float | None
    foreign_frac: float | None
    clock_mhz: float | None


def figures(samples: Sequence[LoadSample], hosts: Sequence[HostSample]) -> WindowFigures:
    """Summarise one measured window; seconds marked as settling are left out."""
    counted = [sample for sample in samples if not sample.settling]
    names = sorted({name for host in hosts for name in host.domains})
    return WindowFigures(
        errors=sum(sample.errors for sample in counted),
        retries=sum(sample.retries for sample in counted),
        client_cpu_frac=_mean([sample.client_cpu_frac for sample in counted]),
        delivered_frac={name: _mean(_values(hosts, name, "delivered_frac")) for name in names},
        throttled_frac={name: _mean(_values(hosts, name, "throttled_frac")) for name in names},
        probe_tps=_known([sample.probe_tps for sample in counted]),
        stolen_frac=_known([host.stolen_frac for host in hosts]),
        foreign_frac=_known([host.foreign_frac for host in hosts]),
        clock_mhz=_known([host.clock_mhz for host in hosts]),
    )


def _values(hosts: Sequence[HostSample], name: DomainId, field: str) -> list[float]:
    values = (getattr(host.domains[name], field) for host in hosts if name in host.domains)
    return [float(value) for value in values if value is not None]


def _known(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return _mean(known) if known else None


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
