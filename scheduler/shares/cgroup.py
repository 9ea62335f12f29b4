"""Share models of control groups.

Weights are `cpu.shares` or `cpu.weight`; quotas are `cpu.cfs_quota_us` or `cpu.max`.
"""

import math
from collections.abc import Mapping
from fractions import Fraction

from scheduler.errors import SpecError
from scheduler.model.checks import check_range
from scheduler.model.scheduler_params import CGROUP_V1, CGROUP_V2, MIN_QUOTA_US, CgroupLimits, CgroupParams, SchedParams
from scheduler.model.sentence_texts import join_names
from scheduler.model.spec import PERIOD_US_RANGE, Mode
from scheduler.model.split import DomainId, Split
from scheduler.shares.dedicated import encode_dedicated
from scheduler.shares.rounding import check_rounding, exact_fracs, proportional_numbers, shares_to_split
from scheduler.shares.share_model import HostMachine, SplitEncoding, domains_of
from scheduler.translation import _


class CgroupModel:
    """Share model of one version of the CPU controller.

    Args:
        limits: Values that the kernel accepts.
        machine: The host; only the number of shared CPUs counts. None for one CPU.
    """

    modes: tuple[Mode, ...] = (Mode.WEIGHTS, Mode.CAPS)
    takes_period = True

    def __init__(self, limits: CgroupLimits, machine: HostMachine | None = None) -> None:
        self.name = limits.scheduler
        self._cpus = machine.cpus if machine else 1
        self._weights_range = limits.weights
        self._default_weight = limits.default_weight

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        """Translate a split into the groups' parameters.

        Args:
            split: The split, of any number of groups.
            mode: Weights: no quota. Caps: quotas that sum to the shared CPUs, default weights. Dedicated: neither.
            period_us: Period of the quotas, 1000..1000000; weights keep the kernel's period.

        Raises:
            SpecError: The smaller quota would be under 1 ms, the period is out of range, or rounding would change a
                share by more than 2 %.
        """
        if mode is Mode.DEDICATED:
            free = CgroupParams(self._default_weight)
            return encode_dedicated(split, HostMachine(cpus=self._cpus), lambda _: free, split.roles)
        params = self._encode_quotas(split, period_us) if mode is Mode.CAPS else self._encode_weights(split)
        shares = _group_shares(params)
        what = join_names([each.words for each in params.values()])
        hint = _("Choose a split whose parts are less far apart.")
        error_frac = check_rounding(shares, split, what=what, hint=hint)
        total = sum(shares.values())
        return SplitEncoding(dict(params), {domain: share / total for domain, share in shares.items()}, error_frac)

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        """Return the split of the parameters; None without one.

        There is no split for default weights without quotas, or when only some groups have a quota.
        """
        own = domains_of(params, CgroupParams)
        unlimited = [each.quota_us is None for each in own.values()]
        if any(unlimited) != all(unlimited):
            return None
        if all(unlimited) and all(each.weight == self._default_weight for each in own.values()):
            return None
        return shares_to_split(_group_shares(own))

    def _encode_weights(self, split: Split) -> dict[DomainId, CgroupParams]:
        """Return the largest weights in the split's proportion, exact if the range allows."""
        low, high = self._weights_range
        number = proportional_numbers(exact_fracs(split), high, high)
        scale = high // max(number.values())
        return {domain: CgroupParams(max(low, each * scale)) for domain, each in number.items()}

    def _encode_quotas(self, split: Split, period_us: int) -> dict[DomainId, CgroupParams]:
        """Return quotas that sum to exactly the shared CPUs.

        The largest quota takes the rest of the rounding, so that 1:2 mirrors 2:1.
        """
        check_range("period_us", period_us, PERIOD_US_RANGE)
        whole_us = period_us * self._cpus
        quota_us, left_us = dict[DomainId, int](), whole_us
        ordered = sorted(split.roles, key=lambda role: split.parts[role])
        for others, domain in zip(range(len(ordered), 1, -1), ordered, strict=False):
            each_us = min(round(split.frac_of(domain) * whole_us), left_us // others)  # 1:1 of an odd period rounds up
            if each_us < MIN_QUOTA_US:
                raise _small_quota_error(split, domain, each_us, period_us)
            quota_us[domain], left_us = each_us, left_us - each_us
        quota_us[ordered[-1]] = left_us
        return {domain: CgroupParams(self._default_weight, quota_us[domain], period_us) for domain in split.roles}


def _small_quota_error(split: Split, smaller: DomainId, small_us: int, period_us: int) -> SpecError:
    enough_us = math.ceil(MIN_QUOTA_US / split.frac_of(smaller))
    return SpecError(
        "period_us",
        _(
            "{label} gives the {smaller} domain {small_us} us of each {period_us} us, below the "
            "kernel's minimum of {min_quota_us} us"
        ).format(label=split.label, smaller=smaller, small_us=small_us, period_us=period_us, min_quota_us=MIN_QUOTA_US),
        hint=_("Use a period of at least {enough_us} us, or leave this split out.").format(enough_us=enough_us),
    )


def _group_shares(params: Mapping[DomainId, CgroupParams]) -> dict[DomainId, Fraction]:
    """Return the quotas of the groups where all have one, else their weights."""
    quotas = {d: Fraction(each.quota_us, each.period_us) for d, each in params.items() if each.quota_us is not None}
    return quotas if len(quotas) == len(params) else {d: Fraction(each.weight) for d, each in params.items()}


def build_cgroup_models(machine: HostMachine) -> tuple[CgroupModel, ...]:
    """Return the models of both versions of control groups."""
    return CgroupModel(CGROUP_V1, machine), CgroupModel(CGROUP_V2, machine)
