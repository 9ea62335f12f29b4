"""Preparation of a host for an overhead study: check that it has a reference."""

from collections.abc import Sequence

from scheduler.errors import SpecError
from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import HostProperties
from scheduler.model.spec import RunSpec
from scheduler.model.studies import Setting
from scheduler.studies.study_meeting import Meeting
from scheduler.translation import _


def meet(spec: RunSpec, host: Host, facts: HostProperties, dropped: Sequence[Setting]) -> Meeting:
    """Refuse a study whose reference this host does not have.

    Args:
        spec: The plan.
        host: The host.
        facts: Its properties at the start.
        dropped: Ignored.

    Raises:
        SpecError: The host's database has one route only, and the plan names no reference.
    """
    del dropped
    if not spec.study.reference_url and host.database is None:
        problem = _("this host's database is reached through its I/O domain only, so there is no base to compare with")
        raise SpecError(
            "base", problem, hint=_("Name one: base = 'postgresql://...', with the same data and settings.")
        )
    return Meeting(spec, facts)
