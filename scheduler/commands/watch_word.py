"""`domtune watch URL`: which split suits the load that runs there; reads counters only."""

import argparse
import math
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing, nullcontext

from scheduler.commands.answers import print_json, print_lines
from scheduler.commands.exits import Exit
from scheduler.commands.host_changes import changes_of
from scheduler.commands.signals import end_on_signals
from scheduler.commands.simulation import alive, control_of
from scheduler.commands.watch_lines import WatchLines
from scheduler.commands.watch_progress import WatchProgress
from scheduler.errors import SchedulerError, SpecError
from scheduler.follow.seen import Seen
from scheduler.follow.standing import moved
from scheduler.follow.telling import place_label, split_of, tell
from scheduler.follow.timetable import Timetable, timetable_of
from scheduler.hosts.observing import ObservedHost
from scheduler.hosts.registry import open_host, unheard
from scheduler.loads.commits import Commits
from scheduler.model.facts import HostFacts
from scheduler.model.number_texts import duration, percent, short
from scheduler.model.params import SchedParams
from scheduler.model.probe import Change
from scheduler.model.span import parse_span
from scheduler.model.split import DomainId
from scheduler.model.urls import shown
from scheduler.model.watching import TimetableRow, Watched
from scheduler.run.watching import Watch

LEAST, MOST = "1m", "7d"


def watch(arguments: argparse.Namespace) -> int:
    """Watch, then say what came of it; the answer goes to standard output, everything else to standard error."""
    for_s = parse_span(arguments.for_time, "--for", LEAST, MOST)
    if arguments.windows and not arguments.json:
        raise SpecError("--windows", "prints objects", hint="Say --json, too.")
    answer = _watched(arguments, for_s)
    if arguments.json:
        print_json(answer)
    else:
        print_lines(*words_of(answer))
    return _exit(answer)


def refused(arguments: argparse.Namespace, error: SchedulerError) -> Watched:
    """Return the object for what could not be watched."""
    return Watched(host=shown(arguments.url), error=str(error), hint=error.hint)


def _watched(arguments: argparse.Namespace, for_s: float) -> Watched:
    control = control_of(arguments.url)
    host = open_host(arguments.url, unheard, io_domain=arguments.io, guest_domain=arguments.guest)
    try:
        observed = ObservedHost(alive(host, arguments.url, control))
        with _counting(arguments.database) as commits, _progress(arguments, for_s) as progress:
            end_on_signals(control)  # not before: until something was seen, Ctrl+C ends everything as ever
            begun_unix_s, begun_s = time.time(), control.clock.now()
            hours: dict[float, tuple[int, int]] = {}

            def wall() -> float:
                unix_s = begun_unix_s + control.clock.now() - begun_s
                hours[unix_s] = _day_and_hour(unix_s)
                return unix_s

            watching = Watch(observed, control, wall, progress.take, commits)
            progress.begin(watching, for_s)
            seen = watching.run(for_s)
        return answer_of(seen, watching.facts, timetable_of(seen.minutes, hours))
    finally:
        host.close()


def _progress(arguments: argparse.Namespace, for_s: float) -> WatchProgress | WatchLines:
    return WatchLines() if arguments.windows else WatchProgress(for_s, quiet=arguments.quiet)


def _counting(database: str) -> AbstractContextManager[Commits | None]:
    return closing(Commits(database)) if database else nullcontext()


def _day_and_hour(unix_s: float) -> tuple[int, int]:
    local = time.localtime(unix_s)
    return local.tm_year * 1000 + local.tm_yday, local.tm_hour


def answer_of(seen: Seen, facts: HostFacts, timetable: Timetable | None) -> Watched:
    """Return the answer for what was seen."""
    told = tell(seen)
    after = _params(seen, told.log_ratio, facts)
    here, there = split_of(seen.standing.allowed.log_ratio), told.log_ratio
    rows = timetable.stretches if timetable else ()
    return Watched(
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
        split="" if there is None else split_of(there).label,
        split_low=split_of(told.as_good[0]).label if told.as_good else "",
        split_high=split_of(told.as_good[1]).label if told.as_good else "",
        gain_frac=told.gain_frac,
        gain_low_frac=told.gain_low_frac,
        gain_high_frac=told.gain_high_frac,
        following_gain_frac=told.following_frac,
        changes=_changes(seen, after),
        params=after,
        facts=facts if after else None,
        timetable=tuple(TimetableRow(begins=f"{row.begins_hour:02d}:00", split=place_label(row.place)) for row in rows),
        timetable_gain_frac=math.expm1(timetable.gain) if timetable else None,
        database_tps=seen.commits / seen.commits_s if seen.commits is not None and seen.commits_s else None,
        ended=seen.ended,
        stopped=seen.stopped,
    )


def _params(seen: Seen, log_ratio: float | None, facts: HostFacts) -> Mapping[DomainId, SchedParams]:
    """Return what would set the split that is named; nothing where none is."""
    if log_ratio is None:
        return {}
    split = split_of(log_ratio)
    return moved(seen.standing, math.log(split.io / split.guest), facts)


def _changes(seen: Seen, after: Mapping[DomainId, SchedParams]) -> tuple[Change, ...]:
    rows = changes_of(seen.standing.params, after, {}) if after else ()
    return tuple(row for row in rows if row.before != row.after)


def words_of(answer: Watched) -> list[str]:
    """Return the answer as lines for people."""
    used = f"{answer.windows} windows of 10 s in {duration(answer.watched_s)}, at {answer.present} at the end"
    rows = [f"  {row.begins}  {row.split}" for row in answer.timetable]
    gain = answer.timetable_gain_frac
    heading = f"The day repeats: a timetable would gain {percent(gain)} more than one split:" if gain else ""
    tps = answer.database_tps
    changes = answer.changes if answer.ordered_split else ()
    return [
        "SIMULATED: nothing here was seen on a machine" if answer.simulated else "",
        f"{answer.title} ({answer.host})",
        f"  {used}",
        f"  the database committed {short(tps)} transactions/s meanwhile" if tps is not None else "",
        answer.headline,
        f"  Within 2 % of the best: {answer.split_low} to {answer.split_high} (estimate)." if answer.split_low else "",
        *(f"  {reason}" for reason in answer.reasons),
        heading,
        *rows,
        "Nothing was written. To set it:" if changes else "Nothing was written.",
        *(f"  {each.domain} {each.parameter}: {each.before} -> {each.after}" for each in changes),
    ]


def _exit(answer: Watched) -> Exit:
    if answer.stopped:
        return Exit.ABORTED
    return Exit.FAILED if answer.ended else Exit.DONE
