"""Dialog that previews, applies, verifies and rechecks a split on a host."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.core_process import CommandRunner, OneShotCommand
from app.display_texts import escape_mnemonics, format_parameter, shorten_name, typeset_text
from app.pages.apply_target import HasApplyTarget
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.widgets.buttons import primary_button, secondary_button
from app.widgets.dialog_layout import add_dialog_buttons, add_dialog_column, buttons_row
from app.widgets.fold_button import FoldButton
from app.widgets.labels import make_label, make_selectable, tooltip_text
from app.widgets.message_bar import MessageBar
from app.widgets.split_bar import SplitTag
from app.widgets.table import TableData, TableView
from app.widgets.table_cells import CELL_ROLE, CellDelegate
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import ApplyResult, ParameterChange
from scheduler.model.split import Split
from scheduler.model.terminal_text import replace_controls
from scheduler.model.urls import redact_url
from scheduler.translation import _

NOW, NEW = 2, 3
"""Columns of a parameter's value before and after."""


class ChangeDelegate(CellDelegate):
    """Delegate that paints changed values bold and unchanged values dim.

    Args:
        theme: Colours.
        parent: Qt's parent.
    """

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Choose font weight and colour for a changed or an unchanged value."""
        super().initStyleOption(option, index)
        now, new = (index.sibling(index.row(), column).data(CELL_ROLE) for column in (NOW, NEW))
        if now != new:
            option.font.setWeight(QFont.Weight.DemiBold)
        else:
            dim = QColor(self._theme.palette.dim)
            option.palette.setColor(QPalette.ColorRole.Text, dim)
            option.palette.setColor(QPalette.ColorRole.HighlightedText, dim)


RECHECK_MS = 10_000
_WIDTH_PX = 648
_LETTERS = 28  # letters of the host's name on the button
_TABLE_PX = 224  # height of three parameters of two domains and the header
_COMMANDS_PX = 110
_TIMEOUT_S = 60.0


class DoubtBox(QWidget):
    """Reason against applying a split, with a box to accept the reason.

    The widget is hidden without a reason.

    Args:
        split: Label of the split.
    """

    def __init__(self, split: str) -> None:
        super().__init__()
        self.reason = make_label("", "warn", wrap=True)
        self.agreed = QCheckBox(_("Apply {split} anyway").format(split=split))
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        for part in (self.reason, self.agreed):
            box.addWidget(part)
        self.hide()

    def show_reason(self, reason: str) -> None:
        """Show a reason; hide the box for an empty one."""
        self.reason.setText(typeset_text(reason))
        self.setVisible(bool(reason))

    @property
    def is_settled(self) -> bool:
        """True without a reason, or after the user accepted it."""
        return self.agreed.isChecked() or not self.reason.text()


class ApplyDialog(QDialog):
    """Dialog that applies a split to a host.

    Signals:
        applied: `ApplyResult`, after the host was written and read back.

    Args:
        theme: Colours.
        runner: Starts the one-shot commands.
        target: Run whose split is applied to its host, or the host itself.
        split: Split to apply.
        parent: Qt's parent.
        more: Further arguments of `domtune apply`.
    """

    applied = Signal(object)

    def __init__(
        self,
        theme: Theme,
        runner: CommandRunner,
        target: HasApplyTarget,
        split: Split,
        parent: QWidget | None = None,
        *,
        more: Sequence[str] = (),
    ) -> None:
        super().__init__(parent)
        self._runner = runner
        self._words = ["apply", target.run_id, "--split", split.label, *more]
        self._of_run = target.run_id != target.host
        self._host = host = replace_controls(target.host_title)
        self._url = target.host
        self._job: OneShotCommand | None = None
        self.answer: ApplyResult | None = None
        self.setWindowTitle(_("Apply {split} to {host}").format(split=split.label, host=host))
        self.title = make_label(_("Apply {split} to {host}").format(split=split.label, host=host), "title", wrap=True)
        self.where = make_selectable(make_label(redact_url(target.host), "dim", wrap=True))
        self.tag = SplitTag(theme, split, "lead")
        self.table = TableView(_("Parameters: now and new"))
        self._delegate = ChangeDelegate(theme, self.table)
        self.table.setItemDelegate(self._delegate)
        self.table.setFixedHeight(_TABLE_PX)
        self.table.horizontalHeader().setStretchLastSection(True)
        self.note = make_label(self._persistence_text(), "dim", wrap=True)
        self.commands = self._make_commands(theme)
        self.fold = FoldButton(theme, _("Exact commands"), self.commands)
        self.recheck = QCheckBox(_("Verify again after 10 s"))
        self.recheck.setChecked(True)
        self.doubt = DoubtBox(split.label)
        self._applicable = False  # True once the host was read and has other values
        self.message = MessageBar(theme, closable=False)
        self.apply = primary_button(
            theme, _("Apply to {host}").format(host=escape_mnemonics(shorten_name(host, _LETTERS))), "apply"
        )
        self.apply.setToolTip(tooltip_text(self.title.text()))
        self.close_button = secondary_button(theme, _("Cancel"))
        self._lay_out()
        self.apply.setEnabled(False)
        self.apply.clicked.connect(self._apply_split)
        self.doubt.agreed.toggled.connect(self._update_button)
        self.close_button.clicked.connect(self.reject)
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(RECHECK_MS)
        self._again.timeout.connect(self._read_again)
        self.message.say("info", _("Reading the current settings of {host}\N{HORIZONTAL ELLIPSIS}").format(host=host))
        self._run_apply([*self._words, "--dry-run", "--json"], self._show_preview)

    def _make_commands(self, theme: Theme) -> QPlainTextEdit:
        commands = QPlainTextEdit()
        commands.setReadOnly(True)
        commands.setFont(theme.mono_font())
        commands.setAccessibleName(_("Exact commands"))
        commands.setFixedHeight(_COMMANDS_PX)
        return commands

    def show_doubt(self, doubt: str) -> None:
        """Show a reason against the split; empty for none.

        The user must accept the reason before applying.
        """
        self.doubt.show_reason(doubt)
        self._update_button()

    def reject(self) -> None:
        """Refuse to close while the host is being written.

        Otherwise the result and the Revert hint would be lost.
        """
        if self.close_button.isEnabled():
            super().reject()

    def _persistence_text(self) -> str:
        live = _("This changes the running host only. A reboot restores the original settings.")
        back = _("You can revert the split at any time, on the host's card on Home.")
        if self._of_run:
            back = _("You can revert the split at any time, here or on the host's card on Home.")
        keep = _("To keep the split after a reboot, use persist.sh from Export configuration on this page.")
        return f"{back} {live} {keep}"

    def _run_apply(self, words: list[str], then: object) -> None:
        self._job = self._runner.run_once(words, timeout_s=_TIMEOUT_S, hosts=(self._url,))
        self._job.finished.connect(then)

    def _read_answer(self) -> ApplyResult | None:
        """Return the core's answer, or show its error and return None."""
        try:
            answer = self._job.read(ApplyResult) if self._job else ApplyResult()
        except SchedulerError as error:
            self.message.show_error(error)
            return None
        if answer.error:
            self.message.say("error", answer.error, answer.hint)
            return None
        return answer

    def _show_preview(self) -> None:
        answer = self._read_answer()
        if answer is None:
            return
        self.message.clear()
        if answer.remark:
            self.message.say("warning", answer.remark)
        self._show_changes(answer.changes)
        self.commands.setPlainText("\n".join(answer.commands))
        if all(change.before == change.after for change in answer.changes):
            text = _("{host} already has these values. There is nothing to apply.").format(host=self._host)
            self.message.say("info", text, answer.remark)
            self.close_button.setText(_("Close"))
            return
        self._applicable = True
        self._update_button()
        (self.apply if self.apply.isEnabled() else self.doubt.agreed).setFocus()

    def _update_button(self) -> None:
        """Enable Apply after the preview shows changes and any doubt was accepted."""
        self.apply.setEnabled(self._applicable and self.doubt.is_settled)

    def _apply_split(self) -> None:
        self._applicable = False
        self._update_button()
        self.doubt.setEnabled(False)
        self.close_button.setEnabled(False)
        self.message.say("info", _("Applying and verifying\N{HORIZONTAL ELLIPSIS}"))
        self._run_apply([*self._words, "--json"], self._show_applied)

    def _show_applied(self) -> None:
        self.close_button.setEnabled(True)
        answer = self._read_answer()
        if answer is None:
            return
        self.answer = answer
        self._show_changes(answer.changes)
        self.close_button.setText(_("Close"))
        self.apply.hide()
        done = _("Applied and verified on {host}.").format(host=self._host)
        wait = _("DomTune reads the values again in 10 s.") if self.recheck.isChecked() else ""
        self.message.say("good", done, wait)
        if self.recheck.isChecked():
            self._again.start()
        self.applied.emit(answer)

    def _read_again(self) -> None:
        self._run_apply([*self._words, "--dry-run", "--json"], self._compare_again)

    def _compare_again(self) -> None:
        answer = self._read_answer()
        if answer is None:
            return
        moved = [change for change in answer.changes if change.before != change.after]
        if moved:
            self._show_changes(tuple(moved))
            text = _("{n} parameters have changed since.").format(n=len(moved))
            self.message.say(
                "error",
                text,
                _("Another program on {host} sets them. Find it, then apply the split again.").format(host=self._host),
            )
        else:
            self.message.say("good", _("Verified again after 10 s: all values are unchanged."))

    def _show_changes(self, changes: tuple[ParameterChange, ...]) -> None:
        headers = (_("Domain"), _("Parameter"), _("Now"), _("New"), _("Read back"))
        names = {"io": _("I/O domain"), "guest": _("Guest")}
        rows = [
            (names.get(change.domain, change.domain), change.parameter, *map(format_parameter, _change_values(change)))
            for change in changes
        ]
        self.table.set_table(TableData(headers, rows))

    def _lay_out(self) -> None:
        box = add_dialog_column(self, SPACE_M, wide_px=_WIDTH_PX)
        for part in (self.title, self.where, self.tag, self.doubt, self.note, self.table):
            box.addWidget(part)
        line = QHBoxLayout()
        line.addWidget(self.fold)
        line.addStretch(1)
        line.addWidget(self.recheck)
        box.addLayout(line)
        box.addWidget(self.commands)
        box.addWidget(self.message)
        box.addStretch(1)  # spare height goes here, not between the texts
        add_dialog_buttons(self, buttons_row(self.close_button, self.apply))


def _change_values(change: ParameterChange) -> tuple[str, str, str]:
    return change.before, change.after, change.read_back
