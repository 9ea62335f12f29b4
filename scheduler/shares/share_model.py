"""Share models: from a split to scheduler parameters and back. Pure functions, no I/O."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from scheduler.model.host_properties import HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId, Split


class SplitEncoding(msgspec.Struct, frozen=True):
    """What a split becomes.

    Attributes:
        params: Parameters per domain.
        achieved: The split that these parameters really mean, after rounding.
        rounding_error_frac: How far the achieved ratio is from the split's, >= 0; 0.01 for 1 %.
        total_frac: What both domains get together at most, of one CPU; 1 where only the ratio is set.
        warnings: What a person should know before this is set; sentences with numbers.
    """

    params: Mapping[DomainId, SchedParams]
    achieved: Split
    rounding_error_frac: float
    total_frac: float = 1.0
    warnings: tuple[str, ...] = ()


class ShareModel(Protocol):
    """One scheduler's dialect.

    Attributes:
        name: The scheduler, as a host's facts name it.
        modes: What it can do.
        takes_period: Whether a partition has the period that a plan names; else the scheduler has its own.
    """

    name: str
    modes: tuple[Mode, ...]
    takes_period: bool

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        """Translate; raises SpecError when the scheduler cannot express the split (with the numbers)."""
        ...

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        """Return the split that the parameters mean; None when they mean none (no limits, unequal kinds)."""
        ...


class HostMachine(msgspec.Struct, frozen=True):
    """What translating needs to know of a host, beside the name of its scheduler.

    Attributes:
        vcpus: Online virtual CPUs per domain; 1 for one that is not named.
        vcpus_all: Virtual CPUs per domain, offline ones too; as many as are online where it names fewer.
        tslice_ms: Time slice of the credit scheduler, 1..1000 (sched_credit.c: default 30).
    """

    vcpus: Mapping[DomainId, int] = {}
    vcpus_all: Mapping[DomainId, int] = {}
    tslice_ms: int = 30

    def online(self, domain: DomainId) -> int:
        """Return the number of virtual CPUs that can use CPU time, >= 1."""
        return max(1, self.vcpus.get(domain, 1))

    def entries(self, domain: DomainId) -> int:
        """Return the number of virtual CPUs that have parameters, >= 1."""
        return max(self.online(domain), self.vcpus_all.get(domain, 0))


def build_host_machine(facts: HostProperties) -> HostMachine:
    """Return what translating needs of a host's facts."""
    return HostMachine(
        vcpus={domain.id: domain.vcpus for domain in facts.domains},
        vcpus_all={domain.id: domain.vcpus_all for domain in facts.domains},
        tslice_ms=facts.scheduler_settings.get("tslice_ms", 30),
    )
