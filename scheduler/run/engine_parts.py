"""What an engine is made of."""

from collections.abc import Callable, Mapping

import msgspec

from scheduler.hosts.protocols import Host
from scheduler.loads.load_protocols import LoadGenerators
from scheduler.model.documents import Document
from scheduler.run.control import RunControl
from scheduler.run.factor import SweepFactor
from scheduler.run.lease import HostLease
from scheduler.run.monitor import HostMonitor


class EngineParts(msgspec.Struct, frozen=True):
    """What an engine is made of.

    Attributes:
        host: The host.
        lease: The right to write to it.
        open_loads: Makes the load generators, once the host is up.
        factor: What brings a setting about.
        monitor: The host's counters.
        control: Waiting and buttons.
        emit: Takes every document; raises StoreError when it cannot be kept.
        began_s: When the run's time began, on the control's clock.
        client_cpus: Number of CPUs left to the clients.
        hold: Hold the users while the host is commanded: where commands run inside the I/O domain, a load that
            starves it would starve them, and the guard's heartbeats.
        units: Load kind to the unit of its rates.
    """

    host: Host
    lease: HostLease
    open_loads: Callable[[], LoadGenerators]
    factor: SweepFactor
    monitor: HostMonitor
    control: RunControl
    emit: Callable[[Document], None]
    began_s: float
    client_cpus: int = 1
    hold: bool = False
    units: Mapping[str, str] = {}
