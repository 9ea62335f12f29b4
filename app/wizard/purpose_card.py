"""The reason for the sweep: change the split only if that pays, or divide the CPU in any case."""

from PySide6.QtCore import Signal

from app.widgets.card import Card
from app.wizard.field import FormField
from app.wizard.radio_choices import BESIDE_DOT_PX, RadioChoices
from app.wizard.wizard_state import WizardState
from scheduler.model.decision import SweepPurpose


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
        self._radio = RadioChoices(SweepPurpose)
        self._radio.show_words(self._choice_texts())
        self.choices = self._radio.buttons
        self.body.addWidget(self._radio)
        self.worth = FormField(self.tr("Smallest gain that is worth a change"), self.tr("%"), letters=8)
        self.worth.row.setContentsMargins(BESIDE_DOT_PX, 0, 0, 0)
        self.worth.name.setIndent(BESIDE_DOT_PX)
        self.body.addWidget(self.worth)
        self.fields = {"worth_pct": self.worth}
        self._radio.chosen.connect(self._store_choice)
        self.worth.typed.connect(self._store_input)
        self.fill()

    def fill(self) -> None:
        """Show the form's purpose."""
        objective = self._state.form.objective
        self._radio.choose(objective.purpose)
        self.worth.set_text(objective.worth_pct)
        self._show_state()

    def refresh(self) -> None:
        """Show the choice where splits compete, and the smallest gain where a change has to pay."""
        self.setVisible(self._state.form.weighs_splits)
        self._show_state()

    def _show_state(self) -> None:
        objective = self._state.form.objective
        self.worth.setVisible(objective.purpose == SweepPurpose.IMPROVE)
        self.worth.edit.setPlaceholderText(objective.indifference_pct)

    def _choice_texts(self) -> dict[str, tuple[str, str]]:
        """Return each purpose's title and its meaning."""
        pays = self.tr("The result says whether a split gains over the original settings, and which.")
        divided = self.tr("The result says which split is best, and its cost against the original settings.")
        return {
            SweepPurpose.IMPROVE: (self.tr("Change only if it pays"), pays),
            SweepPurpose.DIVIDE: (self.tr("The CPU has to be divided"), divided),
        }

    def _store_choice(self, purpose: str) -> None:
        self._state.form.objective.purpose = purpose
        self._show_state()
        self.changed.emit()

    def _store_input(self, text: str) -> None:
        self._state.form.objective.worth_pct = text
        self.changed.emit()
