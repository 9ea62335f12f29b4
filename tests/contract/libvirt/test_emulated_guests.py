"""QEMU domains obey the laws of hosts: two domains as a pair, and one domain with its own emulator.

A guest is a boot sector of a few bytes: a real QEMU with real vCPU threads, up in a second. One halts, one spins.
"""

import os

import pytest

from scheduler.errors import ParameterRefused, SpecError
from scheduler.hosts.host_registry import open_host
from scheduler.model.placement import PLACE_SLOTS, PlacementParams
from scheduler.model.spec import Mode
from scheduler.model.split import GUEST, IO, split_between
from scheduler.shares.model_lookup import find_share_model
from tests.contract.host_contract import PERIOD_US
from tests.contract.kept_contract import KeptContract
from tests.contract.libvirt.domain_contract import NAMES, DomainContract, DomainSubject, cpus_used
from tests.quiet import until_kept
from tests.volume import deep

SMALL = split_between(18, 1)  # a share that a guest would exceed on a busy computer, too
HALT = "f4ebfd"  # hlt; jmp to it
SPIN = "ebfe"  # jmp to itself

GUEST_XML = """
<domain type='qemu'>
  <name>{name}</name>
  <memory unit='MiB'>32</memory>
  <vcpu placement='static' cpuset='0'>1</vcpu>
  <cputune><vcpupin vcpu='0' cpuset='0'/><emulatorpin cpuset='0'/></cputune>
  <os><type arch='x86_64' machine='pc'>hvm</type></os>
  <devices>
    <disk type='file' device='disk'><source file='{disk}'/><target dev='hda' bus='ide'/></disk>
    <controller type='usb' model='none'/>
    <memballoon model='none'/>
  </devices>
</domain>
"""


@pytest.fixture(scope="module")
def guests(libvirtd):
    for name in NAMES.values():
        start(libvirtd, name, HALT)
    return libvirtd


def start(libvirtd, name, code):
    disk = libvirtd.folder / f"{name}.img"
    disk.write_bytes(bytes.fromhex(code).ljust(510, b"\0") + bytes.fromhex("55aa"))
    libvirtd.define("qemu", GUEST_XML.format(name=name, disk=disk))
    libvirtd.virsh("qemu", "start", name)


class TestTwoGuests(KeptContract, DomainContract):
    if not deep():  # two domains are one adapter's: containers hold these
        test_modes_may_follow_each_other_in_any_order = None
        test_booting_changes_no_parameter = None
        test_original_can_be_restored_twice_and_before_any_write = None
        test_host_can_be_restored_and_taken_again = None
        test_withdrawing_changes_no_parameter = None
        test_writing_twice_is_writing_once = None
        test_commands_touches_nothing = None
        test_every_change_is_announced_before_it_is_made = None
        test_value_out_of_range_is_refused_and_the_host_untouched = None
        test_closing_twice_is_closing_once = None

    @pytest.fixture(scope="class")
    @classmethod
    def subject(cls, guests):
        return DomainSubject(guests, "qemu", NAMES[IO])


class TestGuestAndItsEmulator(KeptContract, DomainContract):
    modes = (Mode.CAPS,)

    @pytest.fixture(scope="class")
    @classmethod
    def subject(cls, guests):
        return DomainSubject(guests, "qemu", "")

    def test_wrong_placement_is_refused_and_the_host_untouched(self, opened):
        vcpu, emulator = PlacementParams(((0,),)), PlacementParams((), emulator=(0,))
        for slot, wrong in (
            (PLACE_SLOTS[IO], vcpu),
            (PLACE_SLOTS[IO], PlacementParams((), emulator=(4095,))),
            (PLACE_SLOTS[GUEST], emulator),
            (PLACE_SLOTS[GUEST], PlacementParams(((4095,),))),
        ):
            with pytest.raises(ParameterRefused):
                opened.host.write(slot, wrong)
        assert opened.snapshot() == opened.before

    def test_encode_refuses_weights_for_one_domain(self, opened):
        with pytest.raises(SpecError, match="no own weight"):
            find_share_model(opened.facts.scheduler).encode(split_between(1, 1), Mode.WEIGHTS, PERIOD_US)

    def test_facts_name_guest_and_its_emulator(self, opened):
        names = {domain.id: domain.name for domain in opened.facts.domains}
        assert names == {IO: f"emulator of {NAMES[GUEST]}", GUEST: NAMES[GUEST]}
        said = " ".join(finding.text for finding in opened.facts.findings)
        assert "emulator_quota" in said
        assert "emulated in software" in said


def test_quota_limits_vcpus_and_emulator_is_counted_apart(libvirtd):
    name = f"spin{os.getpid()}"
    start(libvirtd, name, SPIN)
    host = open_host(libvirtd.url("qemu"), lambda command, answer: None, guest_domain=name)
    params = find_share_model(host.facts().scheduler).encode(SMALL, Mode.CAPS, PERIOD_US).params[GUEST]
    quota = params.vcpu_quota_us / params.vcpu_period_us
    try:
        free = until_kept(lambda: cpus_used(host, 1.0), lambda free: free[GUEST] > quota + 0.03)
        host.write(GUEST, params)
        held = until_kept(
            lambda: cpus_used(host, 2.0), lambda held: 0.02 < held[GUEST] < quota + 0.03 and held[IO] < 0.2
        )
    finally:
        host.close()
        libvirtd.virsh("qemu", "destroy", name)
    assert 0.02 < held[GUEST] < quota + 0.03 < free[GUEST], (held, quota, free)
    assert held[IO] < 0.2, held
