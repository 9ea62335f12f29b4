"""A host on which preflight finds errors: refused before it is touched, or run with the errors in the results."""

import argparse
import json
import os
from types import SimpleNamespace

import pytest

from scheduler.commands.core_command import core
from scheduler.commands.preflight import writing_findings
from scheduler.model.codec import BeginRun, encode_line
from scheduler.model.host_properties import PreflightFinding, Severity, StudyConcern
from scheduler.model.plan_file import read_plan_file


def journal_files(home):
    return list((home / "state" / "journal").glob("*.json"))


@pytest.fixture
def faulty(home, plan):
    """Return the path of a plan for a host with preflight errors and warnings."""

    def made(errors: int = 0, warnings: int = 0) -> str:
        return plan(host=f'host = "fake:{home / "faulty.json"}?errors={errors}&warnings={warnings}"')

    return made


def test_run_with_preflight_errors_is_refused_before_any_write(call, faulty, home):
    done = call("run", faulty(errors=2, warnings=1), "--quiet")
    assert done.code == 5
    assert "Preflight found 2 errors on the host: made-up error 1; made-up error 2" in done.err
    assert "Open the host without errors." in done.err
    assert "--despite-errors" in done.err
    assert not journal_files(home)
    assert call("runs", "--json").json["runs"] == []


def test_run_with_preflight_errors_prints_a_results_object_with_the_reason(call, faulty):
    done = call("run", faulty(errors=1), "--json")
    assert (done.code, done.json["outcome"], done.json["restored"]) == (5, "failed", True)
    assert "Preflight found an error on the host: made-up error 1" in done.json["reason"]


def test_run_despite_errors_keeps_errors_and_warnings_in_the_results(call, faulty):
    done = call("run", faulty(errors=1, warnings=1), "--despite-errors", "--json")
    assert (done.code, done.json["outcome"]) == (0, "completed")
    wanted = [
        "Run despite a preflight error: made-up error 1. Open the host without errors.",
        "Preflight: made-up warning 1. Open the host without warnings.",
    ]
    assert done.json["notices"][:2] == wanted
    assert [done.err.count(f"made-up {level} 1") for level in ("error", "warning")] == [1, 1]
    shown = call("runs", done.json["run_id"])
    assert all(f"warning: {text}" in shown.out for text in wanted)


def test_run_with_preflight_warnings_starts_and_prints_them_once(call, faulty):
    done = call("run", faulty(warnings=1), "--json")
    assert done.code == 0
    assert done.err.count("warning: Preflight: made-up warning 1") == 1
    assert any("made-up warning 1" in text for text in done.json["notices"])


def test_dry_run_with_preflight_errors_exits_five_and_lists_all(call, faulty):
    done = call("run", faulty(errors=1, warnings=1), "--dry-run", "--json")
    assert done.code == 5
    assert "made-up error 1" in done.json["error"]
    assert [finding["level"] for finding in done.json["findings"]][:2] == ["error", "warning"]
    assert done.json["commands"]
    assert call("run", faulty(errors=1), "--dry-run", "--despite-errors").code == 0


def test_core_refuses_a_host_with_preflight_errors_like_run(faulty, home, monkeypatch, capfd):
    spec = read_plan_file(faulty(errors=1))
    reader, writer = os.pipe()  # the window stays: its end would end the sweep
    os.write(writer, encode_line(BeginRun(spec)))
    with os.fdopen(reader, "rb") as orders, os.fdopen(writer, "wb"):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=orders))
        assert core(argparse.Namespace()) == 5
    notice, stopped = map(json.loads, capfd.readouterr().out.splitlines())
    assert "made-up error 1" in notice["text"]
    assert (stopped["outcome"], stopped["restored"], stopped["busy"]) == ("failed", True, False)
    assert not journal_files(home)


def limited(home, errors: int = 0, warnings: int = 0) -> str:
    """Return the URL of a host with limits, which can be followed, and with preflight errors and warnings."""
    path = home / "limited.json"
    params = {"dialect": "cgroup", "weight": 100, "quota_us": 50_000, "period_us": 100_000}
    path.write_text(json.dumps({"io": params, "guest": params}))
    return f"fake:{path}?errors={errors}&warnings={warnings}"


def test_probe_of_a_host_with_errors_exits_five_and_reports_why(call, home):
    done = call("probe", limited(home, errors=1), "--json")
    assert done.code == 5
    assert done.json["error"] == ""
    assert done.json["facts"]["findings"]
    assert "Preflight found an error on the host: made-up error 1" in done.json["refused"]
    assert "a sweep is refused: Preflight found an error" in call("probe", limited(home, errors=1)).out
    fine = call("probe", limited(home, warnings=1), "--json")
    assert (fine.code, fine.json["refused"]) == (0, "")


def test_apply_with_preflight_errors_is_refused_before_any_write(call, home):
    url = limited(home, errors=1)
    before = (home / "limited.json").read_text()
    for more in ((), ("--dry-run",)):
        done = call("apply", url, "--split", "1:2", *more)
        assert done.code == 5
        assert "Preflight found an error on the host: made-up error 1" in done.err
        assert f"use domtune apply {url} --despite-errors" in done.err
    assert (home / "limited.json").read_text() == before
    assert not list((home / "state").glob("applied/*.json"))


def test_apply_despite_errors_writes_and_names_them(call, home):
    url = limited(home, errors=1, warnings=1)
    done = call("apply", url, "--split", "1:2", "--despite-errors", "--json")
    assert (done.code, done.json["done"]) == (0, True)
    assert "Applied despite a preflight error: made-up error 1." in done.json["remark"]
    assert "Preflight: made-up warning 1." in done.json["remark"]
    assert call("revert", url).code == 0  # undoing is never refused


def test_follow_with_preflight_errors_is_refused_before_anyone_is_asked(call, home):
    url = limited(home, errors=1)
    before = (home / "limited.json").read_text()
    done = call("follow", url, "--for", "1m", "--yes", "--json")
    assert done.code == 5
    assert "Preflight found an error on the host: made-up error 1" in done.json["error"]
    assert "--despite-errors" in done.json["hint"]
    assert (home / "limited.json").read_text() == before
    assert not journal_files(home)


def test_writing_findings_leave_out_what_only_disturbs_a_measurement():
    busy = PreflightFinding(Severity.ERROR, "another domain is busy", concern=StudyConcern.MEASURING)
    apart = PreflightFinding(Severity.ERROR, "the domains share no CPU", concern=StudyConcern.COMPETITION)
    assert writing_findings([busy, apart]) == (apart,)
