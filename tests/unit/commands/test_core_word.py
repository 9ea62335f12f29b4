"""The core behind a window, called in this process."""

import argparse
import io
import json
import os
import signal
from types import SimpleNamespace

import pytest

from scheduler.commands.core_word import core
from scheduler.model.codec import Begin, to_line
from scheduler.model.setting import split_setting
from scheduler.model.spec import LoadSpec, RunSpec

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupted(io.BytesIO):
    """Orders whose first line comes just after this process was asked to end."""

    def readline(self, size=-1):
        if self.tell() == 0:
            os.kill(os.getpid(), signal.SIGTERM)
        return super().readline(size)


@pytest.fixture
def handlers():
    before = {number: signal.getsignal(number) for number in SIGNALS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_that_a_signal_while_the_core_waits_for_its_first_line_still_ends_the_sweep(home, handlers, monkeypatch, capfd):
    spec = RunSpec(host_url="sim:", settings=(split_setting("1:1"),), loads=(LoadSpec("osdb-ir"),))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=Interrupted(to_line(Begin(spec)))))
    assert core(argparse.Namespace()) == 3
    stopped = json.loads(capfd.readouterr().out.splitlines()[-1])
    assert (stopped["outcome"], stopped["reason"]) == ("aborted", "stopped by SIGTERM")
