"""Ask another question than which split: what is needed for it, what would be done, then start."""

from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QDialog, QFormLayout, QLineEdit, QTextEdit, QWidget

from app.core_process import Runner
from app.live.phrases import setting_name
from app.questions.asked import Asked
from app.studies.overhead.words import base_place
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_XL
from app.widgets.buttons import primary, secondary, warning
from app.widgets.dialog import buttons_row, column, foot
from app.widgets.inputs import StillComboBox, StillSpinBox
from app.widgets.scrolling import scroll_to_top
from app.widgets.text import label, set_role
from app.wizard.findings import level_name, show_count
from app.wizard.question import Question
from app.words import duration
from scheduler.errors import SchedulerError, SpecError
from scheduler.model.load import USERS_RANGE
from scheduler.model.load_kinds import KINDS
from scheduler.model.plan_file import write_plan
from scheduler.model.plan_settings import STANDARD_THREE
from scheduler.model.probe import DryRun
from scheduler.model.spec import RunSpec
from scheduler.model.studies import CAPACITY, ISOLATION, OVERHEAD, SCALE_UP, SPLIT, STUDIES
from scheduler.model.words import sentences

_STILL_MS = 400  # of typing, before the host is asked
_DRY_RUN_S = 60.0
_STEPS_PX = 150
_LETTERS = 30
_TEXT_PX = (6, 0, 0, 0)  # a style sheet's padding does not reach the words of a spin box


class QuestionDialog(QDialog):
    """Signals: `start`: the plan that is to be run; the host has said that it can be.

    Args:
        theme: Colours.
        runner: Asks the host what would be done.
        hosts: URLs to choose from.
        parent: Qt's parent.
    """

    start = Signal(object)

    def __init__(self, theme: Theme, runner: Runner, hosts: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec: RunSpec | None = None
        self.setWindowTitle(self.tr("Ask another question"))
        self.study, self.host, self.load = StillComboBox(), StillComboBox(), StillComboBox()
        self.users, self.demand = StillSpinBox(), StillSpinBox()
        self.splits, self.database, self.base = QLineEdit(), QLineEdit(), QLineEdit()
        self.guest, self.guest_2, self.neighbour = QLineEdit(), QLineEdit(), QLineEdit()
        self.does = label("", "dim", wrap=True)
        self.outlook = label("", "", wrap=True)
        self.steps = QTextEdit()
        self.warnings = warning(theme)
        self._form = QFormLayout()
        self._question: Question[DryRun] = Question(runner, DryRun, _DRY_RUN_S, self)
        self._still = QTimer(self)
        self._still.setSingleShot(True)
        self._still.setInterval(_STILL_MS)
        self._still.timeout.connect(self._ask)
        self._fill(hosts)
        self._lay_out(theme)
        self._connect()
        self._choose()

    def asked(self) -> Asked:
        """Return what is typed."""
        return Asked(
            study=self.study.currentData(),
            host=self.host.currentText(),
            load=self.load.currentData(),
            database=self.database.text(),
            users=self.users.value(),
            demand_users=self.demand.value(),
            splits=self.splits.text(),
            base=self.base.text(),
            guest=self.guest.text(),
            guest_2=self.guest_2.text(),
            neighbour=self.neighbour.text(),
        )

    def _fill(self, hosts: Sequence[str]) -> None:
        for kind in STUDIES.values():
            if kind.name != SPLIT:
                self.study.addItem(kind.question, kind.name)
        for combo in (self.study, self.host, self.load):  # not as wide as its longest entry: hosts have long names
            combo.setSizeAdjustPolicy(StillComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(_LETTERS)
        self.host.setEditable(True)
        self.host.addItems(list(dict.fromkeys(("local:", *hosts, "sim:"))))
        for kind in KINDS.values():
            if not kind.runs:  # a command of one's own is tried out in the wizard
                self.load.addItem(kind.title, kind.name)
        self.users.setRange(2, USERS_RANGE[1])
        self.users.setValue(STUDIES[CAPACITY].users)
        self.demand.setRange(0, 100_000)
        self.demand.setSpecialValueText(self.tr("nobody says"))
        for spin in (self.users, self.demand):
            spin.lineEdit().setTextMargins(*_TEXT_PX)
        self.database.setPlaceholderText(self.tr("the one that the host brings"))
        self.base.setPlaceholderText(base_place())
        for guest in (self.guest, self.guest_2):
            guest.setPlaceholderText(self.tr("where the host cannot tell: its name there"))
        self.neighbour.setPlaceholderText(self.tr("the one that the host brings"))
        self.steps.setReadOnly(True)
        self.steps.setMinimumHeight(_STEPS_PX)
        self.steps.setAccessibleName(self.tr("What would be done"))

    def _lay_out(self, theme: Theme) -> None:
        box = column(self, wide_px=680)
        box.addWidget(label(self.tr("Ask another question"), "title"))
        self._form.setHorizontalSpacing(SPACE_XL)
        self._form.setVerticalSpacing(SPACE_M)
        for words, field in (
            (self.tr("&Question"), self.study),
            ("", self.does),
            (self.tr("&Host"), self.host),
            (self.tr("&Load"), self.load),
            (self.tr("&Database"), self.database),
            (self.tr("&Guest"), self.guest),
            (self.tr("Se&cond guest"), self.guest_2),
            (self.tr("&Its database"), self.neighbour),
            (self.tr("Users, at &most"), self.users),
            (self.tr("Users to &carry"), self.demand),
            (self.tr("At the &splits"), self.splits),
            (self.tr("&Compared with"), self.base),
        ):
            self._form.addRow(words, field)
            if words:
                field.setAccessibleName(words.replace("&", ""))
        box.addLayout(self._form)
        box.addWidget(self.outlook)
        box.addWidget(self.steps)
        self.go = primary(theme, self.tr("Start"), "play")
        cancel = secondary(theme, self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        self.go.clicked.connect(self._start)
        self.warnings.clicked.connect(self._show_findings)
        foot(self, buttons_row(cancel, self.warnings, self.go))

    def _connect(self) -> None:
        self.study.currentIndexChanged.connect(self._choose)
        self.host.editTextChanged.connect(self._changed)
        self.load.currentIndexChanged.connect(self._changed)
        for spin in (self.users, self.demand):
            spin.valueChanged.connect(self._changed)
        for edit in (self.splits, self.database, self.base, self.guest, self.guest_2, self.neighbour):
            edit.textChanged.connect(self._changed)
        self._question.answered.connect(self._show)
        self._question.failed.connect(self._fail)

    def _choose(self) -> None:
        """Ask for what the question needs, and for nothing else."""
        kind = STUDIES[self.study.currentData()]
        self.does.setText(kind.does)
        usual = next((row for row in range(self.load.count()) if self.load.itemData(row) in kind.loads), 0)
        self.load.setCurrentIndex(usual)
        for field in (self.users, self.demand):
            self._form.setRowVisible(field, kind.name == CAPACITY)
        self._form.setRowVisible(self.splits, kind.name != SCALE_UP)  # the schedulers' parameters stay as found
        self._form.setRowVisible(self.base, kind.name == OVERHEAD)
        for field in (self.guest, self.guest_2, self.neighbour):
            self._form.setRowVisible(field, kind.name == ISOLATION)
        confined = self.tr("1:1, where nothing stands here")
        shared = self.tr("{splits}, of three: I/O domain, guest, second guest").format(splits=" ".join(STANDARD_THREE))
        usual_splits = {OVERHEAD: confined, ISOLATION: shared}.get(kind.name, self.tr("the original settings"))
        self.splits.setPlaceholderText(usual_splits)
        self._changed()

    def _changed(self) -> None:
        """Read what is typed; the host is asked when it has stood still."""
        self._question.cancel()
        self.spec = None
        self.go.setEnabled(False)
        self.steps.clear()
        show_count(self.warnings, ())
        try:
            self.asked().to_spec()
        except SpecError as error:
            self._still.stop()
            self._say(sentences(str(error), error.hint), "danger")
            return
        self._say(self.tr("Asking the host what would be done\N{HORIZONTAL ELLIPSIS}"), "dim")
        self._still.start()

    def _ask(self) -> None:
        spec = self.asked().to_spec()
        self._question.ask("run", "-", "--dry-run", "--json", stdin=write_plan(spec).encode(), hosts=[spec.host_url])

    def _show(self, answer: DryRun) -> None:
        self._show_steps(answer)
        if answer.error:
            self._say(sentences(answer.error, answer.hint), "danger")
            return
        self.spec = self.asked().to_spec()
        words = self.tr("At least {n} trials, usually about {usual}, at most {most}. The host is restored afterwards.")
        if answer.facts is not None and answer.facts.simulated:
            words = self.tr("At least {n} trials, usually about {usual}, at most {most} of simulated time.")
        times = duration(answer.usual_s), duration(answer.worst_s)
        self._say(words.format(n=answer.visits, usual=times[0], most=times[1]), "")
        self.go.setEnabled(True)

    def _show_steps(self, answer: DryRun) -> None:
        """Show what preflight found, then what would be done, and count the warnings next to the start button."""
        findings = [f"{level_name(each.level)}: {sentences(each.text, each.hint)}" for each in answer.findings]
        rows = [(f"{setting_name(row.setting)}:", *(f"  {each}" for each in row.commands)) for row in answer.commands]
        self.steps.setPlainText("\n".join([*findings, *(line for row in rows for line in row)]))
        show_count(self.warnings, answer.findings)

    def _show_findings(self) -> None:
        scroll_to_top(self.steps)
        self.steps.verticalScrollBar().setValue(0)

    def _fail(self, error: SchedulerError) -> None:
        self._say(sentences(str(error), error.hint), "danger")

    def _say(self, words: str, role: str) -> None:
        self.outlook.setText(words)
        set_role(self.outlook, role)

    def _start(self) -> None:
        if self.spec is not None:
            self.start.emit(self.spec)
            self.accept()
