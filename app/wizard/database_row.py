"""One database of the user's own: URL, password, Check."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.core_process import CommandRunner
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_S
from app.widgets.buttons import secondary_button
from app.widgets.message_bar import MessageBar
from app.widgets.side_by_side import SideBySide
from app.wizard.command_query import CommandQuery
from app.wizard.field import FormField
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import DatabaseCheck

_CHECK_S = 30.0


class DatabaseRow(QWidget):
    """Fields and the answer of the last check, which goes away when something else is typed.

    Args:
        theme: Colours.
        runner: Starts the check.
        names: Labels with their mnemonics: `url`, `url_each` (where each load has one), `password`, `check`.
        parent: Qt's parent.

    Signals:
        typed: URL and password.
    """

    typed = Signal(str, str)

    def __init__(
        self, theme: Theme, runner: CommandRunner, names: dict[str, str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._check: CommandQuery[DatabaseCheck] = CommandQuery(runner, DatabaseCheck, _CHECK_S, self)
        self._names = names
        self.url = FormField(names["url"])
        self.set_each(each=False)
        self.password = FormField(names["password"], hint=self.tr("Kept in memory only, until DomTune closes."))
        self.password.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.check = secondary_button(theme, names["check"], "database")
        self.url.row.addWidget(self.check)
        self.answer = MessageBar(theme, closable=False)
        row = SideBySide(560)
        row.add(self.url, 3, top=True)
        row.add(self.password, 2, top=True)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, SPACE_S, 0, 0)
        box.setSpacing(SPACE_M)
        box.addWidget(row)
        box.addWidget(self.answer)
        self.url.typed.connect(self._store_input)
        self.password.typed.connect(self._store_input)
        self.check.clicked.connect(self.ask)
        self._check.began.connect(self._show_connecting)
        self._check.answered.connect(self._show_check)
        self._check.failed.connect(self._show_failure)
        self._check.ended.connect(lambda: self.check.setText(self._names["check"]))

    def set_each(self, *, each: bool) -> None:
        """Name the load where each has a database of its own; then the URL may be empty."""
        name = self._names["url_each" if each else "url"]
        self.url.name.setText(name)
        self.url.edit.setAccessibleName(name.replace("&", ""))
        words = self.tr("empty: the database that DomTune brings")
        self.url.edit.setPlaceholderText(words if each else "postgresql://USER@HOST:5432/NAME")

    def ask(self) -> None:
        """Check the database, or stop the check that runs; the password goes over standard input."""
        if self._check.busy:
            self._check.cancel()
            self.answer.clear()
            return
        url = self.url.edit.text().strip()
        self._check.ask("check-database", url, "--json", stdin=self.password.edit.text().encode() + b"\n")

    def _store_input(self) -> None:
        self._check.cancel()
        self.answer.clear()
        self.typed.emit(self.url.edit.text(), self.password.edit.text())

    def _show_connecting(self) -> None:
        self.check.setText(self.tr("Stop"))
        self.answer.say("info", self.tr("Connecting\N{HORIZONTAL ELLIPSIS}"))

    def _show_check(self, answer: DatabaseCheck) -> None:
        versions = ", ".join(f"{name} {number}" for name, number in answer.versions.items())
        hint = " ".join(part for part in (answer.hint, versions) if part)
        text = f"{answer.text[:1].upper()}{answer.text[1:]}"
        self.answer.say("good" if answer.fine else "error", text, hint)

    def _show_failure(self, error: SchedulerError) -> None:
        self.answer.show_error(error)
