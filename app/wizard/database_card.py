"""Card for the loads' databases: the built-in database, or external ones."""

from collections.abc import Collection, Mapping

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QLineEdit, QRadioButton, QVBoxLayout, QWidget

from app.core_process import CommandRunner
from app.load_texts import load_name
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_S
from app.widgets.buttons import secondary_button
from app.widgets.card import Card
from app.widgets.labels import make_label
from app.widgets.message_bar import MessageBar
from app.widgets.side_by_side import SideBySide
from app.widgets.tab_order import set_tab_order_after
from app.wizard.command_query import CommandQuery
from app.wizard.field import FormField
from app.wizard.form_fields import DATABASE_KEYS
from app.wizard.key_texts import parameter_text
from app.wizard.wizard_state import WizardState
from scheduler.errors import SchedulerError
from scheduler.model.command_answers import DatabaseCheck
from scheduler.model.databases import DATABASES, STANDARD_DATABASE
from scheduler.model.load_kinds import LOAD_KINDS
from scheduler.translation import _

_CHECK_S = 30.0


class DatabaseRow(QWidget):
    """Fields of a database, with a check; each change clears the last answer.

    Args:
        theme: Colours.
        runner: Starts the check.
        names: Labels with their mnemonics: `url`, `url_each` (one database per load), `password`, `check`.
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
        self.password = FormField(names["password"], hint=_("Kept in memory only, until DomTune closes."))
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
        """Set the label for one database per load; then the URL may be empty."""
        name = self._names["url_each" if each else "url"]
        self.url.name.setText(name)
        self.url.edit.setAccessibleName(name.replace("&", ""))
        words = _("empty for the built-in database")
        self.url.edit.setPlaceholderText(words if each else "postgresql://USER@HOST:5432/NAME")

    def ask(self) -> None:
        """Check the database, or stop a running check.

        The password goes over standard input.
        """
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
        self.check.setText(_("Stop"))
        self.answer.say("info", _("Connecting\N{HORIZONTAL ELLIPSIS}"))

    def _show_check(self, answer: DatabaseCheck) -> None:
        versions = ", ".join(f"{name} {number}" for name, number in answer.versions.items())
        hint = " ".join(part for part in (answer.hint, versions) if part)
        text = f"{answer.text[:1].upper()}{answer.text[1:]}"
        self.answer.say("good" if answer.fine else "error", text, hint)

    def _show_failure(self, error: SchedulerError) -> None:
        self.answer.show_error(error)


_BESIDE_DOT_PX = 28  # where the text of a radio button begins


class DatabaseCard(Card):
    """Choice of one database for all loads, or one per load.

    Signals:
        changed: The form was changed.

    Attributes:
        rows: Load kind to its row; only the first load's until each load has a database of its own.
        brought: Kind of database to the button for its built-in server.
    """

    changed = Signal()

    def __init__(self, theme: Theme, state: WizardState, runner: CommandRunner) -> None:
        super().__init__(_("Database"))
        self._theme, self._state, self._runner = theme, state, runner
        self.embedded = QRadioButton(_("Use the built-in &database"))
        self.own = QRadioButton(_("Use a database of &yours"))
        installed = _("Use the &{database} of this computer")
        kinds = [kind for kind in DATABASES.values() if kind.built_in and kind.name != STANDARD_DATABASE]
        self.brought = {STANDARD_DATABASE: self.embedded}
        self.brought |= {kind.name: QRadioButton(installed.format(database=kind.title)) for kind in kinds}
        self._choices = (*self.brought.values(), self.own)
        group = QButtonGroup(self)
        for button in self._choices:
            group.addButton(button)
        self.each = QCheckBox(_("Use another database for &each load"))
        self.rows: dict[str, DatabaseRow] = {}
        self._hint = make_label("", "dim", wrap=True)
        for part in (self.embedded, self._hint, *self._choices[1:]):
            self.body.addWidget(part)
        self._rows = QVBoxLayout()
        self._rows.setSpacing(self.body.spacing())
        self.body.addLayout(self._rows)
        self.body.addWidget(self.each)
        self._make_rows([*LOAD_KINDS][:1])
        group.buttonClicked.connect(self._store_choice)
        self.each.clicked.connect(self._toggle_each)
        self.fill()

    def fill(self) -> None:
        """Show the form's databases; a load that is off copies the database of the others."""
        form = self._state.form
        on = form.loads_on or form.loads
        own = any(load["own"] == "yes" for load in on.values())
        first = next(iter(on))
        self.own.setChecked(own)
        for name, button in self.brought.items():
            button.setChecked(not own and on[first]["brought"] == name)
        several = len({(form.passwords.get(kind, ""), *map(load.get, DATABASE_KEYS)) for kind, load in on.items()}) > 1
        self.each.setChecked(several)
        if not several:
            self._set_all(on[first], form.passwords.get(first, ""))
        self._show_rows()

    def refresh(self) -> None:
        """Show the mistakes next to their URLs.

        A simulated host has no choice of databases.
        """
        self._show_rows()
        errors = {kind: self._state.messages.get(f"loads.{kind}.database", "") for kind in self.rows}
        if not self.each.isChecked():
            errors = dict.fromkeys(errors, next(filter(None, errors.values()), ""))
        for kind, row in self.rows.items():
            row.url.say(errors[kind])
        wrong = next(filter(None, errors.values()), "")
        if wrong and not self.own.isChecked():  # no visible row can show the mistake
            self._hint.setText(wrong)

    def _make_rows(self, kinds: Collection[str]) -> None:
        """Make missing rows of loads, and put all rows into the tab order."""
        if self.rows.keys() >= {*kinds}:
            return
        last: QWidget = self.own
        place = 0
        for number, kind in enumerate(LOAD_KINDS):
            if kind in kinds and kind not in self.rows:
                self.rows[kind] = self._make_row(kind, number)
                self._rows.insertWidget(place, self.rows[kind])
            if kind in self.rows:
                last, place = set_tab_order_after(last, self.rows[kind]), place + 1
        QWidget.setTabOrder(last, self.each)

    def _make_row(self, kind: str, number: int) -> DatabaseRow:
        first = number == 0
        each = (_("UR&L for {load}"), _("URL &for {load}"), _("URL for {load}"))[min(number, 2)]
        names = {
            "url": _("UR&L of the database"),
            "url_each": each.format(load=load_name(kind)),
            "password": _("Pass&word") if first else _("Password"),
            "check": _("Chec&k") if first else _("Check"),
        }
        row = DatabaseRow(self._theme, self._runner, names)
        row.typed.connect(lambda url, password: self._store_input(kind, url, password))
        return row

    def _store_input(self, kind: str, url: str, password: str) -> None:
        form, typed = self._state.form, {"own": "yes", "brought": STANDARD_DATABASE, "database": url}
        if self.each.isChecked():
            form.loads[kind] |= typed | {"own": parameter_text(bool(url.strip()))}
            form.passwords[kind] = password
        else:
            self._set_all(typed, password)
        self.changed.emit()

    def _store_choice(self) -> None:
        if not self.own.isChecked():
            self.each.setChecked(False)
        chosen = next((name for name, button in self.brought.items() if button.isChecked()), STANDARD_DATABASE)
        for load in self._state.form.loads.values():
            load |= {"own": parameter_text(self.own.isChecked()), "brought": chosen}
        self._show_rows()
        self.changed.emit()

    def _toggle_each(self) -> None:
        form, first = self._state.form, next(iter(self.rows))
        if self.each.isChecked():
            for load in form.loads.values():  # an empty URL means the built-in database
                load["own"] = parameter_text(bool(load["database"].strip()))
        else:
            self._set_all(form.loads[first] | {"own": "yes"}, form.passwords.get(first, ""))
        self._show_rows()
        self.changed.emit()

    def _set_all(self, source: Mapping[str, str], password: str) -> None:
        form, database = self._state.form, {key: source[key] for key in DATABASE_KEYS}
        for load in form.loads.values():
            load.update(database)
        form.passwords = dict.fromkeys(form.loads, password) if password else {}

    def _show_rows(self) -> None:
        each, choice = self.each.isChecked(), not self._state.form.simulated
        made = _("DomTune starts a PostgreSQL server in the guest for the sweep, and stops it afterwards.")
        simulated = _("The database is simulated like the rest of this host. No PostgreSQL is needed.")
        self._hint.setText(made if choice else simulated)
        self._hint.setContentsMargins(_BESIDE_DOT_PX if choice else 0, 0, 0, 0)
        for button in self._choices:
            button.setVisible(choice)
        if each:
            self._make_rows([*self._state.form.loads_on])
        for i, (kind, row) in enumerate(self.rows.items()):
            load = self._state.form.loads[kind]
            row.url.set_text(load["database"])
            row.password.set_text(self._state.form.passwords.get(kind, ""))
            row.set_each(each=each)
            row.setVisible(choice and self.own.isChecked() and (load["on"] == "yes" if each else i == 0))
        self.each.setVisible(choice and self.own.isChecked())
