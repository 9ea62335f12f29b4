"""A field whose text is one of a few words: they are chosen from a list, not typed."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from app.widgets.inputs import StillComboBox
from app.widgets.labels import set_role
from app.wizard.field import FormField


class ListField(FormField):
    """A list in the place of the line; what a plan has that is no choice stands in it, too, until another is chosen.

    Args:
        name: The field's name, with a mnemonic.
        choices: The words.
        unit: Behind the list; may be empty.
        parent: Qt's parent.
    """

    def __init__(self, name: str, choices: Sequence[str], unit: str = "", parent: QWidget | None = None) -> None:
        super().__init__(name, unit, letters=1, parent=parent)
        self.combo = StillComboBox()
        self.combo.addItems(choices)
        self.combo.setAccessibleName(self.edit.accessibleName())
        self.row.insertWidget(0, self.combo)
        self.name.setBuddy(self.combo)
        self.edit.hide()  # holds the text
        self.edit.setFocusProxy(self.combo)
        self.combo.textActivated.connect(self._take_choice)

    def set_text(self, text: str) -> None:
        """Show another text without telling `typed`."""
        super().set_text(text)
        if self.combo.findText(text) < 0:
            self.combo.addItem(text)
        self.combo.setCurrentText(text)

    def reveal(self) -> None:
        """Show or hide the message now."""
        super().reveal()
        set_role(self.combo, "true" if self.message.text() else "false", "invalid")

    def _take_choice(self, text: str) -> None:
        self.edit.setText(text)
        self.typed.emit(text)
