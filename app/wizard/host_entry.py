"""Dialogs that a host needs before it answers: accept its key, or type a password."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from app.core_process import CommandRunner
from app.theme.theme import Theme
from app.widgets.dialog_layout import show_dialog
from app.widgets.password_dialog import PasswordDialog
from app.wizard.command_query import CommandQuery
from app.wizard.key_dialog import KeyChangedDialog, KeyDialog
from scheduler.model.command_answers import HostProbe, HostProblem, TrustResult
from scheduler.translation import _

_TRUST_S = 60.0


class HostEntry(QObject):
    """Presenter of the dialog that a host needs before it can be probed.

    Args:
        theme: Colours.
        runner: Starts `trust`, and keeps passwords in memory.
        parent: Parent widget of the dialogs.

    Signals:
        again: The host can be probed again.
        failed: Error of `trust`.

    Attributes:
        dialog: The open dialog; None when there is none.
    """

    again = Signal()
    failed = Signal(object)

    def __init__(self, theme: Theme, runner: CommandRunner, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._runner = runner
        self._widget = parent
        self._url = ""
        self._trust: CommandQuery[TrustResult] = CommandQuery(runner, TrustResult, _TRUST_S, self)
        self._trust.answered.connect(lambda _: self.again.emit())
        self._trust.failed.connect(self.failed)
        self.dialog: QDialog | None = None

    def open_entry_dialog(self, url: str, probe: HostProbe) -> None:
        """Open the dialog for a host's problem, if there is one.

        Args:
            url: The host's URL.
            probe: Answer of the host, with its problem.
        """
        self._url = url
        match probe.problem:
            case HostProblem.KEY_UNKNOWN if probe.fingerprint:
                dialog = KeyDialog(self._theme, url, probe.fingerprint, self._widget)
                dialog.accepted.connect(lambda: self._accept_key(probe.fingerprint))
            case HostProblem.KEY_CHANGED:
                dialog = KeyChangedDialog(self._theme, probe.error, probe.hint, self._widget)
            case HostProblem.LOGIN:
                dialog = self._password_dialog(url, probe)
            case _:
                return
        self._open_dialog(dialog)

    def close(self) -> None:
        """Close the open dialog: the user types another host."""
        if self.dialog is not None:
            self.dialog.reject()

    def _password_dialog(self, url: str, probe: HostProbe) -> PasswordDialog:
        why = f"{probe.error[:1].upper()}{probe.error[1:]}."
        title, go_on = _("The host asks for a password"), _("Log in")
        dialog = PasswordDialog(self._theme, title, why, [url], go_on, self._widget)
        dialog.accepted.connect(lambda: self._log_in(url, dialog.secrets().get(url, "")))
        return dialog

    def _open_dialog(self, dialog: QDialog) -> None:
        self.close()
        self.dialog = dialog
        dialog.finished.connect(self._drop_dialog)
        show_dialog(dialog)

    def _drop_dialog(self) -> None:
        self.dialog = None

    def _accept_key(self, fingerprint: str) -> None:
        self._trust.ask("trust", self._url, "--fingerprint", fingerprint, "--json")

    def _log_in(self, url: str, secret: str) -> None:
        self._runner.secrets.keep(url, secret)
        if secret:
            self.again.emit()
