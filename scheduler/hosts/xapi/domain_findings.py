"""What XAPI tells of the two domains and their neighbours; pure."""

from collections.abc import Iterator

from scheduler.hosts.xapi import rrd
from scheduler.hosts.xapi.persist import LABEL, differs
from scheduler.hosts.xapi.records import NULL
from scheduler.hosts.xapi.seen import PoolSeen
from scheduler.model.facts import Finding, Level
from scheduler.model.number_texts import percent
from scheduler.model.params import CreditParams

_BUSY_CPUS = 0.1
_LOAD = 2.0


def domain_findings(seen: PoolSeen) -> Iterator[Finding]:
    """Yield what is true of the two domains and of what runs beside them."""
    yield from _kept(seen)
    yield from _machines(seen)
    yield from _neighbours(seen)
    yield from _contention(seen)


def _kept(seen: PoolSeen) -> Iterator[Finding]:
    difference = differs(seen.guest, seen.live)
    if difference:
        yield Finding(
            Level.WARNING,
            f"{seen.guest.name_label}: what is live is not what XAPI keeps ({difference})",
            f"The live values are measured and restored; what is kept {LABEL}.",
        )
    weighted = sorted({"weight", "cap"} & set(seen.guest.vcpus_params))
    if weighted and seen.live is not None and not isinstance(seen.live, CreditParams):
        yield Finding(
            Level.INFO,
            f"XAPI keeps a {' and a '.join(weighted)} for {seen.guest.name_label}, for the credit scheduler only, "
            "and that is not the one that runs",
        )
    if {"weight", "cap"} & set(seen.io.vcpus_params) and seen.io.domid == 0:
        yield Finding(Level.INFO, "XAPI keeps a weight or cap for Dom0; these never have an effect")
    if "mask" in seen.guest.vcpus_params:
        yield Finding(
            Level.INFO,
            f"XAPI pins {seen.guest.name_label} to CPU {seen.guest.vcpus_params['mask']} whenever it is built",
        )


def _machines(seen: PoolSeen) -> Iterator[Finding]:
    for vm in (seen.io, seen.guest):
        if vm.memory_dynamic_min != vm.memory_dynamic_max:
            yield Finding(
                Level.WARNING,
                f"{vm.name_label} has dynamic memory, {vm.memory_dynamic_min >> 20} to "
                f"{vm.memory_dynamic_max >> 20} MiB: its size may change in the middle of the sweep",
                "Set both limits to the same value for the sweep.",
            )
        if vm.current_operations:
            names = ", ".join(sorted(set(vm.current_operations.values())))
            yield Finding(Level.ERROR, f"{vm.name_label} is in the middle of: {names}", "Wait until that has ended.")
    if seen.guest.snapshot_schedule != NULL:
        yield Finding(
            Level.WARNING,
            f"{seen.guest.name_label} has a schedule of snapshots; one taken during the sweep shows in its figures",
            "Take it out of the schedule for the sweep.",
        )


def _neighbours(seen: PoolSeen) -> Iterator[Finding]:
    for vm in seen.world.neighbours(seen.pair).values():
        if vm.uuid not in seen.competitors:
            continue
        used = rrd.cpus_used(seen.metrics, vm.uuid)
        if used is not None and used >= _BUSY_CPUS:
            yield Finding(
                Level.WARNING,
                f"{vm.name_label} may run on the same CPUs and used {used:.2f} CPUs over the last minute",
                "Move it to another host, or give it other CPUs: what it takes is missing in every figure.",
            )
    load = rrd.newest(seen.metrics, "host", seen.host.uuid, "loadavg")
    if load is not None and load >= _LOAD:
        yield Finding(
            Level.WARNING,
            f"Dom0's load average is {load:.1f} before the sweep",
            "Look for backups, updates or migrations there, and wait until they are done.",
        )


def _contention(seen: PoolSeen) -> Iterator[Finding]:
    if not seen.metrics:
        yield Finding(Level.INFO, "XAPI's metrics could not be read; neighbours were not looked at through them")
        return
    states = rrd.runstates(seen.metrics, seen.guest.uuid)
    if states:
        told = ", ".join(f"{name.removeprefix('runstate_')} {percent(value)}" for name, value in sorted(states.items()))
        yield Finding(Level.INFO, f"{seen.guest.name_label} over the last seconds: {told}")
    else:
        yield Finding(
            Level.INFO,
            f"XAPI records no runstates of {seen.guest.name_label}: it cannot say how long it waited for a CPU",
            f"To record one: xe vm-data-source-record data-source=runstate_full_contention uuid={seen.guest.uuid}",
        )
