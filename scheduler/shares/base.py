"""Share models: from a split to scheduler parameters and back. Pure functions, no I/O."""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from scheduler.model.params import SchedParams
from scheduler.model.spec import Mode
from scheduler.model.split import DomainId, Split


class Encoding(msgspec.Struct, frozen=True):
    """What a split becomes.

    Attributes:
        params: Parameters per domain.
        achieved: The split that these parameters really mean, after rounding.
        rounding_error_frac: Largest relative deviation of a domain's share, >= 0.
    """

    params: Mapping[DomainId, SchedParams]
    achieved: Split
    rounding_error_frac: float


class ShareModel(Protocol):
    """One scheduler's dialect."""

    name: str
    modes: tuple[Mode, ...]

    def encode(self, split: Split, mode: Mode, period_us: int) -> Encoding:
        """Translate; raises SpecError when the scheduler cannot express the split (with the numbers)."""
        ...

    def decode(self, params: Mapping[DomainId, SchedParams]) -> Split | None:
        """Return the split that the parameters mean; None when they mean none (no limits, unequal kinds)."""
        ...
