"""A busy third guest that a sweep keeps off the shared CPUs of a real Xen: restored after each end of the sweep."""

from pathlib import Path

import pytest

from scheduler.hosts.remote.guard import TTL_S
from tests.lab.guard_lab import ROUND_S, Dom0, knowing
from tests.lab.wide_lab import BASE, SweepProcess, kill_guard, placed_sweep, write_plan

pytestmark = [pytest.mark.lab, pytest.mark.timeout(3_600)]

BUSY_S = 1_800  # longer than a test: the load ends by itself if the test cannot end it
BUSY = f"(timeout {BUSY_S} sh -c 'while :; do :; done' >/dev/null 2>&1 &)"
PIN = "xl vcpu-pin db2 0 0-1 && xl vcpu-pin db2 1 1-2 2"
UNPIN = "xl vcpu-pin db2 all all all"
BY_HAND = ("0-1 / all", "1-2 / 2", "all / all", "all / all")
# Off CPU 0-1: a vCPU without another CPU gets all that remain; the second one has CPU 2 left, and its soft affinity.
AWAY = ("2-3 / all", "2 / 2", "2-3 / all", "2-3 / all")


def pins_of(name, masks):
    """Return the settings of a domain's vCPUs with these CPUs, hard and soft."""
    return {f"{name} vCPU {vcpu}": f"online on {mask}" for vcpu, mask in enumerate(masks)}


KEPT_AWAY = pins_of("db2", AWAY)


@pytest.fixture(scope="module")
def wide(xen_lab):
    return xen_lab.wide("credit2", guests=2)


@pytest.fixture(scope="module")
def dom0(wide, tmp_path_factory):
    """Dom0, next to a third guest that is pinned by hand."""
    folder, config = tmp_path_factory.mktemp("third-guest"), Path(wide["ssh_config"])
    with knowing(config, folder):
        dom0 = Dom0(config, folder / "looking")
        dom0.run(PIN)
        try:
            assert pins_of("db2", BY_HAND).items() <= dom0.settings().items()
            yield dom0
        finally:
            dom0.run(UNPIN)


@pytest.fixture
def busy_guest(xen_lab, dom0):
    """The third guest, with one vCPU that is always busy.

    On a busy computer this leaves the users too little: they wait for the database longer than they may.
    """
    xen_lab.ssh("domtune-xen-guest-2", BUSY)
    yield
    xen_lab.ssh("domtune-xen-guest-2", "pkill -x timeout")


@pytest.fixture
def plan(dom0, wide):
    return write_plan(wide["database_url"], "dedicated", ["1:1"], "0-1", "away")


@pytest.mark.usefixtures("busy_guest")
def test_busy_third_guest_is_kept_away_in_each_trial_and_restored(dom0, plan):
    before = dom0.settings()
    sweep = SweepProcess(plan)
    seen = sweep.watch(dom0)
    answer = sweep.answer()
    assert (answer["outcome"], answer["restored"]) == ("completed", True), answer
    original = pins_of("Domain-0", ["all / all"] * 4) | pins_of("db1", ["all / all"] * 4)
    split = pins_of("Domain-0", ["0 / all"] * 4) | pins_of("db1", ["1 / all"] * 4)
    for trial in (original, split):
        assert any((trial | KEPT_AWAY).items() <= each.items() for each in seen), seen
    assert dom0.settings() == before


@pytest.mark.parametrize("with_guard", [False, True], ids=["core", "core-and-guard"])
def test_killed_sweep_has_the_third_guest_restored_by_its_guard(dom0, plan, with_guard):
    with placed_sweep(dom0, plan, KEPT_AWAY) as sweep:
        sweep.kill()
        if with_guard:
            kill_guard(dom0)
        dom0.wait_until_over(BASE, (1 + with_guard) * TTL_S + 5 * ROUND_S)
