"""The lines that following tells, and what it sums up at the end."""

import math
from collections.abc import Callable

from scheduler.follow.ab_gain import FollowingGain, PeriodRate, RatioChange
from scheduler.follow.ab_schedule import Variant
from scheduler.follow.counter_windows import WINDOW_S, CounterWindow
from scheduler.follow.current_split import CurrentSplit
from scheduler.follow.follow_words import hold_words, move_words
from scheduler.follow.gain_audit import AuditedMove, GainAudit
from scheduler.follow.move_decision import HoldReason, MoveDecision
from scheduler.follow.watch_report import rounded_split
from scheduler.model.follow_documents import (
    FollowAudit,
    FollowGain,
    FollowHold,
    FollowLine,
    FollowMove,
    FollowPeriod,
    FollowWindow,
)
from scheduler.model.spec import Mode

_TURNS = {
    Variant.FOLLOWING: "Following has its turn, at the split that it wants.",
    Variant.STATIC: "The static split has its turn, to be compared with.",
    Variant.FOUND: "The original settings have their turn, to be compared with.",
}
# The rule is at work, and wants nothing else yet.
_AT_REST = (
    HoldReason.AT_OPTIMUM,
    HoldReason.GAIN_TOO_SMALL,
    HoldReason.UNCONFIRMED,
    HoldReason.GATHERING,
    HoldReason.COMPARISON,
)


class FollowReporter:
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
        self._hold: HoldReason | None = None
        self._windows = self._held = 0
        self.moves = 0
        self.audit = GainAudit()

    @property
    def hold_frac(self) -> float:
        """Part of the windows in which the rule could not say what is best, or was not let."""
        return self._held / self._windows if self._windows else 0.0

    @property
    def followed_s(self) -> float:
        """How long windows were taken."""
        return self._windows * WINDOW_S

    def report_window(
        self,
        t_s: float,
        arm: Variant,
        standing: CurrentSplit,
        decision: MoveDecision,
        window: CounterWindow | str,
        rate_tps: float | None,
    ) -> None:
        """Tell of one window, taken at `standing`."""
        self._windows += 1
        self._held += decision.hold is not None and decision.hold not in _AT_REST
        seen = window if isinstance(window, CounterWindow) else None
        self._emit(
            FollowWindow(
                t_s=t_s,
                arm=arm.value,
                split=rounded_split(standing.allowed.log_ratio).label,
                wish="" if decision.wish is None else rounded_split(decision.wish).label,
                promise=self._predicted_gain(decision),
                io_cpus=seen.use.io_cpus if seen else None,
                guest_cpus=seen.use.guest_cpus if seen else None,
                io_allowed_cpus=standing.allowed.io_cpus,
                guest_allowed_cpus=standing.allowed.guest_cpus,
                others_frac=seen.others_frac if seen else None,
                rate_tps=rate_tps,
                trouble=window if isinstance(window, str) else "",
            )
        )
        self._emit_audit(t_s, self.audit.window(rate_tps))

    def report_hold(self, t_s: float, hold: HoldReason | None, until_s: float | None) -> None:
        """Tell why nothing is changed from now on, where that is another reason than before."""
        if hold is not None and hold is not self._hold:
            self._emit(FollowHold(t_s=t_s, reason=hold.value, text=hold_words(hold), until_s=until_s))
        self._hold = hold

    def report_move(
        self, t_s: float, arm: Variant, before: CurrentSplit, after: CurrentSplit, decision: MoveDecision | None
    ) -> None:
        """Tell of another split; without a decision it was another arm's turn."""
        self.moves += decision is not None
        self._emit_audit(t_s, self.audit.changed(t_s, self._predicted_gain(decision)))
        io, guest = (decision.used_frac if decision else None) or (None, None)
        self._emit(
            FollowMove(
                t_s=t_s,
                arm=arm.value,
                before=rounded_split(before.allowed.log_ratio).label,
                after=rounded_split(after.allowed.log_ratio).label,
                text=_TURNS[arm] if decision is None else move_words(decision, self._mode),
                promise=self._predicted_gain(decision),
                io_used_frac=io,
                guest_used_frac=guest,
                cost_ratio=decision.cost_ratio if decision else None,
            )
        )

    def report_period(self, t_s: float, ended: PeriodRate, gains: tuple[FollowGain, ...]) -> None:
        """Tell of an epoch that is over."""
        epoch = ended.epoch
        if epoch.block is not None:
            transaction_ms = None if ended.transaction_s is None else 1e3 * ended.transaction_s
            self._emit(
                FollowPeriod(
                    t_s=t_s,
                    began_s=epoch.begins_s,
                    arm=epoch.arm.value,
                    block=epoch.block,
                    rate_tps=ended.rate_tps,
                    transaction_ms=transaction_ms,
                    gains=gains,
                )
            )

    def _emit_audit(self, t_s: float, move: AuditedMove | None) -> None:
        if move is not None:
            self._emit(FollowAudit(t_s=t_s, moved_s=move.moved_s, promise=move.promise, seen=move.seen))

    def _predicted_gain(self, decision: MoveDecision | None) -> float | None:
        if decision is None or decision.promise is None or self._mode is Mode.SHARE:
            return None
        return math.expm1(decision.promise)


def gain_document(gain: FollowingGain, *, planned: bool) -> FollowGain:
    """Return a gain as the lines have it."""
    time = gain.time or RatioChange(0.0, None, None, 0)
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
