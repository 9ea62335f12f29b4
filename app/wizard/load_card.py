"""Card of a load: on or off, users, rows, further parameters and weight."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.display_texts import format_percent
from app.glossary import GLOSSARY
from app.load_texts import card_title, load_name, users_sentence
from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import secondary_button
from app.widgets.card import Card
from app.widgets.glossary_tips import set_glossary_tip, set_term_tip
from app.widgets.inputs import StillComboBox
from app.widgets.labels import make_label, set_role
from app.widgets.tab_order import set_tab_order_after
from app.wizard.field import FormField
from app.wizard.form_fields import chosen_engine
from app.wizard.key_texts import parameter_text
from app.wizard.wizard_state import WizardState
from scheduler.model.databases import DATABASES
from scheduler.model.load_kind import LoadKind
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.model.load_looks import CIRCLE, SQUARE, LoadMarker
from scheduler.model.parameters import Parameter
from scheduler.translation import _


class ListField(FormField):
    """Field with a list instead of a line of text.

    A plan's value that is not among the choices is added to the list.

    Args:
        name: Name of the field, with a mnemonic.
        choices: Texts of the choices.
        unit: Unit behind the list; may be empty.
        parent: Qt's parent.
    """

    def __init__(self, name: str, choices: Sequence[str], unit: str = "", parent: QWidget | None = None) -> None:
        super().__init__(name, unit, letters=1, parent=parent)
        self.combo = StillComboBox()
        self.combo.addItems(choices)
        self.combo.setAccessibleName(self.edit.accessibleName())
        self.row.insertWidget(0, self.combo)
        self.name.setBuddy(self.combo)
        self.edit.hide()  # only stores the text
        self.edit.setFocusProxy(self.combo)
        self.combo.textActivated.connect(self._take_choice)

    def set_text(self, text: str) -> None:
        """Set the text without emitting `typed`."""
        super().set_text(text)
        if self.combo.findText(text) < 0:
            self.combo.addItem(text)
        self.combo.setCurrentText(text)

    def reveal(self) -> None:
        """Show or hide the mistake now."""
        super().reveal()
        set_role(self.combo, "true" if self.message.text() else "false", "invalid")

    def _take_choice(self, text: str) -> None:
        self.edit.setText(text)
        self.typed.emit(text)


class LoadInputs(QWidget):
    """Fields of a load: users, rows, declared parameters and weight.

    Args:
        theme: Colours.
        record: Kind of the load.
        names: Labels of the fields with their mnemonics.

    Signals:
        typed: Name of a field of the form, and its text.
        probed: True if the user wants the extra reader.
        tried: The user wants to try the pattern of a command.

    Attributes:
        by_name: Field of the form to its widget.
        others: Declared parameter to its widget.
        part: Label with the load's share of the result.
    """

    typed = Signal(str, str)
    probed = Signal(bool)
    tried = Signal()

    def __init__(self, theme: Theme, record: LoadKind, names: Mapping[str, str]) -> None:
        super().__init__()
        self._record = record
        self.users = FormField(names["users"], _("immediately"), letters=8)
        self.others = {each.name: _parameter_field(each) for each in record.parameters if each.name != "tuples"}
        self.weight = FormField(names["weight"], letters=8)
        self.by_name = {"users": self.users}
        if any(each.name == "tuples" for each in record.parameters):
            self.by_name["tuples"] = FormField(names["tuples"], _("per table"), letters=12)
        self.by_name |= {**self.others, "weight": self.weight}
        set_glossary_tip(self.users.name, "user")
        set_glossary_tip(self.weight.name, "objective")
        self.part = make_label("", "dim")
        self.weight.row.insertWidget(1, self.part)
        self.try_it = secondary_button(theme, _("Try the pattern\N{HORIZONTAL ELLIPSIS}"))
        self.probe = QCheckBox(names["probe"])
        self.probe.setToolTip(
            _("An extra client reads one row after another while the users work. Its rate is shown separately.")
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

    def fill(self, texts: Mapping[str, str]) -> None:
        """Show the form's text."""
        self.probe.blockSignals(True)
        self.probe.setChecked(texts["probe"] == "yes")
        self.probe.blockSignals(False)
        for name, field in self.by_name.items():
            field.set_text(texts[name])

    def show_what_suits(self, dialect: str) -> None:
        """Hide parameters that the database or the kind of load does not have."""
        for each in self._record.parameters:
            self.by_name[each.name].setVisible(each.fits_database(dialect))
        self.try_it.setVisible(bool(self._record.runs))
        self.probe.setVisible(bool(self._record.probe))


def _parameter_field(declared: Parameter) -> FormField:
    """Return the field of a declared parameter."""
    title, unit = declared.title, declared.unit
    choices = ("yes", "no") if isinstance(declared.default, bool) else declared.choices
    if choices:
        made: FormField = ListField(title, choices, unit)
    else:  # free text needs the whole width
        made = FormField(title, unit, letters=0 if isinstance(declared.default, str) else 12)
    set_term_tip(made.name, title, declared.help)
    return made


_MARK_PX = 14


class LoadMark(QWidget):
    """Marker of a load, the same as in plots."""

    def __init__(self, theme: Theme, kind: LoadKind) -> None:
        super().__init__()
        self._theme = theme
        self._kind = kind
        self.setFixedSize(QSize(_MARK_PX, _MARK_PX))
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the marker."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._kind.colour.shade(dark=self._theme.palette.dark)))
        painter.drawPath(mark_path(self._kind.marker))


def mark_path(marker: LoadMarker) -> QPainterPath:
    """Return the outline of a marker in the coordinates of the widget."""
    path, middle = QPainterPath(), _MARK_PX / 2
    if marker == CIRCLE:
        path.addEllipse(QRectF(1, 1, _MARK_PX - 2, _MARK_PX - 2))
    elif marker == SQUARE:
        path.addRect(QRectF(1, 1, _MARK_PX - 2, _MARK_PX - 2))
    else:
        corners = marker.corners
        unit = middle / max(abs(value) for corner in corners for value in corner)
        path.addPolygon(QPolygonF([QPointF(middle + unit * x, middle + unit * y) for x, y in corners]))
        path.closeSubpath()
    return path


class LoadCard(Card):
    """Card of a load; the fields are made when the load is first switched on.

    The fields of all loads together would make the page three screens long.

    Signals:
        changed: The form was changed.
        tried: The user wants to try the pattern of a command.
    """

    changed = Signal()
    tried = Signal()

    def __init__(self, theme: Theme, state: WizardState, kind: str, names: Mapping[str, str]) -> None:
        super().__init__()
        self._theme, self._state, self._names = theme, state, names
        self._inputs: LoadInputs | None = None
        self.kind = kind
        record = LOAD_KINDS[kind]
        self.on = QCheckBox(card_title(record))
        font = self.on.font()
        font.setPointSizeF(font.pointSizeF() * 1.2)
        font.setWeight(font.Weight.DemiBold)
        self.on.setFont(font)
        self.on.setMinimumWidth(self.on.sizeHint().width() + SPACE_S)  # Qt draws bold words wider than it measures them
        self.body.addLayout(self._make_head(theme, record))
        self.body.addWidget(_make_users_label(record))
        self._below = QVBoxLayout()
        self.body.addLayout(self._below)
        self.body.addStretch(1)
        self.on.toggled.connect(self._switch_load)
        self.setAccessibleName(card_title(record).replace("&", ""))

    @property
    def inputs(self) -> LoadInputs:
        """Widgets below the load's name while the load is on."""
        if self._inputs is None:
            self._inputs = made = LoadInputs(self._theme, LOAD_KINDS[self.kind], self._names)
            made.typed.connect(self._store_input)
            made.probed.connect(self._probe)
            made.tried.connect(self.tried)
            made.fill(self._state.form.loads[self.kind])
            made.hide()
            self._below.addWidget(made)
            set_tab_order_after(self.on, made)
        return self._inputs

    @property
    def fields(self) -> dict[str, FormField]:
        """Field of the form to its widget; empty before the load was on."""
        there = self._inputs.by_name if self._inputs is not None else {}
        return {f"loads.{self.kind}.{name}": field for name, field in there.items()}

    def _make_head(self, theme: Theme, record: LoadKind) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(SPACE_S)
        head.addWidget(self.on)
        head.addWidget(LoadMark(theme, record))
        head.addStretch(1)
        return head

    def fill(self) -> None:
        """Show the form's text."""
        texts = self._state.form.loads[self.kind]
        self.on.blockSignals(True)
        self.on.setChecked(texts["on"] == "yes")
        self.on.blockSignals(False)
        if self._inputs is not None:
            self._inputs.fill(texts)
        self._show_what_suits()

    def refresh(self) -> None:
        """Show the share that the weight gives to the load.

        One load alone, and other objectives, do not use weights.
        """
        self._show_what_suits()
        form, spec, weighs = self._state.form, self._state.spec, self._state.form.weighs_splits
        on = form.loads_on
        if self._inputs is None or self.kind not in on:
            return
        inputs = self._inputs
        inputs.users.rename(self._names["most" if form.kind.varies_users else "users"])
        inputs.users.edit.setPlaceholderText(self._users_by_host())
        given = any(texts["weight"].strip() for texts in on.values())
        inputs.weight.edit.setPlaceholderText("0" if given else "1")
        weighed = form.mixes.runs_alone(self.kind, on)
        inputs.weight.setVisible(weighs and len(on) > 1 and weighed and form.weighs_loads)
        counts = spec.weight_of(self.kind) if weighs and spec and self.kind in spec.units else None
        text = _("counts {part} of the result").format(part=format_percent(counts)) if counts is not None else ""
        inputs.part.setText(text)

    def _users_by_host(self) -> str:
        """Return the number of users that the plan has without a typed number."""
        ahead = self._state.ahead
        known = [load.users for load in ahead.loads if load.kind == self.kind] if ahead else []
        return str(known[0]) if known else ""

    def set_parameter(self, name: str, text: str) -> None:
        """Set a parameter as if the user had typed it.

        Args:
            name: Name of the parameter.
            text: Text of the value.
        """
        self.inputs.others[name].set_text(text)
        self._store_input(name, text)

    def _show_what_suits(self) -> None:
        """Show the fields of a load that is on, as far as its database has them."""
        on = self.on.isChecked()
        if on:
            chosen = DATABASES.get(chosen_engine(self._state.form.loads[self.kind]))
            self.inputs.show_what_suits(chosen.dialect if chosen else "")
        if self._inputs is not None:
            self._inputs.setVisible(on)

    def _store_input(self, name: str, text: str) -> None:
        self._state.form.loads[self.kind][name] = text
        self.changed.emit()

    def _switch_load(self, on: bool) -> None:  # noqa: FBT001 - a slot
        self._state.form.loads[self.kind]["on"] = parameter_text(on)
        self._show_what_suits()
        self.changed.emit()

    def _probe(self, on: bool) -> None:  # noqa: FBT001 - a slot
        self._state.form.loads[self.kind]["probe"] = parameter_text(on)
        self.changed.emit()


def _make_users_label(kind: LoadKind) -> QLabel:
    """Return a label with the work of a load's users, and its glossary tip if any."""
    made = make_label(users_sentence(kind), "dim", wrap=True)
    if kind.short.lower() in GLOSSARY:
        set_glossary_tip(made, kind.short.lower())
    else:
        set_term_tip(made, load_name(kind.name), users_sentence(kind))
    return made
