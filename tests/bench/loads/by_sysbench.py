"""sysbench beside our users on MariaDB: a Lua of ours with the same statements, as text, in the same round trips."""

import re
from collections.abc import Mapping
from pathlib import Path

from scheduler.loads.osdb.osdb_schema import osdb_statement
from tests.bench.loads import sticks
from tests.bench.loads.peers import Job
from tests.contract.mariadb_fixture import Database

_TPS = re.compile(r"^\[ \d+s \] thds: \d+ tps: ([\d.]+)")
_LUA = """
function thread_init()
  connection = sysbench.sql.driver():connect()
  connection:query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
end

function event()
  local rank = sysbench.rand.uniform(0, {last})
  connection:query("BEGIN")
  connection:query(string.format("{statement}", rank > 0 and rank + 1 or 0))
  connection:query("COMMIT")
end

function thread_done()
  connection:disconnect()
end
"""


class Sysbench:
    """One thread per process.

    Args:
        program: Where it is.
        environment: What it needs.
        options: A file with its options, the password among them.
        script: What to do.
    """

    title = "sysbench"

    def __init__(self, program: Path, environment: Mapping[str, str], options: Path, script: Path) -> None:
        self._words = [str(program), f"--config-file={options}", str(script), "run"]
        self._environment = environment

    def job(self, number: int) -> Job:
        program, options, *rest = self._words
        seed = f"--rand-seed={number + 1}"  # by itself it takes the second in which it starts: all the same keys
        return Job([program, options, seed, *rest], self._environment)

    def told(self, line: str) -> float | None:
        found = _TPS.match(line)
        return float(found[1]) if found else None


def osdb(database: Database, kind: str, tuples: int, folder: Path) -> Sysbench:
    """Return it for an osdb load on the tables of a size; raises Lacking."""
    program, environment = sticks.sysbench()
    server = database.server
    values = {
        "mysql-host": "127.0.0.1",
        "mysql-port": server.port,
        "mysql-user": server.user,
        "mysql-password": server.password,
        "mysql-db": server.database,
        "db-driver": "mysql",
        "db-ps-mode": "disable",
        "threads": 1,
        "events": 0,
        "time": 0,
        "report-interval": 1,
    }
    options = folder / "options"
    options.touch(0o600)
    options.write_text("".join(f"{name}={value}\n" for name, value in values.items()))
    script = folder / f"{kind}.lua"
    script.write_text(_LUA.format(last=tuples - 2, statement=osdb_statement(kind, tuples, "%d")))
    return Sysbench(program, environment, options, script)
