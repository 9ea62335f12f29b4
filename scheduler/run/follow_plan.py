"""What following is to do, and what with."""

from collections.abc import Callable

import msgspec

from scheduler.follow.ab_schedule import PeriodSchedule, Variant
from scheduler.follow.current_split import CurrentSplit
from scheduler.follow.move_decision import FollowBounds
from scheduler.hosts.protocols import Host
from scheduler.model.follow_documents import FollowLine
from scheduler.run.commit_counter import CountsCommits
from scheduler.run.control import RunControl
from scheduler.run.lease import HostLease
from scheduler.run.local_guard import LocalGuard


class FollowPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done.

    Attributes:
        bounds: What may be set, and how often.
        static: The split that following is compared with, ln(I/O domain / guest); None for the one that is found.
        for_s: How long, seconds.
        account_pct: 50, 10 or 0 percent of the time are accounted for.
        seed: What the order of the arms is drawn from.
    """

    bounds: FollowBounds
    static: float | None
    for_s: float
    account_pct: int
    seed: int

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The arms that are compared: the host as found is one of its own unless it is the static split."""
        found = () if self.static is None else (Variant.FOUND,)
        return (Variant.FOLLOWING, Variant.STATIC, *found)

    @property
    def schedule(self) -> PeriodSchedule:
        """The order of their turns."""
        return PeriodSchedule(self.variants, self.account_pct, self.seed, self.for_s)


class FollowParts(msgspec.Struct, frozen=True):
    """What following is made of.

    Attributes:
        host: The host.
        lease: The right to write to it; it heeds what others set.
        keeper: Of this computer; started only where the host has no guard.
        control: The clock, and the button that ends it.
        plan: What is to be done.
        asked: What was set when the user was asked.
        emit: Takes every line.
        committed: Counter of the user's database; None where none was named.
    """

    host: Host
    lease: HostLease
    keeper: LocalGuard
    control: RunControl
    plan: FollowPlan
    asked: CurrentSplit
    emit: Callable[[FollowLine], None]
    committed: CountsCommits | None = None
