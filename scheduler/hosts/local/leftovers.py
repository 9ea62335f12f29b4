"""Processes that stand in our groups and are not of this sweep: a killed sweep's are ended, others are left alone."""

from collections.abc import Iterable

from scheduler.errors import HostBusy
from scheduler.hosts.base import Ledger
from scheduler.hosts.local.doing import carry_out
from scheduler.hosts.local.groups import Groups
from scheduler.hosts.local.steps import Step, Tell
from scheduler.model.split import DomainId
from scheduler.waiting import until

# Asked, then forced; together with the removal well under the 5 s that a restore may take.
_LADDER = (("SIGTERM", 1.0), ("SIGKILL", 2.0))


def ask_to_end(groups: Groups, domain: DomainId) -> Iterable[Step]:
    """Plan for what a killed sweep left to be ended, unlimited: what is held back could not end in time."""
    pids = groups.pids(domain)
    if pids:
        yield from groups.lift(domain)
        yield from (Tell(pid, _LADDER[0][0]) for pid in pids)


def end(groups: Groups, domain: DomainId, ledger: Ledger) -> None:
    """End it; raises HostBusy when that does not help."""
    carry_out(list(groups.lift(domain)), ledger)
    for signal_name, patience_s in _LADDER:
        carry_out([Tell(pid, signal_name) for pid in groups.pids(domain)], ledger)
        if until(lambda: not groups.pids(domain), patience_s):
            return
    raise HostBusy(
        f"processes {groups.pids(domain)} in the group domtune/{domain} do not end, not even when killed",
        hint="They wait for the kernel, perhaps for a disk; look at them with 'ps', then restore again.",
    )


def refuse(groups: Groups, domain: DomainId) -> None:
    """Raise HostBusy when processes that no sweep of ours started are in the group."""
    strangers = groups.pids(domain)
    if strangers:
        raise HostBusy(
            f"the group domtune/{domain} holds processes that this sweep did not start: "
            f"{', '.join(map(str, strangers[:5]))}",
            hint="Another sweep runs, or they were put there by hand; end them or move them out first.",
        )
