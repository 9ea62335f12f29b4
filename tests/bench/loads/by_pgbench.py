"""pgbench beside our users on PostgreSQL: the same statements in the same round trips, as text."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from scheduler.databases.postgresql.postgresql_binaries import find_server
from scheduler.loads.osdb.osdb_schema import osdb_statement
from tests.bench.loads.peers import Job
from tests.contract.postgres_fixture import Database

_TPS = re.compile(r"^progress: [\d.]+ s, ([\d.]+) tps")
_FOREVER_S = 100_000
_BANK = "rival_bank"


class Pgbench:
    """One client per process.

    Args:
        database: Whose server it works on.
        name: Name of the database there.
        words: What to do.
    """

    title = "pgbench"

    def __init__(self, database: Database, name: str, words: Sequence[str]) -> None:
        server = database.server
        self._words = [str(find_server().bin_dir / "pgbench"), "--host=127.0.0.1", f"--port={server.port}"]
        self._words += [f"--username={server.user}", "--no-vacuum", "--protocol=simple", "--client=1", "--progress=1"]
        self._words += [f"--time={_FOREVER_S}", *words, name]
        self._environment = {"PGPASSWORD": server.password, "LC_ALL": "C"}

    def job(self, number: int) -> Job:
        return Job(self._words, self._environment)

    def told(self, line: str) -> float | None:
        found = _TPS.match(line)
        return float(found[1]) if found else None


def osdb(database: Database, kind: str, tuples: int, folder: Path) -> Pgbench:
    """Return it for an osdb load on the tables of a size."""
    # pgbench's random() includes both ends; there is no key 1.
    draw = f"\\set r random(0, {tuples - 2})\n\\set key case when :r > 0 then :r + 1 else 0 end\n"
    path = folder / f"{kind}.sql"
    path.write_text(f"{draw}BEGIN;\n{osdb_statement(kind, tuples, ':key')};\nCOMMIT;\n")
    return Pgbench(database, database.server.database, [f"--file={path}"])


def bank(database: Database, scale: int) -> Pgbench:
    """Return it for its own transactions, on tables that it makes itself."""
    with database.session() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {_BANK}")
    made = Pgbench(database, _BANK, [])
    job = made.job(0)
    connection_words = [word for word in job.words[:4] if not word.startswith("--no")]
    subprocess.run(
        [*connection_words, "--initialize", "--quiet", f"--scale={scale}", _BANK],
        env=dict(job.environment),
        check=True,
        capture_output=True,
        timeout=600,
    )
    return made
