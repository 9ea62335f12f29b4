"""Layout of CPU cells: every CPU once, grouped, inside the width, and bounded in number."""

import pytest

from app.wizard.cpu_layout import MOST_CELLS, lay_out_cpus
from scheduler.model.placement import HostCpu


def make_cpus(count: int, nodes: int, threads: int) -> list[HostCpu]:
    cores = count // threads
    return [
        HostCpu(n, core=n % cores, socket=n % cores * nodes // cores, node=n % cores * nodes // cores)
        for n in range(count)
    ]


@pytest.mark.parametrize(("count", "nodes", "threads"), [(1, 1, 1), (4, 1, 2), (64, 2, 2), (512, 8, 2), (4096, 16, 4)])
@pytest.mark.parametrize("width", [300, 640, 900])
def test_layout_shows_each_cpu_once_inside_the_width(count, nodes, threads, width):
    layout = lay_out_cpus(make_cpus(count, nodes, threads), width)
    assert sorted(cpu for cell in layout.cells for cpu in cell.cpus) == list(range(count))
    assert len(layout.cells) <= MOST_CELLS
    assert all(cell.area.left() >= 0 and cell.area.right() <= width + 1 for cell in layout.cells)
    assert all(cell.area.bottom() <= layout.height + 0.1 for cell in layout.cells)
    areas = [cell.area for cell in layout.cells]
    assert not any(one.intersects(other) for at, one in enumerate(areas) for other in areas[at + 1 : at + 40])


def test_layout_puts_threads_of_a_core_next_to_each_other():
    layout = lay_out_cpus(make_cpus(8, 1, 2), 900)
    assert [cell.cpus for cell in layout.cells[:4]] == [(0,), (4,), (1,), (5,)]
    assert len(layout.cores) == 4
    assert layout.cells[0].area.right() == layout.cells[1].area.left()


def test_layout_of_many_cpus_groups_cores():
    layout = lay_out_cpus(make_cpus(1024, 2, 2), 900)
    assert layout.cells[0].cpus[:1] == (0,)
    assert {len(cell.cpus) % 2 for cell in layout.cells} == {0}


def test_neighbour_moves_by_row_and_stays_at_the_edge():
    layout = lay_out_cpus(make_cpus(64, 2, 2), 640)
    assert layout.neighbour(0, -1, 0) == 0
    assert layout.neighbour(0, 0, -1) == 0
    below = layout.neighbour(0, 0, 1)
    assert layout.cells[below].area.top() > layout.cells[0].area.top()
    assert layout.cells[below].area.left() == layout.cells[0].area.left()
    assert layout.neighbour(below, 0, -1) == 0
