"""The reason for the sweep: change the split only if that pays, or divide the CPU in any case."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QRadioButton, QVBoxLayout

from app.theme.tokens import SPACE_XS
from app.widgets.card import Card
from app.widgets.text import label
from app.wizard.field import Field
from app.wizard.state import WizardState
from scheduler.model.decision import Purpose

_BESIDE_DOT_PX = 30  # where the words of a radio button begin


class PurposeCard(Card):
    """Hidden where no splits compete.

    Signals:
        changed: Something was typed or chosen; it is in the form already.

    Attributes:
        choices: Purpose to its button.
        fields: Field of the form to the field on screen.
    """

    changed = Signal()

    def __init__(self, state: WizardState) -> None:
        super().__init__(self.tr("Why do you sweep?"))
        self._state = state
        self._group = QButtonGroup(self)
        self.choices: dict[Purpose, QRadioButton] = {}
        for purpose, (title, means) in self._words().items():
            self.choices[purpose] = button = QRadioButton(title)
            button.setAccessibleDescription(means)
            self._group.addButton(button)
            hint = label(means, "dim", wrap=True)
            hint.setIndent(_BESIDE_DOT_PX)
            row = QVBoxLayout()
            row.setSpacing(SPACE_XS)
            row.addWidget(button)
            row.addWidget(hint)
            self.body.addLayout(row)
        self.worth = Field(self.tr("Smallest gain that is worth a change"), self.tr("%"), letters=8)
        self.worth.row.setContentsMargins(_BESIDE_DOT_PX, 0, 0, 0)
        self.worth.name.setIndent(_BESIDE_DOT_PX)
        self.body.addWidget(self.worth)
        self.fields = {"worth_pct": self.worth}
        self._group.buttonClicked.connect(self._choose)
        self.worth.typed.connect(self._type)
        self.fill()

    def fill(self) -> None:
        """Show the form's purpose."""
        objective = self._state.form.objective
        self.choices[Purpose(objective.purpose)].setChecked(True)
        self.worth.set_text(objective.worth_pct)
        self._show()

    def refresh(self) -> None:
        """Show the choice where splits compete, and the smallest gain where a change has to pay."""
        self.setVisible(self._state.form.weighs_splits)
        self._show()

    def _show(self) -> None:
        objective = self._state.form.objective
        self.worth.setVisible(objective.purpose == Purpose.IMPROVE)
        self.worth.edit.setPlaceholderText(objective.indifference_pct)

    def _words(self) -> dict[Purpose, tuple[str, str]]:
        """Return each purpose's title and its meaning."""
        pays = self.tr("The result says whether a split gains over the original settings, and which.")
        divided = self.tr("The result says which split is best, and its cost against the original settings.")
        return {
            Purpose.IMPROVE: (self.tr("Change only if it pays"), pays),
            Purpose.DIVIDE: (self.tr("The CPU has to be divided"), divided),
        }

    def _choose(self) -> None:
        objective = self._state.form.objective
        objective.purpose = next(purpose.value for purpose, button in self.choices.items() if button.isChecked())
        self._show()
        self.changed.emit()

    def _type(self, text: str) -> None:
        self._state.form.objective.worth_pct = text
        self.changed.emit()
