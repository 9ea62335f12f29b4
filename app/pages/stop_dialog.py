"""Dialog that asks before a sweep is stopped."""

from PySide6.QtWidgets import QDialog, QWidget

from app.plots.run_board import RunBoard
from app.theme.theme import Theme
from app.widgets.buttons import danger_button, secondary_button
from app.widgets.dialog_layout import add_dialog_buttons, add_dialog_column, buttons_row
from app.widgets.labels import make_label
from scheduler.model.terminal_text import replace_controls
from scheduler.translation import _

_WIDTH_PX = 468


class StopDialog(QDialog):
    """Dialog that asks before a sweep is stopped; accepted to stop.

    Args:
        theme: Colours.
        board: Progress of the sweep.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, board: RunBoard, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Stop the sweep?"))
        self.stop = danger_button(theme, _("Stop and restore the host"), "stop")
        self.go_on = secondary_button(theme, _("Keep measuring"))
        box = add_dialog_column(self, wide_px=_WIDTH_PX)
        box.addWidget(make_label(_("Stop the sweep?"), "title"))
        box.addWidget(make_label(self._question_text(board), wrap=True))
        add_dialog_buttons(self, buttons_row(self.stop, self.go_on))
        self.stop.clicked.connect(self.accept)
        self.go_on.clicked.connect(self.reject)
        self.go_on.setDefault(True)
        self.go_on.setFocus()

    def _question_text(self, board: RunBoard) -> str:
        title = f" ({replace_controls(board.run.facts.title)})" if board.run is not None else ""
        put_back = _("DomTune restores the host{title}. This takes a few seconds.").format(title=title)
        kept = _("The {n} trials measured so far are kept. You can continue the sweep later.")
        return f"{put_back}\n\n{kept.format(n=board.done)}"
