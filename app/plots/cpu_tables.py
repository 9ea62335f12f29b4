"""Tables of the CPU plots: CPU usage per second and per setting."""

from collections.abc import Iterable, Mapping, Sequence

from app.load_texts import member_name
from app.plots.cpu_units import cpu_cell_factor, cpu_header
from app.plots.live_texts import setting_cell
from app.plots.run_board import RunBoard
from app.widgets.table import Cell, TableData
from scheduler.model.results import MeasuredPoint
from scheduler.model.split import GUEST, GUEST_2, IO, DomainId, list_roles
from scheduler.translation import _


def shares_table(points: Iterable[MeasuredPoint], cpus: int = 1) -> TableData:
    """Return CPU allotted and CPU used per split and load.

    Args:
        points: Measured points.
        cpus: Number of shared CPUs; of one, the unit is percent of the CPU, of several, CPUs.
    """
    points = tuple(points)
    domains = list_roles(*(point.domains for point in points))
    allotted, used = _allotted_headers(cpus), _used_headers(cpus)
    heads = [head for domain in domains for head in (allotted[domain], used[domain])]
    rows = [
        (setting_cell(point.setting), member_name(point.load, point.guest), *_share_cells(point, domains, cpus))
        for point in points
    ]
    return TableData((_("Split"), _("Load"), *heads), rows)


def _share_cells(point: MeasuredPoint, domains: Sequence[DomainId], cpus: int) -> Iterable[Cell]:
    factor = cpu_cell_factor(cpus)
    for domain in domains:
        yield factor * cpus * point.allotted_share[domain] if domain in point.allotted_share else None
        yield factor * point.used_share[domain] if domain in point.used_share else None


def cpu_table(board: RunBoard, start_s: float) -> TableData:
    """Return the CPU usage of every second, in percent or in CPUs.

    Args:
        board: State of the run.
        start_s: First time in the table, seconds since the run began.
    """
    received = _with_unit({IO: _("I/O domain"), GUEST: _("Guest"), GUEST_2: _("Second guest")}, board.cpus)
    allotted = _allotted_headers(board.cpus)
    headers = {
        "t_s": _("Time (s)"),
        **{domain: received[domain] for domain in board.domains},
        "idle": cpu_header(_("Idle"), board.cpus),
        **{f"{domain}_allotted": allotted[domain] for domain in board.domains},
    }
    first = board.cpu.since(start_s)
    factor = cpu_cell_factor(board.cpus)
    columns = [board.cpu.column(name, first) * (1 if name == "t_s" else factor) for name in headers]
    rows = [
        tuple(None if value != value else value for value in row)  # noqa: PLR0124 - NaN is not equal to itself
        for row in zip(*(column.tolist() for column in columns), strict=True)
    ]
    return TableData(tuple(headers.values()), rows)


def _allotted_headers(cpus: int) -> dict[DomainId, str]:
    texts = {
        IO: _("I/O domain allotted"),
        GUEST: _("Guest allotted"),
        GUEST_2: _("Second guest allotted"),
    }
    return _with_unit(texts, cpus)


def _used_headers(cpus: int) -> dict[DomainId, str]:
    texts = {
        IO: _("I/O domain used"),
        GUEST: _("Guest used"),
        GUEST_2: _("Second guest used"),
    }
    return _with_unit(texts, cpus)


def _with_unit(texts: Mapping[DomainId, str], cpus: int) -> dict[DomainId, str]:
    return {domain: cpu_header(text, cpus) for domain, text in texts.items()}
