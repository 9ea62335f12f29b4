"""Share models: from a split to scheduler parameters and back. Pure functions, no I/O."""

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
    """What a split becomes.

    Attributes:
        params: Parameters per domain.
        achieved: Domain to the share of one CPU that these parameters really mean, after rounding; together 1, or a
            little less where the hypervisor is left some.
        rounding_error_frac: How far the worst domain is from the split, against all others together, >= 0; 0.01 for
            1 %.
        warnings: What a person should know before this is set; sentences with numbers.
    """

    params: Mapping[DomainId, SchedParams]
    achieved: Mapping[DomainId, Fraction]
    rounding_error_frac: float
    warnings: tuple[str, ...] = ()

    @property
    def total_frac(self) -> float:
        """What all domains get together at most, of one CPU; 1 where only the proportion is set."""
        return float(sum(self.achieved.values()))


class ShareModel(Protocol):
    """One scheduler's dialect.

    Attributes:
        name: The scheduler, as a host's facts name it.
        modes: What it can do.
        takes_period: Whether caps have the period that a plan names; else the scheduler has its own.
    """

    name: str
    modes: tuple[Mode, ...]
    takes_period: bool

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        """Translate a split into the parameters of its domains.

        Args:
            split: The split, of any number of domains.
            mode: Weights and no limit, or limits that sum to one CPU, or a little less.
            period_us: Period of the limits, 1000..1000000, where the scheduler takes one.

        Raises:
            SpecError: The scheduler cannot express the split, with the numbers: a limit below its least, a period out
                of range, no such mode, or rounding that would change a share by more than 2 %.
        """
        ...

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        """Return the split that the parameters mean; None when they mean none (no limits, unequal kinds).

        What is set beside the domains, as the number of vCPUs, is left out of account.
        """
        ...


def domains_of(params: Mapping[DomainId, object], dialect: type[ParamsT]) -> dict[DomainId, ParamsT]:
    """Return the parameters of the domains, in the order of `ROLES`; empty for other dialects, or no guest.

    Args:
        params: Domain, or what else is set on a host, to its parameters.
        dialect: Type of parameters that all domains have to have.
    """
    roles = [role for role in ROLES if role in params]
    own = {role: each for role in roles if isinstance(each := params[role], dialect)}
    return own if len(own) == len(roles) and {IO, GUEST} <= set(own) else {}


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
