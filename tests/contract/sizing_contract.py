"""The law of hosts whose guest can be given vCPUs; part of the laws that every host obeys."""

from scheduler.model.vcpus import GUEST_VCPUS, VcpuParams


class SizingContract:
    """Part of `HostContract`."""

    def test_guest_that_can_be_sized_is_and_its_vcpus_are_restored(self, fresh):
        host, choices = fresh.host, fresh.facts.vcpus.choices
        if len(choices) < 2:
            assert fresh.facts.vcpus.hint  # what would do
            return
        if host.guard is not None:
            host.guard.guard_slot(GUEST_VCPUS)
        host.boot()
        original = host.read(GUEST_VCPUS)
        for online in (choices[-1], choices[0], choices[1]):
            assert host.commands(GUEST_VCPUS, VcpuParams(online))
            host.write(GUEST_VCPUS, VcpuParams(online))
            assert host.read(GUEST_VCPUS) == VcpuParams(online)
        fresh.put_back()
        host.write(GUEST_VCPUS, original)
        assert host.read(GUEST_VCPUS) == original
        assert fresh.snapshot() == fresh.before
