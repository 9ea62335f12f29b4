"""Exclusive radio buttons, each with its meaning below."""

from collections.abc import Iterable, Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QLabel, QRadioButton, QVBoxLayout, QWidget

from app.theme.tokens import SPACE_S, SPACE_XS
from app.widgets.labels import make_label

BESIDE_DOT_PX = 30
"""Indent of text below a radio button, pixels: aligned with the button's text."""


class RadioChoices(QWidget):
    """Radio buttons with texts.

    Args:
        names: Names of the choices, in order.
        parent: Qt's parent.

    Signals:
        chosen: Name of the choice that the user made.

    Attributes:
        buttons: Name of a choice to its button.
    """

    chosen = Signal(str)

    def __init__(self, names: Iterable[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.buttons: dict[str, QRadioButton] = {}
        self._meanings: dict[str, QLabel] = {}
        self._group = QButtonGroup(self)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_S)
        for name in names:
            self.buttons[name] = button = QRadioButton()
            self._group.addButton(button)
            self._meanings[name] = meaning = make_label("", "dim", wrap=True)
            meaning.setIndent(BESIDE_DOT_PX)
            row = QVBoxLayout()
            row.setSpacing(SPACE_XS)
            row.addWidget(button)
            row.addWidget(meaning)
            box.addLayout(row)
        self._group.buttonClicked.connect(lambda: self.chosen.emit(self.choice))

    @property
    def choice(self) -> str | None:
        """Name of the checked choice; None for none."""
        return next((name for name, button in self.buttons.items() if button.isChecked()), None)

    def show_words(self, words: Mapping[str, tuple[str, str]]) -> None:
        """Show title and meaning of each choice."""
        for name, (title, meaning) in words.items():
            self.buttons[name].setText(title)
            self.buttons[name].setAccessibleDescription(meaning)
            self._meanings[name].setText(meaning)

    def choose(self, name: str | None) -> None:
        """Check a choice; None unchecks all."""
        if name is not None:
            self.buttons[name].setChecked(True)
            return
        self._group.setExclusive(False)
        for button in self.buttons.values():
            button.setChecked(False)
        self._group.setExclusive(True)
