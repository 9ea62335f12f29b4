"""Kinds of load, one record each.

Plan file, wizard, plots, report, simulation and load generators derive from `LOAD_KINDS`; no other module may list
kinds. To add a kind: docs/developers/add-a-load.md.
"""

from collections.abc import Iterable, Mapping

from scheduler.model import load_looks
from scheduler.model.brokerage_parameters import BROKERAGE_PARAMETERS
from scheduler.model.load_kind import LoadKind, index_kinds
from scheduler.model.load_name import LoadName
from scheduler.model.order_entry_parameters import ORDER_ENTRY_PARAMETERS
from scheduler.model.parameters import Parameter
from scheduler.model.synthetic_parameters import BULK_PARAMETERS, COMPUTE_PARAMETERS
from scheduler.model.sysbench_parameters import SYSBENCH_PARAMETERS
from scheduler.model.tpch_parameters import COLD_PARAMETER, TPCH_PARAMETERS
from scheduler.translation import _

PATTERN_PARAMETER = "pattern"
"""Parameter of kinds that run a program of the user: the pattern of figures in its output."""
UNIT_PARAMETER = "unit"
"""Parameter of kinds whose plan sets the unit of their rate; empty for the unit of the record."""

_OSDB_TABLES = "scheduler.loads.osdb.osdb_workload"
_OSDB_DATABASES = ("postgresql", "mariadb")
TUPLES_PARAMETER = Parameter(
    name="tuples",
    title=_("Rows"),
    help=_("Rows per relation."),
    default=10_000,
    low=2_000,  # the keys 1000..1100 must exist
    high=10_000_000,  # loading more rows takes hours
    step=1_000,
    unit=_("per table"),
)
_ENGINE = Parameter(
    name="engine",
    title=_("Engine"),
    help=_("Storage engine of the tables, on MariaDB only."),
    default="innodb",
    choices=("innodb", "myisam", "aria"),
    databases=("mariadb",),
)

LOAD_KINDS: Mapping[str, LoadKind] = index_kinds(
    (
        LoadKind(
            name="osdb-ir",
            title=_("IR: information retrieval"),
            short="IR",
            does=_("Users read rows by key, without a pause."),
            one_user=_("1 user reads rows"),
            many_users=_("{n} users read rows"),
            counts=_("rows read"),
            unit="tuples/s",
            changes_rows=False,
            marker=load_looks.CIRCLE,
            colour=load_looks.BLUE,
            workload=_OSDB_TABLES,
            operation="scheduler.loads.osdb.ir",
            probe="osdb-ir",  # AS3AP, step 9: the extra client reads under every load
            standard=True,
            databases=_OSDB_DATABASES,
            parameters=(TUPLES_PARAMETER, _ENGINE),
        ),
        LoadKind(
            name="osdb-oltp",
            title=_("OLTP: transactions"),
            short="OLTP",
            does=_("Users change rows and commit, without a pause."),
            one_user=_("1 user changes rows and commits"),
            many_users=_("{n} users change rows and commit"),
            counts=_("committed updates"),
            unit="tuples/s",
            changes_rows=True,
            marker=load_looks.SQUARE,
            colour=load_looks.PINK,
            workload=_OSDB_TABLES,
            operation="scheduler.loads.osdb.oltp",
            probe="osdb-ir",
            standard=True,
            databases=_OSDB_DATABASES,
            parameters=(TUPLES_PARAMETER, _ENGINE),
        ),
        LoadKind(
            name="tpcb",
            title=_("TPC-B-like, by pgbench"),
            short="TPC-B",
            does=_("Users move money between accounts and commit, without a pause; PostgreSQL's own pgbench does it."),
            one_user=_("1 user of pgbench moves money and commits"),
            many_users=_("{n} users of pgbench move money and commit"),
            counts=_("committed transactions"),
            unit="transactions/s",
            changes_rows=True,
            marker=load_looks.STAR,
            colour=load_looks.VERMILION,
            workload="scheduler.loads.tpcb.tpcb_workload",
            engine="scheduler.loads.tpcb.pgbench_engine",
            parameters=(
                Parameter(
                    name="scale",
                    title=_("Scale"),
                    help=_(
                        "Branches of the bank, 100,000 accounts each. With more users than branches, users wait for "
                        "each other."
                    ),
                    default=10,
                    low=1,
                    high=1_000,  # 13 GB, which the check adds up before and after each block
                    unit="branches",
                ),
            ),
        ),
        LoadKind(
            name="command",
            title=_("Own command"),
            short=_("Command"),
            does=_(
                "A program of yours prints its rate; DomTune cannot check it. The window runs none: save the plan, "
                "then domtune run PLAN --allow-command."
            ),
            one_user=_("1 user of your command works"),
            many_users=_("{n} users of your command work"),
            counts=_("unit of the program"),
            unit="operations/s",
            changes_rows=True,
            marker=load_looks.CROSS,
            colour=load_looks.SLATE,
            engine="scheduler.loads.command.command_engine",
            runs="command",
            parameters=(
                Parameter(
                    name="command",
                    title=_("Command"),
                    help=_(
                        "Program and arguments, as in a terminal; no shell reads it. {users}, {host}, {port}, {user} "
                        "and {database} are filled in."
                    ),
                    default="",
                ),
                Parameter(
                    name=PATTERN_PARAMETER,
                    title=_("Pattern"),
                    help="Optional: known benchmarks, JSON lines and 'tps: 12.3' are recognised. Else a regular "
                    "expression with (?P<rate>...), (?P<count>...) since the line before, or a running (?P<total>...); "
                    "(?P<errors>...), (?P<latency_ms>...), p50_ms, p95_ms and p99_ms if wanted.",
                    default="",
                ),
                Parameter(
                    name=UNIT_PARAMETER,
                    title=_("Unit"),
                    help=_("Unit of the rate, for example requests/s."),
                    default="",
                    longest=24,
                    plain=True,
                ),
                Parameter(
                    name="interval_s",
                    title=_("A line every"),
                    help=_("Seconds between two lines, for example 1. The run fails 5 s after a missing line."),
                    default=1,
                    low=1,
                    high=8,  # a trial waits at most 15 s for its last second
                    unit="s",
                ),
            ),
        ),
        LoadKind(
            name="order-entry",
            title=_("Order entry, TPC-C-like"),
            short=_("Orders"),
            does=_("Users take a wholesaler's orders and payments, deliver and look things up, without a pause."),
            one_user=_("1 user takes orders and payments"),
            many_users=_("{n} users take orders and payments"),
            counts=_("committed transactions"),
            unit="transactions/s",
            changes_rows=True,
            marker=load_looks.SALTIRE,
            colour=load_looks.PURPLE,
            workload="scheduler.loads.order_entry.order_entry_workload",
            operation="scheduler.loads.order_entry.order_entry_users",
            databases=("postgresql", "mariadb"),
            most_users=("warehouses", 10),  # a user for each of a warehouse's districts (TPC-C 4.2.1)
            parameters=ORDER_ENTRY_PARAMETERS,
        ),
        LoadKind(
            name="tpch",
            title=_("TPC-H-like: 22 long queries"),
            short="TPC-H",
            does=_(
                "Users run the 22 queries of TPC-H one after the other, without a pause; a query takes milliseconds "
                "to minutes."
            ),
            one_user=_("1 user runs long queries"),
            many_users=_("{n} users run long queries"),
            counts=_("queries answered"),
            unit="queries/s",
            changes_rows=False,
            marker=load_looks.WEDGE,
            colour=load_looks.AUBERGINE,
            workload="scheduler.loads.tpch.tpch_workload",
            operation="scheduler.loads.tpch.tpch_users",
            databases=("postgresql", "mariadb"),
            round=22,
            limit="limit_s",
            cold=COLD_PARAMETER,
            parameters=TPCH_PARAMETERS,
        ),
        LoadKind(
            name="sysbench",
            title=_("OLTP, by sysbench"),
            short=_("sysbench"),
            does=_("sysbench runs the transactions of one of its scripts, without a pause."),
            one_user=_("1 user runs OLTP transactions"),
            many_users=_("{n} users run OLTP transactions"),
            counts=_("completed events"),
            unit="events/s",
            changes_rows=True,
            marker=load_looks.HOURGLASS,
            colour=load_looks.COBALT,
            workload="scheduler.loads.sysbench.sysbench_workload",
            engine="scheduler.loads.sysbench.sysbench_engine",
            databases=("mariadb",),
            parameters=SYSBENCH_PARAMETERS,
        ),
        LoadKind(
            name="brokerage",
            title=_("Brokerage mix, reduced"),
            short=_("Brokerage"),
            does=_("Users look up a brokerage's trades and prices, and order and carry out trades, without a pause."),
            one_user=_("1 user looks up and trades"),
            many_users=_("{n} users look up and trade"),
            counts=_("committed transactions"),
            unit="transactions/s",
            changes_rows=True,
            marker=load_looks.CHEVRON,
            colour=load_looks.SAND,
            workload="scheduler.loads.brokerage.brokerage_workload",
            operation="scheduler.loads.brokerage.brokerage_users",
            databases=("postgresql", "mariadb"),
            parameters=BROKERAGE_PARAMETERS,
        ),
        LoadKind(
            name="bulk",
            title=_("Bulk: many large rows"),
            short=_("Bulk"),
            does=_("Users fetch some hundred large rows at a time, without a pause: work for the I/O domain."),
            one_user=_("1 user fetches large rows"),
            many_users=_("{n} users fetch large rows"),
            counts=_("fetches of many rows"),
            unit="operations/s",
            changes_rows=False,
            marker=load_looks.BAR,
            colour=load_looks.LILAC,
            workload="scheduler.loads.synthetic.synthetic_workload",
            operation="scheduler.loads.synthetic.bulk",
            databases=("postgresql", "mariadb"),
            parameters=BULK_PARAMETERS,
        ),
        LoadKind(
            name="compute",
            title=_("Compute: sums of generated rows"),
            short=_("Compute"),
            does=_(
                "Users have the database add up generated rows, without a pause, and get one number: work for the "
                "guest."
            ),
            one_user=_("1 user has sums computed"),
            many_users=_("{n} users have sums computed"),
            counts=_("sums computed"),
            unit="operations/s",
            changes_rows=False,
            marker=load_looks.TEE,
            colour=load_looks.NAVY,
            workload="scheduler.loads.synthetic.synthetic_workload",
            operation="scheduler.loads.synthetic.compute",
            databases=("postgresql", "mariadb"),
            parameters=COMPUTE_PARAMETERS,
        ),
    )
)
"""Name to kind, in the order of display."""


def list_standard_kinds() -> tuple[str, ...]:
    """Return the kinds of a plan without loads: the loads of the papers."""
    return tuple(kind.name for kind in LOAD_KINDS.values() if kind.standard)


def find_load_kind(name: str) -> LoadKind | None:
    """Return the kind of a load by its name, also of a load in a mix; None for none."""
    return LOAD_KINDS.get(LoadName.of(name).kind)


def rate_unit(names: Iterable[str], given: Mapping[str, str] = {}) -> str:
    """Return the unit of these loads' rates: `tuples/s`, or `tuples/s or orders/s`.

    Args:
        names: Names of loads.
        given: Name to the unit of a plan or its results; without one, the unit of the kind's record.
    """
    kinds = {name: find_load_kind(name) for name in names}
    units = dict.fromkeys(given.get(name) or (kind.unit if kind else "tuples/s") for name, kind in kinds.items())
    return " or ".join(units) or "tuples/s"
