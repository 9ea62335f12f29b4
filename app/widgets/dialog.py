"""What every dialog has: the same margins, and its buttons in the bottom right corner."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractButton, QDialog, QDialogButtonBox, QHBoxLayout, QVBoxLayout

from app.theme.tokens import SPACE_L, SPACE_S, SPACE_XL


def column(dialog: QDialog, spacing_px: int = SPACE_L) -> QVBoxLayout:
    """Give a dialog its one column; return it."""
    box = QVBoxLayout(dialog)
    box.setContentsMargins(SPACE_XL, SPACE_XL, SPACE_XL, SPACE_L)
    box.setSpacing(spacing_px)
    dialog.installEventFilter(_WholeWords(dialog))
    return box


def bring_up(dialog: QDialog) -> None:
    """Show a dialog over its parent's window; nothing waits for it, and Qt deletes it when it closes.

    Not `exec()`: its inner loop ends only with the dialog, whatever breaks outside meanwhile. And a closed dialog that
    hangs in a reference cycle must not be left to Python's collector, which destroys it in whichever thread allocates.
    """
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


class _WholeWords(QObject):
    """Gives a dialog the height that its words need, where the screen has it.

    Qt gives a window at most two thirds of the screen by itself, and squeezes what does not fit; at 200 % scale a
    small dialog meets that.
    """

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Grow the dialog when it comes up."""
        layout = watched.layout() if isinstance(watched, QDialog) else None
        if isinstance(watched, QDialog) and layout is not None and event.type() == QEvent.Type.Show:
            needs_px = max(layout.totalHeightForWidth(watched.width()), layout.totalMinimumSize().height())
            room_px = watched.screen().availableGeometry().height()
            watched.resize(watched.width(), max(watched.height(), min(needs_px, room_px)))
        return False


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
