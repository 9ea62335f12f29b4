"""Findings on the CPUs of the domains, and on limits of their division; pure.

The plan chooses the shared CPUs (`model/shared_set.py`), and the sweep places the domains there and restores them. So
these findings name limits that remain, and no finding asks for a command.
"""

import re
from collections.abc import Iterator

from scheduler.hosts.xen.domain_view import DomainView
from scheduler.hosts.xen.xen_placement import find_placement_support, ignores_global_masks, list_open_cpus
from scheduler.model.host_properties import PreflightFinding, Severity, StudyConcern
from scheduler.model.sentence_texts import format_cpu_list, join_names
from scheduler.translation import _

_QUEUE_CPUS = 16  # xen/common/sched/credit2.c, MAX_CPUS_RUNQ: CPUs of one run queue; weights count within a queue
_GRANULARITY = re.compile(r"(?<!\S)sched-gran=(core|socket)(?!\S)")


def find_placement_problems(picture: DomainView) -> Iterator[PreflightFinding]:
    """Yield findings on the CPUs for which the domains compete."""
    yield from _find_offline(picture)
    yield from _find_separated(picture)
    if len(list_open_cpus(picture)) > 1:
        yield from _find_weight_limits(picture)
    yield from _find_placement_limits(picture)


def _find_offline(picture: DomainView) -> Iterator[PreflightFinding]:
    for seen in picture.domains:
        if not seen.online:
            yield PreflightFinding(
                Severity.ERROR,
                _("{row} has no vCPU online").format(row=seen.row.name),
                _("Is it paused or shutting down?"),
            )


def _find_separated(picture: DomainView) -> Iterator[PreflightFinding]:
    """Yield a finding for each guest without a CPU in common with the I/O domain."""
    io, support = picture.io, find_placement_support(picture)
    for seen in picture.guests:
        if io.pool == seen.pool and set(io.cpus) & set(seen.cpus):
            continue
        io_cpus, cpus = format_cpu_list(io.cpus), format_cpu_list(seen.cpus)
        where = _("{row} runs on CPU {io_cpus}, {row_2} on CPU {cpus}").format(
            row=io.row.name, io_cpus=io_cpus, row_2=seen.row.name, cpus=cpus
        )
        if support.possible:
            yield PreflightFinding(
                Severity.INFO,
                _("{where}: with the original settings they never compete").format(where=where),
                _("While a sweep runs, DomTune places both on the CPUs of the plan, and restores them afterwards."),
                concern=StudyConcern.COMPETITION,
            )
        else:
            yield PreflightFinding(
                Severity.ERROR,
                _(
                    "{where}: they never compete, so no split can have an effect. They cannot be placed together: {why}"
                ).format(where=where, why=support.why),
                support.hint,
                concern=StudyConcern.COMPETITION,
            )


def _find_weight_limits(picture: DomainView) -> Iterator[PreflightFinding]:
    guest, open_cpus = picture.guest, list_open_cpus(picture)
    sockets = {cpu.socket for cpu in picture.survey.topology if cpu.number in open_cpus}
    if guest.scheduler == "credit":
        yield PreflightFinding(
            Severity.WARNING,
            _(
                "credit divides the time of all {count} CPUs of the pool: on fewer of them, weights "
                "do not give their ratio"
            ).format(count=len(open_cpus)),
            _("Use mode = 'caps' or 'dedicated'."),
            concern=StudyConcern.WEIGHTS,
        )
    elif guest.scheduler == "credit2" and (len(sockets) > 1 or len(open_cpus) > _QUEUE_CPUS):
        yield PreflightFinding(
            Severity.INFO,
            _("credit2 weighs domains within one run queue only: at most {queue_cpus} CPUs of one socket").format(
                queue_cpus=_QUEUE_CPUS
            ),
            _("For weights, share CPUs of one socket."),
            concern=StudyConcern.WEIGHTS,
        )


def _find_placement_limits(picture: DomainView) -> Iterator[PreflightFinding]:
    """Yield findings on the boot options and settings that placement has to respect."""
    unit = _GRANULARITY.search(picture.survey.info.get("xen_commandline", ""))
    if unit:
        yield PreflightFinding(
            Severity.INFO,
            _("Xen schedules whole {unit}s (sched-gran={unit}): caps and placement count for groups of CPUs").format(
                unit=unit[1]
            ),
            _("Share whole {unit}s.").format(unit=unit[1]),
            concern=StudyConcern.SPLIT,
        )
    if ignores_global_masks(picture):
        yield PreflightFinding(
            Severity.INFO,
            _("vm.cpumask in xl.conf limits the CPUs of domains; a sweep may place them elsewhere while it runs"),
            _("Name the CPUs of that mask in the plan's [cpus] if the limit must also apply during the sweep."),
            concern=StudyConcern.SPLIT,
        )
    if picture.shared and not (support := find_placement_support(picture)).possible:
        names = join_names(seen.row.name for seen in picture.domains)
        yield PreflightFinding(
            Severity.INFO,
            _("{names} stay on their CPUs during a sweep: {why}").format(names=names, why=support.why),
            support.hint,
            concern=StudyConcern.SPLIT,
        )
