"""Data for the preflight findings, read once."""

from dataclasses import dataclass
from datetime import datetime

from scheduler.hosts.xapi.pool_inventory import PoolInventory, SweptPair
from scheduler.hosts.xapi.rrd import Series
from scheduler.hosts.xapi.xapi_records import CertificateRecord, HostRecord, VmRecord
from scheduler.model.scheduler_params import SchedParams


@dataclass(frozen=True, slots=True)
class PreflightData:
    """Readings of a pool and a host before a sweep.

    Attributes:
        world: The pool.
        pair: The host and the domains to sweep.
        live: The guest's live parameters, read by `xl`; None when the guest is gone.
        xen: Version of Xen from `xl`; empty when unknown.
        metrics: Metrics of the last minute; empty for none.
        certificate: The pool's record of the host's certificate; None for old versions.
        now: The current time.
        competitors: UUIDs of the machines that may run on the CPUs of the sweep.
    """

    world: PoolInventory
    pair: SweptPair
    live: SchedParams | None
    xen: str
    metrics: Series
    certificate: CertificateRecord | None
    now: datetime
    competitors: frozenset[str]

    @property
    def host(self) -> HostRecord:
        """The host of the domains."""
        return self.world.hosts[self.pair.host]

    @property
    def guest(self) -> VmRecord:
        """The guest."""
        return self.world.vms[self.pair.guest]

    @property
    def io(self) -> VmRecord:
        """The I/O domain."""
        return self.world.vms[self.pair.io]
