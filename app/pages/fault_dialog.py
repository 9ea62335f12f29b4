"""Report of a fault in the window: cause, state of the host, and text to copy."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QWidget

from app.background import BackgroundWorker
from app.pages.about_dialog import version_report
from app.pages.window_frame import WindowFrame
from app.theme.theme import Theme
from app.widgets.buttons import secondary_button
from app.widgets.dialog_layout import add_dialog_buttons, add_dialog_column, close_row, show_dialog
from app.widgets.labels import make_label, make_selectable
from app.widgets.message_bar import MessageBar
from app.widgets.save_dialog import ask_save_path
from app.window_faults import WindowFault
from scheduler.translation import _

_WIDTH_PX = 620
_REPORT_PX = 220


class FaultDialog(QDialog):
    """Dialog with a fault report to copy or save.

    Args:
        theme: Colours.
        background: Writes the report.
        heading: Title of the dialog.
        fault: Description and place of the fault.
        host: Sentence about the state of hosts.
        parent: Qt's parent.
    """

    def __init__(
        self,
        theme: Theme,
        background: BackgroundWorker,
        heading: str,
        fault: WindowFault,
        host: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._background = background
        self.report = f"{version_report()}\n{fault.where}"
        self.setWindowTitle(_("Internal error"))
        box = add_dialog_column(self, wide_px=_WIDTH_PX)
        box.addWidget(make_label(heading, "title", wrap=True))
        box.addWidget(make_selectable(make_label(fault.what, "danger", wrap=True)))
        self.host = make_label(host, "strong", wrap=True)
        box.addWidget(self.host)
        words = _("This report contains versions and program locations. URLs in it have no passwords.")
        box.addWidget(make_label(words, "dim", wrap=True))
        self.text = QPlainTextEdit(self.report)
        self.text.setReadOnly(True)
        self.text.setFont(theme.mono_font())
        self.text.setAccessibleName(_("Report"))
        self.text.setFixedHeight(_REPORT_PX)
        box.addWidget(self.text)
        self.message = MessageBar(theme)
        box.addWidget(self.message)
        buttons = close_row(self)
        self.copy_button = secondary_button(theme, _("Copy"), "copy")
        self.save_button = secondary_button(theme, _("Save\N{HORIZONTAL ELLIPSIS}"))
        for button in (self.copy_button, self.save_button):
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        self.copy_button.clicked.connect(self._copy_report)
        self.save_button.clicked.connect(self._ask_where)
        add_dialog_buttons(self, buttons)

    def _copy_report(self) -> None:
        QGuiApplication.clipboard().setText(self.report)
        self.copy_button.setText(_("Copied"))

    def _ask_where(self) -> None:
        ask_save_path(self, _("Save the report"), "domtune-fault.txt", {"txt": _("Text")}, self.save)

    def save(self, path: Path) -> None:
        """Write the report to a file, and show the path or the error."""
        text = self.report
        done = _("Saved: {path}").format(path=path)
        failed = _("The report could not be saved: {why}")
        self._background.submit(
            lambda _: path.write_text(text, encoding="utf-8"),
            lambda _: self.message.say("good", done),
            lambda error: self.message.say("error", failed.format(why=error)),
        )


class FaultPresenter(QObject):
    """Presenter of one fault dialog at a time.

    A fault may repeat with each repaint, so further faults are ignored while the dialog is open.

    Args:
        window: Parent of the dialog.
        sweeping: Returns the host of the running sweep; empty when none is running.
    """

    def __init__(self, window: WindowFrame, sweeping: Callable[[], str]) -> None:
        super().__init__(window)
        self._window = window
        self._sweeping = sweeping
        self.dialog: FaultDialog | None = None

    def tell(self, fault: WindowFault) -> None:
        """Show a fault that happened just now."""
        if host := self._sweeping():
            safe = _("The sweep of {host} continues. Its process measures independently and restores the host.")
            self._show_dialog(_("DomTune has an internal error"), fault, safe.format(host=host))
        else:
            self._show_dialog(_("DomTune has an internal error"), fault, self._pending_restore_text())

    def tell_previous_crash(self, fault: WindowFault) -> None:
        """Show the fault that ended the previous window.

        The dialog waits until the banner has checked all hosts.
        """
        heading = _("DomTune closed unexpectedly last time")
        self._window.banner.checked.connect(
            lambda: self._show_dialog(heading, fault, self._pending_restore_text()),
            Qt.ConnectionType.SingleShotConnection,
        )

    def _pending_restore_text(self) -> str:
        if self._window.banner.due:
            return _("A host is not restored yet. Use Restore now in the red banner.")
        return _("No sweep is running, and no restore is pending.")

    def _show_dialog(self, heading: str, fault: WindowFault, host: str) -> None:
        if self.dialog is not None:
            return
        self.dialog = FaultDialog(self._window.theme, self._window.background, heading, fault, host, self._window)
        self.dialog.finished.connect(self._drop_dialog)
        show_dialog(self.dialog)

    def _drop_dialog(self) -> None:
        self.dialog = None
