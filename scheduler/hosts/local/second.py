"""Whether this computer's groups can hold a second guest, and the facts of a computer that has one."""

import os
from pathlib import Path

import msgspec

from scheduler.files import is_there
from scheduler.hosts.local.place import PARENT, Place
from scheduler.model.databases import url_of
from scheduler.model.facts import DomainFacts, HostFacts
from scheduler.model.guests import GUEST_2, SecondGuest


def room(place: Place, database: str) -> SecondGuest:
    """Return whether a second guest can be had, with a server that we bring.

    Args:
        place: Where our groups are.
        database: As a plan names it: the guest.
    """
    if url_of(database):
        why = "the guest is a server of your own, and DomTune brings no second one of it"
        return SecondGuest(possible=False, why=why, hint="Leave the database out: DomTune starts two of its own.")
    for base in (place.cpu, *place.aside):
        parent = Path(base, PARENT)
        if not os.access(parent if is_there(parent) else base, os.W_OK):
            why = f"no third control group can be made in {parent}, where two were handed to you"
            return SecondGuest(
                possible=False, why=why, hint="Run DomTune as root, or with a delegated cgroup v2 subtree."
            )
    return SecondGuest(possible=True, why="", hint="")


def beside(facts: HostFacts) -> HostFacts:
    """Return the facts with the second guest's group among the domains."""
    second = DomainFacts(id=GUEST_2, name=f"{PARENT}/{GUEST_2}", vcpus=1, cpus=facts.contended_cpus)
    return msgspec.structs.replace(facts, domains=(*facts.domains, second))
