"""The rate of the user's own database while it is followed: for the accounts, and for the decision to stop."""

import logging

from scheduler.errors import LoadError
from scheduler.follow.ab_gain import FollowingGain, GainVerdict, PeriodRate, RatioChange
from scheduler.follow.ab_schedule import ComparisonPeriod, Variant
from scheduler.follow.ab_test import VariantComparison, looks_so_far, planned_looks
from scheduler.follow.counter_windows import WINDOW_S, CounterWindow
from scheduler.follow.split_rule import IDLE_CPUS
from scheduler.model.commit_counter import CommitCount, CommitDelta, count_commits_since
from scheduler.model.follow_documents import FollowGain
from scheduler.model.number_texts import format_interval, format_signed_percent
from scheduler.run.commit_counter import CountsCommits, uncounted_note
from scheduler.run.follow_plan import FollowPlan
from scheduler.run.follow_reporter import FollowReporter, gain_document

log = logging.getLogger(__name__)

_LONGEST_S = 3 * WINDOW_S
_IDLE_EPOCHS = 2  # a database that was restarted may have been away for most of one
_SLOW_TPS = 0.1  # a database that does less while its domain works is not the one that is used


class FollowingWorse(Exception):
    """A planned look found following to bring less than the static split; `str()` says what was measured."""


class FollowRate:
    """Counts, and looks when a look is planned. A split never hangs on it: it can only end the whole.

    Args:
        committed: Counter of the database; None where none was named.
        plan: What is done.
        lines: Told of every epoch.

    Attributes:
        gains: What following has brought, as far as that is known.
    """

    def __init__(self, committed: CountsCommits | None, plan: FollowPlan, lines: FollowReporter) -> None:
        self._committed, self._plan, self._lines = committed, plan, lines
        self._accounts = VariantComparison(planned_looks(plan.for_s))
        self._before: tuple[float, CommitCount] | None = None
        self._looked = 0
        self._used_cpu_s = 0.0  # in this epoch
        self._idle = 0  # epochs in a row in which the database idled while the domains worked
        self._alike = False
        self._tries, self._failed, self._error = 0, 0, ""
        self._remarks: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return what a person should know of the rate, sentences."""
        gaps = (uncounted_note(self._failed, self._tries, self._error),) if self._failed else ()
        return (*self._remarks, *gaps)

    @property
    def gains(self) -> tuple[FollowGain, ...]:
        """Return what is known of both other arms."""
        planned = self._looked > 0 and self._looked == planned_looks(self._plan.for_s)
        found = (self._accounts.gain(arm) for arm in (Variant.STATIC, Variant.FOUND))
        return tuple(gain_document(gain, planned=planned) for gain in found if gain is not None)

    def count_commits(self, now_s: float) -> CommitDelta | None:
        """Return what was done since the look before; None where that is not known."""
        if self._committed is None:
            return None
        self._tries += 1
        try:
            total = self._committed.look()
        except LoadError as error:
            log.warning("transactions are not counted now: %s", error)
            self._failed, self._error, self._before = self._failed + 1, str(error), None
            return None
        before, self._before = self._before, (now_s, total)
        return count_commits_since(before, now_s, total)

    def add_window(
        self,
        epoch: ComparisonPeriod,
        elapsed_s: float,
        now_s: float,
        window: CounterWindow | str,
        *,
        slack: bool | None = None,
    ) -> float | None:
        """Take a window, and whether both domains had slack in it; return the rate.

        Raises:
            BroughtLess: At a planned look that found so.
        """
        counted = self.count_commits(now_s)
        if counted is not None and not 0 < counted.took_s <= _LONGEST_S:  # nobody knows what happened meanwhile
            counted = None
        took_s = WINDOW_S if counted is None else counted.took_s
        ended = self._accounts.take(epoch, elapsed_s, took_s, counted, slack=slack)
        if ended is not None:
            self._close_period(ended, elapsed_s)
        if isinstance(window, CounterWindow):
            self._used_cpu_s += window.use.together_cpus * took_s
        self._evaluate_if_planned(
            looks_so_far(elapsed_s, self._plan.for_s) if elapsed_s < self._plan.for_s else self._looked
        )
        return None if counted is None else counted.commits / counted.took_s

    def finish(self, elapsed_s: float) -> None:
        """Take the last epoch and the last look; raises BroughtLess."""
        ended = self._accounts.close()
        if ended is not None:
            self._close_period(ended, elapsed_s)
        self._evaluate_if_planned(planned_looks(self._plan.for_s))

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
        self._committed = None
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
