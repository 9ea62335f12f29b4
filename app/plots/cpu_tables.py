"""Tables of the CPU plots: CPU usage per second and per setting."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QCoreApplication

from app.load_texts import member_name
from app.plots.live_texts import setting_cell
from app.plots.run_board import RunBoard
from app.widgets.table import Cell, TableData
from scheduler.model.results import MeasuredPoint
from scheduler.model.split import GUEST, GUEST_2, IO, DomainId, list_roles


def _tr(text: str) -> str:
    return QCoreApplication.translate("tables", text)


def shares_table(points: Iterable[MeasuredPoint]) -> TableData:
    """Return CPU allotted and CPU used per split and load, percent of one CPU."""
    points = tuple(points)
    domains = list_roles(*(point.domains for point in points))
    configured, delivered = _allotted_headers(), _used_headers()
    heads = [head for domain in domains for head in (configured[domain], delivered[domain])]
    rows = [
        (setting_cell(point.setting), member_name(point.load, point.guest), *_share_cells(point, domains))
        for point in points
    ]
    return TableData((_tr("Split"), _tr("Load"), *heads), rows)


def _share_cells(point: MeasuredPoint, domains: Sequence[DomainId]) -> Iterable[Cell]:
    for domain in domains:
        for shares in (point.configured_share, point.delivered_share):
            yield 100 * shares[domain] if domain in shares else None


def cpu_table(board: RunBoard, start_s: float) -> TableData:
    """Return the CPU usage of every second, percent of the shared CPU.

    Args:
        board: State of the run.
        start_s: First time in the table, seconds since the run began.
    """
    received = {IO: _tr("I/O domain (%)"), GUEST: _tr("Guest (%)"), GUEST_2: _tr("Second guest (%)")}
    configured = _allotted_headers()
    headers = {
        "t_s": _tr("Time (s)"),
        **{domain: received[domain] for domain in board.domains},
        "idle": _tr("Idle (%)"),
        **{f"{domain}_configured": configured[domain] for domain in board.domains},
    }
    first = board.cpu.since(start_s)
    columns = [board.cpu.column(name, first) * (1 if name == "t_s" else 100) for name in headers]
    rows = [
        tuple(None if value != value else value for value in row)  # noqa: PLR0124 - NaN is not equal to itself
        for row in zip(*(column.tolist() for column in columns), strict=True)
    ]
    return TableData(tuple(headers.values()), rows)


def _allotted_headers() -> dict[DomainId, str]:
    return {
        IO: _tr("I/O domain allotted (%)"),
        GUEST: _tr("Guest allotted (%)"),
        GUEST_2: _tr("Second guest allotted (%)"),
    }


def _used_headers() -> dict[DomainId, str]:
    return {
        IO: _tr("I/O domain used (%)"),
        GUEST: _tr("Guest used (%)"),
        GUEST_2: _tr("Second guest used (%)"),
    }
