"""Protocol of share models: translation of splits to parameters, without I/O."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol, TypeVar

import msgspec

from scheduler.model.host_properties import HostProperties
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, ROLES, DomainId, Split

ParamsT = TypeVar("ParamsT")


class SplitEncoding(msgspec.Struct, frozen=True):
    """Scheduler parameters of a split, with their accuracy.

    Attributes:
        params: Parameters by domain.
        achieved: Share of the shared CPUs by domain after rounding. The sum is 1, or less where the hypervisor keeps a
            rest, or where a domain has fewer vCPUs than its share.
        rounding_error_frac: Largest relative error of a domain, against all others together, >= 0; 0.01 for 1 %.
        warnings: Warnings to show before the split is set; sentences with numbers.
    """

    params: Mapping[DomainId, SchedParams]
    achieved: Mapping[DomainId, Fraction]
    rounding_error_frac: float
    warnings: tuple[str, ...] = ()

    @property
    def total_frac(self) -> float:
        """Largest CPU use of all domains together, of the shared CPUs; 1 for weights."""
        return float(sum(self.achieved.values()))


class ShareModel(Protocol):
    """Share model of one scheduler.

    Attributes:
        name: Name of the scheduler in the host's properties.
        modes: Modes of the scheduler that divide time. Dedicated CPUs are a matter of placement, under every scheduler.
        takes_period: True when caps use the plan's period, False when the scheduler has its own.
    """

    name: str
    modes: tuple[Mode, ...]
    takes_period: bool

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        """Translate a split into the parameters of its domains.

        Args:
            split: The split, of any number of domains.
            mode: Weights without limits; caps that sum to the shared CPUs or a little less; or dedicated CPUs, without
                limits, where the placement divides the CPUs.
            period_us: Period of the caps, 1000..1000000, where the scheduler takes one.

        Raises:
            SpecError: The scheduler cannot express the split; the message has the numbers. A limit is below the
                scheduler's minimum, the period is out of range, the mode does not exist, or rounding changes a share by
                more than 2 %.
        """
        ...

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        """Return the split of the parameters; None without limits, or for unequal kinds.

        Other parameters, such as the number of vCPUs, are ignored.
        """
        ...


def domains_of(params: Mapping[DomainId, object], dialect: type[ParamsT]) -> dict[DomainId, ParamsT]:
    """Return the domains' parameters in the order of `ROLES`; else an empty dict.

    The dict is empty when a domain has parameters of another type, or the I/O domain or guest is missing.

    Args:
        params: Parameters by domain; other keys are ignored.
        dialect: Type of parameters that all domains must have.
    """
    roles = [role for role in ROLES if role in params]
    own = {role: each for role in roles if isinstance(each := params[role], dialect)}
    return own if len(own) == len(roles) and {IO, GUEST} <= set(own) else {}


class HostMachine(msgspec.Struct, frozen=True):
    """Properties of a host that translation needs, except its scheduler's name.

    Attributes:
        vcpus: Number of online vCPUs by domain; 1 for a missing domain.
        vcpus_all: Number of vCPUs by domain, offline vCPUs included; at least the number of online vCPUs counts.
        tslice_ms: Time slice of the credit scheduler, 1..1000 (sched_credit.c: default 30).
        cpus: Number of CPUs that the domains share, >= 1.
    """

    vcpus: Mapping[DomainId, int] = {}
    vcpus_all: Mapping[DomainId, int] = {}
    tslice_ms: int = 30
    cpus: int = 1

    def online(self, domain: DomainId) -> int:
        """Return the number of vCPUs that can use CPU time, >= 1."""
        return max(1, self.vcpus.get(domain, 1))

    def entries(self, domain: DomainId) -> int:
        """Return the number of vCPUs that have parameters, >= 1."""
        return max(self.online(domain), self.vcpus_all.get(domain, 0))


def build_host_machine(facts: HostProperties) -> HostMachine:
    """Return the properties that translation needs of a host."""
    return HostMachine(
        vcpus={domain.id: domain.vcpus for domain in facts.domains},
        vcpus_all={domain.id: domain.vcpus_all for domain in facts.domains},
        tslice_ms=facts.scheduler_settings.get("tslice_ms", 30),
        cpus=max(1, len(facts.shared_cpus)),
    )
