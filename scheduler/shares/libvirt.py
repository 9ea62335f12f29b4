"""Share models of libvirt's QEMU and LXC domains.

Weights are `cpu_shares`, and caps are quotas, over version 1 or 2 of control groups. QEMU's quota is per vCPU, and
LXC's quota is for the whole domain. QEMU's quota does not limit its other threads (emulator, iothreads).
"""

from collections.abc import Collection, Mapping
from fractions import Fraction
from math import ceil

from scheduler.errors import SpecError
from scheduler.model.checks import check_range
from scheduler.model.scheduler_params import (
    CGROUP_V1,
    CGROUP_V2,
    DEFAULT_PERIOD_US,
    MIN_QUOTA_US,
    CgroupLimits,
    LibvirtParams,
    SchedParams,
)
from scheduler.model.sentence_texts import join_names
from scheduler.model.spec import PERIOD_US_RANGE, Mode
from scheduler.model.split import ROLES, DomainId, Split
from scheduler.shares.dedicated import encode_dedicated, warn_of_few_vcpus
from scheduler.shares.rounding import (
    TOTAL,
    NumberSteps,
    best_numbers,
    check_caps,
    check_rounding,
    choose_weights,
    exact_fracs,
    shares_to_split,
)
from scheduler.shares.share_model import HostMachine, SplitEncoding, domains_of
from scheduler.translation import _

# Weights that both versions accept, as the version of a remote host is not known for certain.
_EITHER = CgroupLimits(CGROUP_V1.scheduler, (CGROUP_V1.weights[0], CGROUP_V2.weights[1]), CGROUP_V1.default_weight)


class LibvirtModel:
    """Share model of one driver with one version of control groups.

    Args:
        name: Name of the scheduler in the host's properties.
        limits: Values that the kernel accepts.
        machine: The host's vCPUs and the number of shared CPUs.
        whole: Domains whose quota is for the whole domain, and may exceed the period.
    """

    modes: tuple[Mode, ...] = (Mode.WEIGHTS, Mode.CAPS)
    takes_period = True

    def __init__(self, name: str, limits: CgroupLimits, machine: HostMachine, whole: Collection[DomainId] = ()) -> None:
        self.name = name
        self._limits = limits
        self._machine = machine
        self._whole = whole

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        if mode is Mode.DEDICATED:
            free = self._build_params(self._limits.default_weight, DEFAULT_PERIOD_US, None)
            return encode_dedicated(split, self._machine, lambda _: free, self._whole)
        return self._encode_weights(split) if mode is Mode.WEIGHTS else self._encode_quotas(split, period_us)

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        own = domains_of(params, LibvirtParams)
        quotas = {domain: self._quota_share(domain, each) for domain, each in own.items()}
        limited = {domain: share for domain, share in quotas.items() if share is not None}
        if limited:
            return shares_to_split(limited) if len(limited) == len(own) else None
        weights = {d: Fraction(each.cpu_shares) for d, each in own.items() if each.cpu_shares is not None}
        if len(weights) < len(own) or all(weight == self._limits.default_weight for weight in weights.values()):
            return None
        return shares_to_split(weights)

    def _encode_weights(self, split: Split) -> SplitEncoding:
        low, high = self._limits.weights
        number = choose_weights(exact_fracs(split), self._limits.default_weight, high, floor=low)
        what = f"cpu_shares {join_names(map(str, number.values()))}"
        hint = _("Choose a split whose parts are less far apart.")
        weights = {domain: Fraction(each) for domain, each in number.items()}
        error_frac = check_rounding(weights, split, what=what, hint=hint)
        params = {domain: self._build_params(each, DEFAULT_PERIOD_US, None) for domain, each in number.items()}
        total = sum(weights.values())
        achieved = {domain: weight / total for domain, weight in weights.items()}
        return SplitEncoding(params, achieved, error_frac, self._warn_of_few_vcpus(split))

    def _encode_quotas(self, split: Split, period_us: int) -> SplitEncoding:
        check_range("period_us", period_us, PERIOD_US_RANGE)
        for domain in split.roles:
            self._check_quota(split, domain, period_us)
        whole_us = period_us * self._machine.cpus
        unit = {domain: Fraction(self._thread_count(domain), whole_us) for domain in split.roles}
        steps = NumberSteps(unit, {domain: period_us for domain in split.roles if domain not in self._whole})
        quota_us = best_numbers(split, steps, least=MIN_QUOTA_US)
        achieved = {domain: each_us * unit[domain] for domain, each_us in quota_us.items()}
        what = _("quotas of {join_names} per {period_us} us").format(
            join_names=join_names([_("{each_us} us").format(each_us=each_us) for each_us in quota_us.values()]),
            period_us=period_us,
        )
        error_frac, totals = check_caps(achieved, split, steps, what=what, hint=_("Use a longer period."))
        default = self._limits.default_weight
        params = {domain: self._build_params(default, period_us, each_us) for domain, each_us in quota_us.items()}
        return SplitEncoding(params, achieved, error_frac, (*self._warn_of_few_vcpus(split), *totals))

    def _warn_of_few_vcpus(self, split: Split) -> tuple[str, ...]:
        return warn_of_few_vcpus(split, self._machine, self._whole)

    def _check_quota(self, split: Split, domain: DomainId, period_us: int) -> None:
        part = self._vcpu_share(split, domain)
        if part * period_us >= MIN_QUOTA_US:
            return
        enough_us = ceil(MIN_QUOTA_US / part)
        longer = _("Use a period of at least {enough_us} us, or leave this split out.").format(enough_us=enough_us)
        raise SpecError(
            "period_us",
            _(
                "{label} gives the {domain} domain {part:.0f} us of each {period_us} us{value}, "
                "below the kernel's minimum of {min_quota_us} us"
            ).format(
                label=split.label,
                domain=domain,
                part=float(part * period_us),
                period_us=period_us,
                value=_(" on each of {thread_count} vCPUs").format(thread_count=self._thread_count(domain))
                if self._thread_count(domain) > 1
                else "",
                min_quota_us=MIN_QUOTA_US,
            ),
            hint=longer if enough_us <= PERIOD_US_RANGE[1] else _("Leave this split out, or use fewer vCPUs."),
        )

    def _vcpu_share(self, split: Split, domain: DomainId) -> Fraction:
        return TOTAL * exact_fracs(split)[domain] * self._machine.cpus / self._thread_count(domain)

    def _thread_count(self, domain: DomainId) -> int:
        return 1 if domain in self._whole else self._machine.online(domain)

    def _quota_share(self, domain: DomainId, params: LibvirtParams) -> Fraction | None:
        if not params.vcpu_period_us or params.vcpu_quota_us is None:
            return None
        return Fraction(params.vcpu_quota_us * self._thread_count(domain), params.vcpu_period_us)

    def _build_params(self, cpu_shares: int, period_us: int, quota_us: int | None) -> LibvirtParams:
        """Return parameters without a limit of the emulator's threads.

        QEMU reports a quota of these threads as well.
        """
        emulator_us = None if set(ROLES) <= set(self._whole) else DEFAULT_PERIOD_US
        return LibvirtParams(cpu_shares, period_us, quota_us, emulator_us)


def build_libvirt_models(machine: HostMachine) -> tuple[LibvirtModel, ...]:
    """Return the models of QEMU and LXC, each for both versions of control groups."""
    versions = (("v1", _EITHER), ("v2", CGROUP_V2))
    return tuple(
        LibvirtModel(f"{driver}-{version}", limits, machine, () if driver == "qemu" else ROLES)
        for driver in ("qemu", "lxc")
        for version, limits in versions
    )
