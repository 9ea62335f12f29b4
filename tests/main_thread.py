"""Python's cyclic garbage is collected in the tests' main thread alone, as it is in the window.

Closed windows are garbage. A worker thread that allocates while its own test runs would collect, and so destroy, what
an earlier test left, and Qt's widgets must not be destroyed outside their thread (`app/collecting.py`). Python runs
signal handlers in the main thread, so a timer that counts this process's CPU time does what the window's own does.
"""

import gc
import signal

from app.collecting import collect_what_is_due

_EVERY_CPU_S = 0.1


def collect_here() -> None:
    """Turn automatic collection off, and collect every tenth of a second of CPU time; children do not inherit that."""
    gc.disable()
    signal.signal(signal.SIGVTALRM, lambda *_: collect_what_is_due())
    signal.setitimer(signal.ITIMER_VIRTUAL, _EVERY_CPU_S, _EVERY_CPU_S)
