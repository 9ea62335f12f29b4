"""`python -m tests.bench.overhead_local [--scale S] [--blocks N] ...`: what a quota, and the relay, cost TPC-H here.

Our own PostgreSQL, warm, on three sides: bare; confined, all of its processes in a control group with a quota; through
the relay, bare. A block has all sides in random order. On a side every query runs once unmeasured, then so many times
measured, on one connection, or each time on a new one (`--fresh`, as the papers did first). What counts for the block
is each query's median time; where time went is told by means, since CPU time by mode comes in ticks of 10 ms. Needs
root and version 1 of the CPU controller. Prints what the papers' Tables 1 to 3 have, with intervals, and what explains
the slowdown.
"""

import argparse
import contextlib
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import psutil

from scheduler.databases.base import Database, UserSession
from scheduler.databases.registry import connect_user, open_database, server_of
from scheduler.errors import HostNotUsable
from scheduler.hosts.local.mounts import memberships, mounts
from scheduler.hosts.local.relay_process import RelayProcess
from scheduler.loads.same_data import Fingerprint, refuse_different, settings_query
from scheduler.loads.tpch import loading, queries
from scheduler.loads.tpch.counters import Counters, counters_of
from scheduler.loads.tpch.dialects import dialect_of
from scheduler.model.figures import Figure, medians
from scheduler.model.params import CgroupParams
from scheduler.studies.overhead.causes import causes_of
from scheduler.studies.overhead.costs import Cost, Costs, costs_of, times_of
from scheduler.studies.overhead.slowdown import compared
from scheduler.studies.overhead.words import explained, headline
from tests.bench.overhead_tables import tables

BARE, CONFINED, RELAYED = "bare", "confined", "relay"
_DATABASE = "postgresql"
_PERIOD_US = CgroupParams(1024).period_us


class Quota:
    """A control group below our own, with a quota of one CPU; closed, it is gone.

    Args:
        pct: Of one CPU.
        pid: The server's first process: it and its children are moved.
    """

    def __init__(self, pct: float, pid: int) -> None:
        ours = memberships(Path("/proc/self/cgroup").read_text())
        found = [m for m in mounts(Path("/proc/self/mountinfo").read_text()) if "cpu" in m.controllers]
        if not found or os.geteuid() != 0:
            raise HostNotUsable("no control group can be made", hint="Be root, on version 1 of the CPU controller.")
        theirs = memberships(Path(f"/proc/{pid}/cgroup").read_text())
        self._home = found[0].folder_of(theirs) or found[0].point
        self._group = (found[0].folder_of(ours) or found[0].point) / f"domtune-overhead-{os.getpid()}"
        self._pid = pid
        self._group.mkdir()
        (self._group / "cpu.cfs_period_us").write_text(str(_PERIOD_US))
        (self._group / "cpu.cfs_quota_us").write_text(str(round(pct / 100 * _PERIOD_US)))

    def enter(self) -> None:
        """Move the server into it."""
        self._move(self._group)

    def leave(self) -> None:
        """Move it back to where it stood."""
        self._move(self._home)

    def close(self) -> None:
        """Leave, and remove the group."""
        self.leave()
        self._group.rmdir()

    def _move(self, folder: Path) -> None:
        for pid in _family(self._pid):  # the first one first: it starts the others
            with contextlib.suppress(ProcessLookupError):
                (folder / "cgroup.procs").write_text(str(pid))


def _family(pid: int) -> list[int]:
    return [pid, *(child.pid for child in psutil.Process(pid).children(recursive=True))]


class Measured(NamedTuple):
    """What every query cost on each side in each block: the median, and the mean; and what of the sides differs."""

    medians: Costs
    means: Costs
    notes: tuple[str, ...]


def measure(arguments: argparse.Namespace) -> Measured:
    """Return what was measured; the sides must have the same data and settings."""
    middles, means = ({side: dict[int, dict[str, Cost]]() for side in arguments.sides} for _ in range(2))
    shuffler = random.Random(arguments.seed)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_home())
        server = server_of("")
        stack.callback(server.stop)
        server.start()
        database = open_database(server.url(server.address), server.password)
        stack.callback(database.close)
        loading.load(database.session(), arguments.scale)
        relay = RelayProcess(*server.address)
        stack.callback(relay.stop)
        relay.start()
        quota = Quota(arguments.quota_pct, server.pid)
        stack.callback(quota.close)
        ways = {side: relay.address if side == RELAYED else server.address for side in arguments.sides}
        opened = {side: open_database(server.url(way), server.password) for side, way in ways.items()}
        params = {side: database.params for side, database in opened.items()}
        notes = refuse_different({side: _fingerprint(opened[side], arguments.scale) for side in opened})
        for block in range(arguments.blocks):
            for side in shuffler.sample(arguments.sides, len(arguments.sides)):
                (quota.enter if side == CONFINED else quota.leave)()
                figures = list(_run(params[side], arguments))
                middles[side][block], means[side][block] = costs_of(medians(figures)), costs_of(_means(figures))
                print(f"block {block + 1} of {arguments.blocks}, {side}", file=sys.stderr, flush=True)
    return Measured(middles, means, notes)


def _run(params: Mapping[str, str], arguments: argparse.Namespace) -> Iterator[Figure]:
    """Yield the figures of all queries, each so many times after once for nothing."""
    texts = {n: queries.text_of(n, _DATABASE, arguments.scale).encode("ascii") for n in queries.POWER_ORDER}
    with _user(params) as (user, counters):
        for text in texts.values():
            user.rows(text)
        for _ in range(0 if arguments.fresh else arguments.repeats):
            for number, text in texts.items():
                yield from _once(number, text, user, counters)
    for _ in range(arguments.repeats if arguments.fresh else 0):
        for number, text in texts.items():
            with _user(params) as (user, counters):
                yield from _once(number, text, user, counters)


def _once(number: int, text: bytes, user: UserSession, counters: Counters) -> tuple[Figure, ...]:
    counters.begin()
    user.rows(text)
    return counters.since(f"Q{number}")


@contextlib.contextmanager
def _user(params: Mapping[str, str]) -> Iterator[tuple[UserSession, Counters]]:
    user = connect_user(_DATABASE, params, "domtune overhead", 3)
    try:
        for statement in dialect_of(_DATABASE).user:
            user.change(statement.encode("ascii"))
        yield user, counters_of(user, _DATABASE)
    finally:
        user.close()


def _means(figures: Sequence[Figure]) -> list[Figure]:
    values: dict[tuple[str, str], list[float]] = {}
    for figure in figures:
        values.setdefault((figure.name, figure.unit), []).append(figure.value)
    return [Figure(name, fmean(each), unit) for (name, unit), each in values.items()]


def _fingerprint(database: Database, scale: float) -> Fingerprint:
    try:
        session = database.session()
        for statement in dialect_of(_DATABASE).user:  # a user's settings count
            session.execute(statement)
        settings = {str(name): str(value) for name, value in session.rows(settings_query(_DATABASE))}
        data = {**loading.state(session, scale), **loading.answers_kept(session, scale)}
        version = database.versions()[_DATABASE]
        return Fingerprint(database=_DATABASE, version=version, data=data, settings=settings)
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
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--quota-pct", type=float, default=50)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sides", nargs="+", default=[BARE, CONFINED, RELAYED], choices=[BARE, CONFINED, RELAYED])
    arguments = parser.parse_args()
    measured = measure(arguments)
    print(*measured.notes, sep="\n")
    base, *others = arguments.sides
    for other in others:
        comparison = compared(times_of(measured.medians), base, other)
        causes = causes_of(measured.means, comparison)
        print(*tables(measured.means, comparison), sep="\n")
        print(*headline(comparison), *explained(causes, comparison), "", sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
