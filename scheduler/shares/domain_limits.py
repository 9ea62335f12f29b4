"""CPU limits and weights of domains, read from and replaced in their parameters."""

import math

import msgspec

from scheduler.model.scheduler_params import (
    CgroupParams,
    Credit2Params,
    CreditParams,
    LibvirtParams,
    RtdsParams,
    SchedParams,
    SedfParams,
)
from scheduler.model.split import DomainId
from scheduler.shares.share_model import HostMachine

_US_PER_MS = 1_000.0


def limit_cpus(params: SchedParams, domain: DomainId, machine: HostMachine) -> float | None:
    """Return a domain's limit in CPUs; None when its parameters set no limit.

    Args:
        params: Parameters of the domain.
        domain: The domain.
        machine: The host's vCPUs, as budgets, slices and QEMU's quotas are per vCPU. A container has 1.
    """
    vcpus = machine.online(domain)
    match params:
        case CgroupParams():
            return None if params.quota_us is None else params.quota_us / params.period_us
        case CreditParams() | Credit2Params():
            return params.cap_pct / 100 or None
        case RtdsParams():
            online = params.vcpus[:vcpus]
            lends = any(vcpu.extratime or vcpu.period_us <= 0 for vcpu in online)
            return None if lends else sum(vcpu.budget_us / vcpu.period_us for vcpu in online)
        case SedfParams():
            lends = params.extratime or params.weight or params.period_ms <= 0
            return None if lends else params.slice_ms / params.period_ms * vcpus
        case LibvirtParams():
            return _libvirt_limit_cpus(params, vcpus)
        case _:  # parameters of other things than CPU time, or of a host that cannot be followed
            return None


def weight_of(params: SchedParams, domain: DomainId, machine: HostMachine) -> float | None:
    """Return a domain's weight against other domains of the host; None without one.

    Args:
        params: Parameters of the domain.
        domain: The domain.
        machine: The host's vCPUs, as Xen's weights are per vCPU.
    """
    match params:
        case CgroupParams():
            return float(params.weight)
        case CreditParams() | Credit2Params():
            return float(params.weight * machine.online(domain))
        case LibvirtParams():
            return None if params.cpu_shares is None else float(params.cpu_shares)
        case _:
            return None


def replace_limit(params: SchedParams, domain: DomainId, cpus: float, machine: HostMachine) -> SchedParams:
    """Return the parameters with another limit of the same period, rounded down.

    The limits of two domains so never exceed their total. No limit exceeds the vCPUs that count it.

    Args:
        params: Parameters of the domain.
        domain: The domain.
        cpus: The limit, CPUs, > 0.
        machine: The host's vCPUs.
    """
    vcpus = machine.online(domain)
    match params:
        case CgroupParams():
            return msgspec.structs.replace(params, quota_us=_round_down(cpus * params.period_us))
        case CreditParams() | Credit2Params():
            return msgspec.structs.replace(params, cap_pct=max(1, _round_down(100 * min(cpus, vcpus))))
        case RtdsParams():
            part = min(1.0, cpus / vcpus)
            return RtdsParams(
                tuple(
                    msgspec.structs.replace(each, budget_us=_round_down(part * each.period_us)) for each in params.vcpus
                )
            )
        case SedfParams():
            slice_ms = _round_down(min(1.0, cpus / vcpus) * params.period_ms * _US_PER_MS) / _US_PER_MS
            return msgspec.structs.replace(params, slice_ms=slice_ms)
        case LibvirtParams():
            return _limit_libvirt(params, cpus, vcpus)
        case _:
            return params


def replace_weight(params: SchedParams, weight: float, domain: DomainId, machine: HostMachine) -> SchedParams:
    """Return the parameters with another weight, rounded; without weights, unchanged.

    Args:
        params: Parameters of the domain.
        weight: The weight against other domains of the host, > 0.
        domain: The domain.
        machine: The host's vCPUs.
    """
    match params:
        case CgroupParams():
            return msgspec.structs.replace(params, weight=max(1, round(weight)))
        case CreditParams() | Credit2Params():
            return msgspec.structs.replace(params, weight=max(1, round(weight / machine.online(domain))))
        case LibvirtParams():
            return msgspec.structs.replace(params, cpu_shares=max(1, round(weight)))
        case _:
            return params


def _libvirt_limit_cpus(params: LibvirtParams, vcpus: int) -> float | None:
    if params.vcpu_period_us is None and params.emulator_period_us:  # the emulator's side of one domain
        quota_us = params.emulator_quota_us
        return None if quota_us is None else quota_us / params.emulator_period_us
    if not params.vcpu_period_us or params.vcpu_quota_us is None:
        return None
    return params.vcpu_quota_us * vcpus / params.vcpu_period_us


def _limit_libvirt(params: LibvirtParams, cpus: float, vcpus: int) -> LibvirtParams:
    if params.vcpu_period_us is None:
        return msgspec.structs.replace(params, emulator_quota_us=_round_down(cpus * (params.emulator_period_us or 0)))
    return msgspec.structs.replace(params, vcpu_quota_us=_round_down(min(1.0, cpus / vcpus) * params.vcpu_period_us))


def _round_down(value: float) -> int:
    return math.floor(value + 1e-6)  # 0.29 * 100 is 28.999999999999996
