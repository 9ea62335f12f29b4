"""The split: how the contended CPU time is divided between the I/O domain and the guest."""

import math
import re
from collections.abc import Callable, Mapping
from typing import NewType

import msgspec

from scheduler.errors import SpecError

DomainId = NewType("DomainId", str)

IO = DomainId("io")  # the I/O domain's role: Dom0, a driver domain, the relay of `local:`
GUEST = DomainId("guest")  # the domain that runs the database

# Beyond this a share falls under 1 %: below every scheduler's useful floor, and no sweep can measure it.
MAX_RATIO = 100.0

_PART = re.compile(r"(\d{1,6}(?:\.\d{1,2})?)\s*:\s*(\d{1,6}(?:\.\d{1,2})?)")
_ALLOWED = f"two positive numbers a:b (I/O domain : guest), at most {MAX_RATIO:g} times apart"
_HINT = "Write for example 1:2, which gives the I/O domain one third."


class Split(msgspec.Struct, frozen=True, order=False):
    """Shares of the contended CPU time, written `io:guest`.

    Attributes:
        io: Parts for the I/O domain, > 0, at most two decimals.
        guest: Parts for the guest, > 0; the larger part is at most 100 times the smaller.
    """

    io: float
    guest: float

    def __post_init__(self) -> None:
        """Refuse a split that cannot be set; raises SpecError."""
        fine = all(math.isfinite(part) and part > 0 for part in (self.io, self.guest))
        if not fine or max(self.io, self.guest) / min(self.io, self.guest) > MAX_RATIO:
            raise SpecError("split", f"{self.label!r} is not {_ALLOWED}", hint=_HINT)

    @property
    def parts(self) -> Mapping[DomainId, float]:
        """Domain to its parts."""
        return {IO: self.io, GUEST: self.guest}

    @property
    def io_frac(self) -> float:
        """The I/O domain's share, in (0, 1)."""
        return self.io / (self.io + self.guest)

    @property
    def guest_frac(self) -> float:
        """The guest's share, in (0, 1); the two sum to 1."""
        return self.guest / (self.io + self.guest)

    @property
    def label(self) -> str:
        """The split as people write it, for example `1:2`."""
        # Two decimals are kept of parts below a million; `g` alone would round to six digits.
        return f"{self.io:.10g}:{self.guest:.10g}"

    def frac_of(self, domain: DomainId) -> float:
        """Return the share of one of the two domains, in (0, 1)."""
        return self.io_frac if domain == IO else self.guest_frac


Settable = Callable[[Split], bool]
"""Tells whether a host can be set to a split."""


def any_split(split: Split) -> bool:
    """Return True: for where no host limits what can be set."""
    del split
    return True


def parse_split(text: str, field: str = "split") -> Split:
    """Read `a:b`; raises SpecError that names `field`, the text and the allowed range."""
    match = _PART.fullmatch(text.strip())
    if match is None:
        raise SpecError(field, f"{text!r} is not {_ALLOWED}", hint=_HINT)
    try:
        return Split(float(match[1]), float(match[2]))
    except SpecError as error:
        raise SpecError(field, f"{text!r} is not {_ALLOWED}", hint=_HINT) from error
