"""All golden cases as data: their names, their plans or commands, and the outputs that are kept.

Each study, protocol, objective, purpose, mode, scheduler and kind of host is in one case at least. Windows are
short and machines are simulated: a case takes the CPU time of its simulation and no other time.
"""

from collections.abc import Mapping

import msgspec

from scheduler.model.spec import Mode

IR = '[[load]]\nkind = "osdb-ir"\n'
BOTH = f'{IR}[[load]]\nkind = "osdb-oltp"\n'
SHORT = "measure_s = 10\nsettle_s = 2\nload_settle_s = 4\n"
THREE_BLOCKS = f'protocol = "grid"\nrepeats = 3\n{SHORT}'
TWO_SPLITS = 'splits = ["1:2", "2:1"]\n'
THREE_SPLITS = 'splits = ["1:2", "1:1", "2:1"]\n'
BRIEF = ("dry-run.txt", "review.txt", "result.txt", "results.json", "plan.toml")
USUAL = (*BRIEF, "report.txt")
WITH_CSV = (*USUAL, "points.csv")

# One load whose best split, 3:5, lies between two splits of its plan; without noise.
PEAK = {
    "schema": "domtune-machine/1",
    "kind": "surface",
    "splits": ["1:9", "1:4", "3:5", "1:1", "4:1"],
    "loads": {"osdb-ir": [0.7, 0.95, 1.0, 0.8, 0.3]},
    "scale_tps": {"osdb-ir": 400},
    "noise": "none",
}
# Two loads whose best splits lie far apart, without noise.
TURNING = {
    "schema": "domtune-machine/1",
    "kind": "queue",
    "scheduler": "rtds",
    "title": "Two loads, far apart",
    "loads": {
        "osdb-ir": {"io_in_ms": 1.0, "io_out_ms": 1.0, "guest_ms": 0.7},
        "osdb-oltp": {"io_in_ms": 0.2, "io_out_ms": 0.15, "guest_ms": 3.5},
    },
    "noise": "none",
}


class Sweep(msgspec.Struct, frozen=True):
    """One plan that is swept.

    Attributes:
        name: Name of the case and of its folder.
        plan: Text of the plan file.
        makes: Outputs that are kept: `dry-run.txt` and file names of `making.OUTPUTS`.
        machine: Content of the plan's `machine.json`; empty where the plan names no such file.
    """

    name: str
    plan: str
    makes: tuple[str, ...] = USUAL
    machine: Mapping[str, object] = {}


class Plan(msgspec.Struct, frozen=True):
    """One plan of a real host that is only read, written again and reviewed.

    Attributes:
        name: Name of the case and of its folder.
        text: Text of the plan file.
    """

    name: str
    text: str


class Command(msgspec.Struct, frozen=True):
    """One call of the command line without a plan.

    Attributes:
        name: Name of the case and of its folder.
        words: The command and its arguments.
        machine: Content of `machine.json`; empty where the command names no such file.
    """

    name: str
    words: tuple[str, ...]
    machine: Mapping[str, object] = {}


class Bundle(msgspec.Struct, frozen=True):
    """A bundle for one kind of host.

    Attributes:
        name: Name of the case and of its folder.
        kind: Key of `domain_bundle.HOSTS`, or the scheduler of `local:`.
        mode: Mode of the plan; None for the mode that `domain_bundle.HOSTS` names.
        based_on: Name of the case whose files this bundle is compared with: only differing lines are kept.
    """

    name: str
    kind: str
    mode: Mode | None = None
    based_on: str = ""


SWEEPS = (
    Sweep(
        "split-grid",
        f'name = "Golden"\nhost = "sim:"\n{TWO_SPLITS}{THREE_BLOCKS}{BOTH}[objective]\nweights = {{ osdb-ir = 3.0 }}\n',
        makes=(*WITH_CSV, "trials.csv", "machine.json"),
    ),
    Sweep(
        "split-adaptive",
        f'host = "sim:?scheduler=rtds"\n{THREE_SPLITS}protocol = "adaptive"\nlimit_min = 9\nhistory = false\n'
        f"{SHORT}{BOTH}",
    ),
    Sweep(
        "split-quick-weights-divide",
        f'host = "sim:?scheduler=credit"\nmode = "weights"\n{TWO_SPLITS}protocol = "quick"\nlimit_min = 6\n{SHORT}{IR}'
        '[objective]\npurpose = "divide"\n',
    ),
    Sweep(
        "split-dedicated",
        f'host = "sim:?cpus=4&scheduler=credit2"\nmode = "dedicated"\nprotocol = "quick"\nlimit_min = 6\n{SHORT}{IR}',
        BRIEF,
    ),
    Sweep(
        "study-dom0-cpus",
        'host = "sim:?cpus=8&scheduler=credit2&sharing=0.1"\nstudy = "dom0-cpus"\nprotocol = "quick"\nlimit_min = 9\n'
        f"io_cpus = [2, 3, 4]\n{SHORT}{IR}",
        WITH_CSV,
    ),
    Sweep("split-strict", f'host = "sim:"\n{TWO_SPLITS}protocol = "strict"\nlimit_min = 12\n{SHORT}{IR}', BRIEF),
    Sweep(
        "split-replicate-worst-case",
        f'host = "sim:?scheduler=credit2"\n{TWO_SPLITS}protocol = "replicate"\nrepeats = 3\n{SHORT}{BOTH}'
        '[objective]\nname = "worst-case"\n',
    ),
    Sweep(
        "split-limited",
        f'host = "sim:?scheduler=sedf-xm"\n{TWO_SPLITS}protocol = "adaptive"\nlimit_min = 8\n{SHORT}{BOTH}'
        '[objective]\nname = "limited"\nload = "osdb-ir"\nlimit_frac = 0.1\nworth_frac = 0.05\n',
        makes=BRIEF,
    ),
    Sweep(
        "split-refined",
        'host = "sim:machine.json"\nsplits = ["1:9", "1:4", "1:1", "4:1"]\nprotocol = "adaptive"\nrefine = true\n'
        f"limit_min = 20\n{SHORT}{IR}",
        makes=(*WITH_CSV, "machine.json"),
        machine=PEAK,
    ),
    Sweep("split-unheld", f'host = "sim:?unheld=1:10"\nsplits = ["1:1", "1:10"]\n{THREE_BLOCKS}{IR}', WITH_CSV),
    Sweep(
        "split-restarts",
        f'host = "sim:?noise=epoch"\n{TWO_SPLITS}protocol = "adaptive"\nlimit_min = 12\nrestart_settle_s = 20\n'
        f"{SHORT}{IR}",
        makes=BRIEF,
    ),
    Sweep(
        "split-mix",
        f'host = "fake:host.json?warnings=1"\nsplits = ["1:2"]\n{THREE_BLOCKS}{BOTH}'
        '[[mix]]\nname = "noon"\nloads = ["osdb-ir", "osdb-oltp"]\n',
        makes=WITH_CSV,
    ),
    Sweep("split-failed", f'host = "fake:host.json?fail_writes_after=9"\n{TWO_SPLITS}{THREE_BLOCKS}{BOTH}'),
    Sweep("calibration", f'host = "sim:"\nstudy = "calibration"\nmeasure_s = 20\n{TWO_SPLITS}{BOTH}'),
    Sweep(
        "capacity",
        'host = "sim:"\nstudy = "capacity"\nprotocol = "quick"\nmeasure_s = 10\n'
        '[[load]]\nkind = "osdb-ir"\nusers = 8\n',
        WITH_CSV,
    ),
    Sweep(
        "capacity-at-splits",
        f'host = "sim:"\nstudy = "capacity"\nprotocol = "grid"\nrepeats = 2\n{SHORT}{TWO_SPLITS}demand_users = 4\n'
        '[[load]]\nkind = "osdb-oltp"\nusers = 4\n',
        BRIEF,
    ),
    Sweep(
        "overhead",
        'host = "fake:host.json?direct=1"\nstudy = "overhead"\nrepeats = 4\n[[load]]\nkind = "tpcb"\n',
        WITH_CSV,
    ),
    Sweep("scale-up", f'host = "sim:"\nstudy = "scale-up"\nrepeats = 3\nvcpus = [1, 2, 4]\n{SHORT}', WITH_CSV),
    Sweep(
        "scale-up-native",
        'host = "fake:host.json?vcpus=4&direct=1"\nstudy = "scale-up"\nrepeats = 3\nvcpus = [1, 4]\nbase = "direct"\n'
        + SHORT,
    ),
    Sweep(
        "isolation",
        f'host = "fake:host.json?guests=2"\nstudy = "isolation"\nsplits = ["2:1:1"]\nrepeats = 3\n{SHORT}',
        WITH_CSV,
    ),
)
PLANS = (
    Plan(
        "plan-every-load",
        """
name = "Every load of PostgreSQL"
host = "local:"
splits = ["1:2", "2.5:1"]
protocol = "replicate"
repeats = 2
measure_s = 60
baseline = false
period_ms = 10
seed = 7
[server]
io_method = "sync"
[[load]]
kind = "osdb-ir"
users = 3
tuples = 20000
probe = true
[[load]]
kind = "osdb-oltp"
alone = false
[[load]]
kind = "tpcb"
scale = 2
[[load]]
kind = "order-entry"
users = 8
warehouses = 1
customers = 300
items = 1000
isolation = "serializable"
procedures = false
[[load]]
kind = "tpch"
users = 1
scale = 0.05
limit_s = 30
reconnect = true
[[load]]
kind = "brokerage"
customers = 500
[[load]]
kind = "bulk"
table_size = 20000
rows = 100
[[load]]
kind = "compute"
rows = 1000
[[mix]]
name = "noon"
loads = ["osdb-ir", "osdb-oltp"]
[objective]
weights = { osdb-ir = 2.0, "noon/osdb-oltp" = 1.0 }
tolerance_frac = 0.03
""",
    ),
    Plan(
        "plan-mariadb",
        """
host = "local:"
splits = ["1:1"]
protocol = "adaptive"
restart_settle_s = 45
history = false
[[load]]
kind = "osdb-oltp"
database = "mariadb:"
engine = "aria"
[[load]]
kind = "sysbench"
database = "mariadb:"
script = "point-select"
tables = 2
table_size = 10000
[objective]
name = "limited"
load = "sysbench"
limit_frac = 0.2
purpose = "divide"
""",
    ),
    Plan(
        "plan-command",
        """
host = "qemu+ssh://root@kvm1/system"
mode = "weights"
splits = ["1:4", "4:1"]
protocol = "strict"
limit_min = 90
[domains]
io = "relay"
guest = "db1"
[[load]]
kind = "command"
users = 8
command = "/opt/bench --clients {users} --server {host}:{port}"
pattern = "done (?P<count>[0-9]+), took (?P<latency_ms>[0-9.]+) ms"
unit = "requests/s"
interval_s = 2
""",
    ),
    Plan(
        "plan-clients",
        """
host = "xapi://xcp1"
splits = ["1:2", "1:1"]
protocol = "quick"
refine = true
[domains]
guest = "db1"
[[load]]
kind = "osdb-ir"
users = 32
database = "postgresql://bench@db1:5432/bench"
[clients]
scheduler = "tls://dask1:8786"
workers = ["one", "two"]
on_loss = "remaining"
ca_file = "/etc/domtune/ca.pem"
cert_file = "/etc/domtune/cert.pem"
key_file = "/etc/domtune/key.pem"
""",
    ),
    Plan(
        "plan-two-guests",
        """
host = "xl+ssh://root@xen1"
study = "isolation"
splits = ["2:1:1"]
modes = ["weights"]
repeats = 6
second_users = 16
second_database = "postgresql://bench@db2:5432/bench"
[domains]
io = "Domain-0"
guest = "db1"
guest_2 = "db2"
[[load]]
kind = "osdb-ir"
database = "postgresql://bench@db1:5432/bench"
""",
    ),
    Plan(
        "plan-overhead-base",
        """
host = "xl+ssh://root@xen1"
study = "overhead"
base = "postgresql://bench@metal1:5432/bench"
[[load]]
kind = "tpch"
database = "postgresql://bench@db1:5432/bench"
""",
    ),
)
LOADED = "sim:?load=osdb-oltp&users=5&split=1:1&scheduler=rtds"
TURNED = "sim:machine.json?load=osdb-ir,osdb-oltp&turn_s=600&split=1:1&users=12"
COMMANDS = (
    Command("watch", ("watch", LOADED, "--for", "40m", "--quiet")),
    Command("watch-lines", ("watch", LOADED, "--for", "5m", "--json", "--windows", "--quiet")),
    Command("follow", ("follow", TURNED, "--for", "1h", "--seed", "3", "--yes"), machine=TURNING),
    Command("follow-lines", ("follow", TURNED, "--for", "5m", "--seed", "3", "--yes", "--json"), machine=TURNING),
)
BUNDLES = {
    case.name: case
    for case in (
        Bundle("bundle-local-v2-caps", "cgroup-v2", Mode.CAPS),
        Bundle("bundle-local-v2-weights", "cgroup-v2", Mode.WEIGHTS, based_on="bundle-local-v2-caps"),
        Bundle("bundle-local-v1-caps", "cgroup-v1", Mode.CAPS, based_on="bundle-local-v2-caps"),
        Bundle("bundle-local-v1-weights", "cgroup-v1", Mode.WEIGHTS, based_on="bundle-local-v2-caps"),
        Bundle("bundle-xen-credit2", "credit2"),
        Bundle("bundle-xen-credit", "credit", based_on="bundle-xen-credit2"),
        Bundle("bundle-xen-rtds", "rtds", based_on="bundle-xen-credit2"),
        Bundle("bundle-xen-sedf", "sedf", based_on="bundle-xen-credit2"),
        Bundle("bundle-xen-sedf-xm", "sedf-xm", based_on="bundle-xen-credit2"),
        Bundle("bundle-xapi", "xapi", based_on="bundle-xen-credit2"),
        Bundle("bundle-libvirt-qemu", "qemu-v1"),
        Bundle("bundle-libvirt-lxc", "lxc-v2", based_on="bundle-libvirt-qemu"),
        Bundle("bundle-libvirt-emulator", "qemu-emulator", based_on="bundle-libvirt-qemu"),
    )
}
CASES = {case.name: case for case in (*SWEEPS, *PLANS, *COMMANDS, *BUNDLES.values())}
