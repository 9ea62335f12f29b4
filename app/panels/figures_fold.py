"""Further figures of loads, behind a fold that is there only where a run has some."""

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.load_words import load_name
from app.theme.theme import Theme
from app.widgets.fold import Fold
from app.widgets.scrolling import reveal
from app.widgets.table import Table, TableView
from scheduler.model.results import Point
from scheduler.model.setting import BASELINE
from scheduler.stats.further import FiguresRow, FiguresTable, figures_tables

_TABLE_PX = 320


class FiguresFold(QWidget):
    """The fold and its table.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points: Sequence[Point] = ()
        self.fold = Fold(theme, self.tr("Further figures"))
        self.table = TableView(self.tr("Further figures"))
        self.table.setMinimumHeight(_TABLE_PX)
        self.table.hide()
        line = QHBoxLayout()
        line.addWidget(self.fold)
        line.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(line)
        column.addWidget(self.table)
        self.fold.toggled.connect(self._unfold)
        self.fold.clicked.connect(lambda: reveal(self.table))

    def show_points(self, points: Sequence[Point]) -> None:
        """Show a run's; nothing where there are none."""
        self._points = points
        self.setVisible(any(point.figures for point in points))
        self._unfold(self.fold.isChecked())

    def table_of(self, points: Sequence[Point]) -> Table:
        """Return one row per load and figure, and a column per split."""
        tables = figures_tables(points)
        splits = tuple(dict.fromkeys(split for table in tables for split in table.splits))
        names = {BASELINE: self.tr("Baseline")}
        headers = (self.tr("Load"), self.tr("Figure"), self.tr("Unit"), *(names.get(split, split) for split in splits))
        rows = [
            (load_name(table.load), row.name, row.unit, *map(_by_split(table, row).get, splits))
            for table in tables
            for row in table.rows
        ]
        return Table(headers, rows)

    def _unfold(self, shown: bool) -> None:  # noqa: FBT001 - Qt's slot
        if shown:
            self.table.set_table(self.table_of(self._points))
        self.table.setVisible(shown)


def _by_split(table: FiguresTable, row: FiguresRow) -> dict[str, float | None]:
    return dict(zip(table.splits, row.values, strict=True))
