"""Card that requests a host to watch and a duration."""

from PySide6.QtWidgets import QHBoxLayout

from app.observe.request_card import RequestCard
from app.observe.watch_request import WatchRequest, find_input_errors
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.buttons import primary_button
from app.widgets.fold_button import FoldButton
from app.wizard.choice_field import ChoiceField
from app.wizard.field import FormField

_STANDARD = "1h"


class WatchRequestCard(RequestCard):
    """Form for a watch request; it does not connect to the host.

    Args:
        theme: Colours.
        settings: Settings with the used hosts.
    """

    def __init__(self, theme: Theme, settings: Settings) -> None:
        super().__init__(settings, self.tr("Empty: from PGPASSWORD or ~/.pgpass. Kept in memory only."))
        self.host, self.wrong = self.named.box, self.named.message
        self._make_fields()
        self.button = primary_button(theme, self.tr("Start watching"), "play")
        self.more = self._rows(((self.io, 1), (self.guest, 1)), ((self.database, 2), (self.password, 1)))
        self.fold = FoldButton(theme, self.tr("Domains and database"), self.more)
        self._lay_out()
        self.button.clicked.connect(self._press)
        for edit in (self.named.edit, self.io.edit, self.guest.edit, self.database.edit, self.password.edit):
            edit.returnPressed.connect(self._press)
        self.refresh()

    def _make_fields(self) -> None:
        spans = {
            "5m": self.tr("5 minutes"),
            "1h": self.tr("1 hour"),
            "8h": self.tr("8 hours: a working day"),
            "24h": self.tr("24 hours"),
            "7d": self.tr("7 days: for a timetable"),
        }
        self.span = ChoiceField(self.tr("For how long"), spans)
        self.span.set_value(_STANDARD)
        counted = self.tr("Empty: none. Else its transactions are counted: one statement that only reads, every 10 s.")
        self.database = FormField(self.tr("A PostgreSQL of yours"), hint=counted)
        self.database.edit.setPlaceholderText("postgresql://USER@HOST:5432/NAME")

    @property
    def asked(self) -> WatchRequest:
        """The request that was entered."""
        return WatchRequest(
            url=self.named.url,
            span=self.span.value,
            io=self.io.edit.text().strip(),
            guest=self.guest.edit.text().strip(),
            database=self.database.edit.text().strip(),
            password=self.password.edit.text(),
        )

    def ready(self) -> bool:
        """Return True when the input is valid; otherwise show the errors at their fields."""
        found = find_input_errors(self.asked)
        self.wrong.say(found.get("host", ""))
        self.database.say(found.get("database", ""))
        self.database.reveal()
        self.guest.say("")
        if "database" in found:
            self.fold.setChecked(True)
            self.database.edit.setFocus()
        if "host" in found:
            self.host.setFocus()
        return not found

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.addWidget(self.fold)
        foot.addStretch(1)
        foot.addWidget(self.button)
        self.body.addWidget(self._rows(((self.named, 3), (self.span, 1))))
        self.body.addWidget(self.more)
        self.body.addLayout(foot)
