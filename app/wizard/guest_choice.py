"""Which of a host's domains runs the database, where there are several."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout

from app.theme.tokens import SPACE_M
from app.widgets.card import Card
from app.widgets.inputs import StillComboBox
from app.widgets.labels import make_label, tooltip_text

_LEAST_LETTERS = 12


class GuestChoice(Card):
    """Hidden while there is nothing to choose; what is chosen is taken.

    Signals:
        chosen: The guest's name.
    """

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__(self.tr("Which domain runs the database?"))
        self.names = StillComboBox()
        self.names.setAccessibleName(self.tr("Guest"))
        self.names.setSizeAdjustPolicy(StillComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.names.setMinimumContentsLength(_LEAST_LETTERS)
        self.names.currentTextChanged.connect(lambda name: self.names.setToolTip(tooltip_text(name)))
        row = QHBoxLayout()
        row.setSpacing(SPACE_M)
        row.addWidget(make_label(self.tr("Guest"), "dim"))
        row.addWidget(self.names, 1)
        self.body.addLayout(row)
        self.names.textActivated.connect(self.chosen)
        self.hide()

    @property
    def name(self) -> str:
        """The guest that is chosen; empty while there is no choice."""
        return self.names.currentText()

    def show_names(self, names: Sequence[str]) -> None:
        """Offer these; none hides the card. What was chosen stays chosen."""
        if list(names) == [self.names.itemText(i) for i in range(self.names.count())]:
            return
        self.names.clear()
        self.names.addItems(list(names))
        text = self.tr("{n} run on this host; one of them is swept.").format(n=len(names))
        self.set_title(self.heading.text(), text)
        self.setVisible(bool(names))
