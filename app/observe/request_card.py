"""Card that requests a host to watch or to follow, with all its terms."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from app.observe.observation_request import (
    DEFAULT_RANGE,
    FOLLOW_EXAMPLE_URL,
    LOCAL_URL,
    WATCH_EXAMPLE_URL,
    ObservationRequest,
    find_input_errors,
)
from app.settings import Settings
from app.theme.theme import Theme
from app.theme.tokens import SPACE_M, SPACE_XS
from app.widgets.buttons import primary_button
from app.widgets.card import Card
from app.widgets.fold_button import FoldButton
from app.widgets.inputs import StillComboBox
from app.widgets.labels import make_label, tooltip_text
from app.widgets.side_by_side import SideBySide
from app.wizard.choice_field import ChoiceField
from app.wizard.field import FieldMessage, FormField
from scheduler.model.sentence_texts import list_names
from scheduler.model.urls import redact_url
from scheduler.translation import _

_HOST_PX = 200


class HostField(QWidget):
    """Field for a host URL; it does not connect to the host.

    Args:
        settings: Settings with the used hosts.
        more: Additional URLs to offer.

    Attributes:
        edit: Text field.
        box: Combo box around the text field.
        message: Error about the URL.
    """

    def __init__(self, settings: Settings, more: Sequence[str]) -> None:
        super().__init__()
        self._settings, self._more = settings, more
        self.edit = QLineEdit()
        self.message = FieldMessage()
        self.box = box = StillComboBox()
        box.setEditable(True)
        box.setLineEdit(self.edit)
        box.setInsertPolicy(StillComboBox.InsertPolicy.NoInsert)
        box.setAccessibleName(_("Host URL"))
        box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        box.setMinimumWidth(_HOST_PX)
        box.editTextChanged.connect(lambda text: box.setToolTip(tooltip_text(redact_url(text))))
        heading = make_label(_("Host URL"), "dim")
        heading.setBuddy(box)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_XS)
        for part in (heading, box, self.message):
            column.addWidget(part)

    @property
    def url(self) -> str:
        """The entered URL."""
        return self.box.currentText().strip()

    def refresh(self, url: str = "") -> None:
        """Offer the used hosts and select a URL; an empty URL keeps the entered text."""
        known = [*dict.fromkeys((*self._settings.recent_hosts, *self._more))]
        now = url or self.url or known[0]
        self.box.clear()
        self.box.addItems(known)
        self.box.setEditText(now)
        self.edit.setCursorPosition(0)  # the start of a long URL names the host


_BESIDE_PX = 560
_WATCH, _FOLLOW = "watch", "follow"
_STANDARD = {_WATCH: "1h", _FOLLOW: "8h"}


class RequestCard(Card):
    """Form for a request to watch or to follow; it does not connect to the host.

    Args:
        theme: Colours.
        settings: Settings with the used hosts.

    Signals:
        start: Begin with the input, which is valid.
        mode_changed: True when the form asks for following.
    """

    start = Signal()
    mode_changed = Signal(bool)

    def __init__(self, theme: Theme, settings: Settings) -> None:
        super().__init__()
        self.host = HostField(settings, (LOCAL_URL, WATCH_EXAMPLE_URL, FOLLOW_EXAMPLE_URL))
        self._make_choices()
        self._make_fields()
        self.button = primary_button(theme, "", "play")
        self._terms = self._rows(((self.range, 1), (self.static, 1), (self.account, 1)))
        self.more = self._rows(((self.database, 2), (self.password, 1)), ((self.io, 1), (self.guest, 1)))
        self.fold = FoldButton(theme, _("Database and domains"), self.more)
        self._lay_out()
        self.button.clicked.connect(self._press)
        self.mode.chosen.connect(lambda mode: self.set_mode(follows=mode == _FOLLOW))
        for edit in (self.host.edit, *(field.edit for field in self._text_fields())):
            edit.returnPressed.connect(self._press)
        self.set_mode(follows=False)
        self.refresh()

    def _make_choices(self) -> None:
        modes = {_WATCH: _("Watch: read only"), _FOLLOW: _("Follow: change splits")}
        self.mode = ChoiceField(_("Task"), modes)
        spans = {
            "5m": _("5 minutes"),
            "1h": _("1 hour"),
            "8h": _("8 hours: a working day"),
            "24h": _("24 hours"),
            "7d": _("7 days"),
        }
        self.span = ChoiceField(_("Duration"), spans)
        self.span.set_value(_STANDARD[_WATCH])
        accounts = {
            "50": _("50 % (result soonest)"),
            "10": _("10 %"),
            "0": _("None (gain not measured)"),
        }
        self.account = ChoiceField(_("Time for the fixed split"), accounts)

    def _make_fields(self) -> None:
        bounds = _(
            "From the smallest to the largest share of the I/O domain, within 1:9..9:1. DomTune sets no other split."
        )
        self.range = FormField(_("Allowed splits"), hint=bounds)
        self.range.set_text(DEFAULT_RANGE)
        compared = _("Optional. Default: the original split. Best: the split that Watch recommends.")
        self.static = FormField(_("Fixed split for comparison"), hint=compared)
        self.static.edit.setPlaceholderText("1:2")
        counted = _("Optional. With a database, its throughput is measured (one read-only query every 10 s).")
        self.database = FormField(_("Database URL"), hint=counted)
        self.database.edit.setPlaceholderText("postgresql://USER@HOST:5432/NAME")
        kept = _("Optional. Default: from the environment or your password file. Kept in memory only.")
        self.password = FormField(_("Password"), hint=kept)
        self.password.edit.setEchoMode(QLineEdit.EchoMode.Password)
        obvious = _("Optional. Default: detected on the host.")
        self.io = FormField(_("Name of the I/O domain"), hint=obvious)
        self.guest = FormField(_("Name of the guest"), hint=obvious)

    @property
    def follows(self) -> bool:
        """True when the form asks for following."""
        return self.mode.value == _FOLLOW

    @property
    def asked(self) -> ObservationRequest:
        """The request that was entered."""
        return ObservationRequest(
            url=self.host.url,
            span=self.span.value,
            follows=self.follows,
            io=self.io.edit.text().strip(),
            guest=self.guest.edit.text().strip(),
            database=self.database.edit.text().strip(),
            password=self.password.edit.text(),
            range=self.range.edit.text().strip(),
            static=self.static.edit.text().strip(),
            account=self.account.value,
        )

    def set_mode(self, *, follows: bool) -> None:
        """Show the fields of watching or of following; keep a chosen duration."""
        before, now = (_WATCH, _FOLLOW) if follows else (_FOLLOW, _WATCH)
        if self.span.value == _STANDARD[before]:
            self.span.set_value(_STANDARD[now])
        self.mode.set_value(now)
        self._terms.setVisible(follows)
        self.button.setText(_("Check host…") if follows else _("Start watching"))
        self.mode_changed.emit(follows)

    def show_asked(self, asked: ObservationRequest) -> None:
        """Fill the form from a request; keep the entered duration and range."""
        self.set_mode(follows=asked.follows)
        self.refresh(asked.url)
        named = (asked.static, asked.database, asked.password, asked.io, asked.guest)
        for field, text in zip(self._text_fields()[1:], named, strict=True):
            field.set_text(text)

    def refresh(self, url: str = "") -> None:
        """Offer the used hosts and select a URL; an empty URL keeps the entered text."""
        self.host.refresh(url)

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

    def ask_for_guest(self, names: Sequence[str]) -> None:
        """Ask the user to choose one of these names as the guest."""
        self.fold.setChecked(True)
        self.guest.say(_("Choose one of: {names}").format(names=list_names(names)))
        self.guest.edit.setFocus()
        self.guest.reveal()

    def _press(self) -> None:
        if self.ready():
            self.start.emit()

    def _text_fields(self) -> tuple[FormField, ...]:
        return self.range, self.static, self.database, self.password, self.io, self.guest

    def _lay_out(self) -> None:
        foot = QHBoxLayout()
        foot.addWidget(self.fold)
        foot.addStretch(1)
        foot.addWidget(self.button)
        self.body.addWidget(self._rows(((self.host, 3), (self.mode, 1), (self.span, 1))))
        self.body.addWidget(self._terms)
        self.body.addWidget(self.more)
        self.body.addLayout(foot)

    def _rows(self, *rows: Sequence[tuple[QWidget, int]]) -> QWidget:
        """Return rows of widgets; each widget comes with its relative width."""
        made = QWidget()
        box = QVBoxLayout(made)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(SPACE_M)
        for row in rows:
            pair = SideBySide(_BESIDE_PX)
            for part, wide in row:
                pair.add(part, wide, top=True)
            box.addWidget(pair)
        return made
