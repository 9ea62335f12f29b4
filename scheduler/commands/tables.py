"""Results as tables for a terminal."""

from collections.abc import Iterable, Sequence

from scheduler.model.results import Point, Results

_HEAD = ("split", "load", "tuples/s", "95 % interval", "CV", "visits", "I/O got", "guest got", "limited by")


def results_lines(results: Results) -> list[str]:
    """Return the table of points, the recommendation and the run's warnings as lines."""
    answer = results.recommendation
    mark = "SIMULATED: nothing here was measured on a machine" if results.simulated else ""
    how = "simulated" if results.simulated else "measured"
    state = "the host reads back as found" if results.restored else "THE HOST DOES NOT READ BACK AS FOUND"
    return [
        mark,
        *columns([_HEAD, *(_row(point) for point in results.points)]),
        "",
        answer.headline,
        *(f"  {reason}" for reason in answer.reasons),
        *(f"warning: {notice}" for notice in results.notices),
        "",
        f"run {results.run_id}: {results.outcome.value} {results.reason}".rstrip(),
        f"{how} {results.measured_s / 60:.1f} minutes; {state}",
    ]


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of equal length with aligned columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _row(point: Point) -> tuple[str, ...]:
    return (
        point.split,
        point.load,
        "-" if point.mean_tps is None else f"{point.mean_tps:,.0f}",
        "-" if point.ci95_tps is None else " to ".join(f"{limit:,.0f}" for limit in point.ci95_tps),
        "-" if point.cv is None else f"{point.cv:.1%}",
        str(point.visits),
        *_shares(point, ("io", "guest")),
        point.bottleneck.value if point.valid else f"invalid: {point.reason}",
    )


def _shares(point: Point, domains: Iterable[str]) -> Iterable[str]:
    for domain in domains:
        got, configured = point.delivered_share.get(domain), point.configured_share.get(domain)
        limit = "" if configured is None else f" of {configured:.1%}"
        yield "-" if got is None else f"{got:.1%}{limit}"
