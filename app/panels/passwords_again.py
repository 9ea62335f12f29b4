"""Passwords of databases are never stored: a sweep that goes on asks for them again."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from app.theme.theme import Theme
from app.widgets.dialog import bring_up
from app.widgets.password_dialog import PasswordDialog


def _tr(text: str) -> str:
    return QCoreApplication.translate("MainWindow", text)


def ask_again(
    parent: QWidget, theme: Theme, databases: Sequence[str], then: Callable[[dict[str, str]], None]
) -> PasswordDialog:
    """Ask for the passwords of these databases, then call `then` with those that were given. Nothing waits."""
    why = _tr(
        "Passwords are not stored with a sweep. Leave a field empty to send your own password (~/.pgpass, PGPASSWORD, "
        "~/.my.cnf, MYSQL_PWD) to that server. Do so only if you know the server."
    )
    asking = PasswordDialog(theme, _tr("Continue the sweep"), why, databases, _tr("Continue"), parent=parent)
    asking.accepted.connect(lambda: then(asking.secrets()))
    bring_up(asking)
    return asking
