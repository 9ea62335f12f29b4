"""Table with further figures of loads, behind a fold."""

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.load_texts import load_name
from app.theme.theme import Theme
from app.widgets.fold_button import FoldButton
from app.widgets.scroll_areas import scroll_into_view
from app.widgets.table import TableData, TableView
from scheduler.model.results import MeasuredPoint
from scheduler.model.studies import Setting
from scheduler.stats.extra_figures import FiguresRow, FiguresTable, build_figures_tables
from scheduler.translation import _

_TABLE_PX = 320


class FiguresFold(QWidget):
    """Fold with a table of further figures; hidden for runs without any.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points: Sequence[MeasuredPoint] = ()
        self.fold = FoldButton(theme, _("Further figures"))
        self.table = TableView(_("Further figures"))
        self.table.setMinimumHeight(_TABLE_PX)
        self.table.hide()
        line = QHBoxLayout()
        line.addWidget(self.fold)
        line.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(line)
        column.addWidget(self.table)
        self.fold.toggled.connect(self._toggle_table)
        self.fold.clicked.connect(lambda: scroll_into_view(self.table))

    def show_points(self, points: Sequence[MeasuredPoint]) -> None:
        """Show the further figures of a run's points; hide the fold if there are none."""
        self._points = points
        self.setVisible(any(point.figures for point in points))
        self._toggle_table(self.fold.isChecked())

    def table_of(self, points: Sequence[MeasuredPoint]) -> TableData:
        """Return a table with a row per load and figure, and a column per split."""
        tables = build_figures_tables(points)
        settings = tuple(dict.fromkeys(setting for table in tables for setting in table.settings))
        names = (setting.label if setting else _("Baseline") for setting in settings)
        headers = (_("Load"), _("Figure"), _("Unit"), *names)
        rows = [
            (load_name(table.load), row.name, row.unit, *map(_values_by_setting(table, row).get, settings))
            for table in tables
            for row in table.rows
        ]
        return TableData(headers, rows)

    def _toggle_table(self, shown: bool) -> None:  # noqa: FBT001 - Qt's slot
        if shown:
            self.table.set_table(self.table_of(self._points))
        self.table.setVisible(shown)


def _values_by_setting(table: FiguresTable, row: FiguresRow) -> dict[Setting | None, float | None]:
    return dict(zip(table.settings, row.values, strict=True))
