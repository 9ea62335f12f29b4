"""`python -m tests.bench.overhead_local [--scale S] [--blocks N] ...`: what a quota, and the relay, cost TPC-H here.

Our own PostgreSQL, warm, on three sides: bare; confined, the user's back end in a control group with a quota; through
the relay, bare. A block runs all 22 queries on each side, the sides in random order: a quota is felt where queries
follow each other, so sides change after all of them and not after each. One connection a side, or a new one for each
query (`--fresh`, as the papers did first). Many short blocks beat few long ones: what neighbours take changes from
second to second. Needs root and version 1 of the CPU controller. Prints what the papers' Tables 1 to 3 have, with
intervals, and what explains the slowdown.
"""

import argparse
import contextlib
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scheduler.databases.database_registry import connect_user, create_server, open_database
from scheduler.databases.protocols import DatabaseAccess, UserSession
from scheduler.hosts.local.relay_process import RelayProcess
from scheduler.loads.data_fingerprint import DataFingerprint, refuse_different, settings_query
from scheduler.loads.tpch import queries
from scheduler.loads.tpch.query_counters import QueryCounters, open_counters
from scheduler.loads.tpch.tpch_schema import USER_STATEMENTS
from scheduler.loads.tpch.tpch_workload import TpchWorkload
from scheduler.model.load import LoadSpec
from scheduler.model.named_figures import NamedFigure
from scheduler.studies.overhead.overhead_texts import comparison_headline, explain_slowdown
from scheduler.studies.overhead.query_costs import CostsBySide, QueryCost, read_costs, select_times
from scheduler.studies.overhead.slowdown import compare_sides
from scheduler.studies.overhead.slowdown_causes import find_causes
from tests.bench.overhead_tables import tables
from tests.confining import Quota

BARE, CONFINED, RELAYED = "bare", "confined", "relay"
_DATABASE = "postgresql"


class Side(NamedTuple):
    """How a user comes to its queries on one side.

    Attributes:
        database: Opened at the side's address.
        quota: What the user's back end is confined by; None for nothing.
    """

    database: DatabaseAccess
    quota: Quota | None

    @contextlib.contextmanager
    def user(self) -> Iterator[tuple[UserSession, QueryCounters]]:
        """Yield a new connection and what is measured of it."""
        user = connect_user(_DATABASE, self.database.params, "domtune overhead", 3)
        try:
            for statement in USER_STATEMENTS[_DATABASE]:
                user.change(statement.encode("ascii"))
            if self.quota is not None:
                self.quota.enter(int(user.rows(b"SELECT pg_backend_pid()")[0][0]))
            yield user, open_counters(user, _DATABASE)
        finally:
            user.close()


def measure(arguments: argparse.Namespace) -> tuple[CostsBySide, tuple[str, ...]]:
    """Return what every query cost on each side in each block, and what differs though it may be compared."""
    found: dict[str, dict[int, dict[str, QueryCost]]] = {side: {} for side in arguments.sides}
    shuffler = random.Random(arguments.seed)
    texts = {n: queries.query_text(n, _DATABASE, arguments.scale).encode("ascii") for n in queries.POWER_ORDER}
    with contextlib.ExitStack() as stack:
        sides = _sides(arguments, stack)
        notes = refuse_different({name: _fingerprint(side.database, arguments.scale) for name, side in sides.items()})
        users = {name: stack.enter_context(side.user()) for name, side in sides.items()}
        for user, _ in users.values():
            for text in texts.values():
                user.rows(text)
        for block in range(arguments.blocks):
            for name in shuffler.sample(arguments.sides, len(arguments.sides)):
                figures: list[NamedFigure] = []
                for number, text in texts.items():
                    with sides[name].user() if arguments.fresh else contextlib.nullcontext(users[name]) as (user, seen):
                        seen.begin()
                        user.rows(text)
                        figures += seen.since(f"Q{number}")
                found[name][block] = read_costs(figures)
            print(f"block {block + 1} of {arguments.blocks}", file=sys.stderr, flush=True)
    return found, notes


def _sides(arguments: argparse.Namespace, stack: contextlib.ExitStack) -> dict[str, Side]:
    """Return the sides that are asked for, with the data loaded; the stack ends what they need."""
    stack.enter_context(_home())
    server = create_server("")
    stack.callback(server.stop)
    server.start()
    with contextlib.closing(open_database(server.url(server.address), server.password)) as database:
        _workload(arguments.scale).prepare(database.session())
    relay = RelayProcess(*server.address)
    stack.callback(relay.stop)
    relay.start()
    found: dict[str, Side] = {}
    for name in arguments.sides:
        quota = Quota(arguments.quota_pct) if name == CONFINED else None
        if quota is not None:
            stack.callback(quota.close)
        database = open_database(server.url(relay.address if name == RELAYED else server.address), server.password)
        stack.callback(database.close)
        found[name] = Side(database, quota)
    return found


def _workload(scale: float) -> TpchWorkload:
    """Return the tables of a scale."""
    return TpchWorkload(LoadSpec("tpch", parameters={"scale": scale}))


def _fingerprint(database: DatabaseAccess, scale: float) -> DataFingerprint:
    try:
        session = database.session()
        for statement in USER_STATEMENTS[_DATABASE]:  # a user's settings count
            session.execute(statement)
        settings = {str(name): str(value) for name, value in session.rows(settings_query(_DATABASE))}
        workload = _workload(scale)
        workload.prepare(session)  # reads the tables that are loaded
        data = workload.fingerprint(session)
        version = database.versions()[_DATABASE]
        return DataFingerprint(database=_DATABASE, version=version, data=data, settings=settings)
    finally:
        database.close()


@contextlib.contextmanager
def _home() -> Iterator[None]:
    """Give the bench a DomTune of its own; the embedded database's account must be able to enter it."""
    before = os.environ.get("DOMTUNE_HOME")
    with tempfile.TemporaryDirectory(prefix="domtune-bench-") as folder:
        Path(folder).chmod(0o755)
        os.environ["DOMTUNE_HOME"] = folder
        try:
            yield
        finally:
            os.environ.pop("DOMTUNE_HOME")
            if before is not None:
                os.environ["DOMTUNE_HOME"] = before


def main() -> int:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--scale", type=float, default=0.01)
    parser.add_argument("--blocks", type=int, default=40)
    parser.add_argument("--quota-pct", type=float, default=50)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sides", nargs="+", default=[BARE, CONFINED, RELAYED], choices=[BARE, CONFINED, RELAYED])
    arguments = parser.parse_args()
    costs, notes = measure(arguments)
    print(*notes, sep="\n")
    base, *others = arguments.sides
    for other in others:
        comparison = compare_sides(select_times(costs), base, other)
        print(*tables(costs, comparison), sep="\n")
        print(*comparison_headline(comparison), *explain_slowdown(find_causes(costs, comparison), comparison), sep="\n")
        print(
            "CPU time alone:",
            *comparison_headline(compare_sides(select_times(costs, lambda cost: cost.cpu_s), base, other)),
            "",
            sep="\n",
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
