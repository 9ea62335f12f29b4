"""One load: on or off, how many users, how many rows, how much it counts."""

from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QPushButton, QWidget

from app.glossary import GLOSSARY
from app.load_words import card_title, does, load_name, text_of
from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.buttons import secondary
from app.widgets.card import Card
from app.widgets.glossary import explain, explain_as
from app.widgets.text import label
from app.wizard.field import Field
from app.wizard.fields import others
from app.wizard.listed_field import ListedField
from app.wizard.state import WizardState
from app.words import percent
from scheduler.model.load_kind import LoadKind
from scheduler.model.load_kinds import KINDS
from scheduler.model.marks import SHAPES
from scheduler.model.objective import WEIGHTED
from scheduler.model.parameters import Parameter

_MARK_PX = 14


class LoadMark(QWidget):
    """The load's mark as in every plot."""

    def __init__(self, theme: Theme, kind: LoadKind) -> None:
        super().__init__()
        self._theme = theme
        self._kind = kind
        self.setFixedSize(QSize(_MARK_PX, _MARK_PX))
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(self._theme.palette, self._kind.colour)))
        painter.drawPath(mark_path(self._kind.marker))


def mark_path(marker: str) -> QPainterPath:
    """Return a mark's outline within the widget."""
    path, middle = QPainterPath(), _MARK_PX / 2
    if marker == "circle":
        path.addEllipse(QRectF(1, 1, _MARK_PX - 2, _MARK_PX - 2))
    elif marker == "square":
        path.addRect(QRectF(1, 1, _MARK_PX - 2, _MARK_PX - 2))
    else:
        corners = SHAPES[marker]
        unit = middle / max(abs(value) for corner in corners for value in corner)
        path.addPolygon(QPolygonF([QPointF(middle + unit * x, middle + unit * y) for x, y in corners]))
        path.closeSubpath()
    return path


class LoadCard(Card):
    """Fields of one load; of one that is off, its name and what its users do, or the page would be three screens long.

    Signals:
        changed: Something was typed or switched; it is in the form already.
        tried: The pattern of its own command is to be tried.

    Attributes:
        fields: Field of the form to the field on screen.
    """

    changed = Signal()
    tried = Signal()

    def __init__(self, theme: Theme, state: WizardState, kind: str, names: Mapping[str, str]) -> None:
        super().__init__()
        self._state = state
        self._names = names
        self.kind = kind
        record = KINDS[kind]
        self.on = QCheckBox(card_title(record))
        font = self.on.font()
        font.setPointSizeF(font.pointSizeF() * 1.2)
        font.setWeight(font.Weight.DemiBold)
        self.on.setFont(font)
        self.on.setMinimumWidth(self.on.sizeHint().width() + SPACE_S)  # Qt draws bold words wider than it measures them
        head = self._head(theme, record)
        self.users = Field(names["users"], self.tr("at once"), letters=8)
        self.tuples = Field(names["tuples"], self.tr("per table"), letters=12)
        self.others = {each.name: _parameter_field(each) for each in others(record)}
        self.weight = Field(names["weight"], letters=8)
        explain(self.users.name, "user")
        explain(self.weight.name, "objective")
        self.part = label("", "dim")
        self.weight.row.insertWidget(1, self.part)
        self.body.addLayout(head)
        self.body.addWidget(_explained(record))
        by_name = {"users": self.users, "tuples": self.tuples, **self.others, "weight": self.weight}
        self.fields = {f"loads.{kind}.{name}": field for name, field in by_name.items()}
        for name, field in by_name.items():
            field.typed.connect(lambda text, name=name: self._type(name, text))
            self.body.addWidget(field)
        self.try_it = self._try_button(theme)
        self.probe = QCheckBox(names["probe"])
        self.probe.setToolTip(
            self.tr("It reads one row after another beside the users; its rate is reported by itself.")
        )
        self.probe.toggled.connect(self._probe)
        self.body.addWidget(self.probe)
        self.body.addStretch(1)
        self.on.toggled.connect(self._switch)
        self.setAccessibleName(card_title(record).replace("&", ""))
        self.fill()

    def _head(self, theme: Theme, record: LoadKind) -> QHBoxLayout:
        head = QHBoxLayout()
        head.setSpacing(SPACE_S)
        head.addWidget(self.on)
        head.addWidget(LoadMark(theme, record))
        head.addStretch(1)
        return head

    def fill(self) -> None:
        """Show the form's text."""
        fields = self._state.form.loads[self.kind]
        for box, checked in ((self.on, fields.on), (self.probe, fields.probe)):
            box.blockSignals(True)
            box.setChecked(checked)
            box.blockSignals(False)
        for name in ("users", "tuples", "weight"):
            getattr(self, name).set_text(getattr(fields, name))
        for name, field in self.others.items():
            field.set_text(fields.parameters.get(name, ""))
        self._show_what_suits()

    def refresh(self) -> None:
        """Show what the weight means; it means nothing while there is one load, or another objective."""
        spec, weighs = self._state.spec, self._state.form.weighs_splits
        self.users.rename(self._names["most" if self._state.form.kind.factor == "users" else "users"])
        given = any(fields.weight.strip() for fields in self._state.form.loads.values() if fields.on)
        self.weight.edit.setPlaceholderText("0" if given else "1")
        form = self._state.form
        on = [kind for kind, fields in form.loads.items() if fields.on]
        weighed = self.kind in on and form.mixes.runs_alone(self.kind, on)
        self.weight.setVisible(weighs and len(on) > 1 and weighed and form.objective.name == WEIGHTED)
        counts = spec.weight_of(self.kind) if weighs and spec and self.kind in spec.units else None
        text = self.tr("counts {part} of the result").format(part=percent(counts)) if counts is not None else ""
        self.part.setText(text)
        self._show_what_suits()

    def _show_what_suits(self) -> None:
        """Show the fields of a load that is on, but for parameters that the chosen database does not have."""
        on, record = self.on.isChecked(), KINDS[self.kind]
        engine = self._state.form.loads[self.kind].engine
        self.users.setVisible(on)
        self.tuples.setVisible(on and any(each.name == "tuples" for each in record.parameters))
        for each in others(record):
            self.others[each.name].setVisible(on and each.suits(engine))
        self.try_it.setVisible(on and bool(record.runs))
        self.probe.setVisible(on and bool(record.probe))
        self.weight.setVisible(on and self.weight.isVisibleTo(self))

    def _type(self, name: str, text: str) -> None:
        fields = self._state.form.loads[self.kind]
        if name in self.others:
            fields.parameters[name] = text
        else:
            setattr(fields, name, text)
        self.changed.emit()

    def _try_button(self, theme: Theme) -> QPushButton:
        made = secondary(theme, self.tr("Try the pattern\N{HORIZONTAL ELLIPSIS}"))
        made.clicked.connect(self.tried)
        self.body.addWidget(made)
        return made

    def set_parameter(self, name: str, text: str) -> None:
        """Have a parameter be this text, as if it were typed."""
        self.others[name].set_text(text)
        self._type(name, text)

    def _switch(self, on: bool) -> None:  # noqa: FBT001 - a slot
        self._state.form.loads[self.kind].on = on
        self._show_what_suits()
        self.changed.emit()

    def _probe(self, on: bool) -> None:  # noqa: FBT001 - a slot
        self._state.form.loads[self.kind].probe = on
        self.changed.emit()


def _parameter_field(declared: Parameter) -> Field:
    """Return the field of a parameter, in its record's words."""
    title, unit = text_of(declared.title), text_of(declared.unit)
    choices = ("yes", "no") if isinstance(declared.default, bool) else declared.choices
    if choices:
        made: Field = ListedField(title, choices, unit)
    else:  # free text needs all the width there is
        made = Field(title, unit, letters=0 if isinstance(declared.default, str) else 12)
    explain_as(made.name, title, text_of(declared.help))
    return made


def _explained(kind: LoadKind) -> QLabel:
    """Return what its users do, with its glossary entry where it has one."""
    made = label(does(kind), "dim", wrap=True)
    if kind.short.lower() in GLOSSARY:
        explain(made, kind.short.lower())
    else:
        explain_as(made, load_name(kind.name), does(kind))
    return made
