"""The core behind a window, called in this process."""

import argparse
import io
import json
import os
import signal
import socket
from types import SimpleNamespace

import pytest

from scheduler.commands.core_command import core
from scheduler.model.clients import ClientsSpec
from scheduler.model.codec import BeginRun, encode_line
from scheduler.model.consent import NO_CONSENT, Consent
from scheduler.model.load import LoadSpec
from scheduler.model.setting import parse_split_setting
from scheduler.model.spec import RunSpec

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


def test_signal_while_the_core_waits_for_its_first_line_still_ends_the_sweep(home, handlers, monkeypatch, capfd):
    spec = RunSpec(host_url="sim:", settings=(parse_split_setting("1:1"),), loads=(LoadSpec("osdb-ir"),))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=Interrupted(encode_line(BeginRun(spec)))))
    assert core(argparse.Namespace()) == 3
    stopped = json.loads(capfd.readouterr().out.splitlines()[-1])
    assert (stopped["outcome"], stopped["reason"]) == ("aborted", "stopped by SIGTERM")


@pytest.mark.parametrize(
    "consent", [NO_CONSENT, Consent(commands=True), Consent(clients=True), Consent(unencrypted=True)]
)
def test_core_connects_to_no_dask_scheduler_without_consent(home, handlers, monkeypatch, capfd, consent):
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        clients = ClientsSpec(f"tcp://127.0.0.1:{stranger.getsockname()[1]}")
        loads = (LoadSpec("osdb-ir"),)
        spec = RunSpec(host_url="local:", settings=(parse_split_setting("1:1"),), loads=loads, clients=clients)
        begin = encode_line(BeginRun(spec, consent=consent))
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(begin)))
        assert core(argparse.Namespace()) not in (0, 3)
        stranger.settimeout(0)
        with pytest.raises(BlockingIOError):
            stranger.accept()
    stopped = json.loads(capfd.readouterr().out.splitlines()[-1])
    assert "clients.scheduler" in stopped["reason"]
    assert stopped["restored"]


def test_core_of_a_window_that_is_gone_while_its_host_is_silent_ends(home, handlers, monkeypatch, capfd):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        host = f"qemu+tcp://127.0.0.1:{silent.getsockname()[1]}/system"
        spec = RunSpec(host_url=host, settings=(parse_split_setting("1:1"),), loads=(LoadSpec("osdb-ir"),))
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(encode_line(BeginRun(spec)))))
        assert core(argparse.Namespace()) == 3
    stopped = json.loads(capfd.readouterr().out.splitlines()[-1])
    assert (stopped["outcome"], stopped["reason"], stopped["restored"]) == ("aborted", "the window is gone", True)
