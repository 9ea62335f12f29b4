"""The rate of the user's own database while it is followed: for the accounts, and for the decision to stop."""

import logging

from scheduler.errors import LoadError
from scheduler.follow.accounting import Accounts, look_of, looks_in
from scheduler.follow.epochs import Arm, Epoch
from scheduler.follow.gains import Change, EpochRate, Gain, Verdict
from scheduler.follow.rule import IDLE_CPUS
from scheduler.follow.windows import WINDOW_S, Window
from scheduler.model.counted import Count, Counted, between
from scheduler.model.following import FollowGain
from scheduler.model.number_texts import interval, signed_percent
from scheduler.run.committed import Committed, uncounted
from scheduler.run.follow_lines import Lines, told
from scheduler.run.follow_plan import FollowPlan

log = logging.getLogger(__name__)

_LONGEST_S = 3 * WINDOW_S
_IDLE_EPOCHS = 2  # a database that was restarted may have been away for most of one
_SLOW_TPS = 0.1  # a database that does less while its domain works is not the one that is used


class BroughtLess(Exception):
    """A planned look found following to bring less than the static split; `str()` says what was measured."""


class Rate:
    """Counts, and looks when a look is planned. A split never hangs on it: it can only end the whole.

    Args:
        committed: Counter of the database; None where none was named.
        plan: What is done.
        lines: Told of every epoch.

    Attributes:
        gains: What following has brought, as far as that is known.
    """

    def __init__(self, committed: Committed | None, plan: FollowPlan, lines: Lines) -> None:
        self._committed, self._plan, self._lines = committed, plan, lines
        self._accounts = Accounts(looks_in(plan.for_s))
        self._before: tuple[float, Count] | None = None
        self._looked = 0
        self._used_cpu_s = 0.0  # in this epoch
        self._idle = 0  # epochs in a row in which the database idled while the domains worked
        self._alike = False
        self._tries, self._failed, self._error = 0, 0, ""
        self._remarks: tuple[str, ...] = ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """Return what a person should know of the rate, sentences."""
        gaps = (uncounted(self._failed, self._tries, self._error),) if self._failed else ()
        return (*self._remarks, *gaps)

    @property
    def gains(self) -> tuple[FollowGain, ...]:
        """Return what is known of both other arms."""
        planned = self._looked > 0 and self._looked == looks_in(self._plan.for_s)
        found = (self._accounts.gain(arm) for arm in (Arm.STATIC, Arm.FOUND))
        return tuple(told(gain, planned=planned) for gain in found if gain is not None)

    def look(self, now_s: float) -> Counted | None:
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
        return between(before, now_s, total)

    def take(
        self, epoch: Epoch, elapsed_s: float, now_s: float, window: Window | str, *, slack: bool | None = None
    ) -> float | None:
        """Take a window, and whether both domains had slack in it; return the rate.

        Raises:
            BroughtLess: At a planned look that found so.
        """
        counted = self.look(now_s)
        if counted is not None and not 0 < counted.took_s <= _LONGEST_S:  # nobody knows what happened meanwhile
            counted = None
        took_s = WINDOW_S if counted is None else counted.took_s
        ended = self._accounts.take(epoch, elapsed_s, took_s, counted, slack=slack)
        if ended is not None:
            self._end(ended, elapsed_s)
        if isinstance(window, Window):
            self._used_cpu_s += window.use.together_cpus * took_s
        self._look_by_plan(look_of(elapsed_s, self._plan.for_s) if elapsed_s < self._plan.for_s else self._looked)
        return None if counted is None else counted.commits / counted.took_s

    def finish(self, elapsed_s: float) -> None:
        """Take the last epoch and the last look; raises BroughtLess."""
        ended = self._accounts.close()
        if ended is not None:
            self._end(ended, elapsed_s)
        self._look_by_plan(looks_in(self._plan.for_s))

    def _end(self, ended: EpochRate, elapsed_s: float) -> None:
        used, self._used_cpu_s = self._used_cpu_s / (ended.epoch.ends_s - ended.epoch.begins_s), 0.0
        if ended.rate_tps is not None:
            self._idle = self._idle + 1 if ended.rate_tps < _SLOW_TPS and used > IDLE_CPUS else 0
        if self._idle >= _IDLE_EPOCHS:
            self._stop_counting("The database's counter does not follow the load: is it the one that the guest runs?")
        self._lines.epoch(elapsed_s, ended, self.gains)

    def _look_by_plan(self, due: int) -> None:
        if due <= self._looked:
            return
        self._looked = due
        gain = self._accounts.gain(Arm.STATIC)
        if gain is not None and gain.verdict is Verdict.WORSE:
            worse = "brings less" if gain.by_time is None else "makes transactions take longer"
            raise BroughtLess(f"Following {worse} than the static split: {_words(gain)}")
        if gain is not None and gain.verdict is Verdict.ALIKE and not self._alike:
            self._alike = True
            self._remarks = (*self._remarks, f"Following brings nothing here over the static split: {_words(gain)}")

    def _stop_counting(self, why: str) -> None:
        log.warning("%s", why)
        self._committed = None
        self._accounts.turn_off(why)
        self._remarks = (*self._remarks, why)


def _words(gain: Gain) -> str:
    change = gain.by_time or Change(gain.frac, gain.low, gain.high, gain.blocks)
    if change.low is None or change.high is None:
        return ""
    return f"{signed_percent(change.frac)} ({interval(change.low, change.high)}) in {change.blocks} pairs of epochs."
