"""One QEMU domain under libvirt: its emulator's threads (the I/O side) against its vCPUs, by quotas.

One domain has one weight, so nothing but caps can divide the two.
"""

from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.scheduler_params import CGROUP_V1, LibvirtParams, SchedParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, DomainId, Split
from scheduler.shares.libvirt import LibvirtModel
from scheduler.shares.share_model import HostMachine, SplitEncoding

EMULATOR_NAME = "qemu-emulator"


class EmulatorModel:
    """Share model of one domain's two sides.

    Args:
        machine: The host; only the guest's vCPUs count, for its quota is per vCPU and the emulator's is one.
    """

    name = EMULATOR_NAME
    modes: tuple[Mode, ...] = (Mode.CAPS,)
    takes_period = True

    def __init__(self, machine: HostMachine) -> None:
        # Both versions of control groups take the same quotas.
        self._pair = LibvirtModel(EMULATOR_NAME, CGROUP_V1, HostMachine(vcpus={IO: 1, GUEST: machine.online(GUEST)}))

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        """Translate; raises SpecError for weights, and for what quotas cannot express."""
        if mode is not Mode.CAPS:
            raise SpecError(
                "mode",
                "the emulator of a domain has a quota and no weight of its own",
                hint="Choose caps, or name another domain as the I/O domain.",
            )
        pair = self._pair.encode(split, mode, period_us)
        return msgspec.structs.replace(
            pair, params={d: _to_side_params(d, params) for d, params in pair.params.items()}
        )

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        """Return the split that both quotas mean; None when a side has none."""
        return self._pair.decode({domain: _to_vcpu_params(given) for domain, given in params.items()})


def _to_side_params(domain: DomainId, params: SchedParams) -> SchedParams:
    if not isinstance(params, LibvirtParams):
        return params
    period_us, quota_us = params.vcpu_period_us, params.vcpu_quota_us
    if domain == IO:
        return LibvirtParams(None, None, None, period_us, quota_us)
    return LibvirtParams(None, period_us, quota_us)


def _to_vcpu_params(params: SchedParams) -> SchedParams:
    if isinstance(params, LibvirtParams) and params.vcpu_period_us is None:
        return LibvirtParams(None, params.emulator_period_us, params.emulator_quota_us)
    return params
