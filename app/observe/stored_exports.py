"""Stored observations on the page: reading them, and the row of their exports."""

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.theme.theme import Theme
from app.theme.tokens import SPACE_M
from app.widgets.buttons import secondary_button
from scheduler import places
from scheduler.model.run_paths import RUN_FILE
from scheduler.store.observation_summary import ObservationRecord, build_record
from scheduler.store.run_store import RunStore
from scheduler.translation import _


def read_record(run_id: str) -> ObservationRecord:
    """Return a stored observation; call this in the background.

    Raises:
        StoreError: The run cannot be read, or is no observation.
    """
    with RunStore(places.store_path(), read_only=True) as store:
        entry = store.entry(run_id)
        record = build_record(run_id, entry.name, store.documents(run_id))
    return msgspec.structs.replace(record, origin=entry.origin)


class StoredExports(QWidget):
    """Row of buttons that save a stored observation.

    Args:
        theme: Colours.

    Signals:
        wanted: Kind of the export: `html`, `csv`, `json` or `RUN_FILE`.
    """

    wanted = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        kinds = {
            "html": _("Save report\N{HORIZONTAL ELLIPSIS}"),
            "csv": _("Windows as CSV\N{HORIZONTAL ELLIPSIS}"),
            "json": _("All lines as JSON\N{HORIZONTAL ELLIPSIS}"),
            RUN_FILE: _("Run file\N{HORIZONTAL ELLIPSIS}"),
        }
        self.buttons = {kind: secondary_button(theme, words, "export") for kind, words in kinds.items()}
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(SPACE_M)
        for kind, button in self.buttons.items():
            button.clicked.connect(lambda _checked, kind=kind: self.wanted.emit(kind))
            row.addWidget(button)
        row.addStretch(1)
