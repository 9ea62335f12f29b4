"""Red banner for hosts with a pending restore, above all pages."""

from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QTimer, Signal
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QWidget

from app.core_process import CommandRunner, OneShotCommand
from app.display_texts import format_clock
from app.pages.first_start import LOCAL
from app.pages.lock_owner_texts import pending_restore_words
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_S, SPACE_XL
from app.widgets.announcer import Announcer
from app.widgets.buttons import banner_button
from app.widgets.dialog_layout import add_dialog_buttons, add_dialog_column, close_row, show_dialog
from app.widgets.flow_layout import FlowLayout
from app.widgets.labels import make_label
from app.widgets.side_by_side import SideBySide
from app.widgets.table import TableData, TableView
from scheduler import places
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import RestoreItem, RestoreResult
from scheduler.translation import _

_RESTORE_S = 180.0
_SETTLE_MS = 300  # writing or removing a journal changes its folder several times
_ROOMY_PX = 640  # minimum width for text and buttons in one row
PENDING_STATES = frozenset({"armed", "failed", "corrupt"})


class RestoreBanner(QFrame):
    """Banner for hosts with a pending restore; hidden when there is none.

    `check()` asks the core for undo records; it is cheap when there is none. A record of a running process does not
    show the banner.

    Signals:
        notified: Level, text and hint for the window's message bar.
        news: The core's `RestoreResult`: undo records, applied splits, and runs whose end was recorded.
        checked: The banner is up to date.
    """

    notified = Signal(str, str, str)
    news = Signal(object)
    checked = Signal()

    def __init__(self, theme: Theme, runner: CommandRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._asked: OneShotCommand | None = None
        self._next: list[str] | None = None  # arguments of the next command while one is running
        self.due: tuple[RestoreItem, ...] = ()
        self.announcer = Announcer(self)
        self.setProperty("look", "banner")
        box = QHBoxLayout(self)
        box.setContentsMargins(SPACE_XL, SPACE_M, SPACE_XL, SPACE_M)
        box.setSpacing(SPACE_M)
        self.text = make_label("", "strong", wrap=True)
        self.restore_button = banner_button(theme, _("Restore now"), "restore", strong=True)
        self.show_button = banner_button(theme, _("Show the values to restore"))
        buttons = QWidget()
        row = FlowLayout(buttons)
        row.addWidget(self.show_button)
        row.addWidget(self.restore_button)
        parts = SideBySide(_ROOMY_PX)
        parts.add(self.text)
        parts.add(buttons, 0)
        box.addWidget(parts)
        self.restore_button.clicked.connect(self.restore)
        self.show_button.clicked.connect(self.show_originals)
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(_SETTLE_MS)
        self._settle.timeout.connect(self.check)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._settle.start)
        self.hide()

    def check(self, *, surely: bool = False) -> None:
        """Check for undo records and show the hosts with a pending restore.

        The core is asked only if there are record files, if a folder cannot be read, or with `surely`. The core also
        records the end of interrupted runs that left nothing on their host.
        """
        try:
            there = [self._records_in(folder) for folder in (places.journal_dir(), places.applied_dir())]
            nothing = not any(there)
        except OSError:
            nothing = False  # the folder cannot be read: the core reports the reason
        if nothing and not surely:
            self.show_items(())
            self.news.emit(RestoreResult(clean=True))
            self.checked.emit()
            return
        self._ask_core(["restore", "--list", "--json"])

    def _records_in(self, folder: Path) -> list[Path]:
        if folder.is_dir() and str(folder) not in self._watcher.directories():
            self._watcher.addPath(str(folder))
        return places.list_records(folder)

    def rest(self) -> None:
        """Stop checking for records: the window closes."""
        self._watcher.blockSignals(True)
        self._settle.stop()
        self._next = None

    def restore(self) -> None:
        """Restore all hosts with a pending restore."""
        self.restore_button.setEnabled(False)
        self._ask_core(["restore", "--json"])

    def _ask_core(self, words: list[str]) -> None:
        if self._asked is not None:
            restoring = self._next is not None and "--list" not in self._next
            self._next = self._next if restoring else words  # a press of the button must not be lost
            return
        self._asked = self._runner.run_once(words, timeout_s=_RESTORE_S, hosts=[item.host for item in self.due])
        self._asked.finished.connect(self._take_answer)

    def _take_answer(self) -> None:
        asked, self._asked = self._asked, None
        following, self._next = self._next, None
        self.restore_button.setEnabled(following is None or "--list" in following)
        if asked is None:
            return
        restoring = "--list" not in asked.words
        try:
            answer = asked.read(RestoreResult)
        except SchedulerError as error:
            self.notified.emit("error", str(error), error.hint)
        else:
            self.show_items(tuple(item for item in answer.items if item.state in PENDING_STATES))
            self.news.emit(answer)
            if restoring:
                self._report_outcome(answer)
        self.checked.emit()
        if following is not None:
            self._ask_core(following)

    def _report_outcome(self, answer: RestoreResult) -> None:
        back = [self._host_name(item) for item in answer.items if item.state == "restored"]
        if back and not self.due:
            self.notified.emit("good", _("{hosts}: restored and verified.").format(hosts=", ".join(back)), "")
        for item in self.due:
            text = _("{host} could not be restored: {why}").format(host=self._host_name(item), why=item.text)
            self.notified.emit(
                "error", text, _("Fix the cause, then restore again. The original settings are still saved.")
            )

    def show_items(self, due: tuple[RestoreItem, ...]) -> None:
        """Show the hosts of these undo records; hide the banner when there is none."""
        self.due = due
        if due:
            first, *others = due
            more = _("Other hosts with a pending restore: {n}.").format(n=len(others)) if others else ""
            self.text.setText(f"{self._item_text(first)} {more}".rstrip())
            self.setAccessibleName(self.text.text())
            self.announcer.say(self.text.text())
        else:
            self.announcer.forget()
        self.setVisible(bool(due))

    def _item_text(self, item: RestoreItem) -> str:
        if item.armed_unix_s:
            return pending_restore_words(item.by).format(
                host=self._host_name(item), when=format_clock(item.armed_unix_s)
            )
        text = _("{host} may still have settings from an interrupted sweep or from following: {why}")
        return text.format(host=self._host_name(item), why=item.text)

    def _host_name(self, item: RestoreItem) -> str:
        """Return the displayed name of a record's host.

        If the record is unreadable, only the host's id is known.
        """
        if item.host == LOCAL:
            return _("This computer")
        return item.host or item.host_id or _("A host")

    def show_originals(self) -> None:
        """Show the settings that "Restore now" would write."""
        show_dialog(OriginalsDialog(self.due, self.window()))


class OriginalsDialog(QDialog):
    """Dialog with the settings that "Restore now" would write, per host and domain."""

    def __init__(self, items: tuple[RestoreItem, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Values to restore"))
        self.resize(640, 320)
        box = add_dialog_column(self, SPACE_S)
        box.addWidget(make_label(self.windowTitle(), "title"))
        words = _("These original settings were saved before anything was changed.")
        box.addWidget(make_label(words, "dim", wrap=True))
        rows = [
            (item.host or item.host_id, domain, original)
            for item in items
            for domain, original in (item.would_write or {"": item.text}).items()
        ]
        table = TableData((_("Host"), _("Domain"), _("Original")), rows)
        self.table = TableView(self.windowTitle(), table)
        self.table.horizontalHeader().setStretchLastSection(True)
        box.addWidget(self.table, 1)
        add_dialog_buttons(self, close_row(self))
