"""Where a simulated host meets the run: it brings its own clock and its own loads."""

from collections.abc import Callable, Mapping

from scheduler.errors import SpecError
from scheduler.hosts.base import Direct, Host, Neighbouring
from scheduler.loads.base import Loads
from scheduler.loads.registry import open_loads, open_pair, open_two_guests
from scheduler.model.counted import Count
from scheduler.model.facts import HostFacts
from scheduler.model.guests import GUEST_2
from scheduler.model.setting import DIRECT
from scheduler.model.spec import Mode, RunSpec
from scheduler.model.split import GUEST
from scheduler.run.committed import Committed
from scheduler.run.control import BootClock, Control, MonotonicClock
from scheduler.run.own_clock import OwnTimeControl
from scheduler.shares.registry import model_of

_SCHEME = "sim:"
_PERIOD_US = 20_000  # the machine that comes with DomTune was fitted at that


def refuse_simulated(run_id: str, host_url: str) -> None:
    """Refuse to apply to a machine that exists only during its sweep; raises SpecError."""
    if host_url.startswith(_SCHEME):
        why = f"{run_id} was simulated, and its machine ended with it: there is nothing to apply to"
        raise SpecError("run", why, hint="Sweep a real host, then apply.")


def control_for(spec: RunSpec) -> Control:
    """Return buttons and clock for a sweep: a simulated host's time passes as fast as it can be worked out."""
    return control_of(spec.host_url)


def control_of(host_url: str) -> Control:
    """Likewise, for whatever is done with a host."""
    return OwnTimeControl() if host_url.startswith(_SCHEME) else Control(MonotonicClock())


def lasting_control_of(host_url: str) -> Control:
    """Likewise, for what holds a host for hours: time goes on while this computer sleeps."""
    return OwnTimeControl() if host_url.startswith(_SCHEME) else Control(BootClock())


def join(host: Host, spec: RunSpec, control: Control) -> None:
    """Let a simulated host take part in a sweep; nothing to do for others.

    Raises:
        SpecError: The simulated machine knows nothing of one of the loads or splits.
    """
    if spec.host_url.startswith(_SCHEME):
        from scheduler.hosts.sim import SimHost

        if isinstance(host, SimHost):
            host.join(spec, control.clock.now)


def alive(host: Host, url: str, control: Control) -> Host:
    """Let a simulated machine run the load of its own that its URL names, at the split that it names; return the host.

    Raises:
        SpecError: The URL of a simulated machine names no load: nothing would happen there.
    """
    if url.startswith(_SCHEME):
        from scheduler.hosts.sim import SimHost

        if isinstance(host, SimHost):
            own, facts = host.own_load, host.facts()
            encoding = model_of(facts).encode(own.split, Mode.PARTITION, _PERIOD_US) if own.split else None
            host.live(control.clock.now, encoding.params if encoding else {})
    return host


class _SimCommits:
    """Counts what a simulated machine's own load has done."""

    def __init__(self, count: Callable[[], tuple[int, float]]) -> None:
        self._count = count

    def look(self) -> Count:
        return Count(*self._count())


def counted_by(host: Host) -> Committed | None:
    """Return a counter of a simulated machine's own load; None on all other hosts, which have a database for that."""
    from scheduler.hosts.sim import SimHost

    return _SimCommits(host.committed) if isinstance(host, SimHost) else None


def loads_for(host: Host, spec: RunSpec, facts: HostFacts, secrets: Mapping[str, str]) -> Loads:
    """Return the sweep's loads, not started: those of a simulated machine, or real ones."""
    if spec.host_url.startswith(_SCHEME):
        from scheduler.hosts.sim import SimHost
        from scheduler.loads.sim import loads_of

        if isinstance(host, SimHost):
            return loads_of(host.world, spec)
    url = host.database_url()
    secret = host.database_secret() or secrets.get(spec.database, "")
    if spec.kind.factor == "guests" and isinstance(host, Neighbouring):
        second = host.second_database_url()
        known = {url: secret, second: host.second_database_secret(), **secrets}
        return open_two_guests(spec, facts, {GUEST: url, GUEST_2: second}, known)
    if spec.base and spec.base != DIRECT:
        return open_pair(spec, facts, url, {url: secret, **secrets})
    base = host.direct_database_url() if spec.compares_base and isinstance(host, Direct) else ""
    return open_loads(spec, facts, url, {url: secret, base: secret, **secrets}, base)
