"""One mix: its name, which loads run together in it, and how much each counts there."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from app.load_texts import load_name
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_S
from app.widgets.buttons import link_button
from app.widgets.flow_layout import FlowLayout
from app.widgets.glossary_tips import set_glossary_tip
from app.wizard.field import FieldMessage, FormField
from app.wizard.mix_fields import MIXES, TypedMix, default_weight
from app.wizard.wizard_state import WizardState
from scheduler.model.load_name import kind_of_member, member_name, mix_of_member
from scheduler.model.objective import WEIGHTED


class MixRow(QWidget):
    """Fields of one mix.

    Args:
        theme: Colours.
        state: What the pages share.
        number: Which of the form's mixes.
        parent: Qt's parent.

    Signals:
        changed: Something was typed or chosen; it is in the form already.
        removed: It is to be taken out.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, theme: Theme, state: WizardState, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state, self._number = state, number
        self._known = ""  # the name that it had last
        self.name = FormField(self.tr("Name"), letters=24)
        self.take_out = link_button(theme, self.tr("Take out"), "close")
        self.members: dict[str, QCheckBox] = {}
        self.weights: dict[str, FormField] = {}
        self.message = FieldMessage()
        self._loads, self._weights = QWidget(), QWidget()
        self._boxes, self._fields = FlowLayout(self._loads, SPACE_L), FlowLayout(self._weights, SPACE_L)
        self.name.row.addWidget(self.take_out)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, SPACE_S, 0, SPACE_S)
        box.setSpacing(SPACE_S)
        for part in (self.name, self._loads, self.message, self._weights):
            box.addWidget(part)
        self.name.typed.connect(self._store_input)
        self.take_out.clicked.connect(self.removed)
        self.fill()

    @property
    def fields(self) -> dict[str, FormField | FieldMessage]:
        """Field of the form to the field on screen."""
        at = f"{MIXES}[{self._number}]"
        weights = {f"{at}.weights.{kind}": field for kind, field in self.weights.items()}
        return {f"{at}.name": self.name, f"{at}.loads": self.message, **weights}

    @property
    def in_order(self) -> list[QWidget]:
        """What the Tab key goes through."""
        return [self.name.edit, self.take_out, *self.members.values(), *(each.edit for each in self.weights.values())]

    def fill(self) -> None:
        """Show the form's text."""
        self.name.set_text(self._typed_mix.name)
        self._known = self._typed_mix.name.strip()
        self.take_out.setAccessibleName(self.tr("Take out {mix}").format(mix=self._typed_mix.name))
        self.refresh()

    def refresh(self) -> None:
        """Show the loads that are on, with the users that each has wherever it runs."""
        form, mix = self._state.form, self._typed_mix
        on = {kind: fields for kind, fields in form.loads.items() if fields.on}
        for kind in on:
            if kind not in self.members:
                self._add_load(kind)
        for kind, box in self.members.items():
            box.setVisible(kind in on)
            box.setChecked(kind in mix.kinds)
            one = form.loads[kind].users.strip() == "1"
            words = self.tr("{load}, 1 user") if one else self.tr("{load}, {n} users")
            box.setText(words.format(load=load_name(kind), n=form.loads[kind].users.strip()))
        weighed, usual = form.objective.name == WEIGHTED, default_weight(on)
        for kind, field in self.weights.items():
            field.setVisible(weighed and kind in mix.runs(on))
            field.set_text(mix.weights.get(kind, usual))
            field.edit.setPlaceholderText("0" if usual else "1")
        self._weights.setVisible(weighed and bool(mix.runs(on)))

    @property
    def _typed_mix(self) -> TypedMix:
        return self._state.form.mixes.typed[self._number]

    def _add_load(self, kind: str) -> None:
        box = QCheckBox(load_name(kind))
        weight = FormField(self.tr("Weight of {load}").format(load=load_name(kind)), letters=8)
        set_glossary_tip(weight.name, "objective")
        self.members[kind], self.weights[kind] = box, weight
        for part, flow in ((box, self._boxes), (weight, self._fields)):
            flow.addWidget(part)
        box.clicked.connect(lambda on, kind=kind: self._choose_load(kind, on=on))
        weight.typed.connect(lambda text, kind=kind: self._store_weight(kind, text))

    def _store_input(self, text: str) -> None:
        name, objective = text.strip(), self._state.form.objective
        if name and mix_of_member(objective.load) == (
            self._known or None
        ):  # the load that is favoured is still the same one
            objective.load = member_name(name, kind_of_member(objective.load))
        self._known = name or self._known
        self._typed_mix.name = text
        self.changed.emit()

    def _choose_load(self, kind: str, *, on: bool) -> None:
        kinds = self._typed_mix.kinds
        if on and kind not in kinds:
            kinds.append(kind)
        elif not on and kind in kinds:
            kinds.remove(kind)
        self.changed.emit()

    def _store_weight(self, kind: str, text: str) -> None:
        self._typed_mix.weights[kind] = text
        self.changed.emit()
