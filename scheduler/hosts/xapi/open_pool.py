"""What XAPI showed when a host was opened, and how `xl` is reached there."""

from dataclasses import dataclass

from scheduler.hosts.remote.ssh_url import SshTarget
from scheduler.hosts.xapi.pool_inventory import PoolInventory, SweptPair
from scheduler.hosts.xapi.xapi_records import HostRecord, VmRecord
from scheduler.hosts.xapi.xapi_url import XapiUrl
from scheduler.model.split import IO, DomainId

_ROOT = "root"  # the only account of Dom0 that may call xl on these hosts


@dataclass(frozen=True, slots=True)
class OpenPool:
    """What XAPI showed when the host was opened.

    Attributes:
        world: The pool.
        pair: What is swept.
        way: How `xl` is reached: the URL of its own adapter.
    """

    world: PoolInventory
    pair: SweptPair
    way: str

    @property
    def host(self) -> HostRecord:
        """The host of the two domains."""
        return self.world.hosts[self.pair.host]

    def vm(self, domain: DomainId) -> VmRecord:
        """Return one of the two domains."""
        return self.world.vms[self.pair.io if domain == IO else self.pair.guest]


def build_xl_url(url: XapiUrl, world: PoolInventory, pair: SweptPair) -> str:
    """Return the URL by which `xl` is reached on the host of the two domains."""
    host = world.hosts[pair.host]
    same = len(world.hosts) == 1 or url.address.host in host.names
    target = url.ssh or SshTarget(url.address.host if same else host.address, _ROOT)
    return f"xl+ssh://{target.where}"
