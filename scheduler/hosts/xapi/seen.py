"""What preflight looks at, read once."""

from dataclasses import dataclass
from datetime import datetime

from scheduler.hosts.xapi.inventory import Pair, World
from scheduler.hosts.xapi.records import Certificate, HostRecord, Vm
from scheduler.hosts.xapi.rrd import Series
from scheduler.model.params import SchedParams


@dataclass(frozen=True, slots=True)
class PoolSeen:
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

    world: World
    pair: Pair
    live: SchedParams | None
    xen: str
    metrics: Series
    certificate: Certificate | None
    now: datetime
    competitors: frozenset[str]

    @property
    def host(self) -> HostRecord:
        """The host."""
        return self.world.hosts[self.pair.host]

    @property
    def guest(self) -> Vm:
        """The guest."""
        return self.world.vms[self.pair.guest]

    @property
    def io(self) -> Vm:
        """The I/O domain."""
        return self.world.vms[self.pair.io]
