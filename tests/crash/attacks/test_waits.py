"""The attack: a host is silent when a sweep looks at it first. An abort ends the wait within 5 s."""

import argparse

import pytest

from scheduler.commands.run_command import error_answer
from scheduler.errors import SweepAborted
from scheduler.hosts.xapi.xapi_url import SECRET
from tests.crash.attacks.waits import LIMIT_S, SILENT, hosts

pytestmark = pytest.mark.crash


def test_abort_ends_the_first_look_at_a_silent_host(tmp_path, monkeypatch):
    monkeypatch.setenv("DOMTUNE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(SECRET, "x")
    waits = list(hosts(tmp_path, {"silent": SILENT}))
    assert {wait.peer for wait in waits} == {"ssh", "XAPI", "libvirt"}
    assert {wait.ended for wait in waits} == {"SweepAborted"}
    assert [wait for wait in waits if wait.seconds is None or wait.seconds > LIMIT_S] == []


def test_sweep_that_is_aborted_before_it_began_reports_it_in_json():
    arguments = argparse.Namespace(plan="plan.toml", dry_run=False)
    answer = error_answer(
        arguments, SweepAborted("stopped by SIGINT", hint="The sweep did not start: nothing was changed.")
    )
    assert (answer.outcome, answer.restored, answer.run_id) == ("aborted", True, "")
