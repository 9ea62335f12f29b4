"""`domtune watch URL`: name the best split for the current load; read only."""

import argparse
import math
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing, nullcontext

from scheduler.background_runs import WATCH
from scheduler.commands.command_output import print_json, print_lines
from scheduler.commands.end_notice import EndNotice
from scheduler.commands.exit_codes import ExitCode, exit_for_error
from scheduler.commands.host_changes import list_changes
from scheduler.commands.observation_output import WatchProgress, WatchReporter, answer_lines
from scheduler.commands.observation_recorder import ObservationRecorder
from scheduler.commands.signals import end_on_signals, end_with_windows
from scheduler.commands.simulation import lasting_control, start_own_load
from scheduler.commands.staying_awake import print_unless, stay_awake
from scheduler.errors import SchedulerError, SpecError
from scheduler.follow.aggregation import WatchSummary
from scheduler.follow.current_split import params_for_split
from scheduler.follow.gain_model import GRID
from scheduler.follow.split_rule import rounded_split
from scheduler.follow.timetable import SplitTimetable, build_timetable
from scheduler.follow.watch_report import build_report
from scheduler.hosts.host_registry import ignore_command, open_host
from scheduler.hosts.observed_host import ObservedHost
from scheduler.loads.commit_counter import CommitCounter
from scheduler.model.command_answers import ParameterChange
from scheduler.model.duration_text import parse_duration_s
from scheduler.model.host_properties import HostProperties
from scheduler.model.observation_documents import ObservationLine, TimetableRow, WatchResult
from scheduler.model.run_end import end_of_observation
from scheduler.model.scheduler_params import SchedParams
from scheduler.model.split import DomainId
from scheduler.model.urls import redact_url
from scheduler.run.observation import LEAST_TIME, MOST_TIME
from scheduler.run.watch_session import WatchSession
from scheduler.run.window_link import WindowLink
from scheduler.translation import _


def watch(arguments: argparse.Namespace) -> int:
    """Watch, then print the answer to standard output, all else to standard error."""
    for_s = parse_duration_s(arguments.for_time, "--for", LEAST_TIME, MOST_TIME)
    if arguments.windows and not arguments.json:
        raise SpecError("--windows", _("prints objects"), hint=_("Add --json."))
    if arguments.orders:
        return _watch_for_window(arguments, for_s)
    answer = _watch_host(arguments, for_s, None)
    if arguments.json:
        print_json(answer)
    else:
        print_lines(*answer_lines(answer))
    return _exit_code(answer)


def _watch_for_window(arguments: argparse.Namespace, for_s: float) -> int:
    with WindowLink(WATCH) as link:
        try:
            answer = _watch_host(arguments, for_s, link)
        except SchedulerError as error:
            print_json(error_answer(arguments, error))
            return exit_for_error(error)
        print_json(answer)
        return _exit_code(answer)


def error_answer(arguments: argparse.Namespace, error: SchedulerError) -> WatchResult:
    """Return the object for a host that could not be watched.

    Args:
        arguments: The parsed command line.
        error: The error.
    """
    return WatchResult(host=redact_url(arguments.url), error=str(error), hint=error.hint)


def _watch_host(arguments: argparse.Namespace, for_s: float, link: WindowLink | None) -> WatchResult:
    notice = EndNotice(arguments.notify)
    answer = _watch_opened(arguments, for_s, link)
    notice.send(end_of_observation(arguments.url, answer), link)
    return answer


def _watch_opened(arguments: argparse.Namespace, for_s: float, link: WindowLink | None) -> WatchResult:
    control = lasting_control(arguments.url)
    host = open_host(arguments.url, ignore_command, io_domain=arguments.io, guest_domain=arguments.guest)
    try:
        observed = ObservedHost(start_own_load(host, control))
        with (
            _open_counter(arguments.database) as commits,
            ObservationRecorder() as recorder,
            stay_awake(arguments.url, _("a watch"), print_unless(quiet=arguments.quiet or arguments.windows)),
            WatchProgress(for_s, quiet=arguments.quiet or arguments.windows) as progress,
        ):
            end_on_signals(control)  # not earlier: until here, Ctrl+C just ends the program
            if link is not None:
                end_with_windows(control, link)
            begun_unix_s, begun_s = time.time(), control.clock.now()
            hours: dict[float, tuple[int, int]] = {}

            def wall() -> float:
                unix_s = begun_unix_s + control.clock.now() - begun_s
                hours[unix_s] = _day_and_hour(unix_s)
                return unix_s

            def emit(line: ObservationLine) -> None:
                recorder.emit(line)
                if arguments.windows:
                    print_json(line)
                progress.take(line)

            reporter = WatchReporter(emit)
            watching = WatchSession(observed, control, wall, reporter.take, commits)
            reporter.begin(watching, for_s)
            seen = watching.run(for_s)
            answer = build_answer(seen, watching.facts, build_timetable(seen.minutes, hours))
            recorder.finish(answer)
        return answer
    finally:
        host.close()


def _open_counter(database: str) -> AbstractContextManager[CommitCounter | None]:
    return closing(CommitCounter(database)) if database else nullcontext()


def _day_and_hour(unix_s: float) -> tuple[int, int]:
    local = time.localtime(unix_s)
    return local.tm_year * 1000 + local.tm_yday, local.tm_hour


def build_answer(seen: WatchSummary, facts: HostProperties, timetable: SplitTimetable | None) -> WatchResult:
    """Return the answer of a session.

    Args:
        seen: Summary of the session.
        facts: Properties of the host.
        timetable: Timetable of splits; None without one.
    """
    reported = build_report(seen)
    after = _target_params(seen, reported.log_ratio, facts)
    here, there = rounded_split(seen.standing.allowed.log_ratio), reported.log_ratio
    rows = timetable.stretches if timetable else ()
    return WatchResult(
        host=facts.url,
        title=facts.title,
        simulated=facts.simulated,
        t_s=seen.watched_s,
        windows=seen.windows,
        dropped=sum(seen.dropped.values()),
        mode=seen.standing.mode.value,
        present=here,
        outlook=reported.outlook,
        decision=reported.decision,
        headline=reported.headline,
        reasons=reported.reasons,
        split=None if there is None else rounded_split(there),
        split_low=rounded_split(reported.as_good[0]) if reported.as_good else None,
        split_high=rounded_split(reported.as_good[1]) if reported.as_good else None,
        gain_frac=reported.gain_frac,
        gain_low_frac=reported.gain_low_frac,
        gain_high_frac=reported.gain_high_frac,
        following_gain_frac=reported.following_frac,
        changes=_list_changes(seen, after),
        params=after,
        facts=facts if after else None,
        timetable=tuple(
            TimetableRow(begins=f"{row.begins_hour:02d}:00", split=rounded_split(float(GRID[row.place])))
            for row in rows
        ),
        timetable_gain_frac=math.expm1(timetable.gain) if timetable else None,
        database_tps=seen.commits / seen.commits_s if seen.commits is not None and seen.commits_s else None,
        ended=seen.ended,
        stopped=seen.stopped,
    )


def _target_params(
    seen: WatchSummary, log_ratio: float | None, facts: HostProperties
) -> Mapping[DomainId, SchedParams]:
    """Return the parameters of the named split; empty without a split."""
    if log_ratio is None:
        return {}
    split = rounded_split(log_ratio)
    return params_for_split(seen.standing, math.log(split.io / split.guest), facts)


def _list_changes(seen: WatchSummary, after: Mapping[DomainId, SchedParams]) -> tuple[ParameterChange, ...]:
    rows = list_changes(seen.standing.params, after, {}) if after else ()
    return tuple(row for row in rows if row.before != row.after)


def _exit_code(answer: WatchResult) -> ExitCode:
    if answer.stopped:
        return ExitCode.ABORTED
    return ExitCode.FAILED if answer.ended else ExitCode.DONE
