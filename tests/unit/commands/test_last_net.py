"""Laws of what nobody foresaw: one broken record stops no other, a bug is told in words, and no file makes us wait."""

import os
import pty
import subprocess
import sys

import pytest

from scheduler.commands import parser, restore_command
from scheduler.hosts.fake import FakeHost, InjectedFaults
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import GUEST, IO
from scheduler.run.journal import UndoJournal, UndoRecord

SWEPT = CgroupParams(weight=7)


@pytest.fixture
def left(home):
    """Return a maker of hosts that a sweep left changed, with what was found in the record."""

    def left(name: str, **context: str) -> FakeHost:
        host = FakeHost(home / f"{name}.json", InjectedFaults(), lambda *_: None)
        found = {domain: host.read(domain) for domain in (IO, GUEST)}
        for domain in (IO, GUEST):
            host.write(domain, SWEPT)
        undo = UndoRecord(
            host_url=f"fake:{home}/{name}.json",
            host_id=name,
            context=context or host.context(),
            originals=found,
            armed_unix_s=1.7e9,
            pid=1,
        )
        UndoJournal(home / "state" / "journal", name).arm(undo)
        return host

    return left


def test_record_that_breaks_in_a_way_no_one_foresaw_stops_no_other(call, left):
    broken, whole = left("a", nothing="of what the adapter needs"), left("b")
    done = call("restore", "--json")
    assert done.code == 4
    assert {item["host_id"]: item["state"] for item in done.json["items"]} == {"a": "failed", "b": "restored"}
    assert "KeyError" in done.json["items"][0]["text"]
    assert whole.read(IO) != SWEPT
    assert broken.read(IO) == SWEPT
    assert call("restore").code == 4  # it is still due


def test_damaged_record_stops_no_other(call, left, home):
    left("a")
    whole = left("b")
    (home / "state" / "journal" / "a.json").write_bytes(b"{")
    assert call("restore").code == 4
    assert whole.read(IO) != SWEPT


@pytest.fixture
def with_a_bug(monkeypatch):
    def broken(_arguments):
        raise ValueError("top-secret in a message that nobody wrote for people")

    monkeypatch.setattr(parser, "_command_function", lambda word: broken)


def test_bug_is_reported_with_the_log_and_without_a_traceback(call, with_a_bug, home, caplog):
    done = call("runs")
    assert done.code == 1
    assert "a bug ended 'runs': ValueError" in done.err
    assert str(home / "state" / "domtune.log") in done.err
    assert "Traceback" not in done.err
    assert "top-secret" not in done.err
    assert caplog.records[-1].exc_info


def test_main_names_file_of_another_account_instead_of_a_bug(call, monkeypatch):
    def refused(_arguments):
        raise PermissionError(13, "Permission denied", "/root/home/state")

    monkeypatch.setattr(parser, "_command_function", lambda word: refused)
    done = call("runs")
    assert done.code == 1
    assert "'runs' may not use /root/home/state: Permission denied" in done.err
    assert "Another account" in done.err
    assert "bug" not in done.err


def test_bug_while_a_host_is_due_reports_it(call, with_a_bug, left):
    left("a")
    done = call("runs")
    assert done.code == 4
    assert "domtune restore" in done.err


def test_nothing_to_restore_names_the_folder_that_was_looked_into(call, home):
    done = call("restore")
    assert done.code == 0
    assert str(home / "state" / "journal") in done.out
    assert "no host" not in done.out


@pytest.mark.parametrize("words", [("restore",), ("restore", "--list")])
def test_records_that_cannot_be_looked_at_are_not_nothing(call, home, words):
    (home / "state").write_text("a file in the way")
    said = call(*words)
    assert said.code == 4
    assert str(home / "state" / "journal") in said.out
    answer = call(*words, "--json").json
    assert answer["clean"] is False
    assert answer["items"][0]["state"] == "failed"


def test_what_is_not_there_is_not_forgotten(call, left):
    left("a")
    refused = call("restore", "--forget", "b")
    assert refused.code == 2
    assert "Hosts with records: a." in refused.err
    assert call("restore", "--list").code == 4


@pytest.mark.parametrize(("said", "code", "state"), [("no", 3, 4), ("yes", 0, 0)])
def test_person_at_a_terminal_is_asked_before_a_record_is_forgotten(call, left, said, code, state):
    left("a")
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "scheduler", "restore", "--forget", "a"]
    child = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL)
    try:
        os.write(ours, f"{said}\n".encode())
        assert child.wait(60) == code
    finally:
        child.kill()
        child.wait()
        os.close(ours)
        os.close(theirs)
    assert call("restore", "--list").code == state


def test_whole_record_is_forgotten_by_its_url_and_what_it_reports_is_reported(call, left, home):
    left("a")
    done = call("restore", "--forget", f"fake:{home}/a.json")
    assert done.code == 0
    assert "weight 100" in done.out
    assert "Nothing was restored" in done.out
    assert call("restore", "--list").code == 0


def test_damaged_record_of_what_was_applied_stays_in_the_way_until_it_is_forgotten(call, plan, home):
    run_id = call("run", plan(), "--json", "--quiet").json["run_id"]
    url = f"fake:{home / 'host.json'}"
    assert call("apply", run_id, "--split", "1:2").code == 0
    (record,) = (home / "state" / "applied").glob("*.json")
    record.write_bytes(record.read_bytes()[:-5])
    for _ in range(2):
        assert call("revert", url).code == 4
        refused = call("apply", run_id, "--split", "1:1")
        assert refused.code == 4
        assert "--forget" in refused.err
    host_id = call("probe", url, "--json").json["facts"]["host_id"]
    assert call("restore", "--forget", host_id).code == 0
    assert call("revert", url).code == 2  # nothing is known to be applied
    assert call("apply", run_id, "--split", "1:1").code == 0


def test_whole_record_of_what_was_applied_is_not_forgotten(call, plan, home):
    run_id = call("run", plan(), "--json", "--quiet").json["run_id"]
    assert call("apply", run_id, "--split", "1:2").code == 0
    url = f"fake:{home / 'host.json'}"
    refused = call("restore", "--forget", url)
    assert refused.code == 2
    assert "domtune revert" in refused.err
    assert call("revert", url).code == 0


IN_THE_WAY = {
    "store": ("state/runs.sqlite3", ("runs",), 1, "not a regular file"),
    "plan": ("plan.toml", ("run", "{home}/plan.toml"), 2, "is a FIFO"),
    "machine": ("machine.json", ("probe", "sim:{home}/machine.json"), 5, "is a FIFO"),
    "record": ("state/journal/h.json", ("restore",), 4, "is a FIFO"),
    "lock": ("state/journal/h.lock", ("restore",), 4, "is a FIFO"),
}


@pytest.mark.parametrize("name", IN_THE_WAY)
def test_command_names_fifo_in_its_way_without_waiting(call, home, name):
    path, given, code, said = IN_THE_WAY[name]
    (home / path).parent.mkdir(parents=True, exist_ok=True)
    if name == "lock":
        (home / "state/journal/h.json").write_text("{}")
    os.mkfifo(home / path)
    done = call(*(word.format(home=home) for word in given))
    assert done.code == code, done
    assert said in done.out + done.err
    assert "Traceback" not in done.err


def test_runs_with_fifo_for_its_log_keeps_no_log(home):
    (home / "state").mkdir()
    os.mkfifo(home / "state/domtune.log")
    done = subprocess.run(
        [sys.executable, "-m", "scheduler", "runs"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done
    assert "no log is kept" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_what_the_program_keeps_is_for_no_one_else_to_read(home):
    home.chmod(0o755)
    (home / "state").mkdir()
    (home / "state").chmod(0o777)
    plan = home / "plan.toml"
    lines = (f'host = "fake:{home}/h.json"', 'splits = ["1:1"]', 'protocol = "grid"', "repeats = 1", "measure_s = 1")
    plan.write_text("\n".join((*lines, "settle_s = 0", "load_settle_s = 0", "[[load]]", 'kind = "osdb-ir"')))
    command = ["sh", "-c", 'umask 000; exec "$0" -m scheduler run "$1" --quiet', sys.executable, str(plan)]
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        started.wait(120)
    finally:
        started.kill()
        started.wait()
    kept = list((home / "state").rglob("*"))
    assert {path.name for path in kept} >= {"runs.sqlite3", "domtune.log", "journal"}
    open_to_others = [str(path) for path in [home / "state", *kept] if path.stat().st_mode & 0o077]
    assert open_to_others == []


def test_traceback_goes_to_the_log_and_not_to_the_terminal(home):
    program = "import logging; from scheduler.commands.parser import log_to_file; log_to_file(verbose=False); "
    program += "logging.error('a bug', exc_info=KeyError('as asked for')); logging.error('in words')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert "KeyError" in (home / "state" / "domtune.log").read_text()
    assert done.stderr == "ERROR: in words\n"


def test_groups_that_remain_on_this_computer_are_named_where_nothing_is_to_restore(call, monkeypatch):
    monkeypatch.setattr(restore_command, "existing_cgroups", lambda: ("/sys/fs/cgroup/cpu/domtune/io: no processes",))
    done = call("restore")
    assert done.code == 0
    assert "/sys/fs/cgroup/cpu/domtune/io" in done.out
    for reason in ("domtune revert", "domtune-cgroups remove", "another account or DOMTUNE_HOME"):
        assert reason in done.out
