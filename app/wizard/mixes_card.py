"""Card for mixes: loads one after the other, all in one trial, or in named mixes."""

from itertools import pairwise

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from app.load_texts import load_name
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_S
from app.widgets.buttons import link_button, secondary_button
from app.widgets.card import Card
from app.widgets.flow_layout import FlowLayout
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import make_label
from app.wizard.field import FieldMessage, FormField
from app.wizard.key_texts import CLUSTER
from app.wizard.mix_fields import MIX, MIXES, NO_MIX_ELSEWHERE, TypedMix, default_weight, no_simulated_mix_reason
from app.wizard.one_trial_plans import way_texts
from app.wizard.radio_choices import RadioChoices
from app.wizard.wizard_state import WizardState
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.load_name import LoadName
from scheduler.translation import _


class MixRow(QWidget):
    """Fields of one mix.

    Args:
        theme: Colours.
        state: State shared by the pages.
        number: Index of the mix in the form.
        parent: Qt's parent.

    Signals:
        changed: The form was changed.
        removed: The user wants to remove the mix.
    """

    changed = Signal()
    removed = Signal()

    def __init__(self, theme: Theme, state: WizardState, number: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state, self._number = state, number
        self._known = ""  # last name of the mix
        self.name = FormField(_("Name"), letters=24)
        self.take_out = link_button(theme, _("Remove"), "close")
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
        """Field of the form to its widget."""
        at = f"{MIXES}[{self._number}]"
        weights = {f"{at}.weights.{kind}": field for kind, field in self.weights.items()}
        return {f"{at}.name": self.name, f"{at}.loads": self.message, **weights}

    @property
    def in_order(self) -> list[QWidget]:
        """Widgets in the tab order."""
        return [self.name.edit, self.take_out, *self.members.values(), *(each.edit for each in self.weights.values())]

    def fill(self) -> None:
        """Show the form's text."""
        self.name.set_text(self._typed_mix.name)
        self._known = self._typed_mix.name.strip()
        self.take_out.setAccessibleName(_("Remove {mix}").format(mix=self._typed_mix.name))
        self.refresh()

    def refresh(self) -> None:
        """Show the loads that are on, with their users."""
        form, mix = self._state.form, self._typed_mix
        on = form.loads_on
        planned = {load.kind: load.users for load in self._state.ahead.loads} if self._state.ahead else {}
        for kind in on:
            if kind not in self.members:
                self._add_load(kind)
        for kind, box in self.members.items():
            box.setVisible(kind in on)
            box.setChecked(kind in mix.kinds)
            users = form.loads[kind]["users"].strip() or str(planned.get(kind, ""))
            words = _("{load}, 1 user") if users == "1" else _("{load}, {n} users")
            box.setText(words.format(load=load_name(kind), n=users))
        weighed, usual = form.weighs_loads, default_weight(on)
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
        weight = FormField(_("Weight of {load}").format(load=load_name(kind)), letters=8)
        set_glossary_tip(weight.name, "objective")
        self.members[kind], self.weights[kind] = box, weight
        for part, flow in ((box, self._boxes), (weight, self._fields)):
            flow.addWidget(part)
        box.clicked.connect(lambda on, kind=kind: self._choose_load(kind, on=on))
        weight.typed.connect(lambda text, kind=kind: self._store_weight(kind, text))

    def _store_input(self, text: str) -> None:
        name, texts = text.strip(), self._state.form.texts
        renamed = {str(LoadName(kind, self._known)): kind for kind in LOAD_KINDS} if self._known else {}
        if name and (kind := renamed.get(texts["objective.load"])):  # the favoured load is still the same one
            texts["objective.load"] = str(LoadName(kind, name))
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


class MixesCard(Card):
    """Card for the mixes of a sweep; hidden for a single load and for other studies.

    Signals:
        changed: The form was changed.

    Attributes:
        rows: Rows of the form's mixes, in order.
        alone: Kind of load to its box for trials of its own.
        ways: Name of the mix of all loads, or empty for one load after the other, to its button.
        why: Reason why mixes are impossible here.
    """

    changed = Signal()

    def __init__(self, theme: Theme, state: WizardState) -> None:
        super().__init__(_("Order of the loads"))
        self._theme, self._state = theme, state
        self.rows: list[MixRow] = []
        self.alone: dict[str, QCheckBox] = {}
        self.add = secondary_button(theme, _("Run loads together"), "plus")
        self.message = FieldMessage()
        self.why = make_label("", "dim", wrap=True)
        self._ways = RadioChoices(("", MIX))
        self.ways = self._ways.buttons
        self._rows, self._alone, self._by_themselves = QVBoxLayout(), QWidget(), QWidget()
        self._boxes = FlowLayout(self._alone, SPACE_L)
        box = QVBoxLayout(self._by_themselves)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(make_label(_("Also alone"), "dim"))
        box.addWidget(self._alone)
        self.corner.addWidget(self.add)
        self.body.addWidget(self._ways)
        self.body.addLayout(self._rows)
        for part in (self._by_themselves, self.message, self.why):
            self.body.addWidget(part)
        self.add.clicked.connect(self._add_mix)
        self._ways.chosen.connect(self._choose_way)
        self.fill()

    @property
    def fields(self) -> dict[str, FormField | FieldMessage]:
        """Field of the form to its widget, for all mixes."""
        rows = {name: field for row in self.rows for name, field in row.fields.items()}
        return {MIXES: self.message, **rows}

    def fill(self) -> None:
        """Show the form's mixes."""
        typed = self._state.form.mixes.typed
        while len(self.rows) > len(typed):
            self._drop(self.rows.pop())
        for row in self.rows:
            row.fill()
        while len(self.rows) < len(typed):
            self._append_row()

    def refresh(self) -> None:
        """Show loads and mixes of the form, or the reason why mixes are impossible."""
        form = self._state.form
        on = [*form.loads_on]
        self.setVisible(form.weighs_splits and (len(on) > 1 or bool(self.rows)))
        for row in self.rows:
            row.refresh()
        mixed = form.mixes.mixed_kinds(on)
        for kind in on:
            if kind not in self.alone:
                self._add_alone(kind)
        for kind, box in self.alone.items():
            box.setVisible(kind in mixed)
            box.setChecked(form.mixes.runs_alone(kind, on))
        self._by_themselves.setVisible(bool(mixed))
        elsewhere = NO_MIX_ELSEWHERE if form.texts[CLUSTER] == "yes" else ""
        why = no_simulated_mix_reason() if form.simulated else elsewhere
        self.add.setEnabled(not why and len(on) > 1)
        self.ways[MIX].setEnabled(not why)
        self._ways.show_words(way_texts(max(2, len(on))))
        self._ways.choose(form.mixes.way(on))
        self.why.setText(why)
        self.why.setVisible(bool(why) and MIXES not in self._state.messages)
        self._set_tab_order()

    def _add_mix(self) -> None:
        form = self._state.form
        form.mixes.add([*form.loads_on])
        self._append_row()
        self.rows[-1].show()
        self.changed.emit()
        self.rows[-1].name.edit.setFocus()
        self.rows[-1].name.edit.selectAll()

    def _choose_way(self, way: str) -> None:
        form = self._state.form
        form.mixes.go(way, [*form.loads_on])
        self.fill()
        self.changed.emit()

    def _append_row(self) -> None:
        row = MixRow(self._theme, self._state, len(self.rows), self)
        row.changed.connect(self.changed)
        row.removed.connect(self._remove_entry)
        self.rows.append(row)
        self._rows.addWidget(row)

    def _remove_entry(self) -> None:
        number = next(i for i, row in enumerate(self.rows) if row is self.sender())
        del self._state.form.mixes.typed[number]
        self.add.setFocus()
        self.fill()
        self.changed.emit()

    def _drop(self, row: MixRow) -> None:
        self._rows.removeWidget(row)
        row.hide()
        row.deleteLater()

    def _add_alone(self, kind: str) -> None:
        box = QCheckBox(load_name(kind))
        box.setAccessibleName(_("{load} also alone").format(load=load_name(kind)))
        box.clicked.connect(lambda on, kind=kind: self._set_alone(kind, on=on))
        self.alone[kind] = box
        self._boxes.addWidget(box)

    def _set_alone(self, kind: str, *, on: bool) -> None:
        apart = self._state.form.mixes.apart
        if on and kind in apart:
            apart.remove(kind)
        elif not on and kind not in apart:
            apart.append(kind)
        self.changed.emit()

    def _set_tab_order(self) -> None:
        """Set the tab order, because rows may be added between other widgets."""
        parts = [
            self.add,
            *self.ways.values(),
            *(part for row in self.rows for part in row.in_order),
            *self.alone.values(),
        ]
        for first, second in pairwise(parts):
            QWidget.setTabOrder(first, second)
