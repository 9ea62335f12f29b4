"""Two guests at once: which of them have users, and whether a host has room for a second one."""

import enum

import msgspec

from scheduler.model.split import GUEST, GUEST_2, DomainId


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
