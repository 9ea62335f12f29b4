"""Tell what following does, line by line, and account for what it brings by the rate of the user's own database."""

import logging
import math
from collections.abc import Callable

from scheduler.follow.ab_test import (
    ComparisonPeriod,
    FollowingGain,
    GainVerdict,
    PeriodRate,
    RatioChange,
    Variant,
    VariantComparison,
    looks_so_far,
    planned_looks,
)
from scheduler.follow.counter_windows import WINDOW_S
from scheduler.follow.current_split import CurrentSplit
from scheduler.follow.gain_audit import AuditedMove, GainAudit
from scheduler.follow.move_decision import HoldReason, MoveDecision, hold_words, move_words
from scheduler.follow.split_rule import IDLE_CPUS, rounded_split
from scheduler.model.number_texts import format_interval, format_signed_percent
from scheduler.model.observation_documents import (
    FollowAudit,
    FollowGain,
    FollowHold,
    FollowLine,
    FollowMove,
    FollowPeriod,
    FollowWindow,
)
from scheduler.model.spec import Mode
from scheduler.run.commit_counter import CommitRate
from scheduler.run.observation import ObservedWindow

log = logging.getLogger(__name__)

_IDLE_EPOCHS = 2  # a database that was restarted may have been away for most of one
_SLOW_TPS = 0.1  # a database that does less while its domain works is not the one that is used
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

    def report_window(self, seen: ObservedWindow, arm: Variant, standing: CurrentSplit, decision: MoveDecision) -> None:
        """Tell of one window.

        Args:
            seen: The window.
            arm: Whose turn it was.
            standing: What was set in it.
            decision: What it led to.
        """
        self._windows += 1
        self._held += decision.hold is not None and decision.hold not in _AT_REST
        window = seen.usable
        self._emit(
            FollowWindow(
                t_s=seen.elapsed_s,
                arm=arm.value,
                split=rounded_split(standing.allowed.log_ratio).label,
                wish="" if decision.wish is None else rounded_split(decision.wish).label,
                promise=self._predicted_gain(decision),
                io_cpus=window.use.io_cpus if window else None,
                guest_cpus=window.use.guest_cpus if window else None,
                io_allowed_cpus=standing.allowed.io_cpus,
                guest_allowed_cpus=standing.allowed.guest_cpus,
                others_frac=window.others_frac if window else None,
                rate_tps=seen.rate_tps,
                trouble=seen.trouble,
            )
        )
        self._emit_audit(seen.elapsed_s, self.audit.window(seen.rate_tps))

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
        if decision is None or decision.promise is None or self._mode is Mode.WEIGHTS:
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


class FollowingWorse(Exception):
    """A planned look found following to bring less than the static split; `str()` says what was measured."""


class FollowAccounts:
    """Compares variants, and looks when a look is planned. A split never hangs on it: it can only end the whole.

    Args:
        commits: Rate of the user's database.
        for_s: How long following is to take, seconds.
        lines: Told of every comparison period.
    """

    def __init__(self, commits: CommitRate, for_s: float, lines: FollowReporter) -> None:
        self._commits, self._for_s, self._lines = commits, for_s, lines
        self._accounts = VariantComparison(planned_looks(for_s))
        self._looked = 0
        self._used_cpu_s = 0.0  # in this epoch
        self._idle = 0  # epochs in a row in which the database idled while the domains worked
        self._alike = False
        self._remarks: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return what a person should know of the rate, sentences."""
        return (*self._remarks, *self._commits.remarks)

    @property
    def gains(self) -> tuple[FollowGain, ...]:
        """Return what is known of both other arms."""
        planned = self._looked > 0 and self._looked == planned_looks(self._for_s)
        found = (self._accounts.gain(arm) for arm in (Variant.STATIC, Variant.FOUND))
        return tuple(gain_document(gain, planned=planned) for gain in found if gain is not None)

    def add_window(self, epoch: ComparisonPeriod, seen: ObservedWindow, *, slack: bool | None = None) -> None:
        """Take a window, and whether both domains had slack in it.

        Args:
            epoch: The period in which it lay.
            seen: The window.
            slack: Whether neither domain was near its limit; None where that is not known.

        Raises:
            FollowingWorse: At a planned look that found so.
        """
        elapsed_s, counted = seen.elapsed_s, seen.counted
        took_s = WINDOW_S if counted is None else counted.took_s
        ended = self._accounts.take(epoch, elapsed_s, took_s, counted, slack=slack)
        if ended is not None:
            self._close_period(ended, elapsed_s)
        if seen.usable is not None:
            self._used_cpu_s += seen.usable.use.together_cpus * took_s
        self._evaluate_if_planned(looks_so_far(elapsed_s, self._for_s) if elapsed_s < self._for_s else self._looked)

    def finish(self, elapsed_s: float) -> None:
        """Take the last epoch and the last look; raises FollowingWorse."""
        ended = self._accounts.close()
        if ended is not None:
            self._close_period(ended, elapsed_s)
        self._evaluate_if_planned(planned_looks(self._for_s))

    def _close_period(self, ended: PeriodRate, elapsed_s: float) -> None:
        used, self._used_cpu_s = self._used_cpu_s / (ended.epoch.ends_s - ended.epoch.begins_s), 0.0
        if ended.rate_tps is not None:
            self._idle = self._idle + 1 if ended.rate_tps < _SLOW_TPS and used > IDLE_CPUS else 0
        if self._idle >= _IDLE_EPOCHS:
            self._stop_counting("The database's counter does not follow the load: is it the one that the guest runs?")
        self._lines.report_period(elapsed_s, ended, self.gains)

    def _evaluate_if_planned(self, due: int) -> None:
        if due <= self._looked:
            return
        self._looked = due
        gain = self._accounts.gain(Variant.STATIC)
        if gain is not None and gain.verdict is GainVerdict.WORSE:
            worse = "brings less" if gain.by_time is None else "makes transactions take longer"
            raise FollowingWorse(f"Following {worse} than the static split: {_gain_words(gain)}")
        if gain is not None and gain.verdict is GainVerdict.ALIKE and not self._alike:
            self._alike = True
            self._remarks = (
                *self._remarks,
                f"Following brings nothing here over the static split: {_gain_words(gain)}",
            )

    def _stop_counting(self, why: str) -> None:
        log.warning("%s", why)
        self._commits.stop()
        self._accounts.turn_off(why)
        self._remarks = (*self._remarks, why)


def _gain_words(gain: FollowingGain) -> str:
    change = gain.by_time or RatioChange(gain.frac, gain.low, gain.high, gain.blocks)
    if change.low is None or change.high is None:
        return ""
    return (
        f"{format_signed_percent(change.frac)} ({format_interval(change.low, change.high)}) in "
        f"{change.blocks} pairs of epochs."
    )
