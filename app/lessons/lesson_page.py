"""Page of one lesson: text, prediction, and after the measurement the check."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.lessons.check_card import CheckCard
from app.lessons.markdown_label import MarkdownLabel
from app.lessons.prediction_card import PredictionCard
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_XL
from app.widgets.buttons import link_button, primary_button, secondary_button
from app.widgets.labels import make_label
from app.widgets.message_bar import MessageBar
from app.widgets.scroll_areas import make_scroll_area
from app.widgets.simulated_ribbon import SimulatedRibbon
from scheduler.lessons.lesson_check import CheckedLesson
from scheduler.lessons.lesson_files import Lesson
from scheduler.model.host_kinds import is_simulated
from scheduler.translation import _

_WIDTH_PX = 860
_LEAST_PX = 300


class LessonPage(QWidget):
    """Page of one lesson.

    Signals:
        start: Plan of the student's run.
        all_wanted: The user wants to see all lessons.
        next_wanted: The user wants to see the next lesson.
        last_wanted: The user wants to see the check of the last run.
    """

    help_key = "lessons"

    start = Signal(object)
    all_wanted = Signal()
    next_wanted = Signal()
    last_wanted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lesson: Lesson | None = None
        self.message = MessageBar(theme)
        self.all_link = link_button(theme, _("All lessons"), "chevron-left")
        self.all_link.clicked.connect(self.all_wanted)
        self.last_link = link_button(theme, _("Show the last check"), "check")
        self.last_link.clicked.connect(self.last_wanted)
        self.ribbon = SimulatedRibbon(theme)
        self.title = make_label("", "display", wrap=True)
        self.remark = make_label("", "dim", wrap=True)
        self.text = MarkdownLabel()
        self.card = PredictionCard(theme)
        self.card.changed.connect(self._show_actions)
        self.check = CheckCard(theme)
        self.start_button = primary_button(theme, _("Start measurement"), "play")
        self.start_button.clicked.connect(self._request_start)
        self.again_button = secondary_button(theme, _("Measure again"), "refresh")
        self.again_button.clicked.connect(self._predict_again)
        self.next_button = primary_button(theme, _("Next lesson"), "arrow-right")
        self.next_button.clicked.connect(self.next_wanted)
        self._lay_out()

    def _lay_out(self) -> None:
        inside = QWidget()
        inside.setProperty("scrolled", "true")
        inner = QVBoxLayout(inside)
        inner.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        inner.setSpacing(SPACE_L)
        links = QHBoxLayout()
        links.addWidget(self.all_link)
        links.addStretch(1)
        links.addWidget(self.last_link)
        inner.addLayout(links)
        for part in (self.title, self.remark, self.check, self.text, self.card):
            inner.addWidget(part)
        inner.addStretch(1)
        column = QWidget()
        column.setMinimumWidth(_LEAST_PX)
        column.setMaximumWidth(_WIDTH_PX)
        parts = QVBoxLayout(column)
        parts.setContentsMargins(0, 0, 0, 0)
        self.area = make_scroll_area(inside)
        parts.addWidget(self.area, 1)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(SPACE_XL, 0, SPACE_XL, SPACE_L)
        buttons.addStretch(1)
        for button in (self.again_button, self.start_button, self.next_button):
            buttons.addWidget(button)
        parts.addLayout(buttons)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(column, 100)
        middle.addStretch(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.addWidget(self.ribbon)
        box.addWidget(self.message)
        box.addLayout(middle, 1)

    def show_lesson(self, lesson: Lesson, place: int, count: int, student: str, *, done: bool) -> None:
        """Show a lesson before its measurement.

        Args:
            lesson: The lesson.
            place: Its place in the list, from 1.
            count: Number of lessons.
            student: Name of the student; empty if unknown.
            done: True when a run of the lesson has a check.
        """
        self.lesson = lesson
        simulated = is_simulated(lesson.plan.host_url)
        self.ribbon.setVisible(simulated)
        self.last_link.setVisible(done)
        self.message.clear()
        self.check.hide()
        self.text.show_text(lesson.text)
        self.title.setText(lesson.head.title)
        where = _("on a simulated host") if simulated else _("on this computer, needs root")
        self.remark.setText(
            _("Lesson {place} of {count}, about {minutes} min, {where}").format(
                place=place,
                count=count,
                minutes=lesson.head.minutes,
                where=where,
            )
        )
        self.card.show()
        self.card.ask(lesson, student)
        self.next_button.setEnabled(place < count)
        self._show_actions()
        self.area.verticalScrollBar().setValue(0)
        (self.card.axis if lesson.choices else self.card.number).setFocus()

    def show_check(self, answer: CheckedLesson) -> None:
        """Show the check of a run in place of the prediction."""
        self.card.hide()
        self.text.hide()
        self.last_link.hide()
        self.check.show_check(answer)
        self._show_actions()
        self.area.verticalScrollBar().setValue(0)
        self.next_button.setFocus()

    def _predict_again(self) -> None:
        self.check.hide()
        self.card.show()
        self.text.show()
        self._show_actions()

    def _show_actions(self) -> None:
        checked = not self.check.isHidden()
        self.start_button.setVisible(not checked)
        self.start_button.setEnabled(self.card.plan() is not None)
        self.next_button.setVisible(checked)
        self.again_button.setVisible(checked)

    def _request_start(self) -> None:
        plan = self.card.plan()
        if plan is not None:
            self.start.emit(plan)
