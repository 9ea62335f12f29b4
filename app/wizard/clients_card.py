"""Card for the clients: this computer, or the workers of a Dask cluster."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QMessageBox, QRadioButton, QVBoxLayout, QWidget

from app.core_process import CommandRunner
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_S
from app.widgets.buttons import secondary_button
from app.widgets.card import Card
from app.widgets.consent_question import ask_consent
from app.widgets.message_bar import MessageBar
from app.widgets.side_by_side import SideBySide
from app.wizard.choice_field import ChoiceField
from app.wizard.command_query import CommandQuery
from app.wizard.field import FieldMessage, FormField
from app.wizard.key_texts import (
    CLIENT_FILES,
    CLUSTER,
    INSECURE,
    has_encrypted_clients,
    list_client_workers,
    parameter_text,
)
from app.wizard.wizard_state import WizardState
from scheduler.errors import SchedulerError
from scheduler.model.clients import END, REMAINING, WAIT
from scheduler.model.command_answers import ClientsCheck
from scheduler.translation import _

_TEST_S = 60.0
_WIDE_PX = 560


class ClientsCard(Card):
    """Choice of the clients, with the cluster's fields and a test.

    Signals:
        changed: The form was changed.

    Attributes:
        question: The last question before a test; None before the first.
    """

    changed = Signal()

    def __init__(self, theme: Theme, state: WizardState, runner: CommandRunner) -> None:
        super().__init__(_("Clients"))
        self._state = state
        self._test: CommandQuery[ClientsCheck] = CommandQuery(runner, ClientsCheck, _TEST_S, self)
        self.here = QRadioButton(_("This computer"))
        self.cluster = QRadioButton(_("A Dask cluster"))
        self.message = FieldMessage()
        self.fields = self._build_fields()
        self.test = secondary_button(theme, _("Test"), "refresh")
        self.question: QMessageBox | None = None
        self.answer = MessageBar(theme, closable=False)
        self.insecure = QCheckBox(_("Allow no encryption: I trust that network and all users of this computer"))
        losses = {
            WAIT: _("wait for it"),
            REMAINING: _("continue without it"),
            END: _("end the sweep"),
        }
        self.on_loss = ChoiceField(_("When a worker is lost"), losses)
        self._lay_out()
        self._connect_signals()
        self.fill()

    def fill(self) -> None:
        """Show the form's clients."""
        texts = self._state.form.texts
        self.cluster.setChecked(texts[CLUSTER] == "yes")
        self.here.setChecked(texts[CLUSTER] != "yes")
        for path, field in self.fields.items():
            field.set_text(texts[path])
        self.insecure.setChecked(texts[INSECURE] == "yes")
        self.on_loss.set_value(texts["clients.on_loss"])
        self._show_parts()

    def refresh(self) -> None:
        """Show the mistakes next to their fields; hide the card for a simulated host."""
        self._show_parts()
        self.setVisible(not self._state.form.simulated)
        self.message.say(self._state.messages.get(CLUSTER, ""))
        for path, field in self.fields.items():
            field.say(self._state.messages.get(path, ""))

    def ask(self) -> None:
        """Start the test of the cluster, or stop a running test."""
        if self._test.busy:
            self._test.cancel()
            self.answer.clear()
            return
        address = self._state.form.texts["clients.scheduler"].strip()
        if address:
            self.question = ask_consent(self, address, self._connect_to_cluster)
        else:
            self._connect_to_cluster()

    def _connect_to_cluster(self) -> None:
        texts = self._state.form.texts
        words = [f"--worker={name}" for name in list_client_workers(texts)]
        if has_encrypted_clients(texts):
            words += [f"--{name.replace('_', '-')}={texts[f'clients.{name}'].strip()}" for name in CLIENT_FILES]
        words += ["--insecure"] if texts[INSECURE] == "yes" else []
        self._test.ask("check-clients", "--json", *words, "--", texts["clients.scheduler"].strip())

    def _build_fields(self) -> dict[str, FormField]:
        fields = {
            "clients.scheduler": FormField(_("Dask scheduler at")),
            "clients.workers": FormField(_("Workers")),
            "clients.ca_file": FormField(_("CA certificate")),
            "clients.cert_file": FormField(_("Client certificate")),
            "clients.key_file": FormField(_("Private key")),
        }
        fields["clients.scheduler"].edit.setPlaceholderText("tls://HOST:8786")
        fields["clients.workers"].edit.setPlaceholderText(_("all workers"))
        return fields

    def _lay_out(self) -> None:
        self.fields["clients.scheduler"].row.addWidget(self.test)
        where, files = SideBySide(_WIDE_PX), SideBySide(_WIDE_PX)
        for field, stretch in (
            (self.fields["clients.scheduler"], 3),
            (self.fields["clients.workers"], 2),
            (self.on_loss, 1),
        ):
            where.add(field, stretch, top=True)
        for name in CLIENT_FILES:
            files.add(self.fields[f"clients.{name}"], top=True)
        self._files, self._of_cluster = files, QWidget()
        box = QVBoxLayout(self._of_cluster)
        box.setContentsMargins(0, SPACE_S, 0, 0)
        box.setSpacing(SPACE_M)
        for part in (where, files, self.insecure, self.message, self.answer):
            box.addWidget(part)
        for part in (self.here, self.cluster, self._of_cluster):
            self.body.addWidget(part)

    def _connect_signals(self) -> None:
        group = QButtonGroup(self)
        group.addButton(self.here)
        group.addButton(self.cluster)
        group.buttonClicked.connect(self._store_input)
        for field in self.fields.values():
            field.typed.connect(self._store_input)
        self.insecure.clicked.connect(self._store_input)
        self.on_loss.chosen.connect(self._store_input)
        self.test.clicked.connect(self.ask)
        self._test.began.connect(self._began)
        self._test.answered.connect(self._show_state)
        self._test.failed.connect(self._show_failure)
        self._test.ended.connect(lambda: self.test.setText(_("Test")))

    def _store_input(self, *_: object) -> None:
        self._test.cancel()
        self.answer.clear()
        texts = self._state.form.texts
        texts |= {path: field.edit.text() for path, field in self.fields.items()}
        texts |= {
            CLUSTER: parameter_text(self.cluster.isChecked()),
            INSECURE: parameter_text(self.insecure.isChecked()),
        }
        texts["clients.on_loss"] = self.on_loss.value
        self._show_parts()
        self.changed.emit()

    def _show_parts(self) -> None:
        texts = self._state.form.texts
        self._of_cluster.setVisible(texts[CLUSTER] == "yes")
        self._files.setVisible(has_encrypted_clients(texts))
        self.insecure.setVisible(not has_encrypted_clients(texts))

    def _began(self) -> None:
        self.test.setText(_("Stop"))
        self.answer.say("info", _("Connecting\N{HORIZONTAL ELLIPSIS}"))

    def _show_state(self, answer: ClientsCheck) -> None:
        versions = ", ".join(f"{name} {number}" for name, number in answer.versions.items())
        hint = " ".join(part for part in (answer.hint, versions) if part)
        self.answer.say("good" if answer.fine else "error", f"{answer.text[:1].upper()}{answer.text[1:]}", hint)

    def _show_failure(self, error: SchedulerError) -> None:
        self.answer.show_error(error)
