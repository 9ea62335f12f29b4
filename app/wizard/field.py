"""Text field with name, unit and the mistake in its input."""

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from app.theme.tokens import SPACE_S, SPACE_XS
from app.widgets.labels import make_label, set_role
from app.widgets.wrapped_label import WrappedLabel

_PATIENCE_MS = 700  # pause in typing after which a mistake is shown


class FieldMessage(WrappedLabel):
    """Text of a mistake; hidden while there is none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setProperty("role", "danger")
        self.hide()

    def say(self, text: str) -> None:
        """Show a mistake; hide the label for an empty text."""
        self.setText(text)
        self.setVisible(bool(text))


class FormField(QWidget):
    """Line of text with name, unit, hint and mistake.

    Args:
        name: Name of the field, with a mnemonic.
        unit: Unit behind the input; may be empty.
        hint: Dim line below; may be empty.
        letters: Width of the input in letters; 0 for the whole width.
        parent: Qt's parent.

    Signals:
        typed: The text, at each change by the user.
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
        """Set the name of the field, with a mnemonic."""
        plain = name.replace("&", "")
        self.name.setText(name)
        self.edit.setAccessibleName(f"{plain} ({self._unit})" if self._unit else plain)

    def set_text(self, text: str) -> None:
        """Set the text without emitting `typed`; keep the cursor if the text is unchanged."""
        if self.edit.text() != text:
            self.edit.setText(text)

    def say(self, message: str) -> None:
        """Show a mistake: after a pause while the user types, else at once."""
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
