"""Exports of an observation: report, windows as CSV, and all lines as JSON."""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from scheduler.errors import SpecError
from scheduler.export.change_ticket import watch_ticket
from scheduler.export.chart_svg import chart_svg
from scheduler.export.csv_points import CsvCell, csv_text
from scheduler.export.files import write_text
from scheduler.export.guarded_writing import write_guarded
from scheduler.export.pdf_report import write_pages
from scheduler.export.report_figures import style_values
from scheduler.export.templates import template_environment
from scheduler.export.watched_split import write_watched
from scheduler.model.chart import Axis, AxisTick, Chart, Mark, horizontal_line, plain_series
from scheduler.model.codec import encode_json
from scheduler.model.estimate import Estimate
from scheduler.model.number_texts import format_duration, format_interval, format_percent, format_signed_percent
from scheduler.model.observation_documents import (
    FollowDone,
    FollowGain,
    FollowHold,
    FollowMove,
    FollowStarted,
    ObservationWindow,
    WatchResult,
)
from scheduler.store.observation_summary import ObservationRecord
from scheduler.translation import _

if TYPE_CHECKING:
    from markupsafe import Markup

WriteObservation = Callable[[ObservationRecord, Path, Collection[Path] | None], tuple[Path, ...]]

WINDOW_HEADER = (
    "run",
    "simulated",
    _("until (s)"),
    _("split (I/O domain:guest)"),
    "variant",
    _("target split (I/O domain:guest)"),
    _("I/O domain used (CPUs)"),
    _("guest used (CPUs)"),
    _("I/O domain allotted (CPUs)"),
    _("guest allotted (CPUs)"),
    _("others used (fraction)"),
    _("rate of the database (transactions/s)"),
    _("unusable because"),
)
_MOST_MARKS = 240  # per curve of a chart; more would merge. Chosen
_MOST_EVENTS = 500  # rows of the report; CSV and JSON have all
_TICKS = 6


def observation_exporters() -> Mapping[str, WriteObservation]:
    """Return the writers of observations by name, in the order of a menu."""
    return {
        "html": lambda record, target, may: _write(report_text(record), target, ".html", may),
        "pdf": _write_pdf,
        "csv": lambda record, target, may: _write(windows_csv(record), target, ".csv", may),
        "json": lambda record, target, may: _write(encode_json(record).decode() + "\n", target, ".json", may),
        "bundle": _write_scripts,
    }


def windows_csv(record: ObservationRecord) -> str:
    """Return all windows as CSV; the header has units, each window is a row."""
    simulated = "true" if record.started.simulated else "false"
    return csv_text(WINDOW_HEADER, [_window_row(record.run_id, simulated, window) for window in _windows(record)])


def report_text(record: ObservationRecord, *, on_paper: bool = False) -> str:
    """Return the report as one page; the same record makes the same page.

    Args:
        record: The observation.
        on_paper: True for a report with the lines of a sign-off.
    """
    started, stopped, last = record.started, record.stopped, record.last
    moves = [line for line in record.lines if isinstance(line, FollowMove | FollowHold)]
    templates = template_environment("report", autoescape=True)
    return templates.get_template("observation.html.j2").render(
        record=record,
        started=started,
        follows=isinstance(started, FollowStarted),
        watched=last if isinstance(last, WatchResult) else None,
        done=last if isinstance(last, FollowDone) else None,
        stopped=stopped,
        headline=record.headline or _("The observation has no end yet."),
        began=datetime.fromtimestamp(started.wall_unix_s, UTC).strftime("%Y-%m-%d %H:%M UTC"),
        charts=_charts(record),
        gains=[_gain_cells(gain) for gain in last.gains] if isinstance(last, FollowDone) else [],
        events=[_event_cells(line) for line in moves[:_MOST_EVENTS]],
        events_total=len(moves),
        duration=format_duration,
        percent=format_percent,
        on_paper=on_paper,
        ticket=watch_ticket(record) if on_paper else (),
        **style_values(),
    )


def _write(text: str, target: Path, suffix: str, may: Collection[Path] | None) -> tuple[Path, ...]:
    return write_guarded(lambda path: (write_text(path, text),), _file_named(target, suffix), may)


def _write_pdf(record: ObservationRecord, target: Path, may: Collection[Path] | None) -> tuple[Path, ...]:
    page = report_text(record, on_paper=True)
    return write_guarded(lambda path: write_pages(page, path), _file_named(target, ".pdf"), may)


def _file_named(target: Path, suffix: str) -> Path:
    """Return the file with its suffix; make its folder.

    Raises:
        SpecError: The target names no file.
    """
    if not target.name or target.name == "..":
        raise SpecError(
            "--out", _("{target} names no file to make").format(target=target), hint=_("Name one, for example report.")
        )
    named = target if target.suffix else target.with_name(target.name + suffix)
    named.parent.mkdir(parents=True, exist_ok=True)
    return named


def _write_scripts(record: ObservationRecord, target: Path, may: Collection[Path] | None) -> tuple[Path, ...]:
    """Write the scripts of the split that watching named.

    Raises:
        SpecError: The observation names no split.
    """
    last = record.last
    if not isinstance(last, WatchResult):
        hint = _("Only a watch that has ended names a split. Export html, csv or json.")
        raise SpecError("--to", _("this observation names no split to set"), hint=hint)
    return write_watched(last, target, record.started.wall_unix_s + last.t_s, replacing=may)


def _windows(record: ObservationRecord) -> list[ObservationWindow]:
    return [line for line in record.lines if isinstance(line, ObservationWindow)]


def _window_row(run_id: str, simulated: str, window: ObservationWindow) -> list[CsvCell]:
    return [
        run_id,
        simulated,
        window.t_s,
        window.split.label,
        window.arm,
        window.wish.label if window.wish is not None else "",
        window.io_cpus,
        window.guest_cpus,
        window.io_allowed_cpus,
        window.guest_allowed_cpus,
        window.others_frac,
        window.rate_tps,
        window.trouble,
    ]


def _event_cells(line: FollowMove | FollowHold) -> tuple[str, str, str]:
    when = format_duration(line.t_s)
    if isinstance(line, FollowMove):
        return when, f"{line.before.label} \N{RIGHTWARDS ARROW} {line.after.label}", line.text
    return when, _("no move"), line.text


def _gain_cells(gain: FollowGain) -> tuple[str, str, str, int]:
    change, low, high = gain.judged
    what = _("time per transaction") if gain.is_of_time else "throughput"
    ends = _("too few blocks") if low is None or high is None else format_interval(low, high)
    return (
        gain.over,
        f"{format_signed_percent(change)} {what}",
        ends,
        gain.time_blocks if gain.is_of_time else gain.blocks,
    )


def _charts(record: ObservationRecord) -> "list[Markup]":
    """Return the drawings: split while following, CPU, and a counted rate."""
    windows = _windows(record)
    if not windows:
        return []
    charts = [_cpu_chart(windows, max(1, record.started.cpus))]
    if isinstance(record.started, FollowStarted):
        shares = [("Split", [(w.t_s, 100 * w.split.io_frac) for w in windows])]
        charts.insert(0, _chart("Split", _("Share of the I/O domain (%)"), shares))
    if any(w.rate_tps is not None for w in windows):
        rate = [("Rate", [(w.t_s, w.rate_tps) for w in windows])]
        charts.append(_chart(_("Rate of the database"), "Transactions/s", rate))
    return [chart_svg(chart) for chart in charts]


def _cpu_chart(windows: Sequence[ObservationWindow], cpus: int) -> Chart:
    """Return CPU used and allotted, in percent or in CPUs of several.

    The shared CPUs are the full height.
    """
    factor = 1 if cpus > 1 else 100

    def in_unit(used_cpus: float | None) -> float | None:
        return None if used_cpus is None else factor * used_cpus

    curves = [
        (_("I/O domain"), [(w.t_s, in_unit(w.io_cpus)) for w in windows]),
        ("Guest", [(w.t_s, in_unit(w.guest_cpus)) for w in windows]),
        (_("I/O domain allotted"), [(w.t_s, in_unit(w.io_allowed_cpus)) for w in windows]),
        (_("Guest allotted"), [(w.t_s, in_unit(w.guest_allowed_cpus)) for w in windows]),
    ]
    chart = _chart(
        _("CPU used and allotted"), _("CPUs, of {cpus}").format(cpus=cpus) if cpus > 1 else "CPU (%)", curves
    )
    all_cpus = horizontal_line(
        chart.x, float(factor * cpus), _("all {cpus} CPUs").format(cpus=cpus) if cpus > 1 else _("the whole CPU")
    )
    allotted = (msgspec.structs.replace(each, dash=1) for each in chart.series[2:])
    return msgspec.structs.replace(chart, series=(*chart.series[:2], *allotted), lines=(all_cpus,))


def _chart(title: str, unit: str, curves: Sequence[tuple[str, Sequence[tuple[float, float | None]]]]) -> Chart:
    end_s = max(at for _, points in curves for at, _ in points)
    series = tuple(msgspec.structs.replace(each, joined=True) for each in plain_series(name for name, _ in curves))
    marks = tuple(
        Mark(at_s, Estimate(value), index, (name, format_duration(at_s)))
        for index, (name, points) in enumerate(curves)
        for at_s, value in points[:: max(1, -(-len(points) // _MOST_MARKS))]
        if value is not None
    )
    ticks = tuple(AxisTick(end_s * at / _TICKS, format_duration(end_s * at / _TICKS)) for at in range(1, _TICKS + 1))
    return Chart(
        title=title,
        x=Axis(title=_("Time since the start"), ticks=ticks, ends=(0.0, end_s)),
        y=Axis(title=unit),
        series=series,
        marks=marks,
        whiskers="",
    )
