"""Our users against pgbench: same server, same statement, same CPUs, taking turns so that drift hits both alike."""

import contextlib
import os
import re
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from scheduler.databases.postgresql.binaries import find_server
from scheduler.databases.postgresql.server import EmbeddedServer
from scheduler.loads.osdb.schema import statement_of
from scheduler.loads.pool import Pool
from scheduler.model.spec import LoadSpec
from tests.bench.figure import Figure
from tests.contract.postgres_fixture import Database, running_server

USERS = 5
TUPLES = 10_000
AT_LEAST, AT_MOST = 0.9, 2.0
PAIRS = 8
SECONDS = 2
NAMES = {"osdb-ir": "IR", "osdb-oltp": "OLTP"}

_THEIRS = "rival"
_TPS = re.compile(r"^tps = ([\d.]+) \(without", re.MULTILINE)
_DONE = re.compile(r"^number of transactions actually processed: (\d+)", re.MULTILINE)


class Turn(msgspec.Struct, frozen=True):
    """One measurement: transactions per second, and CPU seconds of the client per transaction."""

    tps: float
    cpu_s: float


def measure() -> Sequence[Figure]:
    """Return throughput and client CPU of both loads over pgbench's."""
    figures: list[Figure] = []
    for kind in NAMES:
        with rivals(kind) as turn:
            figures.extend(compare(kind, turn))
    return figures


def compare(
    kind: str, turn: Callable[[str, int], Turn], pairs: int = PAIRS, seconds: int = SECONDS
) -> tuple[Figure, Figure]:
    """Let both take turns (ours, pgbench, pgbench, ours, ...); the figures are medians over the pairs.

    Turns are short and many: a computer that shares its CPUs with others may be half as fast ten seconds later.
    """
    done: list[tuple[Turn, Turn]] = []
    for number in range(pairs):
        order = ("ours", "pgbench") if number % 2 == 0 else ("pgbench", "ours")
        turns = {who: turn(who, seconds) for who in order}
        done.append((turns["ours"], turns["pgbench"]))
    name, where = NAMES[kind], f"{pairs} pairs of {seconds} s, {USERS} users, {_shared()}"
    ours, theirs = (statistics.median(pair[i].tps for pair in done) for i in (0, 1))
    cpus = [statistics.median(pair[i].cpu_s * 1e6 for pair in done) for i in (0, 1)]
    return (
        Figure(
            name=f"{name} throughput over pgbench's",
            value=statistics.median(our.tps / their.tps for our, their in done),
            at_least=AT_LEAST,
            note=f"({ours:.0f}/s to {theirs:.0f}/s; {where})",
        ),
        Figure(
            name=f"{name} client CPU per transaction over pgbench's",
            value=statistics.median(our.cpu_s / their.cpu_s for our, their in done),
            at_most=AT_MOST,
            note=f"({cpus[0]:.1f} us to {cpus[1]:.1f} us)",
        ),
    )


@contextlib.contextmanager
def rivals(kind: str) -> Iterator[Callable[[str, int], Turn]]:
    """Yield a function (`ours` or `pgbench`, seconds) that measures one turn; whose turn it is not holds no CPU.

    pgbench gets the same tables in a database of its own, so that what our users wrote can be checked in the end.
    """
    server_cpus, client_cpus = _cpus()
    with running_server(server_cpus) as database:
        load = LoadSpec(kind, users=USERS, tuples=TUPLES)
        ours, theirs = database.pool(load, client_cpus=client_cpus), _beside(database).pool(load)
        with contextlib.closing(theirs), contextlib.closing(ours):
            for pool in (theirs, ours):
                pool.preflight()
                pool.prepare(kind)
            ours.start(kind)
            ours.park()

            def turn(who: str, seconds: int) -> Turn:
                return _ours(ours, seconds) if who == "ours" else _pgbench(database.server, kind, client_cpus, seconds)

            yield turn
            check = ours.stop()
            assert check is not None
            assert check.passed, check.text


def _ours(pool: Pool, seconds: int) -> Turn:
    pool.unpark()
    seen = []
    while len(seen) < seconds:  # whole ones; the broken one at the start is nobody's
        time.sleep(0.2)  # noqa: TID251 - the users work meanwhile
        seen.extend(pool.poll())
    pool.park()
    counted = seen[:seconds]
    done = sum(second.count for second in counted)
    return Turn(done / seconds, sum(second.cpu_s for second in counted) / done)


def _beside(database: Database) -> Database:
    """Return a new database on the same server."""
    with database.session() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {_THEIRS}")
    other = Database(database.server)
    other.url = database.url.rpartition("/")[0] + f"/{_THEIRS}"
    other.secrets = {other.url: database.server.password}
    return other


def _pgbench(server: EmbeddedServer, kind: str, cpus: Sequence[int], seconds: int) -> Turn:
    """Run the same transaction as a custom script, in three round trips, with one thread per user."""
    # pgbench's random() includes both ends; there is no key 1.
    draw = f"\\set r random(0, {TUPLES - 2})\n\\set key case when :r > 0 then :r + 1 else 0 end\n"
    script = f"{draw}BEGIN;\n{statement_of(kind, TUPLES, ':key')};\nCOMMIT;\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.sql"
        path.write_text(script)
        words = [str(find_server().bin_dir / "pgbench"), "--no-vacuum", "--protocol=simple", f"--file={path}"]
        words += [f"--client={USERS}", f"--jobs={USERS}", f"--time={seconds}"]
        words += ["--host=127.0.0.1", f"--port={server.port}", f"--username={server.user}", _THEIRS]
        with _on(cpus):
            process = subprocess.Popen(
                words, env={**os.environ, "PGPASSWORD": server.password}, stdout=subprocess.PIPE, text=True
            )
        with process:
            printed = process.stdout.read() if process.stdout else ""
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    tps, done = _TPS.search(printed), _DONE.search(printed)
    assert process.returncode == 0, f"pgbench ended with status {process.returncode}"
    assert tps is not None
    assert done is not None
    return Turn(float(tps[1]), (used.ru_utime + used.ru_stime) / int(done[1]))


@contextlib.contextmanager
def _on(cpus: Sequence[int]) -> Iterator[None]:
    """Start children on these CPUs."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cpus or before)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _cpus() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the server's CPU and the clients', as on `local:`; nothing is confined where there is only one."""
    cpus = sorted(os.sched_getaffinity(0))
    return (tuple(cpus[:1]), tuple(cpus[1:])) if len(cpus) > 1 else ((), ())


def _shared() -> str:
    server_cpus, client_cpus = _cpus()
    return (
        f"server on CPU {server_cpus[0]}, clients on the others" if client_cpus else "server and clients share one CPU"
    )


if __name__ == "__main__":
    for figure in measure():
        print(figure.line)
