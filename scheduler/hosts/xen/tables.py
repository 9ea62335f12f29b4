"""What `xl` and `xm` print about domains, vCPUs and pools, as values.

Every table is read from the right: names come first in it, may hold blanks and digits, and push the rest to the right
when they are long. Formats: the printf's of xl 4.1 to 4.17 (tools/xl/xl_list.c, xl_vcpu.c, xl_cpupool.c, xl_info.c).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from scheduler.hosts.printed import cpus_in, rows

# Numbers are of ASCII digits and of a length that the printf's can have. A name ends in no blank and blanks are taken
# once (`++`): else every blank of a long run would be tried as the end of the name, with all that follow it.
_N, _T = r"[0-9]{1,18}", r"[0-9]{1,18}(?:\.[0-9]{1,9})?"
_NAME = r"(?P<name>(?:.*?\S)??)\s++"
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_DOMAIN = re.compile(
    rf"{_NAME}(?P<domid>{_N})\s++{_N}\s++(?P<vcpus>{_N})\s++"
    rf"(?P<state>[r-][b-][p-][s-][-a-zS?][d-])\s++(?P<time>{_T})"
    rf"(?:\s++(?P<uuid>{_UUID})\s++(?P<reason>-|[0-9a-f]+)\s++(?P<label>\S+)(?:\s++(?P<pool>\S.*))?)?\s*+"
)
_VCPU = re.compile(
    rf"{_NAME}(?P<domid>{_N})\s++(?P<vcpu>{_N})\s++(?P<cpu>{_N}|-)\s++(?P<state>[r-][b-][p-])\s++"
    rf"{_T}\s++(?P<hard>\S(?:.*?\S)??)(?: / .*|\s*+)"
)
_POOL = re.compile(rf"(?P<name>\S(?:.*?\S)??)\s++(?P<cpus>{_N})\s++(?P<scheduler>\S+)\s++(?P<active>[yn])\s++{_N}\s*+")
_POOL_CPUS = re.compile(r"(?P<name>\S(?:.*?\S)??)(?:\s++(?P<cpus>[0-9][0-9,]*+)\s*+|\s++)")
_TOPOLOGY = re.compile(rf"\s*+(?P<cpu>{_N}):\s++(?P<core>{_N})\s++(?P<socket>{_N})\s++(?P<node>{_N})\s*+")
_EVERYWHERE = frozenset({"all", "any", "any cpu"})


@dataclass(frozen=True, slots=True)
class DomainRow:
    """One line of `xl list -v`.

    Attributes:
        name: As the toolstack keeps it.
        domid: Number of this life of the domain; another one after every reboot.
        vcpus: Online vCPUs.
        state: Six letters, `r b p s c d` or `-`.
        time_s: CPU seconds of all vCPUs, to a tenth.
        uuid: Identity over reboots; empty without `-v`. Zeros for Dom0.
        pool: The domain's CPU pool; empty without `-c`.
    """

    name: str
    domid: int
    vcpus: int
    state: str
    time_s: float
    uuid: str = ""
    pool: str = ""


@dataclass(frozen=True, slots=True)
class VcpuRow:
    """One line of `xl vcpu-list`.

    Attributes:
        domid: The domain.
        vcpu: Number of the vCPU in it.
        online: False when the guest does not use it; it then runs on no CPU.
        cpu: The physical CPU it is on; None when offline.
        hard: Physical CPUs that it may run on, as printed: `all`, `none`, `0-3,5`.
    """

    domid: int
    vcpu: int
    online: bool
    cpu: int | None
    hard: str


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One line of `xl cpupool-list`: the pool's scheduler is what counts for a domain, not the host's."""

    name: str
    cpus: int
    scheduler: str


def domains_of(text: str) -> list[DomainRow]:
    """Read `xl list`, with or without `-v` and `-c`."""
    return [
        DomainRow(
            name=found["name"],
            domid=int(found["domid"]),
            vcpus=int(found["vcpus"]),
            state=found["state"],
            time_s=float(found["time"]),
            uuid=found["uuid"] or "",
            pool=(found["pool"] or "").strip(),
        )
        for found in rows(_DOMAIN, text)
    ]


def vcpus_of(text: str) -> list[VcpuRow]:
    """Read `xl vcpu-list`, before and after 4.5."""
    return [
        VcpuRow(
            domid=int(found["domid"]),
            vcpu=int(found["vcpu"]),
            online=found["cpu"] != "-",
            cpu=None if found["cpu"] == "-" else int(found["cpu"]),
            hard=found["hard"],
        )
        for found in rows(_VCPU, text)
    ]


def pools_of(text: str) -> list[PoolRow]:
    """Read `xl cpupool-list`."""
    return [PoolRow(found["name"], int(found["cpus"]), found["scheduler"]) for found in rows(_POOL, text)]


def pool_cpus_of(text: str) -> dict[str, tuple[int, ...]]:
    """Read `xl cpupool-list -c`; a pool may have no CPU."""
    return {found["name"]: cpus_of(found["cpus"] or "none", 0) for found in rows(_POOL_CPUS, text)}


def cpus_of(text: str, count: int) -> tuple[int, ...]:
    """Read an affinity.

    Args:
        text: `all`, `none`, or numbers and ranges.
        count: Number of the host's CPUs, for `all`.

    Raises:
        HostNotUsable: A number that no CPU has.
    """
    if text.strip() in _EVERYWHERE:
        return tuple(range(count))
    return tuple(sorted(cpus_in(text)))


def info_of(text: str) -> Mapping[str, str]:
    """Read the `name : value` lines of `xl info`."""
    pairs = (line.partition(":") for line in text.splitlines())
    return {name.strip(): value.strip() for name, colon, value in pairs if colon}


def topology_of(text: str) -> dict[int, tuple[int, int]]:
    """Read the CPU table of `xl info -n`: CPU to its socket and core."""
    return {int(found["cpu"]): (int(found["socket"]), int(found["core"])) for found in rows(_TOPOLOGY, text)}
