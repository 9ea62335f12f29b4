"""Pins of a domain's threads in the descriptions of libvirt 9.0, recorded and made larger."""

import xml.etree.ElementTree as ET

import pytest

from scheduler.errors import ParameterRefused
from scheduler.hosts.libvirt.host_topology import read_topology
from scheduler.hosts.libvirt.thread_pins import (
    PinScope,
    is_placed_by_libvirt,
    plan_pins,
    read_pins,
    same_masks,
)
from scheduler.model.placement import HostCpu, PlacementParams, PlacementSupport
from scheduler.toolstacks.virsh import PinnedThread, PinStep, pin_words

CPUS = (0, 1, 2, 3)
ALL_CPUS = PlacementSupport(possible=True, choices=CPUS, why="")
# virsh dumpxml of a guest with two of three vCPUs, pinned by `virsh vcpupin` and its brothers.
PINNED = """
<domain type='qemu' id='1'>
  <vcpu placement='static' current='2'>3</vcpu>
  <iothreads>1</iothreads>
  <iothreadids><iothread id='1'/></iothreadids>
  <cputune>
    <vcpupin vcpu='0' cpuset='0'/>
    <vcpupin vcpu='2' cpuset='1,3'/>
    <emulatorpin cpuset='1-2'/>
    <iothreadpin iothread='1' cpuset='0'/>
  </cputune>
</domain>
"""


def pins_of(text, scope=PinScope(), cpus=CPUS):  # noqa: B008 # a tuple
    return read_pins(ET.fromstring(text), scope, cpus)


def test_read_pins_names_offline_vcpus_and_every_thread():
    found = pins_of(PINNED)
    assert found == PlacementParams(((0,), (), (1, 3)), emulator=(1, 2), iothreads=((1, (0,)),))


def test_read_pins_of_one_side_has_its_threads_alone():
    assert pins_of(PINNED, PinScope(emulator=False)) == PlacementParams(((0,), (), (1, 3)))
    assert pins_of(PINNED, PinScope(vcpus=False)) == PlacementParams((), emulator=(1, 2), iothreads=((1, (0,)),))


def test_read_pins_without_pins_takes_the_cpus_of_the_domain():
    confined = "<domain><vcpu cpuset='0-3,^2'>2</vcpu><iothreads>2</iothreads></domain>"
    limited = (0, 1, 3)
    expected = PlacementParams((limited, limited), emulator=limited, iothreads=((1, limited), (2, limited)))
    assert pins_of(confined) == expected
    assert pins_of(confined, cpus=(0, 1, 2)).vcpus == ((0, 1),) * 2  # CPU 3 is offline
    assert pins_of("<domain><vcpu>1</vcpu></domain>") == PlacementParams(((),), emulator=())


def test_mask_of_all_cpus_reads_as_every_cpu_and_has_the_same_effect():
    every, explicit = pins_of("<domain><vcpu cpuset='0-3'>1</vcpu></domain>"), PlacementParams((CPUS,), emulator=CPUS)
    assert every == PlacementParams(((),), emulator=())
    assert same_masks(every, explicit, CPUS)
    assert not same_masks(every, explicit, (*CPUS, 4))


def test_plan_pins_gives_one_command_for_each_thread():
    steps = plan_pins(pins_of(PINNED), pins_of(PINNED), ALL_CPUS, "db1")
    assert [" ".join(pin_words("@", step)) for step in steps] == [
        "vcpupin @ 0 0 --live",
        "vcpupin @ 1 r --live",
        "vcpupin @ 2 1,3 --live",
        "emulatorpin @ 1-2 --live",
        "iothreadpin @ 1 0 --live",
    ]
    assert steps[-1] == PinStep(PinnedThread("iothread", 1), (0,))


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (PlacementParams(((0,), (0,)), emulator=(0,), iothreads=((1, (0,)),)), "has other threads"),
        (PlacementParams(((0,), (0,), (0,))), "has other threads"),
        (PlacementParams(((0,), (0,), (9,)), emulator=(0,), iothreads=((1, (0,)),)), "CPU 9: not online"),
        (PlacementParams(((0,),) * 3, ((0,),) * 3, (0,), ((1, (0,)),)), "has other threads"),
    ],
)
def test_plan_pins_refuses_wrong_placement(wrong, told):
    with pytest.raises(ParameterRefused, match=told):
        plan_pins(wrong, pins_of(PINNED), ALL_CPUS, "db1")


def test_domain_with_automatic_placement_is_recognised():
    assert is_placed_by_libvirt(ET.fromstring("<domain><vcpu placement='auto'>2</vcpu></domain>"))
    assert not is_placed_by_libvirt(ET.fromstring(PINNED))


CELL = "<cell id='{node}'><cpus>{cpus}</cpus></cell>"
CPU = "<cpu id='{cpu}' socket_id='{socket}' die_id='0' core_id='{core}' siblings='0'/>"


def test_read_topology_of_two_sockets_with_threads_counts_cores_over_the_host():
    cells = "".join(
        CELL.format(node=n, cpus="".join(CPU.format(cpu=c, socket=n, core=c // 4) for c in range(n, 8, 2)))
        for n in (0, 1)
    )
    text = f"<capabilities><host><topology><cells>{cells}</cells></topology></host></capabilities>"
    assert read_topology(text, range(7)) == (
        HostCpu(0, core=0, socket=0, node=0),
        HostCpu(1, core=1, socket=1, node=1),
        HostCpu(2, core=0, socket=0, node=0),
        HostCpu(3, core=1, socket=1, node=1),
        HostCpu(4, core=2, socket=0, node=0),
        HostCpu(5, core=3, socket=1, node=1),
        HostCpu(6, core=2, socket=0, node=0),
    )


@pytest.mark.parametrize("text", ["", "<capabilities>", "<capabilities><host/></capabilities>"])
def test_read_topology_of_a_silent_driver_counts_each_cpu_as_a_core(text):
    assert read_topology(text, (0, 1)) == (HostCpu(0, core=0), HostCpu(1, core=1))
