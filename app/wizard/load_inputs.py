"""The fields of one load; made when the load is switched on, for most loads never are."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from app.load_texts import translate_load_text
from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import secondary_button
from app.widgets.glossary_tips import set_glossary_tip, set_term_tip
from app.widgets.inputs import StillComboBox
from app.widgets.labels import make_label, set_role
from app.wizard.field import FormField
from app.wizard.form_fields import LoadFields, other_parameters
from scheduler.model.load_kind import LoadKind
from scheduler.model.parameters import Parameter


class ListField(FormField):
    """A list in the place of the line; what a plan has that is no choice stands in it, too, until another is chosen.

    Args:
        name: The field's name, with a mnemonic.
        choices: The words.
        unit: Behind the list; may be empty.
        parent: Qt's parent.
    """

    def __init__(self, name: str, choices: Sequence[str], unit: str = "", parent: QWidget | None = None) -> None:
        super().__init__(name, unit, letters=1, parent=parent)
        self.combo = StillComboBox()
        self.combo.addItems(choices)
        self.combo.setAccessibleName(self.edit.accessibleName())
        self.row.insertWidget(0, self.combo)
        self.name.setBuddy(self.combo)
        self.edit.hide()  # holds the text
        self.edit.setFocusProxy(self.combo)
        self.combo.textActivated.connect(self._take_choice)

    def set_text(self, text: str) -> None:
        """Show another text without telling `typed`."""
        super().set_text(text)
        if self.combo.findText(text) < 0:
            self.combo.addItem(text)
        self.combo.setCurrentText(text)

    def reveal(self) -> None:
        """Show or hide the message now."""
        super().reveal()
        set_role(self.combo, "true" if self.message.text() else "false", "invalid")

    def _take_choice(self, text: str) -> None:
        self.edit.setText(text)
        self.typed.emit(text)


class LoadInputs(QWidget):
    """How many users, how many rows, what else its kind declares, how much it counts.

    Args:
        theme: Colours.
        record: The load's kind.
        names: Names of the fields, with their mnemonics.

    Signals:
        typed: Name of a field of the form, and its text.
        probed: The extra reader is wanted, or not.
        tried: The pattern of its own command is to be tried.

    Attributes:
        by_name: Field of the form to the field on screen.
        others: Those of the parameters that its kind declares.
        part: How much its weight makes of the result.
    """

    typed = Signal(str, str)
    probed = Signal(bool)
    tried = Signal()

    def __init__(self, theme: Theme, record: LoadKind, names: Mapping[str, str]) -> None:
        super().__init__()
        self._record = record
        self.users = FormField(names["users"], self.tr("at once"), letters=8)
        self.others = {each.name: _parameter_field(each) for each in other_parameters(record)}
        self.weight = FormField(names["weight"], letters=8)
        self.by_name = {"users": self.users}
        if any(each.name == "tuples" for each in record.parameters):
            self.by_name["tuples"] = FormField(names["tuples"], self.tr("per table"), letters=12)
        self.by_name |= {**self.others, "weight": self.weight}
        set_glossary_tip(self.users.name, "user")
        set_glossary_tip(self.weight.name, "objective")
        self.part = make_label("", "dim")
        self.weight.row.insertWidget(1, self.part)
        self.try_it = secondary_button(theme, self.tr("Try the pattern\N{HORIZONTAL ELLIPSIS}"))
        self.probe = QCheckBox(names["probe"])
        self.probe.setToolTip(
            self.tr("It reads one row after another beside the users; its rate is reported by itself.")
        )
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_S)
        for part in (*self.by_name.values(), self.try_it, self.probe):
            box.addWidget(part)
        for name, field in self.by_name.items():
            field.typed.connect(lambda text, name=name: self.typed.emit(name, text))
        self.try_it.clicked.connect(self.tried)
        self.probe.toggled.connect(self.probed)

    def fill(self, fields: LoadFields) -> None:
        """Show the form's text."""
        self.probe.blockSignals(True)
        self.probe.setChecked(fields.probe)
        self.probe.blockSignals(False)
        for name, field in self.by_name.items():
            field.set_text(fields.parameters.get(name, "") if name in self.others else getattr(fields, name))

    def show_what_suits(self, engine: str) -> None:
        """Hide parameters that a database does not have, and what the load's kind has no use for."""
        for each in other_parameters(self._record):
            self.others[each.name].setVisible(each.fits_database(engine))
        self.try_it.setVisible(bool(self._record.runs))
        self.probe.setVisible(bool(self._record.probe))


def _parameter_field(declared: Parameter) -> FormField:
    """Return the field of a parameter, in its record's words."""
    title, unit = translate_load_text(declared.title), translate_load_text(declared.unit)
    choices = ("yes", "no") if isinstance(declared.default, bool) else declared.choices
    if choices:
        made: FormField = ListField(title, choices, unit)
    else:  # free text needs all the width there is
        made = FormField(title, unit, letters=0 if isinstance(declared.default, str) else 12)
    set_term_tip(made.name, title, translate_load_text(declared.help))
    return made
