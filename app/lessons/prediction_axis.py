"""Split axis on which a student picks one of the lesson's splits."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QWidget

from app.theme.theme import Theme
from app.wizard.split_axis import SplitAxisWidget
from scheduler.translation import _

_PICKS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)
_STEPS = (Qt.Key.Key_Left, Qt.Key.Key_Right)


class PredictionAxis(SplitAxisWidget):
    """The wizard's axis of splits, with fixed splits.

    A click picks a split. Left and Right choose the next one, Space picks the first.

    Signals:
        picked: The predicted split.
    """

    picked = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.prediction = ""
        self.setAccessibleDescription(_("Left and Right choose your prediction."))

    def pick(self, label: str) -> None:
        """Predict a split; empty withdraws the prediction."""
        self.prediction = label
        self.choose(label)
        self.picked.emit(label)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the chip under the pointer."""
        under = self.geometry_now().under(event.position())
        if under and event.button() == Qt.MouseButton.LeftButton:
            self.pick(under)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pick a split by keys; the splits stay as they are."""
        key = Qt.Key(event.key())
        if key in _PICKS and not self.prediction:
            self.pick(self.chosen)
        elif key in _STEPS and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            super().keyPressEvent(event)
            self.pick(self.chosen)
        else:
            QWidget.keyPressEvent(self, event)

    def _is_keyed(self, label: str) -> bool:
        return label == self.prediction

    def _marked_split(self) -> str:
        return ""  # nothing can be removed
