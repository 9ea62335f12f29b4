"""Two guests at once: their roles, a split of three, who is loaded, and whether a host has room for a second one."""

import enum
import math
import re
from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from scheduler.errors import SpecError
from scheduler.model.split import GUEST, IO, MAX_RATIO, DomainId

GUEST_2 = DomainId("guest-2")
"""The second guest, with a database of its own; there only in a study of two guests."""

TWO_DOMAINS, THREE_DOMAINS = (IO, GUEST), (IO, GUEST, GUEST_2)

_PART = r"(\d{1,6}(?:\.\d{1,2})?)"
_PARTS = re.compile(rf"{_PART}\s*:\s*{_PART}\s*:\s*{_PART}")
_ALLOWED = f"three positive numbers a:b:c (I/O domain : guest : second guest), at most {MAX_RATIO:g} times apart"
_HINT = "Write for example 2:1:1, which gives the I/O domain one half and each guest a quarter."

ModeName = Literal["partition", "share"]
"""Whether a domain may use what the others leave, by the names of `Mode`."""

MODE_NAMES: tuple[ModeName, ...] = ("partition", "share")


def parse_mode(text: str, field: str = "mode") -> ModeName:
    """Read a mode by its name; raises SpecError."""
    for mode in MODE_NAMES:
        if text == mode:
            return mode
    raise SpecError(field, f"{text!r} is not a mode", hint="Use partition, share, or both.")


class ThreeSplit(msgspec.Struct, frozen=True, order=False):
    """Shares of the contended CPU time, written `io:guest:guest-2`.

    Attributes:
        io: Parts for the I/O domain, > 0, at most two decimals.
        guest: Parts for the guest, likewise.
        guest_2: Parts for the second guest, likewise; the largest is at most 100 times the smallest.
    """

    io: float
    guest: float
    guest_2: float

    def __post_init__(self) -> None:
        """Refuse a split that cannot be set; raises SpecError."""
        parts = tuple(self.parts.values())
        fine = all(math.isfinite(part) and part > 0 for part in parts)
        if not fine or max(parts) / min(parts) > MAX_RATIO:
            raise SpecError("split", f"{self.label!r} is not {_ALLOWED}", hint=_HINT)

    @property
    def parts(self) -> Mapping[DomainId, float]:
        """Domain to its parts."""
        return {IO: self.io, GUEST: self.guest, GUEST_2: self.guest_2}

    @property
    def label(self) -> str:
        """The split as people write it, for example `2:1:1`."""
        return ":".join(f"{part:.10g}" for part in self.parts.values())

    def frac_of(self, domain: DomainId) -> float:
        """Return the share of one of the three domains, in (0, 1)."""
        return self.parts[domain] / sum(self.parts.values())


def parse_three_split(text: str, field: str = "splits") -> ThreeSplit:
    """Read `a:b:c`; raises SpecError that names `field`, the text and the allowed range."""
    match = _PARTS.fullmatch(text.strip())
    if match is None:
        raise SpecError(field, f"{text!r} is not {_ALLOWED}", hint=_HINT)
    try:
        return ThreeSplit(*map(float, match.groups()))
    except SpecError as error:
        raise SpecError(field, f"{text!r} is not {_ALLOWED}", hint=_HINT) from error


class LoadedGuests(enum.StrEnum):
    """Which of two guests has users; the other one's database runs and waits."""

    FIRST = "guest alone"
    SECOND = "guest-2 alone"
    BOTH = "both"

    @property
    def guests(self) -> tuple[DomainId, ...]:
        """The guests that have users."""
        return {LoadedGuests.FIRST: (GUEST,), LoadedGuests.SECOND: (GUEST_2,), LoadedGuests.BOTH: (GUEST, GUEST_2)}[
            self
        ]


def list_domains(*figures: Iterable[str]) -> tuple[DomainId, ...]:
    """Return the domains that figures tell of: two, or three where any of them knows a second guest."""
    return THREE_DOMAINS if any(GUEST_2 in each for each in figures) else TWO_DOMAINS


def refuse_guests(loads: int, *, capped: bool, remote: bool) -> None:
    """Refuse what a study of two guests cannot do; raises SpecError.

    Args:
        loads: How many loads the plan has.
        capped: Its mode is `partition`, as of one that names none.
        remote: Its users run on other computers.
    """
    if not capped:
        raise SpecError("mode", "both are compared", hint='Leave it out, or write modes = ["share"].')
    if loads > 2:
        problem = f"{loads} loads are more than one for each of two guests"
        raise SpecError("load", problem, hint="The first is the first guest's, the second the second guest's.")
    if remote:
        raise SpecError("clients", "the users of two guests run on the host's own computer", hint="Leave it out.")


class SecondGuestSupport(msgspec.Struct, frozen=True):
    """Whether a host can have a second guest for the time of a study.

    Attributes:
        possible: It can.
        why: Why it cannot, for people.
        hint: What would do.
        runs: It runs there already, with a database of its user's: the plan names that, and where needed its domain.
        names: What the host calls the domains that could be it, where it runs.
    """

    possible: bool = False
    why: str = "DomTune knows no second guest on such a host"
    hint: str = (
        "Take local:, where DomTune starts two databases of its own, each in a control group, or a Xen host (xl+ssh:) "
        "with two guests."
    )
    runs: bool = False
    names: tuple[str, ...] = ()


class GuestFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What one guest's users did during a visit.

    Attributes:
        rate_tps: Throughput, mean over the measured seconds, in the unit of that guest's load.
        p50_ms: Service time, median; None when none is measured or nothing completed.
        p95_ms: Likewise.
        errors: Operations that failed.
        cpu_s: CPU seconds of its users' processes, per second.
    """

    rate_tps: float
    p50_ms: float | None = None
    p95_ms: float | None = None
    errors: int = 0
    cpu_s: float = 0.0
