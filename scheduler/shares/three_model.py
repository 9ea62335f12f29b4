"""What a split of three becomes: the protocol of the models, and how far rounding may take a share."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from scheduler.errors import SpecError
from scheduler.model.guests import THREE_DOMAINS, ThreeSplit
from scheduler.model.number_texts import format_percent
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId
from scheduler.shares.rounding import MAX_ROUNDING_FRAC


class ThreeEncoding(msgspec.Struct, frozen=True):
    """What a split of three becomes.

    Attributes:
        params: Parameters per domain.
        fracs: The shares of one CPU that these parameters really mean, after rounding; together 1, or a little less
            where the hypervisor is left some.
        rounding_error_frac: How far the worst of them is from the split's, >= 0; 0.01 for 1 %.
        warnings: What a person should know before this is set; sentences with numbers.
    """

    params: Mapping[DomainId, SchedParams]
    fracs: Mapping[DomainId, float]
    rounding_error_frac: float
    warnings: tuple[str, ...] = ()


class ThreeModel(Protocol):
    """One scheduler's dialect for three domains."""

    def encode(self, split: ThreeSplit, mode: Mode, period_us: int) -> ThreeEncoding:
        """Translate a split into three domains' parameters.

        Args:
            split: The split.
            mode: Share: weights, and no limit. Partition: limits that sum to one CPU, or a little less.
            period_us: Period of the limits, 1000..1000000, where the scheduler takes one; share mode needs none.

        Raises:
            SpecError: The scheduler cannot express it, with the numbers: a limit below its least, a period out of
                range, no such mode, or rounding that would change a share by more than 2 %.
        """
        ...


def check_three_rounding(split: ThreeSplit, amounts: Mapping[DomainId, float], hint: str) -> float:
    """Return how far the worst share is from the split's; raises SpecError where that is more than 2 %.

    Args:
        split: What was asked for.
        amounts: What each domain gets, in any unit.
        hint: What to do when they are not close enough.
    """
    error_frac = three_error_frac(split, amounts)
    if error_frac > MAX_ROUNDING_FRAC:
        numbers = ", ".join(f"{domain} {amount:.10g}" for domain, amount in amounts.items())
        problem = f"{split.label} is {format_percent(error_frac)} off by rounding ({numbers}); 2 % is accepted at most"
        raise SpecError("splits", problem, hint=hint)
    return error_frac


def three_error_frac(split: ThreeSplit, amounts: Mapping[DomainId, float]) -> float:
    """Return how far the worst share is from the split's, >= 0; 0.01 for 1 %."""
    total = sum(amounts.values())
    return max(abs(amounts[domain] / total / split.frac_of(domain) - 1) for domain in THREE_DOMAINS)
