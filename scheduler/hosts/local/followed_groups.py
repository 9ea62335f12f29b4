"""Parameters of existing groups with external processes, for a follow."""

from scheduler.errors import DomainGone, HostNotUsable
from scheduler.hosts.local.cgroup_paths import DOMAINS, group_folder
from scheduler.hosts.local.cgroup_steps import CgroupStep
from scheduler.hosts.local.control_groups import ControlGroups
from scheduler.model.scheduler_params import CgroupParams
from scheduler.model.split import DomainId
from scheduler.translation import _


def refuse_missing(groups: ControlGroups) -> None:
    """Raise HostNotUsable where one of the groups is missing."""
    missing = [str(group_folder(groups.place.cpu, domain)) for domain in DOMAINS if not groups.exists(domain)]
    if missing:
        hint = _("'domtune apply' makes them and gives them limits; put the processes of both domains into them.")
        raise HostNotUsable(
            _("there is no {missing}: nothing to follow").format(missing=_(" and no ").join(missing)), hint=hint
        )


def plan_values(groups: ControlGroups, domain: DomainId, wanted: CgroupParams | None) -> list[CgroupStep]:
    """Plan the parameters of a group and nothing else.

    Args:
        groups: The groups.
        domain: The domain.
        wanted: Parameters to set; None is refused.

    Raises:
        DomainGone: The group is missing.
    """
    if wanted is None or not groups.exists(domain):
        raise DomainGone(
            _("the control group domtune/{domain} was removed").format(domain=domain),
            hint=_("Nothing of it is left to set."),
        )
    return list(groups.make_and_set(domain, wanted))
