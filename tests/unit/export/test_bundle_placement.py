"""Bundles of splits that place the domains on CPUs of their own."""

import msgspec
import pytest

from scheduler.export.bundle import script_refusal, write_bundle
from scheduler.export.bundle_placement import format_mask_word, is_dedicated, xapi_mask, xl_cpus_line
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.scheduler_params import Credit2Params, CreditParams, LibvirtParams
from scheduler.model.split import GUEST, IO
from tests.data_maker import make_facts
from tests.unit.export.domain_bundle import LXC
from tests.unit.export.recorders import GUEST_UUID, IO_UUID, change, told, world

DOM0_PLACE = PlacementParams(((0,), (0,)))
GUEST_PLACE = PlacementParams(((1, 2, 3),))
OPEN_LIBVIRT = LibvirtParams(1024, 100_000, None)


def place(made, params, io=DOM0_PLACE, guest=GUEST_PLACE, pcpus=4):
    """Write the bundle again, for a split of the host's own parameters that places both domains."""
    facts = msgspec.structs.replace(made.material.facts, pcpus=pcpus)
    points = tuple(
        msgspec.structs.replace(point, params={**params, PLACE_SLOTS[IO]: io, PLACE_SLOTS[GUEST]: guest})
        for point in made.material.results.points
    )
    results = msgspec.structs.replace(made.material.results, points=points)
    split = msgspec.structs.replace(made.material, facts=facts, results=results)
    made.files = write_bundle(split, made.folder)
    return split


@pytest.fixture
def xen(bundle):
    """Return a function that makes a bundle beside a Xen host of 4 CPUs without pins."""

    def make(kind, **places):
        made = bundle(kind)
        change(made.tools, hard={"0": ["all", "all"], "7": ["2-3"]}, booted="")
        params = CreditParams if kind == "xapi" else Credit2Params
        place(made, {IO: params(256), GUEST: params(256)}, **places)
        return made

    return make


@pytest.mark.parametrize("kind", ["credit2", "xapi"])
def test_apply_places_every_vcpu_and_rollback_restores_its_own_cpus(xen, kind):
    made = xen(kind)
    before = world(made.tools)
    assert made.codes("verify.sh", "apply.sh", "verify.sh") == [1, 0, 0]
    assert world(made.tools)["hard"] == {"0": ["0", "0"], "7": ["1-3"]}
    pins = [call for call in told(made.tools) if call[1] == "vcpu-pin"]
    assert [call[2:] for call in pins] == [["0", "0", "0"], ["0", "1", "0"], ["7", "0", "1-3"]]
    change(made.tools, hard={"0": ["0", "0-1"], "7": ["1-3"]})
    changed = made.run("verify.sh")
    assert changed.returncode == 1
    assert "MISMATCH  io-place: vcpu0:0 vcpu1:0-1, expected vcpu0:0 vcpu1:0 (CPUs)" in changed.stdout
    assert made.codes("rollback.sh") == [0]
    assert world(made.tools) == before


def test_originals_of_pins_are_on_disk_before_the_first_pin(xen):
    made = xen("credit2")
    change(made.tools, deaf=True)
    applied = made.run("apply.sh")
    assert applied.returncode == 1
    assert "MISMATCH  guest-place: vcpu0:2-3, expected vcpu0:1-3" in applied.stdout
    [state] = made.state.glob("bundle-*.state")
    assert {"io-place vcpu0:all vcpu1:all", "guest-place vcpu0:2-3"} <= set(state.read_text().splitlines())


def test_apply_refuses_a_domain_with_other_vcpus_than_placed(xen):
    made = xen("credit2", guest=PlacementParams(((1,), (2,))))
    stopped = made.run("apply.sh")
    assert (stopped.returncode, made.left()) == (2, [])
    assert "other vCPUs than when it was measured" in stopped.stderr
    assert not [call for call in told(made.tools) if call[1] == "vcpu-pin"]


@pytest.mark.parametrize("kind", ["credit2", "xapi"])
def test_placement_outlasts_a_reboot_and_is_rolled_back(xen, kind):
    made = xen(kind)
    before = world(made.tools)
    assert made.codes("apply.sh", "persist.sh", "verify.sh") == [0, 0, 0]
    unit = (made.etc / "systemd/system/domtune-dom0.service").read_text()
    assert f"ExecStart={made.tools}/xl vcpu-pin 0 1 0\n" in unit
    assert world(made.tools)["xapi"].get("mask", "1,2,3") == "1,2,3"
    assert ("mask" in world(made.tools)["xapi"]) == (kind == "xapi")
    change(made.tools, hard={"0": ["all", "all"], "7": ["2-3"]})  # as a reboot does
    made.reboot()
    assert world(made.tools)["hard"]["0"] == ["0", "0"]
    assert made.codes("rollback.sh") == [0]
    assert world(made.tools) == before
    assert made.left() == []


def test_files_and_readme_name_the_ways_to_keep_a_placement(xen):
    made = xen("xapi")
    assert 'cpus = "1-3"\ncpu_weight = 256\n' in (made.folder / "guest.cfg").read_text()
    readme = " ".join((made.folder / "README.txt").read_text().split())
    for words in (
        "CPUs vCPUs on CPU 0 ",
        "xl vcpu-pin 0 1 0 ",
        "xl vcpu-pin GUEST 0 1-3 ",
        "dom0_max_vcpus=1 dom0_vcpus_pin",
        "host-cpu-tune set 1 xpin",
        "has its own CPUs",
    ):
        assert words in readme


def test_cpus_of_all_vcpus_read_back_as_the_toolstack_prints_them(xen):
    made = xen("credit2", io=PlacementParams(((0, 1, 2, 3), (0, 1, 2, 3))), guest=PlacementParams(((0, 1, 3),)))
    assert "io_place=vcpu0:all vcpu1:all\nguest_place=vcpu0:0-1,3\n" in (made.folder / "split.conf").read_text()
    readme = (made.folder / "README.txt").read_text()
    assert "host-cpu-tune" not in readme
    assert "The two limits add up to 4 CPUs at most" in readme
    assert made.codes("apply.sh", "verify.sh") == [0, 0]


@pytest.fixture
def qemu(bundle):
    """Return a function that makes a bundle beside a QEMU host of 4 CPUs, whose domains have 2 vCPUs and threads."""

    def make(kind, io, guest):
        made = bundle(kind)
        threads = {"vcpu0": "0-3", "vcpu1": "0-3", "emulator": "0-3", "iothread1": "0-3"}
        uuids = (IO_UUID, GUEST_UUID)
        change(made.tools, threads={how: {uuid: {**threads} for uuid in uuids} for how in ("live", "config")})
        open_io = LibvirtParams(None, None, None, 100_000, None) if kind == "qemu-emulator" else OPEN_LIBVIRT
        place(made, {IO: open_io, GUEST: OPEN_LIBVIRT}, io, guest)
        return made

    return make


def threads_of(made, how, uuid):
    return list(world(made.tools)["threads"][how][uuid].values())


def test_libvirt_places_vcpus_emulator_and_io_threads_live_and_configured(qemu):
    io = PlacementParams(((0,), (0,)), emulator=(0,), iothreads=((1, (0,)),))
    made = qemu("qemu-v1", io, PlacementParams(((1, 2, 3), (1, 3)), emulator=(1, 2, 3), iothreads=((1, (2,)),)))
    before = world(made.tools)
    assert made.codes("verify.sh", "apply.sh", "verify.sh") == [1, 0, 0]
    assert threads_of(made, "live", IO_UUID) == ["0"] * 4
    assert threads_of(made, "live", GUEST_UUID) == ["1-3", "1,3", "1-3", "2"]
    assert threads_of(made, "config", GUEST_UUID) == ["0-3"] * 4
    assert made.codes("persist.sh", "verify.sh") == [0, 0]
    assert threads_of(made, "config", GUEST_UUID) == ["1-3", "1,3", "1-3", "2"]
    assert made.codes("rollback.sh") == [0]
    assert world(made.tools) == before
    assert made.left() == []


def test_libvirt_places_the_emulator_apart_from_the_vcpus_of_the_same_domain(qemu):
    io = PlacementParams((), emulator=(0,), iothreads=((1, (0,)),))
    made = qemu("qemu-emulator", io, PlacementParams(((1, 2, 3),) * 2))
    before = world(made.tools)
    assert made.codes("apply.sh", "verify.sh") == [0, 0]
    assert threads_of(made, "live", GUEST_UUID) == ["1-3", "1-3", "0", "0"]
    assert made.codes("rollback.sh") == [0]
    assert world(made.tools) == before


def test_bundle_refuses_placements_that_no_script_can_keep(bundle):
    made = bundle("lxc-v2")
    params = LibvirtParams(LXC["cpu_shares"], LXC["vcpu_period"], None)
    placed = {PLACE_SLOTS[IO]: DOM0_PLACE, PLACE_SLOTS[GUEST]: GUEST_PLACE, IO: params, GUEST: params}
    points = tuple(msgspec.structs.replace(point, params=placed) for point in made.material.results.points)
    results = msgspec.structs.replace(made.material.results, points=points)
    split = msgspec.structs.replace(made.material, results=results)
    assert "pins no vCPUs of LXC domains" in script_refusal(split)
    version_1 = msgspec.structs.replace(split, facts=make_facts(scheduler="cgroup-v1"))
    assert "version 2 of control groups only" in script_refusal(version_1)


@pytest.mark.parametrize(
    ("masks", "line", "stored"),
    [
        (((2, 3, 5),), 'cpus = "2-3,5"\n', "2,3,5"),
        (((2, 3), (2, 3)), 'cpus = "2-3"\n', "2,3"),
        (((2, 3), (4,)), 'cpus = ["2-3", "4"]\n', "2,3;4"),
        (((), (4,)), 'cpus = ["all", "4"]\n', ""),
    ],
)
def test_masks_are_written_as_configuration_and_xapi_spell_them(masks, line, stored):
    params = PlacementParams(masks)
    assert (xl_cpus_line(params), xapi_mask(params)) == (line, stored)


def test_placements_are_dedicated_only_without_a_common_cpu():
    own, other, everywhere = (PlacementParams(masks) for masks in (((0, 1),), ((2,),), ((),)))
    assert is_dedicated({IO: own, GUEST: other})
    assert not is_dedicated({IO: own, GUEST: own})
    assert not is_dedicated({IO: own, GUEST: everywhere})
    assert format_mask_word((0, 1, 2, 7)) == "0-2,7"
