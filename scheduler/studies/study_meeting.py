"""Prepare a host for a study: each study's package says in `meeting` what it needs, if it needs anything."""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple, Protocol, cast

from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import HostProperties
from scheduler.model.setting import Setting
from scheduler.model.spec import RunSpec


class Meeting(NamedTuple):
    """A plan and a host that suit each other; nothing was written yet.

    Attributes:
        spec: The plan, with the settings that the host has.
        facts: Its properties as the study uses them.
        warnings: Sentences about limits of the answer, for people.
    """

    spec: RunSpec
    facts: HostProperties
    warnings: tuple[str, ...] = ()


class MeetingModule(Protocol):
    """Module `meeting` of a study's package."""

    def meet(self, spec: RunSpec, host: Host, facts: HostProperties, dropped: Sequence[Setting]) -> Meeting:
        """Prepare the host; write nothing to it.

        Args:
            spec: The plan, fitted to the host.
            host: The host.
            facts: Its properties as found.
            dropped: Settings of the plan that the host does not have.

        Raises:
            SpecError: The study cannot be carried out there as planned.
            HostError: The host does not answer.
        """
        ...


def meet_host(asked: RunSpec, host: Host, facts: HostProperties) -> Meeting:
    """Fit a plan to its host and prepare the host for the study; write nothing to it.

    Args:
        asked: The plan as written.
        host: The host.
        facts: Its properties as found.

    Raises:
        SpecError: The study cannot be carried out there as planned.
        HostError: The host does not answer.
    """
    spec, name = asked.fit_to_host(facts), f"{asked.kind.module}.meeting"
    if find_spec(name) is None:
        return Meeting(spec, facts)
    dropped = tuple(setting for setting in asked.settings if setting not in spec.settings)
    return cast("MeetingModule", import_module(name)).meet(spec, host, facts, dropped)
