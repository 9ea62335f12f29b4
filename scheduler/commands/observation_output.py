"""Output of `watch` and `follow`.

Programs get every line. People get progress, moves and gains.
"""

import contextlib
import sys
from collections.abc import Callable
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from scheduler.commands.command_output import print_json, print_lines
from scheduler.follow.split_rule import rounded_split
from scheduler.follow.watch_report import build_report
from scheduler.model.decision import DecisionKind
from scheduler.model.host_properties import HostProperties
from scheduler.model.number_texts import (
    format_cpu_time,
    format_duration,
    format_interval,
    format_percent,
    format_short,
    format_signed_percent,
    is_interval_known,
)
from scheduler.model.observation_documents import (
    FollowAudit,
    FollowDone,
    FollowEnd,
    FollowGain,
    FollowHold,
    FollowLine,
    FollowMove,
    FollowPeriod,
    FollowStarted,
    ObservationLine,
    ObservationStarted,
    ObservationWindow,
    WatchResult,
)
from scheduler.model.sentence_texts import join_sentences
from scheduler.model.spec import Mode
from scheduler.model.split import Split
from scheduler.model.terminal_text import replace_controls
from scheduler.run.observation import ObservedWindow
from scheduler.run.watch_session import WatchSession
from scheduler.store.observation_summary import ObservationRecord
from scheduler.translation import _, ngettext

_FIRST_S = 70.0  # the first minute is complete only after its last window
_EVERY_S, _EVERY_FRAC = 60.0, 0.02  # after a long time, one minute changes little


class WatchReporter:
    """Reporter of the lines of `watch`.

    Args:
        emit: Takes every line.
    """

    def __init__(self, emit: Callable[[ObservationLine], None]) -> None:
        self._emit = emit
        self._watching: WatchSession | None = None
        self._due_s = _FIRST_S

    def begin(self, watching: WatchSession, for_s: float) -> None:
        """Report the start of the session.

        Args:
            watching: The session.
            for_s: Planned duration, seconds.
        """
        self._watching = watching
        facts: HostProperties = watching.facts
        self._emit(
            ObservationStarted(
                host=facts.url,
                host_id=facts.host_id,
                title=facts.title,
                simulated=facts.simulated,
                mode=watching.standing.mode,
                split=rounded_split(watching.standing.allowed.log_ratio),
                cpus=len(facts.shared_cpus),
                for_s=for_s,
                database=watching.counts,
            )
        )

    def take(self, seen: ObservedWindow) -> None:
        """Report one window."""
        if self._watching is None:
            return
        allowed = self._watching.standing.allowed
        window = seen.usable
        headline, wish, decision = self._decision_so_far(self._watching, seen.elapsed_s)
        self._emit(
            ObservationWindow(
                t_s=seen.elapsed_s,
                split=rounded_split(allowed.log_ratio),
                io_cpus=None if window is None else window.use.io_cpus,
                guest_cpus=None if window is None else window.use.guest_cpus,
                io_allowed_cpus=allowed.io_cpus,
                guest_allowed_cpus=allowed.guest_cpus,
                others_frac=None if window is None else window.others_frac,
                rate_tps=seen.rate_tps,
                trouble=seen.trouble,
                headline=headline,
                wish=wish,
                decision=decision,
            )
        )

    def _decision_so_far(self, watching: WatchSession, watched_s: float) -> tuple[str, Split | None, DecisionKind]:
        if watched_s < self._due_s:
            return "", None, DecisionKind.UNKNOWN
        self._due_s = watched_s + max(_EVERY_S, _EVERY_FRAC * watched_s)
        reported = build_report(watching.so_far(watched_s))
        return (
            reported.headline,
            None if reported.log_ratio is None else rounded_split(reported.log_ratio),
            reported.decision,
        )


class WatchProgress:
    """Progress bar of `watch`; a closed terminal does not end the session.

    Args:
        for_s: Planned duration, seconds.
        quiet: True to show nothing.
    """

    def __init__(self, for_s: float, *, quiet: bool) -> None:
        columns = (BarColumn(30), TimeRemainingColumn(), TextColumn("{task.description}", markup=False))
        self._bar = Bar(*columns, console=Console(file=sys.stderr), refresh_per_second=2)
        self._task = self._bar.add_task("watching", total=for_s)
        self._quiet = quiet
        self._trouble, self._cpus = "", 1

    def __enter__(self) -> Self:
        """Start drawing."""
        with contextlib.suppress(OSError):
            if not self._quiet:
                self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop drawing."""
        with contextlib.suppress(OSError):
            if not self._quiet:
                self._bar.stop()

    def take(self, line: ObservationLine) -> None:
        """Show one window; print each new problem once."""
        if isinstance(line, ObservationStarted):
            self._cpus = line.cpus
        if self._quiet or not isinstance(line, ObservationWindow):
            return
        with contextlib.suppress(OSError):
            if line.trouble and line.trouble != self._trouble:
                self._bar.print(replace_controls(_("excluded: {trouble}").format(trouble=line.trouble)), markup=False)
            self._trouble = line.trouble
            self._bar.update(self._task, completed=line.t_s, description=_window_words(line, self._cpus))


def _window_words(window: ObservationWindow, cpus: int) -> str:
    if window.io_cpus is None or window.guest_cpus is None:
        return ""
    others, rate_tps = window.others_frac, window.rate_tps
    other_use = "" if others is None else _(", others {others}").format(others=format_percent(others))
    rate = "" if rate_tps is None else f", {format_short(rate_tps)} transactions/s"
    io, guest = (format_cpu_time(used_cpus, cpus) for used_cpus in (window.io_cpus, window.guest_cpus))
    return _("I/O domain {io}, guest {guest}{value}{other_use}{rate}").format(
        io=io,
        guest=guest,
        value=_(" of {cpus}").format(cpus=cpus) if cpus > 1 else _(" of the CPU"),
        other_use=other_use,
        rate=rate,
    )


def answer_lines(answer: WatchResult) -> list[str]:
    """Return the answer as lines for people."""
    present = answer.present.label if answer.present is not None else _("an unknown split")
    used = _("{windows} windows of 10 s in {t_s}; the last split was {present}").format(
        windows=answer.windows, t_s=format_duration(answer.t_s), present=present
    )
    rows = [f"  {row.begins}  {row.split.label}" for row in answer.timetable]
    gain = answer.timetable_gain_frac
    heading = (
        _("The days are alike. A timetable would gain {gain} over one fixed split:").format(gain=format_percent(gain))
        if gain
        else ""
    )
    tps = answer.database_tps
    changes = answer.changes if answer.ordered_split else ()
    return [
        _("SIMULATED: no figure here comes from a real machine") if answer.simulated else "",
        f"{answer.title} ({answer.host})",
        f"  {used}",
        _("  database: {tps} committed transactions/s").format(tps=format_short(tps)) if tps is not None else "",
        answer.headline,
        _equal_splits_text(answer),
        *(f"  {reason}" for reason in answer.reasons),
        heading,
        *rows,
        _("Nothing was changed. To set this split:") if changes else _("Nothing was changed."),
        *(f"  {each.domain} {each.parameter}: {each.before} -> {each.after}" for each in changes),
    ]


def _equal_splits_text(answer: WatchResult) -> str:
    if answer.split_low is None or answer.split_high is None:
        return ""
    return _("  Within 2 % of the best: {label} to {label_2} (estimate).").format(
        label=answer.split_low.label, label_2=answer.split_high.label
    )


LONG_S = 300.0  # a hold of this length is printed
_ARMS = {"static": _("the fixed split"), "found": _("the original settings")}
_ENDS = {
    FollowEnd.TIME: "Finished.",
    FollowEnd.USER: _("Stopped by you."),
    FollowEnd.EVIDENCE: _("Stopped early: following gained less than the fixed split."),
    FollowEnd.HOST: _("Stopped because of the host."),
    FollowEnd.FAILED: _("Following failed."),
    FollowEnd.DECLINED: _("Nothing was changed."),
}


class FollowPrinter:
    """Printer of the lines of `follow`.

    Args:
        as_json: True to print every line as an object.
        quiet: True to print only the end for people.
        simulated: True for a simulated host, whose figures are not called measured.
    """

    def __init__(self, *, as_json: bool, quiet: bool, simulated: bool) -> None:
        self._as_json, self._quiet = as_json, quiet
        self._hold: FollowHold | None = None
        self._gains: tuple[FollowGain, ...] = ()
        self._told = False
        self._simulated = simulated

    def print_line(self, line: FollowLine) -> None:
        """Print a line if its kind is printed in this mode.

        Raises:
            OutputLost: The line could not be written.
        """
        if self._as_json:
            print_json(line)
        elif isinstance(line, FollowDone):
            print_lines(*done_words(line, simulated=self._simulated))
        elif not self._quiet:
            print_lines(*self._line_words(line))

    def _line_words(self, line: FollowLine) -> list[str]:
        match line:
            case FollowMove():
                return [f"{_clock_text(line.t_s)}  {line.before.label} -> {line.after.label}. {line.text}"]
            case FollowAudit():
                predicted, observed = format_signed_percent(line.predicted_gain), format_signed_percent(line.seen)
                return [
                    _(
                        "{clock}  predicted gain {predicted}, observed {observed} (indicative: the load may "
                        "have changed too)."
                    ).format(clock=_clock_text(line.moved_s), predicted=predicted, observed=observed)
                ]
            case FollowHold():
                self._hold, self._told = line, False
                return []
            case ObservationWindow() if self._hold is not None and not self._told:
                return self._long_hold(line.t_s, self._hold)
            case FollowPeriod():
                before, self._gains = self._gains, line.gains
                return [f"{_clock_text(line.t_s)}  {gain_words(gain)}" for gain in line.gains if gain not in before]
            case _:
                return []

    def _long_hold(self, t_s: float, hold: FollowHold) -> list[str]:
        if t_s - hold.t_s < LONG_S or hold.reason == "turn":
            return []
        self._told = True
        until = "" if hold.until_s is None else _(", until {clock}").format(clock=_clock_text(hold.until_s))
        return [
            _("{clock}  no change since then: {hold}{until}").format(
                clock=_clock_text(hold.t_s), hold=hold.text, until=until
            )
        ]


def observation_lines(record: ObservationRecord) -> list[str]:
    """Return a stored observation as lines for people."""
    started, stopped = record.started, record.stopped
    if isinstance(record.last, WatchResult):
        return answer_lines(record.last)
    moves = [line for line in record.lines if isinstance(line, FollowMove)]
    simulated = _("SIMULATED: no figure here comes from a real machine") if started.simulated else ""
    head = [simulated, f"{started.title} ({started.host})"]
    listed = [f"{_clock_text(line.t_s)}  {line.before.label} -> {line.after.label}. {line.text}" for line in moves]
    if isinstance(record.last, FollowDone):
        return [*head, *listed, *done_words(record.last, simulated=started.simulated)]
    if stopped is None:
        return [
            *head,
            *listed,
            _("This run is still active or was interrupted. 'domtune restore --list' shows the state of the host."),
        ]
    restored = _("the host is restored and verified") if stopped.restored else _("the host is not restored")
    return [
        *head,
        *listed,
        _("The run {reason}; {restored}.").format(reason=stopped.reason, restored=restored)
        if stopped.interrupted
        else _("The run failed: {reason}").format(reason=stopped.reason),
    ]


def question_words(began: FollowStarted) -> list[str]:
    """Return the lines that a person reads before the question."""
    shares = began.mode == Mode.WEIGHTS
    worst = began.worst.label
    harm = _(
        "The worst case is unknown: with weights it depends on other guests. The farthest split is {worst}."
    ).format(worst=worst)
    counts = _("Commits are counted") if began.database else _("No database is named, so the gain is not measured")
    return [
        _("SIMULATED: no real machine is changed") if began.simulated else "",
        f"{began.title} ({began.host})",
        _("  original split: {label} ({value}: {io_found}; {guest_found})").format(
            label=began.split.label,
            value="weights" if shares else "caps",
            io_found=began.io_found,
            guest_found=began.guest_found,
        ),
        _("For {for_s}, DomTune may set splits from {label} to {label_2} at any time.").format(
            for_s=format_duration(began.for_s), label=began.range_low.label, label_2=began.range_high.label
        ),
        harm if shares else worst_case_words(began),
        _("The total CPU limit of both domains is unchanged. No limits are added. A reboot undoes the change."),
        f"{counts}{_account_words(began)}.",
        _("The original settings are restored at the end and on Ctrl+C. {guard_texts}").format(
            guard_texts=_GUARD_TEXTS[began.guarded_by]
        ),
        *began.warnings,
    ]


_GUARD_TEXTS = {
    "guard": _("If DomTune crashes, a guard on the host restores them."),
    "local_guard": _("If DomTune crashes, a local guard on this computer restores them."),
    "process": _("(Simulated host.)"),
}


def worst_case_words(began: FollowStarted) -> str:
    """Return the cost of the worst split of the range as a sentence."""
    worst, part = began.worst.label, began.worst_frac
    if part is None:
        return _("The worst case, {worst}, cannot be estimated: almost no CPU is used now.").format(worst=worst)
    return _("Worst case: at {worst}, about {part} of the current throughput (estimate).").format(
        worst=worst, part=format_percent(part)
    )


def _account_words(began: FollowStarted) -> str:
    if not began.account_pct:
        return ""
    return _("; {account_pct} % of the time the fixed split {label} is set, for comparison").format(
        account_pct=began.account_pct, label=began.static.label
    )


def done_words(done: FollowDone, *, simulated: bool = False) -> list[str]:
    """Return the end of a follow as lines for people.

    Args:
        done: The end.
        simulated: True for a simulated host, whose figures are not called measured.
    """
    if done.end is FollowEnd.DECLINED:
        return [_ENDS[done.end]]
    back = (
        _("The original settings of both domains are restored and verified.")
        if done.restored
        else "NOT ALL ORIGINAL SETTINGS ARE RESTORED."
    )
    if done.busy:
        back = _("Nothing was changed.")
    detail = "" if done.end is FollowEnd.TIME else done.reason
    moves = ngettext("{n} change by the tuner", "{n} changes by the tuner", done.moves).format(n=done.moves)
    return [
        join_sentences(_ENDS[done.end], detail),
        back,
        done.hint,
        _("{moves} in {t_s}, {hold_frac} of the time without a change.").format(
            moves=moves, t_s=format_duration(done.t_s), hold_frac=format_percent(done.hold_frac)
        )
        if done.t_s
        else "",
        *(f"{'Simulated' if simulated else 'Measured'}: {gain_words(gain)}" for gain in done.gains),
        audit_words(done),
        *done.remarks,
    ]


def gain_words(gain: FollowGain) -> str:
    """Return a gain as a sentence: of the rate, or of the time per transaction.

    With slack in both domains, the clients limit the rate, so the sentence gives the time.
    """
    over = _ARMS[gain.over]
    so_far = "" if gain.planned else _(" so far")
    if gain.slack and gain.time_frac is not None:
        change = _change_words(gain.time_frac, gain.time_low_frac, gain.time_high_frac)
        what = _("{change} time per transaction compared with {over}{so_far}, in {pairs_words}").format(
            change=change, over=over, so_far=so_far, pairs_words=_pairs_words(gain.time_blocks)
        )
        why = _("The clients limit the throughput: both domains have spare CPU.")
        known = _has_interval(gain.time_low_frac, gain.time_high_frac)
        return f"{what}. {why}" if known else _("{what}: too few for an interval. {why}").format(what=what, why=why)
    what = _("{change_words} over {over}{so_far}, in {pairs_words}").format(
        change_words=_change_words(gain.gain_frac, gain.low_frac, gain.high_frac),
        over=over,
        so_far=so_far,
        pairs_words=_pairs_words(gain.blocks),
    )
    return (
        f"{what}."
        if _has_interval(gain.low_frac, gain.high_frac)
        else _("{what}: too few for an interval.").format(what=what)
    )


def audit_words(done: FollowDone) -> str:
    """Return the measured share of the predicted gains.

    The text is empty when too few moves were audited.
    """
    if done.audit_slope is None:
        return ""
    part = _("{audit_slope} of the predicted gain of {audited} changes was observed").format(
        audit_slope=format_percent(done.audit_slope), audited=done.audited
    )
    return _("{part} (indicative: the load may have changed too).").format(part=part)


def _change_words(frac: float, low: float | None, high: float | None) -> str:
    ends = (
        f" ({format_interval(low, high)})"
        if low is not None and high is not None and is_interval_known(low, high)
        else ""
    )
    return f"{format_signed_percent(frac)}{ends}"


def _has_interval(low: float | None, high: float | None) -> bool:
    return low is not None and high is not None and is_interval_known(low, high)


def _pairs_words(count: int) -> str:
    return ngettext("{n} pair of comparison periods", "{n} pairs of comparison periods", count).format(n=count)


def _clock_text(t_s: float) -> str:
    return f"{int(t_s // 3600)}:{int(t_s % 3600 // 60):02d}:{int(t_s % 60):02d}"
