"""The field for a host's URL, with the hosts that were used before."""

from collections.abc import Sequence

from PySide6.QtWidgets import QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from app.settings import Settings
from app.theme.tokens import SPACE_XS
from app.widgets.inputs import StillComboBox
from app.widgets.labels import make_label, tooltip_text
from app.wizard.field import FieldMessage
from scheduler.model.urls import redact_url

_HOST_PX = 200


class HostField(QWidget):
    """Asks no host anything.

    Args:
        settings: The hosts that were used before.
        more: URLs that are offered beside them.

    Attributes:
        edit: Where it is typed.
        box: Around it.
        message: What is wrong with it.
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
        """What stands there."""
        return self.box.currentText().strip()

    def refresh(self, url: str = "") -> None:
        """Offer the hosts that were used, and show one of them; an empty URL leaves what was typed."""
        known = [*dict.fromkeys((*self._settings.recent_hosts, *self._more))]
        now = url or self.url or known[0]
        self.box.clear()
        self.box.addItems(known)
        self.box.setEditText(now)
