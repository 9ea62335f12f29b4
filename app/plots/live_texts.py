"""Text on the live page and the result page.

Tooltips show numbers in full precision.
"""

from collections.abc import Iterable

from app.display_texts import (
    capitalise_first,
    first_line,
    format_clock,
    format_full,
    format_half_width,
    format_rate,
    format_short,
    format_signed_percent,
)
from app.load_texts import load_name, member_name, unit_of_all
from app.plots.cpu_units import format_cpu_use
from app.plots.load_seconds import SecondKind
from app.plots.run_board import LoggedDocument, RunBoard
from app.plots.time_axis import time_text
from app.theme.tokens import LIGHT
from app.widgets.series_style import limit_style
from app.widgets.table_cells import SettingCell
from scheduler.model.bottleneck import Bottleneck
from scheduler.model.documents import (
    HostCommand,
    LoadChecked,
    LoadsReady,
    Notice,
    RunOutcome,
    RunStarted,
    RunState,
    RunStopped,
    SettlingCause,
    StateChanged,
    TrialDone,
)
from scheduler.model.host_properties import Severity
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import find_load_kind
from scheduler.model.queueing import ModelPoint
from scheduler.model.results import MeasuredPoint, Results, SettlingTime, SplitProposal
from scheduler.model.sentence_texts import join_sentences
from scheduler.model.setting import split_of
from scheduler.model.split import GUEST, GUEST_2, IO
from scheduler.model.studies import Setting
from scheduler.model.terminal_text import replace_controls
from scheduler.translation import _

_BY_THE_USER = _("aborted by the user")  # the core's reason that repeats the outcome


def state_name(state: RunState) -> str:
    """Return the name of a run's state, one or two words."""
    return {
        RunState.PREPARING: _("Preparing"),
        RunState.RUNNING: _("Sweeping"),
        RunState.PAUSED: _("Paused"),
        RunState.RESTORING: _("Restoring the host"),
        RunState.CLOSED: _("Closed"),
    }[state]


def outcome_name(outcome: RunOutcome) -> str:
    """Return the name of a run's outcome."""
    return {
        RunOutcome.COMPLETED: _("Completed"),
        RunOutcome.ABORTED: _("Stopped by you"),
        RunOutcome.FAILED: _("Failed"),
    }[outcome]


def reason_after_outcome(outcome: RunOutcome, reason: str) -> str:
    """Return the reason why a run ended, one line; empty if the outcome implies it.

    Args:
        outcome: Outcome of the run.
        reason: Reason as the core reports it.
    """
    why, _ = first_line(reason)
    return "" if outcome is RunOutcome.ABORTED and why == _BY_THE_USER else why


def setting_name(setting: Setting | None) -> str:
    """Return the display name of a setting."""
    return _("the original settings") if setting is None else setting.label


def setting_cell(setting: Setting | None) -> SettingCell:
    """Return the table cell of a setting, with its split."""
    return SettingCell(setting_name(setting), split_of(setting))


def point_words(point: MeasuredPoint) -> str:
    """Return the values of a measured point as rich text."""
    title = f"<b>{setting_name(point.setting)}</b> &nbsp; {member_name(point.load, point.guest)}"
    if not point.responsive:
        return f"{title}<br>{capitalise_first(point.reason)}"
    if point.mean_tps is None:
        return f"{title}<br>{_('no valid trial: {reason}').format(reason=point.reason)}"
    half = format_half_width(*point.ci95_tps, point.mean_tps) if point.ci95_tps is not None else ""
    lines = [title, f"{format_full(point.mean_tps)} {unit_of_all([point])} {half}"]
    if point.reason:
        lines.append(point.reason)
    else:
        lines.append(_trials_words(point))
    if point.p95_ms is not None:
        lines.append(_("service time p95 {ms} ms").format(ms=format_full(point.p95_ms)))
    elif point.latency_ms is not None:
        lines.append(_("service time, reported by the program: {ms} ms").format(ms=format_full(point.latency_ms)))
    elif (kind := find_load_kind(point.load)) is not None and kind.engine:
        lines.append(_("service times: not measured"))
    if point.bottleneck_text:
        lines.append(point.bottleneck_text)
    return "<br>".join(lines)


def _trials_words(point: MeasuredPoint) -> str:
    if point.trials != 1:
        return _("{n} trials").format(n=point.trials)
    if point.pooled:
        return _("1 trial, interval estimated from the spread of the other splits")
    return _("1 trial, no interval yet")


def predicted_points(proposal: SplitProposal | None, loads: Iterable[LoadSpec]) -> list[MeasuredPoint]:
    """Return the expected throughput of a proposal as points marked as not measured.

    Args:
        proposal: The proposal; None for none.
        loads: The loads of the plan.
    """
    if proposal is None:
        return []
    remark = _("interpolated, not measured")
    return [
        MeasuredPoint(
            setting=proposal.setting, load=load.name, mean_tps=tps, ci95_tps=None, cv=None, trials=0, reason=remark
        )
        for load in loads
        if (tps := proposal.expected_tps.get(load.name)) is not None
    ]


def limit_name(limit: Bottleneck) -> str:
    """Return the legend name of a bottleneck of the model."""
    return limit_style(limit, LIGHT).name


def limit_word(limit: Bottleneck) -> str:
    """Return a bottleneck as one or two words for a table cell."""
    return {
        Bottleneck.IO: _("I/O domain"),
        Bottleneck.GUEST: _("guest"),
        Bottleneck.BOTH: _("both"),
        Bottleneck.CLIENT: _("clients"),
        Bottleneck.OTHER: _("neither"),
    }[limit]


def model_words(point: MeasuredPoint, modelled: ModelPoint | None) -> str:
    """Return the model's line in the tooltip of a point; empty without a prediction.

    Args:
        point: Measured point.
        modelled: Prediction of the model; None for none.
    """
    if modelled is None or not point.mean_tps:
        return ""
    off = format_signed_percent(modelled.predicted_tps / point.mean_tps - 1)
    words = _("model: {rate} {unit} ({off}), limited by: {limit}")
    figure, unit = format_full(modelled.predicted_tps), unit_of_all([point])
    return "<br>" + words.format(rate=figure, unit=unit, off=off, limit=limit_name(modelled.bottleneck))


def state_words(board: RunBoard) -> str:
    """Return the current activity of a run for the top strip."""
    if board.stopped is not None:
        return _end_name(board.stopped)
    span = board.span
    if span is not None:
        settling = board.now_s < span.settled_s
        words = _("Settling at {setting}, {load}") if settling else _("Measuring {setting}, {load}")
        return words.format(setting=setting_name(span.setting), load=load_name(span.load))
    return state_name(board.state) if board.state is not None else _("Starting")


def _end_name(stopped: RunStopped) -> str:
    """Return the end of a run for the top strip; an interrupted run names its reason."""
    if stopped.busy:
        return _("Not started")
    return capitalise_first(stopped.reason) if stopped.interrupted else outcome_name(stopped.outcome)


def host_words(stopped: RunStopped | Results) -> str:
    """Return the final state of the host as a sentence."""
    if stopped.busy:
        return _("This sweep has not changed the host.")
    if stopped.restored_unix_s:
        return _("The host was restored at {clock} and verified.").format(clock=format_clock(stopped.restored_unix_s))
    if stopped.restored:
        return _("The original settings are restored.")
    return _("The host is not restored yet.") if stopped.interrupted else _("The original settings are NOT restored.")


def detail_words(board: RunBoard) -> str:
    """Return the second line of the top strip.

    During a run, the line shows the trial and the core's activity. Afterwards, the text shows the state of the host,
    then the reason for the end.
    """
    if board.stopped is not None:
        host = host_words(board.stopped)
        why = reason_after_outcome(board.stopped.outcome, board.stopped.reason)
        why = "" if board.stopped.interrupted else capitalise_first(why.rstrip("."))
        return f"{host} {why}." if why else host
    parts: list[str] = []
    if board.run is not None and board.state in (RunState.RUNNING, RunState.PAUSED):
        current = board.span.trial + 1 if board.span is not None else board.done
        words = _("trial {n}, until the best is known") if board.run.spec.adapts else _("trial {n} of {all}")
        parts.append(words.format(n=current, all=board.run.trials))
    if board.doing:
        parts.append(board.doing)
    return " \N{MIDDLE DOT} ".join(parts)


def second_kind_name(kind: SecondKind) -> str:
    """Return the reason why a second is excluded; empty for a counted second."""
    match kind:
        case SecondKind.COUNTED:
            return ""
        case SecondKind.SETTLING:
            return _("settling")
        case SecondKind.STALLED:
            return _("stalled")
        case SecondKind.AGAIN:
            return _("measured again")


def settling_words(found: SettlingTime) -> str:
    """Return the time to the steady state after one kind of change, and the warm-up."""
    after = {
        SettlingCause.SPLIT: _("after a change of the split"),
        SettlingCause.LOAD: _("after a change of the load"),
        SettlingCause.USERS: _("after a change of the users"),
        SettlingCause.VCPUS: _("after a change of the vCPUs"),
        SettlingCause.COLD: _("after a cold start"),
    }[found.change]
    words = _("{after}: steady after {n} s (first {cut} s excluded)")
    if found.found_s is None:
        words = _("{after}: not steady within {all} s (first {cut} s excluded)")
        if not found.certain:
            words = _("{after}: settling time unknown, data too few or too noisy (first {cut} s excluded)")
    return capitalise_first(
        words.format(after=after, n=found.found_s, all=found.searched_s, cut=format_short(found.excluded_s))
    )


def log_text(document: LoggedDocument, cpus: int = 1) -> tuple[Severity, str]:
    """Return the level of a log line, and its text with the time.

    Args:
        document: Document of a run.
        cpus: Number of shared CPUs; CPU used is in percent of one CPU, and in CPUs of several.
    """
    level, words = _log_words(document, cpus)
    return level, f"{time_text(document.t_s)}  {words}"


def _log_words(document: LoggedDocument, cpus: int) -> tuple[Severity, str]:
    match document:
        case TrialDone():
            return _trial_words(document, cpus)
        case Notice():
            return document.level, join_sentences(document.text, document.hint)
        case StateChanged():
            words = state_name(document.state)
            return Severity.INFO, f"{words}: {document.text}" if document.text else words
        case LoadChecked():
            verdict = _("check passed") if document.passed else _("check FAILED")
            return (
                Severity.INFO if document.passed else Severity.ERROR,
                f"{member_name(document.load, document.guest)}, {verdict}: {document.text}",
            )
        case RunStopped():
            return _stop_words(document)
        case _:
            return Severity.INFO, _start_words(document)


def _start_words(document: RunStarted | LoadsReady) -> str:
    if isinstance(document, RunStarted):
        return _("{n} trials on {host}").format(n=document.trials, host=replace_controls(document.facts.title))
    versions = ", ".join(f"{name} {version}" for name, version in document.versions.items())
    return _("The database answered: {versions}").format(versions=versions)


def _trial_words(document: TrialDone, cpus: int) -> tuple[Severity, str]:
    where = f"{setting_name(document.setting)}, {member_name(document.load, document.guest)}"
    if not document.responsive:
        return Severity.WARNING, f"{where}: {document.reason}"
    if not document.valid:
        return Severity.WARNING, _("{where}: excluded, {reason}").format(where=where, reason=document.reason)
    names = {IO: _("I/O"), GUEST: _("guest"), GUEST_2: _("second guest")}
    got = document.used_frac
    shares = ", ".join(f"{name} {format_cpu_use(got[domain], cpus)}" for domain, name in names.items() if domain in got)
    lost_s = document.seconds * document.stalled_frac
    stalled = _("; stalled for {n} s").format(n=format_short(lost_s)) if lost_s else ""
    return Severity.INFO, f"{where}: {format_rate(document.mean_tps, unit_of_all([document]))} ({shares}){stalled}"


def _stop_words(document: RunStopped) -> tuple[Severity, str]:
    level = Severity.INFO if document.restored and document.outcome is RunOutcome.COMPLETED else Severity.WARNING
    why = document.reason.rstrip(".") if reason_after_outcome(document.outcome, document.reason) else ""
    parts = [outcome_name(document.outcome), why, host_words(document)]
    return level if document.restored or document.busy else Severity.ERROR, ", ".join(part for part in parts if part)


def command_log_text(document: HostCommand) -> tuple[Severity, str]:
    """Return a line of the command log: time, command, and any answer other than ok."""
    answer = "" if document.answer in ("", "ok") else f"\n      \N{RIGHTWARDS ARROW} {document.answer}"
    return Severity.INFO, f"{time_text(document.t_s)}  {document.command}{answer}"
