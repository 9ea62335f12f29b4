"""Swept factors, which apply settings to the host.

The engine only knows `SweepFactor`.
"""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from scheduler.model.other_guests import NONE_AWAY, KeptAway
from scheduler.model.placement import PLACE_SLOTS, CpuMask, PlacementParams, divide_cpus
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.setting import mode_of, split_of, vcpus_of
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import DomainId, Split
from scheduler.model.studies import Setting
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.run.lease import GUESTS_SCOPE, SWEEP_SCOPE, VCPUS_SCOPE, HostLease, LeaseScope
from scheduler.shares.share_model import ShareModel

ConfiguredShares = Mapping[DomainId, float]
"""Domain to its allotted share of the shared CPUs, 0..1. The sum is at most 1, less where the hypervisor has a share.
Empty without an allotment."""


class AppliedSetting(NamedTuple):
    """Parameters with which a setting was applied.

    Attributes:
        configured: Shares that the setting allots; empty for the baseline.
        params: Domain to the parameters that were written and verified.
    """

    configured: ConfiguredShares
    params: Mapping[DomainId, SchedParams]


class SweepFactor(Protocol):
    """Factor that a sweep varies."""

    def set(self, setting: Setting | None) -> AppliedSetting:
        """Apply a setting, None for the baseline; return the applied parameters."""
        ...

    def confirm(self) -> None:
        """Raise HostError when the setting is no longer in force."""
        ...


class SplitFactor:
    """The split of the shared CPUs, applied through the host's share model.

    Args:
        lease: The right to write to every domain of the splits.
        model: The host's share model.
        mode: Mode of settings without a mode of their own.
        period_us: Period of the caps, microseconds, 1000..1000000.
        confined: CPUs to which the domains are confined; empty where their placement stays.
        away: Guests that are kept off those CPUs, with the original settings of the domains, too.
    """

    def __init__(
        self,
        lease: HostLease,
        model: ShareModel,
        mode: Mode,
        period_us: int,
        confined: CpuMask = (),
        *,
        away: KeptAway = NONE_AWAY,
    ) -> None:
        self._confined = confined
        self._away = away
        self._lease = lease
        self._model = model
        self._mode = mode
        self._period_us = period_us

    def set(self, setting: Setting | None) -> AppliedSetting:
        """Write the parameters of the setting's split, or of the baseline without a split.

        Raises:
            SpecError: The host's share model cannot express the split.
            HostError: A write failed.
        """
        split, found = split_of(setting), self._lease.baseline()
        kept = place_others(found, self._away)
        if split is None:
            params = {**found, **kept}
            self._lease.apply(params)
            return AppliedSetting({}, params)
        mode = mode_of(setting, self._mode)
        encoding = self._model.encode(split, mode, self._period_us)
        places = place_split(found, self._confined, split, mode) if self._confined else {}
        params = {**places, **kept, **encoding.params}
        self._lease.apply(params)
        shares = {domain: float(share) for domain, share in encoding.achieved.items()}
        return AppliedSetting(shares, params)

    def confirm(self) -> None:
        """Read the parameters again.

        Raises:
            WriteNotVerified: A value did not last.
            HostError: The host cannot be read.
        """
        self._lease.confirm()


class VcpusFactor:
    """The number of the guest's vCPUs; the scheduler parameters stay at the baseline.

    Args:
        lease: The right to write; its scope includes `guest-vcpus`.
    """

    def __init__(self, lease: HostLease) -> None:
        self._lease = lease

    def set(self, setting: Setting | None) -> AppliedSetting:
        """Write the setting's number of vCPUs; without a number, the original one.

        Raises:
            HostError: A write failed.
        """
        params = self._lease.baseline()
        if number := vcpus_of(setting):
            params[GUEST_VCPUS] = VcpuParams(number)
        self._lease.apply(params)
        return AppliedSetting({}, params)

    def confirm(self) -> None:
        """Read all parameters again.

        Raises:
            WriteNotVerified: A value did not last.
            HostError: The host cannot be read.
        """
        self._lease.confirm()


def place_split(
    found: Mapping[DomainId, SchedParams], cpus: CpuMask, split: Split, mode: Mode
) -> dict[DomainId, PlacementParams]:
    """Return the placement of each domain at a split.

    Args:
        found: Slot to its original parameters, placements included.
        cpus: CPUs to which the domains are confined.
        split: The split; with dedicated CPUs it divides the CPUs.
        mode: Mode of the split.

    Raises:
        SpecError: A share is not a whole number of CPUs.
    """
    masks = divide_cpus(cpus, split) if mode is Mode.DEDICATED else dict.fromkeys(split.roles, cpus)
    places = ((PLACE_SLOTS[role], masks[role]) for role in split.roles)
    return {
        slot: original.confined_to(mask)
        for slot, mask in places
        if isinstance(original := found.get(slot), PlacementParams)
    }


def place_others(found: Mapping[DomainId, SchedParams], away: KeptAway) -> dict[DomainId, PlacementParams]:
    """Return the placement of each guest that is kept off the CPUs of the sweep.

    Args:
        found: Slot to its original parameters. A guest that has ended is not included.
        away: The guests, and the CPUs that remain for them.
    """
    return {
        slot: original.reduced_to(away.cpus)
        for slot in away.slots
        if isinstance(original := found.get(slot), PlacementParams)
    }


def create_factor(
    spec: RunSpec, lease: HostLease, model: ShareModel, confined: CpuMask = (), away: KeptAway = NONE_AWAY
) -> SweepFactor:
    """Return the factor that applies the settings of a study.

    Args:
        spec: The study.
        lease: The right to write to the host.
        model: The host's share model.
        confined: CPUs to which the domains are confined; empty where their placement stays.
        away: Guests that are kept off those CPUs.
    """
    if spec.kind.varies_vcpus:
        return VcpusFactor(lease)
    return SplitFactor(lease, model, spec.mode, spec.period_us, confined, away=away)


def lease_scope(spec: RunSpec, *, confined: bool = False, away: KeptAway = NONE_AWAY) -> LeaseScope:
    """Return the scope of the lease that a study needs on its host.

    Args:
        spec: The study.
        confined: True when the domains are confined to the shared CPUs.
        away: Guests that are kept off those CPUs.
    """
    if spec.kind.varies_vcpus:
        return VCPUS_SCOPE
    scope = GUESTS_SCOPE if spec.kind.has_two_guests else SWEEP_SCOPE
    places = [PLACE_SLOTS[domain] for domain in scope.slots] if confined else []
    return scope._replace(slots=(*scope.slots, *places, *away.slots))
