"""Share model of one QEMU domain: its emulator threads against its vCPUs.

The emulator threads are the I/O side. One domain has one weight, so that only quotas can divide the two sides.
"""

from collections.abc import Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.scheduler_params import CGROUP_V1, LibvirtParams, SchedParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, DomainId, Split
from scheduler.shares.libvirt import LibvirtModel
from scheduler.shares.share_model import HostMachine, SplitEncoding
from scheduler.translation import _

EMULATOR_NAME = "qemu-emulator"


class EmulatorModel:
    """Share model of the two sides of one domain.

    Args:
        machine: The host; only the guest's vCPUs count, as its quota is per vCPU and the emulator has a single quota.
    """

    name = EMULATOR_NAME
    modes: tuple[Mode, ...] = (Mode.CAPS,)
    takes_period = True

    def __init__(self, machine: HostMachine) -> None:
        # Both versions of control groups take the same quotas.
        pair = HostMachine(vcpus={IO: 1, GUEST: machine.online(GUEST)}, cpus=machine.cpus)
        self._pair = LibvirtModel(EMULATOR_NAME, CGROUP_V1, pair, whole=(IO,))

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        """Translate a split into quotas of both sides.

        Args:
            split: The split.
            mode: Caps, or dedicated CPUs.
            period_us: Period of the quotas, 1000..1000000.

        Raises:
            SpecError: The mode is weights, or quotas cannot express the split.
        """
        if mode is Mode.WEIGHTS:
            raise SpecError(
                "mode",
                _("the emulator of a domain has a quota but no own weight"),
                hint=_("Choose caps, or name another domain as the I/O domain."),
            )
        pair = self._pair.encode(split, mode, period_us)
        return msgspec.structs.replace(
            pair, params={d: _to_side_params(d, params) for d, params in pair.params.items()}
        )

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        """Return the split of both quotas; None when a side has no quota."""
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
