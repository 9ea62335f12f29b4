"""A field: its name above, its unit beside, and below it in words what is wrong with what was typed."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from app.theme.tokens import SPACE_S, SPACE_XS
from app.widgets.labels import make_label, set_role
from app.widgets.wrapped_label import WrappedLabel

_PATIENCE_MS = 700  # nobody likes to be corrected while typing


class FieldMessage(WrappedLabel):
    """What is wrong, in words; hidden while nothing is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setProperty("role", "danger")
        self.hide()

    def say(self, text: str) -> None:
        """Show it; an empty text hides the label."""
        self.setText(text)
        self.setVisible(bool(text))


class FormField(QWidget):
    """One line of text with everything around it.

    Args:
        name: The field's name, with a mnemonic.
        unit: Behind the input; may be empty.
        hint: One dim line below; may be empty.
        letters: Width of the input in letters; 0 for all the width there is.
        parent: Qt's parent.

    Signals:
        typed: The text, at every change by the person.
    """

    typed = Signal(str)

    def __init__(
        self, name: str, unit: str = "", hint: str = "", letters: int = 0, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.edit = QLineEdit()
        self.name = make_label(name, "dim")
        self.name.setBuddy(self.edit)
        self._unit = unit
        self.rename(name)
        self.edit.setAccessibleDescription(hint)
        self.message = FieldMessage()
        self.row = QHBoxLayout()
        self.row.setSpacing(SPACE_S)
        self.row.addWidget(self.edit)
        if unit:
            self.row.addWidget(make_label(unit, "dim"))
        if letters:
            self.edit.setFixedWidth(self.edit.fontMetrics().averageCharWidth() * letters + 28)
            self.row.addStretch(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_XS)
        box.addWidget(self.name)
        box.addLayout(self.row)
        box.addWidget(self.message)
        if hint:
            box.addWidget(make_label(hint, "dim", wrap=True))
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._pending = ""
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(_PATIENCE_MS)
        self._patience.timeout.connect(self.reveal)
        self.edit.textEdited.connect(self.typed)
        self.edit.editingFinished.connect(self.reveal)

    def rename(self, name: str) -> None:
        """Give the field another name, with a mnemonic."""
        plain = name.replace("&", "")
        self.name.setText(name)
        self.edit.setAccessibleName(f"{plain} ({self._unit})" if self._unit else plain)

    def set_text(self, text: str) -> None:
        """Show another text without telling `typed`; the cursor stays where the text is the same."""
        if self.edit.text() != text:
            self.edit.setText(text)

    def say(self, message: str) -> None:
        """Say what is wrong: at once when the person is elsewhere, after a pause in typing otherwise."""
        self._pending = message
        if not message or not self.edit.hasFocus() or self.message.isVisibleTo(self):
            self.reveal()
        else:
            self._patience.start()

    def reveal(self) -> None:
        """Show or hide the message now."""
        self._patience.stop()
        self.message.say(self._pending)
        set_role(self.edit, "true" if self._pending else "false", "invalid")
