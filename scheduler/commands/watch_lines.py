"""Watching told to a program: a line when it begins, and one for each window."""

from typing import Self

from scheduler.commands.command_output import print_json
from scheduler.follow.counter_windows import CounterWindow
from scheduler.follow.watch_report import build_report, rounded_split
from scheduler.model.decision import DecisionKind
from scheduler.model.host_properties import HostProperties
from scheduler.model.watch_documents import WatchStarted, WatchWindow
from scheduler.run.watch_session import WatchSession

_FIRST_S = 70.0  # the first minute is counted after its last window was told
_EVERY_S, _EVERY_FRAC = 60.0, 0.02  # the longer it was watched, the less a minute changes


class WatchLines:
    """Prints one JSON object a line; when nobody reads them any more, watching ends (OutputLost)."""

    def __init__(self) -> None:
        self._watching: WatchSession | None = None
        self._due_s = _FIRST_S

    def __enter__(self) -> Self:
        """Print nothing yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Print nothing more."""

    def begin(self, watching: WatchSession, for_s: float) -> None:
        """Say what is watched."""
        self._watching = watching
        facts: HostProperties = watching.facts
        print_json(
            WatchStarted(
                host=facts.url,
                title=facts.title,
                simulated=facts.simulated,
                mode=watching.standing.mode.value,
                present=rounded_split(watching.standing.allowed.log_ratio).label,
                cpus=len(facts.contended_cpus),
                for_s=for_s,
                database=watching.counts,
            )
        )

    def take(self, watched_s: float, window: CounterWindow | None, trouble: str, rate_tps: float | None) -> None:
        """Print one window."""
        if self._watching is None:
            return
        allowed = self._watching.standing.allowed
        use = None if window is None or trouble else window.use
        headline, split, decision = self._decision_so_far(self._watching, watched_s)
        print_json(
            WatchWindow(
                watched_s=watched_s,
                io_cpus=None if use is None else use.io_cpus,
                guest_cpus=None if use is None else use.guest_cpus,
                io_allowed_cpus=allowed.io_cpus,
                guest_allowed_cpus=allowed.guest_cpus,
                others_frac=None if window is None else window.others_frac,
                rate_tps=rate_tps,
                trouble=trouble,
                headline=headline,
                split=split,
                decision=decision,
            )
        )

    def _decision_so_far(self, watching: WatchSession, watched_s: float) -> tuple[str, str, DecisionKind]:
        if watched_s < self._due_s:
            return "", "", DecisionKind.UNKNOWN
        self._due_s = watched_s + max(_EVERY_S, _EVERY_FRAC * watched_s)
        told = build_report(watching.so_far(watched_s))
        return told.headline, "" if told.log_ratio is None else rounded_split(told.log_ratio).label, told.decision
