"""Control groups of three: weights and quotas of the I/O domain and two guests, from a split of three."""

from fractions import Fraction
from math import ceil

from scheduler.errors import SpecError
from scheduler.model.checks import check_range
from scheduler.model.guests import THREE_DOMAINS, ThreeSplit
from scheduler.model.scheduler_params import MIN_QUOTA_US, CgroupLimits, CgroupParams
from scheduler.model.spec import PERIOD_US_RANGE, Mode
from scheduler.model.split import DomainId
from scheduler.shares.rounding import to_fraction
from scheduler.shares.three_model import ThreeEncoding, check_three_rounding


class CgroupThreeModel:
    """Share model of one version of the CPU controller for three groups.

    Args:
        limits: What the kernel accepts.
    """

    def __init__(self, limits: CgroupLimits) -> None:
        self._limits = limits

    def encode(self, split: ThreeSplit, mode: Mode, period_us: int) -> ThreeEncoding:
        """Share: weights, no quota. Partition: quotas that sum to one CPU, default weights.

        The period is 1000..1000000 us; share mode keeps the kernel's. The smallest quota is 1 ms.
        """
        capped = mode is Mode.PARTITION
        params = self._encode_quotas(split, period_us) if capped else self._encode_weights(split)
        amounts = {domain: (each.quota_us or 0) if capped else each.weight for domain, each in params.items()}
        error_frac = check_three_rounding(split, amounts, "Choose a split whose parts are less far apart.")
        fracs = {domain: amount / sum(amounts.values()) for domain, amount in amounts.items()}
        return ThreeEncoding(params, fracs, error_frac)

    def _encode_weights(self, split: ThreeSplit) -> dict[DomainId, CgroupParams]:
        """Return the largest weights in the split's proportion: exact where the range allows it."""
        low, high = self._limits.weights
        parts = {domain: to_fraction(part) for domain, part in split.parts.items()}
        whole = {domain: int(part * 100) for domain, part in parts.items()}  # at most two decimals: exact
        most = max(whole.values())
        scale = Fraction(high // most) if most <= high else Fraction(high, most)
        return {domain: CgroupParams(max(low, round(part * scale))) for domain, part in whole.items()}

    def _encode_quotas(self, split: ThreeSplit, period_us: int) -> dict[DomainId, CgroupParams]:
        """Return quotas of which the largest takes what rounding leaves: together exactly one CPU."""
        check_range("period_us", period_us, PERIOD_US_RANGE)
        largest = max(THREE_DOMAINS, key=lambda domain: split.parts[domain])
        quota_us = {domain: round(split.frac_of(domain) * period_us) for domain in THREE_DOMAINS}
        quota_us[largest] += period_us - sum(quota_us.values())
        for domain, each_us in quota_us.items():
            if each_us < MIN_QUOTA_US:
                enough_us = ceil(MIN_QUOTA_US / split.frac_of(domain))
                problem = (
                    f"{split.label} gives {domain} {each_us} us of each {period_us} us, below the kernel's minimum"
                )
                hint = f"Use a period of at least {enough_us} us, or leave this split out."
                raise SpecError("period_us", f"{problem} of {MIN_QUOTA_US} us", hint=hint)
        weight = self._limits.default_weight
        return {domain: CgroupParams(weight, quota_us[domain], period_us) for domain in THREE_DOMAINS}
