"""One QEMU domain under libvirt: its emulator's threads (the I/O side) against its vCPUs, by quotas.

One domain has one weight, so nothing but a partition can divide the two.
"""

from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.params import CGROUP_V1, LibvirtParams, SchedParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, DomainId, Split
from scheduler.shares.base import Encoding, Machine
from scheduler.shares.libvirt import LibvirtModel

NAME = "qemu-emulator"


class EmulatorModel:
    """Share model of one domain's two sides.

    Args:
        machine: The host; only the guest's vCPUs count, for its quota is per vCPU and the emulator's is one.
    """

    name = NAME
    modes: tuple[Mode, ...] = (Mode.PARTITION,)
    takes_period = True

    def __init__(self, machine: Machine) -> None:
        # Both versions of control groups take the same quotas.
        self._pair = LibvirtModel(NAME, CGROUP_V1, Machine(vcpus={IO: 1, GUEST: machine.online(GUEST)}))

    def encode(self, split: Split, mode: Mode, period_us: int) -> Encoding:
        """Translate; raises SpecError for share mode, and for what quotas cannot express."""
        if mode is not Mode.PARTITION:
            raise SpecError(
                "mode",
                "the emulator of a domain has a quota and no weight of its own",
                hint="Choose partition, or name another domain as the I/O domain.",
            )
        pair = self._pair.encode(split, mode, period_us)
        return msgspec.structs.replace(pair, params={d: _side(d, params) for d, params in pair.params.items()})

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        """Return the split that both quotas mean; None when a side has none."""
        return self._pair.decode({domain: _as_vcpus(given) for domain, given in params.items()})


def _side(domain: DomainId, params: SchedParams) -> SchedParams:
    if not isinstance(params, LibvirtParams):
        return params
    period_us, quota_us = params.vcpu_period_us, params.vcpu_quota_us
    if domain == IO:
        return LibvirtParams(None, None, None, period_us, quota_us)
    return LibvirtParams(None, period_us, quota_us)


def _as_vcpus(params: SchedParams) -> SchedParams:
    if isinstance(params, LibvirtParams) and params.vcpu_period_us is None:
        return LibvirtParams(None, params.emulator_period_us, params.emulator_quota_us)
    return params
