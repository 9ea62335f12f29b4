"""Charts and tables of a capacity study: throughput over users, and the knees."""

from collections.abc import Sequence

import msgspec

from scheduler.model.chart import Axis, AxisTick, Band, Chart, Mark, load_series
from scheduler.model.estimate import estimate_of
from scheduler.model.load_kinds import rate_unit
from scheduler.model.results import MeasuredPoint
from scheduler.model.sentence_texts import format_load_rate, load_title
from scheduler.model.setting import UsersSetting, split_of, users_of
from scheduler.model.table import CellForm, Column, Table, TableCell
from scheduler.studies.capacity.declaration import CapacityFinding, KneeEstimate
from scheduler.translation import _, ngettext

_COLUMNS = (
    Column(_("Load"), CellForm.LOAD),
    Column(_("At"), CellForm.NAME),
    Column(_("Full at")),
    Column(_("Highest"), CellForm.NUMBER),
    Column(_("With"), CellForm.COUNT),
    Column("N*", CellForm.NUMBER, decimals=1),
)


def list_charts(finding: CapacityFinding, points: Sequence[MeasuredPoint]) -> tuple[Chart, ...]:
    """Return one chart per load.

    Rates of loads may have different units, and their knees would overlap in one chart.

    Args:
        finding: The finding.
        points: All points of the run.
    """
    measured = [point for point in points if point.mean_tps is not None]
    loads = dict.fromkeys(point.load for point in measured)
    return tuple(
        _load_chart(
            [point for point in measured if point.load == load], [knee for knee in finding.knees if knee.load == load]
        )
        for load in loads
    )


def list_tables(finding: CapacityFinding, points: Sequence[MeasuredPoint]) -> tuple[Table, ...]:
    """Return the table of knees.

    Args:
        finding: The finding.
        points: Not used: the finding has all figures.
    """
    del points
    return (_knees_table(finding),)


def brief_table(finding: CapacityFinding) -> Table:
    """Return the table of knees, which is narrow enough for a summary."""
    return _knees_table(finding)


def knee_title(knee: KneeEstimate) -> str:
    """Return load and split of a knee."""
    name = load_title(knee.load)
    return _("{name} at {knee}").format(name=name, knee=knee.split) if knee.split else name


def knee_users_text(knee: KneeEstimate) -> str:
    """Return the users at saturation: `12 to 13`, `more than 32`, `between 2 and 32`."""
    if knee.open:
        return _("more than {above}").format(above=knee.above) if knee.above else _("not known")
    if not knee.is_decided:
        return _("between {max} and {most}: not decided").format(max=max(1, knee.above), most=knee.most)
    return (
        _("{above} to {most}").format(above=knee.above + 1, most=knee.most)
        if knee.above + 1 < knee.most
        else str(knee.most)
    )


def knee_band(knee: KneeEstimate, label: str, series: int = 0) -> Band:
    """Return the bar of a knee on an axis of log2(users); an open knee has no end.

    Args:
        knee: The knee.
        label: Text next to the bar.
        series: Index of the series whose colour the bar has.
    """
    high = None if knee.open else UsersSetting(knee.most).position
    return Band(UsersSetting(knee.above + 1).position, high, label, series, knee.is_decided)


def _load_chart(points: Sequence[MeasuredPoint], knees: Sequence[KneeEstimate]) -> Chart:
    load, unit = points[0].load, points[0].unit
    users = sorted({_point_users(point) for point in points})
    splits = list(dict.fromkeys(map(_point_split, points)))
    names = [
        _("{load} at {split}").format(load=load_title(load), split=split) if split else load_title(load)
        for split in splits
    ]
    first, last = _users_position(users[0]), _users_position(users[-1])
    return Chart(
        title=_("Throughput of {load} over users").format(load=load_title(load)),
        x=Axis(
            title=_("Users (logarithmic)"),
            ticks=tuple(AxisTick(_users_position(number), str(number)) for number in users),
            ends=(first - 0.25, last + 0.35),
        ),
        y=Axis(title=_("Throughput ({unit})").format(unit=unit)),
        series=tuple(load_series(load, name, dash=at % 4) for at, name in enumerate(names)),
        marks=tuple(_point_mark(point, splits.index(_point_split(point))) for point in points),
        bands=tuple(
            knee_band(knee, _saturation_text(knee), splits.index(knee.split) if knee.split in splits else 0)
            for knee in knees
        ),
        whiskers=_("95 % interval over trials"),
        notes=(_("bar: saturated from here"),),
    )


def _point_mark(point: MeasuredPoint, series: int) -> Mark:
    mean_tps = point.mean_tps or 0.0
    ends = " to ".join(format_load_rate(tps, point.load, point.unit) for tps in point.ci95_tps or ())
    span = f" (95 % {ends}{', pooled' if point.pooled else ''})" if ends else ""
    figures = f"{format_load_rate(mean_tps, point.load, point.unit)}{span}"
    tip = (f"{point.label}, {load_title(point.load)}", figures, _("{trials} trials").format(trials=point.trials))
    return Mark(_users_position(_point_users(point)), estimate_of(mean_tps, point.ci95_tps), series, tip)


def _saturation_text(knee: KneeEstimate) -> str:
    where = _(" at {knee}").format(knee=knee.split) if knee.split else ""
    if knee.open:
        return (
            _("more than {above} users{where}").format(above=knee.above, where=where)
            if knee.above
            else _("not known{where}").format(where=where)
        )
    if not knee.is_decided:
        return _("not decided: full somewhere between {max} and {most} users{where}").format(
            max=max(1, knee.above), most=knee.most, where=where
        )
    return ngettext("saturated at {users} user{where}", "saturated at {users} users{where}", knee.most).format(
        users=knee_users_text(knee), where=where
    )


def _point_users(point: MeasuredPoint) -> int:
    return users_of(point.setting) or 1


def _point_split(point: MeasuredPoint) -> str:
    split = split_of(point.setting)
    return split.label if split else ""


def _users_position(users: int) -> float:
    return UsersSetting(users).position


def _knees_table(finding: CapacityFinding) -> Table:
    """Return the table of knees.

    The table has no column of splits where all knees belong to the original settings.
    """
    units = rate_unit([knee.load for knee in finding.knees], {knee.load: knee.unit for knee in finding.knees})
    table = Table(
        title=_("How many users fill it"),
        note=(
            _(
                "In users. Saturated: throughput within 5 % of the highest (in {units}). N*: ideal "
                "saturation point, without waiting."
            ).format(units=units)
        ),
        columns=_COLUMNS,
        rows=tuple(map(_knee_row, finding.knees)),
    )
    if any(knee.split for knee in finding.knees):
        return table
    rows = tuple((row[0], *row[2:]) for row in table.rows)
    return msgspec.structs.replace(table, columns=(_COLUMNS[0], *_COLUMNS[2:]), rows=rows)


def _knee_row(knee: KneeEstimate) -> tuple[TableCell, ...]:
    crossing = knee.crossing_users[0] if knee.crossing_users else None
    where = knee.split or "original"
    return knee.load, where, knee_users_text(knee), knee.highest_tps, knee.best_users, crossing
