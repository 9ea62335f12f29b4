"""The heartbeat goes on when one cannot be sent."""

import threading

import pytest

from scheduler.errors import HostUnreachable
from scheduler.hosts.remote.guard_commands import REFUSED, GuardCommands
from scheduler.hosts.remote.guard_heartbeat import Heartbeat
from scheduler.hosts.remote.shell import CommandResult


class TroubledShell:
    """A way to a host whose guard has fired, and which is in trouble the first time."""

    where = "xen1"

    def __init__(self, trouble):
        self._trouble = trouble

    def run(self, argv, *, timeout_s=20.0, stdin=""):
        trouble, self._trouble = self._trouble, None
        if trouble is not None:
            raise trouble
        return CommandResult(REFUSED, "", "domtune-guard: the guard is not armed\n")

    def close(self):
        pass


@pytest.mark.parametrize("trouble", [HostUnreachable("cut"), OSError(28, "No space left on device")])
def test_next_beat_reports_what_became_of_the_guard(trouble):
    reported, reasons = threading.Event(), []

    def lost(reason):
        reasons.append(reason)
        reported.set()

    heart = Heartbeat(GuardCommands(TroubledShell(trouble)), "token", 0.4, lost)
    heart.start()
    assert reported.wait(60)
    assert reasons == ["the guard is not armed"]
