"""What "best" means: the loads weighed, the load that suffers most, or one load while the other keeps a limit."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QComboBox, QHBoxLayout, QRadioButton, QVBoxLayout, QWidget

from app.theme.tokens import SPACE_XL, SPACE_XS
from app.widgets.card import Card
from app.widgets.glossary import explain
from app.widgets.text import label
from app.wizard.field import Field, Message
from app.wizard.sentences import load_name
from app.wizard.state import WizardState
from scheduler.model.objective import LIMITED, WEIGHTED, WORST_CASE
from scheduler.model.spec import LOAD_KINDS

_BESIDE_DOT_PX = 30  # where the words of a radio button begin


class ObjectiveCard(Card):
    """Hidden where there is one load and nothing to choose.

    Signals:
        changed: Something was typed or chosen; it is in the form already.

    Attributes:
        choices: Name of the objective to its button.
        fields: Field of the form to the field on screen.
    """

    changed = Signal()

    def __init__(self, state: WizardState) -> None:
        super().__init__(self.tr("What is best?"))
        explain(self.heading, "objective")
        self._state = state
        words = {
            WEIGHTED: (
                self.tr("The most for both loads together"),
                self.tr("Each counts as much as its weight on the page of the loads says."),
            ),
            WORST_CASE: (
                self.tr("The worst case"),
                self.tr("The load that suffers most loses as little as can be against its own best split."),
            ),
            LIMITED: (
                self.tr("One load, while the other keeps a limit"),
                self.tr("The fastest split for one, of those at which the other does not lose too much."),
            ),
        }
        self._group = QButtonGroup(self)
        self.choices: dict[str, QRadioButton] = {}
        for name, (title, means) in words.items():
            self.choices[name] = button = QRadioButton(title)
            button.setAccessibleDescription(means)
            self._group.addButton(button)
            hint = label(means, "dim", wrap=True)
            hint.setIndent(_BESIDE_DOT_PX)
            row = QVBoxLayout()
            row.setSpacing(SPACE_XS)
            row.addWidget(button)
            row.addWidget(hint)
            self.body.addLayout(row)
        self.limit = self._limit()
        self.body.addWidget(self.limit)
        self.message = Message()
        self.body.addWidget(self.message)
        self.fields = {"objective": self.message, "limit_pct": self.most}
        self._group.buttonClicked.connect(self._choose)
        self.favoured.activated.connect(self._favour)
        self.most.typed.connect(self._type)
        self.fill()

    def fill(self) -> None:
        """Show the form's objective."""
        fields = self._state.form.objective
        self.choices[fields.name].setChecked(True)
        self.favoured.setCurrentIndex(LOAD_KINDS.index(fields.load))
        self.most.set_text(fields.limit_pct)
        self._show()

    def refresh(self) -> None:
        """Show the choice where there are two loads; stay while another objective than the weights is in the way."""
        form = self._state.form
        two = sum(load.on for load in form.loads.values()) > 1
        self.setVisible(two or form.objective.name != WEIGHTED)

    def _limit(self) -> QWidget:
        part = QWidget()
        row = QHBoxLayout(part)
        row.setContentsMargins(_BESIDE_DOT_PX, 0, 0, 0)
        row.setSpacing(SPACE_XL)
        self.favoured = QComboBox()
        self.favoured.addItems([load_name(kind) for kind in LOAD_KINDS])
        self.favoured.setAccessibleName(self.tr("Load that is to be fastest"))
        column = QVBoxLayout()
        column.setSpacing(SPACE_XS)
        column.addWidget(label(self.tr("Fastest for"), "dim"))
        column.addWidget(self.favoured)
        column.addStretch(1)
        self.most = Field(self.tr("The other may lose at most"), self.tr("% of its own best"), letters=8)
        row.addLayout(column)
        row.addWidget(self.most, 1)
        return part

    def _show(self) -> None:
        self.limit.setVisible(self._state.form.objective.name == LIMITED)

    def _choose(self) -> None:
        self._state.form.objective.name = next(name for name, button in self.choices.items() if button.isChecked())
        self._show()
        self.changed.emit()

    def _favour(self, index: int) -> None:
        self._state.form.objective.load = LOAD_KINDS[index]
        self.changed.emit()

    def _type(self, text: str) -> None:
        self._state.form.objective.limit_pct = text
        self.changed.emit()
