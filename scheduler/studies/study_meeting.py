"""Preparation of a host for a study, by module `meeting` of the study's package.

A study may have no such module.
"""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple, Protocol, cast

from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import HostProperties
from scheduler.model.setting import Setting
from scheduler.model.spec import RunSpec


class Meeting(NamedTuple):
    """Plan and host that fit each other, before anything is written to the host.

    Attributes:
        spec: The plan, with the settings that the host has.
        facts: Host properties as the study uses them.
        warnings: Sentences for users about limits of the answer.
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
            facts: Its properties at the start.
            dropped: Settings of the plan that the host does not have.

        Raises:
            SpecError: The study cannot be carried out on this host as planned.
            HostError: The host does not answer.
        """
        ...


def meet_host(asked: RunSpec, host: Host, facts: HostProperties) -> Meeting:
    """Fit a plan to its host and prepare the host; write nothing to it.

    Args:
        asked: The plan as written.
        host: The host.
        facts: Its properties at the start.

    Raises:
        SpecError: The study cannot be carried out on this host as planned.
        HostError: The host does not answer.
    """
    spec, name = asked.fit_to_host(facts), f"{asked.kind.module}.meeting"
    if find_spec(name) is None:
        return Meeting(spec, facts)
    dropped = tuple(setting for setting in asked.settings if setting not in spec.settings)
    return cast("MeetingModule", import_module(name)).meet(spec, host, facts, dropped)
