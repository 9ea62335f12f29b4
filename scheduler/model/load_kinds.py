"""The kinds of load, one record each: whatever a part of DomTune must know of a kind stands here.

Plan file, wizard, plots, report, simulation and load generators derive from `KINDS`; no other module may list kinds.
How to add one: docs/how-to/add-a-load.md.
"""

from collections.abc import Iterable, Mapping

import msgspec

from scheduler.errors import SpecError
from scheduler.model.databases import DATABASES, STANDARD
from scheduler.model.order_entry import ORDER_ENTRY
from scheduler.model.parameters import Parameter
from scheduler.model.tpch import TPCH

MARKERS = ("circle", "square", "star", "cross", "saltire", "pentagon", "wedge")
"""Marks that plots and reports can draw, and that no domain has there; their shapes are in `model/marks.py`."""

COLOURS = ("ir", "oltp", "third", "fourth", "fifth", "sixth", "seventh")
"""Roles of colours: `app/theme/tokens.py` and `resources/report/report.css.j2` have a colour for each."""


class LoadKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One kind of load.

    Attributes:
        name: As plan files have it, for example `osdb-ir`.
        title: Heading of its card.
        short: What people call it, for example `IR`: in legends, tables and sentences.
        does: One sentence about its users, for its card and its tooltip.
        one_user: What a single user does, for example `1 user reads rows`.
        many_users: What several do, with `{n}` for their number.
        counts: What its rate counts, for example `rows read`.
        unit: Unit of its rate.
        changes_rows: False for one that leaves its tables as they are.
        marker: One of `MARKERS`, no other kind's.
        colour: One of `COLOURS`, no other kind's.
        workload: Module with `open_workload(load)`: its tables; empty for an engine whose tables are not ours.
        operation: Module with `connect_user(begin)`: its users, in processes of ours; empty where they are an engine.
        engine: Module with `open_engine(begin, users)`, `versions(load)` and `sentences(load)`: a program that brings
            its users; else empty.
        runs: Parameter with a command line that is run here: nobody else's plan runs one unseen; empty for none.
        probe: Kind of which one extra reader may run beside its users; empty where none can.
        standard: True for one that plans have which name no loads, and that is on in a new form.
        databases: Names of the databases that it runs on (`scheduler/model/databases.py`).
        parameters: What a plan may set of it beside users and database.
        most_users: Parameter and how many users there may be for each one of it; an empty name for no such limit.
        round: Operations of unequal cost that a user does in turn, each once; 0 where all cost about the same. No
            second of such a load is a stall, and a visit without a whole round of each user says so.
        limit: Parameter with the seconds that one operation may take; empty where all are short.
    """

    name: str
    title: str
    short: str
    does: str
    one_user: str
    many_users: str
    counts: str
    unit: str
    changes_rows: bool
    marker: str
    colour: str
    workload: str = ""
    operation: str = ""
    engine: str = ""
    runs: str = ""
    probe: str = ""
    standard: bool = False
    databases: tuple[str, ...] = (STANDARD,)
    parameters: tuple[Parameter, ...] = ()
    most_users: tuple[str, int] = ("", 0)
    round: int = 0
    limit: str = ""

    def __post_init__(self) -> None:
        """Refuse a record that some part could not use; raises SpecError."""
        for field in msgspec.structs.fields(self):
            if field.required and getattr(self, field.name) == "":
                raise SpecError(f"kinds.{self.name}.{field.name}", "is empty", hint="Every kind needs one.")
        for field, known in (("marker", MARKERS), ("colour", COLOURS)):
            value = getattr(self, field)
            if value not in known:
                raise SpecError(f"kinds.{self.name}.{field}", f"{value!r} is none", hint=f"Take {' or '.join(known)}.")
        if "{n}" not in self.many_users:
            raise SpecError(f"kinds.{self.name}.many_users", "has no {n}", hint="Write it where the number stands.")
        self._check_users()
        if not self.databases or not set(self.databases) <= set(DATABASES):
            hint = f"Take {' or '.join(DATABASES)}."
            raise SpecError(f"kinds.{self.name}.databases", f"{self.databases!r} are not all known", hint=hint)
        taken = {"kind", "users", "database", "parameters", "probe"}
        if taken & {parameter.name for parameter in self.parameters}:
            problem = f"{', '.join(sorted(taken))} are keys of every load"
            raise SpecError(f"kinds.{self.name}.parameters", problem, hint="Take another name.")

    def _check_users(self) -> None:
        if not self.workload and not self.engine:
            raise SpecError(f"kinds.{self.name}.workload", "is empty", hint="Users of ours need tables of ours.")
        if bool(self.operation) == bool(self.engine) or (self.engine and self.probe):
            problem = "has operation and engine, or none of them, or an engine and a probe"
            hint = "Its users are the processes of an operation, one more of which may probe, or an engine."
            raise SpecError(f"kinds.{self.name}.engine", problem, hint=hint)

        if self.most_users[0] and self.most_users[0] not in {parameter.name for parameter in self.parameters}:
            problem = f"{self.most_users[0]!r} is no parameter of it"
            raise SpecError(f"kinds.{self.name}.most_users", problem, hint="Name one.")
        texts = {parameter.name for parameter in self.parameters if isinstance(parameter.default, str)}
        if self.runs and not (self.engine and self.runs in texts):
            hint = "It is a text among the parameters of an engine."
            raise SpecError(f"kinds.{self.name}.runs", f"{self.runs!r} is none", hint=hint)

    def parameter(self, name: str) -> Parameter:
        """Return what the record says of a parameter; raises SpecError where the kind has none of that name."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = ", ".join(parameter.name for parameter in self.parameters)
        hint = f"It has {known}." if known else "Leave it out: it has none."
        raise SpecError(f"load.{name}", f"{self.name} has no such parameter", hint=hint)


def registry(kinds: Iterable[LoadKind]) -> dict[str, LoadKind]:
    """Return name to kind; raises SpecError when two kinds could be taken for each other."""
    found: dict[str, LoadKind] = {}
    for kind in kinds:
        for other in found.values():
            for field in ("name", "title", "short", "marker", "colour"):
                if getattr(kind, field) == getattr(other, field):
                    problem = f"{getattr(kind, field)!r} is that of {other.name} already"
                    raise SpecError(f"kinds.{kind.name}.{field}", problem, hint="Take one that is free.")
        found[kind.name] = kind
    return found


_OSDB_TABLES = "scheduler.loads.osdb.workload"
_OSDB_DATABASES = ("postgresql", "mariadb")
TUPLES = Parameter(
    name="tuples",
    title="Rows",
    help="Rows per relation.",
    default=10_000,
    low=2_000,  # keys 1000..1100 must exist
    high=10_000_000,  # beyond, loading takes hours
    step=1_000,
    unit="per table",
)
_ENGINE = Parameter(
    name="engine",
    title="Engine",
    help="Storage engine of the tables, on MariaDB only.",
    default="innodb",
    choices=("innodb", "myisam", "aria"),
    databases=("mariadb",),
)

KINDS: Mapping[str, LoadKind] = registry(
    (
        LoadKind(
            name="osdb-ir",
            title="IR: information retrieval",
            short="IR",
            does="Users read rows by key, without a pause.",
            one_user="1 user reads rows",
            many_users="{n} users read rows",
            counts="rows read",
            unit="tuples/s",
            changes_rows=False,
            marker="circle",
            colour="ir",
            workload=_OSDB_TABLES,
            operation="scheduler.loads.osdb.ir",
            probe="osdb-ir",  # AS3AP, step 9: the extra client reads, whatever the others do
            standard=True,
            databases=_OSDB_DATABASES,
            parameters=(TUPLES, _ENGINE),
        ),
        LoadKind(
            name="osdb-oltp",
            title="OLTP: transactions",
            short="OLTP",
            does="Users change rows and commit, without a pause.",
            one_user="1 user changes rows and commits",
            many_users="{n} users change rows and commit",
            counts="committed updates",
            unit="tuples/s",
            changes_rows=True,
            marker="square",
            colour="oltp",
            workload=_OSDB_TABLES,
            operation="scheduler.loads.osdb.oltp",
            probe="osdb-ir",
            standard=True,
            databases=_OSDB_DATABASES,
            parameters=(TUPLES, _ENGINE),
        ),
        LoadKind(
            name="tpcb",
            title="TPC-B-like, by pgbench",
            short="TPC-B",
            does="Users move money between accounts and commit, without a pause; PostgreSQL's own pgbench does it.",
            one_user="1 user of pgbench moves money and commits",
            many_users="{n} users of pgbench move money and commit",
            counts="committed transactions",
            unit="transactions/s",
            changes_rows=True,
            marker="star",
            colour="third",
            workload="scheduler.loads.tpcb.workload",
            engine="scheduler.loads.tpcb.engine",
            parameters=(
                Parameter(
                    name="scale",
                    title="Scale",
                    help="Branches of the bank, 100,000 accounts each; if fewer than users, they wait for each other.",
                    default=10,
                    low=1,
                    high=1_000,  # 13 GB, summed up before and after each block
                    unit="branches",
                ),
            ),
        ),
        LoadKind(
            name="command",
            title="Own command",
            short="Command",
            does="A program of yours prints its rate; DomTune cannot check it. The window runs none: save the plan, "
            "then domtune run PLAN --allow-command.",
            one_user="1 user of your command works",
            many_users="{n} users of your command work",
            counts="what the program counts",
            unit="operations/s",
            changes_rows=True,
            marker="cross",
            colour="fourth",
            engine="scheduler.loads.command.engine",
            runs="command",
            parameters=(
                Parameter(
                    name="command",
                    title="Command",
                    help="Program and arguments, as in a terminal; no shell reads it. {users}, {host}, {port}, {user} "
                    "and {database} are filled in.",
                    default="",
                ),
                Parameter(
                    name="pattern",
                    title="Pattern",
                    help="Regular expression that finds (?P<rate>...), or (?P<count>...) since the line before, and "
                    "(?P<errors>...) in a line.",
                    default=r"(?P<rate>[0-9]+(\.[0-9]+)?) *(tps|ops|/s)",
                ),
                Parameter(
                    name="interval_s",
                    title="A line every",
                    help="Seconds between its lines; 5 s without one more, and it is dead.",
                    default=1,
                    low=1,
                    high=8,  # a visit waits 15 s for its last second
                    unit="s",
                ),
            ),
        ),
        LoadKind(
            name="order-entry",
            title="Order entry, TPC-C-like",
            short="Orders",
            does="Users take a wholesaler's orders and payments, deliver and look things up, without a pause.",
            one_user="1 user takes orders and payments",
            many_users="{n} users take orders and payments",
            counts="committed transactions",
            unit="transactions/s",
            changes_rows=True,
            marker="saltire",
            colour="fifth",
            workload="scheduler.loads.order_entry.workload",
            operation="scheduler.loads.order_entry.users",
            databases=("postgresql", "mariadb"),
            most_users=("warehouses", 10),  # a user for each of a warehouse's districts (TPC-C 4.2.1)
            parameters=ORDER_ENTRY,
        ),
        LoadKind(
            name="tpch",
            title="TPC-H-like: 22 long queries",
            short="TPC-H",
            does="Users run the 22 queries of TPC-H one after the other, without a pause; a query takes milliseconds "
            "to minutes.",
            one_user="1 user runs long queries",
            many_users="{n} users run long queries",
            counts="queries answered",
            unit="queries/s",
            changes_rows=False,
            marker="wedge",
            colour="seventh",
            workload="scheduler.loads.tpch.workload",
            operation="scheduler.loads.tpch.users",
            databases=("postgresql", "mariadb"),
            round=22,
            limit="limit_s",
            parameters=TPCH,
        ),
    )
)
"""Name to kind, in the order in which they are shown."""


def standard_kinds() -> tuple[str, ...]:
    """Return the names of the kinds that a plan means which names no loads: those of the papers."""
    return tuple(kind.name for kind in KINDS.values() if kind.standard)


def rate_unit(names: Iterable[str]) -> str:
    """Return the unit of these loads' rates: `tuples/s`, or `tuples/s or orders/s` where they differ."""
    units = dict.fromkeys(KINDS[name].unit if name in KINDS else "tuples/s" for name in names)
    return " or ".join(units) or "tuples/s"
