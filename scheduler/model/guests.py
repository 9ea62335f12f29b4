"""Two guests: the guests with users, and the host's support for a second guest."""

import enum

import msgspec

from scheduler.model.split import GUEST, GUEST_2, DomainId
from scheduler.translation import _


class LoadedGuests(enum.StrEnum):
    """Guests with users; the database of a guest without users runs and waits."""

    FIRST = _("guest alone")
    SECOND = _("guest-2 alone")
    BOTH = "both"

    @property
    def guests(self) -> tuple[DomainId, ...]:
        """The guests that have users."""
        return {LoadedGuests.FIRST: (GUEST,), LoadedGuests.SECOND: (GUEST_2,), LoadedGuests.BOTH: (GUEST, GUEST_2)}[
            self
        ]


class SecondGuestSupport(msgspec.Struct, frozen=True):
    """Support of a host for a second guest during a study.

    Attributes:
        possible: True when the host supports one.
        why: Reason why it does not, for people.
        hint: Hosts that support one.
        runs: True when a second guest runs already, with a database of the user: the plan names that database, and the
            domain where needed.
        names: Domains that could be the second guest, by the host's names, where one runs.
    """

    possible: bool = False
    why: str = _("DomTune knows no second guest on such a host")
    hint: str = _(
        "Use local:, where DomTune starts two databases, each in a control group, or a Xen host (xl+ssh:) "
        "with two guests."
    )
    runs: bool = False
    names: tuple[str, ...] = ()
