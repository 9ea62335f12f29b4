"""Processes that a test kills: a signal comes when its process is scheduled, and until then it holds what it holds."""

import os
import signal
import threading
import time

import psutil

_LIMIT_S = 30.0


def kill(pid: int) -> None:
    """Kill a process and wait until its files are closed, whether its parent has waited for it or not.

    Raises:
        AssertionError: It still lives after 30 s.
    """
    os.kill(pid, signal.SIGKILL)
    deadline_s = time.monotonic() + _LIMIT_S
    while not has_ended(pid):
        assert time.monotonic() < deadline_s, f"process {pid} was killed and still lives after {_LIMIT_S:g} s"
        threading.Event().wait(0.005)


def has_ended(pid: int) -> bool:
    """Tell whether nothing of a process is left but its exit status."""
    try:
        return psutil.Process(pid).status() in (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD)
    except psutil.NoSuchProcess:
        return True
