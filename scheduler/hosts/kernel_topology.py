"""CPUs of this computer with their cores, sockets and NUMA nodes.

Source: kernel documentation, admin-guide/cputopology.
"""

from collections.abc import Mapping
from pathlib import Path

from scheduler.model.number_parsing import parse_whole_number
from scheduler.model.placement import HostCpu
from scheduler.toolstacks.tool_output import parse_cpu_list

_SYSTEM = Path("/sys/devices/system")


def read_kernel_topology(busy: Mapping[int, float], system: Path = _SYSTEM) -> tuple[HostCpu, ...]:
    """Return the CPUs that are online, by number.

    Args:
        busy: CPU to the part of the time in which it ran something, 0..1.
        system: Folder of the kernel's devices.
    """
    nodes = _read_nodes(system)
    cores: dict[tuple[int, ...], int] = {}
    found: list[HostCpu] = []
    for number in _read_cpus(system / "cpu/online"):
        folder = system / f"cpu/cpu{number}/topology"
        threads = _read_cpus(folder / "thread_siblings_list") or (number,)
        core = cores.setdefault(threads, len(cores))
        socket = parse_whole_number(_read_text(folder / "physical_package_id").strip()) or 0
        found.append(HostCpu(number, core, socket, nodes.get(number, 0), busy.get(number)))
    return tuple(found)


def _read_nodes(system: Path) -> dict[int, int]:
    """Return each CPU's NUMA node."""
    numbers = _read_cpus(system / "node/online")
    return {cpu: node for node in numbers for cpu in _read_cpus(system / f"node/node{node}/cpulist")}


def _read_cpus(path: Path) -> tuple[int, ...]:
    return tuple(sorted(parse_cpu_list(_read_text(path).strip())))


def _read_text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
