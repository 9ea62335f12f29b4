"""Field with a few values to choose from; the counterpart of `field.FormField`."""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.theme.tokens import SPACE_XS
from app.widgets.inputs import StillComboBox
from app.widgets.labels import make_label


class ChoiceField(QWidget):
    """List of values with its name above.

    Args:
        name: Name of the field.
        values: Value to its text, in order.
        parent: Qt's parent.

    Signals:
        chosen: The value that the user chose.
    """

    chosen = Signal(str)

    def __init__(self, name: str, values: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.combo = StillComboBox()
        self.combo.setAccessibleName(name)
        for value, words in values.items():
            self.combo.addItem(words, value)
        heading = make_label(name, "dim")
        heading.setBuddy(self.combo)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_XS)
        box.addWidget(heading)
        box.addWidget(self.combo)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.combo.activated.connect(lambda _: self.chosen.emit(self.value))

    @property
    def value(self) -> str:
        """The chosen value; empty for an empty list."""
        return str(self.combo.currentData() or "")

    def set_value(self, value: str) -> None:
        """Choose a value without emitting `chosen`; add a value that the list lacks."""
        if self.combo.findData(value) < 0:
            self.combo.addItem(value, value)
        self.combo.setCurrentIndex(self.combo.findData(value))
