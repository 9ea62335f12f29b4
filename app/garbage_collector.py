"""Garbage collection of Python in the window's thread only.

Automatic collection runs in any thread that allocates. In the worker's thread, it would destroy widgets that a closed
page or dialog left in reference cycles. Qt's widgets must not be destroyed outside their thread: the window crashed.
"""

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 200


class GarbageCollector(QObject):
    """Timer that replaces automatic garbage collection in its own thread."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self)
        self._timer.timeout.connect(collect_garbage)
        self._timer.start(_EVERY_MS)


def collect_garbage() -> None:
    """Collect the oldest generation above its threshold, as Python does.

    The thresholds are Python's own (gc.get_threshold).
    """
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation in (2, 1, 0):
        if counts[generation] > thresholds[generation]:
            gc.collect(generation)
            return
