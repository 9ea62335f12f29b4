"""What every dialog has: margins, a body that scrolls where the screen is low, and its buttons always in sight."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.theme.tokens import SPACE_L, SPACE_S, SPACE_XL
from app.widgets.part_height import height_at

TITLE_PX = 40  # of the bar that the window manager puts above a dialog, and its frame
_LEAST_PX = 48


def add_dialog_column(dialog: QDialog, spacing_px: int = SPACE_L, *, wide_px: int = 0) -> QVBoxLayout:
    """Give a dialog its one column; return it. Its buttons go into `foot`.

    Args:
        dialog: The dialog.
        spacing_px: Between the things in it.
        wide_px: How wide the column is to be where the screen has it.
    """
    body = _DialogBody(wide_px)
    outer = QVBoxLayout(dialog)
    outer.setContentsMargins(0, 0, 0, 0)
    outer.setSpacing(0)
    outer.addWidget(body, 1)
    box = QVBoxLayout(body.inside)
    box.setContentsMargins(SPACE_XL, SPACE_XL, SPACE_XL, 0)
    box.setSpacing(spacing_px)
    _DialogFitter(dialog, body)
    return box


def add_dialog_buttons(dialog: QDialog, buttons: QLayout | QWidget) -> None:
    """Put a dialog's buttons below its column, where they are in sight however the column is scrolled."""
    row = QHBoxLayout()
    row.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
    if isinstance(buttons, QLayout):
        row.addLayout(buttons)
    else:
        row.addWidget(buttons)
    outer = dialog.layout()
    if isinstance(outer, QVBoxLayout):
        outer.addLayout(row)


def show_dialog(dialog: QDialog) -> None:
    """Show a dialog over its parent's window; nothing waits for it, and Qt deletes it when it closes.

    Not `exec()`: its inner loop ends only with the dialog, whatever breaks outside meanwhile. And a closed dialog that
    hangs in a reference cycle must not be left to Python's collector, which destroys it in whichever thread allocates.
    """
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


class _DialogBody(QScrollArea):
    """Asks for all that its inside needs, and makes do with less."""

    def __init__(self, wide_px: int) -> None:
        super().__init__()
        self._wide_px = wide_px
        self.inside = QWidget()
        self.inside.setProperty("scrolled", "true")
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(self.inside)

    def sizeHint(self) -> QSize:
        """Return what the inside asks for."""
        width_px = max(self._wide_px, self.inside.sizeHint().width())
        return QSize(width_px, height_at(self.inside, width_px))

    def minimumSizeHint(self) -> QSize:
        """Return what can be scrolled at all."""
        return QSize(_LEAST_PX, _LEAST_PX)


class _DialogFitter(QObject):
    """Gives a dialog the height that its words need, where the screen has it, and no more than the screen has.

    Qt gives a window at most two thirds of the screen by itself; at 200 % scale a small dialog meets that.
    """

    def __init__(self, dialog: QDialog, body: _DialogBody) -> None:
        super().__init__(dialog)
        self._dialog, self._body = dialog, body
        dialog.installEventFilter(self)
        body.inside.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the dialog when it comes up, and when what is in it comes to need more."""
        shown = watched is self._dialog and event.type() == QEvent.Type.Show
        grown = watched is self._body.inside and event.type() == QEvent.Type.LayoutRequest
        if shown:
            self._fit_dialog(self._dialog.sizeHint().width())
        elif grown and self._dialog.isVisible():
            self._fit_dialog(0)
        return False

    def _fit_dialog(self, least_px: int) -> None:
        dialog, layout = self._dialog, self._dialog.layout()
        if layout is None:
            return
        parent = dialog.parentWidget()
        screen = (parent or dialog).screen().availableGeometry()  # its own is known later
        width_px = min(max(dialog.width(), least_px), screen.width() - SPACE_S)
        foot_px = layout.totalMinimumSize().height() - self._body.minimumSizeHint().height()
        # Or words that just fit into a line need two beside a bar that was there for a moment, and so keep it there.
        beside_px = width_px - self._body.verticalScrollBar().sizeHint().width()
        needs_px = max(height_at(self._body.inside, width) for width in (width_px, beside_px)) + foot_px
        most_px = screen.height() - TITLE_PX
        dialog.resize(width_px, min(most_px, max(dialog.height(), needs_px)))
        _bring_inside(dialog, screen)


def size_on(parent: QWidget | None, wanted: QSize) -> QSize:
    """Return the size of a dialog that scrolls by itself: what it wants, where the screen of its window has that."""
    if parent is None:
        return wanted
    return wanted.boundedTo(parent.screen().availableGeometry().size() - QSize(SPACE_S, TITLE_PX))


def _bring_inside(dialog: QDialog, screen: QRect) -> None:
    frame = dialog.frameGeometry()
    beyond = QPoint(max(0, frame.right() - screen.right()), max(0, frame.bottom() - screen.bottom()))
    if not beyond.isNull() or not screen.contains(frame.topLeft()):
        place = frame.topLeft() - beyond
        dialog.move(max(screen.left(), place.x()), max(screen.top(), place.y()))


def buttons_row(*buttons: QAbstractButton) -> QHBoxLayout:
    """Return a row with these buttons at its right end, in this order."""
    row = QHBoxLayout()
    row.setSpacing(SPACE_S)
    row.addStretch(1)
    for button in buttons:
        row.addWidget(button)
    return row


def close_row(dialog: QDialog) -> QDialogButtonBox:
    """Return the row with the one button that closes a dialog in which nothing is decided."""
    row = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    row.rejected.connect(dialog.reject)
    return row
