"""Card for the prediction before the measurement."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit, QWidget

from app.lessons.prediction_axis import PredictionAxis
from app.theme.theme import Theme
from app.widgets.card import Card
from app.widgets.labels import make_label
from scheduler.errors import SpecError
from scheduler.lessons.lesson_files import Lesson, build_lesson_plan
from scheduler.model.lesson_entry import LONGEST_PREDICTION, LONGEST_STUDENT
from scheduler.model.spec import RunSpec
from scheduler.translation import _

_FIELD_PX = 280


class PredictionCard(Card):
    """Question of a lesson, the prediction, and the name of the student.

    Signals:
        changed: The prediction or the name has changed.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("", "", parent)
        self._lesson: Lesson | None = None
        self.heading.setWordWrap(True)
        self.axis = PredictionAxis(theme)
        self.number = QLineEdit()
        self.number.setMaxLength(LONGEST_PREDICTION)
        self.number.setMaximumWidth(_FIELD_PX)
        self.number.setAccessibleName(_("Prediction"))
        self.student = QLineEdit()
        self.student.setMaxLength(LONGEST_STUDENT)
        self.student.setMaximumWidth(_FIELD_PX)
        self.student.setAccessibleName(_("Your name"))
        self.doubt = make_label("", "warn", wrap=True)
        self.body.addWidget(self.axis)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._number_label = make_label(_("Prediction"))
        form.addRow(self._number_label, self.number)
        form.addRow(make_label(_("Your name")), self.student)
        self.body.addLayout(form)
        why = _("Your name decides the random numbers. So each student measures other figures.")
        self.body.addWidget(make_label(why, "dim", wrap=True))
        self.body.addWidget(self.doubt)
        self.axis.picked.connect(lambda _label: self.changed.emit())
        self.number.textChanged.connect(lambda _text: self.changed.emit())
        self.student.textChanged.connect(lambda _text: self.changed.emit())
        self.changed.connect(self._show_doubt)

    def ask(self, lesson: Lesson, student: str) -> None:
        """Show the question of a lesson, without a prediction.

        Args:
            lesson: The lesson.
            student: Name of the student; empty if unknown.
        """
        self._lesson = lesson
        self.set_title(lesson.head.question, _("Predict before you measure. The prediction is stored first."))
        self.axis.show_splits(lesson.choices)
        self.axis.setVisible(bool(lesson.choices))
        for part in (self.number, self._number_label):
            part.setVisible(not lesson.choices)
        self.axis.pick("")
        self.number.clear()
        percent = _("percent, 0 to 100")
        users = _("number of users, 1 to {most}").format(most=lesson.most_users)
        self.number.setPlaceholderText(percent if lesson.head.predict == "percent" else users)
        self.student.setText(student)

    @property
    def prediction(self) -> str:
        """The prediction as entered; empty for none."""
        return self.axis.prediction if self._lesson and self._lesson.choices else self.number.text()

    def plan(self) -> RunSpec | None:
        """Return the plan of the student's run; None while the input is wrong."""
        return self._read()[0]

    def _read(self) -> tuple[RunSpec | None, str]:
        """Return the plan and an empty text, or None and the reason."""
        if self._lesson is None or not self.prediction.strip() or not self.student.text().strip():
            return None, ""
        try:
            return build_lesson_plan(self._lesson, self.student.text(), self.prediction), ""
        except SpecError as error:
            return None, f"{error.problem}. {error.hint}".strip()

    def _show_doubt(self) -> None:
        why = self._read()[1]
        self.doubt.setText(f"{why[:1].upper()}{why[1:]}")
        self.doubt.setVisible(bool(why))
