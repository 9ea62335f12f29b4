"""Scripts of a bundle across reboots: whatever was run before, rollback.sh restores the host."""

import itertools

import pytest

from tests.unit.export.domain_bundle import every_host
from tests.unit.export.recorders import change, world

STEPS = ("apply.sh", "persist.sh", "reboot")
ALL_ORDERS = [
    order for length in (1, 2, 3) for order in itertools.product(STEPS, repeat=length) if order[0] != "reboot"
]
LONG_ORDERS = [
    ("apply.sh", "persist.sh", "reboot"),
    ("apply.sh", "persist.sh", "reboot", "apply.sh"),
    ("persist.sh", "reboot", "apply.sh", "reboot"),
    ("apply.sh", "persist.sh", "reboot", "persist.sh", "reboot", "apply.sh"),
    ("apply.sh", "reboot", "apply.sh", "persist.sh", "reboot"),
]


def take(made, steps):
    for step in steps:
        if step == "reboot":
            made.reboot()
        else:
            done = made.run(step)
            assert done.returncode == 0, (step, done.stdout, done.stderr)


def check_rollback_restores(made, order):
    before = world(made.tools)
    take(made, order)
    rolled = made.run("rollback.sh")
    assert rolled.returncode == 0, (order, rolled.stdout, rolled.stderr)
    assert world(made.tools) == before, (order, rolled.stdout)
    assert made.left() == [], order


def test_rollback_after_every_order_of_three_steps_restores(bundle):
    made = bundle("xapi")
    for order in ALL_ORDERS:
        check_rollback_restores(made, order)


@every_host
def test_rollback_after_persist_and_reboots_restores(bundle, kind):
    made = bundle(kind)
    for order in LONG_ORDERS:
        check_rollback_restores(made, order)


@pytest.mark.parametrize("kind", ["credit2", "qemu-v1"])
def test_rollback_after_reboot_says_what_it_restored(bundle, kind):
    made = bundle(kind)
    take(made, ["apply.sh", "persist.sh"])
    take(made, ["reboot"])
    out = made.run("rollback.sh").stdout
    assert "nothing was applied" not in out
    assert "rolled back: original settings restored and verified" in out
    assert "nothing was applied since the last reboot" in made.run("rollback.sh").stdout


def test_unit_calls_the_toolstack_where_it_is(bundle, tmp_path):
    made = bundle("credit2")
    elsewhere = tmp_path / "usr-local-sbin"
    elsewhere.symlink_to(made.tools)
    assert made.run("persist.sh", DOMTUNE_XEN_SBIN=str(elsewhere)).returncode == 0
    unit = (made.etc / "systemd/system/domtune-dom0.service").read_text()
    assert f"ExecStart={elsewhere}/xl sched-credit2 -d 0 -w 171 -c 32\n" in unit


def test_persist_that_cannot_read_dom0_leaves_nothing(bundle):
    made = bundle("credit2")
    change(made.tools, scheduler="rtds")
    assert made.run("persist.sh").returncode == 2
    assert made.left() == []
