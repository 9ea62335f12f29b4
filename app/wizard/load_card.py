"""One load: on or off, how many users, how many rows, how much it counts."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_S
from app.widgets.card import Card
from app.widgets.glossary import explain
from app.widgets.text import label
from app.wizard.field import Field
from app.wizard.state import WizardState
from app.words import percent
from scheduler.model.objective import WEIGHTED

_SHORT = {"osdb-ir": "ir", "osdb-oltp": "oltp"}  # names of glossary entries and of palette colours


class LoadMark(QWidget):
    """The load's mark as in every plot: a circle for IR, a square for OLTP."""

    def __init__(self, theme: Theme, kind: str) -> None:
        super().__init__()
        self._theme = theme
        self._kind = kind
        self.setFixedSize(QSize(14, 14))
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw it."""
        del event
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(self._theme.palette, _SHORT[self._kind])))
        area = QRectF(1, 1, 12, 12)
        if self._kind == "osdb-ir":
            painter.drawEllipse(area)
        else:
            painter.drawRect(area)


class LoadCard(Card):
    """Fields of one load.

    Signals:
        changed: Something was typed or switched; it is in the form already.

    Attributes:
        fields: Field of the form to the field on screen.
    """

    changed = Signal()

    def __init__(self, theme: Theme, state: WizardState, kind: str, names: dict[str, str]) -> None:
        super().__init__()
        self._state = state
        self.kind = kind
        self.on = QCheckBox(names["title"])
        font = self.on.font()
        font.setPointSizeF(font.pointSizeF() * 1.2)
        font.setWeight(font.Weight.DemiBold)
        self.on.setFont(font)
        self.on.setMinimumWidth(self.on.sizeHint().width() + SPACE_S)  # Qt draws bold words wider than it measures them
        head = QHBoxLayout()
        head.setSpacing(SPACE_S)
        head.addWidget(self.on)
        head.addWidget(LoadMark(theme, kind))
        head.addStretch(1)
        self.users = Field(names["users"], self.tr("at once"), letters=8)
        self.tuples = Field(names["tuples"], self.tr("per table"), letters=12)
        self.weight = Field(names["weight"], letters=8)
        explain(self.users.name, "user")
        explain(self.weight.name, "objective")
        self.part = label("", "dim")
        self.weight.row.insertWidget(1, self.part)
        self.body.addLayout(head)
        self.body.addWidget(explain(label(names["does"], "dim", wrap=True), _SHORT[kind]))
        self.fields = {f"loads.{kind}.{name}": getattr(self, name) for name in ("users", "tuples", "weight")}
        for name in ("users", "tuples", "weight"):
            field: Field = getattr(self, name)
            field.typed.connect(lambda text, name=name: self._type(name, text))
            self.body.addWidget(field)
        self.probe = QCheckBox(names["probe"])
        self.probe.setToolTip(
            self.tr("It reads one row after another beside the users; its rate is reported by itself.")
        )
        self.probe.toggled.connect(self._probe)
        self.body.addWidget(self.probe)
        self.body.addStretch(1)
        self.on.toggled.connect(self._switch)
        self.setAccessibleName(names["title"].replace("&", ""))
        self.fill()

    def fill(self) -> None:
        """Show the form's text."""
        fields = self._state.form.loads[self.kind]
        for box, checked in ((self.on, fields.on), (self.probe, fields.probe)):
            box.blockSignals(True)
            box.setChecked(checked)
            box.blockSignals(False)
        for name in ("users", "tuples", "weight"):
            getattr(self, name).set_text(getattr(fields, name))
        self._enable()

    def refresh(self) -> None:
        """Show what the weight means; it means nothing while there is one load, or another objective."""
        spec = self._state.spec
        given = any(fields.weight.strip() for fields in self._state.form.loads.values() if fields.on)
        self.weight.edit.setPlaceholderText("0" if given else "1")
        two = sum(fields.on for fields in self._state.form.loads.values()) > 1
        self.weight.setVisible(two and self._state.form.objective.name == WEIGHTED)
        counts = spec.weight_of(self.kind) if spec and self._state.form.loads[self.kind].on else None
        text = self.tr("counts {part} of the result").format(part=percent(counts)) if counts is not None else ""
        self.part.setText(text)

    def _type(self, name: str, text: str) -> None:
        setattr(self._state.form.loads[self.kind], name, text)
        self.changed.emit()

    def _switch(self, on: bool) -> None:  # noqa: FBT001 - a slot
        self._state.form.loads[self.kind].on = on
        self._enable()
        self.changed.emit()

    def _probe(self, on: bool) -> None:  # noqa: FBT001 - a slot
        self._state.form.loads[self.kind].probe = on
        self.changed.emit()

    def _enable(self) -> None:
        self.probe.setEnabled(self.on.isChecked())
        for field in self.fields.values():
            field.setEnabled(self.on.isChecked())
