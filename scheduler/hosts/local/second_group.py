"""Support for a second guest in this computer's groups, and its properties."""

import os
from pathlib import Path

import msgspec

from scheduler.files import path_exists
from scheduler.hosts.local.cgroup_paths import PARENT, CgroupPaths
from scheduler.model.databases import database_url
from scheduler.model.guests import SecondGuestSupport
from scheduler.model.host_properties import DomainProperties, HostProperties
from scheduler.model.split import GUEST_2
from scheduler.translation import _


def check_second_guest(place: CgroupPaths, database: str) -> SecondGuestSupport:
    """Return the support for a second guest with a built-in server.

    Args:
        place: Paths of the groups.
        database: The plan's name of the guest's database.
    """
    if database_url(database):
        why = _("the guest is a server of your own, and DomTune brings no second one of it")
        return SecondGuestSupport(
            possible=False, why=why, hint=_("Leave the database out: DomTune starts two of its own.")
        )
    for base in (place.cpu, *place.aside):
        parent = Path(base, PARENT)
        if not os.access(parent if path_exists(parent) else base, os.W_OK):
            why = _("no third control group can be made in {parent}, where two were handed to you").format(
                parent=parent
            )
            return SecondGuestSupport(
                possible=False, why=why, hint=_("Run DomTune as root, or with a delegated cgroup v2 subtree.")
            )
    return SecondGuestSupport(possible=True, why="", hint="")


def add_second_guest(facts: HostProperties) -> HostProperties:
    """Return the properties with the second guest's group among the domains."""
    second = DomainProperties(id=GUEST_2, name=f"{PARENT}/{GUEST_2}", vcpus=1, cpus=facts.shared_cpus)
    return msgspec.structs.replace(facts, domains=(*facts.domains, second))
