"""What following is to do, and what with."""

from collections.abc import Callable

import msgspec

from scheduler.follow.epochs import Arm, Epochs
from scheduler.follow.following import Bounds
from scheduler.follow.standing import Standing
from scheduler.hosts.base import Host
from scheduler.model.following import FollowLine
from scheduler.run.committed import Committed
from scheduler.run.control import Control
from scheduler.run.keeper import Keeper
from scheduler.run.lease import Lease


class FollowPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done.

    Attributes:
        bounds: What may be set, and how often.
        static: The split that following is compared with, ln(I/O domain / guest); None for the one that is found.
        for_s: How long, seconds.
        account_pct: 50, 10 or 0 percent of the time are accounted for.
        seed: What the order of the arms is drawn from.
    """

    bounds: Bounds
    static: float | None
    for_s: float
    account_pct: int
    seed: int

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The arms that are compared: the host as found is one of its own unless it is the static split."""
        found = () if self.static is None else (Arm.FOUND,)
        return (Arm.FOLLOWING, Arm.STATIC, *found)

    @property
    def epochs(self) -> Epochs:
        """The order of their turns."""
        return Epochs(self.arms, self.account_pct, self.seed, self.for_s)


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
    lease: Lease
    keeper: Keeper
    control: Control
    plan: FollowPlan
    asked: Standing
    emit: Callable[[FollowLine], None]
    committed: Committed | None = None
