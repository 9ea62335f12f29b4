"""How long the window's own work takes per turn of the event loop, and how long it is away between turns.

A turn lasts from one going to sleep to the next (`aboutToBlock` of the event dispatcher; `awake` comes only after
the work with glib's, and after the timers on the offscreen platform). Its own work is the CPU time that the window's
thread used in it, timers and painting included: neither sleeping nor what other programs take on a busy machine.
"""

import gc
import time

import numpy as np
from PySide6.QtCore import QAbstractEventDispatcher, QTimer


class OwnWork:
    """Watch the thread's event loop from `start` to `stop`, adding no turns to it.

    Attributes:
        work_s: Own work of each turn, CPU seconds of this thread.
    """

    def __init__(self) -> None:
        self.work_s: list[float] = []
        self._slept_s = time.thread_time()

    def start(self) -> None:
        gc.freeze()  # as the window does when it is up: what other tests left is not its to look through
        self._slept_s = time.thread_time()
        _dispatcher().aboutToBlock.connect(self._asleep)

    def stop(self) -> None:
        _dispatcher().aboutToBlock.disconnect(self._asleep)
        gc.unfreeze()

    def work_ms(self, percentile: float) -> float:
        return float(np.percentile(self.work_s, percentile)) * 1000

    def _asleep(self) -> None:
        now_s = time.thread_time()
        self.work_s.append(now_s - self._slept_s)
        self._slept_s = now_s


class Turns(OwnWork):
    """Watch the gaps, too, by a timer that is due every 5 ms.

    Attributes:
        gaps_s: Time between two turns of that timer, beyond those 5 ms, seconds.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gaps_s: list[float] = []
        self._beat_s = time.perf_counter()
        self._timer = QTimer()
        self._timer.setInterval(5)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        super().start()
        self._beat_s = time.perf_counter()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        super().stop()

    def gap_ms(self, percentile: float) -> float:
        return float(np.percentile(self.gaps_s, percentile)) * 1000

    def _beat(self) -> None:
        now_s = time.perf_counter()
        self.gaps_s.append(max(0.0, now_s - self._beat_s - 0.005))
        self._beat_s = now_s


def _dispatcher() -> QAbstractEventDispatcher:
    dispatcher = QAbstractEventDispatcher.instance()
    assert dispatcher is not None
    return dispatcher
