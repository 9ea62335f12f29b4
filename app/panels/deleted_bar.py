"""Says that sweeps were deleted and takes that back; stays until dismissed."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M, SPACE_S
from app.widgets.buttons import secondary, tool
from app.widgets.elided_label import ElidedLabel


class DeletedBar(QFrame):
    """Hidden until `show_deleted`.

    Args:
        theme: Colours.
        parent: Qt's parent.

    Signals:
        undo: Ids of the runs to take back.
    """

    undo = Signal(tuple)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "bar-info")
        self._run_ids: tuple[str, ...] = ()
        self.text = ElidedLabel("", "strong")
        self.undo_button = secondary(theme, self.tr("Undo"), "undo")
        self.dismiss = tool(theme, self.tr("Dismiss"), "close")
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_L, SPACE_S, SPACE_M, SPACE_S)
        row.setSpacing(SPACE_M)
        row.addWidget(self.text, 1)
        row.addWidget(self.undo_button)
        row.addWidget(self.dismiss)
        self.undo_button.clicked.connect(self._undo)
        self.dismiss.clicked.connect(self.hide)
        self.hide()

    def show_deleted(self, text: str, run_ids: tuple[str, ...]) -> None:
        """Say what was deleted."""
        self._run_ids = run_ids
        self.text.setText(text)
        self.undo_button.setEnabled(True)
        self.show()

    def _undo(self) -> None:
        self.undo_button.setEnabled(False)
        self.undo.emit(self._run_ids)
