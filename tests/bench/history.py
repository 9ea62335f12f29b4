"""Times with 10,000 stored runs against an empty history: `python -m tests.bench.history [RUNS]`.

The history is made from a few simulated runs, copied under other ids and start times. The newest run and every tenth
before it keep their trials; the others keep what lists read. Each time is the median of three fresh processes after a
warm-up. Memory is the process's peak. Takes about three minutes.
"""

import itertools
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from scheduler.store.run_store import RunStore
from tests.bench.figure import Figure
from tests.bench.process import run_process

RUNS = 10_000
_REPEATS = 3
_LIMIT_S = 300.0
_FIRST_UNIX_S = 1.7e9
_PLAN = """\
name = "history {number}"
host = "sim:"
mode = "caps"
splits = ["1:1", "1:2", "1:5", "1:10", "2:1", "2:5", "5:1", "5:2", "10:1"]
protocol = "quick"
[[load]]
kind = "osdb-ir"
[[load]]
kind = "osdb-oltp"
"""
_SEEDS = (1, 2, 3)
_WHOLE_EVERY = 10
_ENDS = ("RunStarted", "LoadsReady", "RunStopped")
_COPY = (
    """INSERT INTO runs SELECT :copy, :start, host_id, continues, plan, outcome, restored, title, tags, note, NULL
    FROM runs WHERE run_id = :source""",
    """INSERT INTO documents SELECT :copy, seq, t_s, tag, replace(body, :source, :copy) FROM documents
    WHERE run_id = :source AND (tag IN (:first, :second, :last) OR (:whole AND tag = 'TrialDone'))""",
    "INSERT INTO results SELECT :copy, rules, answer, body FROM results WHERE run_id = :source",
)
_PAGE = """
import time
from app.pages.result_data import read_run
from scheduler import places
from scheduler.store.run_store import RunStore
with RunStore(places.store_path(), read_only=True) as store:
    run_id = store.newest()
class Job:
    cancelled = False
began_s = time.perf_counter()
read_run(run_id)(Job())
print("ready", time.perf_counter() - began_s)
"""


class _Cost(NamedTuple):
    """One process until it was ready.

    Attributes:
        wall_s: Seconds by the clock.
        peak_mb: Largest resident memory, MB.
    """

    wall_s: float
    peak_mb: float


_COMMANDS: dict[str, tuple[str, ...]] = {
    "window usable": ("-m", "tests.bench.window_start"),
    "domtune runs": ("-m", "scheduler", "runs"),
    "domtune runs last": ("-m", "scheduler", "runs", "last"),
    "one result page": ("-c", _PAGE),
}
# Seconds more than with an almost empty history.
_PROMISED_S = {"window usable": 2.0, "one result page": 0.2}


def measure(runs: int = RUNS) -> list[Figure]:
    """Return seconds and memory of each command with many runs, against few.

    Args:
        runs: Number of stored runs, >= 3.
    """
    with tempfile.TemporaryDirectory(prefix="domtune-bench-") as folder:
        few, many = Path(folder, "few"), Path(folder, "many")
        _simulate(few)
        _simulate(many)
        began_s = time.perf_counter()
        fill(many, runs)
        size_mb = sum(path.stat().st_size for path in many.glob("**/runs.sqlite3")) / 1e6
        note = f"({size_mb:.0f} MB, {size_mb * 1e3 / runs:.0f} kB a run)"
        figures = [Figure(name=f"seconds to store {runs} runs", value=time.perf_counter() - began_s, note=note)]
        for name, words in _COMMANDS.items():
            figures += _figures(name, _cost(words, few), _cost(words, many), runs)
        return figures


def fill(home: Path, runs: int) -> None:
    """Copy the stored runs, without samples, until there are that many; the copies lie in a random order in the file.

    Args:
        home: The data folder, with a few real runs.
        runs: Number of runs, >= that of the real ones.
    """
    with RunStore(_store(home)) as store:
        sources = [run.run_id for run in store.runs()]
        numbers = list(range(runs - len(sources)))
        random.Random(1).shuffle(numbers)
        store._db.execute("PRAGMA synchronous = OFF")  # a lost bench is made again
        ends = dict(zip(("first", "second", "last"), _ENDS, strict=True))
        with store._db as db:
            for number, source in zip(numbers, itertools.cycle(sources), strict=False):
                whole = (len(numbers) - 1 - number) % _WHOLE_EVERY == 0
                start = _FIRST_UNIX_S + 3600 * number
                values = {"copy": f"copy-{number:06}", "source": source, "start": start, "whole": whole, **ends}
                for statement in _COPY:
                    db.execute(statement, values)


def _store(home: Path) -> Path:
    (path,) = home.glob("**/runs.sqlite3")
    return path


def _simulate(home: Path) -> None:
    home.mkdir()
    for number in _SEEDS:
        plan = home / f"plan-{number}.toml"
        plan.write_text(_PLAN.format(number=number), encoding="utf-8")
        _run(("-m", "scheduler", "run", str(plan)), home)


def _run(words: Sequence[str], home: Path) -> _Cost:
    """Return the cost of a process: until it prints `ready`, or ends; raises subprocess.SubprocessError."""
    environment = {**os.environ, "DOMTUNE_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    cost = run_process(words, environment, _LIMIT_S)
    return _Cost(float(cost.said) if words[0] == "-c" else cost.ready_s, cost.peak_mb)


def _cost(words: Sequence[str], home: Path) -> _Cost:
    _run(words, home)  # byte code and the disk's cache are warm from here on
    costs = [_run(words, home) for _ in range(_REPEATS)]
    return _Cost(statistics.median(cost.wall_s for cost in costs), max(cost.peak_mb for cost in costs))


def _figures(name: str, few: _Cost, many: _Cost, runs: int) -> list[Figure]:
    note = f"({many.wall_s:.2f} s with {runs} runs, {few.wall_s:.2f} s with {len(_SEEDS)})"
    memory = f"({many.peak_mb:.0f} MB and {few.peak_mb:.0f} MB)"
    more_s = many.wall_s - few.wall_s
    return [
        Figure(name=f"{name}: seconds more", value=more_s, at_most=_PROMISED_S.get(name), note=note),
        Figure(name=f"{name}: MB more", value=many.peak_mb - few.peak_mb, note=memory),
    ]


if __name__ == "__main__":
    found = measure(*map(int, sys.argv[1:]))
    print(*(figure.line for figure in found), sep="\n")
    sys.exit(not all(figure.fine for figure in found))
