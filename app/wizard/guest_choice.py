"""Which of a host's domains runs the database, where there are several."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout

from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.widgets.buttons import secondary
from app.widgets.card import Card
from app.widgets.text import label


class GuestChoice(Card):
    """Hidden while there is nothing to choose.

    Signals:
        chosen: The guest's name.

    Args:
        theme: Colours.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__(self.tr("Which domain runs the database?"), self.tr("The host runs several; one is swept."))
        self.names = QComboBox()
        self.names.setAccessibleName(self.tr("Guest"))
        self.use = secondary(theme, self.tr("&Use this one"), "check")
        row = QHBoxLayout()
        row.setSpacing(SPACE_M)
        row.addWidget(label(self.tr("Guest"), "dim"))
        row.addWidget(self.names, 1)
        row.addWidget(self.use)
        self.body.addLayout(row)
        self.use.clicked.connect(lambda: self.chosen.emit(self.names.currentText()))
        self.hide()

    def show_names(self, names: Sequence[str]) -> None:
        """Offer these; none hides the card."""
        self.names.clear()
        self.names.addItems(list(names))
        self.setVisible(bool(names))
