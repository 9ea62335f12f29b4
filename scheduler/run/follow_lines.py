"""The lines that following tells, and what it sums up at the end."""

import math
from collections.abc import Callable

from scheduler.follow.audit import Audit, Audited
from scheduler.follow.epochs import Arm
from scheduler.follow.following import Decision, Hold
from scheduler.follow.gains import Change, EpochRate, Gain
from scheduler.follow.saying import hold_words, move_words
from scheduler.follow.standing import Standing
from scheduler.follow.telling import split_of
from scheduler.follow.windows import WINDOW_S, Window
from scheduler.model.following import (
    FollowAudit,
    FollowEpoch,
    FollowGain,
    FollowHold,
    FollowLine,
    FollowMove,
    FollowWindow,
)
from scheduler.model.spec import Mode

_TURNS = {
    Arm.FOLLOWING: "Following has its turn, at the split that it wants.",
    Arm.STATIC: "The static split has its turn, to be compared with.",
    Arm.FOUND: "The original settings have their turn, to be compared with.",
}
# The rule is at work, and wants nothing else yet.
_AT_REST = (Hold.NEAR, Hold.LITTLE, Hold.ONCE, Hold.GATHERING, Hold.TURN)


class Lines:
    """Tells what happens.

    Args:
        emit: Takes every line.
        mode: Limits or weights: of these nothing is promised.

    Attributes:
        moves: How often the rule has moved.
        audit: What moves promised, beside what the rate did.
    """

    def __init__(self, emit: Callable[[FollowLine], None], mode: Mode) -> None:
        self._emit, self._mode = emit, mode
        self._hold: Hold | None = None
        self._windows = self._held = 0
        self.moves = 0
        self.audit = Audit()

    @property
    def hold_frac(self) -> float:
        """Part of the windows in which the rule could not say what is best, or was not let."""
        return self._held / self._windows if self._windows else 0.0

    @property
    def followed_s(self) -> float:
        """How long windows were taken."""
        return self._windows * WINDOW_S

    def window(
        self,
        t_s: float,
        arm: Arm,
        standing: Standing,
        decision: Decision,
        window: Window | str,
        rate_tps: float | None,
    ) -> None:
        """Tell of one window, taken at `standing`."""
        self._windows += 1
        self._held += decision.hold is not None and decision.hold not in _AT_REST
        seen = window if isinstance(window, Window) else None
        self._emit(
            FollowWindow(
                t_s=t_s,
                arm=arm.value,
                split=split_of(standing.allowed.log_ratio).label,
                wish="" if decision.wish is None else split_of(decision.wish).label,
                promise=self._promise(decision),
                io_cpus=seen.use.io_cpus if seen else None,
                guest_cpus=seen.use.guest_cpus if seen else None,
                io_allowed_cpus=standing.allowed.io_cpus,
                guest_allowed_cpus=standing.allowed.guest_cpus,
                others_frac=seen.others_frac if seen else None,
                rate_tps=rate_tps,
                trouble=window if isinstance(window, str) else "",
            )
        )
        self._audited(t_s, self.audit.window(rate_tps))

    def hold(self, t_s: float, hold: Hold | None, until_s: float | None) -> None:
        """Tell why nothing is changed from now on, where that is another reason than before."""
        if hold is not None and hold is not self._hold:
            self._emit(FollowHold(t_s=t_s, reason=hold.value, text=hold_words(hold), until_s=until_s))
        self._hold = hold

    def move(self, t_s: float, arm: Arm, before: Standing, after: Standing, decision: Decision | None) -> None:
        """Tell of another split; without a decision it was another arm's turn."""
        self.moves += decision is not None
        self._audited(t_s, self.audit.changed(t_s, self._promise(decision)))
        io, guest = (decision.used_frac if decision else None) or (None, None)
        self._emit(
            FollowMove(
                t_s=t_s,
                arm=arm.value,
                before=split_of(before.allowed.log_ratio).label,
                after=split_of(after.allowed.log_ratio).label,
                text=_TURNS[arm] if decision is None else move_words(decision, self._mode),
                promise=self._promise(decision),
                io_used_frac=io,
                guest_used_frac=guest,
                cost_ratio=decision.cost_ratio if decision else None,
            )
        )

    def epoch(self, t_s: float, ended: EpochRate, gains: tuple[FollowGain, ...]) -> None:
        """Tell of an epoch that is over."""
        epoch = ended.epoch
        if epoch.block is not None:
            transaction_ms = None if ended.transaction_s is None else 1e3 * ended.transaction_s
            self._emit(
                FollowEpoch(
                    t_s=t_s,
                    began_s=epoch.begins_s,
                    arm=epoch.arm.value,
                    block=epoch.block,
                    rate_tps=ended.rate_tps,
                    transaction_ms=transaction_ms,
                    gains=gains,
                )
            )

    def _audited(self, t_s: float, move: Audited | None) -> None:
        if move is not None:
            self._emit(FollowAudit(t_s=t_s, moved_s=move.moved_s, promise=move.promise, seen=move.seen))

    def _promise(self, decision: Decision | None) -> float | None:
        if decision is None or decision.promise is None or self._mode is Mode.SHARE:
            return None
        return math.expm1(decision.promise)


def told(gain: Gain, *, planned: bool) -> FollowGain:
    """Return a gain as the lines have it."""
    time = gain.time or Change(0.0, None, None, 0)
    return FollowGain(
        over=gain.over.value,
        gain_frac=gain.frac,
        low_frac=gain.low,
        high_frac=gain.high,
        blocks=gain.blocks,
        verdict=gain.verdict.value,
        planned=planned,
        slack=gain.slack,
        time_frac=time.frac if gain.time else None,
        time_low_frac=time.low,
        time_high_frac=time.high,
        time_blocks=time.blocks,
    )
