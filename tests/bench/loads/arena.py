"""A server with the tables of both sides, on which they take turns."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from scheduler.databases.mariadb.drivers import FAST, PLAIN
from scheduler.model.load import LoadSpec
from scheduler.model.load_kinds import LOAD_KINDS
from tests.bench.loads import by_pgbench, by_sysbench, sticks
from tests.bench.loads.by_go_tpc import GoTpc
from tests.bench.loads.cases import Case
from tests.bench.loads.peers import Peer, take_turn
from tests.bench.loads.turn import Turn, cpus
from tests.contract import mariadb_fixture, postgres_fixture
from tests.contract.postgres_fixture import open_folder
from tests.one_load import OneLoad

TUPLES, MORE = 10_000, 1_000
SCALE = 10
OURS, THEIRS = "ours", "theirs"
TakeTurn = Callable[[str, int], Turn]

_POOL_BYTES = 1 << 30  # order entry's tables of both sides; the server that we bring has room for small ones
_HIDDEN = 'raise ImportError("hidden, for the other driver to be measured")\n'


class Arena:
    """One running server.

    Args:
        database: The server.
        folder: For files of the peers.
        users: All numbers of users that there will be: the largest decides the size of order entry.
    """

    def __init__(
        self, database: postgres_fixture.Database | mariadb_fixture.Database, folder: Path, users: tuple[int, ...]
    ) -> None:
        self._database = database
        self._folder = folder
        self._most_users = max(users)
        self._peers: dict[tuple[str, str], Peer] = {}
        self._client_cpus = cpus()[1]

    def peer(self, case: Case) -> Peer:
        """Return whom the case is compared with, with tables of its own; raises Lacking."""
        key = (case.database, case.kind)
        if key not in self._peers:
            self._peers[key] = self._new_peer(case)
        return self._peers[key]

    @contextlib.contextmanager
    def rivals(self, case: Case, users: int) -> Iterator[TakeTurn]:
        """Yield a function (who, seconds) that measures one turn; whose turn it is not holds no CPU.

        Afterwards our users' tables are checked.
        """
        peer = self.peer(case)
        with _driver(case.driver, self._folder):
            pool = self._database.pool(self._load(case, users), client_cpus=self._client_cpus)
            with contextlib.closing(pool):
                pool.preflight()
                pool.prepare(case.kind)
                pool.start(case.kind)
                pool.park()

                def turn(who: str, seconds: int) -> Turn:
                    return _ours(pool, seconds) if who == OURS else take_turn(peer, users, seconds, self._client_cpus)

                yield turn
                check = pool.stop()
                assert check is not None
                assert check.passed, check.text

    def _load(self, case: Case, users: int, more: int = 0) -> LoadSpec:
        url, declared = self._database.url, {each.name for each in LOAD_KINDS[case.kind].parameters}
        if "tuples" in declared:
            return LoadSpec(case.kind, users=users, database=url, parameters=case.parameters, tuples=TUPLES + more)
        size = {"warehouses": self._warehouses} if "warehouses" in declared else {"scale": SCALE}
        return LoadSpec(case.kind, users=users, database=url, parameters={**case.parameters, **size})

    @property
    def _warehouses(self) -> int:
        return max(2, -(-self._most_users // 10))

    def _new_peer(self, case: Case) -> Peer:
        database = self._database
        if case.kind == "order-entry":
            go_tpc = GoTpc(database, self._warehouses)
            go_tpc.prepare()
            return go_tpc
        if case.kind == "tpcb":
            assert isinstance(database, postgres_fixture.Database)
            return by_pgbench.bank(database, SCALE)
        peer: Peer
        if isinstance(database, postgres_fixture.Database):
            peer = by_pgbench.osdb(database, case.kind, TUPLES + MORE, self._folder)
        else:
            peer = by_sysbench.osdb(database, case.kind, TUPLES + MORE, self._folder)
        # The same tables a tenth larger: what our users wrote can be checked in the end.
        with contextlib.closing(database.pool(self._load(case, 1, more=MORE))) as pool:
            pool.preflight()
            pool.prepare(case.kind)
        return peer


@contextlib.contextmanager
def arena(database: str, users: tuple[int, ...]) -> Iterator[Arena]:
    """Yield a server, gone afterwards."""
    with open_folder() as folder:
        if database == "postgresql":
            with postgres_fixture.running_server(cpus()[0]) as postgresql:
                yield Arena(postgresql, folder, users)
            return
        with mariadb_fixture.running_server(cpus()[0]) as mariadb:
            mariadb.ask(f"SET GLOBAL innodb_buffer_pool_size = {_POOL_BYTES}")
            yield Arena(mariadb, folder, users)


def _ours(pool: OneLoad, seconds: int) -> Turn:
    pool.unpark()
    seen = []
    while len(seen) < seconds:  # whole ones; the broken one at the start is nobody's
        time.sleep(0.1)  # noqa: TID251 - the users work meanwhile
        seen.extend(pool.poll())
    pool.park()
    counted = seen[:seconds]
    done = sum(second.count for second in counted)
    assert done, f"our users did nothing in {seconds} s"
    return Turn(done / seconds, sum(second.cpu_s for second in counted) / done)


@contextlib.contextmanager
def _driver(name: str, folder: Path) -> Iterator[None]:
    """Let users that begin have that driver of MariaDB's; raises Lacking."""
    if name == FAST:
        first = sticks.mysqlclient()
    elif name == PLAIN:
        first = folder / "hidden"
        first.mkdir(exist_ok=True)
        (first / "MySQLdb.py").write_text(_HIDDEN)
    else:
        first = None
    before = os.environ.get("PYTHONPATH")
    if first is not None:
        os.environ["PYTHONPATH"] = os.pathsep.join([str(first), *filter(None, [before])])
    try:
        yield
    finally:
        os.environ.pop("PYTHONPATH", None)
        if before is not None:
            os.environ["PYTHONPATH"] = before
