"""Bar for an applied split: verify the split on the host, or revert it."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.core_process import CommandRunner, OneShotCommand
from app.display_texts import capitalise_first, format_clock
from app.theme.theme import Theme
from app.theme.tokens import SPACE_L, SPACE_M, SPACE_S
from app.widgets.buttons import secondary_button, tool_button
from app.widgets.labels import make_label
from app.widgets.message_bar import MessageBar
from app.widgets.split_bar import SplitTag
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import ApplyResult, RestoreItem
from scheduler.model.split import parse_split
from scheduler.translation import _

_TIMEOUT_S = 60.0


class AppliedBar(QFrame):
    """Bar for one host with an applied split.

    The bar is hidden until `show_applied` or `show_record`.

    Signals:
        changed: A split was applied or reverted.

    Args:
        theme: Colours.
        runner: Starts `revert`.
        parent: Qt's parent.
    """

    changed = Signal()

    def __init__(self, theme: Theme, runner: CommandRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("look", "bar-info")
        self._runner = runner
        self._url = ""
        self._job: OneShotCommand | None = None
        self.tag = SplitTag(theme)
        self.text = make_label("", "strong", wrap=True)
        self.verify = secondary_button(theme, _("Verify"), "check")
        self.revert = secondary_button(theme, _("Revert"), "undo")
        self.dismiss = tool_button(theme, _("Dismiss"), "close")
        self.message = MessageBar(theme)
        row = QHBoxLayout()
        row.setSpacing(SPACE_M)
        row.addWidget(self.tag)
        row.addWidget(self.text, 1)
        row.addWidget(self.verify)
        row.addWidget(self.revert)
        row.addWidget(self.dismiss)
        box = QVBoxLayout(self)
        box.setContentsMargins(SPACE_L, SPACE_M, SPACE_M, SPACE_M)
        box.setSpacing(SPACE_S)
        box.addLayout(row)
        box.addWidget(self.message)
        self.verify.clicked.connect(self._verify_split)
        self.revert.clicked.connect(self._revert_split)
        self.dismiss.clicked.connect(self.hide)
        self.hide()

    @property
    def busy(self) -> bool:
        """True while a `revert` command is running."""
        return self._job is not None and self._job.exit_code is None

    def show_applied(self, answer: ApplyResult) -> None:
        """Show a split that was just applied."""
        self._url = answer.host
        self.tag.set_split(parse_split(answer.split) if answer.split else None)
        self.text.setText(_("is active on {host} until the host restarts.").format(host=answer.host))
        self.tag.show()
        self._show_buttons()
        self.changed.emit()

    def show_record(self, item: RestoreItem, name: str) -> None:
        """Show since when a split is applied to a host.

        The record does not name the split.

        Args:
            item: Record of the applied split.
            name: Displayed name of the host.
        """
        self._url = item.host
        words = _("A split is applied to {host} since {when}. A sweep measures it as the original settings.")
        self.text.setText(words.format(host=name, when=format_clock(item.armed_unix_s)))
        self.tag.hide()
        self._show_buttons()

    def _show_buttons(self) -> None:
        for button in (self.verify, self.revert):
            button.show()
            button.setEnabled(True)
        self.message.clear()
        self.show()

    def _verify_split(self) -> None:
        """Compare the host's current settings with the record; nothing is written."""
        self._ask_core(["revert", self._url, "--dry-run", "--json"]).finished.connect(self._show_verified)

    def _revert_split(self) -> None:
        self._ask_core(["revert", self._url, "--json"]).finished.connect(self._show_reverted)

    def _ask_core(self, words: list[str]) -> OneShotCommand:
        self.verify.setEnabled(False)
        self.revert.setEnabled(False)
        self._job = self._runner.run_once(words, timeout_s=_TIMEOUT_S)
        return self._job

    def _read_answer(self) -> ApplyResult | None:
        """Return the core's answer, or show its error and return None."""
        self.verify.setEnabled(True)
        self.revert.setEnabled(True)
        try:
            answer = self._job.read(ApplyResult) if self._job else ApplyResult()
        except SchedulerError as error:
            self.message.show_error(error)
            return None
        if answer.error:
            self.message.say("error", capitalise_first(answer.error), answer.hint)
            return None
        return answer

    def _show_verified(self) -> None:
        answer = self._read_answer()
        if answer is None:
            return
        if not answer.changes:
            self.message.say("warning", capitalise_first(answer.remark), _("Revert removes the undo record."))
            return
        words = _("{domain} {parameter}: {now} now, {before} before")
        rows = [
            words.format(domain=row.domain, parameter=row.parameter, now=row.before, before=row.after)
            for row in answer.changes
            if row.before != row.after
        ]
        self.message.say("good", _("The split is active, as read from the host just now."), "; ".join(rows))

    def _show_reverted(self) -> None:
        answer = self._read_answer()
        if answer is None:
            return
        self.tag.hide()
        self.verify.hide()
        self.revert.hide()
        self.message.clear()
        self.text.setText(_("{host}: reverted and verified.").format(host=self._url))
        self.changed.emit()


class AppliedBars(QWidget):
    """A bar for each host with an applied split, until reverted or dismissed.

    A dismissed bar appears again at the next start.

    Signals:
        reverted: A split was reverted; the text of its bar.

    Args:
        theme: Colours.
        runner: Starts `revert`.
        parent: Qt's parent.
    """

    reverted = Signal(str)

    def __init__(self, theme: Theme, runner: CommandRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._runner = theme, runner
        self.bars: dict[str, AppliedBar] = {}
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, SPACE_S)
        self._box.setSpacing(SPACE_S)
        self.hide()

    def show_records(self, items: Sequence[RestoreItem], named: Mapping[str, str]) -> None:
        """Show a bar for each applied split, and remove the bars of reverted splits.

        Args:
            items: Records of all hosts.
            named: Host URL to displayed name.
        """
        applied = {item.host: item for item in items if item.state == "applied"}
        for url in [url for url, bar in self.bars.items() if url not in applied and not bar.busy]:
            bar = self.bars.pop(url)
            self._box.removeWidget(bar)
            bar.deleteLater()
        for url, item in applied.items():
            if url not in self.bars:
                self.bars[url] = bar = AppliedBar(self._theme, self._runner)
                bar.changed.connect(lambda bar=bar: self.reverted.emit(bar.text.text()))
                self._box.addWidget(bar)
                bar.show_record(item, named.get(url, url))
        self.setVisible(bool(self.bars))
