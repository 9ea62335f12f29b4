"""The guard on a real Xen: the sweep killed, its connection cut, its guard killed, its guest rebooted.

Needs a running lab: `domtune lab xen up`, or DOMTUNE_LAB_SSH naming an ssh configuration that knows `domtune-xen`.
DOMTUNE_LAB_ROUNDS says how often the kills are repeated.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading

import psutil
import pytest

from tests.lab.guard_lab import ROUND_S, Dom0, set_link, ssh_that_knows

ROUNDS = int(os.environ.get("DOMTUNE_LAB_ROUNDS", "1"))
BASE = "/run/domtune-guard-test"
TTL_S = 30
BACK_S = TTL_S + ROUND_S
LOOKS_S = 15.0  # the guard looks every 5 s
_GUARDS = "systemctl list-units --no-legend --all 'domtune-guard-*'"

pytestmark = [pytest.mark.lab, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def dom0(xen_ssh_config, tmp_path_factory):
    dom0 = Dom0(xen_ssh_config, tmp_path_factory.mktemp("ssh") / "s")
    assert dom0.scheduler() in ("credit", "credit2"), "these tests set weights"
    return dom0


@pytest.fixture
def untouched(dom0):
    """A host as found; at the end it is so again, and no guard is left."""
    dom0.set_all(256)
    yield
    dom0.wait_until_over(BASE, BACK_S)
    dom0.wait_for(f'[ -z "$({_GUARDS})" ]', ROUND_S, "a guard's process is still there")
    dom0.run(f"rm -rf {BASE}")
    assert is_back(dom0)


@pytest.fixture
def client(dom0, untouched, xen_ssh_config, tmp_path):
    """A sweep that has changed the host twice."""
    number, uuid = dom0.guest()
    words = [BASE, dom0.scheduler(), str(number), uuid, str(TTL_S)]
    client = subprocess.Popen(
        [sys.executable, "-m", "tests.lab.guard_client", *words],
        env=ssh_that_knows(xen_ssh_config, tmp_path / "bin"),
        stdout=subprocess.PIPE,
        text=True,
    )
    session, *said = [client.stdout.readline() for _ in range(3)]
    assert said == ["changed\n"] * 2, [session, *said]
    client.session = int(session)
    assert set(dom0.values().values()).isdisjoint({(256, 0)})
    yield client
    if client.poll() is None:
        send(client, signal.SIGKILL)
    client.communicate(timeout=30)


def send(client, number):
    """Send a signal to a sweep and to every process that it has started; those that have just ended need none."""
    everyone = [psutil.Process(client.pid)]
    everyone[0].suspend()  # nobody is started meanwhile
    everyone += everyone[0].children(recursive=True)
    for process in everyone:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(number)
    return everyone


def last_words(client):
    """Return what the sweep said last, once it has ended."""
    out, _ = client.communicate(timeout=BACK_S + ROUND_S)
    return out.splitlines()[-1]


def is_back(dom0):
    return set(dom0.values().values()) == {(256, 0)}


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_killed_sweep_is_restored_by_its_guard(dom0, client, _round):
    pid = dom0.run(f"cat {BASE}/sweep/pid").strip()
    assert "domtune-guard-" in dom0.run(f"cat /proc/{pid}/cgroup")  # not in the session's, which may end
    assert dom0.run(f"cat /proc/{pid}/oom_score_adj").strip() == "-1000"
    client.kill()
    dom0.wait_for_state(BASE, "restored", BACK_S)
    assert is_back(dom0), dom0.log(BASE)
    assert "no heartbeat" in dom0.log(BASE)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_hanging_connection_is_restored_and_the_sweep_reported_when_it_goes_on(dom0, client, _round):
    everyone = send(client, signal.SIGSTOP)
    dom0.wait_for_state(BASE, "restored", BACK_S)
    assert is_back(dom0), dom0.log(BASE)
    for process in everyone:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.resume()
    assert last_words(client).startswith("GuardFired True")
    assert is_back(dom0)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_cut_connection_is_restored_and_the_sweep_reported_when_it_is_there_again(dom0, client, xen_ssh_config, _round):
    """The lab's cable is pulled for longer than the guard waits: every packet is lost, and neither side is told."""
    set_link(xen_ssh_config, up=False)
    try:
        threading.Event().wait(TTL_S + LOOKS_S)
    finally:
        set_link(xen_ssh_config, up=True)
    assert last_words(client).startswith("GuardFired True")
    assert dom0.state(BASE) in ("restored", "none")
    assert is_back(dom0), dom0.log(BASE)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_sweep_survives_the_end_of_its_ssh_session(dom0, client, _round):
    assert dom0.run(f"cat /proc/{client.session}/comm").strip() == "sshd"
    dom0.run(f"kill -9 {client.session}")
    said = [client.stdout.readline() for _ in range(8)]
    assert "changed\n" in said[-4:], said
    assert dom0.state(BASE) == "armed"
    client.kill()
    dom0.wait_for_state(BASE, "restored", BACK_S)
    assert is_back(dom0)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_killed_guard_is_started_again_and_still_restores(dom0, client, _round):
    before = dom0.run(f"cat {BASE}/sweep/pid").strip()
    dom0.run(f"kill -9 {before}")
    dom0.wait_for(f"[ $(cat {BASE}/sweep/pid) != {before} ]", ROUND_S, "systemd did not start it anew")
    assert [client.stdout.readline() for _ in range(4)] == ["changed\n"] * 4
    client.kill()
    dom0.wait_for_state(BASE, "restored", BACK_S)
    assert is_back(dom0)


def test_guard_that_stays_dead_ends_the_sweep_which_puts_the_host_back(dom0, client):
    unit = re.search(r"domtune-guard-\w+", dom0.run(f"cat /proc/$(cat {BASE}/sweep/pid)/cgroup"))[0]
    change = f"/run/systemd/system/{unit}.service.d"
    dom0.run(f"mkdir -p {change} && printf '[Service]\\nRestart=no\\n' >{change}/dead.conf && systemctl daemon-reload")
    dom0.run(f"systemctl kill -s KILL {unit}")
    assert last_words(client).startswith("GuardFired True")
    dom0.run(f"rm -r {change}; systemctl daemon-reload; systemctl reset-failed")
    assert is_back(dom0)


@pytest.mark.parametrize("_round", range(ROUNDS))
def test_guest_that_was_rebooted_is_restored_under_its_new_number(dom0, client, _round):
    number, uuid = dom0.guest()
    dom0.run(f"virsh -q -c xen:///system destroy {uuid} && virsh -q -c xen:///system start {uuid}", timeout_s=300)
    client.kill()
    assert dom0.guest()[0] != number
    dom0.wait_for_state(BASE, "restored", BACK_S + 60.0)
    assert is_back(dom0), dom0.log(BASE)
