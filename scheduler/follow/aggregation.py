"""Add windows up to minutes, as long as the same split is set, and sum up what was watched."""

from collections import Counter
from collections.abc import Mapping

import msgspec

from scheduler.follow.counter_windows import LEAST_KEPT, CounterWindow, WindowBuffer, mean_usage
from scheduler.follow.current_split import CurrentSplit
from scheduler.follow.gain_model import LoadMinute, build_minute
from scheduler.follow.split_rule import AT_LIMIT_FRAC, IDLE_CPUS, PairLimits, PairUsage
from scheduler.model.spec import Mode


class WatchSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What came of watching.

    Attributes:
        standing: What was set at the end.
        minutes: Those that could be used, at splits of the same kind.
        watched_s: How long.
        windows: Windows that were used.
        dropped: Why others were not, and how many each time.
        idle: Windows in which next to no CPU was used.
        changes: How often another split was set meanwhile.
        full: Windows in which the contended CPUs were full; of those in which that is known.
        others_known: Whether the host tells what else its CPUs do.
        commits: Transactions that the user's database committed, 0 or more; None where none was named.
        commits_s: The seconds that those took.
        remarks: What else happened, sentences.
        ended: Why it ended before its time; empty when it did not.
        stopped: True when it was the user who ended it.
    """

    standing: CurrentSplit
    minutes: tuple[LoadMinute, ...]
    watched_s: float
    windows: int = 0
    dropped: Mapping[str, int] = {}
    idle: int = 0
    changes: int = 0
    full: int = 0
    others_known: bool = False
    commits: int | None = None
    commits_s: float = 0.0
    remarks: tuple[str, ...] = ()
    ended: str = ""
    stopped: bool = False


OTHERS_FRAC = 0.05  # of the CPUs: with less, nobody but the pair wants them
SATURATED_FRAC = 0.95
SLACK_FRAC = 0.75  # of what it may use: three clients that never pause make each of two domains wait as much as this
_HELD_FRAC = 0.05  # of the time: with less, it is not its limit that keeps a domain waiting


class WindowAggregator:
    """What was seen so far.

    Args:
        standing: What is set as watching begins.
        cpus: Number of CPUs that the domains share, >= 1.
    """

    def __init__(self, standing: CurrentSplit, cpus: int) -> None:
        self.standing, self._cpus = standing, cpus
        self._kept = WindowBuffer()
        self._fresh: list[CounterWindow] = []  # since what is set was read last
        self._minutes: list[LoadMinute] = []
        self._dropped: Counter[str] = Counter()
        self._windows = self._idle = self._changes = self._full = 0
        self._others_known = False

    def add_window(self, window: CounterWindow | str) -> None:
        """Take a window; the reason why it is discarded, where it cannot be used."""
        if isinstance(window, str):
            self._drop_windows(window)
        else:
            self._fresh.append(window)

    def close_minute(self, standing: CurrentSplit, unix_s: float) -> None:
        """End a minute: what it held counts only where the same was set at both of its ends."""
        fresh, self._fresh = self._fresh, []
        if standing != self.standing:
            self._start_new_split(standing, len(fresh))
            return
        for window in fresh:
            self._count_window(window)
            self._kept.add(window.use)
        use = self._kept.mean() if len(fresh) >= LEAST_KEPT else None
        if use is None:
            return
        held = _is_throttled(fresh)
        weighs = self._is_decisive(fresh, held=held)
        minute = build_minute(self._scale_usage(use), standing.allowed, unix_s, weighs=weighs, free=held is False)
        if minute is not None:
            self._minutes.append(minute)

    def lose_minute(self) -> None:
        """End a minute in which nobody knows what was set."""
        self._drop_windows("what was set could not be read", len(self._fresh))
        self._fresh = []
        self._kept.changed()

    def build_summary(self, watched_s: float, ended: str = "", *, stopped: bool = False) -> WatchSummary:
        """Return all of it; the last two as `WatchSummary` has them."""
        return WatchSummary(
            standing=self.standing,
            minutes=tuple(self._minutes),
            watched_s=watched_s,
            windows=self._windows,
            dropped=dict(self._dropped),
            idle=self._idle,
            changes=self._changes,
            full=self._full,
            others_known=self._others_known,
            ended=ended,
            stopped=stopped,
        )

    def _drop_windows(self, reason: str, count: int = 1) -> None:
        self._dropped[reason] += count

    def _start_new_split(self, standing: CurrentSplit, windows: int) -> None:
        if standing.mode is not self.standing.mode:
            self._minutes = []  # limits and weights cannot be added up
        self.standing = standing
        self._changes += 1
        self._kept.changed()
        if windows:
            self._drop_windows("another split was set meanwhile", windows)

    def _count_window(self, window: CounterWindow) -> None:
        self._windows += 1
        self._idle += window.use.together_cpus < IDLE_CPUS
        self._full += _saturation_frac(window, self._cpus) > SATURATED_FRAC
        self._others_known = self._others_known or window.others_frac is not None

    def _scale_usage(self, use: PairUsage) -> PairUsage:
        return scale_to_limits(use, self._cpus, self.standing.allowed)

    def _is_decisive(self, fresh: list[CounterWindow], *, held: bool | None) -> bool:
        """Weights decide while others want a CPU that is full; limits do, unless these others are what holds back."""
        others = sum(window.others_frac or 0.0 for window in fresh) / len(fresh)
        full = sum(_saturation_frac(window, self._cpus) for window in fresh) / len(fresh)
        crowded = others > OTHERS_FRAC and full > SATURATED_FRAC
        if self.standing.mode is Mode.WEIGHTS:
            return crowded
        if not crowded:
            return True
        use = mean_usage([window.use for window in fresh])
        if held is None:  # what is used of a limit, whatever others took, tells who is near it
            whole = msgspec.structs.replace(use, left_frac=1.0)
            held = max(whole.of_allowed(self.standing.allowed)) > AT_LIMIT_FRAC
        # Others may be what the pair itself has the kernel do; such few do not make of it another computer.
        return held or others < use.together_cpus / self._cpus


def _is_throttled(fresh: list[CounterWindow]) -> bool | None:
    """Return whether its limit held a domain back; None where the host does not tell."""
    told = [window.held_frac for window in fresh if window.held_frac is not None]
    return sum(told) / len(told) > _HELD_FRAC if told else None


def scale_to_limits(use: PairUsage, cpus: int, allowed: PairLimits) -> PairUsage:
    """Return use as `allowed` sees it: others cut into limits only where they leave less than those together."""
    return msgspec.structs.replace(use, left_frac=min(1.0, use.left_frac * cpus / allowed.total_cpus))


def weights_decide(window: CounterWindow, cpus: int) -> bool:
    """Return whether weights divide anything: others want the CPU, and it is full."""
    return (window.others_frac or 0.0) > OTHERS_FRAC and _saturation_frac(window, cpus) > SATURATED_FRAC


def has_slack(window: CounterWindow, cpus: int, standing: CurrentSplit) -> bool:
    """Return whether neither domain waits for what it may use: the rate is then what the clients ask for.

    Weights keep nobody from a CPU that is not full.
    """
    if standing.mode is Mode.WEIGHTS:
        return _saturation_frac(window, cpus) < SLACK_FRAC
    return max(scale_to_limits(window.use, cpus, standing.allowed).of_allowed(standing.allowed)) < SLACK_FRAC


def _saturation_frac(window: CounterWindow, cpus: int) -> float:
    return window.use.together_cpus / cpus if window.full_frac is None else window.full_frac
