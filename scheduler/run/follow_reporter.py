"""Reports of `follow`, and the comparison of its variants by the commit rate."""

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
    ObservationWindow,
)
from scheduler.model.spec import Mode
from scheduler.run.commit_counter import CommitRate
from scheduler.run.observation import ObservedWindow
from scheduler.translation import _

log = logging.getLogger(__name__)

_IDLE_EPOCHS = 2  # more than one, because a restart can take most of a period
_SLOW_TPS = 0.1  # a database below this rate, while its domain works, is not the used one
_PERIOD_TEXTS = {
    Variant.FOLLOWING: _("A comparison period of following begins, at the target split."),
    Variant.STATIC: _("A comparison period of the fixed split begins."),
    Variant.FOUND: _("A comparison period of the original settings begins."),
}
# Reasons to hold while the rule works as intended.
_AT_REST = (
    HoldReason.AT_OPTIMUM,
    HoldReason.GAIN_TOO_SMALL,
    HoldReason.UNCONFIRMED,
    HoldReason.GATHERING,
    HoldReason.COMPARISON,
)


class FollowReporter:
    """Reporter of the events of a `follow` run.

    Args:
        emit: Takes every line.
        mode: Caps or weights; for weights no gain is predicted.

    Attributes:
        moves: Number of moves by the rule.
        audit: Predicted gains of moves, with the measured changes of the rate.
    """

    def __init__(self, emit: Callable[[FollowLine], None], mode: Mode) -> None:
        self._emit, self._mode = emit, mode
        self._hold: HoldReason | None = None
        self._windows = self._held = 0
        self.moves = 0
        self.audit = GainAudit()

    @property
    def hold_frac(self) -> float:
        """Share of the windows in which the rule could not decide or could not move, 0..1."""
        return self._held / self._windows if self._windows else 0.0

    @property
    def followed_s(self) -> float:
        """Time covered by windows, seconds."""
        return self._windows * WINDOW_S

    def report_window(self, seen: ObservedWindow, arm: Variant, standing: CurrentSplit, decision: MoveDecision) -> None:
        """Report one window.

        Args:
            seen: The window.
            arm: Variant in force during the window.
            standing: Split in force during the window.
            decision: Decision after the window.
        """
        self._windows += 1
        self._held += decision.hold is not None and decision.hold not in _AT_REST
        window = seen.usable
        self._emit(
            ObservationWindow(
                t_s=seen.elapsed_s,
                arm=arm.value,
                split=rounded_split(standing.allowed.log_ratio),
                wish=None if decision.wish is None else rounded_split(decision.wish),
                predicted_gain=self._predicted_gain(decision),
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
        """Report the reason why the split stays, when the reason is a new one.

        Args:
            t_s: Time, seconds since the run began.
            hold: The reason; None when there is none.
            until_s: End of the cooldown on the same clock; None for other reasons.
        """
        if hold is not None and hold is not self._hold:
            self._emit(FollowHold(t_s=t_s, reason=hold.value, text=hold_words(hold), until_s=until_s))
        self._hold = hold

    def report_move(
        self, t_s: float, arm: Variant, before: CurrentSplit, after: CurrentSplit, decision: MoveDecision | None
    ) -> None:
        """Report another split.

        Args:
            t_s: Time, seconds since the run began.
            arm: Variant in force from now on.
            before: Split before the move.
            after: Split after the move.
            decision: Decision of the rule; None when the period of another variant began.
        """
        self.moves += decision is not None
        self._emit_audit(t_s, self.audit.changed(t_s, self._predicted_gain(decision)))
        io, guest = (decision.used_frac if decision else None) or (None, None)
        self._emit(
            FollowMove(
                t_s=t_s,
                arm=arm.value,
                before=rounded_split(before.allowed.log_ratio),
                after=rounded_split(after.allowed.log_ratio),
                text=_PERIOD_TEXTS[arm] if decision is None else move_words(decision, self._mode),
                predicted_gain=self._predicted_gain(decision),
                io_used_frac=io,
                guest_used_frac=guest,
                cost_ratio=decision.cost_ratio if decision else None,
            )
        )

    def report_period(self, t_s: float, ended: PeriodRate, gains: tuple[FollowGain, ...]) -> None:
        """Report a comparison period that has ended.

        Args:
            t_s: Time, seconds since the run began.
            ended: Period with its rate.
            gains: Gains of following so far.
        """
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
            self._emit(FollowAudit(t_s=t_s, moved_s=move.moved_s, predicted_gain=move.predicted_gain, seen=move.seen))

    def _predicted_gain(self, decision: MoveDecision | None) -> float | None:
        if decision is None or decision.predicted_gain is None or self._mode is Mode.WEIGHTS:
            return None
        return math.expm1(decision.predicted_gain)


def gain_document(gain: FollowingGain, *, planned: bool) -> FollowGain:
    """Return a gain as a part of the documents.

    Args:
        gain: The gain.
        planned: True when all planned evaluations are done.
    """
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
    """Following was measured as worse than the static split; `str()` has the figures.

    Only a planned evaluation raises this exception.
    """


class FollowAccounts:
    """Comparison of variants, with evaluations at planned times.

    The comparison chooses no split: the only consequence is an early end of the run.

    Args:
        commits: Commit rate of the user's database.
        for_s: Planned duration, seconds.
        lines: Reports every comparison period.
    """

    def __init__(self, commits: CommitRate, for_s: float, lines: FollowReporter) -> None:
        self._commits, self._for_s, self._lines = commits, for_s, lines
        self._accounts = VariantComparison(planned_looks(for_s))
        self._looked = 0
        self._used_cpu_s = 0.0  # CPU seconds in the current period
        self._idle = 0  # periods in a row with an idle database but working domains
        self._alike = False
        self._remarks: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return remarks about the commit rate, sentences."""
        return (*self._remarks, *self._commits.remarks)

    @property
    def gains(self) -> tuple[FollowGain, ...]:
        """Return the gains of following over the other variants, as far as known."""
        planned = self._looked > 0 and self._looked == planned_looks(self._for_s)
        found = (self._accounts.gain(arm) for arm in (Variant.STATIC, Variant.FOUND))
        return tuple(gain_document(gain, planned=planned) for gain in found if gain is not None)

    def add_window(self, epoch: ComparisonPeriod, seen: ObservedWindow, *, slack: bool | None = None) -> None:
        """Add a window to its comparison period.

        Args:
            epoch: Period in which the window lay.
            seen: The window.
            slack: True when neither domain was near its limit; None when not known.

        Raises:
            FollowingWorse: A planned evaluation found following worse than the static split.
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
        """Close the last period and evaluate for the last time.

        Args:
            elapsed_s: Seconds since the run began.

        Raises:
            FollowingWorse: The evaluation found following worse than the static split.
        """
        ended = self._accounts.close()
        if ended is not None:
            self._close_period(ended, elapsed_s)
        self._evaluate_if_planned(planned_looks(self._for_s))

    def _close_period(self, ended: PeriodRate, elapsed_s: float) -> None:
        used, self._used_cpu_s = self._used_cpu_s / (ended.epoch.ends_s - ended.epoch.begins_s), 0.0
        if ended.rate_tps is not None:
            self._idle = self._idle + 1 if ended.rate_tps < _SLOW_TPS and used > IDLE_CPUS else 0
        if self._idle >= _IDLE_EPOCHS:
            self._stop_counting(
                _("The database's counter does not follow the load: is it the one that the guest runs?")
            )
        self._lines.report_period(elapsed_s, ended, self.gains)

    def _evaluate_if_planned(self, due: int) -> None:
        if due <= self._looked:
            return
        self._looked = due
        gain = self._accounts.gain(Variant.STATIC)
        if gain is not None and gain.verdict is GainVerdict.WORSE:
            worse = _("brings less") if gain.by_time is None else _("makes transactions take longer")
            raise FollowingWorse(
                _("Following {worse} than the static split: {gain_words}").format(
                    worse=worse, gain_words=_gain_words(gain)
                )
            )
        if gain is not None and gain.verdict is GainVerdict.ALIKE and not self._alike:
            self._alike = True
            self._remarks = (
                *self._remarks,
                _("Following gains nothing here over the fixed split: {gain_words}").format(
                    gain_words=_gain_words(gain)
                ),
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
    return _("{frac} ({low}) in {blocks} pairs of epochs.").format(
        frac=format_signed_percent(change.frac), low=format_interval(change.low, change.high), blocks=change.blocks
    )
