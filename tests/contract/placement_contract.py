"""The rules of hosts that can place their domains; part of the rules that every host obeys."""

from collections.abc import Iterator, Mapping

import msgspec
import pytest

from scheduler.errors import HostError, ParameterRefused
from scheduler.hosts.protocols import Host
from scheduler.model.placement import PLACE_SLOTS, CpuMask, PlacementParams
from scheduler.model.split import GUEST, IO, DomainId

SLOTS = (PLACE_SLOTS[IO], PLACE_SLOTS[GUEST])
NO_CPU = 4095  # the number of a CPU that no host of a test has

Placements = Mapping[DomainId, PlacementParams]


def prepare_placement(host: Host) -> Placements:
    """Boot a host whose guard restores placement, too; return the original placement of both domains."""
    if (guard := host.guard) is not None:
        for slot in SLOTS:
            guard.guard_slot(slot)
    host.boot()
    return {slot: read_placement(host, slot) for slot in SLOTS}


def read_placement(host: Host, slot: DomainId) -> PlacementParams:
    """Return a placement of a domain that exists."""
    placement = host.read(slot)
    assert isinstance(placement, PlacementParams)
    return placement


def place(placement: PlacementParams, cpus: CpuMask) -> PlacementParams:
    """Return a placement of everything that the domain has on some CPUs."""
    return msgspec.structs.replace(
        placement,
        vcpus=(cpus,) * len(placement.vcpus),
        emulator=None if placement.emulator is None else cpus,
        iothreads=tuple((number, cpus) for number, _ in placement.iothreads),
    )


def masks_to_try(choices: CpuMask) -> Iterator[CpuMask]:
    """Yield the last CPU, half of the CPUs, and all of them."""
    yield from dict.fromkeys((choices[-1:], choices[: len(choices) // 2 or 1], choices))


class PlacementContract:
    """Part of `HostContract`."""

    def test_placement_is_written_read_back_and_restored(self, fresh):
        host, support = fresh.host, fresh.facts.placement
        if not support.possible:
            assert support.why
            return
        originals = prepare_placement(host)
        numbers = {cpu.number for cpu in fresh.facts.topology}  # Xen lists none on a host of one CPU
        assert set(support.choices) <= (numbers or set(range(fresh.facts.pcpus)))
        for cpus in masks_to_try(support.choices):
            for slot, original in originals.items():
                wanted = place(original, cpus)
                announced = host.commands(slot, wanted)
                fresh.command_log.clear()
                host.write(slot, wanted)
                assert host.read(slot) == wanted
                assert fresh.lines() == list(announced)
        for _ in range(2):
            for slot, original in originals.items():
                host.write(slot, original)
                assert host.read(slot) == original
        assert fresh.snapshot() == fresh.before

    def test_wrong_placement_is_refused_and_the_host_untouched(self, fresh):
        if not fresh.facts.placement.possible:
            return
        for slot, original in prepare_placement(fresh.host).items():
            for wrong in (
                place(original, (NO_CPU,)),
                msgspec.structs.replace(original, vcpus=(*original.vcpus, *original.vcpus)),
            ):
                with pytest.raises(ParameterRefused):
                    fresh.host.write(slot, wrong)
        assert fresh.snapshot() == fresh.before

    def test_another_process_restores_the_placement(self, fresh):
        host, support = fresh.host, fresh.facts.placement
        if not support.possible or len(support.choices) < 2:
            return
        originals, context = prepare_placement(host), host.context()
        for slot, original in originals.items():
            host.write(slot, place(original, support.choices[:1]))
        fresh.close()
        fresh.restore_elsewhere(context, originals)
        assert fresh.snapshot() == fresh.before

    def test_placement_of_a_slot_that_the_guard_does_not_know_is_refused(self, fresh):
        if not fresh.facts.placement.possible or fresh.host.guard is None or len(fresh.facts.placement.choices) < 2:
            return
        fresh.host.boot()
        slot, cpus = SLOTS[0], fresh.facts.placement.choices[:1]
        with pytest.raises(HostError):
            fresh.host.write(slot, place(read_placement(fresh.host, slot), cpus))
        assert fresh.snapshot() == fresh.before
