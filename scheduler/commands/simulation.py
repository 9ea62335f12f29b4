"""Connection of a simulated host to a run, with its own clock and loads."""

from collections.abc import Callable, Mapping

from scheduler.errors import SpecError
from scheduler.hosts.protocols import Host
from scheduler.loads.load_protocols import LoadGenerators
from scheduler.loads.load_registry import open_loads
from scheduler.model.commit_counter import CommitCount
from scheduler.model.host_kinds import is_simulated
from scheduler.model.host_properties import HostProperties
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import GUEST_2
from scheduler.run.commit_counter import CountsCommits
from scheduler.run.control import BootClock, MonotonicClock, RunControl
from scheduler.run.simulated_clock import SimulatedTimeControl
from scheduler.shares.model_lookup import share_model_for_host
from scheduler.translation import _

_PERIOD_US = 20_000  # the built-in machine was fitted at this period


def refuse_simulated_host(run_id: str, host_url: str) -> None:
    """Raise SpecError for a machine that exists only during its sweep.

    Args:
        run_id: Id of the run, for the message.
        host_url: URL of the host.
    """
    if is_simulated(host_url):
        why = _("{run_id} was simulated, so there is no host to apply to").format(run_id=run_id)
        raise SpecError("run", why, hint=_("Sweep a real host, then apply."))


def sweep_control(spec: RunSpec) -> RunControl:
    """Return the control for a sweep, with the clock of the users.

    Simulated time takes no time.
    """
    return SimulatedTimeControl() if is_simulated(spec.host_url) else RunControl(MonotonicClock())


def lasting_control(host_url: str) -> RunControl:
    """Return the control for hours on a host; its clock includes time asleep."""
    return SimulatedTimeControl() if is_simulated(host_url) else RunControl(BootClock())


def join_simulation(host: Host, spec: RunSpec, control: RunControl) -> None:
    """Connect a simulated host to a sweep; do nothing for other hosts.

    Args:
        host: The host.
        spec: The plan.
        control: Its clock is the simulation's clock.

    Raises:
        SpecError: The simulated machine does not support one of the loads or splits.
    """
    if host.simulation is not None:
        host.simulation.join(spec, control.clock.now)


def start_own_load(host: Host, control: RunControl) -> Host:
    """Start the load of a simulated machine at the split in its URL; return the host.

    Args:
        host: The host; any other kind of host is returned unchanged.
        control: Its clock is the simulation's clock.

    Raises:
        SpecError: The URL of a simulated machine names no load.
    """
    if host.simulation is not None:
        own, facts = host.simulation.own_load, host.facts()
        encoding = share_model_for_host(facts).encode(own.split, Mode.CAPS, _PERIOD_US) if own.split else None
        host.simulation.live(control.clock.now, encoding.params if encoding else {})
    return host


class _SimCommits:
    """Commit counter of a simulated machine's own load."""

    def __init__(self, count: Callable[[], tuple[int, float]]) -> None:
        self._count = count

    def look(self) -> CommitCount:
        return CommitCount(*self._count())


def simulated_counter(host: Host) -> CountsCommits | None:
    """Return the commit counter of a simulated machine; None for other hosts."""
    return _SimCommits(host.simulation.committed) if host.simulation is not None else None


def open_sweep_loads(host: Host, spec: RunSpec, facts: HostProperties, secrets: Mapping[str, str]) -> LoadGenerators:
    """Return the sweep's loads, not started: simulated ones, or real ones.

    Args:
        host: The open host.
        spec: The plan.
        facts: Properties of the host.
        secrets: Database URL to its password.
    """
    if host.simulation is not None:
        from scheduler.loads.simulated_loads import open_simulated_loads

        return open_simulated_loads(host.simulation.world, spec)
    built_in = host.database
    url = built_in.url() if built_in else ""
    known = {url: (built_in.secret() if built_in else "") or secrets.get(spec.database, ""), **secrets}
    if built_in is None:
        return open_loads(spec, facts, url, known)
    direct_url = built_in.reference_url() if spec.has_reference and not spec.study.reference_url else ""
    guest_2_url = built_in.url(GUEST_2) if spec.guest_loads else ""
    known = {guest_2_url: built_in.secret(GUEST_2), direct_url: known[url], **known}
    return open_loads(spec, facts, url, known, direct_url=direct_url, guest_2_url=guest_2_url)
