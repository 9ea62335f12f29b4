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

from scheduler.hosts.local.postgres.binaries import find_server
from scheduler.loads.osdb.schema import statement_of
from scheduler.loads.pool import Pool
from scheduler.model.spec import LoadSpec
from tests.bench.figure import Figure
from tests.contract.postgres_fixture import Database, running_server

USERS = 5
TUPLES = 10_000
AT_LEAST, AT_MOST = 0.9, 2.0
PAIRS = 4
SECONDS = 4
NAMES = {"osdb-ir": "IR", "osdb-oltp": "OLTP"}

_TPS = re.compile(r"^tps = ([\d.]+) \(without", re.MULTILINE)
_DONE = re.compile(r"^number of transactions actually processed: (\d+)", re.MULTILINE)


class Turn(msgspec.Struct, frozen=True):
    """One measurement: transactions per second, and CPU seconds of the client per transaction."""

    tps: float
    cpu_s: float


def measure() -> Sequence[Figure]:
    """Return throughput and client CPU of both loads over pgbench's."""
    with rivals() as turn:
        return [figure for kind in NAMES for figure in compare(kind, turn)]


def compare(kind: str, turn: Callable[[str, str], Turn], pairs: int = PAIRS) -> tuple[Figure, Figure]:
    """Let both take turns (ours, pgbench, pgbench, ours, ...); the figures are medians over the pairs."""
    done: list[tuple[Turn, Turn]] = []
    for number in range(pairs):
        order = ("ours", "pgbench") if number % 2 == 0 else ("pgbench", "ours")
        turns = {who: turn(who, kind) for who in order}
        done.append((turns["ours"], turns["pgbench"]))
    name, where = NAMES[kind], f"{pairs} pairs of {SECONDS} s, {USERS} users, {_shared()}"
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
def rivals() -> Iterator[Callable[[str, str], Turn]]:
    """Yield a function (`ours` or `pgbench`, load kind) that measures one turn."""
    server_cpus, client_cpus = _cpus()
    loads = [LoadSpec(kind, users=USERS, tuples=TUPLES) for kind in NAMES]
    with running_server(server_cpus) as database:
        pool = database.pool(*loads, client_cpus=client_cpus)
        try:
            pool.preflight()

            def turn(who: str, kind: str) -> Turn:
                pool.prepare(kind)
                return _ours(pool, kind) if who == "ours" else _pgbench(database, kind, client_cpus)

            yield turn
        finally:
            pool.close()


def _ours(pool: Pool, kind: str) -> Turn:
    pool.start(kind)
    seconds = []
    while len(seconds) < SECONDS + 1:
        time.sleep(0.2)  # noqa: TID251 - the users work meanwhile
        seconds.extend(pool.poll())
    check = pool.stop()
    assert check is not None
    assert check.passed, check.text
    counted = seconds[1 : SECONDS + 1]
    done = sum(second.count for second in counted)
    return Turn(done / SECONDS, sum(second.cpu_s for second in counted) / done)


def _pgbench(database: Database, kind: str, cpus: Sequence[int]) -> Turn:
    """Run the same transaction as a custom script, in three round trips, with one thread per user."""
    server = database.server
    # pgbench's random() includes both ends; there is no key 1.
    draw = f"\\set r random(0, {TUPLES - 2})\n\\set key case when :r > 0 then :r + 1 else 0 end\n"
    script = f"{draw}BEGIN;\n{statement_of(kind, TUPLES, ':key')};\nCOMMIT;\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "script.sql"
        path.write_text(script)
        words = [str(find_server().bin_dir / "pgbench"), "--no-vacuum", "--protocol=simple", f"--file={path}"]
        words += [f"--client={USERS}", f"--jobs={USERS}", f"--time={SECONDS}"]
        words += ["--host=127.0.0.1", f"--port={server.port}", f"--username={server.user}", server.database]
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
