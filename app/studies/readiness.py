"""Readiness of a host for each question, in a few words."""

import os

from scheduler.model.host_properties import HostProperties
from scheduler.model.studies import STUDIES
from scheduler.translation import _

_LEAST_CPUS = 2  # of this computer: one that the domains share, one for the users
_DOM0_CPUS = "dom0-cpus"


def describe_readiness(study: str, facts: HostProperties) -> str:
    """Return if a host can answer a question, or the missing part.

    Args:
        study: Name of the study.
        facts: Properties of the host.
    """
    why, _unused = facts.missing_reason(STUDIES[study])
    if why:
        return _("Not on this host: {why}").format(why=why)
    shared = len(facts.shared_cpus)
    if study == _DOM0_CPUS and shared < _LEAST_CPUS and not facts.placement.choices:
        return _("{least} shared CPUs are needed: has {n}").format(least=_LEAST_CPUS, n=shared)
    if facts.simulated:
        return _("Simulated: ready")
    return _("1 CPU: ready") if facts.pcpus == 1 else _("{n} CPUs: ready").format(n=facts.pcpus)


def describe_this_computer(cpus: int, *, root: bool) -> str:
    """Return if this computer can answer a question, or the missing part.

    Args:
        cpus: Number of CPUs that this process may use, >= 1.
        root: True for the account root.
    """
    if cpus < _LEAST_CPUS:
        return _("{least} CPUs are needed: has {n}").format(least=_LEAST_CPUS, n=cpus)
    text = _("{n} CPUs, root: ready") if root else _("{n} CPUs; needs root: DomTune asks")
    return text.format(n=cpus)


def describe_own_computer() -> str:
    """Return the readiness of this computer for the account of this process."""
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return describe_this_computer(cpus, root=hasattr(os, "geteuid") and os.geteuid() == 0)
