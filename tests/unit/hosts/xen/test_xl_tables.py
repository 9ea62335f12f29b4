"""What xl prints, read; the texts are from a real Xen 4.17 or follow the printf's of the version named."""

import pytest

from scheduler.hosts.xen.cpu_pools import PoolRow, parse_pool_cpus, parse_pools
from scheduler.hosts.xen.xl_tables import (
    DomainRow,
    VcpuRow,
    parse_affinity,
    parse_domains,
    parse_info,
    parse_topology,
    parse_vcpus,
)
from scheduler.model.placement import HostCpu

XL_LIST = """\
Name                                        ID   Mem VCPUs\tState\tTime(s)
Domain-0                                     0   768     1     r-----      98.7
db1                                          1   640     1     -b----      71.6
rt guest                                     3  1024     1     -b----      10.0
"""

UUID = "58677b50-9f2c-49aa-8085-3e8ccbf30f65"
ZEROS = "00000000-0000-0000-0000-000000000000"
XL_LIST_VC = f"""\
Name                                        ID   Mem VCPUs\tState\tTime(s)   UUID                            Reason-Code\tSecurity Label         Cpupool
Domain-0                                     0   768     1     r-----      57.0 {ZEROS}        -                -          Pool-0
db1                                          1   640     1     ------       1.7 {UUID}        -                -          Pool-0
dying                                        4     0     1     --psc-       1.7 {UUID}        3                -          Pool-0
"""  # noqa: E501

VCPU_LIST = """\
Name                                ID  VCPU   CPU State   Time(s) Affinity (Hard / Soft)
Domain-0                             0     0    0   -b-     100.1  all / all
Domain-0                             0     1    -   --p      20.0  all / all
rt guest                             3     0    5   r--      10.0  2-3,5 / all
"""


def test_domains_are_read():
    assert parse_domains(XL_LIST) == [
        DomainRow("Domain-0", 0, 1, "r-----", 98.7),
        DomainRow("db1", 1, 1, "-b----", 71.6),
        DomainRow("rt guest", 3, 1, "-b----", 10.0),
    ]


def test_identity_and_pool_are_read_from_the_long_form():
    rows = parse_domains(XL_LIST_VC)
    assert [(row.name, row.domid, row.uuid, row.pool) for row in rows] == [
        ("Domain-0", 0, ZEROS, "Pool-0"),
        ("db1", 1, UUID, "Pool-0"),
        ("dying", 4, UUID, "Pool-0"),
    ]


@pytest.mark.parametrize(
    "name",
    [
        "a b;$(touch x)'\"",
        "x" * 60,
        "7",
        "1 2 3 r----- 4.0",
        f"1 2 3 r----- 4.0 {UUID} - - Pool-0",
        "Name",
        "ümlaut  with   blanks",
    ],
)
def test_domain_cannot_pass_for_another_by_its_name(name):
    long = f"{name:<40} {7:5d} {512:5d} {2:5d}     -b----  {3.5:8.1f}"
    assert parse_domains(long) == [DomainRow(name, 7, 2, "-b----", 3.5)]
    assert parse_domains(f"{long} {UUID} {'-':>8} {'-':>16}{'Pool-0':>16}")[0].uuid == UUID
    assert parse_domains(f"{long} {UUID} {'-':>8} {'-':>16}")[0].domid == 7


def test_complaints_are_no_domains():
    text = "libxl: error: libxl.c:102:libxl_ctx_alloc: cannot open libxc handle: No such file or directory\n"
    assert parse_domains(text) == []


def test_offline_vcpu_is_on_no_cpu():
    assert parse_vcpus(VCPU_LIST) == [
        VcpuRow(0, 0, online=True, cpu=0, hard="all", soft="all"),
        VcpuRow(0, 1, online=False, cpu=None, hard="all", soft="all"),
        VcpuRow(3, 0, online=True, cpu=5, hard="2-3,5", soft="all"),
    ]


def test_affinity_of_older_versions_is_read():
    text = """\
Name                                ID  VCPU   CPU State   Time(s) CPU Affinity
Domain-0                             0     0    1   r--     312.9  any cpu
web server                           2     0    3   -b-      17.0  2-3
"""
    assert [row.hard for row in parse_vcpus(text)] == ["any cpu", "2-3"]


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("all", (0, 1, 2, 3)),
        ("any cpu", (0, 1, 2, 3)),
        ("none", ()),
        ("2", (2,)),
        ("0-1,3", (0, 1, 3)),
        ("3,0", (0, 3)),
    ],
)
def test_affinities_become_cpus(text, cpus):
    assert parse_affinity(text, 4) == cpus


def test_pools_are_read_even_without_cpus():
    text = """\
Name               CPUs   Sched     Active   Domain count
Pool-0               1    credit       y          2
rt                   0      rtds       y          0
"""
    assert parse_pools(text) == [PoolRow("Pool-0", 1, "credit"), PoolRow("rt", 0, "rtds")]
    cpus = """\
Name               CPU list
Pool-0             0,1
rt                 
"""  # noqa: W291
    assert parse_pool_cpus(cpus, parse_pools(text)) == {"Pool-0": (0, 1), "rt": ()}


def test_info_is_read():
    text = """\
nr_cpus                : 1
threads_per_core       : 1
xen_major              : 4
xen_version            : 4.17.7
xen_caps               : xen-3.0-x86_64 hvm-3.0-x86_32 hvm-3.0-x86_32p hvm-3.0-x86_64 
xen_scheduler          : credit2
xen_commandline        : com1=115200,8n1 console=com1 dom0_max_vcpus=1 sched=credit2 
xen_changeset          : 
"""  # noqa: W291
    info = parse_info(text)
    assert (info["nr_cpus"], info["xen_version"], info["xen_scheduler"]) == ("1", "4.17.7", "credit2")
    assert info["xen_changeset"] == ""


def test_topology_is_read_with_cores_of_the_whole_host():
    text = """\
cpu_topology           :
cpu:    core    socket     node
  0:       0        0        0
  1:       0        0        0
  2:       0        1        1
numa_info              :
node:    memsize    memfree    distances
   0:      2047        616      10
"""
    assert parse_topology(text) == (HostCpu(0, 0), HostCpu(1, 0), HostCpu(2, 1, 1, 1))
    assert parse_topology("nr_cpus : 4\n") == ()
