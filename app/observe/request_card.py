"""Common parts of the cards that request a host and its domains."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from app.observe.watch_request import EXAMPLE_URL, LOCAL_URL
from app.settings import Settings
from app.theme.tokens import SPACE_M, SPACE_XS
from app.widgets.card import Card
from app.widgets.fold_button import FoldButton
from app.widgets.inputs import StillComboBox
from app.widgets.labels import make_label, tooltip_text
from app.widgets.side_by_side import SideBySide
from app.wizard.field import FieldMessage, FormField
from scheduler.model.urls import redact_url

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
        box.setAccessibleName(self.tr("Host URL"))
        box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        box.setMinimumWidth(_HOST_PX)
        box.editTextChanged.connect(lambda text: box.setToolTip(tooltip_text(redact_url(text))))
        heading = make_label(self.tr("Host URL"), "dim")
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


_BESIDE_PX = 560


class RequestCard(Card):
    """Base of request cards; subclasses validate the input in `ready`.

    Args:
        settings: Settings with the used hosts.
        kept: Sentence about the source of a password that is not entered.

    Signals:
        start: Begin with the input, which is valid.
    """

    start = Signal()
    fold: FoldButton

    def __init__(self, settings: Settings, kept: str) -> None:
        super().__init__()
        self.named = HostField(settings, (LOCAL_URL, EXAMPLE_URL))
        obvious = self.tr("Empty: the host's obvious one.")
        self.io = FormField(self.tr("Name of the I/O domain"), hint=obvious)
        self.guest = FormField(self.tr("Name of the guest"), hint=obvious)
        self.password = FormField(self.tr("Its password"), hint=kept)
        self.password.edit.setEchoMode(QLineEdit.EchoMode.Password)

    def refresh(self, url: str = "") -> None:
        """Offer the used hosts and select a URL; an empty URL keeps the entered text."""
        self.named.refresh(url)

    def ready(self) -> bool:
        """Return True when the input is valid; otherwise show the errors at their fields."""
        raise NotImplementedError

    def ask_for_guest(self, names: Sequence[str]) -> None:
        """Ask the user to choose one of these names as the guest."""
        self.fold.setChecked(True)
        self.guest.say(self.tr("One of: {names}").format(names=", ".join(names)))
        self.guest.edit.setFocus()
        self.guest.reveal()

    def _press(self) -> None:
        if self.ready():
            self.start.emit()

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
