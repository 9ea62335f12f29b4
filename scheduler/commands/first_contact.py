"""The first look at a host that is to be swept, which an abort ends whatever the host does."""

from collections.abc import Callable
from math import inf

from scheduler.errors import SweepAborted
from scheduler.hosts.protocols import Host
from scheduler.model.host_properties import HostProperties
from scheduler.run.control import AbortRequested, RunControl
from scheduler.waiting import abortable, call_in_thread


def look_at_host(open_it: Callable[[], Host], control: RunControl) -> tuple[Host, HostProperties]:
    """Open a host and look at it; an abort leaves a call that waits for it behind, since nothing was written yet.

    Args:
        open_it: Opens the host.
        control: Buttons.

    Raises:
        SpecError, HostError: The host cannot be swept.
        SweepAborted: The person wants the end.
    """
    try:
        with abortable(control.check_abort):
            host = call_in_thread(open_it, inf)
            try:
                return host, call_in_thread(host.facts, inf)
            except BaseException:
                host.close()
                raise
    except AbortRequested as request:
        raise SweepAborted(str(request), hint="The sweep had not begun: nothing was changed.") from request
