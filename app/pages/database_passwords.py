"""Passwords of a plan's databases, asked for before a sweep and never stored."""

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.theme.theme import Theme
from app.widgets.dialog_layout import show_dialog
from app.widgets.password_dialog import PasswordDialog
from scheduler.model.databases import database_url
from scheduler.model.spec import RunSpec
from scheduler.translation import _

Begin = Callable[[dict[str, str]], None]


class DatabasePasswords:
    """Passwords of a plan's databases, asked for in a dialog that does not block.

    Args:
        window: Parent of the dialog.
        theme: Colours.

    Attributes:
        dialog: The open dialog, or the last one; None before the first.
    """

    def __init__(self, window: QWidget, theme: Theme) -> None:
        self._window, self._theme = window, theme
        self.dialog: PasswordDialog | None = None

    def collect(self, spec: RunSpec, given: Mapping[str, str], begin: Begin) -> None:
        """Ask for missing database passwords, then call `begin` with all passwords.

        A plan may come from a stranger. The dialog therefore shows each server's name. An empty field means: the user
        agrees
        to send their own password to that server.

        Args:
            spec: The plan.
            given: Database URL to password, as typed in the wizard.
            begin: Called with database URL to password, unless the user cancels.
        """
        named = (*spec.study.databases, *(load.url for load in spec.loads))
        urls = dict.fromkeys(database_url(each) for each in named if each not in given)
        missing = [url for url in urls if url]
        if missing:
            self._ask(missing, lambda typed: begin({**given, **typed}))
        else:
            begin({**given})

    def _ask(self, databases: Sequence[str], begin: Begin) -> None:
        why = _(
            "DomTune does not store passwords with a sweep. An empty field sends your own password "
            "(~/.pgpass, PGPASSWORD, ~/.my.cnf, MYSQL_PWD) to that server. Leave a field empty only if you "
            "know the server."
        )
        title, button = _("Continue the sweep"), _("Continue")
        self.dialog = dialog = PasswordDialog(self._theme, title, why, databases, button, parent=self._window)
        dialog.accepted.connect(lambda: begin(dialog.secrets()))
        show_dialog(dialog)
