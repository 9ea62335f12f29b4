"""Laws of the scripts for domains on every kind of host, run against executables that record what they hear."""

import pytest

from tests.unit.export.domain_bundle import (
    HOSTS,
    LIBVIRT_URL,
    LXC,
    QEMU,
    every_host,
    hosts_or_all,
    some_hosts,
)
from tests.unit.export.recorders import DOM0, GUEST_UUID, IO_UUID, change, told, world


@hosts_or_all("credit", "rtds", "sedf", "xapi", "qemu-v1", "qemu-emulator")  # one of each table that is read
def test_rollback_after_apply_restores_originals(bundle, kind):
    made = bundle(kind)
    before = made.values()
    assert made.codes("verify.sh") == [1]
    applied = made.run("apply.sh")
    assert applied.returncode == 0, applied.stdout + applied.stderr
    assert made.values() != before
    assert made.codes("verify.sh", "apply.sh", "verify.sh") == [0, 0, 0]
    rolled = made.run("rollback.sh")
    assert rolled.returncode == 0, rolled.stdout + rolled.stderr
    assert made.values() == before
    assert not made.state.exists()
    assert made.codes("rollback.sh", "verify.sh") == [0, 1]


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("credit", {"0": [171, 0], "7": [342, 0]}),
        ("credit2", {"0": [171, 32], "7": [342, 64]}),
        ("rtds", {"0": [[100_000, 32_000, 0]] * 2, "7": [[100_000, 64_000, 0]]}),
        ("sedf", {"0": [100, 32, 0, 0, 0], "7": [100, 64, 0, 0, 0]}),
        ("sedf-xm", {"0": [100, 32, 0, 0, 0], "7": [100, 64, 0, 0, 0]}),
        ("lxc-v2", {IO_UUID: {**LXC, "cpu_shares": 67}, GUEST_UUID: {**LXC, "cpu_shares": 134}}),
        (
            "qemu-v1",
            {IO_UUID: {**QEMU, "vcpu_quota": 32_000}, GUEST_UUID: {**QEMU, "vcpu_quota": 64_000}},
        ),
        (
            "qemu-emulator",
            {IO_UUID: QEMU, GUEST_UUID: {**QEMU, "vcpu_quota": 64_000, "emulator_quota": 32_000}},
        ),
    ],
)
def test_apply_sets_values_of_the_split(bundle, kind, values):
    made = bundle(kind)
    assert made.codes("apply.sh") == [0]
    assert made.values() == values


@hosts_or_all("sedf-xm", "xapi", "lxc-v2")  # one of each tool
def test_scripts_call_no_command_with_domain_names(bundle, kind):
    made = bundle(kind)
    for name in ("apply.sh", "persist.sh", "verify.sh", "rollback.sh"):
        assert made.run(name).returncode == 0
    assert sorted(path for path in made.folder.rglob("*") if path.is_file()) == sorted(made.files)
    for path in (*made.folder.rglob("*.sh"), made.folder / "split.conf"):
        assert "a b;$(touch x)" not in path.read_text()
    address = {LIBVIRT_URL} if HOSTS[kind][0] == LIBVIRT_URL else set()
    assert {word for call in told(made.tools) for word in call if "touch" in word} == address


@some_hosts
def test_apply_reports_a_write_without_effect(bundle, kind):
    made = bundle(kind)
    change(made.tools, deaf=True)
    applied = made.run("apply.sh")
    assert applied.returncode == 1
    assert "MISMATCH" in applied.stdout
    assert "rollback.sh" in applied.stderr


@some_hosts
def test_apply_keeps_first_originals_before_any_write(bundle, kind):
    made = bundle(kind)
    before = made.values()
    change(made.tools, deaf=True)
    assert made.codes("apply.sh") == [1]
    [kept] = made.state.glob("bundle-*.state")
    first = kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0
    change(made.tools, deaf=False)
    assert made.codes("apply.sh", "apply.sh") == [0, 0]
    assert kept.read_text() == first
    assert made.codes("rollback.sh") == [0]
    assert made.values() == before


@some_hosts
def test_scripts_except_rollback_stop_without_the_domain(bundle, kind):
    made = bundle(kind)
    assert made.codes("apply.sh") == [0]
    if HOSTS[kind][0] == LIBVIRT_URL:
        change(made.tools, running=[IO_UUID])
    else:
        change(made.tools, uuids={"0": DOM0})
    for name in ("apply.sh", "verify.sh"):
        stopped = made.run(name)
        assert stopped.returncode == 2
        assert GUEST_UUID in stopped.stderr
    rolled = made.run("rollback.sh")
    assert rolled.returncode == 0
    assert "nothing to restore" in rolled.stdout
    assert not world(made.tools).get("shut_off_asked")


@some_hosts
def test_apply_without_uuid_names_the_variable(bundle, kind):
    made = bundle(kind, uuids=("", "not a uuid"))
    stopped = made.run("apply.sh")
    assert stopped.returncode == 2
    assert "DOMTUNE_GUEST_UUID" in stopped.stderr
    assert told(made.tools) == []
    io = DOM0 if "params" in made.found else GUEST_UUID if kind == "qemu-emulator" else IO_UUID
    assert made.run("apply.sh", DOMTUNE_IO_UUID=io, DOMTUNE_GUEST_UUID=GUEST_UUID).returncode == 0


@hosts_or_all("credit", "sedf-xm", "qemu-v1")  # test_bundle_reboots keeps the others
def test_rollback_after_persist_leaves_nothing(bundle, kind):
    made = bundle(kind)
    before = world(made.tools)
    assert made.codes("apply.sh", "persist.sh", "persist.sh", "verify.sh") == [0, 0, 0, 0]
    assert made.codes("rollback.sh") == [0]
    assert world(made.tools) == before
    assert [path for folder in (made.etc, made.keep) for path in folder.rglob("*") if not path.is_dir()] == []


@every_host
def test_readme_has_commands_evidence_and_expiry(bundle, kind):
    text = (bundle(kind).folder / "README.txt").read_text()
    words = " ".join(text.split())
    parts = ("EVIDENCE", "VALIDITY", "95 % interval", "vCPUs (guest) 1", "postgresql 18.1", GUEST_UUID)
    assert [part for part in parts if part not in words] == []
    assert "guest rm a b" in words
    tool = "virsh" if HOSTS[kind][0] == LIBVIRT_URL else "xm" if kind == "sedf-xm" else "xl"
    assert any(line.strip().startswith(f"{tool} ") for line in text.splitlines())
