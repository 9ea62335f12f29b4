"""Prepare a host for an overhead study: it needs a database to compare with."""

from collections.abc import Sequence

from scheduler.errors import SpecError
from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import HostProperties
from scheduler.model.setting import Setting
from scheduler.model.spec import RunSpec
from scheduler.studies.study_meeting import Meeting


def meet(spec: RunSpec, host: Host, facts: HostProperties, dropped: Sequence[Setting]) -> Meeting:
    """Refuse a study whose base this host does not have; raises SpecError."""
    del dropped
    if not spec.study.reference_url and host.database is None:
        problem = "this host's database is reached through its I/O domain only, so there is no base to compare with"
        raise SpecError("base", problem, hint="Name one: base = 'postgresql://...', with the same data and settings.")
    return Meeting(spec, facts)
