"""Cards of studies that vary the guest's vCPUs, or splits of three domains."""

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QVBoxLayout, QWidget

from app.display_texts import format_percent, join_list
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L
from app.widgets.card import Card
from app.widgets.card_columns import CardColumns
from app.widgets.glossary_tips import set_glossary_tip
from app.widgets.labels import make_label
from app.widgets.side_by_side import SideBySide
from app.wizard.choice_card import ChoiceCard
from app.wizard.field import FormField
from app.wizard.key_texts import parameter_text
from app.wizard.varied_texts import list_compared_modes
from app.wizard.wizard_state import WizardState
from scheduler.model.plan_settings import list_vcpus
from scheduler.model.spec import RunSpec
from scheduler.model.split import ROLES, TIME_MODES, Mode
from scheduler.studies.isolation.declaration import IsolationStudy
from scheduler.studies.scaling.declaration import STANDARD_VCPUS
from scheduler.translation import _

_CARD_PX = 210
_BESIDE_BOX_PX = 30  # where the text of a check box begins


class VcpusCard(Card):
    """Card for numbers of vCPUs, with a box for a reference without the I/O domain.

    Signals:
        changed: The form was changed.

    Attributes:
        fields: Field of the form to its widget.
    """

    changed = Signal()

    def __init__(self, state: WizardState) -> None:
        super().__init__()
        self._state = state
        hint = _("Two numbers or more, separated by spaces or commas.")
        self.numbers = FormField(_("N&umbers of vCPUs"), hint=hint, letters=24)
        self.note = make_label("", "dim", wrap=True)
        self.fields = {"vcpus": self.numbers}
        self.reference = QCheckBox(_("Comp&are each with the reference"))
        words = _(
            "The same server on as many CPUs, without the I/O domain in between. On this computer (local:) "
            "and on simulated hosts (sim:) only. Takes twice as long."
        )
        self.reference.setAccessibleDescription(words)
        means = make_label(words, "dim", wrap=True)
        means.setIndent(_BESIDE_BOX_PX)
        for part in (self.numbers, self.note, self.reference, means):
            self.body.addWidget(part)
        self.numbers.typed.connect(self._store_input)
        self.reference.clicked.connect(self._store_reference)

    def fill(self) -> None:
        """Show the form's numbers of vCPUs."""
        self.numbers.set_text(self._state.form.texts["vcpus"])
        self.reference.setChecked(self._state.form.texts["reference"] == "yes")

    def refresh(self) -> None:
        """Show the host's range, the default numbers and the excluded ones."""
        facts = self._state.facts
        had = facts.vcpus if facts is not None and not facts.vcpus.lacking else None
        usual = [str(number) for number in (had.choices if had else STANDARD_VCPUS)]
        self.numbers.edit.setPlaceholderText(" ".join(usual))
        if had is None:
            text = _("Optional. Default: {numbers}. Numbers that the host does not have are skipped.")
            self.note.setText(text.format(numbers=join_list(usual)))
            return
        text = _("Optional. Default: {numbers}. The guest can have {least} to {most}: {why}.")
        gone = _excluded_numbers(self._state.spec, had.least, had.most)
        if gone:
            text = _("The guest can have {least} to {most}: {why}. Skipped: {gone}.")
        numbers = {"numbers": join_list(usual), "gone": join_list(gone)}
        self.note.setText(text.format(least=had.least, most=had.most, why=had.why, **numbers))

    def take_focus(self) -> None:
        """Focus the numbers."""
        self.numbers.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _store_input(self, text: str) -> None:
        self._state.form.texts["vcpus"] = text
        self.changed.emit()

    def _store_reference(self, on: bool) -> None:  # noqa: FBT001 - a slot
        self._state.form.texts["reference"] = parameter_text(on)
        self.changed.emit()


class GuestSplitsCard(QWidget):
    """Cards for compared modes, splits of three domains and the period of the caps.

    Signals:
        changed: The form was changed.

    Attributes:
        modes: Compared modes to their card.
        fields: Field of the form to its widget.
    """

    changed = Signal()

    def __init__(self, theme: Theme, state: WizardState) -> None:
        super().__init__()
        self._state = state
        self.modes = _mode_cards(theme, self._mode_texts())
        self._group = QButtonGroup(self)
        self.threes = FormField(_("Spl&its of three"), hint=self._order_hint())
        self.threes.edit.setPlaceholderText(" ".join(IsolationStudy.kind.splits))
        self.period = FormField(_("P&eriod of the caps"), _("ms"), letters=8)
        set_glossary_tip(self.period.name, "quota")
        self.shares = make_label("", "dim", wrap=True)
        self.fields = {"threes": self.threes, "period_ms": self.period}
        card, inputs = Card(), SideBySide(520)
        inputs.add(self.threes, 3, top=True)
        inputs.add(self.period, 1, top=True)
        card.body.addWidget(inputs)
        card.body.addWidget(self.shares)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_L)
        box.addWidget(CardColumns(_CARD_PX, list(self.modes.values())))
        box.addWidget(card)
        for modes, choice in self.modes.items():
            self._group.addButton(choice)
            choice.toggled.connect(lambda on, modes=modes: on and self._store_choice(modes))
        self.threes.typed.connect(self._store_input)
        self.period.typed.connect(self._type_period)

    def fill(self) -> None:
        """Show the form's splits, modes and period."""
        form = self._state.form
        self.threes.set_text(form.texts["threes"])
        self.period.set_text(form.texts["period_ms"])
        for modes, choice in self.modes.items():
            choice.blockSignals(True)
            choice.setChecked({*modes} == {*list_compared_modes(form.texts)})
            choice.blockSignals(False)

    def refresh(self) -> None:
        """Show the share of each domain at each split."""
        form, spec = self._state.form, self._state.spec
        self.period.setVisible(form.takes_period)
        self.shares.setText("\n".join(self._share_lines(spec)) if spec else "")
        self.shares.setVisible(bool(self.shares.text()))

    def take_focus(self) -> None:
        """Focus the modes."""
        chosen = self._group.checkedButton() or next(iter(self.modes.values()))
        chosen.setFocus(Qt.FocusReason.OtherFocusReason)

    def _share_lines(self, spec: RunSpec) -> list[str]:
        splits = spec.splits if spec.kind.has_two_guests else ()
        text = _("{split}: I/O domain {io}, guest {guest}, second guest {second}")
        rows = [(split.label, *(format_percent(split.frac_of(domain)) for domain in ROLES)) for split in splits]
        return [text.format(split=name, io=io, guest=guest, second=second) for name, io, guest, second in rows]

    def _mode_texts(self) -> Mapping[tuple[Mode, ...], tuple[str, str]]:
        capped = _("Caps: each guest gets its share and never more, as if the other guest were always busy.")
        weighted = _("Weights: each guest is guaranteed its share, and may use CPU time that the others leave.")
        both = _("Shows the protection by a cap, and its cost while the other guest is idle. Takes twice as long.")
        return {
            TIME_MODES: (_("Bo&th, compared"), both),
            (Mode.CAPS,): (_("Ca&ps only"), capped),
            (Mode.WEIGHTS,): (_("Wei&ghts only"), weighted),
        }

    def _order_hint(self) -> str:
        return _("I/O domain : guest : second guest. Separate several splits by spaces or commas.")

    def _store_choice(self, modes: tuple[Mode, ...]) -> None:
        texts = self._state.form.texts
        if {*modes} != {*list_compared_modes(texts)}:
            texts["modes"] = " ".join(modes)
            self.changed.emit()

    def _store_input(self, text: str) -> None:
        self._state.form.texts["threes"] = text
        self.changed.emit()

    def _type_period(self, text: str) -> None:
        self._state.form.texts["period_ms"] = text
        self.changed.emit()


def _mode_cards(theme: Theme, names: Mapping[tuple[Mode, ...], tuple[str, str]]) -> dict[tuple[Mode, ...], ChoiceCard]:
    return {modes: ChoiceCard(theme, *words, compact=True) for modes, words in names.items()}


def _excluded_numbers(spec: RunSpec | None, least: int, most: int) -> list[str]:
    """Return the plan's numbers that the guest cannot have."""
    numbers = list_vcpus(spec) or [] if spec else []
    return [str(number) for number in numbers if not least <= number <= most]
