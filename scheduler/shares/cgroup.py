"""Control groups: weights (`cpu.shares`, `cpu.weight`) and quotas (`cpu.cfs_quota_us`, `cpu.max`)."""

import math
from collections.abc import Mapping
from fractions import Fraction

from scheduler.errors import SpecError
from scheduler.model.checks import check_range
from scheduler.model.scheduler_params import CGROUP_V1, CGROUP_V2, MIN_QUOTA_US, CgroupLimits, CgroupParams, SchedParams
from scheduler.model.spec import PERIOD_US_RANGE, Mode
from scheduler.model.split import GUEST, IO, DomainId, Split
from scheduler.shares.rounding import check_rounding, other_domain, ratio_to_split, to_fraction
from scheduler.shares.share_model import SplitEncoding


class CgroupModel:
    """Share model of one version of the CPU controller.

    Args:
        limits: What the kernel accepts.
    """

    modes: tuple[Mode, ...] = (Mode.SHARE, Mode.PARTITION)
    takes_period = True

    def __init__(self, limits: CgroupLimits) -> None:
        self.name = limits.scheduler
        self._weights_range = limits.weights
        self._default_weight = limits.default_weight

    def encode(self, split: Split, mode: Mode, period_us: int) -> SplitEncoding:
        """Translate a split into two groups' parameters.

        Args:
            split: The split.
            mode: Share: weights, no quota. Partition: quotas that sum to one CPU, default weights.
            period_us: Period of the quotas, 1000..1000000; share mode keeps the kernel's.

        Raises:
            SpecError: The smaller quota would be under 1 ms, the period is out of range, or rounding would
                change a share by more than 2 %.
        """
        params = self._encode_quotas(split, period_us) if mode is Mode.PARTITION else self._encode_weights(split)
        parts = _group_shares(params[IO], params[GUEST])
        what = f"{params[IO].words} and {params[GUEST].words}"
        achieved, error_frac = check_rounding(
            *parts, split, what=what, hint="Choose a split whose parts are less far apart."
        )
        return SplitEncoding(dict(params), achieved, error_frac)

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        """Return the split that the parameters mean; None for groups as the kernel makes them, or unequal kinds."""
        io, guest = params.get(IO), params.get(GUEST)
        if not isinstance(io, CgroupParams) or not isinstance(guest, CgroupParams):
            return None
        half = (io.quota_us is None) != (guest.quota_us is None)
        if half or (io.quota_us is None and io.weight == guest.weight == self._default_weight):
            return None
        return ratio_to_split(*_group_shares(io, guest))

    def _encode_weights(self, split: Split) -> dict[DomainId, CgroupParams]:
        """Return the largest weights in the split's proportion: exact where the range allows it."""
        low, high = self._weights_range
        larger, smaller = max(split.io, split.guest), min(split.io, split.guest)
        ratio = (to_fraction(smaller) / to_fraction(larger)).limit_denominator(high)
        scale = high // ratio.denominator
        small = max(low, ratio.numerator * scale)
        by_part = {larger: ratio.denominator * scale, smaller: small}
        return {IO: CgroupParams(by_part[split.io]), GUEST: CgroupParams(by_part[split.guest])}

    def _encode_quotas(self, split: Split, period_us: int) -> dict[DomainId, CgroupParams]:
        check_range("period_us", period_us, PERIOD_US_RANGE)
        # The smaller one is rounded and the other gets the rest: together exactly one CPU, and 1:2 mirrors 2:1.
        smaller = IO if split.io <= split.guest else GUEST
        small_us = min(round(split.frac_of(smaller) * period_us), period_us // 2)  # 1:1 of an odd period rounds up
        if small_us < MIN_QUOTA_US:
            raise _small_quota_error(split, smaller, small_us, period_us)
        quota_us = {smaller: small_us, other_domain(smaller): period_us - small_us}
        return {domain: CgroupParams(self._default_weight, quota_us[domain], period_us) for domain in (IO, GUEST)}


def _small_quota_error(split: Split, smaller: DomainId, small_us: int, period_us: int) -> SpecError:
    enough_us = math.ceil(MIN_QUOTA_US / split.frac_of(smaller))
    return SpecError(
        "period_us",
        f"{split.label} gives the {smaller} domain {small_us} us of each {period_us} us, "
        f"below the kernel's minimum of {MIN_QUOTA_US} us",
        hint=f"Use a period of at least {enough_us} us, or leave this split out.",
    )


def _group_shares(io: CgroupParams, guest: CgroupParams) -> tuple[Fraction, Fraction]:
    """Return what two groups get, as quotas where both have one, else as weights."""
    if io.quota_us is None or guest.quota_us is None:
        return Fraction(io.weight), Fraction(guest.weight)
    return Fraction(io.quota_us, io.period_us), Fraction(guest.quota_us, guest.period_us)


CGROUP_MODELS = (CgroupModel(CGROUP_V1), CgroupModel(CGROUP_V2))
