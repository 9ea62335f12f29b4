"""What may go wrong on a Xen host; the toolstack's programs are doubles, everything else is real."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from scheduler.errors import DomainGone, GuardFired, HostBusy, HostNotUsable, ParameterRefused, RestoreFailed
from scheduler.hosts.remote.guard_state import look
from scheduler.hosts.remote.guard_words import Words
from scheduler.hosts.remote.host_keys import fetch_key, trust
from scheduler.hosts.remote.local_shell import LocalShell
from scheduler.hosts.remote.ssh_url import parse_target
from scheduler.hosts.xen.host import open_host, reopen_host
from scheduler.model.facts import Level
from scheduler.model.params import Credit2Params, SedfParams
from scheduler.model.split import GUEST, IO
from scheduler.run.lease import put_back
from tests.sshd import Agent, Sshd
from tests.xen_double.state import GUEST_UUID

REPO = Path(__file__).resolve().parents[3]
WANTED = Credit2Params(weight=700, cap_pct=40)
FOUND = Credit2Params(weight=256)

# A sweep that writes, says what `restore` needs, and is killed.
DIES = """
import json, sys
from scheduler.hosts.remote.ssh_url import parse_target
from scheduler.hosts.xen.host import open_host
from scheduler.model.params import Credit2Params
host = open_host("xl:", lambda *_: None, "", "", "")
host.facts()
context = dict(host.context())
host.boot()
for domain in ("io", "guest"):
    host.write(domain, Credit2Params(weight=700, cap_pct=40))
print(json.dumps(context), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def host(double):
    host = open_host("xl:", lambda *_: None, "", "", "")
    yield host
    host.close()


@pytest.fixture
def sshd(double, tmp_path, monkeypatch):
    sshd = Sshd(tmp_path / "sshd")
    sshd.start()
    agent = Agent(sshd.folder, sshd.folder / "user_key")
    monkeypatch.setenv("SSH_AUTH_SOCK", str(agent.socket))
    target = parse_target(sshd.url)
    trust(target, fetch_key(target).fingerprint)
    yield sshd
    agent.stop()
    sshd.stop()


@pytest.fixture
def guard(tmp_path):
    shell = LocalShell()
    yield lambda: look(Words(shell, str(tmp_path / "run")))
    shell.close()


def weights(double):
    return [(each["weight"], each["cap"]) for each in double.parameters()]


def texts(facts, level):
    return " ".join(finding.text for finding in facts.findings if finding.level == level)


def killed_sweep():
    """Return the context of a sweep that was killed after its writes."""
    child = subprocess.Popen(
        [sys.executable, "-c", DIES], cwd=REPO, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with child:
        context = json.loads(child.stdout.readline())
        os.kill(child.pid, signal.SIGKILL)
    return context


def test_that_no_write_happens_without_a_guard(double, host, tmp_path):
    (tmp_path / "run").write_text("not a folder")
    with pytest.raises(HostNotUsable):
        host.write(GUEST, WANTED)
    assert weights(double) == [(256, 0), (256, 0)]


def test_that_a_killed_sweep_is_put_back_by_another_process(double, guard):
    context = killed_sweep()
    assert weights(double) == [(700, 40), (700, 40)]
    assert guard().state == "armed"
    restorer = reopen_host("xl:", context, lambda *_: None)
    put_back(restorer, {IO: FOUND, GUEST: FOUND})
    restorer.close()
    assert weights(double) == [(256, 0), (256, 0)]
    assert guard().state == "none"


def test_that_a_killed_sweep_keeps_others_out_until_then(double, host):
    context = killed_sweep()
    assert "holds this host" in texts(host.facts(), Level.WARNING)
    with pytest.raises(HostBusy):
        host.boot()
    reopen_host("xl:", context, lambda *_: None).read(IO)
    host.boot()
    host.write(GUEST, WANTED)


def test_that_a_guest_that_restarts_stops_the_sweep_and_is_put_back_in_its_new_life(double, host):
    host.boot()
    host.write(GUEST, WANTED)
    host.usage()
    double.restart_guest()
    with pytest.raises(DomainGone, match=r"was restarted \(number 1 became 5\)"):
        until_gone(host)
    put_back(host, {IO: FOUND, GUEST: FOUND})
    assert weights(double) == [(256, 0), (256, 0)]


def test_that_a_write_to_a_restarted_guest_stops_before_it_changes_the_new_one(double, host):
    host.boot()
    host.write(GUEST, WANTED)
    double.restart_guest()
    with pytest.raises(DomainGone, match="was restarted"):
        host.write(GUEST, Credit2Params(weight=300))
    assert weights(double)[1] == (700, 40)
    put_back(host, {IO: FOUND, GUEST: FOUND})
    assert weights(double) == [(256, 0), (256, 0)]


def test_that_a_guest_that_ended_is_told_and_the_other_is_put_back(double, host):
    host.boot()
    for domain in (IO, GUEST):
        host.write(domain, WANTED)
    host.usage()
    double.end_guest()
    with pytest.raises(DomainGone, match="rt guest has ended"):
        until_gone(host)
    assert host.read(GUEST) is None
    put_back(host, {IO: FOUND, GUEST: FOUND})
    assert weights(double) == [(256, 0)]


def test_that_a_renamed_guest_is_followed(double, host):
    host.boot()
    before = host.usage()[GUEST]
    with double.changing() as state:
        state["domains"][1]["name"] = "renamed; $(touch x)"
    for _ in range(40):
        after = host.usage()[GUEST]
        threading.Event().wait(0.1)
    assert after.user_s > before.user_s


def test_that_another_domain_under_the_old_number_is_not_touched(double, host):
    host.boot()
    host.write(GUEST, WANTED)
    double.restart_guest()
    with double.changing() as state:
        state["domains"][1]["weight"] = 999
    with pytest.raises(DomainGone):
        host.write(GUEST, WANTED)
    assert weights(double)[1] == (999, 40)


def test_that_a_guard_that_was_killed_stops_the_sweep_with_the_host_put_back(double, host, tmp_path):
    host.boot()
    host.write(GUEST, WANTED)
    pid = int((tmp_path / "run/sweep/pid").read_text())
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(GuardFired, match="was put back"):
        host.write(GUEST, Credit2Params(weight=300))
    assert weights(double) == [(256, 0), (256, 0)]


def test_that_a_guard_that_cannot_put_back_is_told_with_its_log(double, host, tmp_path):
    host.boot()
    host.write(GUEST, WANTED)
    assert host.trouble() == ""
    with double.changing() as state:
        state["scheduler"] = "credit"  # as if the pool had been made anew: what is to be restored fits no more
    os.kill(int((tmp_path / "run/sweep/pid").read_text()), signal.SIGKILL)
    with pytest.raises(GuardFired) as fired:
        host.write(GUEST, WANTED)
    assert not fired.value.restored
    assert "Getting domain sched credit2: Invalid argument" in host.trouble()


@pytest.mark.parametrize("slow_s", [1.0, 3.0])
def test_that_a_connection_cut_in_mid_write_is_read_back_before_going_on(double, sshd, slow_s):
    lines = []
    host = open_host(sshd.url, lambda *line: lines.append(line), "", "", "")
    host.boot()
    with double.changing() as state:
        state["slow_s"] = slow_s
    with ThreadPoolExecutor(1) as pool:
        written = pool.submit(host.write, GUEST, WANTED)
        for _ in range(200):
            if (double.folder / "changing").exists():
                break
            threading.Event().wait(0.02)
        for pid in sshd.sessions():
            os.kill(pid, signal.SIGKILL)
        written.result(timeout=60)
    with double.changing() as state:
        state["slow_s"] = 0.0
    assert host.read(GUEST) == WANTED
    host.close()
    assert weights(double) == [(256, 0), (256, 0)]


def test_that_values_stay_where_they_are_to_be_kept(double, host, guard):
    host.write(GUEST, WANTED)
    host.keep()
    host.close()
    assert weights(double) == [(256, 0), (700, 40)]
    assert guard().state == "none"


def test_that_closing_in_mid_sweep_puts_back(double, host, guard):
    host.write(GUEST, WANTED)
    host.close()
    assert weights(double) == [(256, 0), (256, 0)]
    assert guard().state == "none"


def test_that_a_hypervisor_that_sets_dom0s_weight_itself_is_told_and_noticed(double, host):
    with double.changing() as state:
        state["privileged"] = True
        state["dmesg"] = "(XEN) setting dom 0 as the privileged domain"
    assert "sets the weight of Domain-0 by itself" in texts(host.facts(), Level.WARNING)
    host.write(IO, WANTED)
    assert host.read(IO) == Credit2Params(weight=2560, cap_pct=40)


@pytest.mark.parametrize("params", [Credit2Params(weight=0), Credit2Params(256, -1), Credit2Params(256, 201), None])
def test_that_what_xl_would_take_for_something_else_is_refused_before_anything_is_armed(double, host, guard, params):
    with pytest.raises(ParameterRefused):
        host.write(GUEST, params)
    assert guard().state == "none"


def test_that_sedf_of_a_historic_host_is_swept_and_put_back(double, host):
    with double.changing() as state:
        state["scheduler"], state["version"] = "sedf", [4, 4]
    original = host.read(IO)
    assert original == SedfParams(100, 0, 0, extratime=True)
    host.write(IO, SedfParams(100, 24))
    assert host.read(IO) == SedfParams(100, 24)
    host.write(IO, original)
    assert host.read(IO) == original


def test_that_domains_are_chosen_or_asked_for(double):
    with double.changing() as state:
        state["domains"].append({**state["domains"][1], "domid": 2, "name": "other", "uuid": f"1{GUEST_UUID[1:]}"})
    with pytest.raises(HostNotUsable, match="2 guests run there: 'rt guest', 'other'"):
        open_host("xl:", lambda *_: None, "", "", "").facts()


def test_that_a_missing_name_is_told_with_those_that_run(double):
    with pytest.raises(HostNotUsable, match="no domain 'db9'") as missing:
        open_host("xl:", lambda *_: None, "Domain-0", "db9", "").facts()
    assert "'rt guest'" in missing.value.hint


def test_that_a_host_without_xen_is_told(double, monkeypatch):
    monkeypatch.delenv("DOMTUNE_XEN_SBIN")
    with pytest.raises(HostNotUsable, match="neither xl nor xm"):
        open_host("xl:", lambda *_: None, "", "", "").facts()


def test_that_domains_that_never_meet_are_an_error(double, host):
    with double.changing() as state:
        state["cpus"] = 4
        state["domains"][0]["hard"], state["domains"][1]["hard"] = "0", "2-3"
    facts = host.facts()
    assert "they never compete" in texts(facts, Level.ERROR)


def test_that_counters_grow_with_the_clock_and_cost_no_call_of_xl(double, host):
    host.facts()
    first, began_s = host.usage(), time.monotonic()
    calls = double.load()["calls"]
    threading.Event().wait(4)
    second, elapsed_s = host.usage(), time.monotonic() - began_s
    grown = [(second[domain].user_s - first[domain].user_s) / elapsed_s for domain in (IO, GUEST)]
    assert grown == pytest.approx([0.25, 0.5], abs=0.15)
    assert double.load()["calls"] == calls


def test_that_names_are_data(double, tmp_path):
    name = f"a b;$(touch {tmp_path}/x)'\""
    with double.changing() as state:
        state["domains"][1]["name"] = name
    host = open_host("xl:", lambda *_: None, "", name, "")
    host.write(GUEST, WANTED)
    assert host.read(GUEST) == WANTED
    assert host.usage()[GUEST].user_s >= 0
    host.close()
    assert not (tmp_path / "x").exists()
    assert weights(double) == [(256, 0), (256, 0)]


def until_gone(host):
    for _ in range(80):
        host.usage()
        threading.Event().wait(0.1)


def test_that_a_restore_that_fails_is_told(double, host):
    host.boot()
    host.write(IO, WANTED)
    with double.changing() as state:
        state["scheduler"] = "credit"
    with pytest.raises(RestoreFailed):
        put_back(host, {IO: FOUND, GUEST: FOUND})
    with double.changing() as state:
        state["scheduler"] = "credit2"
