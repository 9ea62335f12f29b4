"""The split: how the shared CPU time is divided between the I/O domain and the guests."""

import enum
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NewType

import msgspec

from scheduler.errors import SpecError

DomainId = NewType("DomainId", str)

IO = DomainId("io")  # the I/O domain's role: Dom0, a driver domain, the relay of `local:`
GUEST = DomainId("guest")  # the domain that runs the database
GUEST_2 = DomainId("guest-2")  # the second guest, with a database of its own, in a study of two guests

ROLES = (IO, GUEST, GUEST_2)
"""Every role that a domain can have, in the order in which a split is written."""

# Beyond this a share falls under 1 %: below every scheduler's useful floor, and no sweep can measure it.
MAX_RATIO = 100.0

_PART = re.compile(r"\s*(\d{1,6}(?:\.\d{1,2})?)\s*")
_COUNTS = {2: "two positive numbers a:b", 3: "three positive numbers a:b:c"}
_ROLE_NAMES = ("I/O domain", "guest", "second guest")
_HINTS = {
    2: "Write for example 1:2, which gives the I/O domain one third.",
    3: "Write for example 2:1:1, which gives the I/O domain one half and each guest a quarter.",
}


class Mode(enum.StrEnum):
    """Whether a domain may use what the others leave."""

    CAPS = "caps"
    WEIGHTS = "weights"


def parse_mode(text: str, field: str = "mode") -> Mode:
    """Parse a mode by its name; raises SpecError that names `field`."""
    try:
        return Mode(text)
    except ValueError as error:
        hint = f"Use {' or '.join(Mode)}."
        raise SpecError(field, f"{text!r} is not a mode", hint=hint) from error


class Split(msgspec.Struct, frozen=True, order=False):
    """Shares of the shared CPU time, written `io:guest` or `io:guest:guest-2`.

    Attributes:
        parts: Domain to its parts, > 0, at most two decimals; the I/O domain and one guest at least, no guest without
            those before it. The largest is at most 100 times the smallest.
    """

    parts: Mapping[DomainId, float]

    def __post_init__(self) -> None:
        """Refuse a split that cannot be set; raises SpecError."""
        amounts, count = self.parts.values(), max(2, min(len(self.parts), len(ROLES)))
        fine = all(math.isfinite(part) and part > 0 for part in amounts) and set(self.parts) == set(ROLES[:count])
        if not fine or max(amounts) / min(amounts) > MAX_RATIO:
            raise SpecError("split", f"{self.label!r} is not {_allowed_text(count)}", hint=_HINTS[count])

    def __hash__(self) -> int:
        """Return the hash of the parts; a mapping has none."""
        return hash(frozenset(self.parts.items()))

    @property
    def roles(self) -> tuple[DomainId, ...]:
        """The domains among which it divides, in the order in which it is written."""
        return ROLES[: len(self.parts)]

    @property
    def io(self) -> float:
        """Parts for the I/O domain."""
        return self.parts[IO]

    @property
    def guest(self) -> float:
        """Parts for the first guest."""
        return self.parts[GUEST]

    @property
    def io_frac(self) -> float:
        """The I/O domain's share, in (0, 1)."""
        return self.frac_of(IO)

    @property
    def label(self) -> str:
        """The split as people write it, for example `1:2`."""
        # Two decimals are kept of parts below a million; `g` alone would round to six digits.
        return ":".join(f"{self.parts[role]:.10g}" for role in ROLES if role in self.parts)

    def frac_of(self, domain: DomainId) -> float:
        """Return the share of one of the domains, in (0, 1); all of them sum to 1."""
        return self.parts[domain] / sum(self.parts[role] for role in self.roles)


Settable = Callable[[Split], bool]
"""Tells whether a host can be set to a split."""


def any_split(split: Split) -> bool:
    """Return True: for where no host limits what can be set."""
    del split
    return True


def split_between(*parts: float) -> Split:
    """Return the split with these parts, in the order of `ROLES`; raises SpecError."""
    return Split(dict(zip(ROLES[: len(parts)], parts, strict=True)))


def parse_split(text: str, field: str = "split", *, count: int = 2) -> Split:
    """Parse `a:b`, or `a:b:c` of three domains.

    Args:
        text: The split as people write it; blanks are allowed around the numbers.
        field: Field that an error names.
        count: Number of domains, 2 or 3.

    Raises:
        SpecError: The text is no split of so many domains, or its parts are too far apart.
    """
    found = [_PART.fullmatch(part) for part in text.split(":")]
    numbers = [float(part[1]) for part in found if part]
    if len(numbers) == len(found) == count:
        try:
            return split_between(*numbers)
        except SpecError:
            pass
    raise SpecError(field, f"{text!r} is not {_allowed_text(count)}", hint=_HINTS[count])


def _allowed_text(count: int) -> str:
    return f"{_COUNTS[count]} ({' : '.join(_ROLE_NAMES[:count])}), at most {MAX_RATIO:g} times apart"


def list_roles(*figures: Iterable[str]) -> tuple[DomainId, ...]:
    """Return the roles that figures by domain have, in the order of `ROLES`; the I/O domain and the guest at least."""
    named = {IO, GUEST}.union(*figures)
    return tuple(role for role in ROLES if role in named)
