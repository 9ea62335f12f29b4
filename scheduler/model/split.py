"""Split: division of the shared CPU time between the I/O domain and the guests."""

import enum
import math
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NewType

import msgspec

from scheduler.errors import SpecError
from scheduler.translation import _

DomainId = NewType("DomainId", str)

IO = DomainId("io")  # the I/O domain's role: Dom0, a driver domain, the relay of `local:`
GUEST = DomainId("guest")  # the domain that runs the database
GUEST_2 = DomainId("guest-2")  # the second guest, with a database of its own, in a study of two guests

ROLES = (IO, GUEST, GUEST_2)
"""All roles of domains, in the order in which a split is written."""

# A larger ratio gives shares below 1 %, which schedulers do not keep and no sweep can measure.
MAX_RATIO = 100.0

_PART = re.compile(r"\s*(\d{1,6}(?:\.\d{1,2})?)\s*")
_COUNTS = {2: _("two positive numbers a:b"), 3: _("three positive numbers a:b:c")}
_ROLE_NAMES = (_("I/O domain"), "guest", _("second guest"))
_HINTS = {
    2: _("Write for example 1:2, which gives the I/O domain one third."),
    3: _("Write for example 2:1:1, which gives the I/O domain one half and each guest a quarter."),
}


class Mode(enum.StrEnum):
    """Mode of a split.

    With weights a domain may use CPU that the others leave, with caps not. Dedicated gives each domain whole CPUs of
    its own, by its placement.
    """

    CAPS = "caps"
    WEIGHTS = "weights"
    DEDICATED = "dedicated"


TIME_MODES = (Mode.CAPS, Mode.WEIGHTS)
"""Modes that divide the time of the same CPUs."""


def parse_mode(text: str, field: str = "mode") -> Mode:
    """Parse a mode by its name.

    Args:
        text: `caps`, `weights` or `dedicated`.
        field: Path of the key, for the error.

    Raises:
        SpecError: The text is no mode.
    """
    try:
        return Mode(text)
    except ValueError as error:
        hint = _("Use {mode}.").format(mode=" or ".join(Mode))
        raise SpecError(field, _("{text!r} is not a mode").format(text=text), hint=hint) from error


class Split(msgspec.Struct, frozen=True, order=False):
    """Shares of the shared CPU time, written `io:guest` or `io:guest:guest-2`.

    Attributes:
        parts: Domain to its parts, > 0, at most two decimals. Domains are the I/O domain and one or two guests. The
            largest number of parts is at most 100 times the smallest.
    """

    parts: Mapping[DomainId, float]

    def __post_init__(self) -> None:
        """Refuse a split that cannot be set; raise SpecError."""
        amounts, count = self.parts.values(), max(2, min(len(self.parts), len(ROLES)))
        fine = all(math.isfinite(part) and part > 0 for part in amounts) and set(self.parts) == set(ROLES[:count])
        if not fine or max(amounts) / min(amounts) > MAX_RATIO:
            raise SpecError(
                "split",
                _("{label!r} is not {allowed}").format(label=self.label, allowed=_allowed_text(count)),
                hint=_HINTS[count],
            )

    def __hash__(self) -> int:
        """Return the hash of the parts, which are an unhashable mapping."""
        return hash(frozenset(self.parts.items()))

    @property
    def roles(self) -> tuple[DomainId, ...]:
        """Domains of the split, in the order in which it is written."""
        return ROLES[: len(self.parts)]

    @property
    def io(self) -> float:
        """Parts of the I/O domain."""
        return self.parts[IO]

    @property
    def guest(self) -> float:
        """Parts of the first guest."""
        return self.parts[GUEST]

    @property
    def io_frac(self) -> float:
        """The I/O domain's share, in (0, 1)."""
        return self.frac_of(IO)

    @property
    def label(self) -> str:
        """The split as text, for example `1:2`."""
        # Parts below a million keep two decimals; `g` alone would round to six digits.
        return ":".join(f"{self.parts[role]:.10g}" for role in ROLES if role in self.parts)

    def frac_of(self, domain: DomainId) -> float:
        """Return the share of a domain, in (0, 1); all shares sum to 1."""
        return self.parts[domain] / sum(self.parts[role] for role in self.roles)


Settable = Callable[[Split], bool]
"""Returns True when a host can be set to a split."""


def any_split(split: Split) -> bool:
    """Return True, for hosts that do not limit the split."""
    del split
    return True


def split_between(*parts: float) -> Split:
    """Return the split with these parts, in the order of `ROLES`; raise SpecError."""
    return Split(dict(zip(ROLES[: len(parts)], parts, strict=True)))


def parse_split(text: str, field: str = "split", *, count: int = 2) -> Split:
    """Parse `a:b`, or `a:b:c` of three domains.

    Args:
        text: The split; blanks are allowed around the numbers.
        field: Path of the key, for the error.
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
    raise SpecError(
        field, _("{text!r} is not {allowed}").format(text=text, allowed=_allowed_text(count)), hint=_HINTS[count]
    )


def _allowed_text(count: int) -> str:
    return _("{counts} ({role_names}), at most {max_ratio:g} times apart").format(
        counts=_COUNTS[count], role_names=" : ".join(_ROLE_NAMES[:count]), max_ratio=MAX_RATIO
    )


def list_roles(*figures: Iterable[str]) -> tuple[DomainId, ...]:
    """Return the roles in figures by domain, in the order of `ROLES`.

    The I/O domain and the guest are always included.
    """
    named = {IO, GUEST}.union(*figures)
    return tuple(role for role in ROLES if role in named)
