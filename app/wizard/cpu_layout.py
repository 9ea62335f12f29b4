"""Layout of a host's CPUs by NUMA node, socket, core and thread; no widgets here.

Cells shrink with their number. Beyond 512 CPUs, a cell is a core; beyond 512 cores, a cell is a group of cores.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QPointF, QRectF, QSizeF

from scheduler.model.host_properties import HostProperties
from scheduler.model.placement import HostCpu

MOST_CELLS = 512
EntryT = TypeVar("EntryT")
_SIZES = ((12, QSizeF(84, 66)), (48, QSizeF(38, 34)), (160, QSizeF(28, 24)))  # most cells to the size of each
_LEAST_SIZE = QSizeF(12, 16)
_CAPTION_PX = 20
_GROUP_GAP_PX = 12
_CAPTION_WIDTH_PX = 150
_MOST_COLUMNS = 4


class CpuCell(NamedTuple):
    """Cell of one CPU, or of the CPUs of a core or of several cores.

    Attributes:
        cpus: Numbers of its CPUs, ascending.
        area: Area of the cell, pixels.
    """

    cpus: tuple[int, ...]
    area: QRectF


class CpuBlock(NamedTuple):
    """Cells of one socket on one NUMA node.

    Attributes:
        node: Number of the NUMA node.
        socket: Number of the socket.
        cpus: Numbers of its CPUs, ascending.
        caption: Area of its caption; empty where the host has only one block.
    """

    node: int
    socket: int
    cpus: tuple[int, ...]
    caption: QRectF


class CpuLayout(NamedTuple):
    """Positions of all cells at one width.

    Attributes:
        cells: The cells, in the order of the arrow keys.
        cores: Areas of cores with several cells.
        blocks: The blocks.
        height: Height of all blocks, pixels.
        cell_size: Size of a cell, pixels.
    """

    cells: tuple[CpuCell, ...]
    cores: tuple[QRectF, ...]
    blocks: tuple[CpuBlock, ...]
    height: float
    cell_size: QSizeF

    def cell_at(self, place: QPointF) -> int | None:
        """Return the index of the cell at a place; None for none."""
        return next((index for index, cell in enumerate(self.cells) if cell.area.contains(place)), None)

    def neighbour(self, index: int, right: int, down: int) -> int:
        """Return the index of the next cell in a direction; the same index at an edge.

        Args:
            index: Index of a cell.
            right: 1 for the next cell, -1 for the previous one, else 0.
            down: 1 for the row below, -1 for the row above, else 0.
        """
        if right:
            return max(0, min(index + right, len(self.cells) - 1))
        here = self.cells[index].area
        rows = [
            (abs(cell.area.top() - here.top()), abs(cell.area.left() - here.left()), other)
            for other, cell in enumerate(self.cells)
            if (cell.area.top() - here.top()) * down > 1
        ]
        return min(rows, default=(0.0, 0.0, index))[2]


def list_host_cpus(facts: HostProperties) -> tuple[HostCpu, ...]:
    """Return the host's CPUs by number; each is a core where the topology is unknown."""
    return facts.topology or tuple(HostCpu(number, core=number) for number in range(facts.pcpus))


def lay_out_cpus(cpus: Sequence[HostCpu], width: float) -> CpuLayout:
    """Return the positions of all cells.

    Blocks are placed in the number of columns with the smallest height.

    Args:
        cpus: The host's CPUs.
        width: Width, pixels.
    """
    blocks = _group_blocks(cpus)
    count = sum(len(core) for cores in blocks.values() for core in cores)
    size = next((size for most, size in _SIZES if count <= most), _LEAST_SIZE)
    most = max(1, min(_MOST_COLUMNS, len(blocks), int(width // _CAPTION_WIDTH_PX)))
    found = (_place_blocks(blocks, width, columns, size) for columns in range(1, most + 1))
    return min(found, key=lambda layout: layout.height)


_Cores = list[list[tuple[int, ...]]]  # cores, each with its cells, each with its CPUs


def _group_blocks(cpus: Sequence[HostCpu]) -> dict[tuple[int, int], _Cores]:
    """Return the cells of each core, by node and socket."""
    cores: dict[tuple[int, int], dict[int, list[int]]] = {}
    for cpu in sorted(cpus, key=lambda each: (each.node, each.socket, each.core, each.number)):
        cores.setdefault((cpu.node, cpu.socket), {}).setdefault(cpu.core, []).append(cpu.number)
    if len(cpus) <= MOST_CELLS:
        return {place: [[(number,) for number in core] for core in known.values()] for place, known in cores.items()}
    number = sum(map(len, cores.values()))
    step = -(-number // max(1, MOST_CELLS - len(cores)))
    return {
        place: [[tuple(sorted(cpu for core in group for cpu in core))] for group in _in_groups(known.values(), step)]
        for place, known in cores.items()
    }


def _in_groups(entries: Iterable[EntryT], size: int) -> list[list[EntryT]]:
    """Return the entries in groups of at most `size`."""
    known = list(entries)
    return [known[first : first + size] for first in range(0, len(known), size)]


def _place_blocks(blocks: dict[tuple[int, int], _Cores], width: float, columns: int, size: QSizeF) -> CpuLayout:
    column_px = (width - (columns - 1) * _GROUP_GAP_PX) / columns
    caption_px = _CAPTION_PX if len(blocks) > 1 else 0
    cells, frames, placed = list[CpuCell](), list[QRectF](), list[CpuBlock]()
    top = 0.0
    for row in _in_groups(blocks.items(), columns):
        heights = list[float]()
        for column, ((node, socket), cores) in enumerate(row):
            left = column * (column_px + _GROUP_GAP_PX)
            area = QRectF(left, top + caption_px, column_px, 0)
            own, boxes, bottom = _place_cores(cores, area, size)
            cells += own
            frames += boxes
            heights.append(bottom - top)
            numbers = tuple(sorted(cpu for cell in own for cpu in cell.cpus))
            placed.append(CpuBlock(node, socket, numbers, QRectF(left, top, column_px, caption_px)))
        top += max(heights) + _GROUP_GAP_PX
    return CpuLayout(tuple(cells), tuple(frames), tuple(placed), max(0.0, top - _GROUP_GAP_PX), size)


def _place_cores(cores: _Cores, area: QRectF, size: QSizeF) -> tuple[list[CpuCell], list[QRectF], float]:
    """Place the cores of a block; return cells, frames of cores and the lower edge.

    Threads of a core touch each other, so that the core is visible.
    """
    gap = 8.0 if size.width() > 60 else 4.0
    cells, frames = list[CpuCell](), list[QRectF]()
    left, top = area.left(), area.top()
    for core in cores:
        wide = len(core) * size.width()
        if left > area.left() and left + wide > area.right() + 0.5:
            left, top = area.left(), top + size.height() + gap
        if len(core) > 1:
            frames.append(QRectF(left, top, wide, size.height()))
        for place, numbers in enumerate(core):
            cells.append(CpuCell(numbers, QRectF(QPointF(left + place * size.width(), top), size)))
        left += wide + gap
    return cells, frames, top + (size.height() if cores else 0.0)
