"""Fuzz the lines of programs that make a load, of the Dask client and of its workers."""

from collections.abc import Callable
from random import Random

import msgspec

from scheduler.loads.cluster import cluster_messages
from scheduler.loads.command.command_engine import CommandLines
from scheduler.loads.command.rate_reader import GROWTHS, FigureHistory, RateReader
from scheduler.loads.engines.program import ProgramLine
from scheduler.loads.engines.program_engine import CumulativeCounter
from scheduler.loads.engines.program_script import LineFigures
from scheduler.loads.sysbench.sysbench_program import SysbenchLines
from scheduler.loads.tpcb.pgbench_program import PgbenchLines
from tests.fuzz.spoiling import spoil, spoil_bytes

_PGBENCH = """\
pgbench (16.2)
progress: 1700000001.0 s, 812.3 tps, lat 4.9 ms stddev 1.2, 0 failed, 3 retried, 4 retries
progress: 1700000002.0 s, 790.0 tps, lat 5.1 ms stddev 1.0, 1 failed, 0 retried, 0 retries
number of transactions actually processed: 1602
"""
_SYSBENCH = """\
Threads started!
domtune: at 1.000 s, 1.000 s, 600 events, 4.9 ms, 3 repeated, 0 reconnects
domtune: at 2.000 s, 1.000 s, 605 events, 5.1 ms, 0 repeated, 1 reconnects
    total number of events:              1205
"""
_COMMANDS = (
    "100 ops\n1,200.5 ops/s p95=3.2 errors=1\n0 ops\n",
    "[ 1s ] thds: 4 tps: 770.97 qps: 15419.4\n[ 2s ] thds: 4 tps: 781.02 qps: 15620.1\n",
    '{"rate": 312.5}\n{"rate": 1e3, "errors": 1}\n{"total": 4}\n',
)
_EVENTS: tuple[cluster_messages.ClusterEvent | cluster_messages.ClusterRequest, ...] = (
    cluster_messages.NumberedReply(1, cluster_messages.DoneReply()),
    cluster_messages.ShareWords("1", ((0, '{"$":"report"}'),)),
    cluster_messages.EndShare("1"),
)


def _read(rng: Random, text: str, read: Callable[[ProgramLine, float], LineFigures | None]) -> CumulativeCounter:
    """Read lines as an engine does, and lay what they say on seconds."""
    course = CumulativeCounter(0.0)
    for number, line in enumerate(spoil(rng, text).splitlines()):
        reported = read(ProgramLine(number + 1.0, line), course.until_s)
        if reported is not None:
            course.grow(reported.since_s, 0)
            course.grow(reported.until_s, reported.count)
    for second in range(4):
        course.whole(second)
        course.part(second)
        course.forget(second)
    return course


def pgbench_lines(rng: Random) -> object:
    lines = PgbenchLines(1_700_000_000.0)
    return _read(rng, _PGBENCH, lines.read), lines.completed(0.0)


def sysbench_lines(rng: Random) -> object:
    lines = SysbenchLines()
    return _read(rng, _SYSBENCH, lines.read), lines.completed(0.0)


def command_lines(rng: Random) -> object:
    lines = CommandLines(RateReader(""), 1.0, FigureHistory(GROWTHS, 1.0))
    try:
        return _read(rng, spoil(rng, rng.choice(_COMMANDS)), lines.read), lines.completed(1.0)
    finally:
        lines.close()


def dask_line(rng: Random) -> object:
    line = spoil_bytes(rng, cluster_messages.encode_message(rng.choice(_EVENTS)))
    for read in (cluster_messages.decode_event, cluster_messages.decode_request):
        try:
            read(line)
        except msgspec.DecodeError:
            continue
    return None


TARGETS = {each.__name__: each for each in (pgbench_lines, sysbench_lines, command_lines, dask_line)}
