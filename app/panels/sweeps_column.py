"""Home's right side: the sweeps, what finds them, and what can be done with them."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.panels.sweep_actions import SweepActions
from app.panels.sweep_rows import SweepRow
from app.panels.sweeps_list import SweepsList
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M
from app.widgets.labels import make_label


class SweepsColumn(QWidget):
    """Search, list and actions.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = QLineEdit()
        self.search.setPlaceholderText(self.tr("Find by name, host, split, verdict, tag or note"))
        self.search.setAccessibleName(self.tr("Find sweeps"))
        self.search.setClearButtonEnabled(True)
        self.search.setMaximumWidth(340)
        self.list = SweepsList(theme)
        self.nothing = self._make_nothing()
        self.footer = SweepActions(theme, self.list)
        self.search.textChanged.connect(self._search_sweeps)
        top = QHBoxLayout()
        top.addWidget(make_label(self.tr("Sweeps"), "title"))
        top.addStretch(1)
        top.addWidget(self.search, 1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        box.addLayout(top)
        box.addWidget(self.list, 1)
        box.addWidget(self.footer)

    def set_rows(self, rows: Sequence[SweepRow]) -> None:
        """Show other rows; what is selected stays selected where it is still there."""
        selected = [row.run_id for row in self.list.selected_rows()]
        self.list.source.set_rows(rows)
        self._search_sweeps(self.search.text())
        if len(selected) == 1:
            self.list.select_run(selected[0])
        self.footer.show_rows(self.list.selected_rows())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the sentence over the whole of the empty list."""
        if event.type() == QEvent.Type.Resize:
            self.nothing.resize(self.list.viewport().size())
        return super().eventFilter(watched, event)

    def _make_nothing(self) -> QLabel:
        made = make_label("", "dim", wrap=True, parent=self.list.viewport())
        made.setAlignment(Qt.AlignmentFlag.AlignCenter)
        made.setContentsMargins(SPACE_L, SPACE_L, SPACE_L, SPACE_L)
        made.hide()
        self.list.viewport().installEventFilter(self)
        return made

    def _search_sweeps(self, text: str) -> None:
        self.list.search(text)
        empty = bool(text.strip()) and self.list.model().rowCount() == 0
        words = self.tr("Nothing found for \N{LEFT DOUBLE QUOTATION MARK}{text}\N{RIGHT DOUBLE QUOTATION MARK}.\n")
        more = self.tr("All words must stand in a sweep's row, tags or note.")
        self.nothing.setText(words.format(text=text.strip()) + more)
        self.nothing.setVisible(empty)
