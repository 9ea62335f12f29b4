"""The kernel's files of CPUs, as a computer with two sockets, threads and a gap in its numbers has them."""

from scheduler.hosts.kernel_topology import read_kernel_topology
from scheduler.model.placement import HostCpu


def make_cpu(system, number, threads, socket):
    folder = system / f"cpu/cpu{number}/topology"
    folder.mkdir(parents=True)
    (folder / "thread_siblings_list").write_text(f"{threads}\n")
    (folder / "physical_package_id").write_text(f"{socket}\n")


def make_node(system, number, cpus):
    folder = system / f"node/node{number}"
    folder.mkdir(parents=True)
    (folder / "cpulist").write_text(f"{cpus}\n")


def test_read_topology_numbers_cores_over_sockets_and_leaves_out_offline_cpus(tmp_path):
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu/online").write_text("0-1,4-6\n")
    for number, threads, socket in ((0, "0,4", 0), (4, "0,4", 0), (1, "1,5", 1), (5, "1,5", 1), (6, "6", 1)):
        make_cpu(tmp_path, number, threads, socket)
    for number, cpus in ((0, "0,4"), (1, "1,5-7")):
        make_node(tmp_path, number, cpus)
    (tmp_path / "node/online").write_text("0-1\n")
    assert read_kernel_topology({0: 0.25}, tmp_path) == (
        HostCpu(0, core=0, socket=0, node=0, busy_frac=0.25),
        HostCpu(1, core=1, socket=1, node=1),
        HostCpu(4, core=0, socket=0, node=0),
        HostCpu(5, core=1, socket=1, node=1),
        HostCpu(6, core=2, socket=1, node=1),
    )


def test_read_topology_without_topology_files_counts_each_cpu_as_a_core(tmp_path):
    (tmp_path / "cpu").mkdir()
    (tmp_path / "cpu/online").write_text("0-1\n")
    assert read_kernel_topology({}, tmp_path) == (HostCpu(0, core=0), HostCpu(1, core=1))
    assert read_kernel_topology({}, tmp_path / "none") == ()
