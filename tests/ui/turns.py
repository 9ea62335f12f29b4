"""How long the window's own work takes per turn of the event loop, and how long it is away between turns.

A turn lasts from one going to sleep to the next (`aboutToBlock` of the event dispatcher; `awake` comes only after
the work with glib's). Its own work is the CPU time that the window's thread used in it: neither sleeping nor what
other programs take on a busy machine is in it.
"""

import time
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QAbstractEventDispatcher, QTimer


@dataclass
class Turns:
    """Watch the thread's event loop from `start` to `stop`.

    Attributes:
        work_s: Own work of each turn, CPU seconds of this thread.
        gaps_s: Time between two turns of a timer that is due every 5 ms, beyond those 5 ms, seconds.
    """

    work_s: list[float] = field(default_factory=list)
    gaps_s: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._slept_s = time.thread_time()
        self._beat_s = time.perf_counter()
        self._timer = QTimer()
        self._timer.setInterval(5)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        dispatcher.aboutToBlock.connect(self._asleep)
        self._slept_s, self._beat_s = time.thread_time(), time.perf_counter()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        dispatcher.aboutToBlock.disconnect(self._asleep)

    def work_ms(self, percentile: float) -> float:
        return float(np.percentile(self.work_s, percentile)) * 1000

    def gap_ms(self, percentile: float) -> float:
        return float(np.percentile(self.gaps_s, percentile)) * 1000

    def _asleep(self) -> None:
        now_s = time.thread_time()
        self.work_s.append(now_s - self._slept_s)
        self._slept_s = now_s

    def _beat(self) -> None:
        now_s = time.perf_counter()
        self.gaps_s.append(max(0.0, now_s - self._beat_s - 0.005))
        self._beat_s = now_s
