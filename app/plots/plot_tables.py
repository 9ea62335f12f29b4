"""Tables of the plots with the same values in full precision."""

from collections.abc import Iterable, Sequence

from app.load_texts import HasRate, load_name, member_name, unit_of, unit_of_all
from app.plots.cpu_units import cpu_cell_factor, cpu_header
from app.plots.live_texts import limit_name, second_kind_name, setting_cell, setting_name
from app.plots.load_seconds import SecondKind
from app.plots.per_user import per_user_point, users_at
from app.plots.run_board import RunBoard
from app.widgets.table import Cell, TableData
from scheduler.model.documents import TrialDone
from scheduler.model.queueing import QueueModel
from scheduler.model.results import MeasuredPoint
from scheduler.model.split import GUEST, GUEST_2, IO, DomainId, list_roles
from scheduler.stats.stalls import drop_superseded
from scheduler.stats.steady.trend import find_unsteady_trials
from scheduler.translation import _


def points_table(points: Iterable[MeasuredPoint], models: Iterable[QueueModel] = ()) -> TableData:
    """Return throughput per split and load, with the model's prediction if available.

    Args:
        points: Measured points.
        models: Queueing models; empty for none.
    """
    points = tuple(points)
    modelled = {(point.setting, model.load): point for model in models for point in model.points}
    model_headers = (_insert_unit(_("Model ({unit})"), points), _("Model limited by")) if modelled else ()
    of_users = any(map(users_at, points))
    more = (_insert_unit(_("Per user ({unit})"), points),) if of_users else ()
    headers = (*_point_headers(points)[:-1], *more, *model_headers, _point_headers(points)[-1])
    rows: list[tuple[Cell, ...]] = []
    for point in points:
        row, found = _point_row(point), modelled.get((point.setting, point.load))
        cells = (found.predicted_tps, limit_name(found.bottleneck)) if found else (None, "")
        each = (per_user_point(point).mean_tps,) if of_users else ()
        rows.append((*row[:-1], *each, *(cells if modelled else ()), row[-1]))
    return TableData(headers, rows)


def _insert_unit(words: str, rated: Iterable[HasRate]) -> str:
    return words.format(unit=unit_of_all(rated))


def _point_headers(points: Sequence[MeasuredPoint]) -> tuple[str, ...]:
    return (
        _("Split"),
        _("Load"),
        _insert_unit(_("Mean ({unit})"), points),
        _insert_unit(_("95 % from ({unit})"), points),
        _insert_unit(_("95 % to ({unit})"), points),
        _("CV (%)"),
        _("Trials"),
        _("Stalled (s)"),
        _("p50 (ms)"),
        _("p95 (ms)"),
        _("p99 (ms)"),
        _("Remark"),
    )


def _point_row(point: MeasuredPoint) -> tuple[Cell, ...]:
    low, high = point.ci95_tps or (None, None)
    cv = None if point.cv is None else 100 * point.cv
    name: Cell = setting_cell(point.setting)
    load = member_name(point.load, point.guest)
    if point.valid and not point.trials:
        name = _("{split} (interpolated)").format(split=setting_name(point.setting))
    times = (point.p50_ms, point.p95_ms, point.p99_ms)
    return (
        name,
        load,
        point.mean_tps,
        low,
        high,
        cv,
        point.trials,
        point.stalled_s,
        *times,
        _point_remark(point),
    )


def _point_remark(point: MeasuredPoint) -> str:
    borrowed = _("Single trial. Interval estimated from the other splits.") if point.pooled else ""
    return " ".join(words for words in (borrowed, point.reason or point.bottleneck_text) if words)


def operations_table(points: Iterable[MeasuredPoint]) -> TableData:
    """Return rate and service times per kind of operation; no rows without kinds."""
    headers = (_("Split"), _("Load"), _("Sort"), _("Per minute"), _("p50 (ms)"), _("p95 (ms)"))
    rows = [
        (
            setting_cell(point.setting),
            member_name(point.load, point.guest),
            sort,
            figures.per_min,
            figures.p50_ms,
            figures.p95_ms,
        )
        for point in points
        for sort, figures in point.sorts.items()
    ]
    return TableData(headers, rows)


def seconds_table(board: RunBoard, start_s: float) -> TableData:
    """Return the throughput of every second.

    Args:
        board: State of the run.
        start_s: First time in the table, seconds since the run began.
    """
    headers = (
        _("Time (s)"),
        _("Load"),
        _("Throughput ({unit})").format(unit=unit_of(board.loads, board.units)),
        _("Excluded"),
    )
    rows: list[tuple[float, str, float, str]] = []
    for load, series in board.loads.items():
        first = series.since(start_s)
        columns = (series.column(name, first).tolist() for name in ("t_s", "tps", "kind"))
        rows += [
            (t_s, load_name(load), tps, second_kind_name(SecondKind(kind)))
            for t_s, tps, kind in zip(*columns, strict=True)
        ]
    return TableData(headers, sorted(rows))


def trials_table(trials: Sequence[TrialDone], cpus: int = 1) -> TableData:
    """Return every trial with its values.

    Args:
        trials: The trials of a run.
        cpus: Number of shared CPUs; of one, CPU used is in percent, of several, in CPUs.
    """
    domains = list_roles(*(trial.used_frac for trial in trials))
    received = {
        IO: _("I/O domain CPU"),
        GUEST: _("Guest CPU"),
        GUEST_2: _("Second guest CPU"),
    }
    headers = (
        _("Trial"),
        _("Block"),
        _("Split"),
        _("Load"),
        _insert_unit(_("Throughput ({unit})"), trials),
        _("p95 (ms)"),
        *(cpu_header(received[domain], cpus) for domain in domains),
        _("Client CPU (%)"),
        _("Measured (s)"),
        _("Excluded (s)"),
        _("Stalled (s)"),
        _("Steady"),
        _("Errors"),
        _("Retries"),
        _("Counted"),
        _("Remark"),
    )
    moving, last = find_unsteady_trials(trials), {trial.trial for trial in drop_superseded(trials)}
    factor = cpu_cell_factor(cpus)
    rows = [_trial_row(v, domains, factor, steady=v.trial not in moving, again=v.trial not in last) for v in trials]
    return TableData(headers, rows)


def _trial_row(
    trial: TrialDone, domains: Sequence[DomainId], factor: float, *, steady: bool, again: bool
) -> tuple[Cell, ...]:
    got = [factor * trial.used_frac[d] if d in trial.used_frac else None for d in domains]
    return (
        trial.trial + 1,
        trial.block + 1,
        setting_cell(trial.setting),
        member_name(trial.load, trial.guest),
        trial.mean_tps,
        trial.p95_ms,
        *got,
        100 * trial.client_cpu_frac,
        trial.seconds,
        trial.settled_s,
        trial.seconds * trial.stalled_frac,
        steady,
        trial.errors,
        trial.retries,
        trial.valid and not again,
        trial.reason or (_("interrupted; measured again") if again else ""),
    )
