"""Says that a split is in force and offers to take it back; stays until dismissed."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.core_process import OneShot, Runner
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M, SPACE_S
from app.widgets.buttons import secondary, tool
from app.widgets.message_bar import MessageBar
from app.widgets.split_bar import SplitTag
from app.widgets.text import label
from scheduler.errors import SchedulerError
from scheduler.model.probe import Applied

_TIMEOUT_S = 60.0


class AppliedBar(QFrame):
    """Hidden until `show_applied`.

    Args:
        theme: Colours.
        runner: Starts `revert`.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, runner: Runner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "bar-info")
        self._runner = runner
        self._url = ""
        self._job: OneShot | None = None
        self.tag = SplitTag(theme, "")
        self.text = label("", "strong", wrap=True)
        self.revert = secondary(theme, self.tr("Revert"), "undo")
        self.dismiss = tool(theme, self.tr("Dismiss"), "close")
        self.message = MessageBar(theme)
        row = QHBoxLayout()
        row.setSpacing(SPACE_M)
        row.addWidget(self.tag)
        row.addWidget(self.text, 1)
        row.addWidget(self.revert)
        row.addWidget(self.dismiss)
        box = QVBoxLayout(self)
        box.setContentsMargins(SPACE_L, SPACE_M, SPACE_M, SPACE_M)
        box.setSpacing(SPACE_S)
        box.addLayout(row)
        box.addWidget(self.message)
        self.revert.clicked.connect(self._revert)
        self.dismiss.clicked.connect(self.hide)
        self.hide()

    def show_applied(self, answer: Applied) -> None:
        """Say what is in force now."""
        self._url = answer.host
        self.tag.set_split(answer.split)
        self.text.setText(self.tr("is in force on {host} until it restarts.").format(host=answer.host))
        self.tag.show()
        self.revert.show()
        self.revert.setEnabled(True)
        self.message.clear()
        self.show()

    def _revert(self) -> None:
        self.revert.setEnabled(False)
        self._job = self._runner.run_once(["revert", self._url, "--json"], timeout_s=_TIMEOUT_S)
        self._job.finished.connect(self._reverted)

    def _reverted(self) -> None:
        try:
            answer = self._job.read(Applied) if self._job else Applied()
        except SchedulerError as error:
            self.revert.setEnabled(True)
            self.message.say_error(error)
            return
        if not answer.done:
            self.revert.setEnabled(True)
            self.message.say("error", answer.error, answer.hint)
            return
        self.tag.hide()
        self.revert.hide()
        self.text.setText(self.tr("{host} is as it was before; read back.").format(host=self._url))
