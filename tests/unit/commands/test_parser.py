"""Laws of the command line: exit codes, what goes to which stream, and that bad input touches nothing."""

import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path
from urllib.parse import unquote

import psutil
import pytest

from scheduler.commands import sweep
from scheduler.model.lock_owner import LockOwner
from scheduler.model.split import GUEST, IO
from scheduler.run.journal import HostLock, UndoJournal, UndoRecord
from tests.settings import json_label
from tests.sshd import until

FAKE_OUT = "host.json"


def test_sweep_prints_its_table_and_exits_zero(call, plan):
    done = call("run", plan(), "--quiet")
    assert done.code == 0
    assert "baseline" in done.out
    assert "the original settings are restored and verified" in done.out
    assert done.err == ""


def test_json_is_one_object_with_every_promised_field(call, plan):
    answer = call("run", plan(), "--json", "--quiet").json
    assert answer["schema"] == "domtune-results/1"
    assert (answer["outcome"], answer["restored"], answer["simulated"]) == ("completed", True, True)
    assert answer["measured_s"] > 0
    point = {(json_label(p), p["load"]): p for p in answer["points"]}[("1:2", "osdb-ir")]
    assert {"mean_tps", "ci95_tps", "cv", "trials", "used_share", "valid", "reason"} <= point.keys()
    assert {"verdict", "setting", "equivalent", "confidence", "gain_frac", "reasons"} <= answer["answer"].keys()


def test_version_is_reported_without_a_word(call):
    done = call("--version")
    assert (done.code, done.out, done.err) == (0, f"domtune {version('domtune')}\n", "")


BAD = {
    "zero": {"splits": 'splits = ["0:1"]'},
    "half": {"splits": 'splits = ["1:"]'},
    "letters": {"splits": 'splits = ["a:b"]'},
    "negative": {"splits": 'splits = ["-1:2"]'},
    "far": {"splits": 'splits = ["1:100000"]'},
    "twice": {"splits": 'splits = ["1:2", "1:2"]'},
    "load": {"load": '[[load]]\nkind = "tpc-x"'},
    "key": {"load": 'colour = "red"'},
    "host": {"host": 'host = "vax:"'},
    "toml": {"host": "host = "},
    "too fine": {"splits": 'splits = ["1:90"]'},
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_exits_two_names_the_value_and_touches_nothing(call, plan, home, name):
    path = plan(**BAD[name])
    done = call("run", path)
    assert done.code == 2
    assert done.err.startswith("domtune: ")
    assert len(done.err.splitlines()) >= 2, "what to do is missing"
    assert not (home / "state" / "journal").exists() or not any((home / "state" / "journal").glob("*.json"))


def test_bad_input_is_an_object_too_when_json_was_asked_for(call, plan):
    done = call("run", plan(splits='splits = ["0:1"]'), "--json")
    assert done.code == 2
    assert (done.json["outcome"], done.json["restored"], done.json["points"]) == ("failed", True, [])
    assert "'0:1'" in done.json["reason"]


def test_dry_run_lists_every_command_and_touches_nothing(call, plan, home):
    answer = call("run", plan(), "--dry-run", "--json").json
    assert [row["setting"] for row in answer["commands"]] == ["baseline", "1:1", "1:2", "restore"]
    assert all(row["commands"] for row in answer["commands"])
    assert answer["best_s"] <= answer["worst_s"]
    assert not (home / "state" / "runs.sqlite3").exists()


@pytest.mark.parametrize("name", ["host", "too fine"])
def test_dry_run_ends_as_the_sweep_would(call, plan, name):
    path = plan(**BAD[name])
    dry = call("run", path, "--dry-run", "--json")
    assert dry.code == call("run", path).code == 2
    assert dry.json["error"]
    assert not dry.json["commands"]


def test_sweep_that_cannot_recover_the_host_reports_that_it_is_changed(call, plan, home):
    call("run", plan(), "--quiet")
    (lock,) = (home / "state" / "journal").glob("*.lock")
    lock.with_suffix(".json").write_text("{")
    done = call("run", plan(), "--json", "--quiet")
    assert done.code == 4
    assert done.json["restored"] is False
    shown = call("runs", done.json["run_id"])
    assert "NOT RESTORED" in shown.out
    assert "check the host by hand" in shown.out, "the run's warnings are missing"


def test_sweep_that_meets_another_claims_nothing_of_the_host(call, plan, home):
    call("run", plan(), "--quiet")
    (lock,) = (home / "state" / "journal").glob("*.lock")
    with HostLock(lock.parent, unquote(lock.stem), LockOwner.SWEEP):
        reported = call("run", plan(), "--quiet")
        done = call("run", plan(), "--quiet", "--json")
    assert (reported.code, done.code) == (5, 5)
    assert "reads back" not in (reported.out + reported.err).lower()
    assert "another sweep holds this host" in reported.err
    assert (done.json["restored"], done.json["busy"]) == (False, True)


def waits_for(child: subprocess.Popen, file: Path) -> bool:
    process = psutil.Process(child.pid)
    opened = [os.path.realpath(link) for link in Path(f"/proc/{child.pid}/fd").iterdir()]
    return str(file) in opened and process.status() == psutil.STATUS_SLEEPING


def test_restore_that_was_interrupted_reports_that_the_host_is_changed(home):
    pipe = home / "host.json"
    os.mkfifo(pipe)  # the made-up host answers when we write to it: never
    undo = UndoRecord(
        host_url=f"fake:{pipe}",
        host_id="fake",
        context={"path": str(pipe)},
        originals={IO: None, GUEST: None},
        armed_unix_s=1.0,
        pid=1,
    )
    UndoJournal(home / "state" / "journal", "fake").arm(undo)
    child = subprocess.Popen([sys.executable, "-m", "scheduler", "restore"])
    with pipe.open("wb"):
        # A signal that comes between Python's last look for one and the system call would wait for what is read.
        until(lambda: waits_for(child, pipe), time.monotonic() + 60, "it does not read")
        child.send_signal(signal.SIGINT)
        assert child.wait(60) == 4


def test_look_without_a_place_for_records_is_answered_with_an_object(call, home):
    (home / "state").mkdir()
    (home / "state" / "journal").write_text("a file in the way")
    looked = call("probe", f"fake:{home / FAKE_OUT}", "--json")
    assert looked.code == 1
    assert "cannot be made" in looked.json["error"]


def test_database_of_another_kind_is_refused_as_an_object_too(call):
    done = call("check-database", "oracle://u@h/db", "--json")
    assert (done.code, done.json["fine"]) == (2, False)
    assert "oracle://" in done.json["text"]


def test_plan_may_come_on_standard_input(call, plan):
    text = Path(plan()).read_text()
    assert call("run", "-", "--dry-run", "--json", stdin=text).json["trials"] == 3


def test_runs_are_listed_shown_and_exported(call, plan, home):
    run_id = call("run", plan(), "--json", "--quiet").json["run_id"]
    assert run_id in call("runs").out
    assert call("runs", "last", "--json").json["run_id"] == run_id
    for kind in ("csv", "json", "html", "plan"):
        done = call("export", run_id, "--to", kind, "--out", str(home / f"out.{kind}"))
        assert done.code == 0, done.err
        assert all((home / line).exists() for line in done.out.splitlines())


def test_unfinished_sweep_is_continued_where_it_stopped(call, plan, home, monkeypatch):
    path = plan(windows='protocol = "grid"\nrepeats = 2\nmeasure_s = 1\nsettle_s = 0\nload_settle_s = 0')
    original = sweep.DocumentRecorder.emit

    def die_after_three(self, document):
        original(self, document)
        if type(document).__name__ == "TrialDone" and document.trial == 2:
            raise sweep.StoreError("a full disk, as asked for")

    monkeypatch.setattr(sweep.DocumentRecorder, "emit", die_after_three)
    first = call("run", path, "--json", "--quiet")
    assert first.code == 1
    monkeypatch.setattr(sweep.DocumentRecorder, "emit", original)
    second = call("run", path, "--json", "--quiet", "--continue", first.json["run_id"])
    assert second.code == 0
    assert sum(point["trials"] for point in second.json["points"]) == 6
    assert call("run", path, "--continue", second.json["run_id"]).code == 1


def test_split_is_applied_read_back_and_reverted(call, plan):
    run_id = call("run", plan(), "--json", "--quiet").json["run_id"]
    preview = call("apply", run_id, "--split", "1:2", "--dry-run", "--json").json
    assert not preview["done"]
    applied = call("apply", run_id, "--split", "1:2", "--json").json
    assert applied["done"]
    assert all(change["read_back"] == change["after"] for change in applied["changes"])
    assert [(c["before"], c["after"]) for c in preview["changes"]] == [
        (c["before"], c["after"]) for c in applied["changes"]
    ]
    assert call("apply", run_id, "--split", "1:7").code == 2


def test_applied_split_is_what_the_next_sweep_finds_and_leaves(call, plan, home):
    run_id = call("run", plan(), "--json", "--quiet").json["run_id"]
    call("apply", run_id, "--split", "1:2")
    applied = (home / FAKE_OUT).read_bytes()
    assert call("run", plan(), "--quiet").code == 0
    assert (home / FAKE_OUT).read_bytes() == applied


@pytest.mark.parametrize("body", [b'name = "\xff"', b"#" * 1_000_001, b"name = "])
def test_plan_from_standard_input_that_is_no_plan_is_refused(call, body):
    called = call("run", "-", "--dry-run", stdin=body)
    assert called.code == 2
    assert "standard input" in called.err


@pytest.mark.parametrize("out", [".", "/", "..", "x/.."])
def test_export_to_no_name_is_refused(call, plan, out):
    run_id = call("run", plan(), "--json", "--quiet").json["run_id"]
    done = call("export", run_id, "--to", "csv", "--out", out)
    assert done.code == 2
    assert "--out" in done.err


def test_sweep_that_finds_the_results_damaged_reports_it_with_both_names(call, plan, home):
    call("run", plan(), "--quiet")
    store = home / "state" / "runs.sqlite3"
    body = bytearray(store.read_bytes())
    body[4096:20_480] = b"\xa5" * 16_384
    store.write_bytes(body)
    done = call("run", plan(), "--json", "--quiet")
    assert done.code == 0
    (kept,) = store.parent.glob("*.corrupt-*")
    (reported,) = [notice for notice in done.json["notices"] if "damaged" in notice]
    assert str(kept) in reported
    assert f"New runs are in {store}" in reported
    assert kept.read_bytes() == body
