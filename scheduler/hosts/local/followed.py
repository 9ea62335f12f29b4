"""Groups with somebody else's processes in them, whose values alone are changed: `domtune follow local:`."""

from scheduler.errors import DomainGone, HostNotUsable
from scheduler.hosts.local.groups import Groups
from scheduler.hosts.local.place import DOMAINS, group
from scheduler.hosts.local.steps import Step
from scheduler.model.params import CgroupParams
from scheduler.model.split import DomainId


def refuse_missing(groups: Groups) -> None:
    """Raise HostNotUsable where one of the groups is not there."""
    missing = [str(group(groups.place.cpu, domain)) for domain in DOMAINS if not groups.exists(domain)]
    if missing:
        hint = "'domtune apply' makes them and gives them limits; put the processes of both domains into them."
        raise HostNotUsable(f"there is no {' and no '.join(missing)}: nothing to follow", hint=hint)


def values(groups: Groups, domain: DomainId, wanted: CgroupParams | None) -> list[Step]:
    """Plan for what the group says, and for nothing that is in it; raises DomainGone when it is not there."""
    if wanted is None or not groups.exists(domain):
        raise DomainGone(f"the control group domtune/{domain} was removed", hint="Nothing of it is left to set.")
    return list(groups.make_and_set(domain, wanted))
