"""Page with the list of all lessons."""

from collections.abc import Collection

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M, SPACE_XL
from app.widgets.card import BigCard
from app.widgets.labels import make_label
from app.widgets.message_bar import MessageBar
from scheduler.lessons.lesson_files import Lesson, LessonCatalogue
from scheduler.model.host_kinds import is_simulated
from scheduler.translation import _

_WIDTH_PX = 760
_LEAST_PX = 300


class LessonsPage(QWidget):
    """List of all lessons, with their minutes and a mark for each finished one.

    Signals:
        chosen: Name of the lesson to open.
    """

    help_key = "lessons"

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("scrolled", "true")
        self._theme = theme
        self.cards: dict[str, BigCard] = {}
        self.message = MessageBar(theme)
        column = QWidget()
        column.setMinimumWidth(_LEAST_PX)
        column.setMaximumWidth(_WIDTH_PX)
        inner = QVBoxLayout(column)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(SPACE_L)
        inner.addWidget(make_label(_("Lessons"), "display"))
        words = _(
            "In each lesson you predict a result, measure it, and compare both with the truth. The first six run on a "
            "simulated host and change nothing."
        )
        inner.addWidget(make_label(words, "large", wrap=True))
        inner.addWidget(self.message)
        self._list = QVBoxLayout()
        self._list.setSpacing(SPACE_M)
        inner.addLayout(self._list)
        inner.addStretch(1)
        middle = QHBoxLayout(self)
        middle.setContentsMargins(SPACE_XL, SPACE_L, SPACE_XL, SPACE_L)
        middle.addStretch(1)
        middle.addWidget(column, 100)
        middle.addStretch(1)

    def show_lessons(self, catalogue: LessonCatalogue, done: Collection[str]) -> None:
        """Show a card for each lesson, and name the folders that cannot be used.

        Args:
            catalogue: The lessons.
            done: Names of the finished lessons.
        """
        for card in self.cards.values():
            self._list.removeWidget(card)
            card.hide()
            card.deleteLater()
        self.cards = {}
        following = next((lesson.name for lesson in catalogue.lessons if lesson.name not in done), "")
        for place, lesson in enumerate(catalogue.lessons, 1):
            card = self._make_card(place, lesson, done=lesson.name in done, strong=lesson.name == following)
            self.cards[lesson.name] = card
            self._list.addWidget(card)
        self.message.clear()
        if catalogue.broken:
            text = _("{n} lessons cannot be used.").format(n=len(catalogue.broken))
            details = "\n".join(f"{each.name}: {each.error}. {each.hint}".rstrip() for each in catalogue.broken)
            self.message.say("warning", text, _("The others can be opened."), details)

    def _make_card(self, place: int, lesson: Lesson, *, done: bool, strong: bool) -> BigCard:
        title = _("{place}. {title}").format(place=place, title=lesson.head.title)
        minutes = _("About {n} min.").format(n=lesson.head.minutes)
        sentences = [lesson.head.summary, minutes]
        if not is_simulated(lesson.plan.host_url):
            sentences.append(_("On this computer, needs root and two CPUs."))
        if done:
            sentences.append(_("\N{CHECK MARK} Done."))
        icon = "check" if done else "sweep" if is_simulated(lesson.plan.host_url) else "computer"
        card = BigCard(self._theme, icon, title, " ".join(sentences), strong=strong)
        card.clicked.connect(lambda: self.chosen.emit(lesson.name))
        return card
