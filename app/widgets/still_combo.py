"""A list to choose from that leaves the wheel to the page it stands on."""

from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox


class StillCombo(QComboBox):
    """Chosen from by click and keys: whoever scrolls the page over it must not choose by that."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave it to the page."""
        event.ignore()
