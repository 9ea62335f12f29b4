"""Keyboard and screen reader access to a plot, through the rows of its table.

Left and Right step from row to row, Home and End go to the ends. The row's values are shown as a tooltip and announced.
Up and Down scroll the page.
"""

import html
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QToolTip

from app.widgets.announcer import Announcer
from app.widgets.table import TableData
from app.widgets.table_cells import show_cell, typeset_cell
from app.widgets.themed_plot import ThemedPlot
from scheduler.translation import _

_SHOWN_MS = 60_000
_MOST_COLUMNS = 4  # in the summary
_KEYS = Qt.Key
_STEPS = {_KEYS.Key_Right: 1, _KEYS.Key_Left: -1}


class PlotReader(QObject):
    """Reader of one plot.

    Args:
        plot: The plot; it takes the keyboard focus.
        table: Returns the plot's values.
    """

    def __init__(self, plot: ThemedPlot, table: Callable[[], TableData]) -> None:
        super().__init__(plot)
        self._plot, self._provide = plot, table
        self._row = -1
        self.announcer = Announcer(plot)
        self.words = ""
        plot.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Describe the plot at the focus; step through the rows with keys."""
        if event.type() == QEvent.Type.FocusIn:
            self._plot.setAccessibleDescription(self.summary())
        if event.type() == QEvent.Type.FocusOut:
            self._row = -1
            self.announcer.forget()
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._handle_key(event)
        return super().eventFilter(watched, event)

    def summary(self) -> str:
        """Return the number of rows and the ranges of the first columns with numbers."""
        table = self._provide()
        if not table.rows:
            return _("This plot has no values yet.")
        ranges = [
            _("{column}: {low} to {high}.").format(
                column=header, low=show_cell(min(values)), high=show_cell(max(values))
            )
            for at, header in enumerate(table.headers)
            if (values := [cell for row in table.rows if isinstance(cell := row[at], float | int)])
        ]
        keys = _("Left and Right read the values, Ctrl+C copies the image, Ctrl+Shift+C the values.")
        count = _("{count} values.").format(count=len(table.rows))
        return " ".join((count, *ranges[:_MOST_COLUMNS], keys))

    def _handle_key(self, event: QKeyEvent) -> bool:
        key = event.key()
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier or event.matches(QKeySequence.StandardKey.Copy):
            return False
        table = self._provide() if key in (*_STEPS, _KEYS.Key_Home, _KEYS.Key_End) else TableData(())
        if not table.rows:
            return False
        last = len(table.rows) - 1
        row = {_KEYS.Key_Home: 0, _KEYS.Key_End: last}.get(_KEYS(key), self._row + _STEPS.get(_KEYS(key), 0))
        self._row = max(0, min(last, row))
        self._show(table)
        return True

    def _show(self, table: TableData) -> None:
        cells = zip(table.headers, table.rows[self._row], strict=True)
        pairs = [(header, typeset_cell(cell, show_cell(cell))) for header, cell in cells if cell not in (None, "")]
        self.words = ", ".join(f"{header}: {text}" for header, text in pairs)
        lines = "<br>".join(f"{html.escape(header)}: <b>{html.escape(text)}</b>" for header, text in pairs)
        corner = self._plot.mapToGlobal(QPoint(self._plot.width() // 2, self._plot.height() // 4))
        QToolTip.showText(corner, lines, self._plot, self._plot.rect(), _SHOWN_MS)
        self.announcer.say(self.words)
