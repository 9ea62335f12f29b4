"""How long the window's own work takes per turn of the event loop, and how long it is away between turns.

A turn's own work is the time between waking up and going to sleep again (`awake` and `aboutToBlock` of the
event dispatcher): what the operating system's other programs cost is not in it, apart from being preempted.
"""

import time
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtCore import QAbstractEventDispatcher, QTimer


@dataclass
class Turns:
    """Watch the thread's event loop from `start` to `stop`.

    Attributes:
        work_s: Own work of each turn, seconds.
        gaps_s: Time between two turns of a timer that is due every 5 ms, beyond those 5 ms, seconds.
    """

    work_s: list[float] = field(default_factory=list)
    gaps_s: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._woke_s = time.perf_counter()
        self._beat_s = self._woke_s
        self._timer = QTimer()
        self._timer.setInterval(5)
        self._timer.timeout.connect(self._beat)

    def start(self) -> None:
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        dispatcher.awake.connect(self._awake)
        dispatcher.aboutToBlock.connect(self._asleep)
        self._woke_s = self._beat_s = time.perf_counter()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        dispatcher = QAbstractEventDispatcher.instance()
        assert dispatcher is not None
        dispatcher.awake.disconnect(self._awake)
        dispatcher.aboutToBlock.disconnect(self._asleep)

    def work_ms(self, percentile: float) -> float:
        return float(np.percentile(self.work_s, percentile)) * 1000

    def gap_ms(self, percentile: float) -> float:
        return float(np.percentile(self.gaps_s, percentile)) * 1000

    def _awake(self) -> None:
        self._woke_s = time.perf_counter()

    def _asleep(self) -> None:
        self.work_s.append(time.perf_counter() - self._woke_s)

    def _beat(self) -> None:
        now_s = time.perf_counter()
        self.gaps_s.append(max(0.0, now_s - self._beat_s - 0.005))
        self._beat_s = now_s
