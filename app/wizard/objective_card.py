"""Card for the objective: weighted loads, worst case, or one load under a limit."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.load_texts import load_name
from app.theme.tokens import SPACE_XL, SPACE_XS
from app.widgets.card import Card
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.inputs import StillComboBox
from app.widgets.labels import make_label
from app.wizard.field import FieldMessage, FormField
from app.wizard.radio_choices import BESIDE_DOT_PX, RadioChoices
from app.wizard.wizard_state import WizardState
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.load_name import LoadName
from scheduler.model.objective import LIMITED, OBJECTIVES, WEIGHTED, WORST_CASE
from scheduler.translation import _


class ObjectiveCard(Card):
    """Card for the objective; hidden for a single load.

    Signals:
        changed: The form was changed.

    Attributes:
        choices: Name of the objective to its button.
        fields: Field of the form to its widget.
    """

    changed = Signal()

    def __init__(self, state: WizardState) -> None:
        super().__init__(_("Objective"))
        set_glossary_tip(self.heading, "objective")
        self._state = state
        self._radio = RadioChoices(OBJECTIVES)
        self.choices = self._radio.buttons
        self.body.addWidget(self._radio)
        self.limit = self._make_limit()
        self.body.addWidget(self.limit)
        self.message = FieldMessage()
        self.body.addWidget(self.message)
        self.fields = {"objective": self.message, "objective.limit_frac": self.most}
        self._radio.chosen.connect(self._store_choice)
        self.favoured.activated.connect(self._favour_load)
        self.most.typed.connect(self._store_input)
        self.fill()

    def fill(self) -> None:
        """Show the form's objective."""
        texts = self._state.form.texts
        self._radio.choose(texts["objective.name"])
        self._offer_loads()
        self.most.set_text(texts["objective.limit_frac"])
        self._show_state()

    def refresh(self) -> None:
        """Show the card for several loads, or for an objective other than the usual."""
        form = self._state.form
        count = len(form.loads_on)
        self.setVisible(form.weighs_splits and (count > 1 or not form.weighs_loads))
        self._offer_loads()
        self._radio.show_words(self._choice_texts(several=count > 2))
        more = _("Each other load may lose at most")
        self.most.name.setText(more if count > 2 else _("The other load may lose at most"))

    def _choice_texts(self, *, several: bool) -> dict[str, tuple[str, str]]:
        """Return title and meaning of each objective, for two loads or for more."""
        together = _("Highest total of both loads")
        limit = _("One load, with a limit for the other")
        fastest = _("The fastest split for one load, among the splits at which the other stays within its limit.")
        if several:
            together = _("Highest total of all loads")
            limit = _("One load, with a limit for each other")
            fastest = _("The fastest split for one load, among the splits at which all others stay within their limit.")
        worst = _("The split with the smallest loss for the load that suffers most, compared with its own best split.")
        return {
            WEIGHTED: (together, _("Each load counts by its weight.")),
            WORST_CASE: (_("The worst case"), worst),
            LIMITED: (limit, fastest),
        }

    def _offer_loads(self) -> None:
        """Offer loads to favour: all loads that are on, mixed loads, and standard loads."""
        form, box = self._state.form, self.favoured
        favoured = form.texts["objective.load"]
        on = [*form.loads_on]
        offered = [LoadName(name) for name, kind in LOAD_KINDS.items() if name in (*on, favoured) or kind.standard]
        offered += [LoadName(kind, mix.name.strip()) for mix in form.mixes.typed for kind in mix.runs(on)]
        offered = [*dict.fromkeys((*offered, LoadName.of(favoured)))]
        if offered != [box.itemData(row) for row in range(box.count())]:
            box.clear()
            for name in offered:
                box.addItem(load_name(name), str(name))
        box.setCurrentIndex(box.findData(favoured))

    def _make_limit(self) -> QWidget:
        part = QWidget()
        row = QHBoxLayout(part)
        row.setContentsMargins(BESIDE_DOT_PX, 0, 0, 0)
        row.setSpacing(SPACE_XL)
        self.favoured = StillComboBox()
        self.favoured.setAccessibleName(_("Load to make fastest"))
        column = QVBoxLayout()
        column.setSpacing(SPACE_XS)
        column.addWidget(make_label(_("Fastest for"), "dim"))
        column.addWidget(self.favoured)
        column.addStretch(1)
        self.most = FormField(_("The other load may lose at most"), _("% of its own best"), letters=8)
        row.addLayout(column)
        row.addWidget(self.most, 1)
        return part

    def _show_state(self) -> None:
        self.limit.setVisible(self._state.form.texts["objective.name"] == LIMITED)

    def _store_choice(self, name: str) -> None:
        self._state.form.texts["objective.name"] = name
        self._show_state()
        self.changed.emit()

    def _favour_load(self, index: int) -> None:
        self._state.form.texts["objective.load"] = self.favoured.itemData(index)
        self.changed.emit()

    def _store_input(self, text: str) -> None:
        self._state.form.texts["objective.limit_frac"] = text
        self.changed.emit()
