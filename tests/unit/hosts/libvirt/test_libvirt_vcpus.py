"""What sizes a libvirt guest, as virsh and the guard take it."""

import pytest

from scheduler.errors import ParameterRefused
from scheduler.hosts.libvirt import libvirt_vcpus
from scheduler.hosts.libvirt.worker_answers import DomainDescription, VcpuCounts
from scheduler.hosts.remote.guard_script import LIBVIRT, NUMBER, RestoreCommands, restore_lines
from scheduler.model.scheduler_params import CreditParams
from scheduler.model.vcpus import VcpuParams
from scheduler.toolstacks.virsh import setvcpus_words

UUID = "00000000-0000-4000-8000-000000000001"
VIRSH = ("/usr/bin/virsh", "-q", "-c", "qemu:///system")


def test_guard_takes_the_way_back_to_a_number_of_vcpus():
    line = restore_lines([RestoreCommands(LIBVIRT + UUID, ((*VIRSH, *setvcpus_words(NUMBER, 2)),))])
    assert line == f"put libvirt:{UUID} /usr/bin/virsh -q -c qemu:///system setvcpus @ 2 --live\n"


@pytest.mark.parametrize("wrong", [VcpuParams(1), VcpuParams(9), CreditParams(256)])
def test_what_the_guest_cannot_have_is_refused_before_it_is_asked(wrong):
    sized = VcpuCounts(online=2, most=8, least=2)
    assert libvirt_vcpus.require_vcpu_count(VcpuParams(8), sized) == 8
    with pytest.raises(ParameterRefused):
        libvirt_vcpus.require_vcpu_count(wrong, sized)


_STAYS = VcpuCounts(online=4, most=4, least=4)


@pytest.mark.parametrize(("kind", "sized"), [("LXC", VcpuCounts()), ("QEMU", VcpuCounts()), ("QEMU", _STAYS)])
def test_guest_that_cannot_be_sized_has_no_choice_and_a_reason(kind, sized):
    found = libvirt_vcpus.vcpu_range(kind, DomainDescription(name="db1", vcpus=4), sized)
    assert len(found.choices) < 2
    assert found.why
    assert found.hint
