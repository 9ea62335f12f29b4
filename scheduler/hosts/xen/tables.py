"""What `xl` and `xm` print about domains, vCPUs and pools, as values.

Every table is read from the right: names come first in it, may hold blanks and digits, and push the rest to the right
when they are long. Formats: the printf's of xl 4.1 to 4.17 (tools/xl/xl_list.c, xl_vcpu.c, xl_cpupool.c, xl_info.c).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_DOMAIN = re.compile(
    r"(?P<name>.*?)\s+(?P<domid>\d+)\s+(?P<memory>\d+)\s+(?P<vcpus>\d+)\s+(?P<state>[r-][b-][p-][s-][-a-zS?][d-])\s+"
    rf"(?P<time>[\d.]+)(?:\s+(?P<uuid>{_UUID})\s+(?P<reason>-|[0-9a-f]+)\s+(?P<label>\S+)(?:\s+(?P<pool>\S.*))?)?\s*"
)
_VCPU = re.compile(
    r"(?P<name>.*?)\s+(?P<domid>\d+)\s+(?P<vcpu>\d+)\s+(?P<cpu>\d+|-)\s+(?P<state>[r-][b-][p-])\s+(?P<time>[\d.]+)\s+"
    r"(?P<hard>\S.*?)(?: / (?P<soft>\S.*?))?\s*"
)
_POOL = re.compile(r"(?P<name>\S.*?)\s+(?P<cpus>\d+)\s+(?P<scheduler>\S+)\s+(?P<active>[yn])\s+(?P<domains>\d+)\s*")
_POOL_CPUS = re.compile(r"(?P<name>\S.*?)\s+(?P<cpus>\d[\d,]*)?\s*")
_TOPOLOGY = re.compile(r"\s*(?P<cpu>\d+):\s+(?P<core>\d+)\s+(?P<socket>\d+)\s+(?P<node>\d+)\s*")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")
_EVERYWHERE = frozenset({"all", "any", "any cpu"})


@dataclass(frozen=True, slots=True)
class DomainRow:
    """One line of `xl list -v`.

    Attributes:
        name: As the toolstack keeps it.
        domid: Number of this life of the domain; another one after every reboot.
        memory_mb: Memory in MiB.
        vcpus: Online vCPUs.
        state: Six letters, `r b p s c d` or `-`.
        time_s: CPU seconds of all vCPUs, to a tenth.
        uuid: Identity over reboots; empty without `-v`. Zeros for Dom0.
        pool: The domain's CPU pool; empty without `-c`.
    """

    name: str
    domid: int
    memory_mb: int
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
        time_s: CPU seconds, to a tenth.
        hard: Physical CPUs that it may run on, as printed: `all`, `none`, `0-3,5`.
    """

    domid: int
    vcpu: int
    online: bool
    cpu: int | None
    time_s: float
    hard: str


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One line of `xl cpupool-list`: the pool's scheduler is what counts for a domain, not the host's."""

    name: str
    cpus: int
    scheduler: str
    domains: int


def domains_of(text: str) -> list[DomainRow]:
    """Read `xl list`, with or without `-v` and `-c`."""
    return [
        DomainRow(
            name=found["name"],
            domid=int(found["domid"]),
            memory_mb=int(found["memory"]),
            vcpus=int(found["vcpus"]),
            state=found["state"],
            time_s=float(found["time"]),
            uuid=found["uuid"] or "",
            pool=(found["pool"] or "").strip(),
        )
        for found in _rows(_DOMAIN, text)
    ]


def vcpus_of(text: str) -> list[VcpuRow]:
    """Read `xl vcpu-list`, before and after 4.5."""
    return [
        VcpuRow(
            domid=int(found["domid"]),
            vcpu=int(found["vcpu"]),
            online=found["cpu"] != "-",
            cpu=None if found["cpu"] == "-" else int(found["cpu"]),
            time_s=float(found["time"]),
            hard=found["hard"],
        )
        for found in _rows(_VCPU, text)
    ]


def pools_of(text: str) -> list[PoolRow]:
    """Read `xl cpupool-list`."""
    return [
        PoolRow(found["name"], int(found["cpus"]), found["scheduler"], int(found["domains"]))
        for found in _rows(_POOL, text)
    ]


def pool_cpus_of(text: str) -> dict[str, tuple[int, ...]]:
    """Read `xl cpupool-list -c`; a pool may have no CPU."""
    return {found["name"]: cpus_of(found["cpus"] or "none", 0) for found in _rows(_POOL_CPUS, text)}


def cpus_of(text: str, count: int) -> tuple[int, ...]:
    """Read an affinity.

    Args:
        text: `all`, `none`, or numbers and ranges.
        count: Number of the host's CPUs, for `all`.
    """
    if text.strip() in _EVERYWHERE:
        return tuple(range(count))
    cpus: set[int] = set()
    for part in text.split(","):
        if found := _RANGE.fullmatch(part.strip()):
            cpus.update(range(int(found[1]), int(found[2] or found[1]) + 1))
    return tuple(sorted(cpus))


def info_of(text: str) -> Mapping[str, str]:
    """Read the `name : value` lines of `xl info`."""
    pairs = (line.partition(":") for line in text.splitlines())
    return {name.strip(): value.strip() for name, colon, value in pairs if colon}


def topology_of(text: str) -> dict[int, tuple[int, int]]:
    """Read the CPU table of `xl info -n`: CPU to its socket and core."""
    return {int(found["cpu"]): (int(found["socket"]), int(found["core"])) for found in _rows(_TOPOLOGY, text)}


def _rows(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the lines that are rows: headers, pool lines and complaints are not."""
    for line in text.splitlines():
        found = pattern.fullmatch(line)
        if found is not None:
            yield found
