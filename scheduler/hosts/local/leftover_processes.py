"""Processes that stand in our groups and are not of this sweep: a killed sweep's are ended, others are left alone."""

from collections.abc import Iterable

from scheduler.errors import HostBusy
from scheduler.hosts.local.cgroup_steps import CgroupStep, SendSignal
from scheduler.hosts.local.control_groups import ControlGroups
from scheduler.hosts.local.step_runner import run_steps
from scheduler.hosts.protocols import CommandLog
from scheduler.model.split import DomainId
from scheduler.waiting import wait_until

# Asked, then forced; together with the removal well under the 5 s that a restore may take.
_LADDER = (("SIGTERM", 1.0), ("SIGKILL", 2.0))


def plan_termination(groups: ControlGroups, domain: DomainId) -> Iterable[CgroupStep]:
    """Plan for what a killed sweep left to be ended, unlimited: what is held back could not end in time."""
    pids = groups.pids(domain)
    if pids:
        yield from groups.lift_quota(domain)
        yield from (SendSignal(pid, _LADDER[0][0]) for pid in pids)


def end_processes(groups: ControlGroups, domain: DomainId, ledger: CommandLog) -> None:
    """End it; raises HostBusy when that does not help."""
    run_steps(list(groups.lift_quota(domain)), ledger)
    for signal_name, patience_s in _LADDER:
        run_steps([SendSignal(pid, signal_name) for pid in groups.pids(domain)], ledger)
        if wait_until(lambda: not groups.pids(domain), patience_s):
            return
    raise HostBusy(
        f"processes {groups.pids(domain)} in the group domtune/{domain} do not end, not even when killed",
        hint="They wait for the kernel, perhaps for a disk; look at them with 'ps', then restore again.",
    )


def refuse_foreign_processes(groups: ControlGroups, domain: DomainId) -> None:
    """Raise HostBusy when processes that no sweep of ours started are in the group."""
    strangers = groups.pids(domain)
    if strangers:
        raise HostBusy(
            f"the group domtune/{domain} holds processes that this sweep did not start: "
            f"{', '.join(map(str, strangers[:5]))}",
            hint="Another sweep runs, or they were put there by hand; end them or move them out first.",
        )
