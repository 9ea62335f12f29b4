"""How long the window's own work takes per turn of the event loop, and how long it is away between turns.

A turn lasts from one going to sleep to the next (`aboutToBlock` of the event dispatcher; `awake` comes only after
the work with glib's, and after the timers on the offscreen platform). Its own work is the CPU time that the window's
thread used in it, timers and painting included: neither sleeping nor what other programs take on a busy machine.
"""

import gc
import threading
import time

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QAbstractEventDispatcher, QTimer

from app.garbage_collector import GarbageCollector

FRAME_MS = 16.0
OPENING_MS = 100.0  # of a page, once
_MOST = 2.5  # times the limit, on slow computers
_TICK_S = 0.015
_PEER_MS = 8.0  # 6 to 12 on two quiet cores


class OwnWork:
    """Watch the thread's event loop from `start` to `stop`, adding no turns to it.

    Args:
        most_ms: The limit of a turn, milliseconds.

    Attributes:
        work_s: Own work of each turn, CPU seconds of this thread.
    """

    def __init__(self, most_ms: float = FRAME_MS) -> None:
        self._most_ms = most_ms
        self.work_s: list[float] = []
        self._slept_s = time.thread_time()
        self._peer_ms: list[float] = []
        self._collector: GarbageCollector | None = None

    @property
    def limit_ms(self) -> float:
        """The limit of a turn; more where the plainest plot, drawn before and after, takes more than 8 ms.

        Others on the same cores and caches make CPU time longer, too, and most of all that of work after a sleep:
        without a peer in the same run the law would measure them.
        """
        return self._most_ms * min(_MOST, max(1.0, max(self._peer_ms) / _PEER_MS))

    def start(self) -> None:
        self._peer_ms.append(_peer_ms())
        gc.freeze()  # as the window does when it is up: what other tests left is not its to look through
        self._collector = GarbageCollector()  # its turns are the window's own work, too
        self._slept_s = time.thread_time()
        _dispatcher().aboutToBlock.connect(self._asleep)

    def stop(self) -> None:
        _dispatcher().aboutToBlock.disconnect(self._asleep)
        self._collector = None
        gc.unfreeze()
        self._peer_ms.append(_peer_ms())

    @property
    def longest_ms(self) -> list[float]:
        """The longest turns, for those who wonder which it was."""
        return [round(work_s * 1000, 1) for work_s in sorted(self.work_s, reverse=True)[:6]]

    def work_ms(self, percentile: float) -> float:
        return float(np.percentile(self.work_s, percentile)) * 1000

    def light(self, percentile: float) -> bool:
        """Return whether turns keep to the limit, but for as many as the percentile leaves out."""
        return self.work_ms(percentile) <= self.limit_ms

    def __repr__(self) -> str:
        costs = ", ".join(f"p{percentile:g} {self.work_ms(percentile):.1f}" for percentile in (50, 99, 99.9))
        return f"own work per turn {costs}, longest {self.longest_ms}, allowed {self.limit_ms:.1f} ms"

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


def _peer_ms() -> float:
    """Return how long a plain plot takes; one in five takes longer."""
    return float(np.percentile(plain_plots_ms(11), 80))


def plain_plots_ms(count: int, width: int = 640, height: int = 400) -> list[float]:
    """Return how long filling and painting a plain plot of pyqtgraph takes after a sleep, each time; CPU time."""
    plot = pg.PlotWidget()
    plot.resize(width, height)
    t_s = np.arange(200.0)
    costs_ms: list[float] = []
    for shift in range(count + 1):
        threading.Event().wait(_TICK_S)  # turns begin with cold caches, too
        began_s = time.thread_time()
        plot.clear()
        plot.plot(t_s, np.sin(t_s / 7 + shift))
        plot.grab()
        costs_ms.append((time.thread_time() - began_s) * 1000)
    plot.close()
    plot.deleteLater()
    return costs_ms[1:]  # the first makes it


def _dispatcher() -> QAbstractEventDispatcher:
    dispatcher = QAbstractEventDispatcher.instance()
    assert dispatcher is not None
    return dispatcher
