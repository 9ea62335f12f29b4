"""Home page before the first sweep: purpose of DomTune, and three ways to begin."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.display_texts import format_rough_duration
from app.studies.readiness import describe_own_computer
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_S
from app.widgets.buttons import link_button
from app.widgets.card import BigCard
from app.widgets.card_columns import CardColumns
from app.widgets.flow_layout import FlowLayout
from app.widgets.labels import make_label
from scheduler.model.plan_file import parse_plan
from scheduler.model.studies import STUDIES
from scheduler.plans.study_plan import usual_s
from scheduler.translation import _

LOCAL = "local:"
SIMULATED = "sim:"
ANOTHER = "xl+ssh://root@HOST"  # the wizard asks for the name and offers the other kinds of hosts
_WIDTH_PX = 680
_LEAST_PX = 340


class FirstStart(QWidget):
    """Page for a store without sweeps.

    Signals:
        new_sweep: URL of the host to sweep; empty lets the wizard ask.
        question: Name of the study whose question the user chose, for this computer.
        open_plan: The user wants to open a plan file.
        lesson: The user wants to read the tutorial.
        lessons: The user wants to see the lessons.
    """

    new_sweep = Signal(str)
    question = Signal(str)
    open_plan = Signal()
    lesson = Signal()
    lessons = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("scrolled", "true")
        column = QWidget()
        column.setMinimumWidth(_LEAST_PX)
        column.setMaximumWidth(_WIDTH_PX)
        inner = QVBoxLayout(column)
        inner.setSpacing(SPACE_L)
        inner.addWidget(make_label(_("Find the best CPU split for your database"), "display", wrap=True))
        words = _(
            "DomTune measures the best way to divide the CPU between the I/O domain and the domain with the "
            "database. It restores the host afterwards."
        )
        inner.addWidget(make_label(words, "large", wrap=True))
        inner.addSpacing(SPACE_S)
        what = _(
            "Real measurement with a built-in PostgreSQL on one CPU, usually about {time}. You need two "
            "CPUs, and root or a delegated control group. Close other programs. The wizard shows every step "
            "before anything is changed."
        ).format(time=format_rough_duration(usual_s(parse_plan(f'host = "{LOCAL}"'))))
        self.card = BigCard(theme, "computer", _("Sweep this computer"), what, strong=True)
        self.card.clicked.connect(lambda: self.new_sweep.emit(LOCAL))
        inner.addWidget(self.card)
        quick = _("Try DomTune without a host. A sweep takes about ten seconds. Its results are marked as simulated.")
        self.simulated = BigCard(theme, "sweep", _("Sweep a simulated Xen"), quick)
        self.simulated.clicked.connect(lambda: self.new_sweep.emit(SIMULATED))
        far = _("Xen over ssh, XenServer and XCP-ng, or libvirt. Connecting changes nothing on the host.")
        self.connect_card = BigCard(theme, "host", _("Connect to a host"), far)
        self.connect_card.clicked.connect(lambda: self.new_sweep.emit(ANOTHER))
        inner.addWidget(self.simulated)
        inner.addWidget(self.connect_card)
        inner.addWidget(make_label(_("Or ask one of six questions on this computer"), "lead", wrap=True))
        inner.addWidget(self._make_questions(theme))
        inner.addWidget(self._make_links(theme))
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addWidget(column, 100)
        middle.addStretch(1)
        box = QVBoxLayout(self)
        box.addStretch(2)
        box.addLayout(middle)
        box.addStretch(3)

    def _make_questions(self, theme: Theme) -> CardColumns:
        """Return a card for each question, with the readiness of this computer."""
        columns, ready = CardColumns(_LEAST_PX - SPACE_L), describe_own_computer()
        self.questions: dict[str, BigCard] = {}
        for name, kind in STUDIES.items():
            title = kind.question
            self.questions[name] = card = BigCard(theme, "plot", title, ready, compact=True)
            card.clicked.connect(partial(self.question.emit, name))
            columns.add(card)
        return columns

    def _make_links(self, theme: Theme) -> QWidget:
        """Return the row of further ways to begin."""
        self.plan_link = link_button(theme, _("Open a plan file\N{HORIZONTAL ELLIPSIS}"), "folder")
        self.plan_link.clicked.connect(self.open_plan)
        self.lessons_link = link_button(theme, _("Lessons"), "eye")
        self.lessons_link.clicked.connect(self.lessons)
        self.lesson_link = link_button(theme, _("Read the tutorial"), "help")
        self.lesson_link.clicked.connect(self.lesson)
        links = QWidget()
        row = FlowLayout(links)
        for link in (self.plan_link, self.lessons_link, self.lesson_link):
            row.addWidget(link)
        return links
