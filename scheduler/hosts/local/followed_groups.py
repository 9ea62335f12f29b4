"""Groups with somebody else's processes in them, whose values alone are changed: `domtune follow local:`."""

from scheduler.errors import DomainGone, HostNotUsable
from scheduler.hosts.local.cgroup_paths import DOMAINS, group_folder
from scheduler.hosts.local.cgroup_steps import CgroupStep
from scheduler.hosts.local.control_groups import ControlGroups
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import DomainId


def refuse_missing(groups: ControlGroups) -> None:
    """Raise HostNotUsable where one of the groups is not there."""
    missing = [str(group_folder(groups.place.cpu, domain)) for domain in DOMAINS if not groups.exists(domain)]
    if missing:
        hint = "'domtune apply' makes them and gives them limits; put the processes of both domains into them."
        raise HostNotUsable(f"there is no {' and no '.join(missing)}: nothing to follow", hint=hint)


def plan_values(groups: ControlGroups, domain: DomainId, wanted: CgroupParams | None) -> list[CgroupStep]:
    """Plan for what the group says, and for nothing that is in it; raises DomainGone when it is not there."""
    if wanted is None or not groups.exists(domain):
        raise DomainGone(f"the control group domtune/{domain} was removed", hint="Nothing of it is left to set.")
    return list(groups.make_and_set(domain, wanted))
