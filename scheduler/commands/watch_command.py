"""`domtune watch URL`: which split suits the load that runs there; reads counters only."""

import argparse
import contextlib
import math
import sys
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing, nullcontext
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.exit_codes import ExitCode
from scheduler.commands.host_changes import changes_of
from scheduler.commands.signals import end_on_signals
from scheduler.commands.simulation import host_control, start_own_load
from scheduler.errors import SchedulerError, SpecError
from scheduler.follow.aggregation import WatchSummary
from scheduler.follow.counter_windows import CounterWindow
from scheduler.follow.current_split import params_for_split
from scheduler.follow.split_rule import rounded_split
from scheduler.follow.timetable import SplitTimetable, build_timetable
from scheduler.follow.watch_report import build_report, grid_label
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.hosts.observed_host import ObservedHost
from scheduler.loads.commit_counter import CommitCounter
from scheduler.model.command_answers import ParameterChange
from scheduler.model.decision import DecisionKind
from scheduler.model.duration_text import parse_duration_s
from scheduler.model.host_properties import HostProperties
from scheduler.model.number_texts import format_duration, format_percent, format_short
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.model.terminal_text import replace_controls
from scheduler.model.urls import redact_url
from scheduler.model.watch_documents import TimetableRow, WatchResult, WatchStarted, WatchWindow
from scheduler.run.observation import ObservedWindow
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

    def take(self, seen: ObservedWindow) -> None:
        """Print one window."""
        if self._watching is None:
            return
        allowed = self._watching.standing.allowed
        window = seen.usable
        headline, split, decision = self._decision_so_far(self._watching, seen.elapsed_s)
        print_json(
            WatchWindow(
                watched_s=seen.elapsed_s,
                io_cpus=None if window is None else window.use.io_cpus,
                guest_cpus=None if window is None else window.use.guest_cpus,
                io_allowed_cpus=allowed.io_cpus,
                guest_allowed_cpus=allowed.guest_cpus,
                others_frac=None if window is None else window.others_frac,
                rate_tps=seen.rate_tps,
                trouble=seen.trouble,
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


class WatchProgress:
    """Shows windows as they come; a terminal that is gone is no reason to stop.

    Args:
        for_s: How long it is to take.
        quiet: Show nothing at all.
    """

    def __init__(self, for_s: float, *, quiet: bool) -> None:
        columns = (BarColumn(30), TimeRemainingColumn(), TextColumn("{task.description}", markup=False))
        self._bar = Bar(*columns, console=Console(file=sys.stderr), refresh_per_second=2)
        self._task = self._bar.add_task("watching", total=for_s)
        self._quiet = quiet
        self._trouble = ""

    def __enter__(self) -> Self:
        """Begin to draw."""
        with contextlib.suppress(OSError):
            if not self._quiet:
                self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop drawing."""
        with contextlib.suppress(OSError):
            if not self._quiet:
                self._bar.stop()

    def begin(self, watching: WatchSession, for_s: float) -> None:
        """Say nothing more: the bar stands already."""

    def take(self, seen: ObservedWindow) -> None:
        """Show one window; what is wrong is said once."""
        with contextlib.suppress(OSError):
            if self._quiet:
                return
            if seen.trouble and seen.trouble != self._trouble:
                self._bar.print(replace_controls(f"not used: {seen.trouble}"), markup=False)
            self._trouble = seen.trouble
            words = "" if seen.usable is None else _window_words(seen.usable, seen.rate_tps)
            self._bar.update(self._task, completed=seen.elapsed_s, description=words)


def _window_words(window: CounterWindow, rate_tps: float | None) -> str:
    use, others = window.use, window.others_frac
    beside = "" if others is None else f", others {format_percent(others)}"
    rate = "" if rate_tps is None else f", {format_short(rate_tps)} transactions/s"
    return f"I/O domain {format_percent(use.io_cpus)}, guest {format_percent(use.guest_cpus)} of a CPU{beside}{rate}"


LEAST, MOST = "1m", "7d"


def watch(arguments: argparse.Namespace) -> int:
    """Watch, then say what came of it; the answer goes to standard output, everything else to standard error."""
    for_s = parse_duration_s(arguments.for_time, "--for", LEAST, MOST)
    if arguments.windows and not arguments.json:
        raise SpecError("--windows", "prints objects", hint="Say --json, too.")
    answer = _watch_host(arguments, for_s)
    if arguments.json:
        print_json(answer)
    else:
        print_lines(*answer_lines(answer))
    return _exit_code(answer)


def error_answer(arguments: argparse.Namespace, error: SchedulerError) -> WatchResult:
    """Return the object for what could not be watched."""
    return WatchResult(host=redact_url(arguments.url), error=str(error), hint=error.hint)


def _watch_host(arguments: argparse.Namespace, for_s: float) -> WatchResult:
    control = host_control(arguments.url)
    host = open_host(arguments.url, ignore_command, io_domain=arguments.io, guest_domain=arguments.guest)
    try:
        observed = ObservedHost(start_own_load(host, arguments.url, control))
        with _open_counter(arguments.database) as commits, _open_progress(arguments, for_s) as progress:
            end_on_signals(control)  # not before: until something was seen, Ctrl+C ends everything as ever
            begun_unix_s, begun_s = time.time(), control.clock.now()
            hours: dict[float, tuple[int, int]] = {}

            def wall() -> float:
                unix_s = begun_unix_s + control.clock.now() - begun_s
                hours[unix_s] = _day_and_hour(unix_s)
                return unix_s

            watching = WatchSession(observed, control, wall, progress.take, commits)
            progress.begin(watching, for_s)
            seen = watching.run(for_s)
        return build_answer(seen, watching.facts, build_timetable(seen.minutes, hours))
    finally:
        host.close()


def _open_progress(arguments: argparse.Namespace, for_s: float) -> WatchProgress | WatchLines:
    return WatchLines() if arguments.windows else WatchProgress(for_s, quiet=arguments.quiet)


def _open_counter(database: str) -> AbstractContextManager[CommitCounter | None]:
    return closing(CommitCounter(database)) if database else nullcontext()


def _day_and_hour(unix_s: float) -> tuple[int, int]:
    local = time.localtime(unix_s)
    return local.tm_year * 1000 + local.tm_yday, local.tm_hour


def build_answer(seen: WatchSummary, facts: HostProperties, timetable: SplitTimetable | None) -> WatchResult:
    """Return the answer for what was seen."""
    told = build_report(seen)
    after = _target_params(seen, told.log_ratio, facts)
    here, there = rounded_split(seen.standing.allowed.log_ratio), told.log_ratio
    rows = timetable.stretches if timetable else ()
    return WatchResult(
        host=facts.url,
        title=facts.title,
        simulated=facts.simulated,
        watched_s=seen.watched_s,
        windows=seen.windows,
        dropped=sum(seen.dropped.values()),
        mode=seen.standing.mode.value,
        present=here.label,
        outlook=told.outlook,
        decision=told.decision,
        headline=told.headline,
        reasons=told.reasons,
        split="" if there is None else rounded_split(there).label,
        split_low=rounded_split(told.as_good[0]).label if told.as_good else "",
        split_high=rounded_split(told.as_good[1]).label if told.as_good else "",
        gain_frac=told.gain_frac,
        gain_low_frac=told.gain_low_frac,
        gain_high_frac=told.gain_high_frac,
        following_gain_frac=told.following_frac,
        changes=_list_changes(seen, after),
        params=after,
        facts=facts if after else None,
        timetable=tuple(TimetableRow(begins=f"{row.begins_hour:02d}:00", split=grid_label(row.place)) for row in rows),
        timetable_gain_frac=math.expm1(timetable.gain) if timetable else None,
        database_tps=seen.commits / seen.commits_s if seen.commits is not None and seen.commits_s else None,
        ended=seen.ended,
        stopped=seen.stopped,
    )


def _target_params(
    seen: WatchSummary, log_ratio: float | None, facts: HostProperties
) -> Mapping[DomainId, SchedParams]:
    """Return what would set the split that is named; nothing where none is."""
    if log_ratio is None:
        return {}
    split = rounded_split(log_ratio)
    return params_for_split(seen.standing, math.log(split.io / split.guest), facts)


def _list_changes(seen: WatchSummary, after: Mapping[DomainId, SchedParams]) -> tuple[ParameterChange, ...]:
    rows = changes_of(seen.standing.params, after, {}) if after else ()
    return tuple(row for row in rows if row.before != row.after)


def answer_lines(answer: WatchResult) -> list[str]:
    """Return the answer as lines for people."""
    used = f"{answer.windows} windows of 10 s in {format_duration(answer.watched_s)}, at {answer.present} at the end"
    rows = [f"  {row.begins}  {row.split}" for row in answer.timetable]
    gain = answer.timetable_gain_frac
    heading = f"The day repeats: a timetable would gain {format_percent(gain)} more than one split:" if gain else ""
    tps = answer.database_tps
    changes = answer.changes if answer.ordered_split else ()
    return [
        "SIMULATED: nothing here was seen on a machine" if answer.simulated else "",
        f"{answer.title} ({answer.host})",
        f"  {used}",
        f"  the database committed {format_short(tps)} transactions/s meanwhile" if tps is not None else "",
        answer.headline,
        f"  Within 2 % of the best: {answer.split_low} to {answer.split_high} (estimate)." if answer.split_low else "",
        *(f"  {reason}" for reason in answer.reasons),
        heading,
        *rows,
        "Nothing was written. To set it:" if changes else "Nothing was written.",
        *(f"  {each.domain} {each.parameter}: {each.before} -> {each.after}" for each in changes),
    ]


def _exit_code(answer: WatchResult) -> ExitCode:
    if answer.stopped:
        return ExitCode.ABORTED
    return ExitCode.FAILED if answer.ended else ExitCode.DONE
