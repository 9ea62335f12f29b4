"""Preparation of a host for a study of Dom0's CPUs."""

from collections.abc import Sequence

from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import HostProperties
from scheduler.model.sentence_texts import join_names
from scheduler.model.spec import RunSpec
from scheduler.model.studies import Setting
from scheduler.studies.dom0_cpus.declaration import Dom0CpusStudy, explain_range, list_usable_numbers, preset_numbers
from scheduler.studies.study_meeting import Meeting
from scheduler.translation import _


def meet(spec: RunSpec, host: Host, facts: HostProperties, dropped: Sequence[Setting]) -> Meeting:
    """Return the plan with a warning about numbers that the domains cannot use.

    Args:
        spec: The plan, fitted to the host.
        host: The host.
        facts: Its properties at the start.
        dropped: Not used: settings of a plan are known by the host's CPUs only.
    """
    del host, dropped
    asked, usable = spec.study_as(Dom0CpusStudy).io_cpus, list_usable_numbers(facts)
    left = [number for number in asked or preset_numbers(len(facts.shared_cpus)) if number not in usable]
    if not left:
        return Meeting(spec, facts)
    cpus = "1 CPU is" if left == [1] else _("{left} CPUs are").format(left=join_names(map(str, sorted(left))))
    return Meeting(
        spec, facts, (_("{cpus} excluded: {explain_range}").format(cpus=cpus, explain_range=explain_range(facts)),)
    )
