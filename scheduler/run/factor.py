"""Factors: how a setting is brought about. One class per swept factor; the engine knows only `set`."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from scheduler.model.scheduler_params import SchedParams
from scheduler.model.setting import Setting, mode_of, split_of, vcpus_of
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import DomainId
from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams
from scheduler.run.lease import GUESTS_SCOPE, SWEEP_SCOPE, VCPUS_SCOPE, HostLease, LeaseScope
from scheduler.shares.share_model import ShareModel

ConfiguredShares = Mapping[DomainId, float]
"""Domain to its configured share of the contended CPU; together at most 1, and less where the hypervisor is left some.
Empty where nothing is configured."""


class AppliedSetting(NamedTuple):
    """What a setting was brought about with.

    Attributes:
        configured: The shares that it configures.
        params: Domain to what was written and read back.
    """

    configured: ConfiguredShares
    params: Mapping[DomainId, SchedParams]


class SweepFactor(Protocol):
    """What a sweep varies."""

    def set(self, setting: Setting | None) -> AppliedSetting:
        """Bring the setting about (None: the host as found) and return what is in force now."""
        ...

    def confirm(self) -> None:
        """Raise HostError when the setting is in force no more."""
        ...


class SplitFactor:
    """The split of the shared CPU time, through the host's share model.

    Args:
        lease: The right to write to every domain of the splits.
        model: The host's share model.
        mode: Mode of the settings that name none.
        period_us: Period of the caps, 1000..1000000.
    """

    def __init__(self, lease: HostLease, model: ShareModel, mode: Mode, period_us: int) -> None:
        self._lease = lease
        self._model = model
        self._mode = mode
        self._period_us = period_us

    def set(self, setting: Setting | None) -> AppliedSetting:
        """Write the parameters of the setting's split, if it has one; raises SpecError, HostError."""
        split = split_of(setting)
        if split is None:
            params = self._lease.baseline()
            self._lease.apply(params)
            return AppliedSetting({}, params)
        mode = mode_of(setting, self._mode)
        encoding = self._model.encode(split, mode, self._period_us)
        self._lease.apply(encoding.params)
        shares = {domain: float(share) for domain, share in encoding.achieved.items()}
        return AppliedSetting(shares, dict(encoding.params))

    def confirm(self) -> None:
        """Read the parameters back once more; raises WriteNotTaken, HostError."""
        self._lease.confirm()


class VcpusFactor:
    """The number of the guest's vCPUs; the schedulers' parameters stay as found.

    Args:
        lease: The right to write, `guest-vcpus` among what it puts back.
    """

    def __init__(self, lease: HostLease) -> None:
        self._lease = lease

    def set(self, setting: Setting | None) -> AppliedSetting:
        """Write the setting's number, or that as found; raises HostError."""
        params = self._lease.baseline()
        if number := vcpus_of(setting):
            params[GUEST_VCPUS] = VcpuParams(number)
        self._lease.apply(params)
        return AppliedSetting({}, params)

    def confirm(self) -> None:
        """Read everything back once more; raises WriteNotTaken, HostError."""
        self._lease.confirm()


def create_factor(spec: RunSpec, lease: HostLease, model: ShareModel) -> SweepFactor:
    """Return what brings a study's settings about on a host with this share model.

    Args:
        spec: The study.
        lease: The right to write.
        model: The host's.
    """
    if spec.kind.varies_vcpus:
        return VcpusFactor(lease)
    return SplitFactor(lease, model, spec.mode, spec.period_us)


def lease_scope(spec: RunSpec) -> LeaseScope:
    """Return what a study may change on its host."""
    return {"vcpus": VCPUS_SCOPE, "guests": GUESTS_SCOPE}.get(spec.kind.factor, SWEEP_SCOPE)
