"""Python's cyclic garbage, collected in the window's thread alone.

Automatic collection runs in whichever thread happens to allocate. In the worker it would destroy what a closed page or
dialog left in cycles, widgets included, and Qt's widgets must not be destroyed outside their thread: the window died.
"""

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 200


class GarbageCollector(QObject):
    """Turns automatic collection off, and does it by a timer of the thread that makes this object."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(collect_garbage)
        self._timer.start(_EVERY_MS)


def collect_garbage() -> None:
    """Collect the oldest generation whose count is over Python's own threshold, as Python would (gc.get_threshold)."""
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if counts[generation] > thresholds[generation]:
            gc.collect(generation)
            return
