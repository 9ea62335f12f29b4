"""Tables of results for a terminal."""

import time
from collections.abc import Iterable, Sequence

from scheduler.model.documents import RunOutcome
from scheduler.model.load_kinds import rate_unit
from scheduler.model.member import member_label
from scheduler.model.number_texts import format_count, format_duration, format_table_number, format_table_percent
from scheduler.model.operation_kinds import OperationFigures
from scheduler.model.results import MeasuredPoint, Results
from scheduler.model.split import GUEST, GUEST_2, IO, list_roles
from scheduler.model.studies import STUDIES
from scheduler.model.terminal_text import to_single_line
from scheduler.translation import _, ngettext

_HEAD = ("{setting}", "load", "{unit}", "95 % interval", "CV", "trials")
_USED = {IO: _("I/O used"), GUEST: _("guest used"), GUEST_2: _("guest-2 used")}

_POOLED = _("pooled: interval of a single trial, estimated from the spread of the other settings")

_SORTS = _("Operations per minute (p95 in ms):")


def _setting_words(results: Results) -> str:
    """Return the heading of the settings column."""
    return STUDIES[results.study].factor if results.study in STUDIES else "setting"


def _host_words(results: Results) -> str:
    if results.busy:
        return _("the host was not changed: another process holds it")
    if results.restored_unix_s:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(results.restored_unix_s))
        return _("the host was restored and verified by another process at {when}").format(when=when)
    return (
        _("the original settings are restored and verified")
        if results.restored
        else "THE ORIGINAL SETTINGS ARE NOT RESTORED"
    )


def results_lines(results: Results) -> list[str]:
    """Return the decision, the points, the evidence and the run's warnings as lines."""
    how = "simulated" if results.simulated else "measured"
    return [
        *answer_lines(results),
        *_continue_lines(results),
        "",
        _outcome_line(results),
        f"{how} for {format_duration(results.measured_s)}; {_host_words(results)}",
    ]


def answer_lines(results: Results) -> list[str]:
    """Return the decision, the points and the evidence as lines."""
    answer, unit = results.answer, rate_unit((point.load for point in results.points), results.units)
    mark = _("SIMULATED: no figure here was measured on a real machine") if results.simulated else ""
    domains = list_roles(*(point.domains for point in results.points))
    head = [word.format(unit=unit, setting=_setting_words(results)) for word in _HEAD]
    head += [*(_USED[domain] for domain in domains), _("limited by")]
    return [
        mark,
        answer.headline,
        "",
        *(
            align_columns([head, *(_point_row(point, domains, results.cpus) for point in results.points)])
            if results.points
            else ()
        ),
        _POOLED if any(point.pooled for point in results.points) else "",
        *_operation_lines(results),
        "",
        *(f"  {reason}" for reason in answer.sentences),
        *(_("warning: {notice}").format(notice=notice) for notice in results.notices),
    ]


def _outcome_line(results: Results) -> str:
    """Return how the run ended: `run ID failed: interrupted at trial 13 of 32`."""
    ended = _("run {run_id} {outcome}").format(run_id=results.run_id, outcome=results.outcome.value)
    return f"{ended}: {results.reason}" if results.reason else ended


def _continue_lines(results: Results) -> list[str]:
    """Return the command that continues a run until a probable decision; may be empty."""
    decision = results.answer.decision
    if decision.minutes_left is None or results.outcome is not RunOutcome.COMPLETED:
        return []
    minutes = max(1, round(decision.minutes_left))
    time_words = ngettext("{n} minute", "{n} minutes", minutes).format(n=minutes)
    return [
        "",
        _("To continue for about {time_words}: domtune run --continue {run_id} --for {minutes}m").format(
            time_words=time_words, run_id=results.run_id, minutes=minutes
        ),
    ]


def _operation_lines(results: Results) -> list[str]:
    """Return the table of operation kinds; empty when no load has several kinds."""
    names = list(dict.fromkeys(name for point in results.points for name in point.sorts))
    rows = [
        (
            point.label,
            member_label(point.load, point.guest),
            *(_operation_text(point.sorts.get(name)) for name in names),
        )
        for point in results.points
        if point.sorts
    ]
    return ["", _SORTS, *align_columns([("split", "load", *names), *rows])] if rows else []


def _operation_text(figures: OperationFigures | None) -> str:
    if figures is None:
        return "-"
    p95 = "" if figures.p95_ms is None else f" ({format_table_number(figures.p95_ms, 1)})"
    return f"{format_count(figures.per_min)}{p95}"


def align_columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of equal length with aligned columns."""
    clean = [[to_single_line(word) for word in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*clean, strict=True)]
    return ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in clean]


def _point_row(point: MeasuredPoint, domains: Iterable[str], cpus: int) -> tuple[str, ...]:
    return (
        point.label,
        member_label(point.load, point.guest),
        format_table_number(point.mean_tps),
        _interval_text(point),
        format_table_percent(point.cv),
        str(point.trials),
        *_share_texts(point, domains, cpus),
        _point_remark(point),
    )


def _point_remark(point: MeasuredPoint) -> str:
    if not point.responsive:
        return point.reason
    return point.bottleneck.value if point.valid else _("discarded: {reason}").format(reason=point.reason)


def _interval_text(point: MeasuredPoint) -> str:
    if point.ci95_tps is None:
        return "-"
    span = " to ".join(map(format_table_number, point.ci95_tps))
    return _("{span} (pooled)").format(span=span) if point.pooled else span


def _share_texts(point: MeasuredPoint, domains: Iterable[str], cpus: int) -> Iterable[str]:
    """Yield the CPU used of the CPU allotted, on several shared CPUs in CPUs."""
    for domain in domains:
        got, allotted = point.used_share.get(domain), point.allotted_share.get(domain)
        if got is None:
            yield format_table_percent(got)
        elif cpus > 1:
            limit = (
                "" if allotted is None else _(" of {allotted}").format(allotted=format_table_number(allotted * cpus, 2))
            )
            yield f"{format_table_number(got, 2)}{limit} CPUs"
        else:
            yield format_table_percent(got) + (
                "" if allotted is None else _(" of {allotted}").format(allotted=format_table_percent(allotted))
            )
