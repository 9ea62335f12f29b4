"""What is to be watched, and for how long."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.settings import Settings
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.watch.asked import EXAMPLE, HERE, Asked, wrong
from app.watch.host_field import HostField
from app.widgets.buttons import primary
from app.widgets.card import Card
from app.widgets.fold import Fold
from app.widgets.side_by_side import SideBySide
from app.wizard.choice_field import ChoiceField
from app.wizard.field import Field

_BESIDE_PX = 560
_STANDARD = "1h"


class AskCard(Card):
    """Asks nobody but the person.

    Args:
        theme: Colours.
        settings: The hosts that were used before.

    Signals:
        start: Begin to watch what stands here; it can be read, every word of it.
    """

    start = Signal()

    def __init__(self, theme: Theme, settings: Settings) -> None:
        super().__init__()
        self.named = HostField(settings, (HERE, EXAMPLE))
        self.host, self.wrong = self.named.box, self.named.message
        spans = {
            "5m": self.tr("5 minutes"),
            "1h": self.tr("1 hour"),
            "8h": self.tr("8 hours: a working day"),
            "24h": self.tr("24 hours"),
            "7d": self.tr("7 days: for a timetable"),
        }
        self.span = ChoiceField(self.tr("For how long"), spans)
        self.span.set_value(_STANDARD)
        obvious = self.tr("Empty: the host's obvious one.")
        self.io = Field(self.tr("Name of the I/O domain"), hint=obvious)
        self.guest = Field(self.tr("Name of the guest"), hint=obvious)
        counted = self.tr("Empty: none. Else its transactions are counted: one statement that only reads, every 10 s.")
        self.database = Field(self.tr("A PostgreSQL of yours"), hint=counted)
        self.database.edit.setPlaceholderText("postgresql://USER@HOST:5432/NAME")
        kept = self.tr("Empty: from PGPASSWORD or ~/.pgpass. Kept in memory only.")
        self.password = Field(self.tr("Its password"), hint=kept)
        self.password.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.button = primary(theme, self.tr("Start watching"), "play")
        self.more = self._make_more()
        self.fold = Fold(theme, self.tr("Domains and database"), self.more)
        self._lay_out()
        self.button.clicked.connect(self._press)
        for edit in (self.named.edit, self.io.edit, self.guest.edit, self.database.edit, self.password.edit):
            edit.returnPressed.connect(self._press)
        self.refresh()

    @property
    def asked(self) -> Asked:
        """What stands here."""
        return Asked(
            url=self.named.url,
            span=self.span.value,
            io=self.io.edit.text().strip(),
            guest=self.guest.edit.text().strip(),
            database=self.database.edit.text().strip(),
            password=self.password.edit.text(),
        )

    def refresh(self, url: str = "") -> None:
        """Offer the hosts that were used, and show one of them; an empty URL leaves what was typed."""
        self.named.refresh(url)

    def ready(self) -> bool:
        """Return whether all of it can be read; where not, say what is wrong beside it."""
        found = wrong(self.asked)
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

    def ask_for_guest(self, names: Sequence[str]) -> None:
        """Say that one of these has to be named as the guest."""
        self.fold.setChecked(True)
        self.guest.say(self.tr("One of: {names}").format(names=", ".join(names)))
        self.guest.edit.setFocus()
        self.guest.reveal()

    def _press(self) -> None:
        if self.ready():
            self.start.emit()

    def _make_more(self) -> QWidget:
        more = QWidget()
        box = QVBoxLayout(more)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        for left, right, wide in ((self.io, self.guest, 1), (self.database, self.password, 2)):
            pair = SideBySide(_BESIDE_PX)
            pair.add(left, wide, top=True)
            pair.add(right, 1, top=True)
            box.addWidget(pair)
        return more

    def _lay_out(self) -> None:
        first = SideBySide(_BESIDE_PX)
        first.add(self.named, 3, top=True)
        first.add(self.span, 1, top=True)
        foot = QHBoxLayout()
        foot.addWidget(self.fold)
        foot.addStretch(1)
        foot.addWidget(self.button)
        self.body.addWidget(first)
        self.body.addWidget(self.more)
        self.body.addLayout(foot)
