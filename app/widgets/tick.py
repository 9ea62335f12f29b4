"""The window's work comes a tick at a time: no two pieces, nor a piece and what the one before painted, in one turn."""

import time
from collections import deque
from typing import ClassVar

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

_BUSY_S = 0.002
_PATIENCE = 5  # a window that is always busy gets its pages made, too
_TICK_MS = 4  # the loop sleeps, and whatever the person does comes first


class Tick(QObject):
    """Runs out once, when those that wait for theirs already have had it, of all the window's ticks.

    From one to the next what is due is done and painted first, and then a moment passes: counted from the work itself,
    the next piece would be due while a slow computer still paints, and both would be one turn of the event loop. Where
    something else is done in that moment, an answer is shown, or a key pressed, it waits once more.

    Args:
        parent: Qt's parent.

    Signals:
        timeout: It is this one's turn.
    """

    timeout = Signal()

    _line: ClassVar[deque["Tick"]] = deque()
    _going: ClassVar[bool] = False
    _waited: ClassVar[int] = 0
    _since_s: ClassVar[float] = 0.0

    @property
    def waiting(self) -> bool:
        """True from `begin` until it runs out, or is given up."""
        return self in Tick._line

    def begin(self) -> None:
        """Run out when the others have."""
        if self not in Tick._line:
            Tick._line.append(self)
            Tick._go_on()

    def give_up(self) -> None:
        """Do not run out."""
        if self in Tick._line:
            Tick._line.remove(self)

    @staticmethod
    def _go_on() -> None:
        if not Tick._going:
            Tick._going = True
            QTimer.singleShot(0, Tick._rest)

    @staticmethod
    def _rest() -> None:
        Tick._since_s = time.thread_time()
        QTimer.singleShot(_TICK_MS, Tick._next)

    @staticmethod
    def _next() -> None:
        Tick._going = False
        if time.thread_time() - Tick._since_s > _BUSY_S and Tick._waited < _PATIENCE:
            Tick._waited += 1
            Tick._go_on()
            return
        Tick._waited = 0
        while Tick._line:
            first = Tick._line.popleft()
            if isValid(first):  # else it was thrown away with what it belonged to
                if Tick._line:
                    Tick._go_on()
                first.timeout.emit()
                return
