"""go-tpc beside our order entry: the same five transactions in the same mix, on tables of its own."""

import re
import subprocess

from tests.bench.loads import sticks
from tests.bench.loads.peers import Job
from tests.contract import mariadb_fixture, postgres_fixture

_COUNT = re.compile(r"^\[Current\] (\w+) - Takes\(s\): [\d.]+, Count: (\d+),")
_DATABASE = "rival_orders"
_READ_COMMITTED = "--isolation=2"  # as ours; what it takes by itself is the server's, MariaDB's is another one
_LOADED_S = 1800.0


class GoTpc:
    """One client per process.

    Args:
        database: Whose server it works on.
        warehouses: Size of its tables, which it makes.
    """

    title = "go-tpc"

    def __init__(self, database: postgres_fixture.Database | mariadb_fixture.Database, warehouses: int) -> None:
        self._create = lambda: database.ask(f"CREATE DATABASE {_DATABASE}")
        server = database.server
        driver = "postgres" if isinstance(database, postgres_fixture.Database) else "mysql"
        self._words = [str(sticks.go_tpc()), "tpcc"]
        # It takes its password from no other place; the server's ends with this bench.
        self._options = [f"--driver={driver}", "--host=127.0.0.1", f"--port={server.port}", f"--user={server.user}"]
        self._options += [f"--password={server.password}", f"--db={_DATABASE}", f"--warehouses={warehouses}"]
        self._options += ["--max-procs=1"]  # one client: more threads would only pass it around
        self._options += ["--conn-params=sslmode=disable"] if driver == "postgres" else []

    def prepare(self) -> None:
        """Make its tables; the database first, for which it would need one of its user's name."""
        self._create()
        words = [*self._words, "prepare", *self._options, "--threads=2", "--no-check"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=_LOADED_S, check=False)
        said = [line for line in (done.stdout + done.stderr).splitlines() if "panic" in line or "fatal" in line]
        assert done.returncode == 0, f"go-tpc could not load: {' | '.join(said[:3])}"

    def job(self, number: int) -> Job:
        return Job([*self._words, "run", *self._options, "--threads=1", "--interval=1s", _READ_COMMITTED])

    def told(self, line: str) -> float | None:
        found = _COUNT.match(line)
        if found is None or found[1].endswith("_ERR"):
            return None
        return float(found[2])
