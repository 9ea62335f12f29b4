"""Findings from XAPI on the two domains and their host's other machines; pure."""

from collections.abc import Iterator

from scheduler.hosts.xapi import rrd
from scheduler.hosts.xapi.preflight_data import PreflightData
from scheduler.hosts.xapi.xapi_records import NULL, VmRecord
from scheduler.model.host_properties import PreflightFinding, Severity, StudyConcern
from scheduler.model.number_parsing import parse_whole_number
from scheduler.model.number_texts import format_percent
from scheduler.model.scheduler_params import CreditParams, SchedParams
from scheduler.model.sentence_texts import list_names
from scheduler.translation import _

_BUSY_CPUS = 0.1
_LOAD = 2.0
_LABEL = _("applies when the VM is next built: at its next start, reboot, resume or migration")
_DEFAULTS = {"weight": 256, "cap": 0}
_MOST = 999_999_999  # no weight and no cap has so many digits


def domain_findings(seen: PreflightData) -> Iterator[PreflightFinding]:
    """Yield findings on the two domains and on the other machines of the host."""
    yield from _check_stored_params(seen)
    yield from _check_machines(seen)
    yield from _check_other_machines(seen)
    yield from _check_runstates(seen)


def _check_stored_params(seen: PreflightData) -> Iterator[PreflightFinding]:
    difference = describe_difference(seen.guest, seen.live)
    if difference:
        yield PreflightFinding(
            Severity.WARNING,
            _("{label}: the live settings differ from those stored in XAPI ({difference})").format(
                label=seen.guest.name_label, difference=difference
            ),
            _("The live values are measured and restored; the stored values {label}.").format(label=_LABEL),
        )
    weighted = sorted({"weight", "cap"} & set(seen.guest.vcpus_params))
    if weighted and seen.live is not None and not isinstance(seen.live, CreditParams):
        yield PreflightFinding(
            Severity.INFO,
            _(
                "XAPI keeps a {weighted} for {label}, for the credit scheduler only, and that is not the one that runs"
            ).format(weighted=_(" and a ").join(weighted), label=seen.guest.name_label),
        )
    if {"weight", "cap"} & set(seen.io.vcpus_params) and seen.io.domid == 0:
        yield PreflightFinding(Severity.INFO, _("XAPI keeps a weight or cap for Dom0; these never have an effect"))
    if "mask" in seen.guest.vcpus_params:
        yield PreflightFinding(
            Severity.INFO,
            _("XAPI pins {label} to CPU {mask} whenever it is built").format(
                label=seen.guest.name_label, mask=seen.guest.vcpus_params["mask"]
            ),
            _("A sweep does not change this mask. If the guest starts during a sweep, the sweep ends."),
        )


def _check_machines(seen: PreflightData) -> Iterator[PreflightFinding]:
    for vm in (seen.io, seen.guest):
        if vm.memory_dynamic_min != vm.memory_dynamic_max:
            yield PreflightFinding(
                Severity.WARNING,
                _(
                    "{label} has dynamic memory, {memory_dynamic_min} to {memory_dynamic_max} MiB: its "
                    "size may change in the middle of the sweep"
                ).format(
                    label=vm.name_label,
                    memory_dynamic_min=vm.memory_dynamic_min >> 20,
                    memory_dynamic_max=vm.memory_dynamic_max >> 20,
                ),
                _("Set both limits to the same value for the sweep."),
            )
        if vm.current_operations:
            names = ", ".join(sorted(set(vm.current_operations.values())))
            yield PreflightFinding(
                Severity.ERROR,
                _("{label} is in the middle of: {names}").format(label=vm.name_label, names=names),
                _("Wait until that has ended."),
            )
    if seen.guest.snapshot_schedule != NULL:
        yield PreflightFinding(
            Severity.WARNING,
            _("{label} has a schedule of snapshots; one taken during the sweep shows in its figures").format(
                label=seen.guest.name_label
            ),
            _("Take it out of the schedule for the sweep."),
        )


def _check_other_machines(seen: PreflightData) -> Iterator[PreflightFinding]:
    yield from _check_busy_machines(seen)
    load = rrd.newest_value(seen.metrics, "host", seen.host.uuid, "loadavg")
    if load is not None and load >= _LOAD:
        yield PreflightFinding(
            Severity.WARNING,
            _("Dom0's load average is {load:.1f} before the sweep").format(load=load),
            _("Look for backups, updates or migrations there, and wait until they are done."),
        )


def _check_busy_machines(seen: PreflightData) -> Iterator[PreflightFinding]:
    """Yield one finding on all busy machines on the same CPUs, the busiest first."""
    others = [vm for vm in seen.world.neighbours(seen.pair).values() if vm.uuid in seen.competitors]
    used = {vm.name_label: rrd.cpus_used(seen.metrics, vm.uuid) or 0.0 for vm in others}
    busy = sorted((name for name, cpus in used.items() if cpus >= _BUSY_CPUS), key=lambda name: -used[name])
    if busy:
        total = sum(used[name] for name in busy)
        yield PreflightFinding(
            Severity.WARNING,
            _("{busy} may run on the same CPUs and used {total:.2f} CPUs over the last minute").format(
                busy=list_names(busy, 3), total=total
            ),
            _(
                'Keep other guests off the CPUs of the sweep (others = "away" in [cpus]). Their load lowers '
                "every figure."
            ),
            concern=StudyConcern.OTHERS,
        )


def _check_runstates(seen: PreflightData) -> Iterator[PreflightFinding]:
    if not seen.metrics:
        yield PreflightFinding(
            Severity.INFO, _("XAPI's metrics could not be read, so DomTune did not check other guests by them")
        )
        return
    states = rrd.read_runstates(seen.metrics, seen.guest.uuid)
    if states:
        reported = ", ".join(
            f"{name.removeprefix('runstate_')} {format_percent(value)}" for name, value in sorted(states.items())
        )
        yield PreflightFinding(
            Severity.INFO,
            _("{label} over the last seconds: {reported}").format(label=seen.guest.name_label, reported=reported),
        )
    else:
        yield PreflightFinding(
            Severity.INFO,
            _("XAPI records no runstates of {label}: it cannot say how long it waited for a CPU").format(
                label=seen.guest.name_label
            ),
            _("XAPI can record them: the data source runstate_full_contention of this guest."),
        )


def describe_difference(vm: VmRecord, live: SchedParams | None) -> str:
    """Return the differences between stored and live values; empty for none.

    XAPI hands stored values to Xen when a domain is built, only under the credit scheduler, and never for Dom0.

    Args:
        vm: The virtual machine.
        live: Live parameters; None when unknown.
    """
    if not isinstance(live, CreditParams):
        return ""
    kept = {name: _parse_number(vm.vcpus_params.get(name), default) for name, default in _DEFAULTS.items()}
    now = {"weight": live.weight, "cap": live.cap_pct}
    return ", ".join(
        _("{name} {now} live, {kept} kept").format(name=name, now=now[name], kept=kept[name])
        for name in now
        if now[name] != kept[name]
    )


def _parse_number(text: str | None, default: int) -> int:
    found = None if text is None else parse_whole_number(text, -_MOST, _MOST)
    return default if found is None else found
