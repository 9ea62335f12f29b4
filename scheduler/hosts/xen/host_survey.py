"""Survey of a host before any change, in as few sessions as possible."""

from collections.abc import Mapping
from dataclasses import dataclass

from scheduler.hosts.remote.command_batch import run_all
from scheduler.hosts.remote.shell import Shell
from scheduler.hosts.xen.commands import IDLE, INFO_WITH_CPUS, LOG, POOLS, POOLS_WITH_CPUS, SPEED, VCPUS
from scheduler.hosts.xen.cpu_pools import PoolRow, parse_pool_cpus, parse_pools
from scheduler.hosts.xen.toolstack_access import (
    TIMEOUT_S,
    ToolstackAccess,
    add_uuids,
    find_access,
    list_command,
    raise_tool_error,
)
from scheduler.hosts.xen.xl_tables import DomainRow, VcpuRow, parse_domains, parse_info, parse_topology, parse_vcpus
from scheduler.model.placement import HostCpu

LOOK_S = 3.0


@dataclass(frozen=True, slots=True)
class HostSurvey:
    """Readings of a host; texts that a host does not provide are empty.

    Attributes:
        access: Access to the toolstack.
        info: Output of `xl info -n`, by name.
        topology: The online CPUs, by number; empty where `xl info -n` prints none.
        domains: The running domains.
        later: The running domains `look_s` seconds later.
        look_s: Seconds between the two lists of domains.
        vcpus: The vCPUs of the domains.
        pools: The CPU pools.
        pool_cpus: CPUs by name of the pool.
        log: The hypervisor's messages about scheduling; the oldest may be gone.
        governor: Output of xenpm on the frequency of CPU 0.
        idle: Output of xenpm on the idle states of CPU 0.
        config: Lines on memory ballooning and on CPU masks from the toolstack's configuration.
        boot_id: Boot id of Dom0's kernel.
        machine_id: Machine id of Dom0's system.
    """

    access: ToolstackAccess
    info: dict[str, str]
    topology: tuple[HostCpu, ...]
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


def survey_host(shell: Shell) -> HostSurvey:
    """Read the host for a few seconds; raise HostNotUsable, HostUnreachable."""
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
        "config": ["grep", "-s", "-e", "autoballoon", "-e", "cpumask", "/etc/xen/xl.conf"],
        "boot_id": ["cat", "/proc/sys/kernel/random/boot_id"],
        "machine_id": ["cat", "/etc/machine-id"],
    }
    got = dict(zip(asked, run_all(shell, list(asked.values()), timeout_s=TIMEOUT_S + LOOK_S), strict=True))
    raise_tool_error(got["domains"], shell.where, access)
    pools = parse_pools(got["pools"].out, got["pool_cpus"].out)
    names = [pool.name for pool in pools]
    return HostSurvey(
        access=access,
        info=dict(parse_info(got["info"].out)),
        topology=parse_topology(got["info"].out),
        domains=add_uuids(shell, access, parse_domains(got["domains"].out, names)),
        later=parse_domains(got["later"].out, names),
        look_s=LOOK_S,
        vcpus=parse_vcpus(got["vcpus"].out),
        pools=pools,
        pool_cpus=parse_pool_cpus(got["pool_cpus"].out, pools),
        log=got["log"].out,
        governor=got["governor"].out if got["governor"].code == 0 else "",
        idle=got["idle"].out if got["idle"].code == 0 else "",
        config=got["config"].out,
        boot_id=got["boot_id"].out.strip(),
        machine_id=got["machine_id"].out.strip(),
    )
