"""Processes in DomTune's groups that this sweep did not start.

Processes of a killed sweep are ended. Others are left alone.
"""

from collections.abc import Iterable

from scheduler.errors import HostBusy
from scheduler.hosts.local.cgroup_steps import CgroupStep, SendSignal
from scheduler.hosts.local.control_groups import ControlGroups
from scheduler.hosts.local.step_runner import run_steps
from scheduler.hosts.protocols import CommandLog
from scheduler.model.split import DomainId
from scheduler.translation import _
from scheduler.waiting import wait_until

# A request, then force. With the removal of the group, well under a restore's limit of 5 s.
_LADDER = (("SIGTERM", 1.0), ("SIGKILL", 2.0))


def plan_termination(groups: ControlGroups, domain: DomainId) -> Iterable[CgroupStep]:
    """Plan the end of a killed sweep's processes, without a quota.

    Throttled processes might not end in time.

    Args:
        groups: The groups.
        domain: The domain.
    """
    pids = groups.pids(domain)
    if pids:
        yield from groups.lift_quota(domain)
        yield from (SendSignal(pid, _LADDER[0][0]) for pid in pids)


def end_processes(groups: ControlGroups, domain: DomainId, command_log: CommandLog) -> None:
    """End all processes in a group; raise HostBusy when they do not end.

    Args:
        groups: The groups.
        domain: The domain.
        command_log: Called with each command and its answer.
    """
    run_steps(list(groups.lift_quota(domain)), command_log)
    for signal_name, patience_s in _LADDER:
        run_steps([SendSignal(pid, signal_name) for pid in groups.pids(domain)], command_log)
        if wait_until(lambda: not groups.pids(domain), patience_s):
            return
    raise HostBusy(
        _("processes {pids} in the group domtune/{domain} do not end, not even when killed").format(
            pids=groups.pids(domain), domain=domain
        ),
        hint=_("They wait for the kernel, perhaps for a disk; look at them with 'ps', then restore again."),
    )


def refuse_foreign_processes(groups: ControlGroups, domain: DomainId) -> None:
    """Raise HostBusy when the group has processes that no sweep of DomTune started.

    Args:
        groups: The groups.
        domain: The domain.
    """
    strangers = groups.pids(domain)
    if strangers:
        raise HostBusy(
            _("the group domtune/{domain} holds processes that this sweep did not start: {strangers}").format(
                domain=domain, strangers=", ".join(map(str, strangers[:5]))
            ),
            hint=_("Another sweep runs, or they were put there by hand; end them or move them out first."),
        )
