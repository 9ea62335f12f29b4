"""Everything that is read from a host before anything is touched: as few sessions as possible, nothing written."""

from collections.abc import Mapping
from dataclasses import dataclass

from scheduler.hosts.remote.batch import run_all
from scheduler.hosts.remote.shell import Shell
from scheduler.hosts.xen.access import TIMEOUT_S, Access, find_access, list_command, refuse, with_uuids
from scheduler.hosts.xen.commands import IDLE, INFO_WITH_CPUS, LOG, POOLS, POOLS_WITH_CPUS, SPEED, VCPUS
from scheduler.hosts.xen.pools import PoolRow, pool_cpus_of, pools_of
from scheduler.hosts.xen.tables import DomainRow, VcpuRow, domains_of, info_of, topology_of, vcpus_of

LOOK_S = 3.0


@dataclass(frozen=True, slots=True)
class Survey:
    """A host as found; texts that a host does not have are empty.

    Attributes:
        access: How it lets us in.
        info: `xl info -n`.
        topology: CPU to socket and core.
        domains: The running domains.
        later: The same, `look_s` seconds later.
        look_s: That time.
        vcpus: Their vCPUs.
        pools: CPU pools, and below the CPUs of each.
        log: The hypervisor's messages that speak of scheduling; the oldest may be gone.
        governor: What xenpm says of the first CPU's frequency.
        idle: What it says of that CPU's idle states.
        config: Lines of the toolstack's configuration that count.
        boot_id: Of Dom0's kernel.
        machine_id: Of Dom0's system.
    """

    access: Access
    info: dict[str, str]
    topology: dict[int, tuple[int, int]]
    domains: list[DomainRow]
    later: list[DomainRow]
    look_s: float
    vcpus: list[VcpuRow]
    pools: list[PoolRow]
    pool_cpus: Mapping[str, tuple[int, ...]]
    log: str
    governor: str
    idle: str
    config: str
    boot_id: str
    machine_id: str


def survey(shell: Shell) -> Survey:
    """Look at the host for a few seconds; raises HostNotUsable, HostUnreachable."""
    access = find_access(shell)
    tool = [*access.sudo, access.program]
    listing = list_command(access)
    asked = {
        "info": [*tool, *INFO_WITH_CPUS],
        "domains": listing,
        "wait": ["sleep", str(LOOK_S)],
        "later": listing,
        "vcpus": [*tool, *VCPUS],
        "pools": [*tool, *POOLS],
        "pool_cpus": [*tool, *POOLS_WITH_CPUS],
        "log": ["sh", "-c", '"$@" | grep -i -e sched -e privileged', "sh", *tool, *LOG],
        "governor": [*access.sudo, access.beside("xenpm"), *SPEED],
        "idle": [*access.sudo, access.beside("xenpm"), *IDLE],
        "config": ["grep", "-s", "autoballoon", "/etc/xen/xl.conf"],
        "boot_id": ["cat", "/proc/sys/kernel/random/boot_id"],
        "machine_id": ["cat", "/etc/machine-id"],
    }
    got = dict(zip(asked, run_all(shell, list(asked.values()), timeout_s=TIMEOUT_S + LOOK_S), strict=True))
    refuse(got["domains"], shell.where, access)
    pools = pools_of(got["pools"].out, got["pool_cpus"].out)
    names = [pool.name for pool in pools]
    return Survey(
        access=access,
        info=dict(info_of(got["info"].out)),
        topology=topology_of(got["info"].out),
        domains=with_uuids(shell, access, domains_of(got["domains"].out, names)),
        later=domains_of(got["later"].out, names),
        look_s=LOOK_S,
        vcpus=vcpus_of(got["vcpus"].out),
        pools=pools,
        pool_cpus=pool_cpus_of(got["pool_cpus"].out, pools),
        log=got["log"].out,
        governor=got["governor"].out if got["governor"].code == 0 else "",
        idle=got["idle"].out if got["idle"].code == 0 else "",
        config=got["config"].out,
        boot_id=got["boot_id"].out.strip(),
        machine_id=got["machine_id"].out.strip(),
    )
