"""Parsers for the output of `xl` and `xm` on domains, vCPUs and the host.

Every table is read from the right: names come first, may contain blanks and digits, and shift the other columns when
they are long. Formats: the printf calls of xl 4.1 to 4.17 (tools/xl/xl_list.c, xl_vcpu.c, xl_cpupool.c, xl_info.c).
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import msgspec

from scheduler.model.placement import HostCpu
from scheduler.toolstacks.tool_output import (
    LONGEST,
    LONGEST_LIST,
    limit_rows,
    match_row,
    match_rows,
    parse_cpu_list,
    parse_cpu_number,
    split_lines,
)

# Numbers consist of ASCII digits, with at most the digits that printf prints. A name ends in no blank, and blanks are
# matched once (`++`): otherwise every blank of a long run would be tried as the end of the name.
_N, _T = r"[0-9]{1,18}", r"[0-9]{1,18}(?:\.[0-9]{1,9})?"
_NAME = r"(?P<name>(?:.*?\S)??)\s++"
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_DOMAIN = re.compile(
    rf"{_NAME}(?P<domid>{_N})\s++{_N}\s++(?P<vcpus>{_N})\s++"
    rf"(?P<state>[r-][b-][p-][s-][-a-zS?][d-])\s++(?P<time>{_T})"
    rf"(?:\s++(?P<uuid>{_UUID})\s++(?P<reason>-|[0-9a-f]+)\s++(?P<tail>\S.*))?\s*+"
)
_VCPU = re.compile(
    rf"{_NAME}(?P<domid>{_N})\s++(?P<vcpu>{_N})\s++(?P<cpu>{_N}|-)\s++(?P<state>[r-][b-][p-])\s++"
    rf"{_T}\s++(?=\S)"
)
_TOPOLOGY = re.compile(rf"\s*+(?P<cpu>{_N}):\s++(?P<core>{_N})\s++(?P<socket>{_N})\s++(?P<node>{_N})\s*+")
_TOPOLOGY_START, _TOPOLOGY_END = "cpu_topology", "numa_info"
_EVERYWHERE = frozenset({"all", "any", "any cpu"})
_POOL_WIDTH = 16  # bytes of the pool column of `xl list -c`; a longer name touches the column before
_CONDITIONS = {"c": "crashed", "w": "crashed", "s": "suspended"}  # letters of a shutdown's reason


@dataclass(frozen=True, slots=True)
class DomainRow:
    """One line of `xl list -v`.

    Attributes:
        name: Name in the toolstack.
        domid: Current number of the domain; every reboot changes the number.
        vcpus: Number of online vCPUs.
        state: Six letters, `r b p s c d` or `-`; the fifth is the reason of a shutdown.
        time_s: CPU seconds of all vCPUs, to a tenth.
        uuid: Identity across reboots; empty without `-v`. Zeros for Dom0.
        pool: CPU pool of the domain; empty without `-c`.
    """

    name: str
    domid: int
    vcpus: int
    state: str
    time_s: float
    uuid: str = ""
    pool: str = ""

    @property
    def condition(self) -> str:
        """The reason why the domain cannot run; empty if the domain can run.

        One of `paused`, `shut down`, `suspended`, `crashed` and `dying`.
        """
        _unused, _unused, paused, shutdown, reason, dying = self.state
        if dying == "d":
            return "dying"
        if shutdown == "s":
            return _CONDITIONS.get(reason, "shut down")
        return "paused" if paused == "p" else ""


@dataclass(frozen=True, slots=True)
class VcpuRow:
    """One line of `xl vcpu-list`.

    Attributes:
        domid: Number of the domain.
        vcpu: Number of the vCPU in the domain.
        online: False when the guest does not use the vCPU, which then runs on no CPU.
        cpu: Physical CPU of the vCPU; None when offline.
        hard: Physical CPUs on which the vCPU may run, as printed: `all`, `none`, `0-3,5`.
        soft: Physical CPUs that the scheduler prefers for the vCPU, as printed; empty before Xen 4.5.
    """

    domid: int
    vcpu: int
    online: bool
    cpu: int | None
    hard: str
    soft: str = ""


def parse_domains(text: str, pools: Collection[str] = ()) -> list[DomainRow]:
    """Read `xl list`, with or without `-v` and `-c`.

    Args:
        text: Output of the tool.
        pools: Names of the host's CPU pools: a long name touches the column before.

    Raises:
        HostNotUsable: There are more domains than any host has, or a line is too long.
    """
    return [
        DomainRow(
            name=found["name"],
            domid=int(found["domid"]),
            vcpus=int(found["vcpus"]),
            state=found["state"],
            time_s=float(found["time"]),
            uuid=found["uuid"] or "",
            pool=_parse_pool((found["tail"] or "").rstrip(), pools),
        )
        for found in match_rows(_DOMAIN, text)
    ]


def _parse_pool(tail: str, pools: Collection[str]) -> str:
    """Return the pool at the end of a line, after the security label."""
    fitting = [
        name
        for name in pools
        if tail.endswith(name) and (len(_encode_name(name)) >= _POOL_WIDTH or tail.removesuffix(name).endswith(" "))
    ]
    return max(fitting, key=len) if fitting else tail.partition(" ")[2].strip()


def _encode_name(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")  # printf counts bytes


def parse_vcpus(text: str) -> list[VcpuRow]:
    """Read `xl vcpu-list` of Xen before and after 4.5.

    Raises:
        HostNotUsable: There are more rows, or longer lines, than any host prints.
    """
    matches = [_VCPU.match(line, 0, LONGEST) for line in split_lines(text, LONGEST_LIST)]
    return [_parse_vcpu(found) for found in limit_rows(each for each in matches if each is not None)]


def _parse_vcpu(found: re.Match[str]) -> VcpuRow:
    hard, _, soft = found.string[found.end() :].partition(" / ")
    return VcpuRow(
        domid=int(found["domid"]),
        vcpu=int(found["vcpu"]),
        online=found["cpu"] != "-",
        cpu=None if found["cpu"] == "-" else int(found["cpu"]),
        hard=hard.strip(),
        soft=soft.strip(),
    )


def parse_affinity(text: str, count: int) -> tuple[int, ...]:
    """Return the CPUs of an affinity text.

    Args:
        text: `all`, `none`, or numbers and ranges.
        count: Number of the host's CPUs, for `all`.

    Raises:
        HostNotUsable: A CPU number is out of range.
    """
    if is_everywhere(text):
        return tuple(range(count))
    return tuple(sorted(parse_cpu_list(text)))


def is_everywhere(text: str) -> bool:
    """Return True for an affinity of every CPU: `all`, or `any cpu` before Xen 4.5."""
    return text.strip() in _EVERYWHERE


def parse_info(text: str) -> Mapping[str, str]:
    """Read the `name : value` lines of `xl info`."""
    pairs = (line.partition(":") for line in text.splitlines())
    return {name.strip(): value.strip() for name, colon, value in pairs if colon}


def parse_topology(text: str) -> tuple[HostCpu, ...]:
    """Read the CPU table of `xl info -n`: the online CPUs, by number.

    The toolstack numbers the cores of each socket from 0. The result numbers them for the whole host.

    Raises:
        HostNotUsable: A CPU number is out of range.
    """
    # A line of the table of memory has the same form, and would be taken for CPU 0.
    table = text.partition(_TOPOLOGY_START)[2].partition(_TOPOLOGY_END)[0]
    found = limit_rows(filter(None, (match_row(_TOPOLOGY, line) for line in table.split("\n"))))
    rows = [
        HostCpu(parse_cpu_number(each["cpu"]), int(each["core"]), int(each["socket"]), int(each["node"]))
        for each in found
    ]
    places = sorted({(row.socket, row.core) for row in rows})
    cores = {place: number for number, place in enumerate(places)}
    numbered = {row.number: msgspec.structs.replace(row, core=cores[row.socket, row.core]) for row in rows}
    return tuple(numbered[number] for number in sorted(numbered))
