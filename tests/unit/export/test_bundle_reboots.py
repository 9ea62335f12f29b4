"""Scripts of a bundle across reboots: whatever was run before, rollback.sh restores the host."""

import itertools
import shutil

import pytest

from tests.unit.export.domain_bundle import HOSTS
from tests.unit.export.recorders import DOM0, GUEST_UUID, IO_UUID, change, world
from tests.volume import deep

STEPS = ("apply.sh", "persist.sh", "reboot")
ALL_ORDERS = [
    order
    for length in (1, 2, 3)
    for order in itertools.product(STEPS, repeat=length)
    if order[0] != "reboot" and (deep() or all(one != other for one, other in itertools.pairwise(order)))
]
# Those of up to three steps are among ALL_ORDERS.
LONG_ORDERS = [
    ("persist.sh", "reboot", "apply.sh", "reboot"),
    ("apply.sh", "persist.sh", "reboot", "persist.sh", "reboot", "apply.sh"),
]
if deep():
    LONG_ORDERS += [
        ("apply.sh", "persist.sh", "reboot"),
        ("apply.sh", "persist.sh", "reboot", "apply.sh"),
        ("apply.sh", "reboot", "apply.sh", "persist.sh", "reboot"),
    ]
# A host of each way in which settings outlast a reboot. The others are kept in the same way, under other names: credit
# and both sedf as credit2, qemu-v1 as lxc-v2. Each is kept, checked and taken away in test_bundle_domains.
REBOOT_HOSTS = ("credit2", "rtds", "xapi", "lxc-v2", "qemu-emulator")


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


@pytest.mark.parametrize("kind", HOSTS if deep() else REBOOT_HOSTS)
def test_rollback_after_persist_and_reboots_restores(bundle, kind):
    made = bundle(kind)
    for order in LONG_ORDERS:
        check_rollback_restores(made, order)


@pytest.mark.parametrize("kind", ["credit2", "qemu-v1"])
def test_rollback_after_reboot_reports_what_it_restored(bundle, kind):
    made = bundle(kind)
    take(made, ["apply.sh", "persist.sh"])
    take(made, ["reboot"])
    out = made.run("rollback.sh").stdout
    assert "nothing was applied" not in out
    assert "rolled back: original settings restored and verified" in out
    assert "no split was applied since the last reboot" in made.run("rollback.sh").stdout


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


@pytest.fixture
def two_guests(bundle):
    """Return a bundle on a host with a second guest, and the environment in which it is the bundle of that guest."""
    made, other = bundle("credit2"), "7d3e0000-9f0a-4c1e-8a1b-0123456789ab"
    change(
        made.tools,
        uuids={"0": DOM0, "7": GUEST_UUID, "8": other},
        params={**made.values(), "8": [256, 0]},
        names={**world(made.tools)["names"], "8": "db2"},
        hard={**world(made.tools)["hard"], "8": ["1"]},
    )
    return made, {"DOMTUNE_GUEST_UUID": other}


def test_rollback_leaves_the_unit_of_another_bundle(two_guests):
    made, second = two_guests
    assert made.run("persist.sh").returncode == 0
    kept = {path: path.read_bytes() for path in made.left()}
    rolled = made.run("rollback.sh", **second)
    assert rolled.returncode == 0, rolled.stdout + rolled.stderr
    assert {path: path.read_bytes() for path in made.left()} == kept
    assert "belongs to another bundle" in rolled.stdout
    assert made.codes("rollback.sh") == [0]
    assert made.left() == []


def test_persist_refuses_the_unit_of_another_bundle(two_guests):
    made, second = two_guests
    assert made.run("persist.sh").returncode == 0
    kept = {path: path.read_bytes() for path in made.left()}
    stopped = made.run("persist.sh", **second)
    assert stopped.returncode == 2
    assert "run that bundle's rollback.sh first" in stopped.stderr
    assert {path: path.read_bytes() for path in made.left()} == kept
    assert made.run("apply.sh", **second).returncode == 0
    verified = made.run("verify.sh", **second)
    assert verified.returncode == 0, verified.stdout
    assert "belongs to another bundle, which sets Dom0 at boot" in verified.stdout


def test_rollback_after_persisting_two_splits_leaves_no_unit(bundle):
    made = bundle("credit2")
    assert made.run("persist.sh").returncode == 0
    unit = made.etc / "systemd/system/domtune-dom0.service"
    unit.write_text(unit.read_text().replace(", split 1:2", ", split 1:10").replace("-c 32", "-c 9"))
    assert made.codes("persist.sh", "rollback.sh") == [0, 0]
    assert made.left() == []


def test_persist_refuses_a_configuration_that_another_bundle_keeps(bundle):
    made, other = bundle("qemu-v1"), "7d3e0000-9f0a-4c1e-8a1b-0123456789ab"
    now = world(made.tools)
    for values in (now["live"], now["config"], *now["pins"].values()):
        values[other] = values[GUEST_UUID]
    change(made.tools, **{**now, "running": [IO_UUID, GUEST_UUID, other]})
    before = world(made.tools)
    assert made.run("persist.sh").returncode == 0
    kept = world(made.tools)
    stopped = made.run("persist.sh", DOMTUNE_GUEST_UUID=other)
    assert stopped.returncode == 2
    assert "run that bundle's rollback.sh first" in stopped.stderr
    assert made.run("rollback.sh", DOMTUNE_GUEST_UUID=other).returncode == 0
    assert world(made.tools) == kept
    assert made.codes("rollback.sh") == [0]
    assert world(made.tools) == before
    assert made.left() == []


def test_persist_refuses_values_of_xapi_that_another_bundle_keeps(bundle):
    made, io = bundle("xapi"), "7d3e0000-9f0a-4c1e-8a1b-0123456789ab"
    change(
        made.tools,
        uuids={"0": DOM0, "7": GUEST_UUID, "8": io},
        params={**made.values(), "8": [256, 0]},
        names={**world(made.tools)["names"], "8": "netdd"},
    )
    before = world(made.tools)
    assert made.run("persist.sh").returncode == 0
    kept = world(made.tools)
    unit = made.etc / "systemd/system/domtune-dom0.service"
    text = unit.read_text()
    unit.unlink()  # as where neither bundle sets Dom0
    stopped = made.run("persist.sh", DOMTUNE_IO_UUID=io)
    assert stopped.returncode == 2
    assert "run that bundle's rollback.sh first" in stopped.stderr
    assert made.run("rollback.sh", DOMTUNE_IO_UUID=io).returncode == 0
    assert world(made.tools) == kept
    unit.write_text(text)
    assert made.codes("rollback.sh") == [0]
    assert world(made.tools) == before


@pytest.mark.parametrize("kind", ["credit2", "xapi", "lxc-v2"])
def test_scripts_take_no_split_that_domtune_applied_for_originals(bundle, kind):
    made = bundle(kind)
    before = world(made.tools)
    take(made, ["apply.sh"])
    shutil.rmtree(made.state)  # so `domtune apply` leaves a host
    again = made.run("apply.sh")
    assert (again.returncode, made.left()) == (0, [])
    assert "If DomTune applied it, run 'domtune revert'" in again.stdout
    stopped = made.run("persist.sh")
    assert (stopped.returncode, made.left()) == (2, [])
    assert "run 'domtune revert', then apply.sh and persist.sh" in stopped.stderr
    change(made.tools, **before)  # so does `domtune revert`
    check_rollback_restores(made, ["apply.sh", "persist.sh", "reboot"])
