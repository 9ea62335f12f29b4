"""The window's own work per turn of the event loop, in CPU time: timers and painting included, other programs not.

A turn is what lies between two waits. Qt's dispatcher announces a wait by `aboutToBlock`; some (the one of the
offscreen platform) run timers after the wait and before `awake`, so only the way from wait to wait sees everything.
"""

import time

import numpy as np
from PySide6.QtCore import QAbstractEventDispatcher


class OwnWork:
    """Collects the CPU seconds of every turn from construction to `stop`."""

    def __init__(self) -> None:
        self.turns_s: list[float] = []
        self._dispatcher = QAbstractEventDispatcher.instance()
        self._since_s = time.thread_time()
        self._dispatcher.aboutToBlock.connect(self._wait)

    def stop(self) -> None:
        self._dispatcher.aboutToBlock.disconnect(self._wait)

    def percentile_ms(self, percent: float) -> float:
        return float(np.percentile(self.turns_s, percent)) * 1000

    def _wait(self) -> None:
        now_s = time.thread_time()
        self.turns_s.append(now_s - self._since_s)
        self._since_s = now_s
