"""Says that sweeps were deleted and takes that back; stays until dismissed."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.theme.theme import Theme
from app.widgets.offer_bar import OfferBar


class DeletedBar(OfferBar):
    """Hidden until `show_deleted`.

    Signals:
        undo: Ids of the runs to take back.
    """

    undo = Signal(tuple)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "", "undo", parent)
        self.button.setText(self.tr("Undo"))
        self._run_ids: tuple[str, ...] = ()
        self.taken.connect(self._request_undo)

    def show_deleted(self, text: str, run_ids: tuple[str, ...]) -> None:
        """Say what was deleted."""
        self._run_ids = run_ids
        self.offer(text)

    def _request_undo(self) -> None:
        self.button.setEnabled(False)
        self.undo.emit(self._run_ids)
