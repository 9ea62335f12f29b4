"""Results as tables for a terminal."""

import time
from collections.abc import Iterable, Sequence

from scheduler.model.documents import Outcome
from scheduler.model.guests import GUEST_2, domains_in
from scheduler.model.load_kinds import rate_unit
from scheduler.model.number_texts import count, duration, full, percent_full
from scheduler.model.plain import cell
from scheduler.model.results import Point, Results
from scheduler.model.sorts import SortFigures
from scheduler.model.split import GUEST, IO
from scheduler.model.studies import STUDIES

_HEAD = ("{setting}", "load", "{unit}", "95 % interval", "CV", "trials")
_GOT = {IO: "I/O got", GUEST: "guest got", GUEST_2: "guest-2 got"}

_BORROWED = "borrowed: of a single trial; how much trials differ is taken from the other splits"

_SORTS = "per minute, and p95 in ms in brackets:"


def _setting_words(results: Results) -> str:
    """Return the heading of the settings' column."""
    return STUDIES[results.study].factor if results.study in STUDIES else "setting"


def _host_words(results: Results) -> str:
    if results.busy:
        return "the host was not touched: something else held it"
    if results.put_back_unix_s:
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(results.put_back_unix_s))
        return f"the host was restored from outside at {when} and verified"
    return (
        "the original settings are restored and verified"
        if results.restored
        else "THE ORIGINAL SETTINGS ARE NOT RESTORED"
    )


def results_lines(results: Results) -> list[str]:
    """Return the decision, the table of points, the evidence and the run's warnings as lines."""
    answer, unit = results.recommendation, rate_unit((point.load for point in results.points), results.units)
    mark = "SIMULATED: nothing here was measured on a machine" if results.simulated else ""
    how = "simulated" if results.simulated else "measured"
    domains = domains_in(*(point.domains for point in results.points))
    head = [word.format(unit=unit, setting=_setting_words(results)) for word in _HEAD]
    head += [*(_GOT[domain] for domain in domains), "limited by"]
    return [
        mark,
        answer.headline,
        "",
        *(columns([head, *(_row(point, domains) for point in results.points)]) if results.points else ()),
        _BORROWED if any(point.borrowed for point in results.points) else "",
        *_sorts_lines(results),
        "",
        *(f"  {reason}" for reason in answer.reasons),
        *(f"warning: {notice}" for notice in results.notices),
        *_continue_lines(results),
        "",
        f"run {results.run_id}: {results.outcome.value} {results.reason}".rstrip(),
        f"{how} for {duration(results.measured_s)}; {_host_words(results)}",
    ]


def _continue_lines(results: Results) -> list[str]:
    """Return the command that measures on until a decision is probable; nothing where none is known."""
    decision = results.recommendation.decision
    if decision.minutes_left is None or results.outcome is not Outcome.COMPLETED:
        return []
    minutes = max(1, round(decision.minutes_left))
    time_words = "1 minute" if minutes == 1 else f"{minutes} minutes"
    return ["", f"To continue for about {time_words}: domtune run --continue {results.run_id} --for {minutes}m"]


def _sorts_lines(results: Results) -> list[str]:
    """Return what loads with several sorts of operations did of each; nothing where none has."""
    names = list(dict.fromkeys(name for point in results.points for name in point.sorts))
    rows = [
        (point.split, point.load, *(_sort(point.sorts.get(name)) for name in names))
        for point in results.points
        if point.sorts
    ]
    return ["", _SORTS, *columns([("split", "load", *names), *rows])] if rows else []


def _sort(figures: SortFigures | None) -> str:
    if figures is None:
        return "-"
    p95 = "" if figures.p95_ms is None else f" ({full(figures.p95_ms, 1)})"
    return f"{count(figures.per_min)}{p95}"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of equal length with aligned columns."""
    clean = [[cell(word) for word in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*clean, strict=True)]
    return ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in clean]


def _row(point: Point, domains: Iterable[str]) -> tuple[str, ...]:
    return (
        point.split,
        point.load,
        full(point.mean_tps),
        _interval(point),
        percent_full(point.cv),
        str(point.visits),
        *_shares(point, domains),
        _remark(point),
    )


def _remark(point: Point) -> str:
    if not point.held:
        return point.reason
    return point.bottleneck.value if point.valid else f"invalid: {point.reason}"


def _interval(point: Point) -> str:
    if point.ci95_tps is None:
        return "-"
    span = " to ".join(map(full, point.ci95_tps))
    return f"{span} (borrowed)" if point.borrowed else span


def _shares(point: Point, domains: Iterable[str]) -> Iterable[str]:
    for domain in domains:
        got, configured = point.delivered_share.get(domain), point.configured_share.get(domain)
        limit = "" if configured is None else f" of {percent_full(configured)}"
        yield percent_full(got) + ("" if got is None else limit)
