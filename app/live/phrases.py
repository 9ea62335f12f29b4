"""What the live and the result page say in words; numbers in full where somebody asks for them by pointing."""

from PySide6.QtCore import QCoreApplication

from app.live.board import Board, Told
from app.live.load_seconds import Kind
from app.live.time_axis import time_text
from app.load_words import load_name, unit_of_all
from app.theme.tokens import LIGHT
from app.widgets.series_style import limit_style
from app.words import capital, clock, first_line, full, percent, plus_minus, rate, short, signed_percent
from scheduler.model.bottleneck import Bottleneck
from scheduler.model.documents import (
    Change,
    HostCommand,
    LoadChecked,
    LoadsReady,
    Notice,
    Outcome,
    RunStarted,
    RunState,
    RunStopped,
    StateChanged,
    VisitDone,
)
from scheduler.model.facts import Level
from scheduler.model.guests import GUEST_2
from scheduler.model.load_kinds import kind_of
from scheduler.model.plain import plain
from scheduler.model.queueing import ModelPoint
from scheduler.model.results import Point, Proposal, Results, Settling
from scheduler.model.setting import BASELINE, label_of
from scheduler.model.split import GUEST, IO
from scheduler.model.words import sentences

_BY_THE_USER = "aborted by the user"  # the core's words for what the outcome's name says already


def _tr(text: str) -> str:
    return QCoreApplication.translate("phrases", text)


def state_name(state: RunState) -> str:
    """Return what a run is doing, in a word or two."""
    return {
        RunState.PREPARING: _tr("Preparing"),
        RunState.RUNNING: _tr("Sweeping"),
        RunState.PAUSED: _tr("Paused"),
        RunState.RESTORING: _tr("Putting the host back"),
        RunState.CLOSED: _tr("Closed"),
    }[state]


def outcome_name(outcome: Outcome) -> str:
    """Return how a run ended."""
    return {
        Outcome.COMPLETED: _tr("Completed"),
        Outcome.ABORTED: _tr("Stopped by you"),
        Outcome.FAILED: _tr("Failed"),
    }[outcome]


def reason_beside(outcome: Outcome, reason: str) -> str:
    """Return why a run ended, in a line, to stand beside the outcome's name; empty where that says it already."""
    why, _ = first_line(reason)
    return "" if outcome is Outcome.ABORTED and why == _BY_THE_USER else why


def setting_name(label: str) -> str:
    """Return a setting as people call it."""
    return _tr("the original settings") if label == BASELINE else label


def point_words(point: Point) -> str:
    """Return a point's figures as rich text."""
    title = f"<b>{setting_name(point.split)}</b> &nbsp; {load_name(point.load)}"
    if not point.held:
        return f"{title}<br>{capital(point.reason)}"
    if point.mean_tps is None:
        return f"{title}<br>{_tr('no valid visit')}: {point.reason}"
    half = plus_minus(*point.ci95_tps, point.mean_tps) if point.ci95_tps is not None else ""
    lines = [title, f"{full(point.mean_tps)} {unit_of_all([point])} {half}"]
    if point.reason:
        lines.append(point.reason)
    else:
        lines.append(_visits(point))
    if point.p95_ms is not None:
        lines.append(_tr("service time p95 {ms} ms").format(ms=full(point.p95_ms)))
    elif point.latency_ms is not None:
        lines.append(_tr("service time, as the program says: {ms} ms").format(ms=full(point.latency_ms)))
    elif (kind := kind_of(point.load)) is not None and kind.engine:
        lines.append(_tr("service times: not measured"))
    if point.bottleneck_text:
        lines.append(point.bottleneck_text)
    return "<br>".join(lines)


def _visits(point: Point) -> str:
    if point.visits != 1:
        return _tr("{n} trials").format(n=point.visits)
    if point.borrowed:
        return _tr("1 trial; the interval is borrowed: it rests on how trials of the other splits differ")
    return _tr("1 trial, no interval yet")


def promised_points(proposal: Proposal | None) -> list[Point]:
    """Return what a proposal expects as points that say that nobody measured them; none without a proposal."""
    if proposal is None:
        return []
    remark = _tr("interpolated, not measured")
    return [
        Point(split=proposal.split, load=kind, mean_tps=tps, ci95_tps=None, cv=None, visits=0, reason=remark)
        for kind, tps in proposal.expected_tps.items()
    ]


def limit_name(limit: Bottleneck) -> str:
    """Return what limits a throughput in the model, as a legend names it."""
    return limit_style(limit, LIGHT).name


def limit_word(limit: Bottleneck) -> str:
    """Return what limited a throughput, in a word, as the cell of a table names it."""
    return {
        Bottleneck.IO: _tr("I/O domain"),
        Bottleneck.GUEST: _tr("guest"),
        Bottleneck.BOTH: _tr("both"),
        Bottleneck.CLIENT: _tr("clients"),
        Bottleneck.OTHER: _tr("neither"),
    }[limit]


def model_words(point: Point, told: ModelPoint | None) -> str:
    """Return what the model says of a point, as one more line of its rich text; empty when it says nothing."""
    if told is None or not point.mean_tps:
        return ""
    off = signed_percent(told.predicted_tps / point.mean_tps - 1)
    words = _tr("model: {rate} {unit} ({off}), limited by: {limit}")
    figure, unit = full(told.predicted_tps), unit_of_all([point])
    return "<br>" + words.format(rate=figure, unit=unit, off=off, limit=limit_name(told.bottleneck))


def state_words(board: Board) -> str:
    """Return what the run is doing, for the top strip."""
    if board.stopped is not None:
        return _end_name(board.stopped)
    span = board.span
    if span is not None:
        settling = board.now_s < span.settled_s
        words = _tr("Settling at {setting}, {load}") if settling else _tr("Measuring {setting}, {load}")
        return words.format(setting=setting_name(span.label), load=load_name(span.load))
    return state_name(board.state) if board.state is not None else _tr("Starting")


def _end_name(stopped: RunStopped) -> str:
    """Return how a run ended, for the top strip; one that broke off says where."""
    if stopped.busy:
        return _tr("Not started")
    return capital(stopped.reason) if stopped.broke_off else outcome_name(stopped.outcome)


def host_words(stopped: RunStopped | Results) -> str:
    """Return what became of the host, as a sentence."""
    if stopped.busy:
        return _tr("This sweep has not touched the host.")
    if stopped.put_back_unix_s:
        return _tr("The host was restored at {clock} and verified.").format(clock=clock(stopped.put_back_unix_s))
    if stopped.restored:
        return _tr("The original settings are restored.")
    return _tr("The host is not yet restored.") if stopped.broke_off else _tr("The original settings are NOT restored.")


def detail_words(board: Board) -> str:
    """Return the line under it: which visit, what the core says, what became of the host."""
    if board.stopped is not None:
        host = host_words(board.stopped)
        why = reason_beside(board.stopped.outcome, board.stopped.reason)
        why = "" if board.stopped.broke_off else capital(why.rstrip("."))
        return f"{why}. {host}" if why else host
    parts: list[str] = []
    if board.run is not None and board.state in (RunState.RUNNING, RunState.PAUSED):
        current = board.span.visit + 1 if board.span is not None else board.done
        words = _tr("trial {n}; ends when it is decided") if board.run.spec.adapts else _tr("trial {n} of {all}")
        parts.append(words.format(n=current, all=board.run.visits))
    if board.doing:
        parts.append(board.doing)
    return " \N{MIDDLE DOT} ".join(parts)


def log_line(document: Told) -> tuple[float, Level, str]:
    """Return (time, how much it matters, words) of one line of the log."""
    level, words = _log_words(document)
    return document.t_s, level, words


def kind_name(kind: Kind) -> str:
    """Return why a second does not count; empty for one that does."""
    match kind:
        case Kind.COUNTED:
            return ""
        case Kind.SETTLING:
            return _tr("settling")
        case Kind.STALLED:
            return _tr("stalled")
        case Kind.AGAIN:
            return _tr("measured again")


def settling_words(found: Settling) -> str:
    """Return how long throughput took to be level after one kind of change, and what was cut."""
    after = {
        Change.SPLIT: _tr("after a change of the split"),
        Change.LOAD: _tr("after a change of the load"),
        Change.USERS: _tr("after a change of the users"),
        Change.VCPUS: _tr("after a change of the vCPUs"),
        Change.COLD: _tr("after a cold start"),
    }[found.change]
    words = _tr("{after}: level from {n} s on; {cut} s were cut")
    if found.found_s is None:
        words = _tr("{after}: not level within {all} s; {cut} s were cut")
        if not found.certain:
            words = _tr("{after}: too few changes, or too noisy, to tell; {cut} s were cut")
    return capital(words.format(after=after, n=found.found_s, all=found.searched_s, cut=short(found.cut_s)))


def log_text(document: Told) -> tuple[Level, str]:
    """Return one line of the log with its time."""
    t_s, level, words = log_line(document)
    return level, f"{time_text(t_s)}  {words}"


def _log_words(document: Told) -> tuple[Level, str]:
    match document:
        case VisitDone():
            return _visit_words(document)
        case Notice():
            return document.level, sentences(document.text, document.hint)
        case StateChanged():
            words = state_name(document.state)
            return Level.INFO, f"{words}: {document.text}" if document.text else words
        case LoadChecked():
            verdict = _tr("check passed") if document.passed else _tr("check FAILED")
            return (
                Level.INFO if document.passed else Level.ERROR,
                f"{load_name(document.load)}, {verdict}: {document.text}",
            )
        case RunStopped():
            return _stop_words(document)
        case _:
            return Level.INFO, _start_words(document)


def _start_words(document: RunStarted | LoadsReady) -> str:
    if isinstance(document, RunStarted):
        return _tr("{n} trials on {host}").format(n=document.visits, host=plain(document.facts.title))
    versions = ", ".join(f"{name} {version}" for name, version in document.versions.items())
    return _tr("The database answers: {versions}").format(versions=versions)


def _visit_words(document: VisitDone) -> tuple[Level, str]:
    where = f"{setting_name(label_of(document.setting))}, {load_name(document.load)}"
    if not document.held:
        return Level.WARNING, f"{where}: {document.reason}"
    if not document.valid:
        return Level.WARNING, _tr("{where}: not counted, {reason}").format(where=where, reason=document.reason)
    names = {IO: _tr("I/O"), GUEST: _tr("guest"), GUEST_2: _tr("second guest")}
    got = document.delivered_frac
    shares = ", ".join(f"{name} {percent(got[domain])}" for domain, name in names.items() if domain in got)
    lost_s = document.seconds * document.stalled_frac
    stalled = _tr("; stalled for {n} s").format(n=short(lost_s)) if lost_s else ""
    return Level.INFO, f"{where}: {rate(document.mean_tps, unit_of_all([document]))} ({shares}){stalled}"


def _stop_words(document: RunStopped) -> tuple[Level, str]:
    level = Level.INFO if document.restored and document.outcome is Outcome.COMPLETED else Level.WARNING
    why = document.reason.rstrip(".") if reason_beside(document.outcome, document.reason) else ""
    parts = [outcome_name(document.outcome), why, host_words(document)]
    return level if document.restored or document.busy else Level.ERROR, ", ".join(part for part in parts if part)


def ledger_text(document: HostCommand) -> tuple[Level, str]:
    """Return one line of the ledger: when, what the host was told, what it answered unless that was all well."""
    answer = "" if document.answer in ("", "ok") else f"\n      \N{RIGHTWARDS ARROW} {document.answer}"
    return Level.INFO, f"{time_text(document.t_s)}  {document.command}{answer}"
