"""The table twins of the plots of CPU: what each domain received, by the second and by setting."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QCoreApplication

from app.live.board import Board
from app.live.phrases import setting_name
from app.load_words import load_name
from app.widgets.table import Cell, Table
from scheduler.model.guests import GUEST_2, domains_in
from scheduler.model.results import Point
from scheduler.model.split import GUEST, IO, DomainId


def _tr(text: str) -> str:
    return QCoreApplication.translate("tables", text)


def shares_table(points: Iterable[Point]) -> Table:
    """Return configured and delivered shares, percent of one CPU, per split and load."""
    points = tuple(points)
    domains = domains_in(*(point.domains for point in points))
    configured, delivered = _configured(), _delivered()
    heads = [head for domain in domains for head in (configured[domain], delivered[domain])]
    rows = [(setting_name(point.split), load_name(point.load), *_shares(point, domains)) for point in points]
    return Table((_tr("Split"), _tr("Load"), *heads), rows)


def _shares(point: Point, domains: Sequence[DomainId]) -> Iterable[Cell]:
    for domain in domains:
        for shares in (point.configured_share, point.delivered_share):
            yield 100 * shares[domain] if domain in shares else None


def cpu_table(board: Board, start_s: float) -> Table:
    """Return every second's CPU from `start_s` on, percent of the contended CPU."""
    received = {IO: _tr("I/O domain (%)"), GUEST: _tr("Guest (%)"), GUEST_2: _tr("Second guest (%)")}
    configured = _configured()
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
    return Table(tuple(headers.values()), rows)


def _configured() -> dict[DomainId, str]:
    return {
        IO: _tr("I/O domain configured (%)"),
        GUEST: _tr("Guest configured (%)"),
        GUEST_2: _tr("Second guest configured (%)"),
    }


def _delivered() -> dict[DomainId, str]:
    return {
        IO: _tr("I/O domain delivered (%)"),
        GUEST: _tr("Guest delivered (%)"),
        GUEST_2: _tr("Second guest delivered (%)"),
    }
