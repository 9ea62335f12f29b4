"""What is compared with what, and what is promised of it (a row each; docs/decisions/0039 has the figures)."""

from collections.abc import Mapping

import msgspec

from scheduler.databases.mariadb.drivers import FAST, PLAIN
from scheduler.model.parameters import ParameterValue

MANY_USERS = 32


class Promise(msgspec.Struct, frozen=True):
    """Bounds of ratios, ours over the peer's; None where a figure is only stated.

    Attributes:
        tps: Least throughput.
        many_tps: Least throughput with many users.
        cpu: Most CPU of the client per transaction.
        many_cpu: Most CPU of the client per transaction with many users.
    """

    tps: float | None = None
    many_tps: float | None = None
    cpu: float | None = None
    many_cpu: float | None = None

    def least_tps(self, users: int) -> float | None:
        """Return the least throughput for so many users."""
        return self.many_tps if users >= MANY_USERS else self.tps

    def most_cpu(self, users: int) -> float | None:
        """Return the most CPU of the client per transaction for a number of users."""
        return self.many_cpu if users >= MANY_USERS else self.cpu


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of load on one database, by one driver.

    Attributes:
        name: Heading of its figures.
        kind: Kind of load.
        database: `postgresql` or `mariadb`.
        driver: The users' driver; empty where there is one only.
        parameters: Of the load, beside its size.
        promise: What is promised.
    """

    name: str
    kind: str
    database: str
    driver: str = ""
    parameters: Mapping[str, ParameterValue] = {}
    promise: Promise = Promise()


_PGBENCH = Promise(tps=0.95, many_tps=0.85, cpu=1.3, many_cpu=1.8)
_SYSBENCH = Promise(tps=0.8, many_tps=0.8, cpu=1.6, many_cpu=1.6)
_GO_TPC = Promise(tps=1.0, many_tps=1.0)
_GO_TPC_MARIADB = Promise(tps=0.8, many_tps=0.8)

CASES = (
    Case(name="IR on PostgreSQL", kind="osdb-ir", database="postgresql", promise=_PGBENCH),
    Case(name="OLTP on PostgreSQL", kind="osdb-oltp", database="postgresql", promise=_PGBENCH),
    Case(name="TPC-B on PostgreSQL", kind="tpcb", database="postgresql"),
    Case(name="order entry on PostgreSQL", kind="order-entry", database="postgresql", promise=_GO_TPC),
    Case(
        name="order entry on PostgreSQL by statements",
        kind="order-entry",
        database="postgresql",
        parameters={"procedures": False},
    ),
    *(
        Case(
            name=f"{name} on MariaDB by {driver}",
            kind=kind,
            database="mariadb",
            driver=driver,
            promise=promise if driver == FAST else Promise(),
        )
        for driver in (FAST, PLAIN)
        for name, kind, promise in (
            ("IR", "osdb-ir", _SYSBENCH),
            ("OLTP", "osdb-oltp", _SYSBENCH),
            ("order entry", "order-entry", _GO_TPC_MARIADB),
        )
    ),
)
"""All of them: those of one database behind each other, as they share its server."""
