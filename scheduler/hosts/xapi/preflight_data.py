"""What preflight looks at, read once."""

from dataclasses import dataclass
from datetime import datetime

from scheduler.hosts.xapi.pool_inventory import PoolInventory, SweptPair
from scheduler.hosts.xapi.rrd import Series
from scheduler.hosts.xapi.xapi_records import CertificateRecord, HostRecord, VmRecord
from scheduler.model.scheduler_params import SchedParams


@dataclass(frozen=True, slots=True)
class PreflightData:
    """What was seen.

    Attributes:
        world: The pool.
        pair: What is swept.
        live: The guest's live parameters, as `xl` reads them.
        xen: Version of Xen as `xl` says it; empty when unknown.
        metrics: The last minute; empty when there are none.
        certificate: What the host shows, as the pool knows it; None from old versions.
        now: The present moment.
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
        """The host."""
        return self.world.hosts[self.pair.host]

    @property
    def guest(self) -> VmRecord:
        """The guest."""
        return self.world.vms[self.pair.guest]

    @property
    def io(self) -> VmRecord:
        """The I/O domain."""
        return self.world.vms[self.pair.io]
