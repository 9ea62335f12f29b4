"""Samples of what is printed where all is well; the Xen ones are of a real 4.17."""

_UUID = "58677b50-9f2c-49aa-8085-3e8ccbf30f65"
_ZEROS = "00000000-0000-0000-0000-000000000000"

_LIST = f"""\
Name                                        ID   Mem VCPUs\tState\tTime(s)   UUID                            Reason-Code\tSecurity Label         Cpupool
Domain-0                                     0   768     1     r-----      57.0 {_ZEROS}        -                -          Pool-0
db1                                          1   640     1     ------       1.7 {_UUID}        -                -          Pool-0
"""  # noqa: E501
_VCPUS = """\
Name                                ID  VCPU   CPU State   Time(s) Affinity (Hard / Soft)
Domain-0                             0     0    0   -b-     100.1  all / all
db1                                  1     0    0   r--      10.0  0-3,5 / all
"""
_INFO = """\
host                   : xen1
release                : 6.1.0
nr_cpus                : 2
max_cpu_id             : 1
threads_per_core       : 2
xen_major              : 4
xen_minor              : 17
xen_version            : 4.17.7
xen_scheduler          : credit2
xen_commandline        : dom0_max_vcpus=1 sched=credit2 sched-gran=cpu
free_cpus              : 0
cpu_topology           :
cpu:    core    socket     node
  0:       0        0        0
  1:       0        0        0
"""
_POOLS = (
    "Name               CPUs   Sched     Active   Domain count\nPool-0               2   credit2       y          2\n"
)
_POOL_CPUS = "Name               CPU list\nPool-0             0,1\n"
_PARA = "cpu id               : 0\ncurrent_governor     : ondemand\nturbo mode           : enabled\n"
_IDLE = "Max possible C-state: unlimited\n\ncpu id               : 0\ntotal C-states       : 4\n"

# Words of a command to what it prints; the first that fit count.
XL = (
    ("id -u", "0\n"),
    ("vcpu-list", _VCPUS),
    ("cpupool-list -c", _POOL_CPUS),
    ("cpupool-list", _POOLS),
    (" info", _INFO),
    (" list", _LIST),
    ("dmesg", "(XEN) Using scheduler: SMP Credit Scheduler rev2 (credit2)\n"),
    ("get-cpufreq-para", _PARA),
    ("get-cpuidle-states", _IDLE),
    ("autoballoon", '#autoballoon="auto"\nautoballoon="off"\n'),
    ("boot_id", f"{_UUID}\n"),
    ("machine-id", "0123456789abcdef0123456789abcdef\n"),
)

_HEAD = "Name                                ID"
_CREDIT = f"""\
{_HEAD} Weight  Cap
Domain-0                             0    256    0
db1                                  1    256   50
"""
TABLES = {
    "credit": f"Cpupool Pool-0: tslice=30ms ratelimit=1000us migration-delay=0us\n{_CREDIT}",
    "credit2": f"Cpupool Pool-0: ratelimit=1000us\n{_CREDIT}",
    "rtds": f"""\
Cpupool Pool-0: sched=RTDS
{_HEAD} VCPU    Period    Budget  Extratime
Domain-0                             0    0     10000      4000        yes
db1                                  1    0     10000      6000         no
""",
    "sedf": f"""\
Cpupool Pool-0:
{_HEAD} Period Slice Latency Extra Weight
Domain-0                            0       100         0       0      1      0
db1                                 1       100        40       0      0      0
""",
}
TOP = (
    "      NAME  STATE   CPU(sec) CPU(%)     MEM(k) MEM(%)  MAXMEM(k) MAXMEM(%) VCPUS NETS NETTX(k) NETRX(k) VBDS\n"
    "       db1 --b---         71    2.5     655360   31.3     656384      31.3     1    1       14       11    1"
    "        0     1346      228     115658       6992    0\n"
    "  Domain-0 -----r        299   36.6     786432   37.5   no limit       n/a     1    0        0        0    0"
    "        -        -        -          -          -    0\n"
)
GUARD = """\
state=armed
alive=yes
token=0123456789abcdef
holder=root@desk
since=2026-11-23 12:00
ttl=90
log=armed
"""
KERNEL = {
    "v1": {
        "cpu.stat": "nr_periods 10\nnr_throttled 2\nthrottled_time 5000\n",
        "cpuacct.usage": "700000\n",
        "cpuacct.usage_user": "300000\n",
        "cpuacct.usage_sys": "400000\n",
        "cpuacct.stat": "user 3\nsystem 4\n",
        "cpu.shares": "1024\n",
        "cpu.cfs_quota_us": "-1\n",
        "cpu.cfs_period_us": "100000\n",
        "cgroup.procs": "1\n17\n4194304\n",
    },
    "v2": {
        "cpu.stat": "usage_usec 7\nuser_usec 3\nsystem_usec 4\nnr_throttled 0\nthrottled_usec 0\n",
        "cpu.max": "50000 100000\n",
        "cpu.weight": "100\n",
        "cgroup.procs": "1\n17\n0\n",
    },
    "mountinfo": "31 25 0:28 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"
    "32 25 0:29 /a\\040b /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
    "cgroup": "4:cpu,cpuacct:/user.slice\n0::/user.slice/session-1.scope\n",
    "stat": "cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 1 2 3\n",
}
