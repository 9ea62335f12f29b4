"""Asks before a sweep is stopped, and says what happens then."""

from PySide6.QtWidgets import QDialog, QWidget

from app.live.board import Board
from app.theme.theme import Theme
from app.widgets.buttons import danger, secondary
from app.widgets.dialog import buttons_row, column, foot
from app.widgets.text import label
from scheduler.model.plain import plain

_WIDTH_PX = 468


class StopDialog(QDialog):
    """Accepted when the sweep is to be stopped.

    Args:
        theme: Colours.
        board: What was measured so far.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, board: Board, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Stop the sweep?"))
        self.stop = danger(theme, self.tr("Stop and restore the host"), "stop")
        self.go_on = secondary(theme, self.tr("Go on measuring"))
        box = column(self, wide_px=_WIDTH_PX)
        box.addWidget(label(self.tr("Stop the sweep?"), "title"))
        box.addWidget(label(self._words(board), wrap=True))
        foot(self, buttons_row(self.stop, self.go_on))
        self.stop.clicked.connect(self.accept)
        self.go_on.clicked.connect(self.reject)
        self.go_on.setDefault(True)
        self.go_on.setFocus()

    def _words(self, board: Board) -> str:
        title = f" ({plain(board.run.facts.title)})" if board.run is not None else ""
        put_back = self.tr("The host{title} is restored; that takes a few seconds.").format(title=title)
        kept = self.tr("The {n} trials measured so far are kept, and the sweep can be continued later.")
        return f"{put_back}\n\n{kept.format(n=board.done)}"
