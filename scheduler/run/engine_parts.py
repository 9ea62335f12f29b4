"""Parts of a sweep engine."""

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
    """Parts of a sweep engine.

    Attributes:
        host: The host.
        lease: The right to write to the host.
        open_loads: Opens the load generators, after the host has started.
        factor: Applies the settings.
        monitor: Reads the host's counters.
        control: Waits, and the buttons that end them.
        emit: Takes every document; raises StoreError when a document cannot be stored.
        began_s: Start of the run, seconds on the control's clock.
        client_cpus: Number of CPUs left to the clients, >= 1.
        hold: True to park the users while the host is commanded. A load that starves the I/O domain would also starve
            commands that run inside the domain, and the guard's heartbeats.
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
