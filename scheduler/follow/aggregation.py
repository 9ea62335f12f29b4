"""Aggregation of windows to minutes with one split, and the summary of a watch."""

from collections import Counter
from collections.abc import Mapping

import msgspec

from scheduler.follow.counter_windows import LEAST_KEPT, CounterWindow, WindowBuffer, mean_usage
from scheduler.follow.current_split import CurrentSplit
from scheduler.follow.gain_model import LoadMinute, build_minute
from scheduler.follow.split_rule import AT_LIMIT_FRAC, IDLE_CPUS, PairLimits, PairUsage
from scheduler.model.spec import Mode
from scheduler.translation import _


class WatchSummary(msgspec.Struct, frozen=True, kw_only=True):
    """Summary of a watch.

    Attributes:
        standing: The split that was set at the end.
        minutes: The usable minutes, all of one mode.
        watched_s: Length of the watch, seconds.
        windows: Number of windows used.
        dropped: Number of discarded windows by reason.
        idle: Number of windows in which next to no CPU was used.
        changes: Number of changes of the split during the watch.
        full: Number of windows in which the shared CPUs were saturated.
        others_known: True when the host reports other use of its CPUs.
        commits: Transactions that the user's database committed, >= 0; None without a database.
        commits_s: Time in which these transactions were counted, seconds.
        remarks: Further remarks, sentences.
        ended: Reason for an early end; empty when the watch took its full time.
        stopped: True when the user stopped the watch.
        cpus: Number of shared CPUs, >= 1.
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
    cpus: int = 1


OTHERS_FRAC = 0.05  # of the CPUs: below this, only the pair wants them
SATURATED_FRAC = 0.95
SLACK_FRAC = 0.75  # of the CPU allotted: three clients without pauses keep each of two domains as busy as this
_HELD_FRAC = 0.05  # of the time: below this, no cap keeps a domain waiting


class WindowAggregator:
    """Collector of windows and minutes of a watch.

    Args:
        standing: The split that is set when the watch begins.
        cpus: Number of shared CPUs, >= 1.
    """

    def __init__(self, standing: CurrentSplit, cpus: int) -> None:
        self.standing, self._cpus = standing, cpus
        self._kept = WindowBuffer()
        self._fresh: list[CounterWindow] = []  # windows since the last reading of the split
        self._minutes: list[LoadMinute] = []
        self._dropped: Counter[str] = Counter()
        self._windows = self._idle = self._changes = self._full = 0
        self._others_known = False

    def add_window(self, window: CounterWindow | str) -> None:
        """Add a window, or count a discarded window by its reason."""
        if isinstance(window, str):
            self._drop_windows(window)
        else:
            self._fresh.append(window)

    def close_minute(self, standing: CurrentSplit, unix_s: float) -> None:
        """End a minute; use its windows only if the split did not change meanwhile.

        Args:
            standing: The split that is set at the end of the minute.
            unix_s: End of the minute, seconds since 1970.
        """
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
        """End a minute whose split could not be read; discard its windows."""
        self._drop_windows(_("the current settings could not be read"), len(self._fresh))
        self._fresh = []
        self._kept.changed()

    def build_summary(self, watched_s: float, ended: str = "", *, stopped: bool = False) -> WatchSummary:
        """Return the summary of the watch.

        Args:
            watched_s: Length of the watch, seconds.
            ended: Reason for an early end; empty for the full time.
            stopped: True when the user stopped the watch.
        """
        return WatchSummary(
            cpus=self._cpus,
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
            self._drop_windows(_("another split was set meanwhile"), windows)

    def _count_window(self, window: CounterWindow) -> None:
        self._windows += 1
        self._idle += window.use.together_cpus < IDLE_CPUS
        self._full += _saturation_frac(window, self._cpus) > SATURATED_FRAC
        self._others_known = self._others_known or window.others_frac is not None

    def _scale_usage(self, use: PairUsage) -> PairUsage:
        return scale_to_limits(use, self._cpus, self.standing.allowed)

    def _is_decisive(self, fresh: list[CounterWindow], *, held: bool | None) -> bool:
        """Return True when the split decided something.

        Weights decide while others want CPUs that are saturated. Caps decide unless these others keep the domains
        waiting.
        """
        others = sum(window.others_frac or 0.0 for window in fresh) / len(fresh)
        full = sum(_saturation_frac(window, self._cpus) for window in fresh) / len(fresh)
        crowded = others > OTHERS_FRAC and full > SATURATED_FRAC
        if self.standing.mode is Mode.WEIGHTS:
            return crowded
        if not crowded:
            return True
        use = mean_usage([window.use for window in fresh])
        if held is None:  # a domain near its limit shows by its use of the limit, without regard to others
            whole = msgspec.structs.replace(use, left_frac=1.0)
            held = max(whole.of_allowed(self.standing.allowed)) > AT_LIMIT_FRAC
        # A small use by others may be kernel work for the pair itself, so that caps still decide.
        return held or others < use.together_cpus / self._cpus


def _is_throttled(fresh: list[CounterWindow]) -> bool | None:
    """Return True when a cap throttled a domain; None when that is not reported."""
    reported = [window.throttled_frac for window in fresh if window.throttled_frac is not None]
    return sum(reported) / len(reported) > _HELD_FRAC if reported else None


def scale_to_limits(use: PairUsage, cpus: int, allowed: PairLimits) -> PairUsage:
    """Return the usage with the share left by others, relative to the limits.

    Other use of the CPUs reduces the limits only where it leaves less CPU than the limits allow together.

    Args:
        use: CPU used by both domains; `left_frac` refers to all shared CPUs.
        cpus: Number of shared CPUs, >= 1.
        allowed: CPU allotted to both domains.
    """
    return msgspec.structs.replace(use, left_frac=min(1.0, use.left_frac * cpus / allowed.total_cpus))


def weights_decide(window: CounterWindow, cpus: int) -> bool:
    """Return True when weights decide: others want the CPUs, which are saturated.

    Args:
        window: One window.
        cpus: Number of shared CPUs, >= 1.
    """
    return (window.others_frac or 0.0) > OTHERS_FRAC and _saturation_frac(window, cpus) > SATURATED_FRAC


def has_slack(window: CounterWindow, cpus: int, standing: CurrentSplit) -> bool:
    """Return True when neither domain waits for its limit.

    The clients then set the rate. Weights keep no domain from a CPU that is not saturated.

    Args:
        window: One window.
        cpus: Number of shared CPUs, >= 1.
        standing: The split that was set.
    """
    if standing.mode is Mode.WEIGHTS:
        return _saturation_frac(window, cpus) < SLACK_FRAC
    return max(scale_to_limits(window.use, cpus, standing.allowed).of_allowed(standing.allowed)) < SLACK_FRAC


def _saturation_frac(window: CounterWindow, cpus: int) -> float:
    return window.use.together_cpus / cpus if window.full_frac is None else window.full_frac
