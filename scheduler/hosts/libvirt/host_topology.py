"""CPUs of a libvirt host: cores, sockets and NUMA nodes (libvirt, formatcaps)."""

import xml.etree.ElementTree as ET
from collections.abc import Sequence

from scheduler.model.number_parsing import parse_whole_number
from scheduler.model.placement import HostCpu
from scheduler.toolstacks.tool_output import MOST_CPUS


def read_topology(capabilities: str, online: Sequence[int]) -> tuple[HostCpu, ...]:
    """Return the CPUs that are online, by number.

    CPUs that are not described are cores of their own.

    Args:
        capabilities: libvirt's description of the host, as XML; may be empty.
        online: The CPUs that are online.
    """
    cores: dict[tuple[int, ...], int] = {}
    described = {cpu: place for place in _list_places(capabilities) if (cpu := place[0]) < MOST_CPUS}
    found: list[HostCpu] = []
    for number in sorted(online):
        _, node, socket, *core = described.get(number, (number, 0, 0, -1, number))
        found.append(HostCpu(number, cores.setdefault((socket, *core), len(cores)), socket, node))
    return tuple(found)


def _list_places(capabilities: str) -> list[tuple[int, int, int, int, int]]:
    """Return number, node, socket, die and core of each CPU.

    The list is empty for a text that is no XML.
    """
    try:
        root = ET.fromstring(capabilities) if capabilities else None
    except (ET.ParseError, ValueError):
        return []
    cells = [] if root is None else root.findall("./host/topology/cells/cell")
    return [
        (number, _read_number(cell, "id"), _read_number(cpu, "socket_id"), _read_number(cpu, "die_id"), core)
        for cell in cells
        for cpu in cell.findall("./cpus/cpu")
        if (number := parse_whole_number(cpu.get("id", ""))) is not None
        for core in [_read_number(cpu, "core_id")]
    ]


def _read_number(element: ET.Element, key: str) -> int:
    return parse_whole_number(element.get(key, "")) or 0
