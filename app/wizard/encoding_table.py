"""The table of what each split becomes on the host."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from app.widgets.table import Cell, Table
from app.wizard.split_rows import SplitRow
from app.words import percent, three_digits
from scheduler.model.split import GUEST, IO


def encoding_table(rows: Sequence[SplitRow]) -> Table:
    """Return one row per split: the parameters of both domains, and the rounding error."""
    tr = QCoreApplication.translate
    headers = (
        tr("wizard", "Split"),
        tr("wizard", "I/O domain gets"),
        tr("wizard", "I/O domain"),
        tr("wizard", "Guest"),
        tr("wizard", "Rounding error"),
    )
    return Table(headers, [_row(row) for row in rows])


def _row(row: SplitRow) -> tuple[Cell, ...]:
    if row.setting is None or row.encoding is None:
        return row.text, None, row.message or None, None, None
    error = row.encoding.rounding_error_frac * 100
    exact = QCoreApplication.translate("wizard", "exact")
    return (
        row.text,
        percent(row.setting.split.io_frac),
        row.encoding.params[IO].words,
        row.encoding.params[GUEST].words,
        exact if error == 0 else f"{three_digits(error)} %",
    )
