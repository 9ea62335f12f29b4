"""Layout of dialogs: margins, a scrolling body and buttons that stay visible."""

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

TITLE_PX = 40  # title bar and frame, which the window manager adds
_LEAST_PX = 48


def add_dialog_column(dialog: QDialog, spacing_px: int = SPACE_L, *, wide_px: int = 0) -> QVBoxLayout:
    """Add the scrolling column to a dialog and return its layout.

    `add_dialog_buttons` adds the buttons below the column.

    Args:
        dialog: Dialog without a layout.
        spacing_px: Space between the widgets of the column, pixels.
        wide_px: Preferred width of the column, pixels; 0 for the width of its content.
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
    """Add the buttons of a dialog below its column, outside the scroll area.

    Args:
        dialog: Dialog with a column from `add_dialog_column`.
        buttons: Layout or widget that holds the buttons.
    """
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
    """Show a window-modal dialog without blocking; Qt deletes the dialog on close.

    `exec()` is not used: its inner event loop ends only with the dialog, even after a failure outside. Qt's deletion
    avoids Python's collector, which would destroy a dialog in a reference cycle in any thread that allocates.
    """
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    QDialog.open(dialog)  # a print dialog has another `open` of its own


class _DialogBody(QScrollArea):
    """Scroll area that asks for the full size of its content and accepts less."""

    def __init__(self, wide_px: int) -> None:
        super().__init__()
        self._wide_px = wide_px
        self.inside = QWidget()
        self.inside.setProperty("scrolled", "true")
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(self.inside)

    def sizeHint(self) -> QSize:
        """Return the size of the content."""
        width_px = max(self._wide_px, self.inside.sizeHint().width())
        return QSize(width_px, height_at(self.inside, width_px))

    def minimumSizeHint(self) -> QSize:
        """Return the smallest size that can still scroll."""
        return QSize(_LEAST_PX, _LEAST_PX)


class _DialogFitter(QObject):
    """Resize a dialog to the height of its content, up to the height of the screen.

    Qt limits a window to two thirds of the screen. At a scale of 200 % a small dialog reaches this limit.
    """

    def __init__(self, dialog: QDialog, body: _DialogBody) -> None:
        super().__init__(dialog)
        self._dialog, self._body = dialog, body
        dialog.installEventFilter(self)
        body.inside.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the dialog when it appears and when its content needs more space."""
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
        screen = (parent or dialog).screen().availableGeometry()  # the dialog has no screen of its own yet
        width_px = min(max(dialog.width(), least_px), screen.width() - SPACE_S)
        foot_px = layout.totalMinimumSize().height() - self._body.minimumSizeHint().height()
        # A scroll bar that appears for a moment can wrap a line and so make itself permanent: measure that width, too.
        beside_px = width_px - self._body.verticalScrollBar().sizeHint().width()
        needs_px = max(height_at(self._body.inside, width) for width in (width_px, beside_px)) + foot_px
        most_px = screen.height() - TITLE_PX
        dialog.resize(width_px, min(most_px, max(dialog.height(), needs_px)))
        _bring_inside(dialog, screen)


def size_on(parent: QWidget | None, wanted: QSize) -> QSize:
    """Return the size of a self-scrolling dialog, limited to its screen.

    Args:
        parent: Window of the dialog; None for no limit.
        wanted: Preferred size, pixels.
    """
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
    """Return a row with buttons aligned to the right, in the given order."""
    row = QHBoxLayout()
    row.setSpacing(SPACE_S)
    row.addStretch(1)
    for button in buttons:
        row.addWidget(button)
    return row


def close_row(dialog: QDialog) -> QDialogButtonBox:
    """Return the row with the Close button of a dialog without a decision."""
    row = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
    row.rejected.connect(dialog.reject)
    return row
