"""Card that requests a host to follow, with duration, range and comparison."""

from PySide6.QtWidgets import QHBoxLayout

from app.observe.follow_request import DEFAULT_RANGE, FollowRequest, find_input_errors
from app.observe.request_card import RequestCard
from app.settings import Settings
from app.theme.theme import Theme
from app.widgets.buttons import primary_button
from app.widgets.fold_button import FoldButton
from app.wizard.choice_field import ChoiceField
from app.wizard.field import FormField

_STANDARD = "8h"


class FollowRequestCard(RequestCard):
    """Form for a follow request; it does not connect to the host.

    Args:
        theme: Colours.
        settings: Settings with the used hosts.
    """

    def __init__(self, theme: Theme, settings: Settings) -> None:
        kept = self.tr("Empty: from the environment or the client's own file. Kept in memory only.")
        super().__init__(settings, kept)
        self.host = self.named
        self._make_fields()
        self.account = ChoiceField(self.tr("Part of the time for the static split"), self._account_choices())
        self.button = primary_button(theme, self.tr("Look, then ask me"), "eye")
        self.more = self._rows(((self.database, 2), (self.password, 1)), ((self.io, 1), (self.guest, 1)))
        self.fold = FoldButton(theme, self.tr("Database and domains"), self.more)
        self._lay_out()
        self.button.clicked.connect(self._press)
        for edit in (self.host.edit, *(field.edit for field in self._text_fields())):
            edit.returnPressed.connect(self._press)
        self.refresh()

    def _make_fields(self) -> None:
        self.span = ChoiceField(self.tr("For how long"), self._spans())
        self.span.set_value(_STANDARD)
        bounds = self.tr("From the least for the I/O domain to the most, within 1:9..9:1. No other is ever set.")
        self.range = FormField(self.tr("Splits that may be set"), hint=bounds)
        self.range.set_text(DEFAULT_RANGE)
        compared = self.tr("Empty: the split that is found. Best is the one that watching named.")
        self.static = FormField(self.tr("A static split to compare with"), hint=compared)
        self.static.edit.setPlaceholderText("1:2")
        counted = self.tr("Empty: none, and what following brings is not measured. Else one statement every 10 s.")
        self.database = FormField(self.tr("A PostgreSQL or MariaDB of yours"), hint=counted)
        self.database.edit.setPlaceholderText("postgresql://USER@HOST:5432/NAME")

    @property
    def asked(self) -> FollowRequest:
        """The request that was entered."""
        return FollowRequest(
            url=self.host.url,
            span=self.span.value,
            range=self.range.edit.text().strip(),
            static=self.static.edit.text().strip(),
            account=self.account.value,
            io=self.io.edit.text().strip(),
            guest=self.guest.edit.text().strip(),
            database=self.database.edit.text().strip(),
            password=self.password.edit.text(),
        )

    def show_asked(self, asked: FollowRequest) -> None:
        """Fill the form from a request; keep the entered duration and range."""
        self.refresh(asked.url)
        named = (asked.static, asked.database, asked.password, asked.io, asked.guest)
        for field, text in zip(self._text_fields()[1:], named, strict=True):
            field.set_text(text)

    def ready(self) -> bool:
        """Return True when the input is valid; otherwise show the errors at their fields."""
        found = find_input_errors(self.asked)
        self.host.message.say(found.get("host", ""))
        named = {"range": self.range, "static": self.static, "database": self.database}
        for name, field in named.items():
            field.say(found.get(name, ""))
            field.reveal()
        self.guest.say("")
        if "database" in found:
            self.fold.setChecked(True)
        first = next((field.edit for name, field in named.items() if name in found), None)
        if "host" in found:
            self.host.box.setFocus()
        elif first is not None:
            first.setFocus()
        return not found

    def _text_fields(self) -> tuple[FormField, ...]:
        return self.range, self.static, self.database, self.password, self.io, self.guest

    def _spans(self) -> dict[str, str]:
        return {
            "1h": self.tr("1 hour"),
            "8h": self.tr("8 hours: a working day"),
            "24h": self.tr("24 hours"),
            "7d": self.tr("7 days"),
        }

    def _account_choices(self) -> dict[str, str]:
        return {
            "50": self.tr("Half: what it brings is known first"),
            "10": self.tr("A tenth"),
            "0": self.tr("None: nothing is measured"),
        }

    def _lay_out(self) -> None:
        first = ((self.host, 3), (self.span, 1))
        second = ((self.range, 1), (self.static, 1), (self.account, 1))
        foot = QHBoxLayout()
        foot.addWidget(self.fold)
        foot.addStretch(1)
        foot.addWidget(self.button)
        self.body.addWidget(self._rows(first, second))
        self.body.addWidget(self.more)
        self.body.addLayout(foot)
