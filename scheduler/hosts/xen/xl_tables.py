"""Parsers for the output of `xl` and `xm` on domains, vCPUs and the host.

Every table is read from the right: names come first, may contain blanks and digits, and shift the other columns when
they are long. Formats: the printf calls of xl 4.1 to 4.17 (tools/xl/xl_list.c, xl_vcpu.c, xl_cpupool.c, xl_info.c).
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from scheduler.toolstacks.tool_output import (
    LONGEST,
    LONGEST_LIST,
    limit_rows,
    match_row,
    match_rows,
    parse_cpu_list,
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
        _, _, paused, shutdown, reason, dying = self.state
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
    """

    domid: int
    vcpu: int
    online: bool
    cpu: int | None
    hard: str


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
    return [
        VcpuRow(
            domid=int(found["domid"]),
            vcpu=int(found["vcpu"]),
            online=found["cpu"] != "-",
            cpu=None if found["cpu"] == "-" else int(found["cpu"]),
            hard=found.string[found.end() :].partition(" / ")[0].strip(),
        )
        for found in limit_rows(each for each in matches if each is not None)
    ]


def parse_affinity(text: str, count: int) -> tuple[int, ...]:
    """Return the CPUs of an affinity text.

    Args:
        text: `all`, `none`, or numbers and ranges.
        count: Number of the host's CPUs, for `all`.

    Raises:
        HostNotUsable: A CPU number is out of range.
    """
    if text.strip() in _EVERYWHERE:
        return tuple(range(count))
    return tuple(sorted(parse_cpu_list(text)))


def parse_info(text: str) -> Mapping[str, str]:
    """Read the `name : value` lines of `xl info`."""
    pairs = (line.partition(":") for line in text.splitlines())
    return {name.strip(): value.strip() for name, colon, value in pairs if colon}


def parse_topology(text: str) -> dict[int, tuple[int, int]]:
    """Read the CPU table of `xl info -n` into CPU to socket and core."""
    # Other lines may be long, such as the hypervisor's command line.
    found = (match_row(_TOPOLOGY, line) for line in text.split("\n"))
    return {int(each["cpu"]): (int(each["socket"]), int(each["core"])) for each in limit_rows(filter(None, found))}
